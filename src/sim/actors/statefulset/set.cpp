#include "sim/actors/statefulset/set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sluice::sim {
namespace {

// A number, or "30%" of the replicas, rounded down; at least one.
std::int64_t read_max_unavailable(const json::object& rolling, int replicas) {
    const json::value* wish = rolling.if_contains("maxUnavailable");
    std::int64_t count = 1;
    if (wish && wish->is_string()) {
        const std::string_view text{wish->get_string()};
        std::from_chars(text.data(), text.data() + text.size(), count);
        count = count * replicas / 100;
    } else if (wish) {
        count = number_at(rolling, "/maxUnavailable", 1);
    }
    return std::max<std::int64_t>(count, 1);
}

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Set::Set(ObjectPtr at) : stored(std::move(at)) {
    const Key key = key_of(object());
    const json::object& strategy = child(spec(), "updateStrategy");
    const json::object& rolling = child(strategy, "rollingUpdate");
    ns = key.ns;
    name = key.name;
    uid = uid_of(object());
    replicas = static_cast<int>(number_at(spec(), "/replicas", 1));
    start = static_cast<int>(number_at(child(spec(), "ordinals"), "/start"));
    is_rolling = text(strategy, "type") == "RollingUpdate";
    is_on_delete = text(strategy, "type") == "OnDelete";
    if (strategy.contains("rollingUpdate")) partition = number_at(rolling, "/partition");
    max_unavailable = read_max_unavailable(rolling, replicas);
    is_parallel = text(spec(), "podManagementPolicy") == "Parallel";
    min_ready = std::chrono::seconds{number_at(spec(), "/minReadySeconds")};
    history_limit = number_at(spec(), "/revisionHistoryLimit", 10);
}

SetPod::SetPod(ObjectPtr at) : stored(std::move(at)) {
    const json::object& meta = metadata(object());
    const json::object& status = child(object(), "status");
    ordinal = parent_and_ordinal(text(meta, "name")).ordinal;
    revision = text(child(meta, "labels"), revision_label);
    phase = text(status, "phase");
    is_ready = holds(status, "Ready");
    is_terminating = sim::is_terminating(object());
}

std::optional<Instant> SetPod::available_from(Duration min_ready) const {
    if (!is_ready) return std::nullopt;
    if (min_ready == 0s) return Instant{0};
    const json::object* ready = condition(child(object(), "status"), "Ready");
    const auto since = parse_rfc3339(text(*ready, "lastTransitionTime"));
    // Available is who has been ready for longer than that, not just as long.
    return since ? std::optional{*since + min_ready + 1ms} : std::nullopt;
}

bool SetPod::is_available(Duration min_ready, Instant now) const {
    const auto from = available_from(min_ready);
    return from && *from <= now;
}

ParentAndOrdinal parent_and_ordinal(std::string_view pod_name) {
    const std::size_t dash = pod_name.rfind('-');
    if (dash == std::string_view::npos || !is_digits(pod_name.substr(dash + 1))) return {};
    int ordinal = -1;
    const std::string_view digits = pod_name.substr(dash + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    return {pod_name.substr(0, dash), read.ec == std::errc{} ? ordinal : -1};
}

json::object new_pod(const Set& set, const json::object& pod_template, const SetPod& pod) {
    const std::string name = set.pod_name(pod.ordinal);
    const json::object& model = metadata(pod_template);
    json::object meta{{"name", name}, {"generateName", set.name + "-"}, {"namespace", set.ns}};
    json::object& labels = meta["labels"].emplace_object() = child(model, "labels");
    labels[revision_label] = pod.revision;
    labels["statefulset.kubernetes.io/pod-name"] = name;
    labels["apps.kubernetes.io/pod-index"] = std::to_string(pod.ordinal);
    if (model.contains("annotations")) meta["annotations"] = child(model, "annotations");
    if (model.contains("finalizers")) meta["finalizers"] = children(model, "finalizers");
    meta["ownerReferences"] = json::array{controller_reference(set.object())};

    json::object spec = child(pod_template, "spec");
    spec["hostname"] = name;
    if (const auto service = text(set.spec(), "serviceName"); !service.empty())
        spec["subdomain"] = service;
    json::array volumes;
    const json::array& templates = children(set.spec(), "volumeClaimTemplates");
    const auto is_claimed = [&](std::string_view volume) {
        return std::ranges::any_of(
            templates, [&](const auto& claim) { return name_of(claim.get_object()) == volume; });
    };
    for (const json::value& claim : templates) {
        const std::string volume{name_of(claim.get_object())};
        volumes.push_back(
            {{"name", volume},
             {"persistentVolumeClaim", {{"claimName", fmt::format("{}-{}", volume, name)}}}});
    }
    for (const json::value& volume : children(spec, "volumes"))
        if (!is_claimed(text(volume.get_object(), "name"))) volumes.push_back(volume);
    if (!volumes.empty()) spec["volumes"] = std::move(volumes);
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", std::move(meta)},
            {"spec", std::move(spec)}};
}

}  // namespace sluice::sim
