#include "net/https_server.hpp"

#include <gmock/gmock.h>
#include <openssl/ssl.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include "net/self_signed.hpp"
#include "tests/unit/net/certificates.hpp"
#include "tests/unit/net/client_world.hpp"

namespace sluice::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Bytes over TLS, for what no HTTP client would send.
struct Wire {
    explicit Wire(asio::io_context& loop) : stream(loop, context) {}
    asio::ssl::context context{asio::ssl::context::tls_client};
    asio::ssl::stream<tcp::socket> stream;
};

class HttpsServerTest : public testing::ClientWorld {
  protected:
    HttpsServer::Setup setup(HttpsLimits limits = {}) {
        return {"127.0.0.1:0",
                {made.cert_pem, made.key_pem},
                [this](HttpsRequest request, std::shared_ptr<HttpsAnswer> answer) {
                    asked.push_back(request);
                    if (request.target.starts_with("/watch")) {
                        answer->on_gone = [this] { ++gone; };
                        answer->open({.body = "first\n"});
                        streams.push_back(answer);
                    } else if (request.target == "/later") {
                        waiting = answer;
                    } else if (request.target != "/dropped") {
                        answer->send(
                            {.body = request.method + " " + request.target + " " + request.body,
                             .headers = {{"X-Test", "yes"}}});
                    }
                },
                [](int status, const std::string& why) {
                    return HttpsReply{.status = status, .body = "refused: " + why};
                },
                limits};
    }

    void serve(HttpsLimits limits = {}) { serve_with(setup(limits)); }
    void serve_with(HttpsServer::Setup with) {
        auto opened = HttpsServer::open(loop, std::move(with));
        ASSERT_TRUE(opened) << opened.error().message;
        server = std::move(*opened);
        tls = std::make_shared<const Tls>(Tls{.ca_pem = made.ca_pem});
    }

    std::string url(const std::string& path, const std::string& host = "127.0.0.1") {
        return "https://" + host + ":" + std::to_string(server->port()) + path;
    }

    HttpRequest request(const std::string& method, const std::string& path,
                        const std::string& body = {}) {
        return {.method = method,
                .url = url(path),
                .headers = {{"Authorization", Redacted{"Bearer x"}},
                            {"Content-Type", Redacted{"application/json"}},
                            {"Accept", Redacted{"application/json;as=Table"}}},
                .body = body,
                .tls = tls};
    }

    std::unique_ptr<Wire> connect() {
        auto wire = std::make_unique<Wire>(loop);
        wire->stream.lowest_layer().connect({asio::ip::address_v4::loopback(), server->port()});
        bool is_done = false;
        wire->stream.async_handshake(asio::ssl::stream_base::client, [&](error_code failed) {
            EXPECT_FALSE(failed) << failed.message();
            is_done = true;
        });
        run_until([&] { return is_done; });
        return wire;
    }

    void send(Wire& wire, const std::string& text) {
        bool is_done = false;
        asio::async_write(wire.stream, asio::buffer(text),
                          [&](error_code, std::size_t) { is_done = true; });
        run_until([&] { return is_done; });
    }

    // What comes until `end` was seen, or until the server hangs up.
    std::string read_to(Wire& wire, const std::string& end) {
        std::string text;
        char byte = 0;
        bool has_ended = false;
        while (!has_ended && (end.empty() || !text.ends_with(end))) {
            bool is_done = false;
            asio::async_read(wire.stream, asio::buffer(&byte, 1),
                             [&](error_code failed, std::size_t) {
                                 has_ended = !!failed;
                                 is_done = true;
                             });
            run_until([&] { return is_done; });
            if (!has_ended) text += byte;
        }
        return text;
    }

    std::string ask(const std::string& text) {
        const auto wire = connect();
        send(*wire, text);
        return read_to(*wire, "");
    }

