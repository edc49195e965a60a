#include "net/https_connection.hpp"

#include "base/assert.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace sluice::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t discarded_bytes_max = 64 << 20;  // of a refused body; then we do reset
constexpr std::size_t early_bytes_max = 8 << 10;    // of requests that come while a stream goes on
constexpr std::size_t piece_of_reading = 16 << 10;  // a TLS record

std::string text_of(boost::beast::string_view view) {
    return std::string(view.data(), view.size());
}

// Why we cannot take the request; 0 if there is nobody to tell.
int status_for(error_code failed) {
    if (failed == http::error::body_limit) return 413;
    if (failed == http::error::header_limit || failed == http::error::buffer_overflow) return 431;
    const bool is_cut_short =
        failed == http::error::end_of_stream || failed == http::error::partial_message;
    const bool is_of_http =
        failed.category() == make_error_code(http::error::bad_method).category();
    return is_of_http && !is_cut_short ? 400 : 0;
}

}  // namespace

// Bound to the request it belongs to: an answer that comes twice, or late, reaches nobody.
class HttpsConnection::Answer : public HttpsAnswer {
  public:
    explicit Answer(std::weak_ptr<HttpsConnection> connection)
        : connection_(std::move(connection)) {}
    ~Answer() override {
        const auto connection = connection_.lock();
        if (!connection) return;
        is_open_ ? connection->end_stream() : connection->end();
    }
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

    void send(HttpsReply reply) override {
        if (is_open_) return;
        if (const auto connection = take()) connection->reply(reply);
    }
    void open(HttpsReply head) override {
        const auto connection = connection_.lock();
        if (!connection || is_open_) return;
        is_open_ = true;
        connection->open_stream(head);
    }
    void write(std::string_view piece) override {
        const auto connection = connection_.lock();
        if (connection && is_open_) connection->write_piece(piece);
    }
    void close() override {
        if (!is_open_) return;
        if (const auto connection = take()) connection->end_stream();
    }
    // The client went away.
    void lose() {
        connection_.reset();
        const auto gone = std::exchange(on_gone, nullptr);
        if (gone && is_open_) gone();
    }

  private:
    std::shared_ptr<HttpsConnection> take() {
        auto connection = connection_.lock();
        connection_.reset();
        on_gone = nullptr;
        return connection;
    }

    std::weak_ptr<HttpsConnection> connection_;
    bool is_open_ = false;
};

HttpsConnection::HttpsConnection(asio::ip::tcp::socket socket, asio::ssl::context& tls,
                                 std::shared_ptr<const Owner> owner)
    : stream_(std::move(socket), tls),
      alarm_(stream_.get_executor()),
      buffer_(owner->limits.header_max + 4 * piece_of_reading),
      owner_(std::move(owner)) {}

void HttpsConnection::start() {
    boost::beast::get_lowest_layer(stream_).expires_after(owner_->limits.handshake_time);
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [self = shared_from_this()](error_code failed) {
                                failed ? self->end() : self->read_request();
                            });
}

void HttpsConnection::close() {
    if (stage_ == Stage::Ended) return;
    stage_ = Stage::Ended;
    alarm_.cancel();
    boost::beast::get_lowest_layer(stream_).close();
    if (const auto answer = answer_.lock()) answer->lose();
}

void HttpsConnection::finish() {
    is_finishing_ = true;
    keeps_alive_ = false;
    if (stage_ == Stage::Handshake || stage_ == Stage::Idle) return end();
    if (const auto answer = answer_.lock(); answer && stage_ == Stage::Streaming) answer->close();
}

void HttpsConnection::read_request() {
    if (is_finishing_) return leave();
    stage_ = Stage::Idle;
    keeps_alive_ = false;
    has_unread_body_ = false;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(owner_->limits.header_max));
    parser_->body_limit(owner_->limits.body_max);
    boost::beast::get_lowest_layer(stream_).expires_after(owner_->limits.idle_time);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code failed, std::size_t) { self->header_came(failed); });
}

