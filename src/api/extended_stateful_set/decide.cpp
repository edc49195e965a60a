#include "api/extended_stateful_set/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/extended_stateful_set/bodies.hpp"
#include "api/extended_stateful_set/owning_references.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/extended_stateful_set/report.hpp"
#include "api/hooks/gate.hpp"
#include "api/owning.hpp"
#include "model/annotations.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace key = model::key;
using engine::Decision;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;

std::optional<engine::Memory> memory_of(const Status& status) {
    return engine::decode_memory(status.rollout);
}

// Whatever else they are to be, the claims that are there stay, and so do those who have them.
FieldErrors claims_changed() {
    return {{"spec.template.spec.volumeClaimTemplates",
             "cannot change but in size, nor can the zones, while there are claims: make another "
             "object, or put back what was there"}};
}

// Without them pods would not find their claims.
Decision wait_for_policies(const Snapshot& seen, const Status& old, Instant now) {
    const engine::ReasonEntry& why = engine::entry(Reason::VolumesUnguarded);
    Decision decision;
    decision.subject = subject_of(resource, seen.objects.front());
    decision.report = {engine::Phase::Blocked, Reason::VolumesUnguarded, std::string{why.meaning},
                       std::string{why.unblock}};
    decision.notices.push_back({Reason::VolumesUnguarded, decision.report.message});
    Status status = old;
    write_report(status, old, decision.report, seen, now);
    if (auto write = api::status_write(*decision.subject, seen.objects.front(), old, status))
        decision.actions.push_back(std::move(*write));
    return decision;
}

}  // namespace

Reconciliation::Reconciliation(const Snapshot& seen, const Snapshot& pods, const Spec& spec,
                               Instant now)
    : seen_(seen),
      pods_(pods),
      object_(seen.objects.front()),
      spec_(spec),
      now_(now),
      versions_(versions_in(seen)),
      old_(read_status(object_)),
      next_(old_),
      config_(config_of(seen, spec, old_.config, now)) {}

// The status is lost, or was never there: the sets say what there was. The lowest of them is taken
// for the one that serves: what the others have come to is found out again, through their gates.
void Reconciliation::recover() {
    if (next_.update > 0 || versions_.empty()) return;
    const auto has_pods = [](const Version& one) {
        return std::ranges::any_of(one.parts,
                                   [](const Part& part) { return part.set->replicas.value > 0; });
    };
    // Who has given up all its ordinals serves nobody.
    const auto serving =
        spec_.hands_over() ? std::ranges::find_if(versions_, has_pods) : versions_.begin();
    next_.current = serving == versions_.end() ? versions_.front().number : serving->number;
    next_.update = versions_.back().number;
    next_.digest = versions_.back().digest();
    for (const Version& one : versions_)
        if (one.number != next_.update) note_revision(one.number);
}

// The template has a version, whose number is the next one if the template is a new one.
void Reconciliation::note_version() {
    for (const model::StatefulSet& set : seen_.sets)  // also of those that are being deleted
        next_.last = std::max(next_.last, version_of(set));
    recover();
    const std::string digest = digest_of(object_, spec_);
    if (next_.update > 0 && next_.digest == digest) return;
    if (next_.update > 0) note_revision(next_.update);
    next_.update = ++next_.last;
    next_.digest = digest;
    next_.attempts = 0;
    next_.failure.clear();
    if (next_.current == 0) next_.current = next_.update;
}

// Fewer pods in each zone are no reason to reach another one: the last one that was reached stays
// so, and whoever rests there goes on resting. But no version gives its last ordinal of a zone away
// for that: the step that does has gates of its own.
void Reconciliation::keep_reach() {
    if (spec_.replicas.value == 0) return;  // it goes on from there when there are pods again
    const int before = std::exchange(next_.in_zone, spec_.replicas).value;
    const int exposed = next_.exposed.value, each = spec_.replicas.value;
    const bool is_one_row = spec_.zones.count() == 1 && !spec_.hands_over();
    if (is_one_row || before == each || before == 0 || exposed == 0) return;
    const int full = (exposed - 1) / before, partly = exposed - full * before;
    const bool keeps_one = spec_.hands_over() && partly < before && each < before;
    next_.exposed = {full * each + std::min(partly, keeps_one ? each - 1 : each)};
    if (auto& rest = next_.gates.pause; rest && rest->step == exposed)
        rest->step = next_.exposed.value;
}

