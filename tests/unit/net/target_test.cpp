#include "net/target.hpp"

#include <gmock/gmock.h>

namespace sluice::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string complaint(const HttpRequest& request) {
    const Result<Target> target = find_target(request);
    if (target) return "none";
    EXPECT_EQ(target.error().kind, ErrorKind::Invalid);
    return target.error().message;
}

TEST(TargetTest, knows_host_port_and_scheme) {
    const auto plain = find_target({.url = "http://prom/api?x=1"});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->authority(), "prom:80");
    EXPECT_FALSE(plain->secure);
    const auto secure = find_target({.url = "HTTPS://[::1]:6443/"});
    ASSERT_TRUE(secure);
    EXPECT_EQ(secure->authority(), "[::1]:6443");
    EXPECT_TRUE(secure->secure);
}

TEST(TargetTest, keeps_path_and_query_as_they_are) {
    const auto target = find_target({.url = "http://prom:9000/a%2Fb/c?q=%7Bx%7D+y&z"});
    ASSERT_TRUE(target);
    EXPECT_EQ(target->url, "http://prom:9000/a%2Fb/c?q=%7Bx%7D+y&z");
}

TEST(TargetTest, puts_the_tls_server_name_into_the_url_and_remembers_the_host) {
    const auto tls = std::make_shared<Tls>(Tls{.server_name = "kubernetes"});
    const auto target = find_target({.url = "https://10.0.0.1:6443/x", .tls = tls});
    ASSERT_TRUE(target);
    EXPECT_EQ(target->url, "https://kubernetes:6443/x");
    EXPECT_EQ(target->authority(), "10.0.0.1:6443");
    EXPECT_TRUE(target->renamed);
    EXPECT_FALSE(find_target({.url = "http://10.0.0.1/", .tls = tls})->renamed);
}

TEST(TargetTest, refuses_urls_that_could_mean_something_else) {
    using std::string_literals::operator""s;
    for (const std::string& url : {""s,
                                   "prom"s,
                                   "/path"s,
                                   "http://"s,
                                   "ftp://prom/"s,
                                   "file:///etc/passwd"s,
                                   "gopher://prom/"s,
                                   "ws://prom/"s,
                                   "http://user@prom/"s,
                                   "http://user:pw@prom/"s,
                                   "http://prom/a b"s,
                                   "http://prom/\r\nX: y"s,
                                   "http://prom/\n"s,
                                   "http://prom/a\0b"s,
                                   "http://prom\0.evil/"s,
                                   "http://prom/\x7f"s,
                                   "http://prom:99999/"s,
                                   "http://prom:x/"s,
                                   "http://[::1/"s,
                                   "http://prom%0d%0a/"s,
                                   "http://"s + std::string(70'000, 'x')}) {
        EXPECT_NE(complaint({.url = url}), "none") << url.substr(0, 40);
    }
}

TEST(TargetTest, refuses_headers_that_could_become_two) {
    const std::pair<std::string, std::string> headers[] = {
        {"X", "geheim\r\nY: b"}, {"X", "geheim\nb"},
        {"X", "geheim\rb"},      {"X", std::string("geheim\0b", 8)},
        {"X\r\nY", "geheim"},    {"X:", "geheim"},
        {"X Y", "geheim"},       {"", "geheim"},
        {"Content-Length", "5"}, {"transfer-encoding", "chunked"},
    };
    for (const auto& [name, value] : headers) {
        const std::string said =
            complaint({.url = "http://prom/", .headers = {{name, Redacted(value)}}});
        EXPECT_NE(said, "none") << name;
        EXPECT_THAT(said, Not(HasSubstr("geheim"))) << name;
    }
}

TEST(TargetTest, refuses_methods_that_are_not_words) {
    EXPECT_NE(complaint({.method = "GET / HTTP/1.1\r\nX:", .url = "http://prom/"}), "none");
    EXPECT_NE(complaint({.method = "", .url = "http://prom/"}), "none");
}

TEST(TargetTest, refuses_half_of_a_client_certificate) {
    const auto tls = std::make_shared<Tls>(Tls{.client_cert_pem = "x"});
    EXPECT_EQ(complaint({.url = "https://prom/", .tls = tls}),
              "a client certificate and its key must come together");
}

TEST(TargetTest, refuses_a_server_name_that_is_none) {
    for (const std::string name : {"a b", "a\r\nb", "a/b", "a@b", "a?b"}) {
        const auto tls = std::make_shared<Tls>(Tls{.server_name = name});
        EXPECT_NE(complaint({.url = "https://prom/", .tls = tls}), "none") << name;
    }
}

TEST(TargetTest, never_repeats_what_may_be_secret) {
    EXPECT_THAT(complaint({.url = "http://user:geheim@prom/"}), Not(HasSubstr("geheim")));
    EXPECT_THAT(complaint({.url = "http://prom/?token=geheim here"}), Not(HasSubstr("geheim")));
}

}  // namespace
}  // namespace sluice::net