void HttpsConnection::header_came(error_code failed) {
    if (stage_ == Stage::Ended) return;
    if (failed) return refuse(failed);
    stage_ = Stage::Reading;
    boost::beast::get_lowest_layer(stream_).expires_after(owner_->limits.request_time);
    SLUICE_ASSERT(parser_.has_value());
    const auto& request = parser_->get();
    boost::beast::iequals(request[http::field::expect], "100-continue") ? say_continue()
                                                                        : read_body();
}

void HttpsConnection::say_continue() {
    sending_ = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(sending_),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                          self->sending_.clear();
                          failed ? self->end() : self->read_body();
                      });
}

void HttpsConnection::read_body() {
    SLUICE_ASSERT(parser_.has_value());
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code failed, std::size_t) {
                         if (self->stage_ == Stage::Ended) return;
                         failed ? self->refuse(failed) : self->handle();
                     });
}

void HttpsConnection::refuse(error_code failed) {
    const int status = status_for(failed);
    if (status == 0) return end();
    has_unread_body_ = true;
    keeps_alive_ = false;
    const std::string why =
        status == 413
            ? fmt::format("Request entity too large: limit is {}", owner_->limits.body_max)
        : status == 431 ? fmt::format("the header of the request is larger than {} bytes",
                                      owner_->limits.header_max)
                        : "this is not a request of HTTP/1.1";
    reply(owner_->refusal(status, why));
}

void HttpsConnection::handle() {
    stage_ = Stage::Handling;
    SLUICE_ASSERT(parser_.has_value());
    auto& request = parser_->get();
    keeps_alive_ = request.keep_alive() && !is_finishing_;
    is_chunked_ = request.version() >= 11;
    HttpsRequest handed{text_of(request.method_string()),
                        text_of(request.target()),
                        text_of(request[http::field::authorization]),
                        text_of(request[http::field::content_type]),
                        text_of(request[http::field::accept]),
                        text_of(request[http::field::user_agent]),
                        std::move(request.body()),
                        peer()};
    auto answer = std::make_shared<Answer>(weak_from_this());
    answer_ = answer;
    boost::beast::get_lowest_layer(stream_).expires_never();
    owner_->handler(std::move(handed), std::move(answer));
}

std::string HttpsConnection::head_of(const HttpsReply& reply, const std::string& framing) const {
    const auto reason = http::obsolete_reason(static_cast<http::status>(reply.status));
    std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}", reply.status,
                                   text_of(reason), reply.content_type, framing);
    for (const auto& [name, value] : reply.headers)
        head += fmt::format("{}: {}\r\n", name, value);
    if (!keeps_alive_) head += "Connection: close\r\n";
    return head + "Cache-Control: no-cache, private\r\n\r\n";
}

void HttpsConnection::reply(const HttpsReply& reply) {
    if (stage_ == Stage::Ended) return;
    stage_ = Stage::Replying;
    if (is_finishing_) keeps_alive_ = false;
    boost::beast::get_lowest_layer(stream_).expires_after(owner_->limits.request_time);
    SLUICE_ASSERT(parser_.has_value());
    unsent_ = head_of(reply, fmt::format("Content-Length: {}\r\n", reply.body.size()));
    if (parser_->get().method() != http::verb::head) unsent_ += reply.body;
    flush();
}

// While a stream goes on, we read only to notice that the client left.
void HttpsConnection::open_stream(const HttpsReply& head) {
    if (stage_ == Stage::Ended) return;
    stage_ = Stage::Streaming;
    keeps_alive_ = keeps_alive_ && is_chunked_;  // otherwise our close is the end of the stream
    stream_ended_ = false;
    unsent_ = head_of(head, is_chunked_ ? "Transfer-Encoding: chunked\r\n" : "");
    if (!head.body.empty()) write_piece(head.body);
    flush();
    await_leaving();
    if (is_finishing_) finish();
}