    SelfSigned made = *make_self_signed("sluice", "IP:127.0.0.1,DNS:localhost");
    std::shared_ptr<const Tls> tls;
    std::vector<HttpsRequest> asked;
    std::vector<std::shared_ptr<HttpsAnswer>> streams;
    std::shared_ptr<HttpsAnswer> waiting;
    int gone = 0;
    std::unique_ptr<HttpsServer> server;
};

TEST_F(HttpsServerTest, hands_the_request_on_and_the_answer_back) {
    serve();
    const auto got = fetch(request("PATCH", "/a?b=c", "{\"x\":1}"));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->body, "PATCH /a?b=c {\"x\":1}");
    EXPECT_EQ(got->content_type, "application/json");
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].authorization, "Bearer x");
    EXPECT_EQ(asked[0].content_type, "application/json");
    EXPECT_EQ(asked[0].accept, "application/json;as=Table");
    EXPECT_EQ(asked[0].peer, "");
}

TEST_F(HttpsServerTest, is_whom_its_certificate_says) {
    serve();
    HttpRequest by_name = request("GET", "/");
    by_name.url = url("/", "localhost");
    EXPECT_TRUE(fetch(by_name));
    HttpRequest unknown = request("GET", "/");
    unknown.tls = std::make_shared<const Tls>(
        Tls{.ca_pem = make_self_signed("other", "IP:127.0.0.1")->ca_pem});
    EXPECT_EQ(testing::kind_of(fetch(unknown)), ErrorKind::Unreachable);
}

TEST_F(HttpsServerTest, knows_a_client_by_its_certificate) {
    const testing::Authority authority;
    HttpsServer::Setup with = setup();
    with.tls.client_ca_pem = authority.pem();
    serve_with(std::move(with));
    const testing::Pem mine = authority.issue("jane", "");
    HttpRequest named = request("GET", "/");
    named.tls = std::make_shared<const Tls>(Tls{
        .ca_pem = made.ca_pem, .client_cert_pem = mine.cert, .client_key_pem = Redacted{mine.key}});
    ASSERT_TRUE(fetch(named));
    ASSERT_TRUE(fetch(request("GET", "/")));
    EXPECT_EQ(asked[0].peer, "jane");
    EXPECT_EQ(asked[1].peer, "");
}

TEST_F(HttpsServerTest, keeps_a_connection_for_the_next_request) {
    serve();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(fetch(request("POST", "/again", "x")));
    EXPECT_EQ(server->connections(), 1u);
}

TEST_F(HttpsServerTest, answers_requests_that_were_sent_at_once) {
    serve();
    const std::string said =
        ask("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"
            "GET /3 HTTP/1.1\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(asked.size(), 3u);
    EXPECT_THAT(said, EndsWith("GET /3 "));
}

TEST_F(HttpsServerTest, offers_http_1_1_only) {
    serve();
    Wire wire(loop);
    const unsigned char offered[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(wire.stream.native_handle(), offered, sizeof offered - 1);
    wire.stream.lowest_layer().connect({asio::ip::address_v4::loopback(), server->port()});
    bool is_done = false;
    wire.stream.async_handshake(asio::ssl::stream_base::client,
                                [&](error_code) { is_done = true; });
    run_until([&] { return is_done; });
    const unsigned char* chosen = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(wire.stream.native_handle(), &chosen, &length);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), length), "http/1.1");
}

