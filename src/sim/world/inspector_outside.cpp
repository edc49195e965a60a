// What the inspector knows of plugins outside of the operator: what may be asked of them, and when.
#include <fmt/format.h>

#include "sim/api/state.hpp"
#include "sim/world/inspector.hpp"

namespace sluice::sim {
namespace {

using api::rollout_plugin::PluginMethod;

constexpr std::int64_t whole = 100;

}  // namespace

ObjectPtr Inspector::outside_plugin(const std::string& ns, const std::string& workload) const {
    for (const ObjectPtr& one : cluster_.api().list("rolloutplugins.argoproj.io", ns))
        if (text_at(one->object(), "/spec/workloadRef/name") == workload &&
            is_outside(one->object()))
            return one;
    return nullptr;
}

bool Inspector::is_outside(const json::object& plugin) {
    return text_at(plugin, "/spec/workloadRef/kind") != "StatefulSet";
}

// What the status must say before a plugin is asked for it.
void Inspector::check_deed_is_told(const PluginDeed& deed, const json::object& plugin) {
    const bool weighs = deed.method == PluginMethod::SetWeight;
    const std::int64_t told = number_at(plugin, "/status/rollout/weight");
    if (weighs && told != deed.weight)
        broken("S31",
               fmt::format("{} % was asked for while the status says {} %", deed.weight, told));
    if (weighs && flag_at(plugin, "/status/aborted"))
        broken("S31", "a weight was asked for after an abort");
    if (weighs && !flag_at(plugin, "/status/rolloutInProgress"))
        broken("S31", "a weight was asked for while no rollout is told of");
    const bool moves = deed.method != PluginMethod::Abort;
    if (moves && text_at(plugin, "/status/updatedRevision") != deed.revision)
        broken("S31", fmt::format("revision {} was moved, and the status tells of another one",
                                  deed.revision));
    if (deed.method == PluginMethod::Abort && flag_at(plugin, "/status/rolloutInProgress") &&
        !flag_at(plugin, "/status/aborted") &&
        text_at(plugin, "/status/updatedRevision") == deed.revision)
        broken("S31", "it was taken back, and the status tells of no abort");
}

void Inspector::on_deed(const PluginDeed& deed) {
    held("S31");
    const ObjectPtr found = outside_plugin(deed.ns, deed.workload);
    if (!found) return broken("S31", "a plugin was asked to move what no RolloutPlugin names");
    const json::object& plugin = found->object();
    check_deed_is_told(deed, plugin);
    if (deed.weight <= deed.before) return;
    const Course& course = told_course(plugin);
    if (course.is_full) return;
    if (!deed.settled)
        broken("S31",
               fmt::format("{} % was asked for before {} % was reached", deed.weight, deed.before));
    const std::int64_t most = pods_before(plugin, reached(plugin, course, course.first), whole);
    if (deed.weight > most)
        broken("S31",
               fmt::format("{} % was asked for where the steps allow {} %", deed.weight, most));
}

}  // namespace sluice::sim
