// The requests of an operator that are not watches: what production would send, to the API server
// in memory; and its questions, whatever they are about: each API says how its own are asked.
#include <fmt/format.h>

#include "api/registry.hpp"
#include "base/assert.hpp"
#include "sim/api/admission.hpp"
#include "sim/world/operator_host.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::sim {
namespace {

const model::ObjectKey lease_key{"sluice-system", "sluice"};

runtime::RequestFailure failure_of(const Response& response) {
    if (!response.body.is_object())
        return {response.status, response.retry_after, "the server refused"};
    const json::object& said = response.body.get_object();
    runtime::RequestFailure failure{response.status, response.retry_after,
                                    text_at(said, "/message")};
    failure.exists = text_at(said, "/reason") == "AlreadyExists";
    return failure;
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
    served.accept = request.accept;
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
        [this, subject = effect.subject, objects = effect.objects] {
            witness_.reads(options_.identity, subject.key());
            for (const model::Ref& one : objects)
                if (one.resource == &model::statefulsets)
                    witness_.reads(options_.identity, one.key());
        });
}

void OperatorHost::change_spec(const model::ObjectKey& key) {
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", key.ns, key.name);
    if (!set) return;
    const std::int64_t limit = number_at(set->object(), "/spec/revisionHistoryLimit") + 1;
    cluster_.api().serve(
        {.method = "PATCH",
         .path = wire::object_path(ref_to(model::statefulsets, key)),
         .content_type = "application/merge-patch+json",
         .body = fmt::format(R"({{"spec":{{"revisionHistoryLimit":{}}}}})", limit)},
        cluster_.now());
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

void OperatorHost::ask(const controller::Ask& effect, Access access, const api::Inquiry& inquiry) {
    const controller::Ticket ticket = effect.ticket;
    asking_[ticket] = true;
    const auto unanswered = [inquiry](const std::string& why) {
        return Played{inquiry.give_up({ErrorKind::Timeout, why})};
    };
    auto played = std::make_shared<Played>(unanswered("no answer"));
    const auto said = [this, ticket](const Played& one) {
        if (!asking_.erase(ticket)) return;
        one.heard();
        step(controller::Answered{ticket, one.said});
    };
    exchange(
        access,
        [this, played, effect, inquiry] {
            // Taken back before it left?
            if (asking_.contains(effect.ticket))
                *played =
                    egress_.play(*effect.question, inquiry, cluster_.now(), options_.identity);
        },
        [this, played, said] {
            const Duration thinking = egress_.thinking_time;
            if (thinking > 0ms) return later(thinking, [played, said] { said(*played); });
            said(*played);
        },
        [unanswered, said](const runtime::RequestFailure& failed) {
            said(unanswered(failed.message));
        });
}

void OperatorHost::run_one(controller::Ask&& effect) {
    for (const api::Inquiries& one : api::inquiries()) {
        const auto inquiry = one.begin(*effect.question, {effect.ns, egress_.metric_hosts});
        if (inquiry) return ask(effect, one.may_act ? Access::Write : Access::Read, *inquiry);
    }
    SLUICE_ASSERT(false);  // a question that nobody can ask
}

void OperatorHost::run_one(controller::CancelQuestion&& effect) {
    asking_.erase(effect.ticket);
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

void OperatorHost::run_one(controller::Log&& effect) {
    witness_.logs(options_.identity, effect);
}

void OperatorHost::run_election() {
    const auto request = election_->poll(clock());
    if (!request)
        return later(std::max(Duration{50}, election_->wake_at() - clock()),
                     [this] { run_election(); });
    const bool writes = std::holds_alternative<runtime::WriteLease>(*request);
    const auto hear = writes ? &runtime::Election::on_written : &runtime::Election::on_read;
    const auto heard = [this, hear](Result<model::Lease> lease) {
        (*election_.*hear)(std::move(lease), clock());
        step(controller::Tick{});
        if (election_) run_election();
    };
    auto came = std::make_shared<Result<model::Lease>>(failure(ErrorKind::Timeout, "no answer"));
    exchange(
        writes ? Access::Write : Access::Read,
        [this, came, wanted = *request] {
            const auto* write = std::get_if<runtime::WriteLease>(&wanted);
            *came = lease_of(
                answer(write ? wire::write_lease(write->lease, lease_key, write->acquired, clock())
                             : wire::read_lease(lease_key)));
        },
        [came, heard] { heard(std::move(*came)); },
        [heard](const runtime::RequestFailure& failed) {
            heard(failure(ErrorKind::Timeout, failed.message));
        });
}

}  // namespace sluice::sim
