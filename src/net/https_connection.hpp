// One client of an HttpsServer, from its handshake to its end. Requests of a connection are served
// one after the other.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/https_server.hpp"

namespace sluice::net {

class HttpsConnection : public std::enable_shared_from_this<HttpsConnection> {
  public:
    struct Owner {
        HttpsServer::Handler handler;
        HttpsServer::Refusal refusal;
        HttpsLimits limits;
        std::function<void(const HttpsConnection*)> forget;
    };

    HttpsConnection(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& tls,
                    std::shared_ptr<const Owner> owner);

    void start();
    void close();   // at once
    void finish();  // after what is under way

  private:
    class Answer;
    // Turning: from a stream that has ended to the next request, or to the end.
    enum class Stage {
        Handshake,
        Idle,
        Reading,
        Handling,
        Replying,
        Streaming,
        Turning,
        Leaving,
        Ended
    };
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    void read_request();
    void header_came(boost::system::error_code failed);
    void say_continue();
    void read_body();
    void refuse(boost::system::error_code failed);
    void handle();

    void reply(const HttpsReply& reply);
    void open_stream(const HttpsReply& head);
    void write_piece(std::string_view piece);
    void end_stream();
    void flush();
    void flushed();
    void await_leaving();
    void leave();
    void shut_down();
    void give_up();
    void discard(std::size_t at_most);
    void end();

    std::string head_of(const HttpsReply& reply, const std::string& framing) const;
    std::string peer() const;

    boost::beast::ssl_stream<boost::beast::tcp_stream> stream_;
    boost::asio::steady_timer alarm_;  // for the end of a stream
    boost::beast::flat_buffer buffer_;
    std::shared_ptr<const Owner> owner_;
    std::optional<Parser> parser_;
    std::weak_ptr<Answer> answer_;
    Stage stage_ = Stage::Handshake;
    std::string unsent_;
    std::string sending_;
    bool keeps_alive_ = false;
    bool is_chunked_ = false;
    bool has_unread_body_ = false;
    bool stream_ended_ = false;
    bool is_finishing_ = false;
};

}  // namespace sluice::net
