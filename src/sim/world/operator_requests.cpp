// The requests of an operator that are not lists, watches and questions.
#include <fmt/format.h>

#include "controller/event_body.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/selectors.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {
namespace {

std::string statefulset_path(const model::ObjectKey& key) {
    return fmt::format("/apis/apps/v1/namespaces/{}/statefulsets/{}", key.ns, key.name);
}

std::string pod_path(const model::ObjectKey& key) {
    return fmt::format("/api/v1/namespaces/{}/pods/{}", key.ns, key.name);
}

std::string object_path(const model::Resource& resource, const model::ObjectKey& key) {
    std::string path = fmt::format("/apis/{}/{}", resource.group, resource.version);
    if (!resource.is_cluster_scoped) path += "/namespaces/" + key.ns;
    path += fmt::format("/{}", resource.plural);
    return key.name.empty() ? path : path + "/" + key.name;
}

runtime::RequestFailure failure_of(const Response& response) {
    return {response.status, response.retry_after,
            response.body.is_object() ? text_at(response.body.get_object(), "/message")
                                      : "the server refused"};
}

// An answer of the API about the lease, as the election wants it.
Result<model::Lease> lease_of(const Response& response) {
    if (response.status < 300) return model::decode_lease(json::serialize(response.body));
    const ErrorKind kind = response.status == 404   ? ErrorKind::NotFound
                           : response.status == 409 ? ErrorKind::Conflict
                                                    : ErrorKind::Server;
    return failure(kind, failure_of(response).message);
}

}  // namespace

Response OperatorHost::serve(const std::string& method, const std::string& path, std::string body) {
    Request request;
    request.method = method;
    request.path = path;
    if (method == "PATCH") request.content_type = "application/json-patch+json";
    if (method == "PATCH") request.query["fieldManager"] = "sluice";
    request.body = std::move(body);
    request.user = operator_user;
    return cluster_.api().serve(request, cluster_.now());
}

controller::LiveWorkload OperatorHost::live_set(const model::ObjectKey& key) {
    controller::LiveWorkload found;
    found.set.meta.key = key;
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", key.ns, key.name);
    if (!set) return found;
    auto decoded = decoder_.object(model::Kind::StatefulSet, set->text());
    SLUICE_ASSERT(decoded.has_value());
    found.set = std::get<model::StatefulSet>(std::move(*decoded));
    const json::object& selector = object_at(set->object(), "/spec/selector");
    for (const ObjectPtr& pod : cluster_.api().list("pods", key.ns)) {
        if (!selects(selector, object_at(pod->object(), "/metadata/labels"))) continue;
        auto one = decoder_.object(model::Kind::Pod, pod->text());
        SLUICE_ASSERT(one.has_value());
        if (std::get<model::Pod>(*one).owner_uid == found.set.meta.uid)
            found.pods.push_back(std::get<model::Pod>(std::move(*one)));
    }
    return found;
}

controller::Answer<controller::LiveWorkload> OperatorHost::live(
    const model::Ref& subject, const std::vector<model::Ref>& objects) {
    controller::LiveWorkload found;
    if (subject.resource == &model::statefulsets) found = live_set(subject.key());
    for (const model::Ref& wanted : objects) {
        const Response response = serve("GET", object_path(*wanted.resource, wanted.key()), {});
        if (response.status == 404) continue;
        auto object = model::decode_custom_object(json::serialize(response.body));
        if (response.status >= 300) return std::unexpected(failure_of(response));
        if (!object) return std::unexpected(runtime::RequestFailure{0, {}, object.error().message});
        found.objects.push_back({wanted.resource, std::move(*object)});
    }
    return found;
}

void OperatorHost::run_one(controller::ReadWorkload&& effect) {
    auto answer = std::make_shared<controller::Answer<controller::LiveWorkload>>();
    exchange(
        Access::Read,
        [this, answer, subject = effect.subject, objects = effect.objects] {
            witness_.reads(options_.identity, subject.key());
            *answer = live(subject, objects);
        },
        [this, answer, ticket = effect.ticket] {
            step(controller::WorkloadRead{ticket, std::move(*answer)});
        },
        [this, ticket = effect.ticket](runtime::RequestFailure failed) {
            step(controller::WorkloadRead{ticket, std::unexpected(std::move(failed))});
        });
}

