#include "cli/serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/assert.hpp"
#include "sim/api/answers.hpp"
#include "sim/kubectl/front.hpp"

namespace sluice::cli {
namespace {

// Who lists in pages, or watches and loses its connection, has at least this long to come back;
// etcd is compacted as often.
constexpr Duration changes_kept = 5min;
constexpr Duration sleep_most = 1s;  // also bounds how late a watch ends

const std::string bearer = "Bearer ";

// What anybody may read, as on a real server.
bool is_public(const std::string& path) {
    return path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/version";
}

net::HttpsReply to_reply(const sim::Response& response) {
    net::HttpsReply reply;
    reply.status = response.status;
    reply.content_type = response.content_type;
    reply.body = response.text.empty() ? sim::json::serialize(response.body) : response.text;
    for (const std::string& warning : response.warnings) {
        std::string quoted;
        for (const char c : warning) {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c == '\r' || c == '\n' ? ' ' : c;
        }
        reply.headers.emplace_back("Warning", fmt::format("299 - \"{}\"", quoted));
    }
    if (response.retry_after > 0ms) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(response.retry_after);
        reply.headers.emplace_back("Retry-After", std::to_string(seconds.count()));
    }
    return reply;
}

std::string reason_for(int status) {
    switch (status) {
        case 400: return "BadRequest";
        case 401: return "Unauthorized";
        case 413: return "RequestEntityTooLarge";
        case 500: return "InternalError";
        default: return "";
    }
}

}  // namespace

Serving::Serving(boost::asio::io_context& loop, sim::Cluster& cluster, double speed,
                 std::map<std::string, std::string> users_by_token)
    : cluster_(cluster),
      speed_(speed),
      users_by_token_(std::move(users_by_token)),
      started_(clock_.now()),
      cluster_started_(cluster.now()),
      wake_(loop),
      next_forgetting_(started_ + changes_kept) {}

net::HttpsReply Serving::refuse(int status, const std::string& why) {
    return to_reply(sim::refusal(status, reason_for(status), why));
}

Instant Serving::cluster_time() const {
    const auto passed = static_cast<double>((clock_.now() - started_).count()) * speed_;
    return cluster_started_ + Duration{static_cast<std::int64_t>(passed)};
}

void Serving::answer(net::HttpsRequest request, const std::shared_ptr<net::HttpsAnswer>& answer) {
    sim::Request asked = sim::to_request(std::move(request.method), request.target);
    std::string token;
    if (request.authorization.starts_with(bearer))
        token = request.authorization.substr(bearer.size());
    const auto user = users_by_token_.find(token);
    if (user == users_by_token_.end() && !is_public(asked.path))
        return answer->send(refuse(401, "Unauthorized"));
    if (user != users_by_token_.end()) asked.user = user->second;
    if (!request.content_type.empty()) asked.content_type = std::move(request.content_type);
    if (!request.accept.empty()) asked.accept = std::move(request.accept);
    asked.user_agent = std::move(request.user_agent);
    asked.body = std::move(request.body);
    advance();
    try {
        sim::Response response = sim::serve_client(cluster_.api(), asked, cluster_.now());
        if (response.watch)
            open_stream(std::move(*response.watch), answer);
        else
            answer->send(to_reply(response));
    } catch (const AssertionFailed&) {
        throw;
    } catch (const std::exception& wrong) {
        answer->send(refuse(500, fmt::format("the embedded cluster failed: {}", wrong.what())));
    }
    advance();
}

void Serving::open_stream(sim::Watch watch, const std::shared_ptr<net::HttpsAnswer>& answer) {
    const std::uint64_t id = ++streams_opened_;
    const Instant ends = clock_.now() + watch.timeout;
    answer->on_gone = [this, id] { streams_.erase(id); };
    answer->open({});
    streams_.emplace(id, Stream{std::move(watch), answer, ends});
}

void Serving::advance() {
    cluster_.timeline().run_until(cluster_time());
    tell_streams();
    forget_old_changes();
    wake_for_next();
}

void Serving::tell_streams() {
    for (auto at = streams_.begin(); at != streams_.end();)
        at = tell(at->second) ? std::next(at) : streams_.erase(at);
}

// False if the stream has come to its end.
bool Serving::tell(Stream& stream) {
    std::string lines;
    bool goes_on = true;
    for (const sim::WatchedEvent& event : cluster_.api().watch_events(stream.watch)) {
        lines += sim::watch_line(cluster_.api(), stream.watch, event, cluster_.now());
        goes_on = goes_on && event.type != "ERROR";
    }
    stream.answer->write(lines);
    if (goes_on && clock_.now() < stream.ends) return true;
    stream.answer->close();
    return false;
}

void Serving::forget_old_changes() {
    if (clock_.now() < next_forgetting_) return;
    next_forgetting_ = clock_.now() + changes_kept;
    cluster_.api().compact(version_to_forget_);
    version_to_forget_ = cluster_.api().storage().version();
}

void Serving::wake_for_next() {
    Duration sleep = sleep_most;
    if (const auto next = cluster_.timeline().next()) {
        const auto inside = static_cast<double>((*next - cluster_time()).count());
        const Duration outside{static_cast<std::int64_t>(std::ceil(inside / speed_))};
        sleep = std::clamp(outside, Duration{1}, sleep_most);
    }
    wake_.expires_after(sleep);
    wake_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) advance();
    });
}

}  // namespace sluice::cli
