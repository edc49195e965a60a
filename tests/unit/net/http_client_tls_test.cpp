// Whom the client trusts over TLS, as whom it appears, and that it never mixes the two up.
#include <gmock/gmock.h>

#include "tests/unit/net/certificates.hpp"
#include "tests/unit/net/client_world.hpp"

namespace sluice::net::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpClientTls : public ClientWorld {
  protected:
    std::unique_ptr<asio::ssl::context> serving(const Pem& pem) {
        auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
        context->use_certificate_chain(asio::buffer(pem.cert));
        context->use_private_key(asio::buffer(pem.key), asio::ssl::context::pem);
        return context;
    }

    std::unique_ptr<asio::ssl::context> asking_for_client_certificates(int also = 0) {
        auto context = serving(authority.issue("server", "IP:127.0.0.1"));
        const std::string ca = authority.pem();
        context->add_certificate_authority(asio::buffer(ca));
        context->set_verify_mode(asio::ssl::verify_peer | also);
        SSL_CTX_set_session_id_context(context->native_handle(),
                                       reinterpret_cast<const unsigned char*>("test"), 4);
        return context;
    }

    std::shared_ptr<Tls> trusting(const Authority& ca) {
        return std::make_shared<Tls>(Tls{.ca_pem = ca.pem()});
    }

    std::shared_ptr<Tls> appearing_as(const Pem& pem) {
        return std::make_shared<Tls>(Tls{.ca_pem = authority.pem(),
                                         .client_cert_pem = pem.cert,
                                         .client_key_pem = Redacted(pem.key)});
    }

    Result<HttpResponse> fetch_from(const ScriptedServer& server, std::shared_ptr<const Tls> tls,
                                    const std::string& host = "127.0.0.1") {
        return fetch({.url = server.url("/", host), .tls = std::move(tls)});
    }

    Authority authority;
};

TEST_F(HttpClientTls, accepts_a_certificate_of_the_authority_it_was_given) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("secret")), context.get());
    const auto got = fetch_from(server, trusting(authority));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->body, "secret");
}

TEST_F(HttpClientTls, refuses_a_certificate_of_another_authority) {
    const auto context = serving(Authority("evil").issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto got = fetch_from(server, trusting(authority));
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), StartsWith("TLS certificate of 127.0.0.1:" +
                                            std::to_string(server.port()) + " was not accepted: "));
    EXPECT_TRUE(server.received.empty());
}

TEST_F(HttpClientTls, refuses_an_unknown_authority_when_it_was_given_none) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("")), context.get());
    EXPECT_THAT(message_of(fetch_from(server, nullptr)), HasSubstr("was not accepted"));
    EXPECT_THAT(message_of(fetch_from(server, std::make_shared<Tls>())),
                HasSubstr("was not accepted"));
}

TEST_F(HttpClientTls, refuses_a_certificate_for_another_host) {
    const auto context = serving(authority.issue("127.0.0.1", "DNS:other.test"));
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto got = fetch_from(server, trusting(authority));
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), HasSubstr("was not accepted: SSL: no alternative certificate"));
}

TEST_F(HttpClientTls, refuses_an_expired_certificate) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1", -3600));
    ScriptedServer server(loop, always(answer("")), context.get());
    EXPECT_THAT(message_of(fetch_from(server, trusting(authority))), HasSubstr("expired"));
}

TEST_F(HttpClientTls, accepts_anything_where_it_was_told_not_to_verify) {
    const auto context = serving(Authority("evil").issue("server", "DNS:other.test", -3600));
    ScriptedServer server(loop, always(answer("")), context.get());
    EXPECT_TRUE(fetch_from(server, std::make_shared<Tls>(Tls{.verify = false})));
}

TEST_F(HttpClientTls, verifies_the_server_name_it_was_given) {
    const auto context = serving(authority.issue("server", "DNS:kubernetes.default"));
    std::string seen;
    SSL_CTX_set_tlsext_servername_callback(
        context->native_handle(), +[](SSL* ssl, int*, void* into) {
            *static_cast<std::string*>(into) = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
            return SSL_TLSEXT_ERR_OK;
        });
    SSL_CTX_set_tlsext_servername_arg(context->native_handle(), &seen);
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto tls = trusting(authority);
    tls->server_name = "kubernetes.default";
    const auto got = fetch_from(server, tls);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(seen, "kubernetes.default");
    EXPECT_THAT(server.received.at(0).head,
                HasSubstr("\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
}

TEST_F(HttpClientTls, refuses_a_certificate_without_the_server_name_it_was_given) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("")), context.get());
    ASSERT_TRUE(fetch_from(server, trusting(authority)));
    const auto tls = trusting(authority);
    tls->server_name = "kubernetes.default";
    EXPECT_THAT(message_of(fetch_from(server, tls)), HasSubstr("was not accepted"));
}

TEST_F(HttpClientTls, says_that_a_server_wants_a_client_certificate) {
    const auto context = asking_for_client_certificates(asio::ssl::verify_fail_if_no_peer_cert);
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto got = fetch_from(server, trusting(authority));
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), HasSubstr("certificate required"));
}

