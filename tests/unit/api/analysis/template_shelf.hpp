// Templates by name, as JSON, and the runs that can be made of them for the RolloutPlugin shop/web.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "api/analysis/compose.hpp"
#include "api/analysis/substitute.hpp"
#include "tests/unit/api/changes.hpp"

namespace sluice::api::analysis::testing {

struct RefOrder {
    bool operator()(const TemplateRef& one, const TemplateRef& other) const {
        return std::tie(one.cluster_scope, one.name) < std::tie(other.cluster_scope, other.name);
    }
};

class TemplateShelf {
  public:
    explicit TemplateShelf(const std::map<TemplateRef, std::string, RefOrder>& specs) {
        for (const auto& [ref, spec] : specs)
            read_.emplace(ref, read_template(api::testing::with_spec(spec)));
    }
    TemplateShelf(std::initializer_list<std::pair<const TemplateRef, std::string>> specs)
        : TemplateShelf(std::map<TemplateRef, std::string, RefOrder>(specs)) {}

    std::expected<RunSpec, FieldErrors> compose(const TemplateUse& use) const {
        model::CustomObject web;
        web.meta.key = {"shop", "web"};
        return analysis::compose(
            use,
            [this](const TemplateRef& ref) -> FoundTemplate {
                const auto found = read_.find(ref);
                if (found == read_.end()) return nullptr;
                if (!found->second) return std::unexpected(found->second.error());
                return &*found->second;
            },
            [&web](std::string_view path) { return field_value(web, path); });
    }

  private:
    std::map<TemplateRef, std::expected<Template, FieldErrors>, RefOrder> read_;
};

}  // namespace sluice::api::analysis::testing
