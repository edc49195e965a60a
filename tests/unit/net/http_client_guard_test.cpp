// Which addresses are not contacted, however they are spelled, and what a slow look-up does not
// hold up. The names of this file resolve as the table below says.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <netdb.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

#include "tests/unit/net/client_world.hpp"

namespace {

const std::map<std::string, std::string> names = {
    {"loop.test", "127.0.0.1"},
    {"mapped.test", "::ffff:127.0.0.1"},
    {"metadata.test", "169.254.169.254"},
};

// Look-ups of slow.test hang until the test lets go of them.
class SlowNames {
  public:
    void hold() {
        const std::lock_guard lock(mutex_);
        ++round_;
    }
    void let_go() {
        const std::lock_guard lock(mutex_);
        let_go_ = round_;
        changed_.notify_all();
    }
    void look_up() {
        std::unique_lock lock(mutex_);
        asked_ = round_;
        const bool was_let_go = changed_.wait_for(
            lock, std::chrono::seconds(30), [this, mine = round_] { return let_go_ >= mine; });
        if (!was_let_go) ++ended_by_themselves_;
    }
    bool were_asked() {
        const std::lock_guard lock(mutex_);
        return asked_ == round_;
    }
    int ended_by_themselves() {
        const std::lock_guard lock(mutex_);
        return ended_by_themselves_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int round_ = 0;
    int asked_ = -1;
    int let_go_ = -1;
    int ended_by_themselves_ = 0;
};

SlowNames slow_names;

}  // namespace

// Takes the place of the C library's, for libcurl too.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
    static const auto real =
        reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (node != nullptr && std::strcmp(node, "slow.test") == 0) {
        slow_names.look_up();
        return EAI_AGAIN;
    }
    if (node != nullptr && std::strcmp(node, "nowhere.test") == 0) return EAI_NONAME;
    const auto known = names.find(node == nullptr ? "" : node);
    return real(known == names.end() ? node : known->second.c_str(), service, hints, result);
}

namespace sluice::net::testing {
namespace {

using ::testing::HasSubstr;

class HttpClientGuard : public ClientWorld {
  protected:
    Result<HttpResponse> fetch_guarded(const std::string& host, AddressGuard guard) {
        return fetch({.url = server.url("/", host), .guard = guard});
    }

    ScriptedServer server{loop, always(answer("inside"))};
};

TEST_F(HttpClientGuard, refuses_loopback_however_it_is_spelled) {
    for (const std::string host :
         {"127.0.0.1", "localhost", "loop.test", "mapped.test", "[::ffff:127.0.0.1]", "[::1]",
          "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.8.9.10", "0.0.0.0", "0", "[::]",
          "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "%6c%6f%63%61%6c%68ost"}) {
        const auto got = fetch_guarded(host, AddressGuard::NoLocal);
        ASSERT_FALSE(got) << host;
        EXPECT_EQ(got.error().kind, ErrorKind::Refused) << host << ": " << got.error().message;
    }
    EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpClientGuard, names_the_address_it_refuses) {
    EXPECT_EQ(message_of(fetch_guarded("loop.test", AddressGuard::NoLocal)),
              "loop.test:" + std::to_string(server.port()) +
                  " is 127.0.0.1, a loopback address, which must not be contacted");
}

TEST_F(HttpClientGuard, refuses_the_metadata_service_also_where_loopback_is_allowed) {
    for (const AddressGuard guard : {AddressGuard::NoLocal, AddressGuard::NoLinkLocal}) {
        for (const std::string url :
             {"http://169.254.169.254/latest", "http://metadata.test/", "http://[fe80::1]/",
              "http://[fd00:ec2::254]/", "http://[::ffff:a9fe:a9fe]/", "http://224.0.0.1/"}) {
            EXPECT_EQ(kind_of(fetch({.url = url, .guard = guard})), ErrorKind::Refused) << url;
        }
    }
}

TEST_F(HttpClientGuard, lets_loopback_through_where_it_is_allowed) {
    EXPECT_TRUE(fetch_guarded("loop.test", AddressGuard::NoLinkLocal));
    EXPECT_TRUE(fetch_guarded("loop.test", AddressGuard::Any));
}

TEST_F(HttpClientGuard, does_not_lend_a_connection_that_a_laxer_request_dialled) {
    ASSERT_TRUE(fetch_guarded("loop.test", AddressGuard::Any));
    const auto got = fetch_guarded("loop.test", AddressGuard::NoLocal);
    EXPECT_EQ(kind_of(got), ErrorKind::Refused);
    EXPECT_THAT(message_of(got), HasSubstr("127.0.0.1, a loopback address"));
    EXPECT_EQ(server.received.size(), 1u);
}

TEST_F(HttpClientGuard, does_not_let_a_proxy_do_what_it_refuses) {
    ScriptedServer proxy(loop, always(answer("")));
    const auto got =
        fetch({.url = "http://loop.test/", .proxy = proxy.url(), .guard = AddressGuard::NoLocal});
    EXPECT_EQ(kind_of(got), ErrorKind::Invalid);
    EXPECT_EQ(proxy.connections(), 0);
}

using HttpClientNames = ClientWorld;

TEST_F(HttpClientNames, are_reported_when_they_do_not_resolve) {
    const auto got = fetch("http://nowhere.test:9000/");
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_EQ(message_of(got), "cannot reach nowhere.test:9000: the name does not resolve");
}

// The deadline, a cancel and a destruction must not wait for a look-up that hangs: if one did, the
// look-up would have ended by itself.
TEST_F(HttpClientNames, hold_up_nothing_when_their_look_up_hangs) {
    slow_names.hold();
    ScriptedServer server(loop, always(answer("meanwhile")));
    client->start({.url = "http://slow.test/", .deadline = 0ms}, [](auto) { FAIL(); });
    const TransferId cancelled =
        client->start({.url = "http://slow.test/", .deadline = 0ms}, [](auto) { FAIL(); });
    run_until([] { return slow_names.were_asked(); });
    EXPECT_EQ(kind_of(fetch({.url = "http://slow.test/", .deadline = 50ms})), ErrorKind::Timeout);
    EXPECT_TRUE(fetch(server.url()));
    client->cancel(cancelled);
    client.reset();
    EXPECT_EQ(slow_names.ended_by_themselves(), 0);
    slow_names.let_go();
}

}  // namespace
}  // namespace sluice::net::testing
