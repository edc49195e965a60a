#include "sim/api/schema.hpp"

#include "sim/api/schema_parts.hpp"

namespace sluice::sim {
namespace {

// Every text that is called "pattern". One that stands in a default is never asked for.
void collect(const json::value& part, int levels, Patterns& patterns) {
    if (levels <= 0) return;
    if (const json::array* list = part.if_array())
        for (const json::value& entry : *list)
            collect(entry, levels - 1, patterns);
    const json::object* object = part.if_object();
    if (!object) return;
    for (const auto& [key, value] : *object) {
        collect(value, levels - 1, patterns);
        if (key != "pattern" || !value.is_string()) continue;
        const std::string_view text = value.get_string();
        if (patterns.contains(text)) continue;
        if (auto pattern = Pattern::compiled(text)) patterns.emplace(text, *std::move(pattern));
    }
}

}  // namespace

Schema::Schema(json::object openapi) : document(std::move(openapi)) {
    constexpr int levels_max = 2 * schema_depth_max;  // one schema lies two levels below another
    for (const auto& [key, value] : document)
        collect(value, levels_max, patterns);
}

}  // namespace sluice::sim
