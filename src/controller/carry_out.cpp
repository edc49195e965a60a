// How the controller turns one decision into effects, and answers into the next decision.
#include <fmt/format.h>

#include <string_view>

#include "base/assert.hpp"
#include "controller/controller.hpp"
#include "model/annotations.hpp"

namespace sluice::controller {
namespace {

// What a read of a workload and its pods costs in requests; a write and an event cost one each.
constexpr double read_cost = 2;
// How long we let a workload be after somebody changed our own write to it.
constexpr Duration contest_pace = 60s;
// A leader that was overtaken has lost its lease by then: its duration, and time to hear of it.
constexpr Duration fence_doubt = 30s;
// So many failed preconditions in a row are no coincidence.
constexpr int conflicts_worth_a_word = 3;

std::optional<api::pilot::HookPod> pod_of(const std::optional<engine::PodRef>& pod) {
    if (!pod) return std::nullopt;
    return api::pilot::HookPod{pod->name, pod->uid, {}, {}};
}

}  // namespace

const api::Api* Controller::api_for(const model::StatefulSet& set) const {
    for (const std::string& name : settings_.apis) {
        const api::Api* api = api::find_api(name);
        if (api && api->concerns(set)) return api;
    }
    return nullptr;
}

engine::Snapshot Controller::snapshot(const api::Api& api, model::StatefulSet set,
                                      std::vector<model::Pod> pods, const Case& about) const {
    engine::Snapshot seen;
    seen.hook_problem = api.hook_problem(set, *hooks_);
    seen.hook_binding = api.hook_binding(set, *hooks_);
    seen.contested_until = about.contested_until;
    seen.workload = std::move(set);
    seen.pods = std::move(pods);
    seen.evidence = about.evidence;
    seen.waiting_for = about.reason;
    seen.waiting_since = about.reason_since;
    seen.environment = environment_;
    return seen;
}

void Controller::look(const model::ObjectKey& key, Instant now) {
    auto set = store_.statefulset(key);
    const api::Api* api = set ? api_for(*set) : nullptr;
    if (!set || !api) {
        drop_case(key);
        queue_.forget(key);
        queue_.done(key, now);
        return;
    }
    auto pods = store_.pods_of(*set);
    const auto seen = snapshot(*api, std::move(*set), std::move(pods), cases_[key]);
    carry_out(*api, seen, api->decide(seen, now), false, now);
}

// The set carries the fence of a later leader. If there is one we shall lose the lease within its
// duration; if we still lead after that, nobody wrote this fence who ever held the lease. Letting a
// set go needs no fence.
bool Controller::is_overtaken(const engine::Snapshot& seen, const engine::Decision& decision,
                              Instant now) {
    const model::ObjectKey& key = seen.workload.meta.key;
    Case& about = cases_[key];
    const auto fence = model::decode_fence(annotation(seen.workload, model::key::fence));
    const bool releases = decision.report.reason == engine::Reason::Released;
    if (settings_.leads_at_once || releases || !fence || !is_newer(*fence, fence_)) {
        about.overtaken_since.reset();
        return false;
    }
    if (!about.overtaken_since) about.overtaken_since = now;
    const Instant proven = *about.overtaken_since + fence_doubt;
    if (now >= proven) {
        log(Log::Level::Warning,
            "the fence on this set is newer than our lease, and we still hold the lease: it is "
            "not a leader's, and is overwritten",
            key);
        return false;
    }
    tell(seen.workload.meta,
         {{engine::Reason::StaleLeader,
           "The annotation sluice.dev/fence names a newer leader; waiting to see whether there is "
           "one."}},
         now);
    queue_.add_at(key, proven);
    return true;
}

void Controller::carry_out(const api::Api& api, const engine::Snapshot& seen,
                           engine::Decision decision, bool is_live, Instant now) {
    const model::ObjectKey& key = seen.workload.meta.key;
    Case& about = cases_[key];
    about.phase = decision.report.phase;
    about.api = api.name;
    if (about.reason != decision.report.reason) about.reason_since = now;
    about.reason = decision.report.reason;
    ++counters_.decisions[{std::string{api.name}, decision.report.reason}];
    if (decision.wake_at) queue_.add_at(key, *decision.wake_at);

    if (decision.patch && is_overtaken(seen, decision, now)) {
        queue_.done(key, now);
        return;
    }
    if (decision.patch) {
        const bool lowers = decision.patch->lowers_partition();
        const auto intended = lowers ? std::optional{decision.patch->partition_to()} : std::nullopt;
        const bool confirmed = is_live && about.intended == intended;
        const bool doubted = lowers || about.must_read || decision.needs_live;
        if (doubted && !confirmed) return read(key, intended);
        return write(seen, std::move(decision), now);
    }
    tell(seen.workload.meta, decision.notices, now);
    ask(seen, decision.probe);
    queue_.succeeded(key);
    queue_.done(key, now);
}

void Controller::read(const model::ObjectKey& key, std::optional<Partition> intended) {
    Case& about = cases_[key];
    about.intended = intended;
    tickets_[++last_ticket_] = key;
    ++in_flight_;
    bucket_.take(read_cost);
    effects_.list.push_back(ReadWorkload{last_ticket_, key, {}});
}

void Controller::write(const engine::Snapshot& seen, engine::Decision decision, Instant) {
    const model::ObjectKey& key = seen.workload.meta.key;
    Case& about = cases_[key];
    SLUICE_ASSERT(decision.patch.has_value());
    const bool releases = decision.report.reason == engine::Reason::Released;
    if (!settings_.leads_at_once && !releases)
        decision.patch->annotate(model::key::fence, encode(fence_));
    about.intended.reset();
    tickets_[++last_ticket_] = key;
    ++in_flight_;
    bucket_.take(1);
    effects_.list.push_back(PatchWorkload{last_ticket_, key, decision.patch->to_json_patch()});
    about.writing = std::make_unique<engine::Decision>(std::move(decision));
}

void Controller::ask(const engine::Snapshot& seen, const std::optional<engine::HookProbe>& probe) {
    Case& about = cases_[seen.workload.meta.key];
    const bool same = probe && about.asked && probe->key == about.asked->key &&
                      probe->binding == about.asked->binding;
    if (about.asking && !same) {
        effects_.list.push_back(CancelQuestion{about.asking});
        tickets_.erase(about.asking);
        about.asking = 0;
    }
    if (!probe || about.asking) return;
    about.asking = ++last_ticket_;
    about.asked = std::make_unique<engine::HookProbe>(*probe);
    tickets_[about.asking] = seen.workload.meta.key;
    api::pilot::Transition transition{.hook = probe->hook,
                                      .ns = seen.workload.meta.key.ns,
                                      .statefulset = seen.workload.meta.key.name,
                                      .annotations = seen.workload.annotations,
                                      .prev = pod_of(probe->prev),
                                      .next = pod_of(probe->next),
                                      .idempotency_key = probe->key};
    effects_.list.push_back(AskHook{about.asking, std::move(transition), hooks_});
}

void Controller::tell(const model::ObjectMeta& meta, const std::vector<engine::Notice>& notices,
                      Instant now) {
    for (const engine::Notice& notice : notices) {
        const std::string_view reason = engine::entry(notice.reason).name;
        const bool warns = engine::entry(notice.reason).tone == engine::Tone::Warning;
        // Warnings may repeat themselves; a start, a step and an end are told every time.
        if (warns && !told_.is_news(fmt::format("{} {} {}", meta.uid, reason, notice.message), now))
            continue;
        log(warns ? Log::Level::Warning : Log::Level::Info,
            fmt::format("{}: {}", reason, notice.message), meta.key);
        bucket_.take(1);
        ++counters_.event_writes;
        effects_.list.push_back(PostEvent{nullptr, meta.key, meta.uid, notice.reason, notice.message, now});
    }
}

void Controller::on(WorkloadRead&& input, Instant now) {
    const auto found = tickets_.extract(input.ticket);
    if (found.empty()) return;
    --in_flight_;
    const model::ObjectKey& key = found.mapped();
    Case& about = cases_[key];
    if (!input.answer && input.answer.error().status == 404) {
        // Gone; the watch will say so too.
        about.intended.reset();
        queue_.done(key, now);
        return;
    }
    if (!input.answer) return patch_failed(key, input.answer.error(), now);
    about.must_read = false;
    refresh(input.answer->set);
    const api::Api* api = leads_ ? api_for(input.answer->set) : nullptr;
    if (!api) {
        about.intended.reset();
        queue_.done(key, now);
        return;
    }
    const auto seen =
        snapshot(*api, std::move(input.answer->set), std::move(input.answer->pods), about);
    engine::Decision decision = api->decide(seen, now);
    const bool agrees = decision.patch && decision.patch->lowers_partition() &&
                        about.intended == decision.patch->partition_to();
    if (about.intended && !agrees) {
        // The world moved on between the two looks: think again.
        about.intended.reset();
        queue_.failed(key, now);
        return;
    }
    carry_out(*api, seen, std::move(decision), true, now);
}

void Controller::on(WorkloadPatched&& input, Instant now) {
    const auto found = tickets_.extract(input.ticket);
    if (found.empty()) return;
    --in_flight_;
    const model::ObjectKey& key = found.mapped();
    if (input.answer)
        patched(key, *input.answer, now);
    else
        patch_failed(key, input.answer.error(), now);
}

// A workload that the store still knows, in a newer version. One that it no longer knows was
// deleted meanwhile, and an answer that comes late does not bring it back.
void Controller::refresh(const model::StatefulSet& set) {
    if (!store_.statefulset(set.meta.key)) return;
    for (const runtime::WatchSession& session : sessions_) {
        const runtime::WatchScope& scope = session.scope();
        const bool in_scope = scope.ns.empty() || scope.ns == set.meta.key.ns;
        if (in_scope && scope.kind == model::Kind::StatefulSet) store_.put(set, session.epoch());
    }
}

void Controller::patched(const model::ObjectKey& key, const model::StatefulSet& set, Instant now) {
    Case& about = cases_[key];
    SLUICE_ASSERT(about.writing != nullptr);
    const engine::Decision written = std::move(*about.writing);
    about.writing.reset();
    SLUICE_ASSERT(written.patch.has_value());
    about.conflicts = 0;
    ++counters_.workload_writes;
    refresh(set);
    queue_.done(key, now);
    queue_.add(key, now);
    if (written.patch->moves_partition() && set.partition != written.patch->partition_to()) {
        log(Log::Level::Warning, "the partition that was written is not the one that was asked for",
            key);
        about.contested_until = now + contest_pace;
        return;
    }
    if (written.patch->moves_partition()) about.contested_until.reset();
    if (written.takes_step) {
        ++counters_.steps;
        about.evidence.reset();
    }
    if (written.ended)
        effects_.list.push_back(
            RolloutEnded{std::string{about.api}, written.ended->outcome, written.ended->took});
    tell(set.meta, written.notices, now);
    queue_.succeeded(key);
}

void Controller::patch_failed(const model::ObjectKey& key, const runtime::RequestFailure& failure,
                              Instant now) {
    Case& about = cases_[key];
    about.writing.reset();
    about.intended.reset();
    // Applied, refused or never arrived: whatever it was, look before the next write.
    about.must_read = true;
    const bool overtaken = failure.status == 409 || failure.status == 422;
    if (overtaken) {
        ++counters_.conflicts;
        ++about.conflicts;
    }
    if (!overtaken || about.conflicts % conflicts_worth_a_word == 0)
        log(Log::Level::Warning, failure.message, key);
    queue_.failed(key, now, failure.retry_after);
}

void Controller::on(ObjectPatched&&, Instant) {}
void Controller::on(PodDeleted&&, Instant) {}
void Controller::on(MetricAnswered&&, Instant) {}

void Controller::on(HookAnswered&& input, Instant now) {
    const auto found = tickets_.extract(input.ticket);
    if (found.empty()) return;
    const model::ObjectKey& key = found.mapped();
    Case& about = cases_[key];
    if (about.asking != input.ticket) return;
    about.asking = 0;
    about.evidence = engine::HookEvidence{about.asked->key, about.asked->binding, input.allowed,
                                          std::move(input.message), now};
    queue_.add(key, now);
}

void Controller::drop_case(const model::ObjectKey& key) {
    const auto found = cases_.find(key);
    if (found == cases_.end()) return;
    if (found->second.asking) {
        effects_.list.push_back(CancelQuestion{found->second.asking});
        tickets_.erase(found->second.asking);
    }
    cases_.erase(found);
}

}  // namespace sluice::controller
