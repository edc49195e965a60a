#include "api/revisions.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/status_parts.hpp"
#include "model/json_text.hpp"

namespace sluice::api {
namespace {

namespace json = boost::json;

struct Name {
    std::string name;
};
constexpr auto name_fields = [](auto& json, auto& one) { json.key("name", one.name, name_max); };

// Of the object that decides; whoever else owns it may keep it.
bool is_own(const model::CustomObject& revision, const engine::Snapshot& seen) {
    return revision.owner_uid == seen.objects.front().meta.uid;
}

}  // namespace

const model::Resource revisions{.group = "apps",
                                .version = "v1",
                                .plural = "controllerrevisions",
                                .kind = "ControllerRevision",
                                .content = "data"};

json::array controlled_by(const model::Resource& resource, const model::CustomObject& object) {
    return {json::object{{"apiVersion", model::api_version(resource)},
                         {"kind", resource.kind},
                         {"name", object.meta.key.name},
                         {"uid", object.meta.uid},
                         {"controller", true}}};
}

std::string revision_body(const model::Resource& resource, const model::CustomObject& owner,
                          Revision revision) {
    json::object metadata{{"name", revision.name},
                          {"namespace", owner.meta.key.ns},
                          {"labels", std::move(revision.labels)},
                          {"ownerReferences", controlled_by(resource, owner)}};
    return json::serialize(json::object{{"apiVersion", model::api_version(revisions)},
                                        {"kind", revisions.kind},
                                        {"metadata", std::move(metadata)},
                                        {"data", json::object{{"spec", std::move(revision.spec)}}},
                                        {"revision", revision.number}});
}

json::value spec_in(const std::string& data) {
    const json::value value = model::parse_json(data);
    const json::value* found = model::value_at(value, "/spec");
    return found ? *found : json::value{};
}

bool trim_revisions(engine::Decision& decision, const engine::Snapshot& seen,
                    std::vector<std::string>& names, const std::vector<std::string>& used,
                    int kept) {
    const auto is_used = [&](const std::string& one) {
        return std::ranges::find(used, one) != used.end();
    };
    const auto unused =
        std::ranges::count_if(names, [&](const std::string& one) { return !is_used(one); });
    if (unused <= kept) return false;
    const std::string oldest = *std::ranges::find_if_not(names, is_used);
    const model::Ref ref{&revisions, seen.objects.front().meta.key.ns, oldest};
    const engine::Fetched* found = seen.fetched_as(ref);
    if (!found) {
        decision.rests_on.push_back(ref);
        return true;
    }
    if (found->refusal) return false;
    std::erase(names, oldest);
    if (found->object && is_own(*found->object, seen))
        decision.actions.push_back(engine::deletion_of({ref, found->object->meta.uid}));
    return true;
}

std::optional<Change> put_back(const Steered& steered, const json::object& fields,
                               std::span<const std::string_view> of, std::string done) {
    const json::value spec = model::parse_json(steered.object.spec);
    json::object now;
    for (const std::string_view field : of)
        if (const json::value* value =
                spec.is_object() ? spec.get_object().if_contains(field) : nullptr)
            now[field] = *value;
    if (now == fields) return std::nullopt;
    return Change{{{Place::Object, {{"spec", model::merge_patch_between(now, fields)}}}},
                  std::move(done)};
}

std::vector<std::string> read_revisions(JsonReader& reader) {
    std::vector<Name> read;
    reader.entries("revisions", read, revision_names_max, name_fields);
    std::vector<std::string> names;
    names.reserve(read.size());
    for (Name& one : read)
        names.push_back(std::move(one.name));
    return names;
}

void write_revisions(JsonWriter& writer, const std::vector<std::string>& names) {
    std::vector<Name> written;
    written.reserve(names.size());
    for (const std::string& one : names)
        written.push_back({one});
    writer.entries("revisions", written, revision_names_max, name_fields);
}

}  // namespace sluice::api
