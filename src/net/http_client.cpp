#include "net/http_client.hpp"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <optional>

#include "base/assert.hpp"
#include "net/curl_loop.hpp"
#include "net/exchange.hpp"
#include "net/target.hpp"

namespace sluice::net {

using boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;

// The transfers of one client: those that wait for a connection, those under way, and the alarms
// that end them. Ends each exactly once. A callback may start and cancel transfers and may destroy
// the client; what libcurl does not allow from inside a callback is done when it has returned.
class Transfers : public std::enable_shared_from_this<Transfers> {
  public:
    static std::shared_ptr<Transfers> make(boost::asio::io_context& loop,
                                           std::size_t connections_max);
    Transfers(boost::asio::io_context& loop, std::size_t connections_max);
    ~Transfers();
    Transfers(const Transfers&) = delete;
    Transfers& operator=(const Transfers&) = delete;

    TransferId start(HttpRequest request, HttpClient::Chunk chunk, HttpClient::Done done);
    void cancel(TransferId id);
    void drop_connections();
    // No callback is called any more. The last owner to let go ends the transfers.
    void close();
    std::size_t count() const { return transfers_.size(); }

  private:
    struct Transfer;

    void finish_later(TransferId id, Error why);
    void fill_later();
    void fill();
    void progressed();
    void set_alarm(Transfer& transfer);
    void on_alarm(TransferId id);
    void finish(TransferId id, Result<HttpResponse> result);
    std::unique_ptr<Transfer> take(TransferId id);
    void detach(Transfer& transfer);

    boost::asio::io_context& loop_;
    const std::size_t connections_max_;
    TransferId last_id_ = 0;
    std::size_t active_ = 0;
    bool closed_ = false;
    bool drop_wanted_ = false;
    std::map<TransferId, std::unique_ptr<Transfer>> transfers_;
    std::deque<TransferId> waiting_;                    // in order
    std::vector<std::unique_ptr<Transfer>> cancelled_;  // until libcurl is off the stack
    CurlLoop curl_;
};

struct Transfers::Transfer {
    Transfer(boost::asio::io_context& loop, TransferId own_id, HttpRequest request, Target target,
             HttpClient::Chunk chunk, HttpClient::Done on_done)
        : id(own_id),
          done(std::move(on_done)),
          alarm(loop),
          exchange(std::move(request), std::move(target), std::move(chunk)) {}

    bool is_waiting() const { return exchange.handle() == nullptr; }

