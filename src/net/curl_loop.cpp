#include "net/curl_loop.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>

#include "base/assert.hpp"

namespace sluice::net {

using boost::system::error_code;
using Descriptor = boost::asio::posix::stream_descriptor;

// One socket that libcurl waits for. The socket stays libcurl's: it is released, never closed.
struct CurlLoop::Watch {
    Watch(boost::asio::io_context& loop, curl_socket_t socket) : descriptor(loop, socket) {}

    bool wants(int direction) const { return (wanted & direction) != 0; }
    bool awaits(int direction) const { return (awaited & direction) != 0; }

    Descriptor descriptor;
    int wanted = 0;   // CURL_POLL_IN, CURL_POLL_OUT or both
    int awaited = 0;  // those of them that the loop is waiting for
    bool forgotten = false;
};

CurlLoop::CurlLoop(boost::asio::io_context& loop, std::size_t connections_max,
                   std::function<void()> progressed)
    : loop_(loop), timer_(loop), progressed_(std::move(progressed)) {
    static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
    SLUICE_ASSERT(once == CURLE_OK);
    multi_ = curl_multi_init();
    SLUICE_ASSERT(multi_ != nullptr);
    const auto connections = static_cast<long>(connections_max);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, connections);
    curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
}

CurlLoop::~CurlLoop() {
    SLUICE_ASSERT(!inside_);
    curl_multi_cleanup(multi_);
    while (!watches_.empty())
        forget(watches_.begin()->first);
}

void CurlLoop::add(CURL* handle) {
    SLUICE_ASSERT(!inside_);
    SLUICE_ASSERT(curl_multi_add_handle(multi_, handle) == CURLM_OK);
}

void CurlLoop::remove(CURL* handle) {
    SLUICE_ASSERT(!inside_);
    SLUICE_ASSERT(curl_multi_remove_handle(multi_, handle) == CURLM_OK);
}

std::optional<std::pair<CURL*, CURLcode>> CurlLoop::ended() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
        if (message->msg == CURLMSG_DONE) {
            return std::pair{message->easy_handle, message->data.result};
        }
    }
    return std::nullopt;
}

// Between two of its runs libcurl watches the socket of every transfer that has one.
void CurlLoop::shut_idle_connections() {
    sockets_.shut_idle([this](curl_socket_t socket) { return watches_.contains(socket); });
}

int CurlLoop::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) noexcept {
    auto& here = *static_cast<CurlLoop*>(self);
    if (what == CURL_POLL_REMOVE) {
        here.forget(socket);
    } else {
        here.watch(socket, what);
    }
    return 0;
}

int CurlLoop::on_timer(CURLM*, long timeout_ms, void* self) noexcept {
    auto& here = *static_cast<CurlLoop*>(self);
    if (timeout_ms < 0) {
        here.timer_.cancel();
        return 0;
    }
    here.timer_.expires_after(std::chrono::milliseconds(timeout_ms));
    here.timer_.async_wait([&here, owner = here.owner_](error_code failed) {
        const auto keep = owner.lock();
        if (keep && !failed) here.act(CURL_SOCKET_TIMEOUT, 0);
    });
    return 0;
}

void CurlLoop::watch(curl_socket_t socket, int what) {
    std::shared_ptr<Watch>& watch = watches_[socket];
    if (!watch) watch = std::make_shared<Watch>(loop_, socket);
    watch->wanted = what;
    await(watch, CURL_POLL_IN);
    await(watch, CURL_POLL_OUT);
}

void CurlLoop::forget(curl_socket_t socket) {
    const auto found = watches_.find(socket);
    if (found == watches_.end()) return;
    found->second->forgotten = true;
    found->second->descriptor.release();
    watches_.erase(found);
}

void CurlLoop::await(const std::shared_ptr<Watch>& watch, int direction) {
    if (!watch->wants(direction) || watch->awaits(direction)) return;
    watch->awaited |= direction;
    const auto wait = direction == CURL_POLL_IN ? Descriptor::wait_read : Descriptor::wait_write;
    watch->descriptor.async_wait(wait, [this, owner = owner_, watch, direction](error_code failed) {
        const auto keep = owner.lock();
        if (!keep || watch->forgotten) return;
        watch->awaited &= ~direction;
        if (watch->wants(direction)) {
            const int ready = direction == CURL_POLL_IN ? CURL_CSELECT_IN : CURL_CSELECT_OUT;
            act(watch->descriptor.native_handle(), failed ? CURL_CSELECT_ERR : ready);
        }
        if (!watch->forgotten) await(watch, direction);
    });
}

void CurlLoop::act(curl_socket_t socket, int events) {
    int running = 0;
    inside_ = true;
    const CURLMcode code = curl_multi_socket_action(multi_, socket, events, &running);
    inside_ = false;
    SLUICE_ASSERT(code == CURLM_OK);
    progressed_();
}

}  // namespace sluice::net
