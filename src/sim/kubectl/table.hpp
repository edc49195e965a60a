// Objects as the rows that `kubectl get` prints: the Table of meta.k8s.io/v1, with the columns that
// the real server has for the kind, those that a CustomResourceDefinition asks for, or name and
// age.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "sim/api/json.hpp"
#include "sim/api/resource.hpp"
#include "sim/api/storage.hpp"

namespace sluice::sim {

enum class RowObject { None, Metadata, Object };  // what a row carries of its object

// The list's own metadata (resourceVersion, continue) is the caller's to fill in.
json::object table(const Resource& resource, const std::vector<ObjectPtr>& objects, Instant now,
                   RowObject carried = RowObject::Metadata);

// The first value that a simple JSON path of additionalPrinterColumns finds: ".spec.replicas",
// ".metadata.labels['a.b']", ".status.conditions[?(@.type==\"Ready\")].status", ".spec.ports[0]".
// Nothing if there is none or the path is none of these.
const json::value* at_path(const json::object& in, std::string_view path);

// Whether the client would rather have a table, and which object it wants in each row
// (`include_object` is the query parameter includeObject).
bool wants_table(std::string_view accept);
RowObject row_object(std::string_view include_object);

// "5s", "3m12s", "2d3h": how long ago something happened, as kubectl prints it.
std::string age(Duration duration);
// The age of a timestamp; "<unknown>" for one that is not there or not readable.
std::string age_since(std::string_view timestamp, Instant now);

}  // namespace sluice::sim
