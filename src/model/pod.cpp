#include "model/pod.hpp"

#include <charconv>

namespace sluice::model {

std::optional<Ordinal> ordinal_of(const Pod& pod) {
    const std::string& name = pod.meta.key.name;
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos || dash + 1 == name.size()) return std::nullopt;
    const char* const end = name.data() + name.size();
    std::int32_t value = 0;
    const auto [stop, error] = std::from_chars(name.data() + dash + 1, end, value);
    if (error != std::errc{} || stop != end || value < 0) return std::nullopt;
    return Ordinal{value};
}

bool is_available(const Pod& pod, Duration min_ready, Instant now) {
    if (pod.meta.deleting || !pod.ready) return false;
    // Clocks of nodes and ours differ: they are compared only where somebody asked for it.
    if (min_ready == Duration{0}) return true;
    return pod.ready_since > Instant{} && pod.ready_since + min_ready <= now;
}

}  // namespace sluice::model
