// The annotations of ours, on a steered workload if nothing else is said. Names, once released,
// keep their meaning.
#pragma once

#include <string>

namespace sluice::model::key {

inline const std::string claim = "sluice.dev/claim";      // <api>/<name>: who steers it
inline const std::string rollout = "sluice.dev/rollout";  // our memory
inline const std::string fence = "sluice.dev/fence";      // which leader wrote last
inline const std::string phase = "sluice.dev/phase";
inline const std::string reason = "sluice.dev/reason";
inline const std::string message = "sluice.dev/message";
inline const std::string unblock = "sluice.dev/unblock";
inline const std::string since = "sluice.dev/since";
inline const std::string guarantee = "sluice.dev/guarantee";
inline const std::string refused = "sluice.dev/refused";  // what the admission policies kept back
// Left behind by whoever let a workload go in mid-rollout: the partition that was found at
// adoption.
inline const std::string partition_before = "sluice.dev/partition-before";

// Set by people.
inline const std::string paused = "sluice.dev/paused";    // anything but "false" holds the rollout
inline const std::string retry = "sluice.dev/retry";      // a new value lets it go on
inline const std::string promote = "sluice.dev/promote";  // a new value ends the pause of a step
inline const std::string allow_scale_to_zero =
    "sluice.dev/allow-scale-to-zero";  // "true": for the rollout that is open
inline const std::string allow_unready =
    "sluice.dev/allow-unready";  // "true": see docs/operations.md

inline const std::string unstick = "sluice.dev/unstick";  // "Never": see docs/operations.md

// On a pod. Set by people: "true", this one goes if one has to go.
inline const std::string goes_first = "sluice.dev/goes-first";
// Set by us when its containers are to be started anew: so many restarts it has when that is done.
inline const std::string restarts = "sluice.dev/restarts";

}  // namespace sluice::model::key
