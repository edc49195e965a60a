#include "api/stateful_cluster/status.hpp"

#include <array>

#include "api/stateful_cluster/spec.hpp"
#include "api/status_parts.hpp"

namespace sluice::api::stateful_cluster {
namespace {

constexpr std::size_t members_max = 2 * static_cast<std::size_t>(replicas_max);
constexpr std::size_t memory_max = 1024;

constexpr std::array<std::string_view, 5> states{"Planned", "Creating", "Starting", "Ready",
                                                 "NotReady"};
constexpr std::array<std::string_view, 4> reasons_to_leave{"Failed", "Gone", "Scaled", "Updated"};

constexpr auto member_fields = [](auto& json, auto& member) {
    json.key("name", member.name, name_max)
        .word("state", member.state, states)
        .field("revision", member.revision, name_max)
        .field("claimsOf", member.claims_of, word_max)
        .field("after", member.after, name_max)
        .field("node", member.node, name_max)
        .field("since", member.since)
        .field("added", member.added);
};

constexpr auto leaver_fields = [](auto& json, auto& leaver) {
    json.key("name", leaver.name, name_max)
        .word("why", leaver.why, reasons_to_leave)
        .field("claimsOf", leaver.claims_of, word_max)
        .field("handsOver", leaver.hands_over);
};

constexpr auto status_fields = [](auto& json, auto& status) {
    head_fields(json, status);
    json.always("replicas", status.replicas)
        .always("readyReplicas", status.ready)
        .always("availableReplicas", status.available)
        .always("currentReplicas", status.current)
        .always("updatedReplicas", status.updated)
        .field("currentRevision", status.current_revision, name_max)
        .field("updateRevision", status.update_revision, name_max)
        .field("selector", status.selector, selector_max)
        .entries("members", status.members, members_max, member_fields)
        .entries("leaving", status.leaving, members_max, leaver_fields)
        .field("rollout", status.rollout, memory_max)
        .field("exposed", status.exposed);
    gates::status_fields(json, status.gates);
    json.field("toleranceFrom", status.tolerance_from)
        .field("writtenAt", status.written)
        .entries("conditions", status.conditions, conditions_max, condition_fields);
};

}  // namespace

Status read_status(const model::CustomObject& object) {
    const boost::json::value value = model::parse_json(object.status);
    JsonReader reader{&value};
    Status status;
    status_fields(reader, status);
    status.revisions = read_revisions(reader);
    return status;
}

std::string write_status(const Status& status) {
    JsonWriter writer;
    status_fields(writer, status);
    write_revisions(writer, status.revisions);
    return boost::json::serialize(writer.take());
}

}  // namespace sluice::api::stateful_cluster
