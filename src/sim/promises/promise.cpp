#include "sim/promises/promise.hpp"

#include <fmt/format.h>

namespace sluice::sim {
namespace {

constexpr std::size_t violations_max = 50;

}  // namespace

void Promise::broken(const std::string& what) const {
    tested();
    if (in.findings.violations.size() < violations_max)
        in.findings.violations.push_back(
            fmt::format("{} at {}: {}", name_, to_rfc3339(now()), what));
}

}  // namespace sluice::sim
