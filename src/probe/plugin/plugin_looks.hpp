// Looks at workloads through their plugins: the calls of a look one after the other, and what they
// came to as one answer.
//
// Promises: every look ends in exactly one `done`, on the loop, never from inside begin(), unless
// it was cancelled or the whole destroyed. A call that fails is the last one, and its sentence is
// the answer. Nothing is changed and nothing verified for another revision than the one that the
// look is for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "probe/plugin/plugin_caller.hpp"

namespace sluice::probe {

class PluginLooks {
  public:
    using LookId = std::uint64_t;
    using Done = std::function<void(api::rollout_plugin::PluginObservation)>;

    // The caller must outlive this.
    explicit PluginLooks(PluginCaller& caller);
    ~PluginLooks();
    PluginLooks(const PluginLooks&) = delete;
    PluginLooks& operator=(const PluginLooks&) = delete;

    LookId begin(const api::rollout_plugin::PluginProbe& look, Done done);
    // Ends a look without `done`. Unknown ids are ignored.
    void cancel(LookId id);

  private:
    struct Look;
    void go_on(LookId id);
    void take(LookId id, const Result<api::rollout_plugin::PluginAnswer>& answer);

    PluginCaller& caller_;
    std::map<LookId, std::unique_ptr<Look>> looks_;
    LookId last_id_ = 0;
};

}  // namespace sluice::probe
