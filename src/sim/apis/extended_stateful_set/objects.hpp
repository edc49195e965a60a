// ExtendedStatefulSets and their versions: how people make them, and what is to be seen.
#pragma once

#include "sim/scenario/words.hpp"

namespace sluice::sim::extended_stateful_set {

inline constexpr const char* extended_sets = "extendedstatefulsets.fissile.cloudfoundry.org";
inline constexpr const char* sets = "statefulsets.apps";
inline constexpr const char* services = "services";
inline constexpr const char* serves_at = "/metadata/annotations/sluice.dev~1serves";
inline constexpr const char* selected_at = "/spec/selector/fissile.cloudfoundry.org~1version";
inline constexpr const char* claims = "persistentvolumeclaims";
inline constexpr const char* revisions = "controllerrevisions.apps";
inline constexpr const char* owner_at = "/metadata/labels/sluice.dev~1extendedstatefulset";
inline constexpr const char* ordinal_at = "/metadata/labels/sluice.dev~1ordinal";
inline constexpr const char* hand_over_at = "/metadata/annotations/sluice.dev~1hand-over";
inline constexpr const char* version_at = "/metadata/annotations/fissile.cloudfoundry.org~1version";
inline constexpr const char* stale_at = "/metadata/annotations/fissile.cloudfoundry.org~1stale";
inline constexpr const char* config_at =
    "/metadata/annotations/fissile.cloudfoundry.org~1configsha1";
inline constexpr const char* zone_at = "/metadata/labels/fissile.cloudfoundry.org~1az-index";
inline constexpr const char* jobs = "jobs.batch";
inline constexpr std::string_view finalizer = "fissile.cloudfoundry.org/finalizer";
inline constexpr const char* owners_at = "/metadata/ownerReferences";
inline constexpr const char* owner_uid_at = "/metadata/ownerReferences/0/uid";

std::span<const WordField> fields();
// Makes or changes it.
Response put_config_map(World& world, const std::string& name, const std::string& key,
                        const std::string& value);
Response create(World& world, const std::string& name, const FieldTexts& fields);
// Another template; how its pods behave is a part of it.
Response roll_out(World& world, const std::string& name, const std::string& image,
                  const std::string& behaviour = {});

// A Service of this name that finds all its pods, and follows the version that serves.
Response create_service(World& world, const std::string& name, const std::string& owner);

// The StatefulSets of its versions, the oldest first and zone by zone, without those that are being
// deleted.
std::vector<ObjectPtr> versions_of(const ApiServer& api, const json::object& object);
// The pods of a StatefulSet that are there.
std::vector<ObjectPtr> pods_of(const ApiServer& api, const json::object& set);
bool is_ready(const json::object& pod);  // and stays
std::int64_t ready_pods(const ApiServer& api, const json::object& set);
// One word for each pod of the version that serves: "new" if it was made of the template as it is
// now, otherwise "old"; "-" where it is not there.
std::string restarts_text(const ApiServer& api, const std::string& name);
std::int64_t version_of(const json::object& set);
std::int64_t zone_of(const json::object& set);  // -1: none
// "v1 a a a v2 b!": of each version its pods, by the tags of their images; "!" if not ready. In
// zones "z0-v1 a z1-v1 a".
std::string versions_text(const ApiServer& api, const std::string& name);

// "v1 v2": the versions of which it is kept what they were made from.
std::string kept_text(const ApiServer& api, const json::object& object);

// The finalizer is on it.
bool keeps_config(const json::object& object);

// What it controls of a resource, such as the Jobs around its upgrades.
std::vector<ObjectPtr> owned_by(const ApiServer& api, const char* resource,
                                const json::object& object);

// The claims of an object that are there, by zone and ordinal.
std::vector<ObjectPtr> claims_of(const ApiServer& api, const std::string& ns,
                                 const std::string& name);
// Of those that are not being deleted.
std::string sizes_text(const ApiServer& api, const std::string& name);
// Those that a pod names.
std::vector<std::string> claims_in(const json::object& pod);

}  // namespace sluice::sim::extended_stateful_set