TEST_F(HttpsServerTest, answers_head_without_a_body) {
    serve();
    const std::string said = ask("HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(said, HasSubstr("Content-Length: 8\r\n"));
    EXPECT_THAT(said, EndsWith("\r\n\r\n"));
}

TEST_F(HttpsServerTest, tells_a_careful_client_to_go_on) {
    serve();
    const auto wire = connect();
    send(*wire, "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(read_to(*wire, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    send(*wire, "hi");
    EXPECT_THAT(read_to(*wire, "POST /a hi"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpsServerTest, takes_a_body_in_chunks) {
    serve();
    EXPECT_THAT(ask("POST /a HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
                EndsWith("POST /a abcde"));
}

TEST_F(HttpsServerTest, refuses_a_body_that_is_too_large) {
    serve({.body_max = 100'000});
    EXPECT_EQ(fetch(request("POST", "/", std::string(100'000, 'x')))->status, 200);
    const auto announced = fetch(request("POST", "/", std::string(100'001, 'x')));
    ASSERT_TRUE(announced) << announced.error().message;
    EXPECT_EQ(announced->status, 413);
    EXPECT_EQ(announced->body, "refused: Request entity too large: limit is 100000");
    const std::string chunk = "186a0\r\n" + std::string(100'000, 'x') + "\r\n";
    EXPECT_THAT(ask("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_EQ(asked.size(), 1u);
}

TEST_F(HttpsServerTest, refuses_a_header_that_is_too_large) {
    serve();
    const auto with_header = [](std::size_t size) {
        return "GET / HTTP/1.1\r\nConnection: close\r\nX: " + std::string(size, 'x') + "\r\n\r\n";
    };
    EXPECT_THAT(ask(with_header(31'000)), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(ask(with_header(33'000)), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpsServerTest, refuses_what_is_not_http) {
    serve();
    EXPECT_THAT(ask("hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_TRUE(asked.empty());
}

TEST_F(HttpsServerTest, hangs_up_on_what_is_not_tls_and_on_silence) {
    serve({.handshake_time = 50ms});
    tcp::socket plain(loop);
    plain.connect({asio::ip::address_v4::loopback(), server->port()});
    asio::write(plain, asio::buffer(std::string("GET / HTTP/1.1\r\n\r\n")));
    run_until([&] { return server->connections() == 1; });
    run_until([&] { return server->connections() == 0; });
    serve({.idle_time = 50ms});
    EXPECT_EQ(ask(""), "");
    run_until([&] { return server->connections() == 0; });
}

TEST_F(HttpsServerTest, answers_later) {
    serve();
    std::optional<Result<HttpResponse>> got;
    client->start(request("GET", "/later"), [&](Result<HttpResponse> result) { got = result; });
    run_until([&] { return waiting != nullptr; });
    EXPECT_FALSE(got);
    std::exchange(waiting, nullptr)->send({.status = 201, .body = "at last"});
    run_until([&] { return got.has_value(); });
    EXPECT_EQ((*got)->status, 201);
    EXPECT_EQ((*got)->body, "at last");
}

TEST_F(HttpsServerTest, hangs_up_when_nobody_answers) {
    serve();
    EXPECT_EQ(testing::kind_of(fetch(request("POST", "/dropped"))), ErrorKind::Unreachable);
    run_until([&] { return server->connections() == 0; });
}

TEST_F(HttpsServerTest, streams_pieces_until_the_end) {
    serve();
    std::string seen;
    std::optional<Result<HttpResponse>> ended;
    client->stream(
        request("GET", "/watch"),
        [&](std::string_view piece) {
            seen += piece;
            return true;
        },
        [&](Result<HttpResponse> result) { ended = result; });
    run_until([&] { return seen == "first\n"; });
    streams[0]->write("second\n");
    run_until([&] { return seen == "first\nsecond\n"; });
    streams[0]->write("third\n");
    streams[0]->close();
    run_until([&] { return ended.has_value(); });
    EXPECT_EQ(seen, "first\nsecond\nthird\n");
    EXPECT_TRUE(ended->has_value());
    EXPECT_EQ(gone, 0);
    streams[0]->write("too late");
}

TEST_F(HttpsServerTest, serves_the_next_request_after_a_stream) {
    serve();
    const auto wire = connect();
    send(*wire, "GET /watch HTTP/1.1\r\n\r\n");
    EXPECT_THAT(read_to(*wire, "first\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
    send(*wire, "GET /early HTTP/1.1\r\n\r\n");
    settle();
    streams[0]->close();
    EXPECT_THAT(read_to(*wire, "GET /early "), StartsWith("0\r\n\r\nHTTP/1.1 200 OK\r\n"));
    send(*wire, "GET /next HTTP/1.1\r\n\r\n");
    EXPECT_THAT(read_to(*wire, "GET /next "), StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(server->connections(), 1u);
    EXPECT_EQ(gone, 0);
}

TEST_F(HttpsServerTest, streams_to_old_clients_without_chunks) {
    serve();
    const auto wire = connect();
    send(*wire, "GET /watch HTTP/1.0\r\n\r\n");
    EXPECT_THAT(read_to(*wire, "first\n"), EndsWith("\r\n\r\nfirst\n"));
    streams[0]->close();
    EXPECT_EQ(read_to(*wire, ""), "");
}

TEST_F(HttpsServerTest, notices_that_the_client_of_a_stream_went_away) {
    serve();
    const TransferId id = client->stream(
        request("GET", "/watch"), [](std::string_view) { return true; },
        [](Result<HttpResponse>) {});
    run_until([&] { return streams.size() == 1; });
    settle();
    client->cancel(id);
    run_until([&] { return gone == 1; });
    EXPECT_EQ(server->connections(), 0u);
    streams[0]->write("into the void");
    streams[0]->close();
    EXPECT_EQ(gone, 1);
}

TEST_F(HttpsServerTest, gives_up_on_a_client_that_does_not_read) {
    serve({.unsent_max = 1 << 20});
    const auto wire = connect();
    send(*wire, "GET /watch HTTP/1.1\r\n\r\n");
    run_until([&] { return streams.size() == 1; });
    const std::string piece(100'000, 'x');
    for (int i = 0; i < 1000 && gone == 0; ++i) {
        streams[0]->write(piece);
        loop.poll();
    }
    EXPECT_EQ(gone, 1);
    EXPECT_EQ(server->connections(), 0u);
}

TEST_F(HttpsServerTest, ends_properly_when_it_is_told_to) {
    serve();
    std::string seen;
    std::optional<Result<HttpResponse>> stream_ended, answered;
    client->stream(
        request("GET", "/watch"),
        [&](std::string_view piece) {
            seen += piece;
            return true;
        },
        [&](Result<HttpResponse> result) { stream_ended = result; });
    client->start(request("GET", "/later"), [&](Result<HttpResponse> got) { answered = got; });
    const auto idle = connect();
    run_until([&] { return seen == "first\n" && waiting; });
    bool is_done = false;
    server->finish([&] { is_done = true; });
    std::exchange(waiting, nullptr)->send({.body = "still"});
    run_until([&] { return stream_ended && answered; });
    EXPECT_TRUE(stream_ended->has_value());
    EXPECT_EQ((*answered)->body, "still");
    client.reset();
    run_until([&] { return is_done; });
    EXPECT_EQ(server->connections(), 0u);
}

TEST_F(HttpsServerTest, lets_further_connections_wait) {
    serve({.connections_max = 1});
    const auto first = connect();
    tcp::socket second(loop);
    second.connect({asio::ip::address_v4::loopback(), server->port()});
    settle();
    EXPECT_EQ(server->connections(), 1u);
    first->stream.lowest_layer().close();
    run_until([&] { return server->connections() == 0; });
}

TEST_F(HttpsServerTest, says_what_is_wrong_with_its_setup) {
    HttpsServer::Setup with = setup();
    with.tls.cert_pem = "nothing";
    EXPECT_EQ(HttpsServer::open(loop, std::move(with)).error().message,
              "OpenSSL does not take the server's certificate");
    with = setup();
    with.address = "nowhere";
    EXPECT_THAT(HttpsServer::open(loop, std::move(with)).error().message,
                HasSubstr("\"nowhere\" is not an address"));
    EXPECT_FALSE(make_self_signed("x", "neither name nor address"));
}

}  // namespace
}  // namespace sluice::net
