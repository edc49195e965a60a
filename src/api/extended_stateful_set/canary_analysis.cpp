// The analysis that judges the canaries of an upgrade: which AnalysisRun is asked for, what has
// become of it, and what the engine is told. Each attempt at a version has one, whose name follows
// from the attempt, so that it is made once; what it came to is written down with the step that
// rests on it, and is not asked for again.
#include <fmt/format.h>

#include <algorithm>

#include "api/analysis/decide.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "base/hash.hpp"
#include "model/annotations.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

using engine::Reason;

// No pause has this place: they are counted by pods that are exposed.
constexpr int analysis_place = -1;
// Until templates that could not be used, and what was refused, are looked at again.
constexpr Duration run_retry_pace = 30s;
constexpr analysis::HistoryLimits run_history{};

}  // namespace

// What a run of the upgrade that is under way is made for; nothing: there is none, or it goes back.
// Who wants to try again after one that failed gets another one.
std::optional<std::string> Reconciliation::run_occasion() const {
    const auto memory = engine::decode_memory(next_.rollout);
    const bool goes_on = memory && memory->open && !memory->returning &&
                         memory->revision == revision_of(next_.update);
    if (!goes_on) return std::nullopt;
    const std::string attempt =
        fmt::format("{}/{}/{}/", memory->revision, memory->id, to_rfc3339(memory->started));
    const std::string& retry = annotation_of(object_, model::key::retry);
    const auto& known = next_.analysis;
    const bool is_known = known && known->occasion.starts_with(attempt);
    const bool has_failed = is_known && (known->phase == analysis::Phase::Failed ||
                                         known->phase == analysis::Phase::Error);
    if (is_known && (!has_failed || retry.empty())) return known->occasion;
    return attempt + (retry.empty() ? retry : hex_digest(retry));
}

// The same, where the canaries are to be analysed. Who wants that no more does not end the run that
// is there: it would pass for one that ended well, if it were wanted again.
std::optional<std::string> Reconciliation::analysed() const {
    return spec_.strategy.analysis ? run_occasion() : std::nullopt;
}

std::string Reconciliation::run_name(const std::string& occasion) const {
    const auto digest =
        static_cast<std::uint32_t>(fnv1a(fmt::format("{}/{}", object_.meta.uid, occasion)));
    return fmt::format("{}-{}-{:08x}", name(), revision_of(next_.update), digest);
}

// Null: it is not there, or nothing can be read of it.
const model::CustomObject* Reconciliation::run_of(const std::string& occasion) const {
    const auto found = std::ranges::find_if(
        seen_.owned, [&, wanted = run_name(occasion)](const model::CustomObject& run) {
            return run.meta.key.name == wanted && run.owner_uid == object_.meta.uid &&
                   !run.meta.deleting && !analysis::has_no_room(run);
        });
    return found == seen_.owned.end() ? nullptr : &*found;
}

// A run that is over stays so, and whoever promotes means what they have seen.
void Reconciliation::note_analysis() {
    const auto occasion = analysed();
    if (!occasion) return;
    auto& known = next_.analysis;
    if (known && known->occasion != *occasion) known.reset();
    if (known && analysis::is_over(known->phase)) {
        const std::string promote = gates::promote_asked(object_);
        const bool is_said = !promote.empty() && known->promote != promote;
        if (known->phase == analysis::Phase::Inconclusive && is_said) known->accepted = true;
        return;
    }
    const model::CustomObject* run = run_of(*occasion);
    if (!run) return;
    known = AnalysisStatus{.run = run->meta.key.name,
                           .occasion = *occasion,
                           .phase = analysis::Phase::Running,
                           .message = {}};
    analysis::RunStatus status = analysis::read_run_status(*run);
    if (!analysis::is_over(status.phase)) return;
    known->phase = status.phase;
    known->message = std::move(status.message);
    if (status.phase == analysis::Phase::Inconclusive)
        known->promote = gates::promote_asked(object_);
}

// Nobody goes back to a version that does not serve, whatever was measured.
std::optional<engine::Analysis> Reconciliation::analysis_gate() const {
    const auto occasion = analysed();
    if (!occasion) return std::nullopt;
    engine::Analysis gate{.place = analysis_place,
                          .message = "The analysis of the canaries begins."};
    if (const auto& known = next_.analysis; known && known->occasion == *occasion) {
        gate = analysis::gate_of(known->run, known->phase, known->message, analysis_place);
        gate.is_accepted = known->accepted;
    }
    gate.aborts = false;
    return gate;
}

