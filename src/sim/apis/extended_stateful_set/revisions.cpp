// What is kept of versions: what is to be seen of it, and what is promised.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/promises/history.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

std::string name_of(const json::object& object, std::int64_t version) {
    return fmt::format("{}-v{}", name_in(object), version);
}

// The object that controls it; null: there is none with that UID.
ObjectPtr owner_of(const ApiServer& api, const json::object& owned) {
    ObjectPtr found = api.find(extended_sets, text_at(owned, "/metadata/namespace"),
                               text_at(owned, "/metadata/ownerReferences/0/name"));
    return found && uid_in(found->object()) == text_at(owned, owner_uid_at) ? found : nullptr;
}

// It keeps what the object has now.
bool is_of_now(const json::object& revision, const json::object& object) {
    return same(object_at(revision, "/data/spec/template/spec/template"),
                object_at(object, "/spec/template/spec/template"));
}

// S10, S11: a revision is made for an ExtendedStatefulSet, is never changed, and goes by its UID,
// and not while its version serves or is wanted.
void keeps_revisions(const Promise& promise, const Change& change) {
    const json::object& revision = change.object->object();
    if (change.place.resource != revisions || !has(revision, owner_at)) return;
    promise.tested();
    const std::string& name = change.place.name;
    const ObjectPtr owner = owner_of(promise.in.cluster.api(), revision);
    if (change.type == Change::Type::Added) {
        if (!owner && !promise.in.history.has_just_gone(text_at(revision, owner_uid_at)))
            promise.broken("an operator made revision {} for nobody", name);
        return;
    }
    if (change.type != Change::Type::Deleted)
        return promise.broken("an operator changed revision {}", name);
    if (!promise.in.history.is_named(uid_in(revision)))
        promise.broken("revision {} was deleted without naming its UID", name);
    if (!owner) return;
    const json::object& object = owner->object();
    const std::int64_t current = number_at(object, "/status/currentVersion");
    const std::int64_t update = number_at(object, "/status/updateVersion");
    const bool is_needed = (name == name_of(object, update) && is_of_now(revision, object)) ||
                           (name == name_of(object, current) && current != update);
    if (is_needed) promise.broken("revision {} was deleted, and its version is there", name);
}

// S47: what a version is made from is kept before anything is made of it.
void is_kept_first(const Promise& promise, const Change& change) {
    const json::object& set = change.object->object();
    const bool is_made = change.place.resource == sets && change.type == Change::Type::Added &&
                         text_at(set, "/metadata/ownerReferences/0/kind") == "ExtendedStatefulSet";
    const ApiServer& api = promise.in.cluster.api();
    const ObjectPtr owner = is_made ? owner_of(api, set) : nullptr;
    if (!owner) return;
    const auto versions = versions_of(api, owner->object());
    const bool is_first = std::ranges::none_of(versions, [&](const ObjectPtr& other) {
        return uid_in(other->object()) != uid_in(set) &&
               version_of(other->object()) == version_of(set);
    });
    if (!is_first) return;
    promise.tested();
    const std::string name = name_of(owner->object(), version_of(set));
    const bool is_known = std::ranges::any_of(
        array_at(owner->object(), "/status/revisions"),
        [&](const json::value& one) { return text_at(one.get_object(), "/name") == name; });
    if (!is_known && !api.find(revisions, change.place.ns, name))
        promise.broken("{} was made, and nobody could have it back", change.place.name);
}

constexpr Rule<> revision_rules[] = {
    {.name = "S10", .on_own_change = keeps_revisions},
    {.name = "S47", .on_own_change = is_kept_first},
};

}  // namespace

std::string kept_text(const ApiServer& api, const json::object& object) {
    std::vector<std::pair<std::int64_t, std::string>> kept;
    for (const ObjectPtr& one : api.list(revisions, text_at(object, "/metadata/namespace")))
        if (text_at(one->object(), owner_uid_at) == uid_in(object)) {
            const std::int64_t number = number_at(one->object(), "/revision");
            kept.emplace_back(number, fmt::format("v{}", number));
        }
    std::ranges::sort(kept);
    return fmt::format("{}", fmt::join(kept | std::views::values, " "));
}

void revision_promises(Observers& all, const Inspection& inspection) {
    add(all, revision_rules, inspection);
}

}  // namespace sluice::sim::extended_stateful_set
