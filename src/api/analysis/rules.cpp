#include "api/analysis/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/pattern.hpp"

namespace sluice::api::analysis {
namespace {

// Which of the names the rule picks; the Error completes the sentence `<field>: ...`.
Result<std::vector<bool>> picked(const std::string& rule, const std::vector<std::string>& names) {
    std::vector<bool> picks(names.size(), rule == "*");
    if (rule == "*") return picks;
    const auto pattern = Pattern::compiled(rule);
    if (!pattern) return failure(ErrorKind::Invalid, "the pattern " + pattern.error().message);
    for (std::size_t i = 0; i < names.size(); ++i)
        picks[i] = pattern->fits(names[i]);
    if (std::ranges::find(picks, true) != picks.end()) return picks;
    return failure(ErrorKind::Invalid, "fits the name of no metric");
}

// Hands each rule what it picks; notes what is wrong with it.
template <class Rule, class Use>
void each_rule(std::string_view field, const std::vector<Rule>& rules,
               const std::vector<std::string>& names, FieldErrors& errors, auto name_of, Use use) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::string path = fmt::format("{}[{}].metricName", field, i);
        const std::string rule = name_of(rules[i]);
        if (!seen.insert(rule).second) {
            errors.push_back({path, "is there twice"});
            continue;
        }
        const auto picks = picked(rule, names);
        if (!picks) {
            errors.push_back({path, picks.error().message});
            continue;
        }
        for (std::size_t at = 0; at < names.size(); ++at)
            if ((*picks)[at]) use(at, rules[i]);
    }
}

}  // namespace

std::expected<std::vector<Treatment>, FieldErrors> treatments(
    const std::vector<std::string>& metrics, const std::vector<std::string>& dry_run,
    const std::vector<Retention>& retention) {
    std::vector<Treatment> result(metrics.size());
    FieldErrors errors;
    each_rule(
        "spec.dryRun", dry_run, metrics, errors, [](const std::string& rule) { return rule; },
        [&](std::size_t at, const std::string&) { result[at].dry_run = true; });
    each_rule(
        "spec.measurementRetention", retention, metrics, errors,
        [](const Retention& rule) { return rule.metric; },
        [&](std::size_t at, const Retention& rule) {
            if (rule.limit > 0) result[at].measurements_max = static_cast<std::size_t>(rule.limit);
        });
    if (!errors.empty()) return std::unexpected(std::move(errors));
    return result;
}

}  // namespace sluice::api::analysis
