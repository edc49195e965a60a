// The words for what is wrong with a field, and the checks that several kinds share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/resource.hpp"
#include "sim/api/schema.hpp"

namespace sluice::sim {

using Problems = std::vector<FieldProblem>;

void required(Problems& problems, std::string field, const std::string& hint = {});
void invalid_value(Problems& problems, std::string field, const std::string& value,
                   const std::string& why);
void forbidden_field(Problems& problems, std::string field, const std::string& why);
// `supported` in the order in which the server lists them.
void check_supported(Problems& problems, std::string field, const std::string& value,
                     std::span<const std::string_view> supported);
// The same of a field of the object, if it is there.
void check_supported(Problems& problems, const json::object& object, const std::string& field,
                     std::span<const std::string_view> supported);

// Why a text is not what it should be; empty if it is.
std::string fault_of_label(std::string_view name);
std::string fault_of_subdomain(std::string_view name);
std::string fault_of_label_value(std::string_view value);
std::vector<std::string> faults_of_qualified_name(std::string_view name);

void check_metadata(Problems& problems, const Resource& resource, const json::object& object,
                    const json::object* before);
void check_config_map(Problems& problems, const json::object& map, const json::object* before);
// `field` is where the spec stands: "spec" or "spec.template.spec".
void check_pod_spec(Problems& problems, const json::object& object, const std::string& field);

}  // namespace sluice::sim