// As it would be made now. Versions are named as the label of their pods names them.
analysis::Making Reconciliation::run_for(const analysis::AnalysisCall& call,
                                         const std::string& occasion) const {
    analysis::RunFrame frame{.ns = object_.meta.key.ns,
                             .name = run_name(occasion),
                             .owner_kind = &resource,
                             .owner = name(),
                             .owner_uid = object_.meta.uid,
                             .annotations = call.annotations};
    for (const auto& [key, value] : call.labels)
        frame.labels[key] = value;
    frame.labels[owner_label] = name();
    frame.labels[version_key] = std::to_string(next_.update);
    return analysis::make_run(
        {seen_, object_, std::to_string(next_.current), std::to_string(next_.update)}, call, true,
        frame.name, [&](const analysis::RunSpec& spec) { return analysis::run_body(frame, spec); });
}

// A run that could not be made later keeps the first pod from being made, too.
void Reconciliation::mind_analysis() {
    if (decision_.rests_at == analysis_place) decision_.rests_at.reset();
    const auto occasion = analysed();
    const auto& call = spec_.strategy.analysis;
    if (!occasion || !call) return;
    const bool begins = decision_.takes_step && next_.exposed.value == 0;
    const bool lacks_run = decision_.report.reason == Reason::AnalysisRunning && !run_of(*occasion);
    if (!begins && !lacks_run) return;
    analysis::Making made = run_for(*call, *occasion);
    if (auto* wants = std::get_if<std::vector<model::Ref>>(&made)) {
        for (model::Ref& one : *wants)
            look_first(std::move(one));
    } else if (auto* refused = std::get_if<engine::Refused>(&made)) {
        hold_for_analysis(std::move(*refused));
    } else if (lacks_run) {
        try_run(std::move(std::get<engine::Action>(made)));
    }
}

void Reconciliation::hold_for_analysis(engine::Refused why) {
    decision_ = {};
    decision_.report = {engine::Phase::Held, why.reason, std::move(why.message), {}};
    wake_at(now_ + run_retry_pace);
}

// Where there is one of that name it is ours, and on its way to us, or somebody else's.
void Reconciliation::try_run(engine::Action creation) {
    const model::Ref run = creation.object.ref;
    const engine::Attempt* tried = seen_.attempted(engine::Action::Verb::Create, run);
    const engine::Refusal refusal = tried && tried->refusal ? *tried->refusal : engine::Refusal{};
    const engine::Fetched* there = refusal.status == 409 ? seen_.fetched_as(run) : nullptr;
    if (refusal.status == 409 && !there) return look_first(run);
    if (there && there->object && there->object->owner_uid == object_.meta.uid)
        return wake_at(now_ + run_retry_pace);
    if (there && there->object)
        return hold_for_analysis(
            {Reason::RunHeld, fmt::format("AnalysisRun {} belongs to somebody else.", run.name)});
    if (refusal.is_final())
        return hold_for_analysis({Reason::RunHeld, fmt::format("AnalysisRun {} was refused: {}",
                                                               run.name, refusal.why)});
    run_ = std::move(creation);
}

bool Reconciliation::makes_run() {
    if (!run_) return false;
    decision_.notices.push_back(
        {Reason::AnalysisRunning,
         fmt::format("AnalysisRun {} is made: the upgrade to {} waits for it.",
                     run_->object.ref.name, revision_of(next_.update))});
    add_action(std::move(*run_));
    decision_.needs_live = true;
    return true;
}

// Seen from an older upgrade than the one that is under way, a run seems to be nobody's: so the
// object is looked at first. What is refused is tried again after a while, and holds up nothing.
bool Reconciliation::tends_runs() {
    const auto occasion = run_occasion();
    const std::string waited_for = occasion ? run_name(*occasion) : std::string{};
    auto write = analysis::tending_of(seen_, object_, run_history,
                                      [&](const model::CustomObject& run) -> analysis::RunUse {
                                          const bool is_of_now = run.meta.key.name == waited_for;
                                          return {is_of_now, is_of_now};
                                      });
    if (!write) return false;
    const engine::Attempt* no = refused_write(seen_);
    if (no && no->ref == write->object.ref) {
        wake_at(now_ + run_retry_pace);
        return false;
    }
    add_action(std::move(*write));
    decision_.needs_live = true;
    return true;
}

}  // namespace sluice::api::extended_stateful_set
