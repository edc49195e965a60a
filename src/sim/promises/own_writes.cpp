// What an operator may write and delete, and what no write of it may show.
#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/apis/registry.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim {
namespace {

// A promise of an API says what may be done to these.
bool is_judged_elsewhere(const std::string& resource) {
    return std::ranges::any_of(apis(), [&](const Api& api) {
        return std::ranges::find(api.judged, resource) != api.judged.end();
    });
}

bool is_custom(Cluster& cluster, const std::string& resource) {
    const Resource* known = cluster.api().resource(resource);
    return known && known->is_custom();
}

bool shows_canary(std::string_view text) {
    static const std::vector<std::string> spellings = spellings_of(canary);
    return std::ranges::any_of(spellings,
                               [&](const std::string& one) { return text.contains(one); });
}

// What an operator may not touch on a custom object: all but its status, and the fields and the
// finalizer that are its own.
json::object untouchable(json::object object, const std::string& resource) {
    object.erase("status");
    for (const char* key : {"resourceVersion", "generation", "managedFields"})
        erase(object, std::string{"/metadata/"} + key);
    const auto api = std::ranges::find(apis(), std::string_view{resource}, &Api::resource);
    if (api == apis().end()) return object;
    for (const std::string_view field : api->own_fields)
        if (has(object, field)) erase(object, field);
    json::array others;
    for (const json::value& finalizer : array_at(object, "/metadata/finalizers"))
        if (finalizer != json::value(api->finalizer)) others.push_back(finalizer);
    erase(object, "/metadata/finalizers");
    if (!others.empty()) object.at("metadata").get_object()["finalizers"] = std::move(others);
    return object;
}

// S10: StatefulSets, events, its lease and the status of custom objects.
void writes_its_own(const Promise& promise, const Change& change) {
    const std::string& resource = change.place.resource;
    const std::string& name = change.place.name;
    promise.tested();
    const bool may = resource == "statefulsets.apps" || resource == "events" ||
                     resource == "leases.coordination.k8s.io" || is_judged_elsewhere(resource);
    if (may) return;
    const bool is_gone = change.type == Change::Type::Deleted;
    if (!is_custom(promise.in.cluster, resource)) {
        if (resource == "pods" ? !is_pod_deletion(change) : !is_gone)
            promise.broken("an operator wrote {} {}", resource, name);
    } else if (!change.before && !is_gone) {
        promise.broken("an operator made {} {}", resource, name);
    } else if (!is_gone && untouchable(change.before->object(), resource) !=
                               untouchable(change.object->object(), resource)) {
        promise.broken("an operator changed more than the status and its finalizer on {}", name);
    }
}

// S11: pods by their UID; a custom object that somebody else has deleted goes with our finalizer.
void deletes_by_uid(const Promise& promise, const Change& change) {
    const std::string& resource = change.place.resource;
    promise.tested();
    const json::object& object = change.object->object();
    if (resource == "pods") {
        if (is_pod_deletion(change) && !promise.in.history.is_named(uid_in(object)))
            promise.broken("an operator deleted pod {} without naming its UID", change.place.name);
        return;
    }
    const bool may = is_judged_elsewhere(resource) ||
                     (is_custom(promise.in.cluster, resource) && is_terminating(object));
    if (change.type == Change::Type::Deleted && !may)
        promise.broken("an operator deleted {} {}", resource, change.place.name);
}

// What an operator has added to an object: not the data of a Secret that it has left alone.
std::string written_in(const Change& change) {
    if (change.place.resource != "secrets" || !keeps_data(change)) return change.object->text();
    json::object rest = change.object->object();
    rest.erase("data");
    return json::serialize(rest);
}

// S14
void writes_no_secret(const Promise& promise, const Change& change) {
    promise.tested();
    if (shows_canary(written_in(change)))
        promise.broken("a secret is in {} {}", change.place.resource, change.place.name);
}

void logs_no_secret(const Promise& promise, const controller::Log& line) {
    if (shows_canary(line.text)) promise.broken("a secret is in a log line");
}

// S16
void stays_in_its_namespace(const Promise& promise, const Change& change) {
    if (change.place.resource != "events") return;
    promise.tested();
    if (text_at(change.object->object(), "/involvedObject/namespace") != change.place.ns)
        promise.broken("an event stands in another namespace than what it is about");
}

constexpr Rule<> rules_of_writes[] = {
    {.name = "S10", .on_own_change = writes_its_own},
    {.name = "S11", .on_own_change = deletes_by_uid},
    {.name = "S14", .on_own_change = writes_no_secret, .on_log = logs_no_secret},
    {.name = "S16", .on_own_change = stays_in_its_namespace},
};

}  // namespace

void add_write_promises(Observers& all, const Inspection& inspection) {
    add(all, rules_of_writes, inspection);
}

}  // namespace sluice::sim
