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

// One family of numbers that the controller keeps, built when somebody asks.
class Family {
  public:
    Family(std::string name, std::string help, MetricType type)
        : family_{std::move(name), std::move(help), type, {}} {}

    Family& add(std::vector<std::pair<std::string, std::string>> labels, double value) {
        ClientMetric metric;
        for (auto& [name, text] : labels)
            metric.label.push_back({std::move(name), std::move(text)});
        metric.counter.value = value;
        metric.gauge.value = value;
        family_.metric.push_back(std::move(metric));
        return *this;
    }
    MetricFamily take() { return std::move(family_); }

  private:
    MetricFamily family_;
};

Family counter(std::string name, std::string help) {
    return {std::move(name), std::move(help), MetricType::Counter};
}
Family gauge(std::string name, std::string help) {
    return {std::move(name), std::move(help), MetricType::Gauge};
}

std::vector<MetricFamily> work_families(const controller::Controller& controller, Instant now) {
    const controller::Counters& counters = controller.counters();
    Family decisions =
        counter("sluice_decisions_total", "Looks at a workload, by what they found.");
    for (const auto& [what, count] : counters.decisions)
        decisions.add(
            {{"api", what.first}, {"reason", std::string{engine::entry(what.second).name}}},
            static_cast<double>(count));
    Family restarts =
        counter("sluice_watch_restarts_total", "Watches that ended and were renewed.");
    restarts.add({{"resource", "statefulsets"}},
                 controller.watch_restarts(model::Form::StatefulSet));
    restarts.add({{"resource", "pods"}}, controller.watch_restarts(model::Form::Pod));
    restarts.add({{"resource", "configmaps"}}, controller.watch_restarts(model::Form::ConfigMap));
    restarts.add({{"resource", "custom"}}, controller.watch_restarts(model::Form::Custom));
    Family writes = counter("sluice_writes_total", "Writes to the API that went through.");
    writes.add({{"what", "workload"}}, static_cast<double>(counters.workload_writes));
    writes.add({{"what", "object"}}, static_cast<double>(counters.object_writes));
    writes.add({{"what", "object_created"}}, static_cast<double>(counters.objects_created));
    writes.add({{"what", "object_deleted"}}, static_cast<double>(counters.objects_deleted));
    writes.add({{"what", "pod"}}, static_cast<double>(counters.pods_deleted));
    writes.add({{"what", "event"}}, static_cast<double>(counters.event_writes));
    Family phases = gauge("sluice_rollouts", "Steered workloads, by the phase they are in.");
    for (const auto& [phase, count] : controller.rollouts_by_phase())
        phases.add({{"phase", engine::to_text(phase)}}, count);
    return {decisions.take(),
            restarts.take(),
            writes.take(),
            phases.take(),
            counter("sluice_steps_total", "Pods that were let go.")
                .add({}, static_cast<double>(counters.steps))
                .take(),
            counter("sluice_defects_total", "Defects of Sluice that were met while deciding.")
                .add({}, static_cast<double>(counters.defects))
                .take(),
            counter("sluice_conflicts_total", "Writes that came too late and were planned anew.")
                .add({}, static_cast<double>(counters.conflicts))
                .take(),
            gauge("sluice_queue_depth", "Workloads that wait to be looked at.")
                .add({}, static_cast<double>(controller.queue_depth()))
                .take(),
            gauge("sluice_queue_age_seconds", "How long the oldest of them has waited.")
                .add({}, seconds(controller.queue_age(now)))
                .take()};
}

MetricFamily stored_objects(const controller::Controller& controller) {
    Family stored = gauge("sluice_stored_objects", "Objects in the operator's memory.");
    for (const auto& [plural, count] : controller.store().sizes())
        stored.add({{"resource", std::string{plural}}}, static_cast<double>(count));
    return stored.take();
}

std::vector<MetricFamily> process_families(const controller::Controller& controller) {
    const bool prevents = controller.guarantee() == engine::Guarantee::Prevent;
    return {gauge("sluice_leader", "1 while this operator leads.")
                .add({}, controller.leads() ? 1 : 0)
                .take(),
            gauge("sluice_synced", "1 once everything that is watched has been seen.")
                .add({}, controller.is_synced() ? 1 : 0)
                .take(),
            gauge("sluice_prevents", "1 if admission policies keep others from opening a gate.")
                .add({}, prevents ? 1 : 0)
                .take(),
            stored_objects(controller),
            gauge("process_resident_memory_bytes", "Resident memory of this process.")
                .add({}, resident_bytes())
                .take()};
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
