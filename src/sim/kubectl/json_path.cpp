#include "sim/kubectl/json_path.hpp"

#include "language/json_path.hpp"

namespace sluice::sim {

const json::value* at_path(const json::object& in, std::string_view path) {
    using language::JsonPath;
    const auto parsed = JsonPath::parsed(path);
    const auto begin = parsed ? parsed->begin() : std::nullopt;
    if (!begin) return nullptr;
    const json::value* member = in.if_contains(begin->name);
    if (!member) return nullptr;
    const auto found = begin->rest.found(*member, JsonPath::Missing::Nothing);
    return found && !found->empty() ? found->front() : nullptr;
}

}  // namespace sluice::sim
