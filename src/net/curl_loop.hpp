// One libcurl multi handle, driven by the event loop: libcurl says which sockets and which time it
// waits for, the loop waits, and libcurl is told. Nothing in here blocks.
#pragma once

#include <curl/curl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "net/sockets.hpp"

namespace sluice::net {

class CurlLoop {
  public:
    // `progressed` is called each time libcurl has run and is left again: the place to ask ended()
    // and to do what must not be done from inside a callback of libcurl.
    CurlLoop(boost::asio::io_context& loop, std::size_t connections_max,
             std::function<void()> progressed);
    ~CurlLoop();
    CurlLoop(const CurlLoop&) = delete;
    CurlLoop& operator=(const CurlLoop&) = delete;

    // Waits that are under way keep quiet once the owner, which holds this object, is gone; while
    // one is handled, the owner is kept.
    void bind(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

    // Neither may be called while is_inside().
    void add(CURL* handle);
    void remove(CURL* handle);

    // A handle that has come to its end and was not removed yet.
    std::optional<std::pair<CURL*, CURLcode>> ended();

    // True while libcurl is on the stack, that is, inside one of its callbacks.
    bool is_inside() const { return inside_; }

    void shut_idle_connections();
    Sockets& sockets() { return sockets_; }

  private:
    struct Watch;
    static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) noexcept;
    static int on_timer(CURLM*, long timeout_ms, void* self) noexcept;

    void watch(curl_socket_t socket, int what);
    void forget(curl_socket_t socket);
    void await(const std::shared_ptr<Watch>& watch, int direction);
    void act(curl_socket_t socket, int events);

    boost::asio::io_context& loop_;
    boost::asio::steady_timer timer_;
    std::function<void()> progressed_;
    std::weak_ptr<void> owner_;
    Sockets sockets_;
    std::map<curl_socket_t, std::shared_ptr<Watch>> watches_;
    bool inside_ = false;
    CURLM* multi_;
};

}  // namespace sluice::net
