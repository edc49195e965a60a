#include "controller/event_body.hpp"

#include <boost/json.hpp>

namespace sluice::controller {

namespace json = boost::json;

namespace {

json::object regarding(const PostEvent& event) {
    const model::CustomResource* resource = event.resource;
    return {{"apiVersion", resource
                               ? std::string{resource->group} + "/" + std::string{resource->version}
                               : "apps/v1"},
            {"kind", resource ? resource->kind : "StatefulSet"},
            {"namespace", event.key.ns},
            {"name", event.key.name},
            {"uid", event.uid}};
}

}  // namespace

std::string event_body(const PostEvent& event, const std::string& instance) {
    const engine::ReasonEntry& reason = engine::entry(event.reason);
    return json::serialize(json::object{
        {"apiVersion", "events.k8s.io/v1"},
        {"kind", "Event"},
        {"metadata",
         json::object{{"generateName", event.key.name + "-"}, {"namespace", event.key.ns}}},
        {"eventTime", to_rfc3339_micro(event.at)},
        {"reportingController", "sluice.dev/operator"},
        {"reportingInstance", instance.substr(0, 128)},
        {"action", "Steer"},
        {"reason", reason.name},
        {"regarding", regarding(event)},
        {"note", event.note.substr(0, 1024)},
        {"type", reason.tone == engine::Tone::Warning ? "Warning" : "Normal"}});
}

}  // namespace sluice::controller
