#include "sim/scenario/undo.hpp"

#include <fmt/format.h>

#include "api/verbs.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

std::string id_of(const model::Resource& resource) {
    return fmt::format("{}{}{}", resource.plural, resource.group.empty() ? "" : ".",
                       resource.group);
}

std::vector<json::object> history_of(const World& world, const api::History& kept,
                                     const std::string& name) {
    std::vector<json::object> found;
    for (const ObjectPtr& one : world.cluster.api().list(id_of(*kept.resource), shop)) {
        const json::object& labels = object_at(one->object(), "/metadata/labels");
        const json::value* label = labels.if_contains(kept.label);
        if (label && *label == json::value(name)) found.push_back(one->object());
    }
    return found;
}

}  // namespace

Problem undo(World& world, Words words) {
    const std::size_t slash = words[0].find('/');
    const api::Dialect* dialect = api::find_dialect(words[0].substr(0, slash));
    if (!dialect || slash == std::string::npos) return "nobody knows what that is";
    const std::string name = words[0].substr(slash + 1);
    const std::string resource = id_of(*dialect->resource);
    const ObjectPtr object = world.cluster.api().find(resource, shop, name);
    if (!object) return "it is not there";
    auto steered = api::read_steered(*dialect, object->object());
    if (!steered) return steered.error().message;
    steered->revision = option(words, "to", "");
    if (dialect->history.resource)
        api::add_history(*dialect, history_of(world, dialect->history, name), *steered);
    const api::Reply reply = api::reply(*dialect, api::Verb::Undo, *steered, world.cluster.now());
    if (!reply) return reply.error().why;
    for (const api::Write& write : reply->writes)
        if (auto wrong = problem_of(world.merge(resource, shop, name, write.fields))) return wrong;
    return std::nullopt;
}

}  // namespace sluice::sim