void OperatorHost::change_spec(const model::ObjectKey& key) {
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", key.ns, key.name);
    if (!set) return;
    const std::int64_t limit = number_at(set->object(), "/spec/revisionHistoryLimit") + 1;
    Request request;
    request.method = "PATCH";
    request.path = statefulset_path(key);
    request.content_type = "application/merge-patch+json";
    request.body = fmt::format(R"({{"spec":{{"revisionHistoryLimit":{}}}}})", limit);
    cluster_.api().serve(request, cluster_.now());
}

void OperatorHost::run_one(controller::PatchWorkload&& effect) {
    auto answer = std::make_shared<controller::Answer<model::StatefulSet>>();
    exchange(
        Access::Write,
        [this, answer, key = effect.key, patch = effect.json_patch] {
            witness_.patches(options_.identity, patch, key);
            const Response response = serve("PATCH", statefulset_path(key), patch);
            if (response.status >= 300) {
                *answer = std::unexpected(failure_of(response));
                return;
            }
            auto set = decoder_.object(model::Kind::StatefulSet, json::serialize(response.body));
            SLUICE_ASSERT(set.has_value());
            *answer = std::get<model::StatefulSet>(std::move(*set));
        },
        [this, answer, ticket = effect.ticket] {
            step(controller::WorkloadPatched{ticket, std::move(*answer)});
        },
        [this, ticket = effect.ticket](runtime::RequestFailure failed) {
            step(controller::WorkloadPatched{ticket, std::unexpected(std::move(failed))});
        },
        [this, key = effect.key] { change_spec(key); });
}

void OperatorHost::write_object(controller::Ticket ticket, std::function<Response()> write) {
    auto answer = std::make_shared<controller::Answer<model::CustomObject>>();
    exchange(
        Access::Write,
        [answer, write = std::move(write)] {
            const Response response = write();
            if (response.status >= 300) {
                *answer = std::unexpected(failure_of(response));
                return;
            }
            auto object = model::decode_custom_object(json::serialize(response.body));
            SLUICE_ASSERT(object.has_value());
            *answer = std::move(*object);
        },
        [this, answer, ticket] { step(controller::ObjectPatched{ticket, std::move(*answer)}); },
        [this, ticket](runtime::RequestFailure failed) {
            step(controller::ObjectPatched{ticket, std::unexpected(std::move(failed))});
        });
}

void OperatorHost::run_one(controller::PatchObject&& effect) {
    const controller::Ticket ticket = effect.ticket;
    write_object(ticket, [this, effect = std::move(effect)] {
        witness_.patches_object(options_.identity, effect);
        std::string path = object_path(*effect.object.resource, effect.object.key());
        if (effect.of_status) path += "/status";
        return serve("PATCH", path, effect.json_patch);
    });
}

void OperatorHost::run_one(controller::CreateObject&& effect) {
    const controller::Ticket ticket = effect.ticket;
    write_object(ticket, [this, effect = std::move(effect)] {
        witness_.creates(options_.identity);
        return serve("POST", object_path(*effect.resource, {effect.ns, ""}), effect.body);
    });
}

void OperatorHost::remove(controller::Ticket ticket, const std::string& path,
                          const model::ObjectKey& key, const std::string& uid,
                          std::uint64_t version, const std::string& propagation) {
    auto answer = std::make_shared<controller::Answer<void>>();
    exchange(
        Access::Write,
        [this, answer, path, key, uid, version, propagation] {
            witness_.deletes(options_.identity, key, uid);
            json::object how{{"apiVersion", "v1"},
                             {"kind", "DeleteOptions"},
                             {"preconditions", json::object{{"uid", uid}}}};
            if (version != 0)
                how["preconditions"].get_object()["resourceVersion"] = std::to_string(version);
            if (!propagation.empty()) how["propagationPolicy"] = propagation;
            const Response response = serve("DELETE", path, json::serialize(how));
            if (response.status >= 300) *answer = std::unexpected(failure_of(response));
        },
        [this, answer, ticket] { step(controller::Deleted{ticket, std::move(*answer)}); },
        [this, ticket](runtime::RequestFailure failed) {
            step(controller::Deleted{ticket, std::unexpected(std::move(failed))});
        });
}

