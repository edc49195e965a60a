// The plugins outside of the operator and what they move: workloads with two revisions and a weight
// that is reached some seconds after it was asked for. Production's code decides which calls a look
// is made of; only the plugin is played here.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/inquiry/plugin_call.hpp"
#include "base/time.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim::rollout_plugin {

// A change that is asked of a plugin.
struct PluginChange {
    std::string ns;
    std::string workload;
    api::PluginMethod method;
    int weight = 0;        // that it leads to
    std::string revision;  // that is brought there
    int before = 0;        // the weight that was asked for before it
    bool settled = false;  // and whether that was reached
};

class PluginWorld final : public OwnService {
  public:
    enum class Mood { Well, Down, Slow, Stuck };  // stuck: no weight is ever reached

    // What is there, and what is to come; the same revision twice: nothing is to come.
    void set_revisions(const std::string& workload, const std::string& current,
                       const std::string& updated);
    std::optional<Result<api::PluginAnswer>> call(const api::PluginCall& call,
                                                  Instant now) override;

    // "v1 v2 40": what is current, what is to come, and the weight that was reached.
    std::string text(const std::string& workload, Instant now) const;

    Mood mood = Mood::Well;
    std::function<void(const PluginChange&)> on_change;  // before it is made

  private:
    struct Workload {
        std::string current;
        std::string updated;
        int asked = 0;
        int reached = 0;  // before the last change
        Instant since;    // of the last change
        bool promoted = false;
    };
    Result<api::PluginAnswer> answer_to(const api::PluginCall& call, Instant now);
    void change(const api::PluginCall& call, Workload& workload, Instant now);
    int reached(const Workload& workload, Instant now) const;

    std::map<std::string, Workload> workloads_;
};

}  // namespace sluice::sim::rollout_plugin
