// Asks Prometheus one question, as the operator does, and prints the reading as JSON. Started by
// tests/cluster/test_prometheus.py with the question as a JSON object; Secrets come from the API
// server of SLUICE_TEST_KUBECONFIG.
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>

#include "api/metrics/prometheus.hpp"
#include "kube/credentials.hpp"
#include "probe/inquirer.hpp"

namespace {

namespace json = boost::json;
using namespace sluice;
using api::metrics::MetricReading;
using api::metrics::PrometheusQuery;

std::string text(const json::object& from, std::string_view key) {
    const json::value* found = from.if_contains(key);
    return found ? std::string(found->as_string()) : "";
}

PrometheusQuery read_query(const json::object& asked) {
    PrometheusQuery query;
    query.expr = text(asked, "expr");
    query.url = text(asked, "url");
    query.secret = text(asked, "secret");
    query.ca_secret = text(asked, "caSecret");
    query.insecure_skip_verify = asked.contains("insecureSkipVerify");
    if (const json::value* seconds = asked.if_contains("timeoutSeconds")) {
        query.timeout = std::chrono::seconds(seconds->as_int64());
    }
    return query;
}

std::string shown(const Result<MetricReading>& reading) {
    if (!reading) return json::serialize(json::object{{"givenUp", reading.error().message}});
    constexpr std::array kinds{"NoData", "Data", "Unknown"};
    json::object out{{"kind", kinds.at(static_cast<std::size_t>(reading->kind))},
                     {"message", reading->message},
                     {"series", reading->series},
                     {"warnings", reading->warnings}};
    if (reading->value) out["value"] = std::to_string(*reading->value);
    return json::serialize(out);
}

int run(const json::object& asked) {
    const char* kubeconfig = std::getenv("SLUICE_TEST_KUBECONFIG");
    boost::asio::io_context loop;
    const auto credentials = kube::from_kubeconfig(loop, {kubeconfig ? kubeconfig : ""}, "");
    const Result<api::HostList> allowed = api::read_hosts(text(asked, "allowedHosts"));
    if (!credentials || !allowed) {
        std::cerr << (credentials ? allowed.error() : credentials.error()).message << "\n";
        return 1;
    }
    kube::ApiClient api(loop, *credentials, 2);
    probe::PluginCaller plugins(loop, [](auto, const std::string&) {});
    probe::Inquirer inquirer(loop, api, plugins, "query", true);
    const PrometheusQuery query = read_query(asked);
    const std::string ns = text(asked, "namespace");
    const auto said = [](Result<MetricReading> reading) {
        return engine::answer_of(std::move(reading));
    };
    inquirer.begin({ns, api::metrics::longest(query),
                    [&](const api::Learnt& learnt) {
                        return api::move_of<MetricReading>(
                            api::metrics::ask_prometheus(query, ns, *allowed, learnt), said);
                    },
                    [&](const Error& error) { return said(std::unexpected(error)); }},
                   [&](const api::Said& heard) {
                       std::cout << shown(*engine::opened<Result<MetricReading>>(*heard)) << "\n";
                       loop.stop();
                   });
    loop.run();
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return 2;
    return run(json::parse(words[1]).as_object());
}
