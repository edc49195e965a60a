#include "api/phased_rollout/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/claims.hpp"
#include "api/json_parts.hpp"
#include "api/phased_rollout/compile.hpp"
#include "api/phased_rollout/report.hpp"
#include "base/hash.hpp"
#include "engine/gates.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"

namespace sluice::api::phased_rollout {

const model::Resource resource{"sts.plus", "v1alpha1", "phasedrollouts", "PhasedRollout"};

namespace {

namespace key = model::key;
using engine::Decision;
using engine::Phase;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;
using model::StatefulSet;

constexpr engine::Command commands[] = {
    {Reason::CheckFailed,
     "it is asked again by itself; to see the answers: kubectl -n {0} describe phasedrollout {2}"},
    {Reason::ChecksExhausted,
     "kubectl -n {0} annotate --overwrite phasedrollout {2} sluice.dev/retry=$(date +%s)"},
    {Reason::ProgressDeadlineExceeded,
     "kubectl -n {0} annotate --overwrite phasedrollout {2} sluice.dev/retry=$(date +%s)"},
    {Reason::RolledBack,
     "change the template, or: kubectl -n {0} annotate --overwrite phasedrollout {2} "
     "sluice.dev/retry=$(date +%s)"},
    {Reason::PrometheusError,
     "it is asked again by itself, every half minute; to see whom: "
     "kubectl -n {0} get phasedrollout {2} -o yaml"},
    {Reason::PrometheusConfigError,
     "what the message says; it is asked again every half minute; to change the check: "
     "kubectl -n {0} edit phasedrollout {2}"},
    {Reason::InvalidSpec, "kubectl -n {0} edit phasedrollout {2}"},
    {Reason::TargetMissing,
     "kubectl -n {0} get statefulsets; kubectl -n {0} edit phasedrollout {2}"},
    {Reason::Suspended,
     "kubectl -n {0} patch phasedrollout {2} --type merge -p "
     "'{{\"spec\":{{\"skipCheck\":false}}}}'"},
    {Reason::Paused,
     "kubectl -n {0} annotate statefulset/{1} phasedrollout/{2} sluice.dev/paused-"},
};

Decision steer_by(const Snapshot& seen, const CustomObject& object, Instant now);
Decision let_go_of(const Snapshot& seen, const CustomObject& object, Instant now);
void inform(Decision& decision, const CustomObject& object, const Snapshot& seen, Decision own,
            Instant now);

constexpr Claims claims{"phasedrollout/", "PhasedRollout", steered_by, commands,
                        steer_by,         let_go_of,       inform};

// What collected counts belong to, beside the step: the check, the spec it stands in, and the last
// request of a person to try again.
std::string definition(const CustomObject& object, const Spec& spec, const StatefulSet& set) {
    const std::string text =
        fmt::format("{} {} {} {} {}", object.meta.uid, object.meta.generation,
                    annotation_of(object, key::retry), annotation(set, key::retry),
                    metrics::definition_of(spec.check));
    return hex_digest(text);
}

engine::Course course_of(const CustomObject& object, const Status& reported) {
    engine::Course course;
    course.claim = claim_of(claims, object);
    course.commands = commands;
    course.reports_on_workload = false;
    course.marks = {{std::string{steered_by}, object.meta.key.name}};
    course.retry = annotation_of(object, key::retry);
    course.paused_by = engine::paused_by(annotation_of(object, key::paused));
    course.allowed = Reason::ChecksPassed;
    course.returns_freely = true;
    course.name = object.meta.key.name;
    if (!reported.failed_revision.empty() && reported.retry == course.retry)
        course.quarantine = engine::Quarantine{reported.failed_revision};
    return course;
}

// All of these are "cannot manage" to a reader of events; the message says which it is.
constexpr Reason unmanageable[] = {Reason::OnDelete, Reason::ClaimedByOther,
                                   Reason::TooManyReplicas, Reason::InvalidSpec,
                                   Reason::TargetMissing};

std::vector<engine::Notice> in_own_words(std::vector<engine::Notice> notices) {
    for (engine::Notice& notice : notices) {
        if (std::ranges::find(unmanageable, notice.reason) != std::end(unmanageable))
            notice.reason = Reason::CannotManage;
        // Without the counts, which would make an event of every check.
        if (notice.reason == Reason::CheckFailed)
            notice.message = notice.message.substr(0, notice.message.find(". ") + 1);
    }
    return notices;
}

bool is_same_rollout(const Status& one, const Status& other) {
    const auto id = [](const Status& status) { return status.rollout ? status.rollout->id : 0; };
    return id(one) == id(other);
}

// Turns the report of a decision into a write of the status. What was to be told without another
// write is told with this one.
void add_status(Decision& decision, const CustomObject& object, const Status& old, const Spec* spec,
                const Snapshot& seen, Instant now) {
    decision.subject = subject_of(resource, object);
    decision.notices = in_own_words(std::move(decision.notices));
    if (!decision.actions.empty()) return;
    const Status status = report(object, old, spec, seen, decision, now);
    // What is over in a moment is not worth a write, unless the status speaks of another rollout or
    // of a trouble that is over.
    const bool is_plain = old.phase == phase::updated || old.phase == phase::rolling;
    const bool is_known = decision.silent && is_plain && is_same_rollout(status, old);
    auto write =
        is_known ? std::nullopt : status_write(subject_of(resource, object), object, old, status);
    if (!write) {
        decision.notices.clear();
        return;
    }
    write->notices = std::exchange(decision.notices, {});
    decision.actions.push_back(std::move(*write));
}

// Back to the normal rolling update. The set keeps the name of its PhasedRollout, not our claim.
Decision suspend(const Snapshot& seen, const CustomObject& object, const Status& reported,
                 Instant now) {
    engine::Course course = course_of(object, reported);
    course.marks = {};
    Decision decision =
        engine::release(seen, course, "skipCheck is true", now, engine::Parting::Open);
    decision.notices.clear();
    Decision words = reporting(claims, seen, object, Phase::Idle, Reason::Suspended,
                               "Checks are switched off: Kubernetes updates the pods by itself.");
    decision.report = std::move(words.report);
    decision.notices.push_back({Reason::Suspended, decision.report.message});
    return decision;
}

// The document's own answer is Open; but what failed or is paused goes no further for it.
engine::Parting parting_of(const CustomObject& object, const StatefulSet& set) {
    using engine::Parting;
    // Read by itself: what else is wrong with the spec must not open the gate.
    const boost::json::value spec = model::parse_json(object.spec);
    if (const boost::json::value* policy = JsonReader{&spec}.find("deletionPolicy"))
        return *policy == "Open" ? Parting::Open : Parting::Frozen;
    const bool is_held = engine::is_paused(annotation(set, key::paused)) ||
                         engine::is_paused(annotation_of(object, key::paused));
    const auto memory = engine::recall(set);
    const bool has_failed = set.current_revision != set.update_revision &&
                            (read_status(object).failed_revision == set.update_revision ||
                             (memory && memory->revision == set.update_revision &&
                              (memory->failed || memory->returning)));
    return is_held || has_failed ? Parting::Frozen : Parting::Open;
}

// Being deleted: the set goes first. Once nobody holds it, its object is informed, and goes too.
Decision let_go_of(const Snapshot& seen, const CustomObject& object, Instant now) {
    Decision decision =
        engine::release(seen, course_of(object, read_status(object)),
                        "The PhasedRollout is deleted", now, parting_of(object, seen.workload));
    decision.subject = subject_of(resource, object);
    return decision;
}

Decision steer_by(const Snapshot& seen, const CustomObject& object, Instant now) {
    if (!has_finalizer(object, finalizer)) {
        Decision decision;
        decision.actions.push_back(add_finalizer(resource, object, finalizer));
        return decision;
    }
    const StatefulSet& set = seen.workload;
    const auto spec =
        read_spec(object, seen.environment.passes_on_data ? SuccessOn::Data : SuccessOn::NoData);
    const Status reported = read_status(object);
    if (spec && spec->skip_check) {
        Decision decision = suspend(seen, object, reported, now);
        add_status(decision, object, reported, &*spec, seen, now);
        return decision;
    }
    engine::Course course = course_of(object, reported);
    if (spec && course.quarantine)
        course.quarantine->returns = spec->on_failure == OnFailure::Rollback;
    const std::string about = spec ? definition(object, *spec, set) : "";
    const auto progress = engine::progress_of(seen, about, now);
    course.compile = [&] {
        const bool excused = annotation(set, key::allow_unready) == "true" ||
                             annotation_of(object, key::allow_unready) == "true";
        if (spec) return compile(*spec, {set.replicas, about, progress.since, excused});
        const engine::Refused refused{Reason::InvalidSpec, to_text(spec.error())};
        return engine::Plan{.steps = {{set.replicas, {refused}, {refused}}}};
    };
    Decision decision = engine::steer(seen, course, now);
    const auto memory = engine::recall(set);
    if (!decision.progress && memory && memory->open) decision.progress = progress;
    if (!spec && !patches_workload(decision))
        decision = reporting(claims, seen, object, Phase::Blocked, Reason::InvalidSpec,
                             to_text(spec.error()));
    // Who takes a set that nobody holds looks first: the PhasedRollout may be gone meanwhile.
    if (patches_workload(decision) && annotation(set, key::claim).empty())
        decision.needs_live = true;
    engine::keep_quiet_for_a_moment(decision, seen, now);
    add_status(decision, object, reported, spec ? &*spec : nullptr, seen, now);
    return decision;
}

void inform(Decision& decision, const CustomObject& object, const Snapshot& seen, Decision own,
            Instant now) {
    if (object.meta.deleting) {
        if (has_finalizer(object, finalizer))
            decision.actions.push_back(drop_finalizer(resource, object, finalizer));
        return;
    }
    add_status(own, object, read_status(object), nullptr, seen, now);
    for (engine::Action& action : own.actions)
        decision.actions.push_back(std::move(action));
}

}  // namespace

model::Ref target_of(const CustomObject& object) {
    const boost::json::value spec = model::parse_json(object.spec);
    return {&model::statefulsets, object.meta.key.ns, JsonReader{&spec}.text("targetRef")};
}

bool concerns(const StatefulSet& set, const std::vector<CustomObject>& objects) {
    return api::concerns(claims, set, objects);
}

void prepare(Snapshot& seen) {
    const CustomObject* object = holder_of(claims, seen);
    if (!object) return;
    engine::recall_progress(seen, remembered(*object));
}

Decision decide(const Snapshot& seen, Instant now) {
    return api::decide(claims, seen, now);
}

}  // namespace sluice::api::phased_rollout