    TransferId id;
    HttpClient::Done done;
    SteadyClock::time_point began = SteadyClock::now();
    boost::asio::steady_timer alarm;
    Exchange exchange;
};

namespace {

struct Limit {
    SteadyClock::time_point at;
    Duration span;
    bool is_deadline;  // otherwise it is the bound on silence
};

std::optional<Limit> next_limit(const Exchange& exchange, SteadyClock::time_point began) {
    const HttpRequest& request = exchange.request();
    std::optional<Limit> next;
    if (request.deadline > 0ms) next = Limit{began + request.deadline, request.deadline, true};
    if (request.idle_timeout > 0ms) {
        const auto at = exchange.last_byte() + request.idle_timeout;
        if (!next || at < next->at) next = Limit{at, request.idle_timeout, false};
    }
    return next;
}

Error too_late(const Exchange& exchange, const Limit& limit) {
    const std::string where = exchange.target().authority();
    const std::string span = to_text(limit.span);
    const auto timeout = [](std::string message) {
        return Error{ErrorKind::Timeout, std::move(message)};
    };
    if (exchange.handle() == nullptr) {
        return timeout(fmt::format("no connection to {} became free within {}", where, span));
    }
    if (!exchange.has_answer()) {
        return timeout(fmt::format("no answer from {} within {}", where, span));
    }
    if (limit.is_deadline) {
        return timeout(fmt::format("{} did not finish its answer within {}", where, span));
    }
    return timeout(fmt::format("{} sent nothing for {}", where, span));
}

}  // namespace

std::shared_ptr<Transfers> Transfers::make(boost::asio::io_context& loop,
                                           std::size_t connections_max) {
    auto transfers = std::make_shared<Transfers>(loop, connections_max);
    transfers->curl_.bind(transfers);
    return transfers;
}

Transfers::Transfers(boost::asio::io_context& loop, std::size_t connections_max)
    : loop_(loop),
      connections_max_(connections_max),
      curl_(loop, connections_max, [this] { progressed(); }) {
    SLUICE_ASSERT(connections_max > 0);
}

Transfers::~Transfers() {
    for (const auto& transfer : cancelled_)
        detach(*transfer);
    for (const auto& [id, transfer] : transfers_)
        detach(*transfer);
}

TransferId Transfers::start(HttpRequest request, HttpClient::Chunk chunk, HttpClient::Done done) {
    const TransferId id = ++last_id_;
    const Result<Target> target = find_target(request);
    auto transfer =
        std::make_unique<Transfer>(loop_, id, std::move(request), target.value_or(Target{}),
                                   std::move(chunk), std::move(done));
    if (target) {
        set_alarm(*transfer);
        waiting_.push_back(id);
        fill_later();
    } else {
        finish_later(id, target.error());
    }
    transfers_.emplace(id, std::move(transfer));
    return id;
}

void Transfers::cancel(TransferId id) {
    std::unique_ptr<Transfer> transfer = take(id);
    if (!transfer) return;
    if (curl_.is_inside()) {
        transfer->exchange.silence();
        cancelled_.push_back(std::move(transfer));
    } else {
        detach(*transfer);
        fill_later();
    }
}

void Transfers::drop_connections() {
    if (curl_.is_inside()) {
        drop_wanted_ = true;
        return;
    }
    drop_wanted_ = false;
    for (const auto& [id, transfer] : transfers_)
        transfer->exchange.forbid_reuse();
    curl_.shut_idle_connections();
}

void Transfers::close() {
    closed_ = true;
    for (const auto& [id, transfer] : transfers_)
        transfer->exchange.silence();
}

void Transfers::finish_later(TransferId id, Error why) {
    boost::asio::post(loop_, [owner = weak_from_this(), id, why = std::move(why)] {
        const auto here = owner.lock();
        if (here && !here->closed_) here->finish(id, std::unexpected(why));
    });
}

void Transfers::fill_later() {
    boost::asio::post(loop_, [owner = weak_from_this()] {
        const auto here = owner.lock();
        if (here && !here->closed_) here->fill();
    });
}

// Starts what waits, as far as there are connections.
void Transfers::fill() {
    while (active_ < connections_max_ && !waiting_.empty()) {
        Transfer& transfer = *transfers_.at(waiting_.front());
        waiting_.pop_front();
        CURL* handle = transfer.exchange.open(curl_.sockets());
        curl_easy_setopt(handle, CURLOPT_PRIVATE, &transfer);
        curl_.add(handle);
        ++active_;
    }
}

void Transfers::progressed() {
    for (const auto& transfer : cancelled_)
        detach(*transfer);
    cancelled_.clear();
    if (closed_) return;
    if (drop_wanted_) drop_connections();
    while (const auto ended = curl_.ended()) {
        const auto [handle, code] = *ended;
        Transfer* transfer = nullptr;
        curl_easy_getinfo(handle, CURLINFO_PRIVATE, &transfer);
        finish(transfer->id, transfer->exchange.outcome(code));
        if (closed_) return;
    }
    fill();
}

void Transfers::set_alarm(Transfer& transfer) {
    const auto limit = next_limit(transfer.exchange, transfer.began);
    if (!limit) return;
    transfer.alarm.expires_at(limit->at);
    transfer.alarm.async_wait([owner = weak_from_this(), id = transfer.id](error_code failed) {
        const auto here = owner.lock();
        if (here && !failed) here->on_alarm(id);
    });
}

// Bytes that came since only moved the limit, not the alarm.
void Transfers::on_alarm(TransferId id) {
    const auto found = transfers_.find(id);
    if (closed_ || found == transfers_.end()) return;
    Transfer& transfer = *found->second;
    const auto limit = next_limit(transfer.exchange, transfer.began);
    if (!limit) return;
    if (SteadyClock::now() < limit->at) {
        set_alarm(transfer);
        return;
    }
    finish(id, std::unexpected(too_late(transfer.exchange, *limit)));
    if (!closed_) fill();
}

void Transfers::finish(TransferId id, Result<HttpResponse> result) {
    std::unique_ptr<Transfer> transfer = take(id);
    if (!transfer) return;
    detach(*transfer);
    const HttpClient::Done done = std::move(transfer->done);
    transfer.reset();
    done(std::move(result));
}

std::unique_ptr<Transfers::Transfer> Transfers::take(TransferId id) {
    auto node = transfers_.extract(id);
    if (!node) return nullptr;
    if (node.mapped()->is_waiting()) std::erase(waiting_, id);
    return std::move(node.mapped());
}

void Transfers::detach(Transfer& transfer) {
    if (transfer.is_waiting()) return;
    curl_.remove(transfer.exchange.handle());
    --active_;
}

HttpClient::HttpClient(boost::asio::io_context& loop, std::size_t connections_max)
    : transfers_(Transfers::make(loop, connections_max)) {}

HttpClient::~HttpClient() {
    transfers_->close();
}

TransferId HttpClient::start(HttpRequest request, Done done) {
    return transfers_->start(std::move(request), nullptr, std::move(done));
}

TransferId HttpClient::stream(HttpRequest request, Chunk chunk, Done done) {
    return transfers_->start(std::move(request), std::move(chunk), std::move(done));
}

void HttpClient::cancel(TransferId id) {
    // What a cancelled callback had captured may be the owner of this client.
    const std::shared_ptr<Transfers> keep = transfers_;
    keep->cancel(id);
}

void HttpClient::drop_connections() {
    transfers_->drop_connections();
}

std::size_t HttpClient::in_flight() const {
    return transfers_->count();
}

}  // namespace sluice::net
