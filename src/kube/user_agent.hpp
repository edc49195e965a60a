// How we introduce ourselves to API servers; audit logs show it.
#pragma once

#include <string_view>

namespace sluice::kube {

inline constexpr std::string_view user_agent = "sluice/0.1.0";

}  // namespace sluice::kube
