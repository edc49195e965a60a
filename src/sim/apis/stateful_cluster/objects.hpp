// StatefulClusters, their members and their claims: how people make them, and what is to be seen.
#pragma once

#include "sim/scenario/words.hpp"

namespace sluice::sim::stateful_cluster {

inline constexpr const char* clusters = "statefulclusters.enge.me";
inline constexpr const char* claims = "persistentvolumeclaims";
inline constexpr const char* revisions = "controllerrevisions.apps";
inline constexpr const char* cluster_label_at = "/metadata/labels/sluice.dev~1statefulcluster";

std::span<const WordField> fields();
// `claim`: the name of a claim template; empty: none.
Response create(World& world, const std::string& name, const FieldTexts& fields,
                const std::string& claim);

// Another template; how its pods behave is a part of it.
Response roll_out(World& world, const std::string& name, const std::string& image,
                  const std::string& behaviour = {});

// "a a b!": the image tag of each member in its place, "-" where there is no pod, "!" if not ready.
std::string members_text(const ApiServer& api, const std::string& name);
// The names of its members, in their places.
std::vector<std::string> member_names(const json::object& cluster);
// The pods of its members, the oldest first, whether they are written down or not.
std::vector<ObjectPtr> pods_of(const ApiServer& api, const std::string& ns,
                               const std::string& cluster);
// The names of the claims that a pod mounts.
std::vector<std::string> claims_in(const json::object& pod);

}  // namespace sluice::sim::stateful_cluster
