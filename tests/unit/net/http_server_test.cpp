#include "net/http_server.hpp"

#include <gmock/gmock.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <vector>

namespace sluice::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpServerTest : public ::testing::Test {
  protected:
    Result<std::unique_ptr<HttpServer>> open(const std::string& address, ServerLimits limits = {}) {
        const auto handler = [this](std::string_view method, std::string_view path) {
            asked.push_back(std::string(method) + " " + std::string(path));
            return path == "/healthz" ? Page{.body = "ok\n"}
                                      : Page{.status = 404, .body = "no such page\n"};
        };
        return HttpServer::open(loop, address, handler, limits);
    }

    void serve(ServerLimits limits = {}) { server = std::move(*open("127.0.0.1:0", limits)); }

    tcp::socket connect() {
        tcp::socket socket(loop);
        socket.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server->port()));
        return socket;
    }

    void run_until(const std::function<bool()>& reached) {
        while (!reached()) {
            if (loop.run_one_for(std::chrono::minutes(1)) == 0)
                FAIL() << "nothing happens any more";
        }
    }

    // Everything that comes until the server hangs up.
    std::string read_all(tcp::socket& socket) {
        std::string text;
        bool ended = false;
        asio::async_read(socket, asio::dynamic_buffer(text),
                         [&](error_code, std::size_t) { ended = true; });
        run_until([&] { return ended; });
        return text;
    }

    // What comes until `end` was seen.
    std::string read_to(tcp::socket& socket, const std::string& end) {
        std::string text;
        char byte = 0;
        while (!text.ends_with(end)) {
            bool ended = false;
            asio::async_read(socket, asio::buffer(&byte, 1), [&](error_code failed, std::size_t) {
                EXPECT_FALSE(failed) << "after " << text;
                ended = true;
            });
            run_until([&] { return ended; });
            if (HasFailure()) return text;
            text += byte;
        }
        return text;
    }

    std::string ask(const std::string& request) {
        tcp::socket socket = connect();
        asio::write(socket, asio::buffer(request));
        return read_all(socket);
    }

    asio::io_context loop;
    std::vector<std::string> asked;
    std::unique_ptr<HttpServer> server;
};

