// How the controller turns one decision into effects, and answers into the next decision.
#include <fmt/format.h>

#include <charconv>

#include "api/pilot/spec.hpp"
#include "base/assert.hpp"
#include "controller/controller.hpp"

namespace sluice::controller {
namespace {

// What a read of a workload and its pods costs in requests; a write and an event cost one each.
constexpr double read_cost = 2;

std::int64_t fence_of(const model::StatefulSet& set) {
    const std::string& text = annotation(set, api::pilot::key::fence);
    std::int64_t fence = 0;
    std::from_chars(text.data(), text.data() + text.size(), fence);
    return fence;
}

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
    seen.workload = std::move(set);
    seen.pods = std::move(pods);
    seen.evidence = about.evidence;
    if (about.asking) seen.asked_at = about.asked_at;
    seen.environment = environment_;
    return seen;
}

void Controller::look(const model::ObjectKey& key, Instant now) {
    auto set = store_.statefulset(key);
    const api::Api* api = set ? api_for(*set) : nullptr;
    if (!api) {
        drop_case(key);
        queue_.forget(key);
        queue_.done(key, now);
        return;
    }
    auto pods = store_.pods_of(*set);
    const auto seen = snapshot(*api, std::move(*set), std::move(pods), cases_[key]);
    carry_out(*api, seen, api->decide(seen, now), false, now);
}

void Controller::carry_out(const api::Api& api, const engine::Snapshot& seen,
                           engine::Decision decision, bool is_live, Instant now) {
    const model::ObjectKey& key = seen.workload.meta.key;
    Case& about = cases_[key];
    about.phase = decision.report.phase;
    about.api = api.name;
    ++counters_.decisions[{std::string{api.name}, decision.report.reason}];
    if (decision.wake_at) queue_.add_at(key, *decision.wake_at);

    if (decision.patch && fence_of(seen.workload) > fence_ && !settings_.leads_at_once) {
        log(Log::Level::Warning, "a newer leader has written to this workload; hands off", key);
        queue_.failed(key, now);
        return;
    }
    if (decision.patch) {
        const bool lowers = decision.patch->lowers_partition();
        const auto intended = lowers ? std::optional{decision.patch->partition_to()} : std::nullopt;
        const bool confirmed = is_live && about.intended == intended;
        if ((lowers || about.must_read) && !confirmed) return read(key, intended);
        return write(seen, std::move(decision), now);
    }
    tell(seen, decision.notices, now);
    ask(seen, decision.probe, now);
    queue_.succeeded(key);
    queue_.done(key, now);
}

void Controller::read(const model::ObjectKey& key, std::optional<Partition> intended) {
    Case& about = cases_[key];
    about.intended = intended;
    about.request = ++last_ticket_;
    tickets_[about.request] = key;
    ++in_flight_;
    bucket_.take(read_cost);
    effects_.list.push_back(ReadWorkload{about.request, key});
}

void Controller::write(const engine::Snapshot& seen, engine::Decision decision, Instant) {
    const model::ObjectKey& key = seen.workload.meta.key;
    Case& about = cases_[key];
    const bool releases = decision.report.reason == engine::Reason::Released;
    if (!settings_.leads_at_once && !releases)
        decision.patch->annotate(api::pilot::key::fence, std::to_string(fence_));
    about.intended.reset();
    about.request = ++last_ticket_;
    tickets_[about.request] = key;
    ++in_flight_;
    bucket_.take(1);
    effects_.list.push_back(PatchWorkload{about.request, key, decision.patch->to_json_patch()});
    about.writing = std::move(decision);
}

void Controller::ask(const engine::Snapshot& seen, const std::optional<engine::HookProbe>& probe,
                     Instant now) {
    Case& about = cases_[seen.workload.meta.key];
    if (about.asking && (!probe || probe->key != about.asked_key)) {
        effects_.list.push_back(CancelHook{about.asking});
        tickets_.erase(about.asking);
        about.asking = 0;
    }
    if (!probe || about.asking) return;
    about.asking = ++last_ticket_;
    about.asked_key = probe->key;
    about.asked_at = now;
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

void Controller::tell(const engine::Snapshot& seen, const std::vector<engine::Notice>& notices,
                      Instant now) {
    const model::ObjectMeta& meta = seen.workload.meta;
    for (const engine::Notice& notice : notices) {
        const std::string_view reason = engine::entry(notice.reason).name;
        if (!told_.is_news(fmt::format("{} {} {}", meta.uid, reason, notice.message), now))
            continue;
        const bool warns = engine::entry(notice.reason).tone == engine::Tone::Warning;
        log(warns ? Log::Level::Warning : Log::Level::Info,
            fmt::format("{}: {}", reason, notice.message), meta.key);
        bucket_.take(1);
        ++counters_.event_writes;
        effects_.list.push_back(PostEvent{meta.key, meta.uid, notice.reason, notice.message, now});
    }
}

void Controller::on(WorkloadRead&& input, Instant now) {
    const auto found = tickets_.extract(input.ticket);
    if (found.empty()) return;
    --in_flight_;
    const model::ObjectKey key = found.mapped();
    Case& about = cases_[key];
    about.request = 0;
    if (!input.answer) return patch_failed(key, input.answer.error(), now);
    about.must_read = false;
    // The live objects enter the store under the epoch that is current, as a watch event would.
    for (const runtime::WatchSession& session : sessions_) {
        if (!session.scope().ns.empty() && session.scope().ns != key.ns) continue;
        if (session.scope().kind == model::Kind::StatefulSet)
            store_.put(input.answer->set, session.epoch());
        if (session.scope().kind == model::Kind::Pod)
            for (const model::Pod& pod : input.answer->pods)
                store_.put(pod, session.epoch());
    }
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
    const model::ObjectKey key = found.mapped();
    cases_[key].request = 0;
    if (input.answer)
        patched(key, std::move(*input.answer), now);
    else
        patch_failed(key, input.answer.error(), now);
}

void Controller::patched(const model::ObjectKey& key, model::StatefulSet set, Instant now) {
    Case& about = cases_[key];
    SLUICE_ASSERT(about.writing.has_value());
    const engine::Decision written = std::move(*about.writing);
    about.writing.reset();
    ++counters_.workload_writes;
    if (written.takes_step) {
        ++counters_.steps;
        about.evidence.reset();
    }
    if (written.completed_after)
        effects_.list.push_back(Completed{std::string{about.api}, *written.completed_after});
    for (const runtime::WatchSession& session : sessions_) {
        const bool in_scope = session.scope().ns.empty() || session.scope().ns == key.ns;
        if (in_scope && session.scope().kind == model::Kind::StatefulSet)
            store_.put(set, session.epoch());
    }
    engine::Snapshot seen;
    seen.workload = std::move(set);
    tell(seen, written.notices, now);
    queue_.succeeded(key);
    queue_.done(key, now);
    queue_.add(key, now);
}

void Controller::patch_failed(const model::ObjectKey& key, const runtime::RequestFailure& failure,
                              Instant now) {
    Case& about = cases_[key];
    about.writing.reset();
    about.intended.reset();
    // Applied, refused or never arrived: whatever it was, look before the next write.
    about.must_read = true;
    const bool overtaken = failure.status == 409 || failure.status == 422;
    if (overtaken)
        ++counters_.conflicts;
    else
        log(Log::Level::Warning, failure.message, key);
    queue_.failed(key, now, failure.retry_after);
}

void Controller::on(HookAnswered&& input, Instant now) {
    const auto found = tickets_.extract(input.ticket);
    if (found.empty()) return;
    const model::ObjectKey key = found.mapped();
    Case& about = cases_[key];
    if (about.asking != input.ticket) return;
    about.asking = 0;
    about.evidence = engine::HookEvidence{about.asked_key, input.allowed, input.message, now};
    queue_.add(key, now);
}

void Controller::drop_case(const model::ObjectKey& key) {
    const auto found = cases_.find(key);
    if (found == cases_.end()) return;
    if (found->second.asking) {
        effects_.list.push_back(CancelHook{found->second.asking});
        tickets_.erase(found->second.asking);
    }
    cases_.erase(found);
}

}  // namespace sluice::controller
