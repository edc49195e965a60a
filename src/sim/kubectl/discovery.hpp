// What a client can learn about the API before it asks for objects: groups, versions, resources,
// their verbs, and the version of the server.
//
// Promises the two forms that clients know: one document per group version (legacy), and everything
// at once (aggregated, apidiscovery.k8s.io v2 and v2beta1). Groups stand in the order in which
// their first resource is given; versions in Kubernetes' order (v2, v1, v1beta1, v1alpha1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/api_server.hpp"

namespace sluice::sim {

using Resources = std::vector<const Resource*>;

inline const std::string server_version = "v1.36.3-sluice";

// The answer to GET `path`; nothing if the path is not one of discovery's, or if there is no such
// group or version. `accept` is the header's value: the first form of it that we have is taken.
std::optional<Response> discover(const Resources& resources, std::string_view path,
                                 std::string_view accept);

// Whether version `left` ("v1", "v2beta3") comes before `right` in Kubernetes' order.
bool is_preferred(std::string_view left, std::string_view right);

}  // namespace sluice::sim
