// What deploy/policies/extendedstatefulset-volumes.yaml and extendedstatefulset-claims.yaml do in a
// real server.
#include "sim/api/admission.hpp"

#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

constexpr const char* volumes_policy = "sluice-extendedstatefulset-volumes";
constexpr std::string_view placeholder = "-ORDINAL";
constexpr const char* index_at = "/metadata/labels/apps.kubernetes.io~1pod-index";
constexpr const char* claim_at = "/persistentVolumeClaim/claimName";

bool is_new_pod(const AdmissionRequest& request, const json::object& object) {
    return request.resource.id() == "pods" && !request.before && has(object, owner_at);
}

// `object` is the set, or a Scale of it.
bool is_moved(const AdmissionRequest& request, const json::object& object) {
    const json::object& before = *request.before;
    if (number_at(object, "/spec/replicas", 1) != number_at(before, "/spec/replicas", 1))
        return true;
    return request.subresource.empty() && (number_at(object, "/spec/ordinals/start") !=
                                               number_at(before, "/spec/ordinals/start") ||
                                           !has(object, hand_over_at));
}

}  // namespace

void put_ordinals(const AdmissionRequest& request, json::object& object) {
    if (!is_new_pod(request, object) || !has(object, index_at) ||
        !is_in_force(request.storage, "mutating", volumes_policy))
        return;
    json::value* volumes = find(object, "/spec/volumes");
    if (!volumes || !volumes->is_array()) return;
    for (json::value& volume : volumes->get_array()) {
        const std::string claim = text_at(volume.get_object(), claim_at);
        if (claim.ends_with(placeholder))
            sim::set(volume.get_object(), claim_at,
                     claim.substr(0, claim.size() - placeholder.size()) + "-" +
                         text_at(object, index_at));
    }
}

std::optional<PolicyRefusal> judge(const AdmissionRequest& request, const json::object& object) {
    if (is_new_pod(request, object))
        for (const json::value& volume : array_at(object, "/spec/volumes"))
            if (text_at(volume.get_object(), claim_at).ends_with(placeholder))
                return PolicyRefusal{
                    volumes_policy,
                    "The claims of this pod are not known yet: the policy "
                    "sluice-extendedstatefulset-volumes of kind MutatingAdmissionPolicy has not "
                    "put its ordinal into their names."};
    const bool is_of_set = request.resource.id() == sets && request.before &&
                           has(*request.before, hand_over_at) && request.user != operator_user;
    if (!is_of_set || request.subresource == "status" || !is_moved(request, object))
        return std::nullopt;
    return PolicyRefusal{
        request.subresource.empty() ? "sluice-extendedstatefulset-hand-over"
                                    : "sluice-extendedstatefulset-hand-over-scale",
        "The ordinals of this StatefulSet are handed from version to version together with their "
        "claims; scale its ExtendedStatefulSet instead."};
}

}  // namespace sluice::sim::extended_stateful_set
