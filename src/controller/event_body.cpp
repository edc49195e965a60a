#include "controller/event_body.hpp"

#include <boost/json.hpp>

#include "base/utf8.hpp"

namespace sluice::controller {

namespace json = boost::json;

namespace {

// What events.k8s.io takes.
constexpr std::size_t instance_max = 128;
constexpr std::size_t note_max = 1024;

json::object regarding(const engine::Subject& about) {
    const model::Resource& resource = *about.ref.resource;
    return {{"apiVersion", std::string{resource.group} + "/" + std::string{resource.version}},
            {"kind", resource.kind},
            {"namespace", about.ref.ns},
            {"name", about.ref.name},
            {"uid", about.uid}};
}

}  // namespace

std::string event_body(const PostEvent& event, const std::string& instance) {
    const engine::ReasonEntry& reason = engine::entry(event.reason);
    return json::serialize(
        json::object{{"apiVersion", "events.k8s.io/v1"},
                     {"kind", "Event"},
                     {"metadata", json::object{{"generateName", event.about.ref.name + "-"},
                                               {"namespace", event.about.ref.ns}}},
                     {"eventTime", to_rfc3339_micro(event.at)},
                     {"reportingController", "sluice.dev/operator"},
                     {"reportingInstance", beginning(instance, instance_max)},
                     {"action", "Steer"},
                     {"reason", event.name.empty() ? reason.name : event.name},
                     {"regarding", regarding(event.about)},
                     {"note", beginning(event.note, note_max)},
                     {"type", reason.tone == engine::Tone::Warning ? "Warning" : "Normal"}});
}

}  // namespace sluice::controller
