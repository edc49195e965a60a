// Inquiries that are no hooks: questions to Prometheus over a real socket.
#include "probe/inquirer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/metrics/prometheus.hpp"
#include "tests/unit/net/certificates.hpp"
#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

namespace asio = boost::asio;
using api::metrics::MetricReading;
using api::metrics::PrometheusQuery;
using testing::HasSubstr;
using testing::StartsWith;
using Kind = MetricReading::Kind;

const std::string one_series = R"({"status":"success","data":{"resultType":"vector","result":[)"
                               R"({"metric":{},"value":[1,"7"]}]}})";

class MetricInquiries : public HookWorld {
  protected:
    MetricInquiries() {
        hook = [](const Seen&) { return Reply{200, one_series}; };
    }

    void open_inquirer(bool allow_local = true, api::InquiryBounds bounds = {}) {
        inquirer = std::make_unique<Inquirer>(loop, api, plugins, "query", allow_local, bounds);
    }

    Inquirer::CallId begin_query(const PrometheusQuery& query, Duration deadline = 60s) {
        const auto said = [](Result<MetricReading> reading) {
            return engine::answer_of(std::move(reading));
        };
        return inquirer->begin(
            {"shop", deadline,
             [query, said](const api::Learnt& learnt) {
                 return api::move_of<MetricReading>(
                     api::metrics::ask_prometheus(query, "shop", {}, learnt), said);
             },
             [said](const Error& error) { return said(std::unexpected(error)); }},
            [this](const api::Said& heard) {
                readings.push_back(*engine::opened<Result<MetricReading>>(*heard));
            });
    }

    Result<MetricReading> read(const PrometheusQuery& query, Duration deadline = 60s) {
        if (!inquirer) open_inquirer();
        readings.clear();
        begin_query(query, deadline);
        while (readings.empty()) {
            if (loop.run_one_for(60s) == 0) return failure(ErrorKind::Timeout, "standstill");
        }
        return readings.front();
    }
    std::string trouble(const PrometheusQuery& query) {
        const Result<MetricReading> reading = read(query);
        if (!reading) return "given up: " + reading.error().message;
        EXPECT_EQ(reading->kind, Kind::Unknown);
        EXPECT_EQ(reading->message.find(canary), std::string::npos) << reading->message;
        return reading->message;
    }

    PrometheusQuery plain_query() const { return {.expr = "up", .url = server.url("/base/")}; }
    PrometheusQuery with_login() const {
        PrometheusQuery query = plain_query();
        query.secret = "login";
        return query;
    }
    static std::string annotated(const std::string& key, const std::string& text) {
        return R"({"metadata":{"annotations":{"other":7,")" + key + R"(":")" + text +
               R"("}},"data":{"token":")" + encode_base64(canary) + "\"}}";
    }

    std::vector<Result<MetricReading>> readings;
    std::unique_ptr<Inquirer> inquirer;
};

TEST_F(MetricInquiries, AQueryIsSentAndRead) {
    const Result<MetricReading> reading = read(plain_query());
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->kind, Kind::Data) << reading->message;
    EXPECT_EQ(reading->value, 7.0);
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].method, "POST");
    EXPECT_EQ(asked[0].target, "/base/api/v1/query");
    EXPECT_EQ(asked[0].body, "query=up");
    EXPECT_EQ(asked[0].headers["content-type"], "application/x-www-form-urlencoded");
    EXPECT_THAT(asked[0].headers["user-agent"], StartsWith("sluice/"));
}

TEST_F(MetricInquiries, AServerWithoutPostIsAskedByGet) {
    hook = [](const Seen& request) {
        return request.method == "POST" ? Reply{405, "no"} : Reply{200, one_series};
    };
    EXPECT_EQ(read(plain_query())->kind, Kind::Data);
    EXPECT_EQ(asked.at(1).target, "/base/api/v1/query?query=up");
}

TEST_F(MetricInquiries, ARotatedTokenIsSeenByTheNextInquiry) {
    put_secret("login", {200, secret_json({{"token", "old"}})});
    EXPECT_EQ(read(with_login())->kind, Kind::Data);
    put_secret("login", {200, secret_json({{"token", "new"}})});
    EXPECT_EQ(read(with_login())->kind, Kind::Data);
    EXPECT_EQ(asked.at(0).headers["authorization"], "Bearer old");
    EXPECT_EQ(asked.at(1).headers["authorization"], "Bearer new");
}

