// What extendedstatefulset-scale.yaml changes, with the same effect as its CEL has in a real
// server.
#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

constexpr const char* replicas_at = "/spec/template/spec/replicas";

std::int64_t nearest(const json::object& object, std::int64_t wanted) {
    const std::int64_t min = number_at(object, "/spec/scaling/min", 0);
    const std::int64_t max = number_at(object, "/spec/scaling/max", 1000);
    const std::int64_t within = std::min(std::max(wanted, min), max);
    const bool is_odd_only = flag_at(object, "/spec/scaling/oddOnly");
    const bool may_be_none = within == 0 && !has(object, "/spec/scaling/min");
    if (!is_odd_only || within % 2 == 1 || may_be_none) return within;
    return within < max ? within + 1 : within - 1;
}

}  // namespace

void mutate(const AdmissionRequest& request, json::object& object) {
    put_ordinals(request, object);
    const bool is_silent = request.resource.id() == extended_sets && request.subresource.empty() &&
                           has(object, "/spec/template/spec") && !has(object, replicas_at);
    if (!is_silent || !is_in_force(request.storage, "mutating", replicas_policy)) return;
    const std::int64_t otherwise = number_at(object, "/spec/scaling/min", 1);
    const std::int64_t wanted =
        request.before ? number_at(*request.before, replicas_at, otherwise) : otherwise;
    set(object, replicas_at, nearest(object, wanted));
}

}  // namespace sluice::sim::extended_stateful_set
