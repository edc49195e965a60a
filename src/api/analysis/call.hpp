// The use of templates, as whoever waits for an analysis writes it: which templates, and what their
// arguments are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "api/analysis/template.hpp"
#include "api/fields.hpp"

namespace sluice::api::analysis {

// What is measured: the revision that serves, or the one that is to.
enum class RevisionOf : std::uint8_t { Stable, Latest };
struct CallArgument {
    std::string name;
    std::variant<std::string, RevisionOf, FieldPath> value;
    friend bool operator==(const CallArgument&, const CallArgument&) = default;
};
struct AnalysisCall {
    std::vector<TemplateRef> templates;  // at least one
    std::vector<CallArgument> args;
    std::vector<std::string> dry_run;
    std::vector<Retention> retention;
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    friend bool operator==(const AnalysisCall&, const AnalysisCall&) = default;
};

AnalysisCall read_call(const Fields& fields);

}  // namespace sluice::api::analysis
