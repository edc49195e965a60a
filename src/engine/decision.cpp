#include "engine/decision.hpp"

#include <algorithm>

namespace sluice::engine {

const char* to_text(Phase phase) {
    constexpr const char* names[] = {"Idle", "Waiting", "Rolling", "Held", "Blocked"};
    return names[static_cast<std::size_t>(phase)];
}

bool cannot_be_undone(const Action& action) {
    return action.verb == Action::Verb::Delete || action.lets_pods_go;
}

bool is_same(const Action& one, const Action& other) {
    return one.verb == other.verb && one.object == other.object && one.partition == other.partition;
}

Action deletion_of(Subject object, std::uint64_t version) {
    return {.verb = Action::Verb::Delete, .object = std::move(object), .version = version};
}

Action creation_of(model::Ref object, std::string body) {
    return {
        .verb = Action::Verb::Create, .object = {std::move(object), {}}, .body = std::move(body)};
}

bool patches_workload(const Decision& decision) {
    return std::ranges::any_of(decision.actions, [](const Action& one) {
        return one.verb == Action::Verb::Patch && one.object.ref.resource == &model::statefulsets;
    });
}

bool lowers_partition(const Decision& decision) {
    return std::ranges::any_of(decision.actions, &Action::lets_pods_go);
}

}  // namespace sluice::engine
