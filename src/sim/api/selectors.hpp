// Label and field selectors, as they stand in a query.
#pragma once

#include <expected>
#include <string>

#include "sim/api/resource.hpp"

namespace sluice::sim {

// An unreadable one is an error: what is wrong with it.
std::expected<bool, std::string> matches_labels(const json::object& object,
                                                const std::string& selector);
// "metadata.name=x,status.phase!=Running": compared as text; any path of the object will do.
std::expected<bool, std::string> matches_fields(const json::object& object,
                                                const std::string& selector);
// A kind can be selected by some of its fields only. Empty if these are among them.
std::string fault_of_fields(const Resource& resource, const std::string& selector);
// A LabelSelector object (matchLabels, matchExpressions) against labels.
bool selects(const json::object& selector, const json::object& labels);

}  // namespace sluice::sim
