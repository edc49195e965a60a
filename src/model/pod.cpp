#include "model/pod.hpp"

#include "base/text.hpp"

namespace sluice::model {

std::optional<Ordinal> ordinal_of(const Pod& pod) {
    const std::string& name = pod.meta.key.name;
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos) return std::nullopt;
    const auto number = whole_number<std::int32_t>(std::string_view{name}.substr(dash + 1));
    if (!number || *number < 0) return std::nullopt;
    return Ordinal{*number};
}

bool is_available(const Pod& pod, Duration min_ready, Instant now) {
    if (pod.meta.deleting || !pod.ready) return false;
    // Clocks of nodes and ours differ: they are compared only where somebody asked for it.
    if (min_ready == Duration{0}) return true;
    return pod.ready_since > Instant{} && pod.ready_since + min_ready <= now;
}

}  // namespace sluice::model
