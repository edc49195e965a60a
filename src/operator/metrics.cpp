#include "operator/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "wire/paths.hpp"

namespace sluice::operators {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

const prometheus::Histogram::BucketBoundaries request_buckets{0.005, 0.02, 0.1, 0.5, 2, 10, 60};
const prometheus::Histogram::BucketBoundaries rollout_buckets{10,   60,    300,   900,
                                                              3600, 14400, 86400, 604800};

std::string verb_of(const std::string& method, const std::string& path) {
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return "delete";
    if (path.find("watch=1") != std::string::npos) return "watch";
    const std::string plain = path.substr(0, path.find('?'));
    return plain.ends_with("/" + wire::resource_of(path)) ? "list" : "get";
}

double seconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1000;
}

// Resident pages, from the kernel; zero where there is no /proc.
double resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    double total = 0, resident = 0;
    statm >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// A number that the controller keeps, read when somebody asks.
struct Row {
    Row(std::vector<ClientMetric::Label> names, auto number)
        : labels(std::move(names)), value(static_cast<double>(number)) {}
    Row(auto number) : Row({}, number) {}

    std::vector<ClientMetric::Label> labels;
    double value;
};

MetricFamily family(MetricType type, std::string name, std::string help, std::vector<Row> rows) {
    MetricFamily made{std::move(name), std::move(help), type, {}};
    for (Row& row : rows) {
        ClientMetric& metric = made.metric.emplace_back();
        metric.label = std::move(row.labels);
        metric.counter.value = row.value;
        metric.gauge.value = row.value;
    }
    return made;
}
MetricFamily counter(std::string name, std::string help, std::vector<Row> rows) {
    return family(MetricType::Counter, std::move(name), std::move(help), std::move(rows));
}
MetricFamily gauge(std::string name, std::string help, std::vector<Row> rows) {
    return family(MetricType::Gauge, std::move(name), std::move(help), std::move(rows));
}

std::vector<MetricFamily> work_families(const controller::Controller& controller, Instant now) {
    const controller::Counters& counters = controller.counters();
    std::vector<Row> decisions;
    decisions.reserve(counters.decisions.size());
    for (const auto& [what, count] : counters.decisions)
        decisions.push_back(
            {{{"api", what.first}, {"reason", std::string{engine::entry(what.second).name}}},
             count});
    std::vector<Row> phases;
    for (const auto& [phase, count] : controller.rollouts_by_phase())
        phases.push_back({{{"phase", engine::to_text(phase)}}, count});
    std::vector<Row> events;
    std::uint64_t events_in_all = 0;
    for (const auto& [reason, count] : counters.events) {
        events.push_back({{{"reason", std::string{engine::entry(reason).name}}}, count});
        events_in_all += count;
    }
    const auto restarts = [&](const char* resource, model::Form form) {
        return Row{{{"resource", resource}}, controller.watch_restarts(form)};
    };
    const auto writes = [](const char* what, auto count) { return Row{{{"what", what}}, count}; };
    return {
        counter("sluice_decisions_total", "Looks at a workload, by what they found.", decisions),
        counter("sluice_watch_restarts_total", "Watches that ended and were renewed.",
                {restarts("statefulsets", model::Form::StatefulSet),
                 restarts("pods", model::Form::Pod), restarts("configmaps", model::Form::ConfigMap),
                 restarts("custom", model::Form::Custom)}),
        counter(
            "sluice_writes_total", "Writes to the API that went through.",
            {writes("workload", counters.workload_writes), writes("object", counters.object_writes),
             writes("object_created", counters.objects_created),
             writes("object_deleted", counters.objects_deleted),
             writes("pod", counters.pods_deleted), writes("event", events_in_all)}),
        counter("sluice_events_total", "Events that were posted, by what they tell.", events),
        gauge("sluice_rollouts", "Steered workloads, by the phase they are in.", phases),
        counter("sluice_steps_total", "Pods that were let go.", {counters.steps}),
        counter("sluice_defects_total", "Defects of Sluice that were met while deciding.",
                {counters.defects}),
        counter("sluice_conflicts_total", "Writes that came too late and were planned anew.",
                {counters.conflicts}),
        gauge("sluice_queue_depth", "Workloads that wait to be looked at.",
              {controller.queue_depth()}),
        gauge("sluice_queue_age_seconds", "How long the oldest of them has waited.",
              {seconds(controller.queue_age(now))}),
    };
}

std::vector<MetricFamily> process_families(const controller::Controller& controller) {
    std::vector<Row> stored;
    for (const auto& [plural, count] : controller.store().sizes())
        stored.push_back({{{"resource", std::string{plural}}}, count});
    return {
        gauge("sluice_leader", "1 while this operator leads.", {controller.leads()}),
        gauge("sluice_synced", "1 once everything that is watched has been seen.",
              {controller.is_synced()}),
        gauge("sluice_prevents", "1 if admission policies keep others from opening a gate.",
              {controller.guarantee() == engine::Guarantee::Prevent}),
        gauge("sluice_stored_objects", "Objects in the operator's memory.", stored),
        gauge("process_resident_memory_bytes", "Resident memory of this process.",
              {resident_bytes()}),
    };
}

}  // namespace

struct Metrics::State {
    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& requests =
        prometheus::BuildCounter()
            .Name("sluice_api_requests_total")
            .Help("Requests to the API server, by verb, resource and status code.")
            .Register(registry);
    prometheus::Family<prometheus::Histogram>& latency =
        prometheus::BuildHistogram()
            .Name("sluice_api_request_seconds")
            .Help("How long they took; watches are not counted.")
            .Register(registry);
    prometheus::Family<prometheus::Histogram>& rollouts =
        prometheus::BuildHistogram()
            .Name("sluice_rollout_duration_seconds")
            .Help("How long rollouts took, by API and outcome.")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& checks =
        prometheus::BuildCounter()
            .Name("sluice_metric_checks_total")
            .Help("Questions to Prometheus that came to an end, by what was read.")
            .Register(registry);
    // In the order of MetricAnswer::Kind; there from the start, so that rates can be computed.
    std::array<prometheus::Counter*, 3> check_outcomes{&checks.Add({{"outcome", "no_data"}}),
                                                       &checks.Add({{"outcome", "data"}}),
                                                       &checks.Add({{"outcome", "unknown"}})};
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

void Metrics::request_answered(const std::string& method, const std::string& path, int status,
                               Duration took) {
    const std::string verb = verb_of(method, path);
    const std::string resource = wire::resource_of(path);
    state_->requests.Add({{"verb", verb}, {"resource", resource}, {"code", std::to_string(status)}})
        .Increment();
    if (verb != "watch")
        state_->latency.Add({{"verb", verb}, {"resource", resource}}, request_buckets)
            .Observe(seconds(took));
}

void Metrics::rollout_ended(const std::string& api, const std::string& outcome, Duration took) {
    state_->rollouts.Add({{"api", api}, {"outcome", outcome}}, rollout_buckets)
        .Observe(seconds(took));
}

void Metrics::metric_read(engine::MetricAnswer::Kind kind) {
    state_->check_outcomes.at(static_cast<std::size_t>(kind))->Increment();
}

std::string Metrics::text(const controller::Controller& controller, Instant now) const {
    std::vector<MetricFamily> families = state_->registry.Collect();
    for (MetricFamily& family : work_families(controller, now))
        families.push_back(family);
    for (MetricFamily& family : process_families(controller))
        families.push_back(family);
    return prometheus::TextSerializer{}.Serialize(families);
}

}  // namespace sluice::operators
