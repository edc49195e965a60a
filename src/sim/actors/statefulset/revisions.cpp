#include "sim/actors/statefulset/revisions.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/hash.hpp"
#include "sim/api/selectors.hpp"

namespace sluice::sim {
namespace {

const std::string revision_resource = "controllerrevisions.apps";

std::int64_t number_of(const ObjectPtr& revision) {
    return number_at(revision->object(), "/revision");
}

const json::object& template_of(const ObjectPtr& revision) {
    return child(child(child(revision->object(), "data"), "spec"), "template");
}

// A revision holds the template and the mark that it replaces another one as a whole.
bool holds(const ObjectPtr& revision, const json::object& pod_template) {
    const json::object& held = template_of(revision);
    if (held.size() != pod_template.size() + 1) return false;
    return std::ranges::all_of(pod_template, [&](const auto& entry) {
        const json::value* other = held.if_contains(entry.key());
        return other && same(*other, entry.value());
    });
}

// Bytes that do not depend on the order of keys.
void write_canonically(const json::value& value, std::string& out) {
    if (const json::object* object = value.if_object()) {
        std::map<std::string_view, const json::value*> sorted;
        for (const auto& entry : *object)
            sorted.emplace(entry.key(), &entry.value());
        out += '{';
        for (const auto& [key, held] : sorted) {
            out.append(key).append(":");
            write_canonically(*held, out);
        }
        out += '}';
    } else if (const json::array* array = value.if_array()) {
        out += '[';
        for (const json::value& entry : *array)
            write_canonically(entry, out);
        out += ']';
    } else {
        out += json::serialize(value);
        out += ',';
    }
}

// Letters and digits that form no words, as Kubernetes writes hashes.
std::string hash_of(const json::object& pod_template, std::int64_t collisions) {
    static constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string bytes;
    write_canonically(pod_template, bytes);
    if (collisions > 0) bytes += std::to_string(collisions);
    const std::uint64_t hash = fnv1a(bytes);
    std::string name = std::to_string(static_cast<std::uint32_t>(hash ^ (hash >> 32)));
    for (char& c : name)
        c = alphabet[static_cast<unsigned char>(c) % alphabet.size()];
    return name;
}

json::object new_revision(const Set& set, std::int64_t number, const std::string& hash) {
    const json::object& pod_template = child(set.spec(), "template");
    json::object labels = child(metadata(pod_template), "labels");
    labels["controller.kubernetes.io/hash"] = hash;
    json::object held = pod_template;
    held["$patch"] = "replace";
    json::object meta{{"name", set.name + "-" + hash},
                      {"namespace", set.ns},
                      {"labels", std::move(labels)},
                      {"ownerReferences", json::array{controller_reference(set.object())}}};
    if (const json::object& notes = child(metadata(set.object()), "annotations"); !notes.empty())
        meta["annotations"] = notes;
    return {{"apiVersion", "apps/v1"},
            {"kind", "ControllerRevision"},
            {"metadata", std::move(meta)},
            {"data", {{"spec", {{"template", std::move(held)}}}}},
            {"revision", number}};
}

// A name that is taken by another template counts as a collision, and the next name is tried.
ObjectPtr create_revision(const Surroundings& at, const Set& set, std::int64_t number,
                          std::int64_t& collisions) {
    const json::object& pod_template = child(set.spec(), "template");
    while (true) {
        const std::string hash = hash_of(pod_template, collisions);
        const std::string name = set.name + "-" + hash;
        if (const ObjectPtr taken = at.api.find(revision_resource, set.ns, name)) {
            if (holds(taken, pod_template)) return taken;
            ++collisions;
            continue;
        }
        if (!went(at.api.create(new_revision(set, number, hash), statefulset_controller, at.now())))
            return nullptr;
        return at.api.find(revision_resource, set.ns, name);
    }
}

ObjectPtr renumber(const Surroundings& at, const Set& set, const ObjectPtr& revision,
                   std::int64_t number) {
    if (number_of(revision) == number) return revision;
    json::object renumbered = revision->object();
    renumbered["revision"] = number;
    if (!went(at.api.update(std::move(renumbered), statefulset_controller, at.now())))
        return nullptr;
    return at.api.find(revision_resource, set.ns, std::string{name_of(revision->object())});
}

void adopt_orphans(const Surroundings& at, const OwnerIndex& owners, const Set& set) {
    const json::object& selector = child(set.spec(), "selector");
    if (is_terminating(set.object())) return;
    for (const ObjectPtr& orphan :
         owners.orphans(at.api, {revision_resource, set.ns, set.name + "-"})) {
        if (!selects(selector, child(metadata(orphan->object()), "labels"))) continue;
        json::object adopted = orphan->object();
        add_owner(adopted, controller_reference(set.object()));
        at.api.update(std::move(adopted), statefulset_controller, at.now());
    }
}

std::vector<ObjectPtr> sorted_revisions(const Surroundings& at, const OwnerIndex& owners,
                                        const Set& set) {
    std::vector<ObjectPtr> revisions = owners.controlled(at.api, set.uid, revision_resource);
    std::ranges::sort(revisions, {}, [](const ObjectPtr& revision) {
        return std::tuple{number_of(revision),
                          text(metadata(revision->object()), "creationTimestamp"),
                          name_of(revision->object())};
    });
    return revisions;
}

ObjectPtr find_equal(const std::vector<ObjectPtr>& revisions, const json::object& pod_template) {
    for (auto at = revisions.rbegin(); at != revisions.rend(); ++at)
        if (holds(*at, pod_template)) return *at;
    return nullptr;
}

// The revision of the template of now: the newest one, an older one with a new number, or new.
ObjectPtr establish_update(const Surroundings& at, RevisionMemory& memory, const Set& set,
                           Revisions& revisions) {
    const auto& all = revisions.all;
    const RevisionMemory::Equal latest{
        number_at(metadata(set.object()), "/generation"),
        all.empty() ? "" : std::string{text(metadata(all.back()->object()), "resourceVersion")}};
    if (const auto known = memory.by_set.find(set.uid);
        !all.empty() && known != memory.by_set.end() && known->second == latest)
        return all.back();
    const std::int64_t next = all.empty() ? 1 : number_of(all.back()) + 1;
    ObjectPtr equal = find_equal(all, child(set.spec(), "template"));
    if (!equal) return create_revision(at, set, next, revisions.collisions);
    if (equal != all.back()) return renumber(at, set, equal, next);
    memory.by_set[set.uid] = latest;
    return equal;
}

}  // namespace

const json::object& Revisions::current_template() const {
    return template_of(current);
}

const json::object& Revisions::update_template() const {
    return template_of(update);
}

std::optional<Revisions> establish_revisions(const Surroundings& at, const OwnerIndex& owners,
                                             RevisionMemory& memory, const Set& set) {
    adopt_orphans(at, owners, set);
    Revisions revisions;
    revisions.all = sorted_revisions(at, owners, set);
    revisions.collisions = number_at(set.status(), "/collisionCount");
    revisions.update = establish_update(at, memory, set, revisions);
    if (!revisions.update) return std::nullopt;
    const std::string_view wanted = text(set.status(), "currentRevision");
    const auto found = std::ranges::find(revisions.all, wanted,
                                         [](const auto& r) { return name_of(r->object()); });
    revisions.current = found == revisions.all.end() ? revisions.update : *found;
    revisions.current_name = name_of(revisions.current->object());
    revisions.update_name = name_of(revisions.update->object());
    return revisions;
}

bool truncate_history(const Surroundings& at, const Set& set, const std::vector<SetPod>& pods,
                      const Revisions& revisions) {
    const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(set.history_limit, 0));
    if (revisions.all.size() <= limit) return true;
    std::set<std::string> live{revisions.current_name, revisions.update_name};
    for (const SetPod& pod : pods)
        live.insert(pod.revision);
    std::vector<std::string> history;
    for (const ObjectPtr& revision : revisions.all)
        if (std::string name{name_of(revision->object())}; !live.contains(name))
            history.push_back(std::move(name));
    for (std::size_t i = 0; i + limit < history.size(); ++i)
        if (!went(at.api.remove(revision_resource, set.ns, history[i], statefulset_controller,
                                at.now())))
            return false;
    return true;
}

}  // namespace sluice::sim
