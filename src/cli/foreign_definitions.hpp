// Custom resource definitions that somebody else has put into the cluster: Argo Rollouts has three
// of the names that Sluice has too, and whoever comes from one of the originals has its definition.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice::cli {

// Of our definitions those that are not in the cluster yet, or are there and ours; each of the
// others is a comment before the first document that says what was left alone, what it lacks of
// what Sluice needs, and how to change that. `installed` is what `kubectl get crd -o json` printed,
// or nothing. Fails with ErrorKind::Malformed if it is something else.
Result<std::string> without_foreign(std::string_view definitions, std::string_view installed);

}  // namespace sluice::cli
