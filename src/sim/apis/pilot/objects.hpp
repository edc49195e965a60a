// How a StatefulSet of the pilot is known.
#pragma once

namespace sluice::sim::pilot {

inline constexpr const char* label = "dd-statefulset-pilot";

}  // namespace sluice::sim::pilot
