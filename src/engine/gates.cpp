#include "engine/gates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::engine {
namespace {

constexpr std::size_t names_shown = 3;
// A wait that is usually over in less is not written down before.
constexpr Duration silence = 10s;

// The pods that keep the gate shut, and the time from which time alone would open it.
struct Missing {
    std::vector<PodIndex> pods;
    std::optional<Instant> until;
};

Missing missing_pods(const PodsReady& gate, const Standing& standing, Instant now) {
    const PodRow& row = standing.pods;
    const model::StatefulSet& set = standing.seen.workload;
    const Duration min_ready = std::max(set.min_ready, gate.min_ready);
    Missing missing;
    for (PodIndex index{row.count().value - 1}; index.value >= 0; --index.value) {
        const model::Pod* pod = row.at(index);
        const bool exposed = standing.is_exposed(index);
        const bool goes_now = gate.except && index >= *gate.except;
        const bool exempt = !exposed && (goes_now || gate.exposed_only);
        const bool on_revision = pod && (!exposed || pod->revision == standing.updated);
        const bool available = pod && on_revision && model::is_available(*pod, min_ready, now);
        if (available || (exempt && (pod || !gate.counts_missing))) continue;
        missing.pods.push_back(index);
        if (pod && on_revision && pod->ready && !pod->meta.deleting && pod->ready_since > Instant{})
            missing.until = std::max(missing.until.value_or(now), pod->ready_since + min_ready);
    }
    return missing;
}

std::string sentence(const std::vector<PodIndex>& pods, const PodRow& row, PodIndex last_let_go) {
    if (pods.size() == 1 && pods.front() == last_let_go)
        return waiting_for_pod(row.name_of(last_let_go));
    std::string names;
    for (std::size_t i = 0; i < std::min(pods.size(), names_shown); ++i)
        names += (i ? ", " : "") + row.name_of(pods[i]);
    // No count: it would change by itself, and each change would cost a write.
    if (pods.size() > names_shown) names += " and others";
    return fmt::format("Waiting for {} {} to be ready.", pods.size() == 1 ? "pod" : "pods", names);
}

std::string transition_key(const Snapshot& seen, const std::optional<PodRef>& prev,
                           const std::optional<PodRef>& next) {
    return fmt::format("{}/{}/{}/{}", seen.workload.meta.uid, seen.workload.update_revision,
                       prev ? prev->uid : "nil", next ? next->uid : "nil");
}

std::string transition_text(const std::optional<PodRef>& prev, const std::optional<PodRef>& next) {
    if (prev && next) return fmt::format("between {} and {}", prev->name, next->name);
    if (next) return fmt::format("before {}", next->name);
    return prev ? fmt::format("after {}", prev->name) : std::string{};
}

Hold asking(const HookApproval& gate, const std::string& transition, Probe probe,
            const Snapshot& seen, Instant now) {
    Hold hold = brief_hold(Reason::AskingHook,
                           fmt::format("Asking hook {} {}.", gate.hook, transition), seen, now);
    hold.probe = std::move(probe);
    return hold;
}

// An approval that is too old to act on is none: the hook is asked again.
Verdict judge_answer(const HookApproval& gate, const std::string& transition,
                     const Evidence& evidence, Probe probe, const Snapshot& seen, Instant now) {
    const HookAnswer& answer = *opened<HookAnswer>(*evidence.answer);
    if (answer.allowed && now - evidence.at <= gate.evidence_age_max) return Pass{};
    if (answer.allowed) return asking(gate, transition, std::move(probe), seen, now);
    const std::string message =
        fmt::format("Hook {} refused {}: {}", gate.hook, transition,
                    answer.message.empty() ? "it gave no reason" : answer.message);
    const Instant again = evidence.at + gate.retry;
    if (now < again) return Hold{Reason::HookRefused, message, again};
    return Hold{.reason = Reason::HookRefused, .message = message, .probe = std::move(probe)};
}

}  // namespace

Reason reason_of(const Error& hook_problem) {
    return hook_problem.kind == ErrorKind::NotFound ? Reason::UnknownHook : Reason::BrokenHook;
}

Hold brief_hold(Reason reason, std::string message, const Snapshot& seen, Instant now) {
    Hold hold{reason, std::move(message)};
    const Instant since = seen.waiting_for == reason ? seen.waiting_since : now;
    hold.silent = now < since + silence;
    if (hold.silent) hold.until = since + silence;
    return hold;
}

std::string waiting_text(const Standing& standing) {
    return fmt::format("Revision {} waits behind a closed gate.", standing.updated);
}

std::string waiting_for_pod(const std::string& pod) {
    return fmt::format("Waiting for pod {} to be updated and ready.", pod);
}

Verdict judge(const PodsReady& gate, const Standing& standing, Instant now) {
    const Missing missing = missing_pods(gate, standing, now);
    if (missing.pods.empty()) return Pass{};
    return Hold{Reason::PodsNotReady,
                sentence(missing.pods, standing.pods, standing.last_exposed()), missing.until};
}

