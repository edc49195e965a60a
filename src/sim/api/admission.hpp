// The admission policies that Sluice ships, with the same effect as their CEL has in a real server.
// Each is in force while its policy and its binding, by name, are stored. Of the plugins that
// Kubernetes has itself, the one that lets claims grow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api/resource.hpp"
#include "sim/api/storage.hpp"
#include "sim/apis/registry.hpp"

namespace sluice::sim {

inline const std::string operator_user = "system:serviceaccount:sluice-system:sluice";

struct AdmissionRequest {
    const Storage& storage;
    const Resource& resource;
    std::string subresource;  // "", "status", "scale"
    std::string user;
    const json::object* before;  // null: a create
};

struct Admitted {
    json::object object;
    std::vector<std::string> warnings = {};
    std::optional<std::string> refusal = {};  // why it is forbidden
};

// Both are stored: the policy of this kind ("mutating" or "validating"), and its binding.
bool is_in_force(const Storage& storage, const std::string& kind, const std::string& name);

// The policy that closes the gate of a new StatefulSet which an object of this API names.
std::string create_gate_of(const Api& api);

// First what changes the object, then what judges it.
json::object mutated(const AdmissionRequest& request, json::object object);
Admitted admitted(const AdmissionRequest& request, json::object object);

}  // namespace sluice::sim
