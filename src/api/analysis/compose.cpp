#include "api/analysis/compose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/analysis/known.hpp"
#include "base/printable.hpp"

namespace sluice::api::analysis {
namespace {

// Gathers the templates that are named, and those that these name, each once.
class Gathering {
  public:
    explicit Gathering(const FindTemplate& find) : find_(find) {}

    void add(const TemplateRef& ref) {
        if (std::ranges::find(path_, ref) != path_.end())
            return fault(ref, "names itself, over the templates that it names");
        if (std::ranges::find(seen_, ref) != seen_.end()) return;
        if (path_.size() == template_depth_max)
            return fault(ref, fmt::format("is named by a row of more than {} templates",
                                          template_depth_max));
        if (seen_.size() == templates_max)
            return fault(ref, fmt::format("is one of more than {} templates", templates_max));
        seen_.push_back(ref);
        const FoundTemplate found = find_(ref);
        if (!found) {
            for (const FieldError& error : found.error())
                errors_.push_back({fmt::format("{} {}", to_text(ref), error.field), error.what});
            return;
        }
        if (!*found) return fault(ref, "does not exist");
        path_.push_back(ref);
        merge(ref, **found);
        for (const TemplateRef& inner : (*found)->templates)
            add(inner);
        path_.pop_back();
    }

    RunSpec& spec() { return spec_; }
    FieldErrors& errors() { return errors_; }

  private:
    void fault(const TemplateRef& ref, std::string what) {
        errors_.push_back({to_text(ref), std::move(what)});
    }

    void merge(const TemplateRef& ref, const Template& from) {
        for (const Metric& metric : from.metrics) {
            if (std::ranges::find(spec_.metrics, metric.name, &Metric::name) != spec_.metrics.end())
                fault(ref, fmt::format("has a metric {}, and so has another template",
                                       quoted(metric.name)));
            else if (spec_.metrics.size() == run_metrics_max)
                return fault(ref, fmt::format("brings the analysis to more than {} metrics",
                                              run_metrics_max));
            else
                spec_.metrics.push_back(metric);
        }
        for (const Argument& argument : from.args)
            merge(ref, argument);
        spec_.dry_run.insert(spec_.dry_run.end(), from.dry_run.begin(), from.dry_run.end());
        spec_.retention.insert(spec_.retention.end(), from.retention.begin(), from.retention.end());
    }

    // Of an argument that several templates have, the one with a value counts.
    void merge(const TemplateRef& ref, const Argument& argument) {
        const auto found = std::ranges::find(spec_.args, argument.name, &Argument::name);
        if (found == spec_.args.end())
            spec_.args.push_back(argument);
        else if (std::holds_alternative<NotGiven>(found->value))
            found->value = argument.value;
        else if (!std::holds_alternative<NotGiven>(argument.value) &&
                 found->value != argument.value)
            fault(ref, fmt::format("gives the argument {} another value than another template",
                                   quoted(argument.name)));
    }

    const FindTemplate& find_;
    std::vector<TemplateRef> path_;
    std::vector<TemplateRef> seen_;
    RunSpec spec_;
    FieldErrors errors_;
};

// The values that the user gives, and those of fields.
void settle(std::vector<Argument>& args, const TemplateUse& use, const FindField& field,
            FieldErrors& errors) {
    for (Argument& argument : args) {
        const std::string path = "args." + printable(argument.name, 64);
        if (const auto given = use.args.find(argument.name); given != use.args.end())
            argument.value = given->second;
        if (const auto* from = std::get_if<FieldPath>(&argument.value)) {
            auto value = field(from->path);
            if (value)
                argument.value = std::move(*value);
            else
                errors.push_back({path, value.error().message});
        }
        if (std::holds_alternative<NotGiven>(argument.value))
            errors.push_back(
                {path, "has no value: neither the template nor who uses it gives one"});
    }
}

template <class Rule>
void put_before(std::vector<Rule>& rules, const std::vector<Rule>& first) {
    rules.insert(rules.begin(), first.begin(), first.end());
}

}  // namespace

std::string to_text(const TemplateRef& ref) {
    return fmt::format("{}AnalysisTemplate {}", ref.cluster_scope ? "Cluster" : "", ref.name);
}

std::expected<RunSpec, FieldErrors> compose(const TemplateUse& use, const FindTemplate& find,
                                            const FindField& field) {
    Gathering gathering{find};
    for (const TemplateRef& ref : use.templates)
        gathering.add(ref);
    FieldErrors& errors = gathering.errors();
    RunSpec& spec = gathering.spec();
    settle(spec.args, use, field, errors);
    if (!errors.empty()) return std::unexpected(std::move(errors));
    put_before(spec.dry_run, use.dry_run);
    put_before(spec.retention, use.retention);
    if (const auto known = known_metrics(spec); !known) return std::unexpected(known.error());
    if (write_run_spec(spec).size() > run_spec_bytes_max)
        return std::unexpected(
            FieldErrors{{"spec", fmt::format("has more than {} bytes", run_spec_bytes_max)}});
    return std::move(spec);
}

}  // namespace sluice::api::analysis
