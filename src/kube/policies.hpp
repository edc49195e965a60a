// The admission policies that we rely on: what must be in the cluster, and whether something is.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

// A policy or a binding, as the manifest has it.
struct WantedPolicy {
    std::string path;   // where the server has it
    std::string title;  // "MutatingAdmissionPolicy sluice-gate"
    boost::json::value spec;
};

// Those in a YAML text of several documents. The text is ours: what cannot be read is our mistake.
std::vector<WantedPolicy> policies_in(std::string_view yaml);

// Whether `found` says all that `wanted` says. The server adds defaults to what it is given, but
// changes nothing, and lists are as long as they were.
bool says_all(const boost::json::value& found, const boost::json::value& wanted);

}  // namespace sluice::kube
