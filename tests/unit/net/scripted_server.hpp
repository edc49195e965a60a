// A server for tests that does what a script says: answer, hang, trickle, flood, hang up, reset.
// It runs on the loop of the test, so that a test is one thread and one order of events.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::net::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct Received {
    std::string head{};  // request line and headers
    std::string body{};
    int connection = 0;         // 1 for the first that was accepted
    std::string client_name{};  // CN of the client's certificate
};

class Session : public std::enable_shared_from_this<Session> {
  public:
    using Script = std::function<void(const std::shared_ptr<Session>&, const Received&)>;

    Session(tcp::socket socket, int number, asio::ssl::context* tls, Script script)
        : socket_(std::move(socket)),
          timer_(socket_.get_executor()),
          number_(number),
          script_(std::move(script)) {
        if (tls != nullptr) tls_.emplace(socket_, *tls);
    }

    void begin() {
        if (!tls_) return read();
        tls_->async_handshake(asio::ssl::stream_base::server,
                              [self = shared_from_this()](error_code failed) {
                                  if (!failed) self->read();
                              });
    }

    void send(std::string text, std::function<void()> then = {}) {
        auto shared = std::make_shared<std::string>(std::move(text));
        with_stream([&](auto& stream) {
            asio::async_write(stream, asio::buffer(*shared),
                              [self = shared_from_this(), shared, then = std::move(then)](
                                  error_code failed, std::size_t count) {
                                  self->bytes_sent += count;
                                  if (!failed && then) then();
                              });
        });
    }

    // Again and again, until the peer is gone or `times` is used up.
    void send_again(const std::string& text, std::size_t times) {
        if (times == 0) return;
        send(text, [this, text, times] { send_again(text, times - 1); });
    }

    void send_slowly(const std::string& text, std::size_t times, std::chrono::milliseconds pause,
                     std::function<void()> then = {}) {
        if (times == 0) return then ? then() : void();
        timer_.expires_after(pause);
        timer_.async_wait([self = shared_from_this(), text, times, pause, then](error_code failed) {
            if (failed) return;
            self->send(text, [self, text, times, pause, then] {
                self->send_slowly(text, times - 1, pause, then);
            });
        });
    }

    void close() {
        error_code ignored;
        socket_.shutdown(tcp::socket::shutdown_both, ignored);
        socket_.close(ignored);
    }

    void reset() {
        error_code ignored;
        socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        socket_.close(ignored);
    }

    bool is_open() const { return socket_.is_open(); }

    std::size_t bytes_sent = 0;
    bool peer_left = false;

  private:
    template <class Use>
    void with_stream(Use use) {
        if (tls_) {
            use(*tls_);
        } else {
            use(socket_);
        }
    }

    void read() {
        with_stream([&](auto& stream) {
            asio::async_read_until(
                stream, asio::dynamic_buffer(buffer_), "\r\n\r\n",
                [self = shared_from_this()](error_code failed, std::size_t count) {
                    failed ? void(self->peer_left = true) : self->read_body(count);
                });
        });
    }

    void read_body(std::size_t head_size) {
        Received received{.head = buffer_.substr(0, head_size), .connection = number_};
        buffer_.erase(0, head_size);
        const auto at = received.head.find("Content-Length: ");
        const std::size_t wanted =
            at == std::string::npos ? 0 : std::stoul(received.head.substr(at + 16));
        const std::size_t missing = wanted - std::min(wanted, buffer_.size());
        with_stream([&](auto& stream) {
            asio::async_read(stream, asio::dynamic_buffer(buffer_), asio::transfer_exactly(missing),
                             [self = shared_from_this(), received, wanted](error_code failed,
                                                                           std::size_t) mutable {
                                 if (failed) return;
                                 received.body = self->buffer_.substr(0, wanted);
                                 self->buffer_.erase(0, wanted);
                                 self->obey(std::move(received));
                             });
        });
    }

    void obey(Received received) {
        if (tls_) {
            if (X509* cert = SSL_get1_peer_certificate(tls_->native_handle())) {
                char name[100] = {};
                X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name,
                                          sizeof name);
                received.client_name = name;
                X509_free(cert);
            }
        }
        script_(shared_from_this(), received);
        if (is_open()) read();
    }

    tcp::socket socket_;
    std::optional<asio::ssl::stream<tcp::socket&>> tls_;
    asio::steady_timer timer_;
    int number_;
    Script script_;
    std::string buffer_;
};

class ScriptedServer {
  public:
    using Script = Session::Script;

    ScriptedServer(asio::io_context& loop, Script script, asio::ssl::context* tls = nullptr,
                   const std::string& address = "127.0.0.1")
        : acceptor_(loop, tcp::endpoint(asio::ip::make_address(address), 0)),
          tls_(tls),
          script_(std::move(script)) {
        accept();
    }
    ~ScriptedServer() {
        for (const auto& session : sessions)
            session->close();
    }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    std::string url(const std::string& path = "/", const std::string& host = "127.0.0.1") const {
        return (tls_ ? "https://" : "http://") + host + ":" + std::to_string(port()) + path;
    }
    int connections() const { return static_cast<int>(sessions.size()); }

    std::vector<std::shared_ptr<Session>> sessions;
    std::vector<Received> received;

  private:
    void accept() {
        acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
            if (failed) return;
            const auto record = [this](const std::shared_ptr<Session>& session,
                                       const Received& request) {
                received.push_back(request);
                script_(session, request);
            };
            sessions.push_back(std::make_shared<Session>(
                std::move(socket), static_cast<int>(sessions.size()) + 1, tls_, record));
            sessions.back()->begin();
            accept();
        });
    }

    tcp::acceptor acceptor_;
    asio::ssl::context* tls_;
    Script script_;
};

inline std::string answer(const std::string& body, const std::string& status = "200 OK",
                          const std::string& headers = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           headers + "\r\n" + body;
}

inline ScriptedServer::Script always(const std::string& bytes) {
    return
        [bytes](const std::shared_ptr<Session>& session, const Received&) { session->send(bytes); };
}

inline ScriptedServer::Script never() {
    return [](const std::shared_ptr<Session>&, const Received&) {};
}

}  // namespace sluice::net::testing
