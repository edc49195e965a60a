#include "api/extended_job/pods.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "model/label_selector.hpp"

namespace sluice::api::extended_job {

// Nothing of its spec is wanted.
const model::Resource neighbour_pods{"", "v1", "pods", "Pod", false, model::Form::Custom, {}};

namespace {

namespace json = boost::json;

constexpr std::size_t conditions_max = 64;
constexpr std::string_view words[pod_states] = {"ready", "notready", "created", "deleted"};

bool is_ready(const JsonReader& status) {
    const auto ready =
        status.list("conditions", conditions_max, [](const JsonReader& one) -> std::optional<bool> {
            if (one.text("type") != "Ready") return std::nullopt;
            return one.text("status") == "True";
        });
    return std::ranges::find(ready, true) != ready.end();
}

}  // namespace

std::string_view to_text(PodState state) {
    return words[static_cast<std::size_t>(state)];
}

bool is_in(PodState state, const model::CustomObject& pod) {
    const json::value value = model::parse_json(pod.status);
    const JsonReader status{&value};
    const std::string phase = status.text("phase");
    if (phase == "Succeeded" || phase == "Failed") return false;
    if (pod.meta.deleting) return state == PodState::Deleted;
    switch (state) {
        case PodState::Ready: return is_ready(status);
        case PodState::NotReady: return !is_ready(status);
        case PodState::Created: return true;
        case PodState::Deleted: break;
    }
    return false;
}

bool concerns(PodState state, const json::object& selector, const model::CustomObject& pod) {
    return !pod.labels.contains("job-name") && model::selects(selector, pod.labels) &&
           is_in(state, pod);
}

void trim_pod(model::CustomObject& pod) {
    const json::value value = model::parse_json(pod.status);
    const JsonReader status{&value};
    json::object kept{{"phase", status.text("phase")}};
    if (is_ready(status))
        kept["conditions"] = json::array{json::object{{"type", "Ready"}, {"status", "True"}}};
    pod.status = json::serialize(kept);
    pod.annotations.clear();
    pod.finalizers.clear();
}

bool minds_pods(const model::CustomObject& object) {
    return object.spec.contains("\"podstate\"");
}

}  // namespace sluice::api::extended_job
