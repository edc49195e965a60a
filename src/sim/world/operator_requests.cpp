// The requests of an operator that are not watches and questions: what production would send, to
// the API server in memory.
#include <fmt/format.h>

#include "sim/api/admission.hpp"
#include "sim/world/operator_host.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::sim {
namespace {

const model::ObjectKey lease_key{"sluice-system", "sluice"};

runtime::RequestFailure failure_of(const Response& response) {
    return {response.status, response.retry_after,
            response.body.is_object() ? text_at(response.body.get_object(), "/message")
                                      : "the server refused"};
}

// An answer of the API about the lease, as the election wants it.
Result<model::Lease> lease_of(const wire::Answer& answer) {
    if (answer) return model::decode_lease(*answer);
    const ErrorKind kind = answer.error().status == 404   ? ErrorKind::NotFound
                           : answer.error().status == 409 ? ErrorKind::Conflict
                                                          : ErrorKind::Server;
    return failure(kind, answer.error().message);
}

}  // namespace

Response OperatorHost::serve(const wire::Request& request) {
    Request served = to_request(request.method, request.path);
    if (!request.content_type.empty()) served.content_type = request.content_type;
    served.body = request.body;
    served.user = operator_user;
    return cluster_.api().serve(served, cluster_.now());
}

wire::Answer OperatorHost::answer(const wire::Request& request) {
    const Response response = serve(request);
    if (response.status >= 300) return std::unexpected(failure_of(response));
    return json::serialize(response.body);
}

void OperatorHost::take(wire::Next next) {
    if (next.input) step(std::move(*next.input));
}

void OperatorHost::run(Access access, wire::Next begun, std::function<void()> before,
                       std::function<void()> overtake) {
    if (!begun.call) return take(std::move(begun));
    auto came = std::make_shared<wire::Next>();
    const wire::Call call = std::move(*begun.call);
    exchange(
        access,
        [this, came, call, before = std::move(before)] {
            before();
            *came = call.read(answer(call.request));
            while (came->call)
                *came = came->call->read(answer(came->call->request));
        },
        [this, came] { take(std::move(*came)); },
        [this, read = call.read](runtime::RequestFailure failed) {
            take(read(std::unexpected(std::move(failed))));
        },
        std::move(overtake));
}

void OperatorHost::run_one(controller::ReadWorkload&& effect) {
    run(Access::Read, caller_.begin(effect),
        [this, subject = effect.subject] { witness_.reads(options_.identity, subject.key()); });
}

void OperatorHost::change_spec(const model::ObjectKey& key) {
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", key.ns, key.name);
    if (!set) return;
    const std::int64_t limit = number_at(set->object(), "/spec/revisionHistoryLimit") + 1;
    Request request;
    request.method = "PATCH";
    request.path = wire::object_path(ref_to(model::statefulsets, key));
    request.content_type = "application/merge-patch+json";
    request.body = fmt::format(R"({{"spec":{{"revisionHistoryLimit":{}}}}})", limit);
    cluster_.api().serve(request, cluster_.now());
}

void OperatorHost::run_one(controller::Write&& effect) {
    const engine::Action& action = effect.action;
    std::function<void()> overtake;
    if (action.object.ref.resource == &model::statefulsets)
        overtake = [this, key = action.object.ref.key()] { change_spec(key); };
    run(
        Access::Write, caller_.begin(effect),
        [this, action] { witness_.writes(options_.identity, action); }, std::move(overtake));
}

void OperatorHost::run_one(controller::PostEvent&& effect) {
    run(Access::Write, caller_.begin(effect), [] {});
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
    return lease_of(answer(wire::read_lease(lease_key)));
}

Result<model::Lease> OperatorHost::write_lease(const runtime::WriteLease& wanted) {
    return lease_of(answer(wire::write_lease(wanted.lease, lease_key, wanted.acquired, clock())));
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
