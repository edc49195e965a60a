// Who does not lead must not write, and who writes must be heard before somebody else may lead.
#pragma once

#include <functional>
#include <optional>

#include "base/time.hpp"

namespace sluice::kube {

// For how long nobody else can lead; nothing: we do not lead. An empty function: always, for ever.
using Lead = std::function<std::optional<Duration>()>;

inline constexpr const char* not_leading = "not sent: this operator no longer leads";

}  // namespace sluice::kube
