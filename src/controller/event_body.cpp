#include "controller/event_body.hpp"

#include <boost/json.hpp>

namespace sluice::controller {

namespace json = boost::json;

std::string event_body(const PostEvent& event, const std::string& instance) {
    const engine::ReasonEntry& reason = engine::entry(event.reason);
    const json::object regarding{{"apiVersion", "apps/v1"},
                                 {"kind", "StatefulSet"},
                                 {"namespace", event.key.ns},
                                 {"name", event.key.name},
                                 {"uid", event.uid}};
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
        {"regarding", regarding},
        {"note", event.note.substr(0, 1024)},
        {"type", reason.tone == engine::Tone::Warning ? "Warning" : "Normal"}});
}

}  // namespace sluice::controller
