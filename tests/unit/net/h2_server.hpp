// An HTTP/2 server for tests, small enough to do wrong what a server can do wrong: it sends the
// frames that a script tells it to send. It does not decode the headers of requests. It runs on the
// loop of the test, so that a test is one thread and one order of events.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::net::testing {

struct H2Request {
    std::uint32_t stream = 0;
    std::string body{};
    int connection = 0;  // 1 for the first that was accepted
};

using H2Headers = std::vector<std::pair<std::string, std::string>>;

class H2Session : public std::enable_shared_from_this<H2Session> {
  public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Script = std::function<void(const std::shared_ptr<H2Session>&, const H2Request&)>;
    using error_code = boost::system::error_code;

    H2Session(Socket socket, int number, boost::asio::ssl::context* tls, Script script)
        : socket_(std::move(socket)), number_(number), script_(std::move(script)) {
        if (tls != nullptr) tls_.emplace(socket_, *tls);
    }

    void begin() {
        if (!tls_) return greet();
        tls_->async_handshake(boost::asio::ssl::stream_base::server,
                              [self = shared_from_this()](error_code failed) {
                                  if (!failed) self->greet();
                              });
    }

    void headers(std::uint32_t stream, const H2Headers& lines, bool end) {
        std::string block;
        for (const auto& [name, value] : lines)
            block += '\0' + text(name) + text(value);  // literal, not to be remembered
        frame(1, end ? 0x5 : 0x4, stream, block);
    }
    void data(std::uint32_t stream, std::string_view bytes, bool end) {
        constexpr std::size_t frame_max = 16 << 10;
        while (bytes.size() > frame_max) {
            frame(0, 0, stream, bytes.substr(0, frame_max));
            bytes.remove_prefix(frame_max);
        }
        frame(0, end ? 1 : 0, stream, bytes);
    }
    void reset_stream(std::uint32_t stream, char code) {
        frame(3, 0, stream, std::string{0, 0, 0, code});
    }
    void go_away() { frame(7, 0, 0, std::string(8, '\0')); }
    void frame(char type, int flags, std::uint32_t stream, std::string_view payload) {
        const auto size = payload.size();
        std::string bytes{byte(size >> 16),
                          byte(size >> 8),
                          byte(size),
                          type,
                          byte(static_cast<std::size_t>(flags)),
                          byte(stream >> 24),
                          byte(stream >> 16),
                          byte(stream >> 8),
                          byte(stream)};
        raw(bytes.append(payload));
    }
    void raw(std::string bytes) {
        waiting_.push_back(std::move(bytes));
        if (waiting_.size() == 1) write();
    }
    void close() {
        error_code ignored;
        socket_.shutdown(Socket::shutdown_both, ignored);
        socket_.close(ignored);
    }
    bool is_open() const { return socket_.is_open(); }

  private:
    static char byte(std::size_t value) { return static_cast<char>(value & 0xff); }

    static std::string text(const std::string& value) {
        std::string coded;
        if (value.size() < 127) {
            coded += byte(value.size());
        } else {
            coded += byte(127);
            std::size_t rest = value.size() - 127;
            for (; rest >= 128; rest /= 128)
                coded += byte(rest % 128 + 128);
            coded += byte(rest);
        }
        return coded + value;
    }

    template <class Use>
    void with_stream(Use use) {
        if (tls_) {
            use(*tls_);
        } else {
            use(socket_);
        }
    }

    void write() {
        with_stream([&](auto& stream) {
            boost::asio::async_write(stream, boost::asio::buffer(waiting_.front()),
                                     [self = shared_from_this()](error_code failed, std::size_t) {
                                         if (failed) return self->close();
                                         self->waiting_.pop_front();
                                         if (!self->waiting_.empty()) self->write();
                                     });
        });
    }

    void read(std::size_t count, std::function<void(std::string)> then) {
        auto bytes = std::make_shared<std::string>(count, '\0');
        with_stream([&](auto& stream) {
            boost::asio::async_read(stream, boost::asio::buffer(*bytes),
                                    [self = shared_from_this(), bytes, then = std::move(then)](
                                        error_code failed, std::size_t) {
                                        if (failed) return self->close();
                                        then(std::move(*bytes));
                                    });
        });
    }

    void greet() {
        read(24, [this](const std::string&) {  // the client's preface
            frame(4, 0, 0, "");
            read_frame();
        });
    }

