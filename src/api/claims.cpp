#include "api/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/json_parts.hpp"
#include "base/printable.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"

namespace sluice::api {
namespace {

namespace json = boost::json;
namespace key = model::key;
using engine::Decision;
using engine::Phase;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;
using model::StatefulSet;

constexpr std::size_t name_shown_max = 64;

// The set is claimed, and nobody is left who claimed it.
Decision abandon(const Claims& claims, const Snapshot& seen, Instant now) {
    engine::Course course;
    if (!claims.mark.empty()) course.marks = {{std::string{claims.mark}, ""}};
    course.held_by = foreign_claim(claims, seen.workload);
    const std::string_view name = holder_name(claims, seen.workload);
    Decision decision = engine::release(seen, course,
                                        fmt::format("There is no {} {} that names it", claims.kind,
                                                    printable(name, name_shown_max)),
                                        now);
    decision.needs_live = true;
    return decision;
}

engine::Action write_finalizers(const engine::Subject& subject, const char* operation,
                                json::value seen, json::array wanted) {
    const char* path = "/metadata/finalizers";
    const json::array operations{
        json::object{{"op", "test"}, {"path", path}, {"value", std::move(seen)}},
        json::object{{"op", operation}, {"path", path}, {"value", std::move(wanted)}}};
    return write_to(subject, false, json::serialize(operations));
}

}  // namespace

const std::string& annotation_of(const CustomObject& object, const std::string& name) {
    static const std::string none;
    const auto found = object.annotations.find(name);
    return found == object.annotations.end() ? none : found->second;
}

std::string claim_of(const Claims& claims, const CustomObject& object) {
    return fmt::format("{}{}", claims.prefix, object.meta.key.name);
}

std::optional<std::string> foreign_claim(const Claims& claims, const StatefulSet& set) {
    const std::string& claim = annotation(set, key::claim);
    if (claim.empty() || claim.starts_with(claims.prefix)) return std::nullopt;
    return printable(claim, name_shown_max);
}

std::string_view holder_name(const Claims& claims, const StatefulSet& set) {
    const std::string_view claim = annotation(set, key::claim);
    if (claim.starts_with(claims.prefix)) return claim.substr(claims.prefix.size());
    return claims.mark.empty() ? std::string_view{} : annotation(set, claims.mark);
}

const CustomObject* holder_of(const Claims& claims, const Snapshot& seen) {
    const auto& objects = seen.objects;
    const std::string_view name = holder_name(claims, seen.workload);
    auto found = std::ranges::find_if(
        objects, [&](const CustomObject& one) { return one.meta.key.name == name; });
    if (found == objects.end())
        found = std::ranges::find_if(objects,
                                     [](const CustomObject& one) { return !one.meta.deleting; });
    return found == objects.end() ? nullptr : &*found;
}

bool concerns(const Claims& claims, const StatefulSet& set,
              const std::vector<CustomObject>& objects) {
    return !objects.empty() || annotation(set, key::claim).starts_with(claims.prefix);
}

Decision reporting(const Claims& claims, const Snapshot& seen, const CustomObject& object,
                   Phase phase, Reason reason, std::string message) {
    Decision decision;
    decision.report = {
        phase, reason, std::move(message),
        engine::unblock_text(reason, seen.workload, claims.commands, object.meta.key.name)};
    if (engine::entry(reason).tone == engine::Tone::Warning)
        decision.notices.push_back({reason, decision.report.message});
    return decision;
}

Decision decide(const Claims& claims, const Snapshot& seen, Instant now) {
    const bool is_missing = seen.workload.meta.uid.empty();
    const auto foreign = foreign_claim(claims, seen.workload);
    const CustomObject* holder = is_missing || foreign ? nullptr : holder_of(claims, seen);
    if (!is_missing && seen.objects.empty()) return abandon(claims, seen, now);
    Decision decision;
    decision.report.reason = is_missing ? Reason::TargetMissing
                             : foreign  ? Reason::ClaimedByOther
                                        : Reason::Released;
    if (holder)
        decision = holder->meta.deleting ? claims.part(seen, *holder, now)
                                         : claims.steer(seen, *holder, now);
    const std::string who = foreign ? *foreign : holder ? claim_of(claims, *holder) : "";
    const std::string& name = seen.workload.meta.key.name;
    const Reason reason = is_missing ? Reason::TargetMissing : Reason::ClaimedByOther;
    const std::string message =
        is_missing ? fmt::format("There is no StatefulSet {} in this namespace.", name)
                   : fmt::format("{} steers StatefulSet {}.", who, name);
    for (const CustomObject& object : seen.objects)
        if (&object != holder)
            claims.inform(decision, object, seen,
                          reporting(claims, seen, object, Phase::Blocked, reason, message), now);
    return decision;
}

engine::Subject subject_of(const model::Resource& resource, const CustomObject& object) {
    return {ref_to(resource, object.meta.key), object.meta.uid};
}

engine::Action write_to(const engine::Subject& object, bool of_status,
                        std::string_view operations) {
    json::array patch{
        json::object{{"op", "test"}, {"path", "/metadata/uid"}, {"value", object.uid}}};
    for (json::value& one : json::parse(operations).as_array())
        patch.push_back(std::move(one));
    return {.object = object, .body = json::serialize(patch), .of_status = of_status};
}

engine::Action add_finalizer(const model::Resource& resource, const CustomObject& object,
                             std::string_view finalizer) {
    json::array wanted(object.finalizers.begin(), object.finalizers.end());
    json::value seen = object.finalizers.empty() ? json::value{} : json::value(wanted);
    wanted.push_back(json::value(finalizer));
    return write_finalizers(subject_of(resource, object), "add", std::move(seen),
                            std::move(wanted));
}

engine::Action drop_finalizer(const model::Resource& resource, const CustomObject& object,
                              std::string_view finalizer) {
    json::array seen(object.finalizers.begin(), object.finalizers.end());
    json::array wanted;
    for (const std::string& one : object.finalizers)
        if (one != finalizer) wanted.push_back(json::value(one));
    return write_finalizers(subject_of(resource, object), "replace", std::move(seen),
                            std::move(wanted));
}

const engine::Attempt* refused_write(const engine::Snapshot& seen) {
    using Verb = engine::Action::Verb;
    const auto& attempt = seen.attempt;
    if (!attempt || !attempt->refusal) return nullptr;
    const int status = attempt->refusal->status;
    const bool is_no = status >= 400 && status < 500 && status != 408 && status != 409;
    const bool is_late = attempt->verb == Verb::Patch && status == 422 &&
                         !attempt->refusal->why.contains("is invalid: spec");
    const bool is_gone = attempt->verb != Verb::Create && status == 404;
    return is_no && !is_late && !is_gone ? &*attempt : nullptr;
}

std::optional<engine::Action> status_write(const engine::Subject& subject,
                                           const CustomObject& object, const std::string& old,
                                           const std::string& status) {
    if (status == old) return std::nullopt;
    json::value seen = model::parse_json(object.status);
    const json::array operations{
        json::object{
            {"op", "test"}, {"path", "/metadata/generation"}, {"value", object.meta.generation}},
        json::object{{"op", "test"}, {"path", "/status"}, {"value", std::move(seen)}},
        json::object{{"op", "add"}, {"path", "/status"}, {"value", json::parse(status)}}};
    return write_to(subject, true, json::serialize(operations));
}

}  // namespace sluice::api