bool Reconciliation::is_aborted() const {
    return version_text(annotation_of(object_, std::string{abort_key})) == next_.update;
}

bool Reconciliation::is_open() const {
    const auto memory = memory_of(next_);
    return memory && memory->open;
}

// The version that is to serve never has, or somebody has deleted it: there is nothing that an
// upgrade could disturb. That its pods were made anew, all of them at once, is no such thing.
bool Reconciliation::disturbs_nobody() const {
    const Version* current = find_version(versions_, next_.current);
    if (!current) return true;
    const bool is_handed_over =
        spec_.hands_over() && next_.exposed.value > 0 && current->pods().value == 0;
    const bool has_served = next_.serving != Instant{} || current->was_ever_ready();
    return !is_handed_over && !has_served;
}

// While there are no pods, and no gates that somebody wants to be asked, nothing is left of the
// version before; unless the new one has failed, or is being tried, or a person holds it.
void Reconciliation::settle_at_zero() {
    const bool has_pods = std::ranges::any_of(versions_, [](const Version& one) {
        return std::ranges::any_of(one.parts, [](const Part& part) {
            return !part.pods.empty() || part.set->replicas.value > 0;
        });
    });
    if (spec_.replicas.value > 0 || has_pods || spec_.strategy.is_guarded()) return;
    auto memory = memory_of(next_);
    const bool is_tried = memory && memory->open && next_.exposed.value > 0 &&
                          memory->revision == revision_of(next_.update);
    const bool is_unwanted = is_tried || is_aborted() ||
                             (memory && (memory->failed || memory->returning)) ||
                             engine::is_paused(annotation_of(object_, key::paused));
    if (is_unwanted) return;
    const bool has_yet_to_serve = next_.current != next_.update;
    serve(next_.update);
    if (has_yet_to_serve) next_.serving = {};
    next_.exposed = {};
    if (!memory) return;
    memory->open = memory->returning = memory->failed = false;
    next_.rollout = encode(*memory);
}

// Of the wanted version as the object says, of another one those that are there.
std::vector<SetId> Reconciliation::sets_of(int version) const {
    std::vector<SetId> ids;
    const Version* there = find_version(versions_, version);
    if (there && version != next_.update) {
        for (const Part& part : there->parts)
            ids.push_back(part.id);
        return ids;
    }
    for (int zone = 0; zone < spec_.zones.count(); ++zone)
        ids.push_back({version, spec_.zones.names.empty() ? std::nullopt : std::optional{zone}});
    return ids;
}

// The pods of the version that serves, and in the place of the last of them those of the wanted one
// that are to be there by now. The first zone is the last one here, for it is reached first. A
// version in fewer zones stands for more pods than it has.
std::vector<std::string> Reconciliation::pod_names() const {
    const int all = spec_.pods().value, each = spec_.replicas.value;
    const int exposed = std::min(next_.exposed.value, all);
    const std::vector<SetId> serving = sets_of(next_.current), wanted = sets_of(next_.update);
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(all));
    for (int reached = all - 1; reached >= 0; --reached) {
        const std::vector<SetId>& sets = reached < exposed ? wanted : serving;
        const auto zone = static_cast<std::size_t>(reached / each) % sets.size();
        const bool is_lowest_first = reached < exposed && !spec_.hands_over();
        const int ordinal = is_lowest_first ? reached % each : each - 1 - reached % each;
        names.push_back(fmt::format("{}-{}", set_name(name(), sets[zone]), ordinal));
    }
    return names;
}

// Never the last pods that are ready: the version that serves has some, or the new one has none.
bool Reconciliation::can_go_back() const {
    const Version* current = find_version(versions_, next_.current);
    const Version* update = find_version(versions_, next_.update);
    if (current && current->ready().value > 0) return true;
    // One ordinal after the other goes back, and the others serve meanwhile.
    if (current && spec_.hands_over() && (!update || update->ready().value != 1)) return true;
    if (current && spec_.hands_over() && spec_.pods().value == 1) return true;
    return current && (!update || update->ready().value == 0);
}

std::string Reconciliation::why_unwanted_stays() const {
    const std::string current = revision_of(next_.current), update = revision_of(next_.update);
    if (find_version(versions_, next_.current))
        return fmt::format("Somebody does not want {}, and it is the last one that is ready.",
                           update);
    return fmt::format(
        "Somebody does not want {}, and somebody has deleted {}: there is no other one.", update,
        current);
}

