// A small HTTP/1.1 server for health checks and metrics.
//
// Promises: GET and HEAD only (405 otherwise), no request body (413), a bounded header, a bounded
// number of connections (whoever comes when it is full takes the place of the one that has waited
// longest without a request), a bounded time per request; whatever is not HTTP is answered by
// closing. Refuses to share its port. The handler runs on the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::net {

// What is shown to whoever asks.
struct Page {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body{};
};

struct ServerLimits {
    std::size_t header_max = 8 << 10;  // a probe or a scrape needs a tenth of it
    std::size_t connections_max = 64;  // a few kubelets and scrapers, each with one or two
    Duration request_time = 10s;       // for a request to come, and for its page to go
};

class HttpServer {
  public:
    // `path` comes without its query.
    using Handler = std::function<Page(std::string_view method, std::string_view path)>;

    // `address` is "host:port", ":8081" for every interface, or "[::1]:0" for a port that the
    // kernel picks. The error says what is wrong with it: malformed, unknown, or in use.
    static Result<std::unique_ptr<HttpServer>> open(boost::asio::io_context& loop,
                                                    const std::string& address, Handler handler,
                                                    ServerLimits limits = {});
    ~HttpServer();  // closes every connection
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;

  private:
    struct State;
    explicit HttpServer(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace sluice::net