const std::string get = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string get_once = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST_F(HttpServerTest, answers_get) {
    serve();
    const std::string said = ask(get_once);
    EXPECT_THAT(said, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(said, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
    EXPECT_THAT(said, HasSubstr("Content-Length: 3\r\n"));
    EXPECT_THAT(said, EndsWith("\r\n\r\nok\n"));
}

TEST_F(HttpServerTest, answers_head_without_a_body) {
    serve();
    const std::string said = ask("HEAD /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(said, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(said, HasSubstr("Content-Length: 3\r\n"));
    EXPECT_THAT(said, EndsWith("\r\n\r\n"));
    EXPECT_EQ(asked, std::vector<std::string>{"HEAD /healthz"});
}

TEST_F(HttpServerTest, hands_on_the_status_of_its_handler_and_the_path_without_query) {
    serve();
    EXPECT_THAT(ask("GET /x?a=b HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.0 404 Not Found\r\n"));
    EXPECT_EQ(asked, std::vector<std::string>{"GET /x"});
}

TEST_F(HttpServerTest, keeps_a_connection_for_the_next_request) {
    serve();
    tcp::socket socket = connect();
    for (int i = 0; i < 3; ++i) {
        asio::write(socket, asio::buffer(get));
        EXPECT_THAT(read_to(socket, "\r\n\r\nok\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
    }
}

TEST_F(HttpServerTest, answers_requests_that_were_sent_at_once) {
    serve();
    const std::string said = ask(get + get + get_once);
    EXPECT_EQ(asked.size(), 3u);
    EXPECT_THAT(said, EndsWith("\r\n\r\nok\n"));
}

TEST_F(HttpServerTest, refuses_other_methods) {
    serve();
    const std::string said =
        ask("POST /healthz HTTP/1.1\r\nContent-Length: 50000\r\n\r\n" + std::string(50'000, 'x'));
    EXPECT_THAT(said, StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
    EXPECT_THAT(said, HasSubstr("Allow: GET, HEAD\r\n"));
    EXPECT_THAT(ask("BREW / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
    EXPECT_TRUE(asked.empty());
}

TEST_F(HttpServerTest, refuses_a_body) {
    serve();
    EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_TRUE(asked.empty());
}

TEST_F(HttpServerTest, hangs_up_on_garbage) {
    serve();
    EXPECT_EQ(ask("\x16\x03\x01 this is not HTTP\r\n\r\n"), "");
    EXPECT_EQ(ask("GET\r\n\r\n"), "");
    EXPECT_EQ(ask("GET / HTTP/9.9\r\n\r\n"), "");
    EXPECT_EQ(ask("GET / HTTP/1.1\r\nno colon\r\n\r\n"), "");
    EXPECT_TRUE(asked.empty());
}

TEST_F(HttpServerTest, hangs_up_on_a_header_that_is_too_large) {
    serve();
    EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\nConnection: close\r\nX: " + std::string(7'000, 'x') +
                    "\r\n\r\n"),
                StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\nX: " + std::string(9'000, 'x') + "\r\n\r\n"), "");
    EXPECT_EQ(ask("GET /" + std::string(100'000, 'x')), "");
}

TEST_F(HttpServerTest, hangs_up_on_a_request_that_does_not_come) {
    serve({.request_time = 50ms});
    EXPECT_EQ(ask(""), "");
    EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\n"), "");
    EXPECT_THAT(ask(get), StartsWith("HTTP/1.1 200 ")) << "and on one that has been quiet since";
}

TEST_F(HttpServerTest, gives_the_place_of_whoever_says_nothing_to_the_next_one) {
    serve({.connections_max = 2});
    tcp::socket silent = connect();
    asio::write(silent, asio::buffer(std::string{"GET /heal"}));
    tcp::socket second = connect();
    asio::write(second, asio::buffer(get));
    read_to(second, "\r\n\r\nok\n");
    tcp::socket third = connect();
    asio::write(third, asio::buffer(get));
    EXPECT_THAT(read_to(third, "\r\n\r\nok\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
    error_code ended;
    char byte = 0;
    EXPECT_EQ(asio::read(silent, asio::buffer(&byte, 1), ended), 0u);
    EXPECT_TRUE(ended) << "the one that waited longest went";
}

TEST_F(HttpServerTest, closes_everything_when_it_goes_away) {
    serve();
    tcp::socket socket = connect();
    asio::write(socket, asio::buffer(get));
    read_to(socket, "\r\n\r\nok\n");
    const std::uint16_t port = server->port();
    server.reset();
    EXPECT_EQ(read_all(socket), "");
    error_code failed;
    tcp::socket(loop).connect(tcp::endpoint(asio::ip::address_v4::loopback(), port), failed);
    EXPECT_EQ(failed, asio::error::connection_refused);
}

TEST_F(HttpServerTest, listens_on_every_interface_and_on_ipv6) {
    for (const std::string address : {":0", "[::1]:0", "0.0.0.0:0", "localhost:0"}) {
        const auto opened = open(address);
        ASSERT_TRUE(opened) << opened.error().message;
        EXPECT_GT((*opened)->port(), 0);
    }
    server = std::move(*open(":0"));
    EXPECT_THAT(ask(get_once), StartsWith("HTTP/1.1 200 ")) << "over IPv4 too";
}

TEST_F(HttpServerTest, says_that_the_port_is_taken) {
    serve();
    const std::string address = "127.0.0.1:" + std::to_string(server->port());
    const auto second = open(address);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message,
              "cannot listen on " + address + ": another program listens there already");
    EXPECT_FALSE(open(":" + std::to_string(server->port())));
}

TEST_F(HttpServerTest, says_that_an_address_is_malformed) {
    for (const std::string address :
         {"", "8081", "localhost", "localhost:", "localhost:http", "localhost:99999", ":-1",
          "::1:80", "[]:80", "[::1]", "a]:1"}) {
        const auto opened = open(address);
        ASSERT_FALSE(opened) << address;
        EXPECT_EQ(opened.error().kind, ErrorKind::Invalid) << address;
        EXPECT_THAT(opened.error().message, HasSubstr("\"" + address + "\" is not an address"));
    }
}

TEST_F(HttpServerTest, says_that_an_address_is_not_ours) {
    const auto opened = open("203.0.113.7:0");
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, StartsWith("cannot listen on 203.0.113.7:0: "));
    EXPECT_THAT(open("nowhere.test:80").error().message, EndsWith("the name does not resolve"));
}

}  // namespace
}  // namespace sluice::net
