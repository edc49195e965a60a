#include "api/inquiry/url.hpp"

#include <gtest/gtest.h>

namespace sluice::api {
namespace {

TEST(Url, AcceptsWhatHasOneReading) {
    for (const std::string url :
         {"http://hook", "http://hook/", "https://hook.ns.svc.cluster.local:8443/a/b?c=d&e=%20",
          "http://hook.ns.svc./x", "http://10.0.0.1:80", "http://[fd00::1]:8080/x", "http://[::1]",
          "http://[::]", "http://[1:2:3:4:5:6:7:8]", "http://[::ffff:10.0.0.1]",
          "http://a_b.test?x", "http://HOOK", "http://1and1.test", "http://h:65535/a:b@c"}) {
        const Result<Url> read = read_url(url, "headersSecret");
        ASSERT_TRUE(read) << url << ": " << read.error().message;
        EXPECT_EQ(to_text(*read), url);
    }
}

TEST(Url, IsTakenApart) {
    EXPECT_EQ(read_url("https://[fd00::1]:8080/a/b?c=d?e", "x").value(),
              (Url{"https", "fd00::1", "8080", "/a/b", "?c=d?e"}));
    EXPECT_EQ(read_url("http://hook?x", "x").value(), (Url{"http", "hook", "", "", "?x"}));
}

TEST(Url, RefusesTheRestAndSaysWhy) {
    struct Row {
        std::string url, message;
    };
    const std::string scheme = "must begin with http:// or https://";
    const std::string host = "the host is neither a DNS name nor an IP address";
    const std::string ipv6 = "the host in brackets is not an IPv6 address";
    const std::string port = "the port is not a number between 1 and 65535";
    const std::string encoded = "holds a character that must be percent-encoded in a path or query";
    for (const Row& row : {
             Row{"", scheme},
             Row{"hook:9000/x", scheme},
             Row{"//hook", scheme},
             Row{"HTTP://hook", scheme},
             Row{"file:///etc/passwd", scheme},
             Row{" http://hook", scheme},
             Row{"https//hook", scheme},
             Row{"http://user:pass@hook",
                 "must not hold a user or password; use headersSecret instead"},
             Row{"http://@hook", "must not hold a user or password; use headersSecret instead"},
             Row{"http://hook/#top", "must not have a fragment (\"#\")"},
             Row{"http://", "names no host"},
             Row{"http:///x", "names no host"},
             Row{"http://:80", "names no host"},
             Row{"http://a..b", host},
             Row{"http://-a", host},
             Row{"http://a b", host},
             Row{"http://hook\r\n", host},
             Row{"http://hook\\x", host},
             Row{"http://h\xc3\xbc", host},
             Row{"http://h%41", host},
             Row{"http://127.1", host},
             Row{"http://0x7f.1", host},
             Row{"http://2130706433", host},
             Row{"http://1.2.3.4.5", host},
             Row{"http://256.1.1.1", host},
             Row{"http://010.0.0.1", host},
             Row{"http://" + std::string(64, 'a'), host},
             Row{"http://fd00::1", port},
             Row{"http://[fd00::1", "the bracket around the address is not closed"},
             Row{"http://[fd00::1]x", "only a port may follow the address in brackets"},
             Row{"http://[fe80::1%25eth0]", ipv6},
             Row{"http://[1:2:3]", ipv6},
             Row{"http://[1::2::3]", ipv6},
             Row{"http://[:::]", ipv6},
             Row{"http://[1:2:3:4:5:6:7:8:9]", ipv6},
             Row{"http://[1:2:3:4::5:6:7:8]", ipv6},
             Row{"http://[12345::]", ipv6},
             Row{"http://[10.0.0.1]", ipv6},
             Row{"http://[10.0.0.1::]", ipv6},
             Row{"http://hook:", port},
             Row{"http://hook:0", port},
             Row{"http://hook:65536", port},
             Row{"http://hook:+80", port},
             Row{"http://hook:080", port},
             Row{"http://hook/a b", encoded},
             Row{"http://hook/a\\b", encoded},
             Row{"http://hook/a\nb", encoded},
             Row{"http://hook?q=<x>", encoded},
             Row{"http://hook/%2", "\"%\" must be followed by two hex digits"},
             Row{"http://hook/%zz", "\"%\" must be followed by two hex digits"},
             Row{"http://hook/" + std::string(2048, 'a'), "is longer than 2048 bytes"},
         }) {
        const Result<Url> checked = read_url(row.url, "headersSecret");
        EXPECT_EQ(checked ? "accepted" : checked.error().message, row.message) << row.url;
    }
}

}  // namespace
}  // namespace sluice::api