TEST_F(MetricInquiries, TheAnnotationsOfASecretComeAlong) {
    put_secret("login", {200, annotated("sluice.dev/allowed-hosts", "http://127.0.0.1")});
    EXPECT_EQ(read(with_login())->kind, Kind::Data);
    put_secret("login", {200, annotated("sluice.dev/allowed-hosts", "prom.example.com")});
    EXPECT_THAT(trouble(with_login()), HasSubstr("may not be sent to http://127.0.0.1"));
    put_secret("login", {200, annotated("example.com/allowed-hosts", "http://127.0.0.1")});
    EXPECT_THAT(trouble(with_login()), HasSubstr("may not be sent to http://127.0.0.1"));
    EXPECT_EQ(asked.size(), 1u);
}

TEST_F(MetricInquiries, AnAnnotationThatIsNoTextAllowsNoHost) {
    put_secret("login", {200, R"({"metadata":{"annotations":{"sluice.dev/allowed-hosts":7}},)"
                              R"("data":{"token":"eA=="}})"});
    EXPECT_THAT(trouble(with_login()), HasSubstr("may not be sent to"));
    EXPECT_TRUE(asked.empty());
}

TEST_F(MetricInquiries, AnAnswerMayBeLongerThanThatOfAHook) {
    hook = [](const Seen&) { return Reply{200, one_series + std::string(900'000, ' ')}; };
    EXPECT_EQ(read(plain_query())->kind, Kind::Data);
    hook = [](const Seen&) { return Reply{200, one_series + std::string(1'100'000, ' ')}; };
    EXPECT_NE(trouble(plain_query()), "");
}

TEST_F(MetricInquiries, ARedirectIsNotFollowed) {
    hook = [](const Seen&) { return Reply{307, "", "/elsewhere"}; };
    EXPECT_EQ(trouble(plain_query()), "Prometheus answered HTTP 307; redirects are not followed");
    EXPECT_EQ(asked.size(), 1u);
}

TEST_F(MetricInquiries, LocalAddressesAreRefused) {
    open_inquirer(false);
    EXPECT_THAT(trouble(plain_query()), HasSubstr("loopback"));
    open_inquirer(true);
    EXPECT_THAT(trouble({.expr = "up", .url = "169.254.169.254"}), HasSubstr("link-local"));
    EXPECT_TRUE(asked.empty());
}

TEST_F(MetricInquiries, ABoundIsAnErrorAndNoReading) {
    hook = [](const Seen&) { return Reply{.silent = true}; };
    const Result<MetricReading> late = read(plain_query(), 50ms);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, ErrorKind::Timeout);
    EXPECT_EQ(late.error().message, "the query gave no verdict within 50ms");
    open_inquirer(true, {.steps_max = 1});
    hook = [](const Seen&) { return Reply{200, one_series}; };
    EXPECT_EQ(read(plain_query()).error().kind, ErrorKind::TooLarge);
    open_inquirer(true, {.calls_max = 1, .waiting_max = 0});
    hook = [](const Seen&) { return Reply{.silent = true}; };
    begin_query(plain_query());
    EXPECT_EQ(read(plain_query()).error().kind, ErrorKind::Throttled);
}

TEST_F(MetricInquiries, ACancelledInquiryGivesNoReading) {
    open_inquirer();
    const auto id = begin_query(plain_query());
    inquirer->cancel(id);
    while (loop.poll() > 0) {
    }
    EXPECT_TRUE(readings.empty());
    EXPECT_EQ(inquirer->in_flight() + inquirer->waiting(), 0u);
}

TEST_F(MetricInquiries, CertificatesAreVerifiedUnlessTheQuerySaysNot) {
    const net::testing::Authority own("own");
    const net::testing::Pem identity = own.issue("prom", "IP:127.0.0.1");
    asio::ssl::context tls(asio::ssl::context::tls_server);
    tls.use_certificate_chain(asio::buffer(identity.cert));
    tls.use_private_key(asio::buffer(identity.key), asio::ssl::context::pem);
    net::testing::ScriptedServer secure(loop, obeying(hook), &tls);
    PrometheusQuery query{.expr = "up", .url = secure.url("")};
    EXPECT_THAT(trouble(query), HasSubstr("certificate"));
    query.insecure_skip_verify = true;
    EXPECT_EQ(read(query)->kind, Kind::Data);
    query.insecure_skip_verify = false;
    EXPECT_THAT(trouble(query), HasSubstr("certificate"));
    put_secret("ca", {200, secret_json({{"ca.crt", own.pem()}})});
    query.ca_secret = "ca";
    EXPECT_EQ(read(query)->kind, Kind::Data);
}

}  // namespace
}  // namespace sluice::probe::test
