#include "api/rollout_plugin/aim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/own_questions.hpp"
#include "base/hash.hpp"

namespace sluice::api::rollout_plugin {
namespace {

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

PluginMethod act_of(const Aim& aim) {
    if (aim.what == Aim::What::Promote) return PluginMethod::Promote;
    if (aim.what == Aim::What::Return) return PluginMethod::Abort;
    return aim.restarts ? PluginMethod::Restart : PluginMethod::SetWeight;
}

}  // namespace

Looks::Looks(const engine::Snapshot& seen, const model::CustomObject& object, const Spec& spec,
             const PluginAddress& plugin)
    : object_(object), spec_(spec), plugin_(plugin) {
    const std::string where = std::visit([](const auto& one) { return text_of(one); }, plugin);
    about_ = fmt::format("{} {} {:016x} ", object.meta.uid, object.meta.generation, fnv1a(where));
    if (!seen.answer || !seen.answer->key.starts_with(about_)) return;
    const auto* sight = std::get_if<PluginSight>(&api::opened(*seen.answer->answer).what);
    if (!sight) return;
    last_ = *sight;
    last_key_ = seen.answer->key;
    at_ = seen.answer->at;
}

std::string Looks::key(const Aim& aim) const {
    constexpr const char* words[] = {"watch", "weigh", "promote", "return"};
    return fmt::format("{}{} {} {} {}", about_, aim.rollout,
                       words[static_cast<std::size_t>(aim.what)], aim.revision, aim.weight);
}

const ResourceStatus* Looks::reality() const {
    return last_ && last_->error.empty() ? &last_->status : nullptr;
}

const PluginSight* Looks::sight(const Aim& aim) const {
    return last_ && last_key_ == key(aim) ? &*last_ : nullptr;
}

bool Looks::is_there(const Aim& aim) const {
    const PluginSight* last = sight(aim);
    if (!last || !last->verified) return false;
    return aim.what != Aim::What::Promote ||
           last->status.current_revision == last->status.updated_revision;
}

engine::OwnProbe Looks::look(const Aim& aim, bool inits) const {
    PluginLook look{.call = {.plugin = spec_.plugin.name,
                             .address = plugin_,
                             .api_version = spec_.workload.api_version,
                             .kind = spec_.workload.kind,
                             .name = spec_.workload.name,
                             .ns = object_.meta.key.ns,
                             .weight = aim.weight,
                             .revision = aim.revision,
                             .config = spec_.plugin.config,
                             .timeout = call_timeout},
                    .inits = inits,
                    .revision = aim.revision,
                    .verifies = !aim.revision.empty()};
    if (!aim.revision.empty() && !is_there(aim)) look.act = act_of(aim);
    return {key(aim), std::make_shared<const api::Question>(std::move(look))};
}

}  // namespace sluice::api::rollout_plugin