std::string Reconciliation::how_unwanted_goes() const {
    const std::string current = revision_of(next_.current), update = revision_of(next_.update);
    const std::string object = fmt::format("ests/{} -n {}", name(), object_.meta.key.ns);
    const std::string first =
        find_version(versions_, next_.current)
            ? fmt::format("pods of {} that are ready", current)
            : fmt::format("an earlier one: sluice undo {} --to-revision {}", object, current);
    return fmt::format("{}; or, if {} is wanted after all: sluice retry {}", first, update, object);
}

// Of pods of the new version that are not ready; who is, has all the time that gates take.
std::optional<Instant> Reconciliation::deadline() const {
    const Version* update = find_version(versions_, next_.update);
    if (!update) return std::nullopt;
    // All were ready, and what the Job behind them comes to decides.
    if (next_.job && next_.job->occasion == job_for(Occasion::After).occasion) return std::nullopt;
    PodCount made{0};
    for (const SetId& id : sets_of(next_.update)) {
        const PodCount pods = wanted(id);
        const Part* part = update->in_zone(id.zone.value_or(0));
        // Those that nobody has made yet are not late.
        if (pods.value > 0 && (!part || part->set->replicas < pods)) return std::nullopt;
        made.value += pods.value;
    }
    if (update->ready() >= made) return std::nullopt;
    return next_.stepped + spec_.strategy.canary_deadline;
}

// The one that the hook hears of: the last one that is there.
std::optional<PodIndex> Reconciliation::old_pod() const {
    const std::vector<std::string> names = pod_names();
    for (int i = spec_.pods().value - next_.exposed.value - 1; i >= 0; --i)
        if (std::ranges::any_of(seen_.pods, [&](const model::Pod& pod) {
                return pod.meta.key.name == names[static_cast<std::size_t>(i)];
            }))
            return PodIndex{i};
    return std::nullopt;
}

Circumstances Reconciliation::circumstances() const {
    const bool allow_unready = spec_.strategy.update_not_ready || disturbs_nobody();
    return {
        .pods = spec_.replicas,
        .zones = spec_.zones.count(),
        .exposed = next_.exposed,
        .hands_over = spec_.hands_over(),
        .gates = gates::circumstances_of(spec_.strategy.gates, next_.gates, seen_, allow_unready),
        .deadline = deadline(),
        .old_pod = old_pod(),
        .can_go_back = can_go_back(),
        .blocked_by = service_problem(),
        .analysis = analysis_gate(),
        .job_before = job_gate(Occasion::Before),
        .job_after = job_gate(Occasion::After)};
}

engine::Course Reconciliation::course() const {
    engine::Course course;
    course.commands = commands();
    course.allowed = Reason::StepTaken;
    course.versions = engine::SideBySide{.pods = {.names = pod_names(),
                                                  .exposed = next_.exposed,
                                                  .current = revision_of(next_.current),
                                                  .updated = revision_of(next_.update),
                                                  .memory = memory_of(next_)},
                                         .tries_again = tries_again(),
                                         .keeps_failed = keeps_failed()};
    if (const Version* update = find_version(versions_, next_.update);
        update && update->is_stale()) {
        course.quarantine = engine::Quarantine{revision_of(next_.update), true};
        course.versions->tries_again = false;
    }
    if (is_aborted() && can_go_back())
        course.abort = fmt::format("Somebody does not want {}.", revision_of(next_.update));
    else if (is_aborted())
        course.paused_by = engine::Refused{Reason::Aborted, why_unwanted_stays()};
    course.compile = [this] { return compile(spec_, circumstances()); };
    return course;
}

// Somebody has deleted the version that was to go on: what there is of the new one goes on.
void Reconciliation::turn_round() {
    auto memory = memory_of(next_);
    if (!memory || !memory->open || !memory->returning || find_version(versions_, next_.current))
        return;
    PodCount there{0};
    if (const Version* update = find_version(versions_, next_.update))
        for (const Part& part : update->parts)
            there.value += part.set->replicas.value;
    next_.exposed = std::min(there, spec_.pods());
    memory->returning = false;
    memory->partition = partition_for(next_.exposed, spec_.pods());
    next_.rollout = encode(*memory);
}

