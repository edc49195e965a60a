// The objects that a cluster is made of, as JSON texts: pods, claims and revisions.
#pragma once

#include <string>

#include "api/stateful_cluster/spec.hpp"
#include "api/stateful_cluster/status.hpp"

namespace sluice::api::stateful_cluster {

// The pod of a member, from this template. Labels, annotations and volumes of the template stay;
// the labels of the selector and the claims are added. Where it has a service its name is its
// hostname.
std::string pod_body(const model::CustomObject& object, const Spec& spec, const Member& member,
                     const std::string& pod_template);

// A claim of a member, with the labels and annotations of its template. Nobody owns it: it outlives
// the cluster unless somebody says otherwise.
std::string claim_body(const model::CustomObject& object, const ClaimTemplate& claim,
                       const std::string& identity);

// The template, so that members can be made from it when the spec has another one.
std::string revision_body(const model::CustomObject& object, const std::string& name,
                          std::int64_t number, const std::string& pod_template);
// The template in the data of a revision; empty: there is none.
std::string template_in(const std::string& data);

}  // namespace sluice::api::stateful_cluster
