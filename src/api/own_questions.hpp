// What APIs ask beside hooks and metric checks, and what comes back. The engine carries these as
// OwnQuestion and OwnAnswer; whoever asks and whoever answers agree on the types here.
#pragma once

#include <variant>

#include "api/analysis/question.hpp"
#include "api/rollout_plugin/plugin.hpp"
#include "engine/probe.hpp"

namespace sluice::api {

struct Question final : engine::OwnQuestion {
    using What = std::variant<analysis::Question, rollout_plugin::PluginLook>;
    explicit Question(What asked) : what(std::move(asked)) {}
    What what;
};

struct Reply final : engine::OwnAnswer {
    using What = std::variant<analysis::MeasurementAnswer, rollout_plugin::PluginSight>;
    explicit Reply(What said) : what(std::move(said)) {}
    What what;
};

// Every OwnQuestion is a Question, and every OwnAnswer a Reply.
inline const Question& opened(const engine::OwnQuestion& question) {
    return static_cast<const Question&>(question);
}
inline const Reply& opened(const engine::OwnAnswer& answer) {
    return static_cast<const Reply&>(answer);
}

}  // namespace sluice::api
