#include "net/http_server.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <vector>

#include "net/listen.hpp"

namespace sluice::net {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t unread_bytes_max = 64 << 10;  // of a refused body; then we do reset

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;
using Parser = http::request_parser<http::empty_body>;

Response to_response(const Request& request, Page reply) {
    Response response{static_cast<http::status>(reply.status), request.version()};
    response.set(http::field::content_type, reply.content_type);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.content_length(reply.body.size());
    if (request.method() != http::verb::head) response.body() = std::move(reply.body);
    return response;
}

bool announces_body(const Request& request) {
    const auto length = request.find(http::field::content_length);
    return request.chunked() || (length != request.end() && length->value() != "0");
}

bool is_known(http::verb method) {
    return method == http::verb::get || method == http::verb::head;
}

Response answer(const Request& request, const HttpServer::Handler& handler) {
    Response response;
    if (!is_known(request.method())) {
        response = to_response(request, {.status = 405, .body = "only GET and HEAD\n"});
        response.set(http::field::allow, "GET, HEAD");
        response.keep_alive(false);
    } else if (announces_body(request)) {
        response = to_response(request, {.status = 413, .body = "no request body, please\n"});
        response.keep_alive(false);
    } else {
        const std::string_view target(request.target().data(), request.target().size());
        const std::string_view method(request.method_string().data(),
                                      request.method_string().size());
        response = to_response(request, handler(method, target.substr(0, target.find('?'))));
        response.keep_alive(request.keep_alive());
    }
    return response;
}

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<State> {
    class Connection;

    State(asio::io_context& io, Handler answerer, ServerLimits bounds)
        : loop(io), handler(std::move(answerer)), limits(bounds), acceptor(io), pause(io) {}

    void accept();
    void make_room();
    void close();
    void forget(const Connection* connection);

    asio::io_context& loop;
    Handler handler;
    ServerLimits limits;
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    bool accepting = false;
    std::vector<std::shared_ptr<Connection>> connections;
};

// One client. The server's list owns it; its handlers hold it while they run.
class HttpServer::State::Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(tcp::socket socket, std::shared_ptr<State> server)
        : stream_(std::move(socket)),
          buffer_(server->limits.header_max + 512),
          server_(std::move(server)) {}

    void read() {
        is_idle_ = true;
        parser_ = std::make_unique<Parser>();
        parser_->header_limit(static_cast<std::uint32_t>(server_->limits.header_max));
        stream_.expires_after(server_->limits.request_time);
        http::async_read_header(stream_, buffer_, *parser_,
                                [self = shared_from_this()](error_code failed, std::size_t) {
                                    failed ? self->end() : self->write();
                                });
    }

    void close() { stream_.close(); }
    // Nothing of a request has been answered yet; it may be nobody's request at all.
    bool is_idle() const { return is_idle_; }

  private:
    void write() {
        is_idle_ = false;
        response_ = answer(parser_->get(), server_->handler);
        stream_.expires_after(server_->limits.request_time);
        http::async_write(stream_, response_,
                          [self = shared_from_this()](error_code failed, std::size_t) {
                              if (failed) return self->end();
                              self->response_.keep_alive() ? self->read() : self->hang_up();
                          });
    }

    // Bytes left unread would turn our close into a reset, which can overtake the reply.
    void hang_up() {
        error_code failed;
        if (stream_.socket().shutdown(tcp::socket::shutdown_send, failed)) return end();
        discard(unread_bytes_max);
    }

    void discard(std::size_t at_most) {
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(512), [self = shared_from_this(), at_most](
                                                          error_code failed, std::size_t count) {
            failed || count >= at_most ? self->end() : self->discard(at_most - count);
        });
    }

    void end() {
        close();
        server_->forget(this);
    }

    bool is_idle_ = true;
    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_;
    std::unique_ptr<Parser> parser_;
    Response response_;
    std::shared_ptr<State> server_;
};

void HttpServer::State::accept() {
    if (accepting || !acceptor.is_open()) return;
    accepting = true;
    acceptor.async_accept([self = shared_from_this()](error_code failed, tcp::socket socket) {
        self->accepting = false;
        if (!self->acceptor.is_open()) return;
        if (!failed) {
            self->make_room();
            self->connections.push_back(std::make_shared<Connection>(std::move(socket), self));
            self->connections.back()->read();
            self->accept();
            return;
        }
        // Out of descriptors, most likely: others have to end first.
        self->pause.expires_after(1s);
        self->pause.async_wait([self](error_code cancelled) {
            if (!cancelled) self->accept();
        });
    });
}

// A house full of guests who say nothing must not keep the kubelet out: the oldest of them goes.
void HttpServer::State::make_room() {
    if (connections.size() < limits.connections_max) return;
    auto oldest = std::ranges::find_if(connections, &Connection::is_idle);
    if (oldest == connections.end()) oldest = connections.begin();
    const std::shared_ptr<Connection> leaving = *oldest;
    connections.erase(oldest);
    leaving->close();
}

void HttpServer::State::forget(const Connection* connection) {
    std::erase_if(connections, [&](const auto& other) { return other.get() == connection; });
    accept();
}

void HttpServer::State::close() {
    error_code ignored;
    ignored = acceptor.close(ignored);
    pause.cancel();
    for (const auto& connection : connections)
        connection->close();
    connections.clear();
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(asio::io_context& loop,
                                                     const std::string& address, Handler handler,
                                                     ServerLimits limits) {
    auto acceptor = listen(loop, address);
    if (!acceptor) return std::unexpected(acceptor.error());
    auto state = std::make_shared<State>(loop, std::move(handler), limits);
    state->acceptor = std::move(*acceptor);
    state->accept();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
    state_->close();
}

std::uint16_t HttpServer::port() const {
    error_code failed;
    return state_->acceptor.local_endpoint(failed).port();
}

}  // namespace sluice::net
