// What is promised of ConfigMaps and Secrets that say that an ExtendedStatefulSet owns them.
#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

constexpr std::string_view collector = "generic-garbage-collector";

std::string kind_of(const json::value& owner) {
    return text_at(owner.get_object(), "/kind");
}
bool is_extended(const json::value& owner) {
    return kind_of(owner) == "ExtendedStatefulSet";
}
bool is_own_kind(const json::value& owner) {
    return is_extended(owner) || kind_of(owner) == "Namespace";
}

bool is_config(const Change& change) {
    const bool is_one = change.place.resource == "configmaps" || change.place.resource == "secrets";
    return is_one && change.place.ns != "sluice-system";
}

// Of all that an operator may not touch.
json::object rest_of(json::object object) {
    json::array others;
    for (const json::value& one : array_at(object, owners_at))
        if (!is_own_kind(one)) others.push_back(one);
    for (const char* key : {"resourceVersion", "managedFields", "ownerReferences"})
        erase(object, std::string{"/metadata/"} + key);
    object["owners"] = std::move(others);
    return object;
}

// The finalizer is there and the name is written down before the reference is.
void is_prepared(const Promise& promise, const Change& change, const json::object& owner) {
    const std::string& name = change.place.name;
    if (promise.in.history.has_just_gone(text_at(owner, "/uid"))) return;
    const ObjectPtr found =
        promise.in.cluster.api().find(extended_sets, change.place.ns, text_at(owner, "/name"));
    if (!found || uid_in(found->object()) != text_at(owner, "/uid"))
        return promise.broken("{} is owned by an ExtendedStatefulSet that is not there", name);
    const char* kind = change.place.resource == "secrets" ? "Secret" : "ConfigMap";
    const json::array& noted = array_at(found->object(), "/status/references");
    const json::value wanted(fmt::format("{}/{}", kind, name));
    const bool is_noted = std::ranges::find(noted, wanted) != noted.end();
    // Who takes the status away takes this memory, too.
    if (!is_noted && has(found->object(), "/status"))
        promise.broken("{} is owned, and that is not written down", name);
    if (!keeps_config(found->object()))
        promise.broken("{} is owned by what may go at any time", name);
}

// Another promise judges what is written there.
bool is_of_job(const Change& change) {
    return change.place.resource == "secrets" &&
           text_at(change.object->object(), "/metadata/ownerReferences/0/kind") == "ExtendedJob";
}

// S10, S11: an operator makes and deletes none.
void makes_none(const Promise& promise, const Change& change) {
    if (!is_config(change) || is_of_job(change)) return;
    promise.tested();
    if (change.type != Change::Type::Modified)
        promise.broken("an operator made or deleted {}", change.place.name);
}

// S49: an operator changes nothing of a ConfigMap or a Secret but the references to
// ExtendedStatefulSets, and to the Namespace, which stands beside every one of them.
void changes_owners_only(const Promise& promise, const Change& change) {
    if (!is_config(change) || is_of_job(change)) return;
    if (change.type != Change::Type::Modified) return;
    promise.tested();
    const std::string& name = change.place.name;
    const json::object& now = change.object->object();
    const json::object& before = change.before->object();
    if (rest_of(now) != rest_of(before))
        promise.broken("an operator changed more than its references on {}", name);
    const json::array& owners = array_at(now, owners_at);
    const json::array& old = array_at(before, owners_at);
    for (const json::value& owner : owners)
        if (is_extended(owner) && std::ranges::find(old, owner) == old.end())
            is_prepared(promise, change, owner.get_object());
    const bool is_kept = std::ranges::any_of(
        owners, [](const json::value& one) { return kind_of(one) == "Namespace"; });
    if (std::ranges::any_of(owners, is_extended) && !is_kept)
        promise.broken("{} is owned by nobody who stays", name);
}

// S49: none is lost because an ExtendedStatefulSet owned it.
void loses_none(const Promise& promise, const Change& change) {
    if (!is_config(change) || !change.user.ends_with(collector)) return;
    promise.tested();
    const ObjectPtr& last = change.before ? change.before : change.object;
    const bool goes =
        change.type == Change::Type::Deleted || is_terminating(change.object->object());
    if (goes && std::ranges::any_of(array_at(last->object(), owners_at), is_extended))
        promise.broken("{} {} was collected", change.place.resource, change.place.name);
}

// S49: no finalizer goes while a reference to its object is left.
void leaves_no_reference(const Promise& promise, const Change& change) {
    if (change.place.resource != extended_sets || !change.before ||
        !keeps_config(change.before->object()))
        return;
    const json::object& object = change.object->object();
    if (change.type != Change::Type::Deleted && keeps_config(object)) return;
    promise.tested();
    for (const char* resource : {"configmaps", "secrets"})
        for (const ObjectPtr& one : promise.in.cluster.api().list(resource, change.place.ns))
            for (const json::value& owner : array_at(one->object(), owners_at))
                if (text_at(owner.get_object(), "/uid") == uid_in(object))
                    promise.broken("the finalizer of {} goes, and {} still has a reference to it",
                                   change.place.name, name_in(one->object()));
}

constexpr Rule<> reference_rules[] = {
    {.name = "S10", .on_own_change = makes_none},
    {.name = "S49", .on_own_change = changes_owners_only},
    {.name = "S49", .on_change = loses_none},
    {.name = "S49", .on_own_change = leaves_no_reference},
};

}  // namespace

void reference_promises(Observers& all, const Inspection& inspection) {
    add(all, reference_rules, inspection);
}

}  // namespace sluice::sim::extended_stateful_set