    void read_frame() {
        read(9, [this](std::string head) {
            const auto at = [&](std::size_t i) {
                return static_cast<std::uint32_t>(static_cast<unsigned char>(head[i]));
            };
            const std::size_t size = at(0) << 16 | at(1) << 8 | at(2);
            const std::uint32_t stream = at(5) << 24 | at(6) << 16 | at(7) << 8 | at(8);
            read(size, [this, type = head[3], flags = head[4], stream](std::string payload) {
                take(type, flags, stream, std::move(payload));
                if (is_open()) read_frame();
            });
        });
    }

    void take(char type, char flags, std::uint32_t stream, std::string payload) {
        const bool is_last = (flags & 1) != 0;
        if (type == 4 && !is_last) frame(4, 1, 0, "");
        if (type == 6 && !is_last) frame(6, 1, 0, payload);
        if (type != 0 && type != 1) return;
        if (type == 0) bodies_[stream] += payload;
        if (is_last) script_(shared_from_this(), {stream, std::move(bodies_[stream]), number_});
    }

    Socket socket_;
    std::optional<boost::asio::ssl::stream<Socket&>> tls_;
    int number_;
    Script script_;
    std::map<std::uint32_t, std::string> bodies_;
    std::deque<std::string> waiting_;
};

class H2Server {
  public:
    using Protocol = boost::asio::generic::stream_protocol;

    // On a free loopback port, or on the unix socket `path`.
    H2Server(boost::asio::io_context& loop, H2Session::Script script,
             boost::asio::ssl::context* tls = nullptr, const std::string& path = "")
        : acceptor_(loop), tls_(tls), script_(std::move(script)) {
        if (path.empty()) {
            using boost::asio::ip::tcp;
            open(tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
        } else {
            open(boost::asio::local::stream_protocol::endpoint(path));
        }
        if (tls_ != nullptr) SSL_CTX_set_alpn_select_cb(tls_->native_handle(), &choose_h2, nullptr);
        accept();
    }
    ~H2Server() {
        for (const auto& session : sessions)
            session->close();
    }

    std::string address() const {
        const Protocol::endpoint here = acceptor_.local_endpoint();
        sockaddr_in v4{};
        std::memcpy(&v4, here.data(), std::min(sizeof v4, here.size()));
        return "127.0.0.1:" + std::to_string(ntohs(v4.sin_port));
    }
    int connections() const { return static_cast<int>(sessions.size()); }

    std::vector<std::shared_ptr<H2Session>> sessions;
    std::vector<H2Request> received;

  private:
    template <class Endpoint>
    void open(const Endpoint& endpoint) {
        const Protocol::endpoint where(endpoint);
        acceptor_.open(where.protocol());
        acceptor_.bind(where);
        acceptor_.listen();
    }

    static int choose_h2(SSL*, const unsigned char** chosen, unsigned char* size,
                         const unsigned char*, unsigned, void*) {
        static constexpr unsigned char name[] = {'h', '2'};
        *chosen = name;
        *size = sizeof name;
        return SSL_TLSEXT_ERR_OK;
    }

    void accept() {
        acceptor_.async_accept([this](boost::system::error_code failed, Protocol::socket socket) {
            if (failed) return;
            boost::system::error_code ignored;  // a unix socket has no such option
            socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
            const auto record = [this](const std::shared_ptr<H2Session>& session,
                                       const H2Request& request) {
                received.push_back(request);
                script_(session, request);
            };
            sessions.push_back(
                std::make_shared<H2Session>(std::move(socket), connections() + 1, tls_, record));
            sessions.back()->begin();
            accept();
        });
    }

    boost::asio::basic_socket_acceptor<Protocol> acceptor_;
    boost::asio::ssl::context* tls_;
    H2Session::Script script_;
};

inline H2Session::Script h2_answer(const std::string& body, const H2Headers& headers = {},
                                   const H2Headers& trailers = {}) {
    return [=](const std::shared_ptr<H2Session>& session, const H2Request& request) {
        H2Headers first{{":status", "200"}};
        first.insert(first.end(), headers.begin(), headers.end());
        session->headers(request.stream, first, false);
        session->data(request.stream, body, trailers.empty());
        if (!trailers.empty()) session->headers(request.stream, trailers, true);
    };
}

}  // namespace sluice::net::testing
