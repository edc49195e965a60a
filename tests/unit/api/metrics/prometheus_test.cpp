#include "api/metrics/prometheus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "api/inquiry/secrets.hpp"
#include "base/base64.hpp"

namespace sluice::api::metrics {
namespace {

using Kind = MetricReading::Kind;
using ::testing::HasSubstr;
using Texts = std::map<std::string, std::string>;

// A value that no message may ever hold.
const std::string canary = "canary-5f1d";
const std::string no_data = R"({"status":"success","data":{"resultType":"vector","result":[]}})";

Secret secret(const Texts& texts,
              Texts annotations = {{allowed_hosts_annotation, "http://prom, prom"}}) {
    Secret made;
    for (const auto& [key, text] : texts)
        made.data.emplace(key, Redacted{text});
    made.annotations = std::move(annotations);
    return made;
}

Result<Answer> answer(int status, std::string body = "") {
    return Answer{status, "application/json", std::move(body)};
}

struct World {
    std::map<std::string, Result<Secret>> secrets{};
    std::deque<Result<Answer>> answers{answer(200, no_data)};
    HostList allowed{};
};

struct Talk {
    std::vector<std::string> secrets;
    std::vector<Ask> asks;
    MetricReading reading;

    std::string header(std::size_t ask, const std::string& name) const {
        for (const AskHeader& one : asks.at(ask).headers)
            if (one.name == name) return std::string(one.value.reveal());
        return "none";
    }
};

Talk play(const PrometheusQuery& query, World world = {}) {
    Talk talk;
    Learnt learnt;
    while (true) {
        const MetricStep step = ask_prometheus(query, "shop", world.allowed, learnt);
        if (const auto* reading = std::get_if<MetricReading>(&step)) {
            talk.reading = *reading;
            EXPECT_EQ(reading->message.find(canary), std::string::npos) << reading->message;
            return talk;
        }
        if (const auto* need = std::get_if<NeedSecret>(&step)) {
            talk.secrets.push_back(need->name);
            const auto found = world.secrets.find(need->name);
            learnt.secrets.emplace(need->name, found == world.secrets.end()
                                                   ? failure(ErrorKind::NotFound, "gone")
                                                   : found->second);
            continue;
        }
        talk.asks.push_back(std::get<Ask>(step));
        learnt.answers.push_back(world.answers.at(0));
        world.answers.pop_front();
    }
}

PrometheusQuery query(std::string url = "http://prom:9090") {
    return {.expr = R"(up{a="b"} > 0)", .url = std::move(url)};
}
PrometheusQuery with_login(std::string url = "http://prom:9090") {
    PrometheusQuery asked = query(std::move(url));
    asked.secret = "login";
    return asked;
}

std::string trouble(const PrometheusQuery& asked, World world = {}) {
    const Talk talk = play(asked, std::move(world));
    EXPECT_EQ(talk.reading.kind, Kind::Unknown);
    return talk.reading.message;
}
std::string trouble_with(const Secret& login, const std::string& url = "http://prom:9090") {
    const Talk talk = play(with_login(url), {.secrets = {{"login", login}}});
    EXPECT_TRUE(talk.asks.empty());
    EXPECT_EQ(talk.reading.kind, Kind::Unknown);
    return talk.reading.message;
}

TEST(Prometheus, IsAskedOnceByPost) {
    PrometheusQuery asked = query();
    asked.timeout = 3s;
    const Talk talk = play(asked);
    EXPECT_EQ(talk.reading.kind, Kind::NoData);
    EXPECT_TRUE(talk.secrets.empty());
    ASSERT_EQ(talk.asks.size(), 1u);
    const Ask& ask = talk.asks[0];
    EXPECT_EQ(ask.method, "POST");
    EXPECT_EQ(ask.url, "http://prom:9090/api/v1/query");
    EXPECT_EQ(ask.body, "query=up%7Ba%3D%22b%22%7D%20%3E%200");
    EXPECT_EQ(talk.header(0, "Content-Type"), "application/x-www-form-urlencoded");
    EXPECT_EQ(talk.header(0, "Authorization"), "none");
    EXPECT_EQ(ask.timeout, 3s);
    EXPECT_EQ(ask.body_max, 1u << 20);
    EXPECT_TRUE(ask.verify);
    EXPECT_EQ(ask.ca_pem, "");
}

TEST(Prometheus, IsAskedByGetWherePostIsNotLetThrough) {
    for (const int status : {405, 501, 403}) {
        const Talk talk = play(with_login(), {.secrets = {{"login", secret({{"token", canary}})}},
                                              .answers = {answer(status), answer(200, no_data)}});
        EXPECT_EQ(talk.reading.kind, Kind::NoData);
        ASSERT_EQ(talk.asks.size(), 2u);
        EXPECT_EQ(talk.asks[1].method, "GET");
        EXPECT_EQ(talk.asks[1].url,
                  "http://prom:9090/api/v1/query?query=up%7Ba%3D%22b%22%7D%20%3E%200");
        EXPECT_EQ(talk.asks[1].body, "");
        EXPECT_EQ(talk.header(1, "Content-Type"), "none");
        EXPECT_EQ(talk.header(1, "Authorization"), "Bearer " + canary);
    }
    EXPECT_EQ(trouble(query(), {.answers = {answer(405), answer(405)}}),
              "Prometheus answered HTTP 405");
}

TEST(Prometheus, AnotherFailureIsNotAskedAgain) {
    for (const int status : {200, 302, 400, 401, 404, 500, 503}) {
        const Talk talk = play(query(), {.answers = {answer(status)}});
        EXPECT_EQ(talk.asks.size(), 1u);
        EXPECT_EQ(talk.reading.kind, Kind::Unknown);
    }
    EXPECT_EQ(trouble(query(), {.answers = {failure(ErrorKind::Timeout, "no answer in time")}}),
              "no answer in time");
}

TEST(Prometheus, AnErrorThatRepeatsASecretIsBlotted) {
    EXPECT_EQ(
        trouble(with_login(), {.secrets = {{"login", secret({{"token", canary}})}},
                               .answers = {failure(ErrorKind::Unreachable, "bad " + canary)}}),
        "bad [redacted]");
}

TEST(Prometheus, UrlsAreMadeWhole) {
    struct Row {
        std::string written, asked;
    };
    for (const Row& row : {
             Row{"http://prom", "http://prom"},
             Row{"http://prom/", "http://prom"},
             Row{"https://prom:9090/a/b/", "https://prom:9090/a/b"},
             Row{"http://prom/a//", "http://prom/a"},
             Row{"prom", "http://prom"},
             Row{"prom:9000/xx", "http://prom:9000/xx"},
             Row{"10.0.0.1:9090", "http://10.0.0.1:9090"},
             Row{"[fd00::1]:9090/x", "http://[fd00::1]:9090/x"},
             Row{"prom/...", "http://prom/..."},
             Row{"prom/a.b", "http://prom/a.b"},
             Row{"prom/a%20b", "http://prom/a%20b"},
         }) {
        const Talk talk = play(query(row.written));
        ASSERT_EQ(talk.asks.size(), 1u) << row.written << ": " << talk.reading.message;
        EXPECT_EQ(talk.asks[0].url, row.asked + "/api/v1/query");
    }
}

TEST(Prometheus, UrlsWithTwoReadingsAreRefused) {
    struct Row {
        std::string url, message;
    };
    const std::string host = "the url the host is neither a DNS name nor an IP address";
    const std::string port = "the url the port is not a number between 1 and 65535";
    const std::string dots = "the url must not have \".\" or \"..\" between slashes";
    const std::string ours = "the url must not end in /api/v1/query, which Sluice adds itself";
    for (const Row& row : {
             Row{"", "the url names no host"},
             Row{"ftp://prom", "the url must begin with http:// or https://"},
             Row{"HTTP://prom", "the url must begin with http:// or https://"},
             Row{"file:///etc/passwd", "the url must begin with http:// or https://"},
             Row{"file:/etc/passwd", port},
             Row{"javascript:alert(1)", port},
             Row{"http://u:" + canary + "@prom",
                 "the url must not hold a user or password; use the Secret instead"},
             Row{"u:" + canary + "@prom",
                 "the url must not hold a user or password; use the Secret instead"},
             Row{"http://prom/?token=" + canary, "the url must not have a query (\"?\")"},
             Row{"prom?x", "the url must not have a query (\"?\")"},
             Row{"prom#x", "the url must not have a fragment (\"#\")"},
             Row{"prom/../x", dots},
             Row{"prom/a/.", dots},
             Row{"prom/%2e%2E/x", dots},
             Row{"prom/.%2e/x", dots},
             Row{"prom\r\nX: y", host},
             Row{" prom", host},
             Row{"prom/a b",
                 "the url holds a character that must be percent-encoded in a path or query"},
             Row{"prom:9090:1", port},
             Row{"127.1", host},
             Row{"prom/api/v1/query", ours},
             Row{"https://prom:9090/x/api/v1/query//", ours},
         }) {
        const Talk talk = play(query(row.url));
        EXPECT_TRUE(talk.asks.empty());
        EXPECT_EQ(talk.reading.message, row.message) << row.url;
    }
}

TEST(Prometheus, AnExpressionWithAProblemIsNotSent) {
    PrometheusQuery asked = query();
    asked.expr = "rate(up";
    EXPECT_EQ(trouble(asked), "the query '(' at position 5 is never closed");
    asked.expr = "";
    EXPECT_EQ(trouble(asked), "the query holds no expression");
}

TEST(Prometheus, ATokenIsSentAsBearer) {
    const Talk talk =
        play(with_login(), {.secrets = {{"login", secret({{"token", canary + "\n"}})}}});
    EXPECT_EQ(talk.secrets, std::vector<std::string>{"login"});
    EXPECT_EQ(talk.header(0, "Authorization"), "Bearer " + canary);
}

TEST(Prometheus, AUserAndPasswordAreSentAsBasic) {
    const Talk talk = play(
        with_login(), {.secrets = {{"login", secret({{"username", "me"}, {"password", canary}})}}});
    EXPECT_EQ(talk.header(0, "Authorization"), "Basic " + encode_base64("me:" + canary));
}

TEST(Prometheus, OfTheThreeKeysOfTheDocumentTheTokenIsUsed) {
    const Secret all =
        secret({{"token", canary}, {"username", "username"}, {"password", "password"}});
    EXPECT_EQ(play(with_login(), {.secrets = {{"login", all}}}).header(0, "Authorization"),
              "Bearer " + canary);
}

TEST(Prometheus, ASecretThatCannotBeUsedSaysWhy) {
    const std::string name = "Secret shop/login: ";
    EXPECT_EQ(trouble_with(secret({})),
              name + "needs the keys username and password, or the key token");
    EXPECT_EQ(trouble_with(secret({{"Token", canary}})),
              name + "needs the keys username and password, or the key token");
    EXPECT_EQ(trouble_with(secret({{"username", canary}})), name + "has no key password");
    EXPECT_EQ(trouble_with(secret({{"password", canary}})), name + "has no key username");
    EXPECT_EQ(trouble_with(secret({{"username", "a:b"}, {"password", canary}})),
              name + "key username must not hold a colon");
    EXPECT_EQ(trouble_with(secret({{"token", "\n"}})), name + "key token is empty");
    EXPECT_EQ(trouble_with(secret({{"token", canary + "\r\nX-Y: z"}})),
              name + "key token holds bytes that a header cannot carry");
}

TEST(Prometheus, ASecretThatCannotBeReadIsUnknown) {
    EXPECT_EQ(trouble(with_login()), "gone");
    PrometheusQuery asked = query();
    asked.secret = "../kube-system/x";
    EXPECT_EQ(trouble(asked), "\"../kube-system/x\" is not the name of a Secret");
}

TEST(Prometheus, AnAuthorityComesFromEitherSecret) {
    const Secret login = secret({{"token", canary}, {"ca.crt", "own"}});
    const Talk own = play(with_login("https://prom"), {.secrets = {{"login", login}}});
    EXPECT_EQ(own.asks.at(0).ca_pem, "own");

    PrometheusQuery asked = with_login("https://prom");
    asked.ca_secret = "ca";
    const Talk other =
        play(asked, {.secrets = {{"login", login}, {"ca", secret({{"ca.crt", "other"}})}}});
    EXPECT_EQ(other.asks.at(0).ca_pem, "other");
    EXPECT_EQ(other.secrets, (std::vector<std::string>{"ca", "login"}));
    EXPECT_EQ(trouble(asked, {.secrets = {{"login", login}, {"ca", secret({})}}}),
              "Secret shop/ca: has no key ca.crt");
    asked.insecure_skip_verify = true;
    EXPECT_EQ(trouble(asked),
              "an authority is named, and certificates are not to be verified: take one away");
}

TEST(Prometheus, AnAuthorityWithoutTlsIsAMistake) {
    EXPECT_EQ(trouble_with(secret({{"token", canary}, {"ca.crt", "own"}})),
              "Secret shop/login: key ca.crt is of no use with a url that does not begin with "
              "https://");
}

TEST(Prometheus, VerificationIsLeftOutOnlyOnRequest) {
    PrometheusQuery asked = with_login("https://prom");
    asked.insecure_skip_verify = true;
    EXPECT_EQ(trouble(asked, {.secrets = {{"login", secret({{"token", canary}})}}}),
              "Secret shop/login: is not sent to https://prom, whose certificate is not to be "
              "verified");
    asked.secret = "";
    const Talk talk = play(asked, {});
    EXPECT_FALSE(talk.asks.at(0).verify);
    EXPECT_EQ(talk.asks.at(0).ca_pem, "");
}

TEST(Prometheus, ASecretGoesOnlyToTheHostsThatItLists) {
    const auto listing = [](const std::string& hosts) {
        return secret({{"token", canary}}, {{"sluice.dev/allowed-hosts", hosts}});
    };
    for (const std::string hosts :
         {"http://prom", "x, http://prom:9090", "*.example.com,http://prom"}) {
        const Talk talk = play(with_login(), {.secrets = {{"login", listing(hosts)}}});
        EXPECT_EQ(talk.reading.kind, Kind::NoData) << talk.reading.message;
    }
    for (const std::string hosts : {"other", "prom:9091", "*.prom", "prom", "https://prom:9090"}) {
        EXPECT_EQ(trouble_with(listing(hosts)),
                  "Secret shop/login: may not be sent to http://prom:9090. To allow it: kubectl -n "
                  "shop annotate --overwrite secret login sluice.dev/allowed-hosts=" +
                      hosts +
                      ",http://prom:9090, or start the operator with "
                      "--allowed-metric-hosts=http://prom:9090");
    }
    EXPECT_THAT(trouble_with(listing("")), HasSubstr("allowed-hosts=http://prom:9090, or"));
    EXPECT_THAT(trouble_with(secret({{"token", canary}}, {})), HasSubstr("may not be sent"));
    EXPECT_EQ(trouble_with(listing("prom,*")),
              "Secret shop/login: annotation sluice.dev/allowed-hosts: \"*\" is not a host, "
              "host:port, *.domain or http://host:port");
}

TEST(Prometheus, OverHttpsTheHostAloneIsEnough) {
    const auto told = [](const std::string& hosts) {
        const Secret login = secret({{"token", canary}}, {{allowed_hosts_annotation, hosts}});
        return play(with_login("https://prom"), {.secrets = {{"login", login}}}).reading.message;
    };
    EXPECT_EQ(told("prom"), "");
    EXPECT_EQ(told("https://prom:443"), "");
    EXPECT_THAT(told("http://prom"), HasSubstr("sluice.dev/allowed-hosts=http://prom,prom, or"));
}

TEST(Prometheus, TheAdministratorMayAllowItForAllSecrets) {
    const Secret login = secret({{"token", canary}}, {});
    const auto kind = [&](const std::string& url, const std::string& allowed) {
        return play(with_login(url),
                    {.secrets = {{"login", login}}, .allowed = read_hosts(allowed).value()})
            .reading.kind;
    };
    EXPECT_EQ(kind("http://prom:9090", "http://prom:9090"), Kind::NoData);
    EXPECT_EQ(kind("https://prom", "prom"), Kind::NoData);
    EXPECT_EQ(kind("http://prom:9090", "prom:9090"), Kind::Unknown) << "asked, but not with it";
}

TEST(Prometheus, OnlyAllowedHostsAreAskedAndBeforeAnySecretIsRead) {
    const HostList allowed = read_hosts("*.monitoring.svc").value();
    const Talk refused = play(with_login(), {.allowed = allowed});
    EXPECT_EQ(refused.reading.message, "the host \"prom\" is not one that Sluice may ask");
    EXPECT_TRUE(refused.secrets.empty());
    EXPECT_EQ(play(query("prom.monitoring.svc:9090"), {.allowed = allowed}).reading.kind,
              Kind::NoData);
}

TEST(Prometheus, SaysWhetherTheUserHasToChangeSomething) {
    const auto fault = [](const PrometheusQuery& asked, World world = {}) {
        const MetricReading reading = play(asked, std::move(world)).reading;
        EXPECT_EQ(reading.kind, Kind::Unknown);
        return reading.misconfigured;
    };
    const auto after = [&](const Result<Answer>& came) {
        return fault(query(), {.answers = {came}});
    };
    PrometheusQuery bad_expr = query();
    bad_expr.expr = "rate(";
    EXPECT_TRUE(fault(bad_expr));
    EXPECT_TRUE(fault(query("ftp://prom")));
    EXPECT_TRUE(fault(query(), {.allowed = read_hosts("other").value()}));
    PrometheusQuery contradicting = with_login("https://prom");
    contradicting.ca_secret = "ca";
    contradicting.insecure_skip_verify = true;
    EXPECT_TRUE(fault(contradicting));

    const auto of_secret = [&](ErrorKind kind) {
        return fault(with_login(), {.secrets = {{"login", failure(kind, "why")}}});
    };
    for (const ErrorKind kind : {ErrorKind::NotFound, ErrorKind::Forbidden, ErrorKind::Malformed})
        EXPECT_TRUE(of_secret(kind));
    for (const ErrorKind kind : {ErrorKind::Unreachable, ErrorKind::Timeout, ErrorKind::Throttled,
                                 ErrorKind::Server, ErrorKind::Unauthorized})
        EXPECT_FALSE(of_secret(kind));
    EXPECT_TRUE(fault(with_login(), {.secrets = {{"login", secret({})}}}));
    EXPECT_TRUE(fault(with_login(),
                      {.secrets = {{"login", secret({{"token", canary}},
                                                    {{allowed_hosts_annotation, "other"}})}}}));

    EXPECT_TRUE(after(answer(401)));
    EXPECT_TRUE(after(answer(400, R"({"status":"error","errorType":"bad_data"})")));
    EXPECT_TRUE(after(failure(ErrorKind::Refused, "loopback")));
    EXPECT_TRUE(fault(query(), {.answers = {answer(403), answer(403)}}));
    for (const int status : {400, 404, 500, 503})
        EXPECT_FALSE(after(answer(status)));
    EXPECT_FALSE(after(failure(ErrorKind::Timeout, "no answer in time")));
    EXPECT_FALSE(after(failure(ErrorKind::Unreachable, "no route")));
}

TEST(Prometheus, TheLongestExpressionFitsIntoAUrl) {
    PrometheusQuery asked = query();
    asked.expr = std::string(promql_bytes_max, '>');
    const Talk talk = play(asked, {.answers = {answer(405), answer(200, no_data)}});
    EXPECT_LT(talk.asks.at(1).url.size(), 64u << 10);
}

}  // namespace
}  // namespace sluice::api::metrics
