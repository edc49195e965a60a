// What may be asked of plugins outside of the operator, and when.
#include "sim/apis/rollout_plugin/courses.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"
#include "sim/apis/rollout_plugin/plugin_world.hpp"

namespace sluice::sim::rollout_plugin {
namespace {

using api::PluginMethod;

constexpr std::int64_t whole = 100;

// S31: what the status speaks of, and nothing else; for more only after it reached what was asked
// for before, and no more than the steps allow.
class AsksWhatItReports final : public Promise {
  public:
    AsksWhatItReports(std::string_view name, const Inspection& inspection, Courses& courses)
        : Promise(name, inspection), courses_(courses) {
        in.egress.of<PluginWorld>().on_change = [this](const PluginChange& asked) {
            on_asked(asked);
        };
    }

  private:
    void on_asked(const PluginChange& asked) {
        tested();
        const ObjectPtr found = plugin_of(asked);
        if (!found) return broken("a plugin was asked to move what no RolloutPlugin names");
        const json::object& plugin = found->object();
        check_status(asked, plugin);
        if (asked.weight <= asked.before) return;
        const Course& course = courses_.reported(plugin);
        if (course.is_full) return;
        if (!asked.settled)
            broken("{} % was asked for before {} % was reached", asked.weight, asked.before);
        const std::int64_t most =
            pods_before(plugin, courses_.reached(plugin, course, course.first), whole);
        if (asked.weight > most)
            broken("{} % was asked for where the steps allow {} %", asked.weight, most);
    }

    ObjectPtr plugin_of(const PluginChange& asked) const {
        for (const ObjectPtr& one : in.cluster.api().list(plugins, asked.ns))
            if (text_at(one->object(), "/spec/workloadRef/name") == asked.workload &&
                is_outside(one->object()))
                return one;
        return nullptr;
    }

    // What it must say before a plugin is asked for it.
    void check_status(const PluginChange& asked, const json::object& plugin) const {
        const json::object& status = object_at(plugin, "/status");
        const bool weighs = asked.method == PluginMethod::SetWeight;
        const bool aborts = asked.method == PluginMethod::Abort;
        const bool is_aborted = flag_at(status, "/aborted");
        const bool is_under_way = flag_at(status, "/rolloutInProgress");
        const std::int64_t weight = number_at(status, "/rollout/weight");
        const bool is_its_revision = text_at(status, "/updatedRevision") == asked.revision;
        if (weighs && weight != asked.weight)
            broken("{} % was asked for while the status says {} %", asked.weight, weight);
        if (weighs && is_aborted) broken("a weight was asked for after an abort");
        if (weighs && !is_under_way) broken("a weight was asked for while no rollout is reported");
        if (!aborts && !is_its_revision)
            broken("revision {} was moved, and the status reports another one", asked.revision);
        if (aborts && is_under_way && !is_aborted && is_its_revision)
            broken("it was taken back, and the status reports no abort");
    }

    Courses& courses_;
};

}  // namespace

std::unique_ptr<Observer> outside_promise(const Inspection& inspection, Courses& courses) {
    return std::make_unique<AsksWhatItReports>("S31", inspection, courses);
}

}  // namespace sluice::sim::rollout_plugin
