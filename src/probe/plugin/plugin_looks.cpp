#include "probe/plugin/plugin_looks.hpp"

#include "api/rollout_plugin/plugin_probe.hpp"
#include "base/assert.hpp"

namespace sluice::probe {

using api::rollout_plugin::PluginAnswer;
using api::rollout_plugin::PluginCall;
using api::rollout_plugin::PluginMethod;
using api::rollout_plugin::PluginProbe;

struct PluginLooks::Look {
    PluginProbe asked;
    Done done;
    api::rollout_plugin::ProbeSoFar so_far{};
    PluginMethod method{};
    PluginCaller::CallId call = 0;
};

PluginLooks::PluginLooks(PluginCaller& caller) : caller_(caller) {}

PluginLooks::~PluginLooks() {
    for (const auto& [id, look] : looks_)
        caller_.cancel(look->call);
}

PluginLooks::LookId PluginLooks::begin(const PluginProbe& look, Done done) {
    const LookId id = ++last_id_;
    looks_.emplace(id, std::make_unique<Look>(Look{look, std::move(done)}));
    go_on(id);
    return id;
}

void PluginLooks::go_on(LookId id) {
    Look& look = *looks_.at(id);
    const auto method = next_method(look.asked, look.so_far);
    if (!method) {
        const std::unique_ptr<Look> over = std::move(looks_.extract(id).mapped());
        return over->done(std::move(over->so_far.observation));
    }
    look.method = *method;
    PluginCall call = look.asked.call;
    call.method = *method;
    look.call = caller_.ask(std::move(call),
                            [this, id](const Result<PluginAnswer>& answer) { take(id, answer); });
}

// The first call is always made, so a look is never over inside begin().
void PluginLooks::take(LookId id, const Result<PluginAnswer>& answer) {
    const auto found = looks_.find(id);
    SLUICE_ASSERT(found != looks_.end());
    take_answer(found->second->so_far, found->second->method, answer);
    go_on(id);
}

void PluginLooks::cancel(LookId id) {
    const auto found = looks_.extract(id);
    if (!found.empty()) caller_.cancel(found.mapped()->call);
}

}  // namespace sluice::probe