// How many pods of the new version may be there by now.
void Reconciliation::steer() {
    settle_at_zero();
    turn_round();
    note_analysis();
    decision_ = engine::steer(seen_, course(), now_);
    mind_analysis();
    hooks::complete(decision_, seen_, "extendedstatefulset");
    if (decision_.report.reason == Reason::RolledBack && !find_version(versions_, next_.current))
        decision_.report.message = fmt::format(
            "{} failed, and somebody has deleted {}: nobody serves. To have an earlier "
            "version back: sluice undo ests/{} -n {} --to-revision {}",
            revision_of(next_.update), revision_of(next_.current), name(), object_.meta.key.ns,
            revision_of(next_.current));
    if (decision_.report.reason == Reason::Aborted) decision_.report.unblock = how_unwanted_goes();
    if (const auto& memory = decision_.memory) {
        const auto before = memory_of(next_);
        if (memory->open && (!before || before->id != memory->id)) ++next_.attempts;
        next_.rollout = encode(*memory);
        const PodCount exposed =
            memory->open ? exposed_count(memory->partition, spec_.pods()) : PodCount{0};
        if (exposed != next_.exposed) next_.stepped = in_whole_seconds(now_);
        next_.exposed = exposed;
        if (memory->returning && !(before && before->returning))
            next_.failure = decision_.report.message;
        if (!memory->open && !memory->failed) serve(version_in(memory->revision));
    }
    const bool is_asking = is_open() || is_restarting();
    next_.gates = gates::noted(std::move(next_.gates), decision_, object_, is_asking, now_);
}

// Of all others none: they are on their way out. What is exposed is so in the first zones.
PodCount Reconciliation::wanted(const SetId& id) const {
    const Version* failed =
        id.version == next_.current ? nullptr : find_version(versions_, id.version);
    if (failed && id.version == next_.update && keeps_failed()) {
        const Part* part = failed->in_zone(id.zone.value_or(0));
        return part ? part->set->replicas : PodCount{0};
    }
    return {wanted_places(id).count};
}

Decision Reconciliation::decide() && {
    decision_.subject = subject();
    if (service_problem().empty() && switch_services()) {
        decision_.report = {engine::Phase::Rolling, Reason::ServiceSwitched, {}, {}};
        return std::move(decision_);
    }
    const bool is_looked_at =
        config_.is_known() || config_.stops() || config_.state == Config::State::Ignored;
    if (!is_looked_at) return without_config();
    note_version();
    note_serving();
    go_back_at_once();
    note_claims();
    note_references();
    keep_reach();
    if (config_.stops())
        hold_for_config();
    else
        steer();
    mind_jobs();
    note_config();
    restart();
    decision_.subject = subject();
    if (config_.noted) decision_.noted = config_.noted;
    plan_hand_over();
    examine_claims();
    report();
    act();
    return std::move(decision_);
}

void prepare(Snapshot& seen) {
    if (seen.objects.empty()) return;
    const CustomObject& object = seen.objects.front();
    const Status status = read_status(object);
    stand_for_workload(seen, status.rollout);
    model::StatefulSet& workload = seen.workload;
    const auto spec = read_spec(object);
    if (!spec) return;
    gates::prepare(seen, spec->strategy.gates, status.gates);
    workload.replicas = spec->pods();
    workload.min_ready = spec->min_ready;
    workload.current_revision = revision_of(status.current);
    workload.update_revision = revision_of(status.update);
}

// What is deleted is left to Kubernetes: its sets, their pods, and the claims that it owns go with
// it. What its pods read stays.
Decision decide(const Snapshot& seen, Instant now) {
    if (seen.objects.empty()) return {};
    if (seen.objects.front().meta.deleting) return disown(seen, now);
    const Status status = read_status(seen.objects.front());
    const auto spec = read_spec(seen.objects.front());
    if (!spec) return refuse_spec(resource, seen, spec.error(), status, now, write_report);
    const std::string& made = status.claims.templates;
    if (!made.empty() && made != identity_of(*spec))
        return refuse_spec(resource, seen, claims_changed(), status, now, write_report);
    const bool is_guarded = seen.environment.guarantee == engine::Guarantee::Prevent;
    if (!spec->volumes.templates.empty() && !is_guarded)
        return wait_for_policies(seen, status, now);
    Snapshot versions = seen;
    take_pods(versions);
    return Reconciliation{versions, seen, *spec, now}.decide();
}

}  // namespace sluice::api::extended_stateful_set
