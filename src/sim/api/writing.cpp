#include "sim/api/writing.hpp"

#include <fmt/format.h>

#include "sim/api/admission.hpp"
#include "sim/api/answers.hpp"
#include "sim/api/defaults.hpp"
#include "sim/api/managed_fields.hpp"
#include "sim/api/patching.hpp"
#include "sim/api/schema.hpp"
#include "sim/api/state.hpp"

namespace sluice::sim {
namespace {

void move_key(json::object& object, const char* from, const char* to) {
    if (json::value* found = object.if_contains(from)) {
        json::value value = std::move(*found);
        object.erase(from);
        object[to] = std::move(value);
    }
}

// The keys of a core event, and what the newer group of events calls them.
constexpr std::pair<const char*, const char*> event_keys[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"}};

Response accepted(json::value body, int status, std::vector<std::string> warnings) {
    return {.status = status, .body = std::move(body), .warnings = std::move(warnings)};
}

bool same_but(const json::object& left, const json::object& right, std::string_view key) {
    const std::size_t ours = left.size() - (left.contains(key) ? 1 : 0);
    const std::size_t theirs = right.size() - (right.contains(key) ? 1 : 0);
    if (ours != theirs) return false;
    for (const auto& [name, value] : left) {
        if (std::string_view{name} == key) continue;
        const json::value* other = right.if_contains(name);
        if (!other || *other != value) return false;
    }
    return true;
}

// Who wrote which fields, apart from when.
json::array record_of(const json::object& object) {
    json::array record = array_at(object, "/metadata/managedFields");
    for (json::value& entry : record)
        if (entry.is_object()) entry.get_object().erase("time");
    return record;
}

bool is_same_write(const json::object& before, const json::object& after) {
    return same_but(after, before, "metadata") &&
           same_but(object_at(after, "/metadata"), object_at(before, "/metadata"),
                    "managedFields") &&
           record_of(after) == record_of(before);
}

// Something must happen before it may go; a namespace keeps its finalizers in its spec.
bool is_held(const json::object& object) {
    return !array_at(object, "/metadata/finalizers").empty() ||
           !array_at(object, "/spec/finalizers").empty();
}

std::string storage_key(const Place& place) {
    const std::string plural = place.resource.substr(0, place.resource.find('.'));
    return fmt::format("/registry/{}/{}{}{}", plural, place.ns, place.ns.empty() ? "" : "/",
                       place.name);
}

// A pod on a node has the labels that say where the node stands.
void take_over_zone(const Storage& storage, json::object& pod) {
    const std::string name = text_at(pod, "/spec/nodeName");
    const ObjectPtr node = name.empty() ? nullptr : storage.find({"nodes", {}, name});
    if (!node) return;
    for (const char* key : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"})
        if (const json::value* value =
                object_at(node->object(), "/metadata/labels").if_contains(key))
            object_in(pod, "/metadata/labels")[key] = *value;
}

// What stands at a place of the one, or that nothing does, becomes so in the other.
void take_over(json::object& to, const json::object& from, std::string_view pointer) {
    if (const json::value* value = find(from, pointer))
        set(to, pointer, *value);
    else
        erase(to, pointer);
}

std::string name_of(const json::object& object) {
    return text_at(object, "/metadata/name");
}

}  // namespace

std::string storage_id(const Resource& resource) {
    return resource.group == "events.k8s.io" ? resource.plural : resource.id();
}

json::object to_core_event(json::object event) {
    event["apiVersion"] = "v1";
    for (const auto& [old, now] : event_keys)
        move_key(event, now, old);
    return event;
}

json::object shown_as(const Resource& resource, json::object object) {
    if (resource.group == "events.k8s.io") {
        for (const auto& [old, now] : event_keys)
            move_key(object, old, now);
        for (const char* key : {"reportingController", "reportingInstance"})
            if (text_at(object, std::string{"/"} + key).empty()) object.erase(key);
    }
    object["apiVersion"] = resource.api_version();
    object["kind"] = resource.kind;
    return object;
}

Place Writing::place_of(const json::object& object) const {
    return {storage_id(resource_), text_at(object, "/metadata/namespace"), name_of(object)};
}

Response Writing::check_namespace(const std::string& ns, const std::string& name) const {
    if (!resource_.namespaced) return {};
    const ObjectPtr found = server_.storage_.find({"namespaces", {}, ns});
    if (!found) return not_found(*server_.resource("namespaces"), ns);
    if (text_at(found->object(), "/status/phase") == "Terminating")
        return terminating(resource_, name, ns);
    return {};
}

Response Writing::stored(const Place& place, json::object object, int status,
                         std::vector<std::string> warnings) {
    if (is_dry) return accepted(std::move(object), status, std::move(warnings));
    const ObjectPtr after = server_.storage_.put(place, std::move(object), user_);
    if (place.resource == custom_definitions) server_.learn_definition(place.name);
    return accepted(after->object(), status, std::move(warnings));
}

Response Writing::create(const std::string& ns, json::object object) {
    if (Response no = check_namespace(ns, name_of(object)); no.status != 200) return no;
    if (has(object, "/metadata/resourceVersion"))
        return refusal(500, {}, "resourceVersion should not be set on objects to be created");
    if (name_of(object).empty()) {
        const std::string prefix = text_at(object, "/metadata/generateName");
        if (prefix.empty())
            return invalid(resource_, {},
                           {{"metadata.name", "FieldValueRequired",
                             "Required value: name or generateName is required"}});
        set(object, "/metadata/name", prefix + server_.next_suffix());
    }
    if (resource_.namespaced) set(object, "/metadata/namespace", ns);
    tidy(resource_, object);
    json::object& meta = object_in(object, "/metadata");
    for (const char* key : {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
                            "selfLink", "generation"})
        meta.erase(key);
    meta["uid"] = server_.next_uid();
    meta["creationTimestamp"] = to_rfc3339(now_);
    if (resource_.counts_generation) meta["generation"] = 1;
    if (const Schema* schema = resource_.schema.get())
        object = with_defaults(schema->document, pruned(schema->document, std::move(object)));
    if (resource_.has_status) object.erase("status");
    fill_in(resource_, object);
    if (server_.tracks_fields_ && !is_applied)
        object = with_managed_fields({}, std::move(object), {manager, false, {}, now_});
    write_out(resource_, object);
    begin(resource_, object);
    if (resource_.kind == "Pod") take_over_zone(server_.storage_, object);
    const Place place = place_of(object);
    const AdmissionRequest request{server_.storage_, resource_, {}, user_, nullptr};
    object = mutated(request, std::move(object));
    if (const auto problems = wrong(resource_, object, nullptr); !problems.empty())
        return invalid(resource_, place.name, problems);
    Admitted result = admitted(request, std::move(object));
    if (result.refusal) return denied(resource_, place.name, *result.refusal);
    if (server_.storage_.find(place)) return already_exists(resource_, place.name);
    for (std::string& warning : advice(resource_, result.object))
        result.warnings.push_back(std::move(warning));
    return stored(place, std::move(result.object), 201, std::move(result.warnings));
}

// The status subresource moves the status and nothing else; a custom resource keeps its metadata.
json::object Writing::merged_status(const json::object& before, const json::object& object) const {
    json::object after = before;
    take_over(after, object, "/status");
    if (resource_.is_custom()) return after;
    for (const char* part : {"/metadata/labels", "/metadata/annotations", "/metadata/finalizers"})
        take_over(after, object, part);
    return after;
}

void Writing::keep_server_fields(const json::object& before, json::object& object) const {
    for (const char* part : {"/metadata/uid", "/metadata/creationTimestamp", "/metadata/generation",
                             "/metadata/deletionTimestamp", "/metadata/deletionGracePeriodSeconds",
                             "/metadata/namespace", "/metadata/name", "/metadata/selfLink"})
        take_over(object, before, part);
}

bool Writing::moves_generation(const json::object& before, const json::object& after) const {
    if (!resource_.counts_generation) return false;
    if (!resource_.is_custom()) return object_at(before, "/spec") != object_at(after, "/spec");
    json::object left = before;
    json::object right = after;
    for (json::object* one : {&left, &right}) {
        one->erase("metadata");
        if (resource_.has_status) one->erase("status");
    }
    return left != right;
}

Response Writing::update(const ObjectPtr& before, json::object object,
                         const std::string& subresource) {
    const json::object& was = before->object();
    const std::string name = name_of(was);
    const std::string expected = text_at(object, "/metadata/resourceVersion");
    const std::string uid = text_at(object, "/metadata/uid");
    if (!uid.empty() && uid != text_at(was, "/metadata/uid"))
        return uid_changed(resource_, name, uid, text_at(was, "/metadata/uid"), is_patched,
                           storage_key(place_of(was)));
    if (expected.empty() && (resource_.is_custom() || resource_.kind == "Lease"))
        return version_missing(resource_, name);
    if (expected.find_first_not_of("0123456789") != expected.npos)
        return refusal(500, {},
                       fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", expected));
    if (!expected.empty() && expected != text_at(was, "/metadata/resourceVersion"))
        return modified_meanwhile(resource_, name);
    if (is_terminating(object) && !is_terminating(was))
        return field_is_immutable(resource_, name, "metadata.deletionTimestamp",
                                  text_at(object, "/metadata/deletionTimestamp"));
    if (subresource == "status")
        object = merged_status(was, object);
    else if (resource_.has_status && was.contains("status"))
        object["status"] = was.at("status");
    else if (resource_.has_status)
        object.erase("status");
    keep_server_fields(was, object);
    tidy(resource_, object);
    if (const Schema* schema = resource_.schema.get())
        object = with_defaults(schema->document, pruned(schema->document, std::move(object)));
    if (subresource.empty()) fill_in(resource_, object);
    if (server_.tracks_fields_ && is_scaled)
        object = with_scale_fields(std::move(object), manager, now_);
    else if (server_.tracks_fields_ && !is_applied)
        object = with_managed_fields(was, std::move(object), {manager, false, subresource, now_});
    write_out(resource_, object);
    const AdmissionRequest request{server_.storage_, resource_, subresource, user_, &was};
    if (!is_scaled) object = mutated(request, std::move(object));
    if (moves_generation(was, object))
        set(object, "/metadata/generation", number_at(was, "/metadata/generation") + 1);
    const bool is_bound = subresource == "binding";  // only there a pod gets its node
    if (const auto problems = wrong(resource_, object, &was); !problems.empty() && !is_bound)
        return invalid(resource_, name, problems);
    Admitted result =
        is_scaled ? Admitted{std::move(object)} : admitted(request, std::move(object));
    if (result.refusal) return denied(resource_, name, *result.refusal);
    set(result.object, "/metadata/resourceVersion", text_at(was, "/metadata/resourceVersion"));
    const bool is_last = is_terminating(was) && is_held(was) && !is_held(result.object) &&
                         number_at(was, "/metadata/deletionGracePeriodSeconds") == 0;
    if (is_last && !is_dry) {
        const Place place = place_of(was);
        gone(place, result.object);
        return accepted(std::move(result.object), 200, std::move(result.warnings));
    }
    if (is_same_write(was, result.object)) return accepted(was, 200, std::move(result.warnings));
    return stored(place_of(was), std::move(result.object), 200, std::move(result.warnings));
}

}  // namespace sluice::sim
