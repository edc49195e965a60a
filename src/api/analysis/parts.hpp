// Reads the parts that templates, runs and those who use templates have in common. What is wrong is
// noted in the errors of the Fields.
#pragma once

#include <string>
#include <vector>

#include "api/analysis/template.hpp"
#include "api/fields.hpp"

namespace sluice::api::analysis {

// The bounds of deploy/crds/*.argoproj.io.yaml.
inline constexpr std::size_t argument_max = 4096;
inline constexpr std::size_t path_max = 512;
inline constexpr std::size_t label_max = 253;  // the name of a metric or an argument

std::vector<Metric> read_metrics(const Fields& fields);
std::vector<Argument> read_arguments(const Fields& fields);
std::vector<TemplateRef> read_references(const Fields& fields);
std::vector<std::string> read_dry_run(const Fields& fields);
std::vector<Retention> read_retention(const Fields& fields);

// Notes that a name is there twice.
void check_unique(const std::vector<Fields>& entries, std::string_view key);

// A list of entries with a name of their own, each as `read` gives it.
template <class Read>
auto read_named(const Fields& fields, std::string_view key, std::size_t max, Read read) {
    const std::vector<Fields> entries = fields.list(key, max);
    std::vector<decltype(read(entries.front()))> named;
    named.reserve(entries.size());
    for (const Fields& entry : entries)
        named.push_back(read(entry));
    check_unique(entries, "name");
    return named;
}

}  // namespace sluice::api::analysis
