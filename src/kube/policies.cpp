#include "kube/policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/assert.hpp"
#include "model/json_text.hpp"
#include "model/yaml.hpp"
#include "wire/paths.hpp"

namespace sluice::kube {
namespace {

namespace json = boost::json;

// "ValidatingAdmissionPolicy" is served as "validatingadmissionpolicies".
std::string plural_of(std::string kind) {
    std::ranges::transform(kind, kind.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    if (kind.ends_with('y')) return kind.substr(0, kind.size() - 1) + "ies";
    return kind + "s";
}

}  // namespace

std::vector<WantedPolicy> policies_in(std::string_view yaml) {
    std::vector<WantedPolicy> wanted;
    const auto documents = model::read_yaml(yaml);
    SLUICE_ASSERT(documents.has_value());
    for (const json::value& document : *documents) {
        if (!document.is_object()) continue;
        const std::string kind{model::text_at(document, "/kind")};
        const std::string name{model::text_at(document, "/metadata/name")};
        SLUICE_ASSERT(!kind.empty() && !name.empty());
        wanted.push_back({wire::policy_path(plural_of(kind), name),
                          fmt::format("{} {}", kind, name), document.get_object().at("spec")});
    }
    return wanted;
}

bool says_all(const json::value& found, const json::value& wanted) {
    if (const json::object* members = wanted.if_object()) {
        const json::object* there = found.if_object();
        return there && std::ranges::all_of(*members, [&](const auto& member) {
                   const json::value* one = there->if_contains(member.key());
                   return one && says_all(*one, member.value());
               });
    }
    if (const json::array* items = wanted.if_array()) {
        const json::array* there = found.if_array();
        return there && there->size() == items->size() &&
               std::ranges::equal(*there, *items, says_all);
    }
    return found == wanted;
}

}  // namespace sluice::kube
