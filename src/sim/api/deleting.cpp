#include <fmt/format.h>
#include <algorithm>

#include "sim/api/answers.hpp"
#include "sim/api/state.hpp"
#include "sim/api/writing.hpp"

namespace sluice::sim {
namespace {

// A delete answers with the object itself.
constexpr std::string_view shown_when_gone[] = {"pods", "services", "serviceaccounts",
                                                "persistentvolumeclaims", "persistentvolumes"};

void set_finalizer(json::object& object, const char* name, bool wanted) {
    json::array& list = array_in(object, "/metadata/finalizers");
    const auto found = std::ranges::find(list, json::value(name));
    if (found != list.end() && !wanted) list.erase(found);
    if (found == list.end() && wanted) list.push_back(name);
    if (list.empty()) erase(object, "/metadata/finalizers");
}

// A definition goes after the objects of its kind; what is shown is how it waits for that.
json::object leaving_definition(json::object definition, std::uint64_t version, Instant now) {
    const std::string time = to_rfc3339(now);
    set(definition, "/metadata/resourceVersion", std::to_string(version));
    set(definition, "/metadata/deletionTimestamp", time);
    set(definition, "/metadata/finalizers",
        json::array{"customresourcecleanup.apiextensions.k8s.io"});
    array_in(definition, "/status/conditions")
        .push_back(json::object{{"type", "Terminating"},
                                {"status", "True"},
                                {"lastTransitionTime", time},
                                {"reason", "InstanceDeletionPending"},
                                {"message",
                                 "CustomResourceDefinition marked for deletion; CustomResource "
                                 "deletion will begin soon"}});
    return definition;
}

}  // namespace

// Pods on a node are given time to end; the kubelet takes them away.
bool Writing::waits_for_grace(const json::object& object, const Deletion& how,
                              std::int64_t& grace) const {
    if (resource_.id() != "pods") return false;
    const std::int64_t own = number_at(object, "/spec/terminationGracePeriodSeconds", 30);
    grace = how.grace.value_or(own);
    if (grace < 0) grace = 1;
    if (is_terminating(object))
        grace = std::min(grace, number_at(object, "/metadata/deletionGracePeriodSeconds"));
    const std::string phase = text_at(object, "/status/phase");
    const bool ended = phase == "Failed" || phase == "Succeeded";
    return grace > 0 && !ended && !text_at(object, "/spec/nodeName").empty();
}

// Still there, but on its way out.
Response Writing::marked(const ObjectPtr& before, json::object object, std::int64_t grace) {
    set(object, "/metadata/deletionTimestamp", to_rfc3339(now_ + std::chrono::seconds{grace}));
    if (resource_.id() != "namespaces") set(object, "/metadata/deletionGracePeriodSeconds", grace);
    if (resource_.counts_generation && !is_terminating(before->object()))
        set(object, "/metadata/generation", number_at(object, "/metadata/generation") + 1);
    if (resource_.id() == "namespaces") set(object, "/status/phase", "Terminating");
    return stored(place_of(before->object()), std::move(object), 200, {});
}

// The last of an object carries the version of its end.
Response Writing::gone(const Place& place, json::object last) {
    if (resource_.id() == "pods") {
        if (!is_terminating(last)) {
            set(last, "/metadata/deletionTimestamp", to_rfc3339(now_));
            set(last, "/metadata/generation", number_at(last, "/metadata/generation") + 1);
        }
        set(last, "/metadata/deletionGracePeriodSeconds", 0);
    }
    server_.storage_.remove(place, user_);
    set(last, "/metadata/resourceVersion", std::to_string(server_.storage_.version()));
    if (resource_.kind == "CustomResourceDefinition") {
        // The objects of a kind do not outlive it.
        const std::string kind_of =
            text_at(last, "/spec/names/plural") + "." + text_at(last, "/spec/group");
        for (const ObjectPtr& one : server_.storage_.list(kind_of))
            server_.storage_.remove({kind_of, text_at(one->object(), "/metadata/namespace"),
                                     text_at(one->object(), "/metadata/name")},
                                    user_);
        server_.learn_definition(place.name);
    }
    const bool shows_object = std::ranges::count(shown_when_gone, resource_.id()) > 0;
    return {.body = shows_object ? json::value(last) : deleted_status(resource_, last)};
}

// Who deletes a Job as it is usual leaves its pods behind, for the sake of old clients.
Response Writing::remove(const ObjectPtr& before, const Deletion& wanted) {
    Deletion how = wanted;
    const bool is_bare_job = resource_.kind == "Job" && how.propagation.empty();
    if (is_bare_job) how.propagation = "Orphan";
    Response response = removed(before, how);
    if (is_bare_job)
        response.warnings.push_back(
            "child pods are preserved by default when jobs are deleted; set "
            "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
            "suppress this warning");
    return response;
}

Response Writing::removed(const ObjectPtr& before, const Deletion& how) {
    const json::object& was = before->object();
    const std::string name = text_at(was, "/metadata/name");
    const std::string uid = text_at(was, "/metadata/uid");
    const std::string version = text_at(was, "/metadata/resourceVersion");
    if (!how.uid.empty() && how.uid != uid)
        return failed_precondition(
            resource_, name,
            fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). "
                        "The object might have been deleted and then recreated",
                        how.uid, uid));
    if (!how.resource_version.empty() && how.resource_version != version)
        return failed_precondition(
            resource_, name,
            fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                        "ResourceVersion in record ({}). The object might have been modified",
                        how.resource_version, version));
    json::object object = was;
    if (!how.propagation.empty()) {
        set_finalizer(object, "foregroundDeletion", how.propagation == "Foreground");
        set_finalizer(object, "orphan", how.propagation == "Orphan");
    }
    std::int64_t grace = 0;
    const bool graceful = waits_for_grace(was, how, grace);
    const bool is_held = !array_at(object, "/metadata/finalizers").empty() ||
                         !array_at(object, "/spec/finalizers").empty();
    const bool is_marked = is_terminating(was);
    const bool is_sooner =
        !is_marked || grace < number_at(was, "/metadata/deletionGracePeriodSeconds");
    if (graceful && is_sooner) return marked(before, std::move(object), grace);
    if (graceful || (is_held && is_marked && object == was)) return {.body = was};
    if (is_held) return marked(before, std::move(object), 0);
    if (is_dry) return {.body = deleted_status(resource_, was)};
    Response response = gone(place_of(was), was);
    if (resource_.kind == "CustomResourceDefinition")
        response.body = leaving_definition(was, server_.storage_.version(), now_);
    return response;
}

}  // namespace sluice::sim
