// Makes the spec of a run out of templates and of what their user says. The metrics keep their
// placeholders and the run carries the arguments, as in the original; an argument that comes from a
// Secret stays a reference. Everything that the run would end in an Error for without asking
// anybody is refused here, with a sentence for each: templates that are missing or name each other
// in a circle, metrics of the same name, arguments without a value, providers that are not served.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/analysis/run.hpp"

namespace sluice::api::analysis {

inline constexpr std::size_t template_depth_max = 8;  // templates that name templates
inline constexpr std::size_t templates_max = 64;      // of one run, all together
inline constexpr std::size_t run_metrics_max = 64;    // the bound of the definition
// Objects are kept with at most 64 KiB of spec.
inline constexpr std::size_t run_spec_bytes_max = 60u << 10;

// A template that is there; null if it is not. One with a fault comes with its errors.
using FoundTemplate = std::expected<const Template*, FieldErrors>;
using FindTemplate = std::function<FoundTemplate(const TemplateRef&)>;

// What the user of templates says.
struct TemplateUse {
    std::vector<TemplateRef> templates;
    std::map<std::string, std::string> args;  // those that no template knows are ignored
    std::vector<std::string> dry_run;
    std::vector<Retention> retention;
};

// The value of a field of the object that the analysis is made for: arguments of templates may name
// one. The Error completes the sentence `args.<name>: ...`.
using FindField = std::function<Result<std::string>(std::string_view path)>;

std::expected<RunSpec, FieldErrors> compose(const TemplateUse& use, const FindTemplate& find,
                                            const FindField& field);

// "AnalysisTemplate common" or "ClusterAnalysisTemplate common".
std::string to_text(const TemplateRef& ref);

}  // namespace sluice::api::analysis
