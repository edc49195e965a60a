#include "sim/apis/rollout_plugin/plugin_world.hpp"

#include <fmt/format.h>

namespace sluice::sim::rollout_plugin {
namespace {

using namespace api;

// From a change that is asked for to the change that is there.
constexpr Duration pace = 3s;

}  // namespace

void PluginWorld::set_revisions(const std::string& workload, const std::string& current,
                                const std::string& updated) {
    Workload& one = workloads_[workload];
    one.current = current;
    one.updated = updated;
    one.promoted = false;
}

int PluginWorld::reached(const Workload& workload, Instant now) const {
    const bool is_there = mood != Mood::Stuck && now >= workload.since + pace;
    return is_there ? workload.asked : workload.reached;
}

std::string PluginWorld::text(const std::string& workload, Instant now) const {
    const auto found = workloads_.find(workload);
    if (found == workloads_.end()) return "nothing";
    return fmt::format("{} {} {}", found->second.current, found->second.updated,
                       reached(found->second, now));
}

// A plugin goes on by itself: what is asked for twice is not begun anew.
void PluginWorld::change(const PluginCall& call, Workload& workload, Instant now) {
    const int to = call.method == PluginMethod::SetWeight ? call.weight
                   : call.method == PluginMethod::Promote ? 100
                                                          : 0;
    const int there = reached(workload, now);
    if (on_change)
        on_change({call.ns, call.name, call.method, to, workload.updated, workload.asked,
                   there == workload.asked});
    if (call.method == PluginMethod::Promote) {
        workload.current = workload.updated;
        workload.promoted = true;
    }
    if (to == workload.asked) return;
    workload.reached = there;
    workload.asked = to;
    workload.since = now;
}

std::optional<Result<PluginAnswer>> PluginWorld::call(const PluginCall& call, Instant now) {
    return answer_to(call, now);
}

Result<PluginAnswer> PluginWorld::answer_to(const PluginCall& call, Instant now) {
    using enum PluginMethod;
    if (mood == Mood::Down)
        return failure(ErrorKind::Unreachable, fmt::format("cannot reach plugin {}", call.plugin));
    if (mood == Mood::Slow)
        return failure(ErrorKind::Timeout, fmt::format("plugin {} did not answer", call.plugin));
    const auto found = workloads_.find(call.name);
    if (found == workloads_.end())
        return failure(ErrorKind::NotFound, fmt::format("there is no workload {}", call.name));
    Workload& workload = found->second;
    const int there = reached(workload, now);
    PluginAnswer said;
    if (call.method == GetResourceStatus) {
        const bool is_one = workload.current == workload.updated;
        const bool is_ready =
            there == workload.asked && (!is_one || workload.promoted || workload.asked == 0);
        said.status = {100, there, 100, 100, workload.current, workload.updated, is_ready};
    } else if (call.method == VerifyWeight) {
        said.verified = there == call.weight && workload.asked == call.weight;
        if (!said.verified) said.message = fmt::format("It is at {} %.", there);
    } else if (call.method != Init) {
        change(call, workload, now);
    }
    return said;
}

}  // namespace sluice::sim::rollout_plugin
