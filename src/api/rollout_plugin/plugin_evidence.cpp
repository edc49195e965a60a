#include "api/rollout_plugin/plugin_evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hash.hpp"

namespace sluice::api::rollout_plugin {
namespace {

using engine::WeightGoal;

// A call that has not answered by then is an error.
constexpr Duration call_timeout = 10s;

std::string text_of(const PluginEndpoint& plugin) {
    const PluginTls tls = plugin.tls.value_or(PluginTls{});
    return fmt::format("{} {} {} {} {}", plugin.address, plugin.tls.has_value(), tls.ca_file,
                       tls.cert_file, tls.key_file);
}
std::string text_of(const PluginProgram& plugin) {
    return fmt::format("{} {} {} {}", plugin.path, plugin.sha256, plugin.below,
                       fmt::join(plugin.args, " "));
}

PluginMethod act_of(const WeightGoal& goal) {
    if (goal.what == WeightGoal::What::Promote) return PluginMethod::Promote;
    if (goal.what == WeightGoal::What::Return) return PluginMethod::Abort;
    return goal.restarts ? PluginMethod::Restart : PluginMethod::SetWeight;
}

}  // namespace

PluginEvidence::PluginEvidence(const engine::Snapshot& seen, const model::CustomObject& object,
                               const Spec& spec, const PluginAddress& plugin)
    : object_(object), spec_(spec), plugin_(plugin) {
    const std::string where = std::visit([](const auto& one) { return text_of(one); }, plugin);
    about_ = fmt::format("{} {} {:016x} ", object.meta.uid, object.meta.generation, fnv1a(where));
    const engine::Evidence* evidence = engine::last_of<PluginObservation>(seen.evidence);
    if (!evidence || !evidence->key.starts_with(about_)) return;
    last_ = *engine::opened<PluginObservation>(*evidence->answer);
    last_key_ = evidence->key;
    at_ = in_whole_seconds(evidence->at);
}

std::string PluginEvidence::key(const WeightGoal& goal) const {
    constexpr const char* words[] = {"watch", "weigh", "promote", "return"};
    return fmt::format("{}{} {} {} {}", about_, goal.rollout,
                       words[static_cast<std::size_t>(goal.what)], goal.revision, goal.weight);
}

const ResourceStatus* PluginEvidence::status() const {
    return last_ && last_->error.empty() ? &last_->status : nullptr;
}

std::optional<engine::WeightReality> PluginEvidence::reality() const {
    const ResourceStatus* now = status();
    if (!now) return std::nullopt;
    return engine::WeightReality{now->current_revision, now->updated_revision, now->ready,
                                 now->ready && now->updated_replicas == now->replicas};
}

std::optional<engine::WeightObservation> PluginEvidence::observed(const WeightGoal& goal) const {
    if (!last_ || last_key_ != key(goal)) return std::nullopt;
    return engine::WeightObservation{last_->verified, last_->message};
}

bool PluginEvidence::is_there(const WeightGoal& goal) const {
    const auto last = observed(goal);
    if (!last || !last->is_verified) return false;
    const ResourceStatus* now = status();
    return goal.what != WeightGoal::What::Promote ||
           (now && now->current_revision == now->updated_revision);
}

engine::Probe PluginEvidence::probe(const WeightGoal& goal, bool inits) const {
    PluginQuestion question{.call = {.plugin = spec_.plugin.name,
                                     .address = plugin_,
                                     .api_version = spec_.workload.api_version,
                                     .kind = spec_.workload.kind,
                                     .name = spec_.workload.name,
                                     .ns = object_.meta.key.ns,
                                     .weight = goal.weight,
                                     .revision = goal.revision,
                                     .config = spec_.plugin.config,
                                     .timeout = call_timeout},
                            .inits = inits,
                            .revision = goal.revision,
                            .verifies = !goal.revision.empty()};
    if (!goal.revision.empty() && !is_there(goal)) question.act = act_of(goal);
    return {key(goal), engine::question_of(std::move(question)), true};
}

}  // namespace sluice::api::rollout_plugin
