// What can be said about a PromQL expression without Prometheus: whether there is one, and whether
// its brackets and quotes are balanced. Prometheus itself judges the rest when it is first asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::api::phased_rollout {

// Completes the sentence `<field>: ...`.
std::optional<std::string> promql_problem(std::string_view expression);

}  // namespace sluice::api::phased_rollout
