#include "api/rollout_plugin/plugin_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/rollout_plugin/conclude.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/declarations.hpp"
#include "base/hash.hpp"
#include "base/printable.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using engine::Decision;
using engine::Memory;
using engine::Snapshot;
using model::CustomObject;

constexpr std::size_t name_shown_max = 64;
constexpr PodCount whole{100};  // hundredths of whatever the plugin moves

// The digest of the list of steps that the status is about.
std::uint64_t list_in(const std::string& definition) {
    std::uint64_t list = 0;
    std::from_chars(definition.data(), definition.data() + definition.size(), list, 16);
    return list;
}

// What stands on a StatefulSet, where there is one, stands in the status here.
Memory memory_in(const Status& reported, const std::string& binding) {
    const RolloutStatus rollout = reported.rollout.value_or(RolloutStatus{});
    Memory memory;
    memory.uid = binding;
    memory.id = rollout.id;
    memory.partition = closed_partition;
    if (rollout.workload_uid != binding) return memory;
    memory.open = reported.in_progress;
    memory.revision = reported.abort.aborted ? reported.abort.revision : reported.updated_revision;
    memory.partition =
        partition_for({std::clamp(rollout.weight.value_or(0), 0, whole.value)}, whole);
    memory.started = rollout.started;
    memory.returning = memory.open && reported.abort.aborted;
    memory.failed = !memory.open && reported.abort.aborted;
    memory.place = reported.step.value_or(0);
    memory.list = list_in(rollout.definition);
    return memory;
}

Replicas replicas_in(const ResourceStatus& seen) {
    const auto count = [](int number) { return PodCount{std::max(number, 0)}; };
    return {count(seen.replicas), count(seen.updated_replicas), count(seen.ready_replicas),
            count(seen.available_replicas)};
}

}  // namespace

std::string binding_of(const CustomObject& object, const Spec& spec) {
    const WorkloadRef& workload = spec.workload;
    const std::string what = fmt::format("{} {} {} {} {}", workload.api_version, workload.kind,
                                         workload.name, spec.plugin.name, spec.plugin.url);
    return fmt::format("{} {:016x}", object.meta.uid, fnv1a(what));
}

bool tells_of_outside(const Status& reported, const CustomObject& object) {
    return reported.rollout && reported.rollout->workload_uid.starts_with(object.meta.uid + " ");
}

WorkloadState workload_state_in(const Status& reported, const std::string& binding,
                                const ResourceStatus* seen) {
    WorkloadState state{.replicas = reported.replicas,
                        .current_revision = reported.current_revision,
                        .updated_revision = reported.updated_revision,
                        .weight = 0};
    if (seen) {
        state.replicas = replicas_in(*seen);
        state.current_revision = seen->current_revision;
    }
    if (!reported.initialized && !seen) return state;
    return remembering(std::move(state), memory_in(reported, binding), seen);
}

WorkloadState remembering(WorkloadState state, const Memory& memory, const ResourceStatus* seen) {
    state.memory = memory;
    state.weight = exposed_count(memory.partition, whole).value;
    if (memory.open)
        state.updated_revision = memory.revision;
    else if (seen)
        state.updated_revision = seen->updated_revision;
    return state;
}

void keep_and_say(Decision& decision, const CustomObject& object, const Snapshot& seen,
                  Instant now) {
    const Status old = read_status(object);
    const WorkloadState workload_state =
        workload_state_in(old, old.rollout ? old.rollout->workload_uid : "", nullptr);
    const Status said = report({object,
                                old,
                                nullptr,
                                workload_state,
                                seen.environment.guarantee,
                                decision,
                                {},
                                {},
                                Runs{}},
                               now);
    Status status = old;
    status.phase = said.phase;
    status.reason = said.reason;
    status.message = said.message;
    status.unblock = said.unblock;
    status.since = status.reason == old.reason ? old.since : said.since;
    status.observed_generation = said.observed_generation;
    status.guarantee = said.guarantee;
    status.conditions = said.conditions;
    decision.subject = subject_of(resource, object);
    add_write(decision, object, old, status);
}

std::expected<std::optional<PluginAddress>, FieldErrors> plugin_of(const Spec& spec,
                                                                   const Snapshot& seen) {
    const Plugin& plugin = spec.plugin;
    const auto fault = [](std::string field, std::string what) {
        return std::unexpected{FieldErrors{{std::move(field), std::move(what)}}};
    };
    std::optional<PluginAddress> address;
    bool is_built = is_built_in(plugin.name) || plugin.url.starts_with("builtin://");
    if (!is_built && !plugin.url.empty()) {
        auto named =
            address_of(plugin.url, plugin.sha256, plugin.verify, seen.environment.plugin_directory);
        if (!named) return std::unexpected{FieldErrors{std::move(named.error())}};
        address = std::move(*named);
    } else if (!is_built) {
        const auto& all = static_cast<const PluginCatalogue&>(*seen.settings).declared;
        const auto found = all.plugins.find(plugin.name);
        if (found == all.plugins.end())
            return fault("spec.plugin.name",
                         fmt::format("no plugin {} is declared in the ConfigMap "
                                     "argo-rollouts-config{}; the built-in one is statefulset",
                                     printable(plugin.name, name_shown_max),
                                     all.errors.empty() ? "" : ", which has mistakes"));
        address = found->second;
        is_built = !address;
    }
    if (is_built && !is_stateful_set(spec.workload.api_version, spec.workload.kind))
        return fault("spec.workloadRef", needs_stateful_set);
    return address;
}

bool is_outside(const Snapshot& seen, const CustomObject& object) {
    return seen.subject.resource == &outside_workloads ||
           tells_of_outside(read_status(object), object);
}

Decision refuse_outside(const Snapshot& seen, const CustomObject& object, const FieldErrors& errors,
                        Instant now) {
    Decision decision = reporting(claims, seen, object, engine::Phase::Blocked,
                                  engine::Reason::InvalidSpec, to_text(errors));
    keep_and_say(decision, object, seen, now);
    return decision;
}

}  // namespace sluice::api::rollout_plugin