void HttpsConnection::write_piece(std::string_view piece) {
    if (stage_ != Stage::Streaming || piece.empty()) return;
    if (unsent_.size() + piece.size() > owner_->limits.unsent_max) return give_up();
    if (is_chunked_) unsent_ += fmt::format("{:x}\r\n", piece.size());
    unsent_ += piece;
    if (is_chunked_) unsent_ += "\r\n";
    flush();
}

// Whoever writes is not called back from there, but a little later.
void HttpsConnection::give_up() {
    stage_ = Stage::Ended;
    boost::beast::get_lowest_layer(stream_).close();
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
        if (const auto answer = self->answer_.lock()) answer->lose();
        self->owner_->forget(self.get());
    });
}

void HttpsConnection::end_stream() {
    if (stage_ != Stage::Streaming || stream_ended_) return;
    stream_ended_ = true;
    alarm_.expires_after(owner_->limits.request_time);
    alarm_.async_wait([self = shared_from_this()](error_code cancelled) {
        if (!cancelled) self->end();
    });
    if (is_chunked_) unsent_ += "0\r\n\r\n";
    flush();
}

void HttpsConnection::flush() {
    if (!sending_.empty()) return;
    if (unsent_.empty()) return flushed();
    sending_ = std::move(unsent_);
    unsent_.clear();
    asio::async_write(stream_, asio::buffer(sending_),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                          self->sending_.clear();
                          if (failed) return self->end();
                          self->unsent_.empty() ? self->flushed() : self->flush();
                      });
}

void HttpsConnection::flushed() {
    if (stage_ == Stage::Replying) return keeps_alive_ ? read_request() : leave();
    if (stage_ != Stage::Streaming || !stream_ended_) return;
    // The read that belongs to the stream has to end before anything else is read.
    stage_ = Stage::Turning;
    alarm_.cancel();
    boost::beast::get_lowest_layer(stream_).cancel();
}

void HttpsConnection::await_leaving() {
    if (buffer_.size() > early_bytes_max) return give_up();
    stream_.async_read_some(buffer_.prepare(512),
                            [self = shared_from_this()](error_code failed, std::size_t count) {
                                if (self->stage_ == Stage::Ended) return;
                                const bool was_asked = failed == asio::error::operation_aborted;
                                if (failed && !was_asked) return self->end();
                                self->buffer_.commit(count);
                                if (self->stage_ != Stage::Turning) return self->await_leaving();
                                self->keeps_alive_ ? self->read_request() : self->shut_down();
                            });
}

// Bytes left unread would turn our close into a reset, which can overtake the reply.
void HttpsConnection::leave() {
    if (stage_ == Stage::Ended || stage_ == Stage::Leaving) return;
    stage_ = Stage::Leaving;
    if (!has_unread_body_) return shut_down();
    auto& below = boost::beast::get_lowest_layer(stream_);
    error_code ignored;
    ignored = below.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    below.expires_after(owner_->limits.handshake_time);
    discard(discarded_bytes_max);
}

void HttpsConnection::shut_down() {
    stage_ = Stage::Leaving;
    boost::beast::get_lowest_layer(stream_).expires_after(owner_->limits.handshake_time);
    stream_.async_shutdown([self = shared_from_this()](error_code) { self->end(); });
}

void HttpsConnection::discard(std::size_t at_most) {
    buffer_.clear();
    stream_.async_read_some(
        buffer_.prepare(piece_of_reading),
        [self = shared_from_this(), at_most](error_code failed, std::size_t count) {
            failed || count >= at_most ? self->end() : self->discard(at_most - count);
        });
}

void HttpsConnection::end() {
    close();
    owner_->forget(this);
}

std::string HttpsConnection::peer() const {
    auto& stream = const_cast<HttpsConnection*>(this)->stream_;
    const std::unique_ptr<X509, decltype(&X509_free)> cert(
        SSL_get1_peer_certificate(stream.native_handle()), X509_free);
    if (!cert) return {};
    char name[256] = {};
    const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(cert.get()), NID_commonName,
                                                 name, sizeof name);
    return length > 0 ? std::string(name, static_cast<std::size_t>(length)) : std::string{};
}

}  // namespace sluice::net
