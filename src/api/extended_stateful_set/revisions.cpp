#include "api/extended_stateful_set/revisions.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_stateful_set/bodies.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;

// Of the spec of the template: these stay as they are, whatever version follows.
constexpr const char* unversioned_fields[] = {"replicas", "volumeClaimTemplates",
                                              "persistentVolumeClaimRetentionPolicy"};

// The spec of the template; null: there is none.
json::object* set_spec_in(json::object& spec) {
    json::value* found = spec.if_contains("template");
    json::object* set = found ? found->if_object() : nullptr;
    found = set ? set->if_contains("spec") : nullptr;
    return found ? found->if_object() : nullptr;
}

// Of the spec of an object: all that undo changes.
json::object versioned(const json::value& spec) {
    json::object fields;
    for (const std::string_view field : versioned_fields)
        if (const json::value* value =
                spec.is_object() ? spec.get_object().if_contains(field) : nullptr)
            fields[field] = *value;
    return fields;
}

json::object to_keep(const model::CustomObject& object) {
    json::object fields = versioned(model::parse_json(object.spec));
    if (json::object* set = set_spec_in(fields))
        for (const char* field : unversioned_fields)
            set->stable_erase(field);
    return fields;
}

}  // namespace

std::string revision_name(std::string_view owner, int version) {
    return set_name(owner, {.version = version});
}

std::string revision_body(const model::CustomObject& object, int version) {
    const std::string& name = object.meta.key.name;
    return api::revision_body(
        resource, object,
        {.name = revision_name(name, version),
         .number = version,
         .labels = json::object{{owner_label, name}, {version_key, std::to_string(version)}},
         .spec = to_keep(object)});
}

bool keeps_now(const model::CustomObject& revision, const model::CustomObject& object) {
    return revision.owner_uid == object.meta.uid &&
           spec_in(revision.spec) == json::value(to_keep(object));
}

bool is_of_namesake(const model::CustomObject& revision, const model::CustomObject& object) {
    return revision.owner_kind == resource.kind && revision.owner == object.meta.key.name;
}

int version_kept(const model::CustomObject& revision, const model::CustomObject& object) {
    const auto id = set_id(object.meta.key.name, revision.meta.key.name);
    const bool is_own = revision.owner_uid == object.meta.uid && id && !id->zone;
    return is_own ? id->version : 0;
}

json::object restored(const model::CustomObject& revision, const model::CustomObject& object) {
    json::object fields = versioned(spec_in(revision.spec));
    json::object now = versioned(model::parse_json(object.spec));
    json::object* into = set_spec_in(fields);
    const json::object* from = set_spec_in(now);
    for (const char* field : unversioned_fields) {
        const json::value* value = from ? from->if_contains(field) : nullptr;
        if (into && value) (*into)[field] = *value;
    }
    return fields;
}

model::Ref Reconciliation::revision_ref(int version) const {
    return {&revisions, object_.meta.key.ns, revision_name(name(), version)};
}

bool Reconciliation::is_kept(int version) const {
    return std::ranges::find(next_.revisions, revision_name(name(), version)) !=
           next_.revisions.end();
}

void Reconciliation::note_revision(int version) {
    if (!is_kept(version)) next_.revisions.push_back(revision_name(name(), version));
}

// What it is made from is kept before its first set is there.
void Reconciliation::make_set(const SetId& id, PodCount pods) {
    if (!is_kept(id.version) && !find_version(versions_, id.version))
        add_action(
            engine::creation_of(revision_ref(id.version), revision_body(object_, id.version)));
    const model::Ref ref{&model::statefulsets, object_.meta.key.ns, set_name(name(), id)};
    add_action(
        engine::creation_of(ref, set_body(object_, spec_, id, pods, config_.digest, fence())));
}

// It is tried again after a while, and holds up nothing.
bool Reconciliation::is_revision_refused() {
    const engine::Attempt* no = refused_write(seen_);
    if (!no || no->ref.resource != &revisions) return false;
    wake_at(now_ + refused_pace);
    return true;
}

// The version that is wanted, also one that was made before anything was kept, is written down once
// it was seen that it is kept, with whatever the status says next. What is kept under its number of
// a namesake, or from before the status was lost, gives way; what is somebody else's stays.
bool Reconciliation::keep_revision() {
    if (is_kept(next_.update) || !find_version(versions_, next_.update)) return false;
    if (waits_to_count()) return false;
    if (is_revision_refused()) return false;
    const model::Ref ref = revision_ref(next_.update);
    const engine::Fetched* found = seen_.fetched_as(ref);
    if (!found) {
        look_first(ref);
        return true;
    }
    const auto& kept = found->object;
    if (found->refusal || (kept && kept->meta.deleting)) return false;
    if (kept && keeps_now(*kept, object_)) {
        note_revision(next_.update);
        return false;
    }
    if (kept && !is_of_namesake(*kept, object_)) return false;
    if (kept) add_action(engine::deletion_of({ref, kept->meta.uid}));
    add_action(engine::creation_of(ref, revision_body(object_, next_.update)));
    return true;
}

bool Reconciliation::trim_revisions() {
    if (is_revision_refused()) return false;
    std::vector<std::string> used{revision_name(name(), next_.current),
                                  revision_name(name(), next_.update)};
    for (const model::StatefulSet& set : seen_.sets)
        used.push_back(revision_name(name(), version_of(set)));
    if (!api::trim_revisions(decision_, seen_, next_.revisions, used, spec_.revisions_max))
        return false;
    if (decision_.rests_on.empty()) write_status(true);
    return true;
}

}  // namespace sluice::api::extended_stateful_set