Verdict judge(const PodsRunning& gate, const Standing& standing, Instant) {
    const PodRow& row = standing.pods;
    std::vector<PodIndex> missing;
    for (PodIndex index{row.count().value - 1}; index.value >= 0; --index.value) {
        const model::Pod* pod = row.at(index);
        const bool runs =
            pod && pod->running && !pod->meta.deleting && pod->revision == standing.updated;
        if ((standing.is_exposed(index) && !runs) || (gate.next == index && !pod))
            missing.push_back(index);
    }
    if (missing.empty()) return Pass{};
    return Hold{Reason::PodsNotReady, sentence(missing, row, standing.last_exposed())};
}

Verdict judge(const RevisionSettled&, const Standing& standing, Instant now) {
    if (!standing.is_pending) return Pass{};
    return brief_hold(
        Reason::SettlingRevision,
        "All pods are updated; waiting for Kubernetes to make the new revision current.",
        standing.seen, now);
}

Verdict judge(const SettleTime& gate, const Standing& standing, Instant now) {
    const PodsReady exposed{.exposed_only = true, .counts_missing = false};
    Verdict ready = judge(exposed, standing, now);
    if (!std::holds_alternative<Pass>(ready)) return ready;
    PodsReady settled = exposed;
    settled.min_ready = gate.length;
    const Missing missing = missing_pods(settled, standing, now);
    if (missing.pods.empty()) return Pass{};
    return Hold{
        Reason::Settling,
        fmt::format("What was updated last gets {} to settle.", sluice::to_text(gate.length)),
        missing.until};
}

Verdict judge(const ExposureReached&, const Standing& standing, Instant) {
    if (!standing.lacks) return Pass{};
    return *standing.lacks;
}

Verdict judge(const Pause& gate, const Standing&, Instant now) {
    if (gate.is_over) return Pass{};
    // The API keeps whole seconds: rounded up, for a rest may last longer and never shorter.
    const Instant began = gate.began.value_or(in_whole_seconds(now) + 1s);
    Hold hold{Reason::StepPaused,
              fmt::format("Step {} is a pause until somebody goes on.", gate.place + 1)};
    if (gate.length) {
        hold.until = began + *gate.length;
        if (now >= *hold.until) return Pass{};
        hold.message = fmt::format("Step {} is a pause of {}, until {}.", gate.place + 1,
                                   sluice::to_text(*gate.length), to_rfc3339(*hold.until));
    }
    hold.rests_at = gate.place;
    return hold;
}

Verdict judge(const Analysis& gate, const Standing&, Instant) {
    using State = Analysis::State;
    if (gate.state == State::Good || gate.is_accepted) return Pass{};
    if (gate.state == State::Bad)
        return Fail{.reason = gate.reason, .message = gate.message, .aborts = gate.aborts};
    Hold hold{gate.reason, gate.message};
    hold.rests_at = gate.place;
    return hold;
}

Verdict judge(const JobSuccess& gate, const Standing&, Instant) {
    if (gate.state == JobSuccess::State::Succeeded) return Pass{};
    if (gate.state == JobSuccess::State::Failed)
        return Fail{Reason::JobFailed, fmt::format("Job {} failed: {}", gate.job, gate.message)};
    return Hold{Reason::JobRunning, fmt::format("Waiting for Job {} to end.", gate.job)};
}

Verdict judge(const Refused& gate, const Standing&, Instant) {
    return Hold{gate.reason, gate.message};
}

Verdict judge(const HookApproval& gate, const Standing& standing, Instant now) {
    const Snapshot& seen = standing.seen;
    if (const auto& problem = seen.hook_problem) return Hold{reason_of(*problem), problem->message};
    const PodRow& row = standing.pods;
    // Who need not be ready may not be there at all; then nobody is disturbed, and nothing to ask.
    if (gate.next && !row.at(*gate.next)) return Pass{};
    if (gate.prev && !row.at(*gate.prev))
        return Hold{Reason::PodsNotReady, sentence({*gate.prev}, row, standing.last_exposed())};
    HookQuestion question{gate.hook, reference(row, gate.prev), reference(row, gate.next), {}};
    question.idempotency_key = transition_key(seen, question.prev, question.next);
    const std::string transition = transition_text(question.prev, question.next);
    Probe probe{fmt::format("{} {} {}", question.idempotency_key, seen.workload.meta.generation,
                            seen.hook_binding),
                question_of(std::move(question))};
    const Evidence* evidence = last_of<HookAnswer>(seen.evidence);
    if (evidence && evidence->key == probe.key)
        return judge_answer(gate, transition, *evidence, std::move(probe), seen, now);
    return asking(gate, transition, std::move(probe), seen, now);
}

}  // namespace sluice::engine