TEST_F(HttpClientTls, shows_its_client_certificate) {
    const auto context = asking_for_client_certificates();
    ScriptedServer server(loop, always(answer("")), context.get());
    ASSERT_TRUE(fetch_from(server, appearing_as(authority.issue("alice", ""))));
    EXPECT_EQ(server.received.at(0).client_name, "alice");
}

TEST_F(HttpClientTls, keeps_connections_of_different_identities_apart) {
    const auto context = asking_for_client_certificates();
    ScriptedServer server(loop, always(answer("")), context.get());
    const Pem alice = authority.issue("alice", "");
    const Pem bob = authority.issue("bob", "");
    ASSERT_TRUE(fetch_from(server, appearing_as(alice)));
    ASSERT_TRUE(fetch_from(server, appearing_as(bob)));
    ASSERT_TRUE(fetch_from(server, trusting(authority)));
    ASSERT_TRUE(fetch_from(server, appearing_as(alice)));
    std::vector<std::string> names;
    for (const Received& request : server.received)
        names.push_back(request.client_name);
    EXPECT_EQ(names, (std::vector<std::string>{"alice", "bob", "", "alice"}));
    EXPECT_EQ(server.connections(), 3) << "alice's connection serves her again";
}

TEST_F(HttpClientTls, does_not_lend_a_connection_to_the_same_certificate_with_another_key) {
    const auto context = asking_for_client_certificates();
    ScriptedServer server(loop, always(answer("")), context.get());
    const Pem alice = authority.issue("alice", "");
    ASSERT_TRUE(fetch_from(server, appearing_as(alice)));
    const auto got =
        fetch_from(server, appearing_as({alice.cert, authority.issue("mallory", "").key}));
    EXPECT_EQ(kind_of(got), ErrorKind::Malformed);
    EXPECT_THAT(message_of(got), HasSubstr("the client certificate for 127.0.0.1:"));
    EXPECT_EQ(server.received.size(), 1u);
}

TEST_F(HttpClientTls, does_not_lend_a_connection_to_who_trusts_somebody_else) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("")), context.get());
    ASSERT_TRUE(fetch_from(server, trusting(authority)));
    EXPECT_FALSE(fetch_from(server, trusting(Authority("other"))));
    EXPECT_FALSE(fetch_from(server, nullptr));
    ASSERT_TRUE(fetch_from(server, std::make_shared<Tls>(Tls{.verify = false})));
    EXPECT_FALSE(fetch_from(server, nullptr));
}

TEST_F(HttpClientTls, says_that_a_client_certificate_is_garbage) {
    const auto context = asking_for_client_certificates();
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto got = fetch_from(server, appearing_as({"not a certificate", "not a key"}));
    EXPECT_EQ(kind_of(got), ErrorKind::Malformed);
}

TEST_F(HttpClientTls, does_not_ask_anybody_for_a_pass_phrase) {
    const auto context = asking_for_client_certificates();
    ScriptedServer server(loop, always(answer("")), context.get());
    const Pem alice = authority.issue("alice", "");
    const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(alice.key.data(), -1));
    const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
    const auto got = fetch_from(server, appearing_as({alice.cert, to_pem(key.get(), "geheim")}));
    EXPECT_EQ(kind_of(got), ErrorKind::Malformed);
}

TEST_F(HttpClientTls, says_that_ca_certificates_are_garbage) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto got = fetch_from(server, std::make_shared<Tls>(Tls{.ca_pem = "not a certificate"}));
    EXPECT_EQ(kind_of(got), ErrorKind::Malformed);
    EXPECT_THAT(message_of(got), StartsWith("the CA certificates for 127.0.0.1:"));
}

TEST_F(HttpClientTls, speaks_nothing_older_than_1_2) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    SSL_CTX_set_cipher_list(context->native_handle(), "ALL:@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context->native_handle(), TLS1_1_VERSION);
    ScriptedServer server(loop, always(answer("")), context.get());
    const auto got = fetch_from(server, trusting(authority));
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), HasSubstr("TLS with 127.0.0.1:"));
}

TEST_F(HttpClientTls, says_that_the_peer_speaks_no_tls) {
    tcp::acceptor acceptor(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    tcp::socket peer(loop);
    acceptor.async_accept(peer, [&](error_code) {
        asio::write(peer, asio::buffer(std::string("HTTP/1.1 400 Bad Request\r\n\r\n")));
    });
    const auto got =
        fetch("https://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + "/");
    EXPECT_EQ(kind_of(got), ErrorKind::Unreachable);
    EXPECT_THAT(message_of(got), HasSubstr("TLS with 127.0.0.1:"));
}

TEST_F(HttpClientTls, survives_a_reset_while_it_sends) {
    const auto context = serving(authority.issue("server", "IP:127.0.0.1"));
    ScriptedServer server(loop, always(answer("")), context.get());
    std::optional<Result<HttpResponse>> got;
    client->start({.method = "POST",
                   .url = server.url(),
                   .body = std::string(200 << 20, 'x'),
                   .tls = trusting(authority)},
                  [&](auto result) { got = std::move(result); });
    run_until([&] { return server.connections() == 1; });
    for (int i = 0; i < 50; ++i)
        loop.run_one();
    server.sessions.at(0)->reset();
    run_until([&] { return got.has_value(); });
    EXPECT_EQ(kind_of(*got), ErrorKind::Unreachable);
}

}  // namespace
}  // namespace sluice::net::testing
