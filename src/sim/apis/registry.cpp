#include "sim/apis/registry.hpp"

#include <fmt/format.h>

#include "base/json_pointer.hpp"
#include "sim/apis/analysis/api.hpp"
#include "sim/apis/extended_job/api.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/hooks/api.hpp"
#include "sim/apis/phased_rollout/api.hpp"
#include "sim/apis/pilot/api.hpp"
#include "sim/apis/rollout_plugin/api.hpp"
#include "sim/apis/stateful_cluster/api.hpp"

namespace sluice::sim {
std::span<const Api> apis() {
    static const Api table[] = {
        pilot::row(),
        phased_rollout::row(),
        rollout_plugin::row(),
        analysis::row(),
        stateful_cluster::row(),
        extended_stateful_set::row(),
        extended_job::row(),
        hooks::row(),
    };
    return table;
}

const Api* api_of_owner(std::string_view kind) {
    for (const Api& api : apis())
        if (api.owns_sets && api.kind == kind) return &api;
    return nullptr;
}

void erase_pod_annotation(json::object& set, const Api& maker) {
    const std::string all = "/spec/template/metadata/annotations";
    const std::string own = fmt::format("{}/{}", all, pointer_token(maker.pod_annotation));
    if (maker.pod_annotation.empty() || !has(set, own)) return;
    erase(set, own);
    if (object_at(set, all).empty()) erase(set, all);
}

const Api* api_of_claim(std::string_view claim) {
    for (const Api& api : apis()) {
        const bool steers_sets = !api.label.key.empty() || !api.target.empty() || api.owns_sets;
        if (steers_sets && api.name == claim.substr(0, claim.find('/'))) return &api;
    }
    return nullptr;
}

}  // namespace sluice::sim
