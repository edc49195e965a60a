#include "api/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/json_parts.hpp"
#include "api/registry.hpp"
#include "model/decode.hpp"
#include "model/label_selector.hpp"

namespace sluice::api {
namespace {

namespace json = boost::json;

constexpr std::size_t containers_max = 32;

template <class T>
Result<T> decode(const model::Resource& resource, const json::object& object) {
    model::Decoder decoder{kept()};
    auto found = decoder.object(resource, json::serialize(object));
    if (!found) return std::unexpected(found.error());
    return std::get<T>(std::move(*found));
}

std::vector<std::string> images_in(const JsonReader& pod_spec) {
    return pod_spec.list("containers", containers_max,
                         [](const JsonReader& one) { return std::optional{one.text("image")}; });
}

Instant created_in(const JsonReader& object) {
    return object.part("metadata").time("creationTimestamp");
}

struct ContainerState {
    std::string trouble;  // why it waits, or how it ended
    int restarts = 0;
};

std::optional<ContainerState> read_container(const JsonReader& one) {
    const JsonReader state = one.part("state");
    std::string trouble = state.part("waiting").text("reason");
    if (trouble.empty()) trouble = state.part("terminated").text("reason");
    return ContainerState{std::move(trouble), one.count("restartCount")};
}

}  // namespace

std::string workload_title(std::string_view name) {
    return fmt::format("sts/{}", name);
}

Result<Workload> read_workload(const json::object& object) {
    auto set = decode<model::StatefulSet>(model::statefulsets, object);
    if (!set) return std::unexpected(set.error());
    const json::value whole(object);
    const JsonReader reader{&whole};
    Workload workload;
    workload.set = std::move(*set);
    workload.created = created_in(reader);
    workload.updated = PodCount{reader.part("status").count("updatedReplicas")};
    const json::value* selector = reader.part("spec").find("selector");
    if (selector && selector->is_object())
        workload.selector = model::selector_text(selector->get_object()).value_or("");
    workload.images = images_in(reader.part("spec").part("template").part("spec"));
    return workload;
}

bool is_pending(const Workload& workload) {
    return workload.set.current_revision != workload.set.update_revision;
}

std::string gate_text(const Workload& workload) {
    const model::StatefulSet& set = workload.set;
    const Partition gate = effective_partition(set);
    const int all = set.replicas.value;
    const int through = exposed_count(gate, set.replicas).value;
    const std::string pods = fmt::format("{} pod{}", all, all == 1 ? "" : "s");
    if (through == all && all > 0)
        return fmt::format("open: all {} are through (partition {})", pods, gate.value);
    if (!is_pending(workload))
        return fmt::format("closed: nothing is pending (partition {})", gate.value);
    if (through == 0)
        return fmt::format("closed: all {} are behind it (partition {})", pods, gate.value);
    return fmt::format("{} of {} through, {} behind it (partition {})", through, pods,
                       all - through, gate.value);
}

Result<PodView> read_pod(const json::object& object) {
    auto pod = decode<model::Pod>(model::pods, object);
    if (!pod) return std::unexpected(pod.error());
    const json::value whole(object);
    const JsonReader reader{&whole};
    PodView view;
    view.name = pod->meta.key.name;
    view.owner_uid = pod->owner_uid;
    view.ordinal = model::ordinal_of(*pod);
    view.revision = pod->revision;
    view.images = images_in(reader.part("spec"));
    view.created = created_in(reader);
    view.ready = pod->ready && !pod->meta.deleting;
    view.state = reader.part("status").text("phase");
    for (const ContainerState& one :
         reader.part("status").list("containerStatuses", containers_max, read_container)) {
        if (!one.trouble.empty()) view.state = one.trouble;
        view.restarts += one.restarts;
    }
    if (pod->meta.deleting) view.state = "Terminating";
    return view;
}

EventView read_event(const json::object& object) {
    const json::value whole(object);
    const JsonReader reader{&whole};
    const JsonReader series = reader.part("series");
    EventView view;
    view.at = std::max({created_in(reader), reader.time("eventTime"), reader.time("lastTimestamp"),
                        series.time("lastObservedTime")});
    const std::string version = reader.part("metadata").text("resourceVersion");
    std::from_chars(version.data(), version.data() + version.size(), view.version);
    view.warns = reader.text("type") == "Warning";
    view.reason = reader.text("reason");
    view.message = reader.text("message");
    view.count = std::max({1, reader.count("count"), series.count("count")});
    return view;
}

}  // namespace sluice::api