void OperatorHost::run_one(controller::DeleteObject&& effect) {
    const model::ObjectKey key = effect.object.key();
    remove(effect.ticket, object_path(*effect.object.resource, key), key, effect.uid, 0,
           "Background");
}

void OperatorHost::run_one(controller::DeletePod&& effect) {
    remove(effect.ticket, pod_path(effect.key), effect.key, effect.uid, effect.version, {});
}

void OperatorHost::run_one(controller::PostEvent&& effect) {
    exchange(
        Access::Write,
        [this, body = controller::event_body(effect, options_.identity), ns = effect.about.ref.ns] {
            serve("POST", fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", ns), body);
        },
        [] {}, [](const runtime::RequestFailure&) {});
}

void OperatorHost::run_one(controller::CheckPolicies&&) {
    auto installed = std::make_shared<bool>(false);
    exchange(
        Access::Read,
        [this, installed] {
            const std::string group = ".admissionregistration.k8s.io";
            *installed =
                cluster_.api().find("mutatingadmissionpolicies" + group, {}, "sluice-gate") &&
                cluster_.api().find("mutatingadmissionpolicybindings" + group, {}, "sluice-gate");
        },
        [this, installed] { step(controller::PoliciesSeen{*installed}); },
        [this](const runtime::RequestFailure&) { step(controller::PoliciesSeen{}); });
}

void OperatorHost::run_one(controller::RolloutEnded&&) {}

void OperatorHost::run_one(controller::Log&& effect) {
    witness_.logs(options_.identity, effect);
}

Result<model::Lease> OperatorHost::read_lease() {
    return lease_of(
        serve("GET", "/apis/coordination.k8s.io/v1/namespaces/sluice-system/leases/sluice", {}));
}

Result<model::Lease> OperatorHost::write_lease(const runtime::WriteLease& wanted) {
    const bool exists = !wanted.lease.resource_version.empty();
    std::string path = "/apis/coordination.k8s.io/v1/namespaces/sluice-system/leases";
    if (exists) path += "/sluice";
    return lease_of(serve(
        exists ? "PUT" : "POST", path,
        model::encode_lease(wanted.lease, "sluice-system", "sluice", wanted.acquired, clock())));
}

void OperatorHost::run_election() {
    const auto request = election_->poll(clock());
    const auto again = [this] {
        step(controller::Tick{});
        if (election_) run_election();
    };
    auto answer = std::make_shared<Result<model::Lease>>(failure(ErrorKind::Timeout, "no answer"));
    if (request && std::holds_alternative<runtime::ReadLease>(*request)) {
        exchange(
            Access::Read, [this, answer] { *answer = read_lease(); },
            [this, answer, again] {
                election_->on_read(std::move(*answer), clock());
                again();
            },
            [this, again](const runtime::RequestFailure& failed) {
                election_->on_read(failure(ErrorKind::Timeout, failed.message), clock());
                again();
            });
    } else if (request) {
        exchange(
            Access::Write,
            [this, answer, wanted = std::get<runtime::WriteLease>(*request)] {
                *answer = write_lease(wanted);
            },
            [this, answer, again] {
                election_->on_written(std::move(*answer), clock());
                again();
            },
            [this, again](const runtime::RequestFailure& failed) {
                election_->on_written(failure(ErrorKind::Timeout, failed.message), clock());
                again();
            });
    } else {
        later(std::max(Duration{50}, election_->wake_at() - clock()), [this] { run_election(); });
    }
}

}  // namespace sluice::sim
