// The claims of an ExtendedStatefulSet: one for each claim template and ordinal, and zone, of the
// same name in every version. Pods find theirs through an admission policy that puts the ordinal in
// the place of a word that no claim can be called by: where the policy is missing, a pod has no
// volume rather than that of another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/fields.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::extended_stateful_set {

extern const model::Resource claims;
// StatefulSets as they are read live, whole.
extern const model::Resource whole_sets;

// What stands for the ordinal in a pod template; see
// deploy/policies/extendedstatefulset-volumes.yaml.
inline constexpr std::string_view ordinal_word = "ORDINAL";
// A label of claims: whose pod has it.
inline constexpr std::string_view ordinal_key = "sluice.dev/ordinal";
// An annotation of StatefulSets: they have claims that only one pod may have at a time.
inline constexpr std::string_view hand_over_key = "sluice.dev/hand-over";

struct ClaimTemplate {
    std::string name;
    std::string metadata;    // JSON: labels and annotations
    std::string spec;        // JSON: of the claim
    std::string size;        // as it is written
    bool is_shared = false;  // pods of several versions may have it at once
};

struct Volumes {
    std::vector<ClaimTemplate> templates = {};
    bool deletes_when_scaled = false;
    bool deletes_when_deleted = false;

    // Of each ordinal one version at a time.
    bool are_handed_over() const;
    // Of all that cannot change, and of what claims that are there are changed for.
    std::string identity() const;
    std::string shape() const;
};

// So many claims may each ordinal have in all zones together: they are looked at together.
inline constexpr std::size_t claims_max = 48;

// Of the spec of a StatefulSet.
Volumes read_volumes(const Fields& fields);

// "data-web-2", in the second zone "data-web-z1-2".
std::string claim_name(std::string_view owner, std::string_view claim, std::optional<int> zone,
                       std::string_view ordinal);
std::string claim_body(const model::CustomObject& object, const Volumes& volumes,
                       const ClaimTemplate& claim, std::optional<int> zone, int ordinal);
// It says that it is of this owner and zone; any other is somebody else's.
bool is_own_claim(const model::CustomObject& claim, std::string_view owner,
                  std::optional<int> zone);
// Pods of several versions may have it at once.
bool can_be_shared(const model::CustomObject& claim);
// The operations that let the object own a claim if it is to go with it, and else do not; and those
// that make it as large as its template has it now, and never smaller. Two writes: one may be
// refused, and the other is made. Empty: it is so already.
std::string owner_change(const model::CustomObject& object, const Volumes& volumes,
                         const model::CustomObject& claim);
std::string size_change(const ClaimTemplate& wanted, const model::CustomObject& claim);

}  // namespace sluice::api::extended_stateful_set
