#include "api/extended_job/decide.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_job/bodies.hpp"
#include "api/extended_job/reconciliation.hpp"
#include "api/owning.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_job {
namespace {

namespace json = boost::json;
using engine::Decision;
using engine::Snapshot;
using model::CustomObject;

// So many of the pods that are remembered are looked at in one go, to forget those that are gone.
constexpr std::size_t forgotten_at_once = 32;
// A pod that could not be looked at is looked at again.
constexpr Duration look_again = 10s;

model::Ref ref_of(const CustomObject& pod) {
    return ref_to(neighbour_pods, pod.meta.key);
}

}  // namespace

Reconciliation::Reconciliation(const Snapshot& seen, const Spec& spec, Instant now)
    : seen_(seen),
      object_(seen.objects.front()),
      spec_(spec),
      now_(now),
      old_(read_status(object_)),
      next_(old_) {}

std::size_t Reconciliation::active_for_pods() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(next_.active, [](const Run& one) { return !one.pod.empty(); }));
}

// So many runs may begin whose Jobs can be deleted in time. One of those before them is due next,
// or is tried again.
std::size_t Reconciliation::places_to_leave() {
    const std::size_t taken = next_.leaving.size() + next_.active.size();
    is_stuck_ = taken >= leaving_max && next_.active.empty() &&
                next_.leaving.front().due + jobs::still_on_its_way <= now_;
    return leaving_max - std::min(leaving_max, taken);
}

void Reconciliation::begin(Run run) {
    run.number = ++next_.runs;
    run.strategy = to_text(spec_.strategy);
    run.started = in_whole_seconds(now_);
    run.stage = run.pod.empty() ? jobs::Stage::Planned : jobs::Stage::Due;
    if (run.job.empty()) run.job = job_name(object_, run.number, run.started);
    next_.active.push_back(std::move(run));
}

// One at a time: the next one begins when the one before it is over.
void Reconciliation::begin_errand() {
    const bool is_asked = spec_.strategy == Strategy::Now || spec_.strategy == Strategy::Once;
    if (is_asked && next_.active.empty() && places_to_leave() > 0) begin({});
}

bool Reconciliation::is_handled(const CustomObject& pod) const {
    return std::ranges::find(next_.handled, pod.meta.uid, &Handled::uid) != next_.handled.end();
}

std::vector<const CustomObject*> Reconciliation::pods_in_state() const {
    const json::value selector = model::parse_json(spec_.selector);
    std::vector<const CustomObject*> pods;
    for (const CustomObject& pod : seen_.neighbours)
        if (concerns(spec_.when, selector.get_object(), pod) && !is_handled(pod))
            pods.push_back(&pod);
    return pods;
}

// What is watched may be behind, and say of a pod that was forgotten that it is still there: each
// is looked at before a Job is planned for it.
void Reconciliation::begin_for_pods() {
    if (spec_.strategy != Strategy::PodState) return;
    if (next_.pod_state != to_text(spec_.when)) {
        next_.pod_state = to_text(spec_.when);
        next_.handled.clear();
    }
    const json::value selector = model::parse_json(spec_.selector);
    const auto pods = pods_in_state();
    if (!pods.empty() && next_.handled.size() + pod_jobs_max > handled_max) forget_pods();
    std::size_t places = pod_jobs_max - std::min(pod_jobs_max, active_for_pods());
    if (!pods.empty()) places = std::min(places, places_to_leave());
    for (const CustomObject* pod : pods) {
        is_full_ = next_.handled.size() >= handled_max;
        if (places == 0 || is_full_) break;
        const engine::Fetched* live = seen_.fetched_as(ref_of(*pod));
        --places;
        if (!live) {
            want(ref_of(*pod));
        } else if (live->refusal) {
            wake_at(now_ + look_again);
        } else if (live->object && live->object->meta.uid == pod->meta.uid &&
                   concerns(spec_.when, selector.get_object(), *live->object)) {
            next_.handled.push_back({pod->meta.uid, pod->meta.key.name});
            begin({.job = job_name(object_, *pod, spec_.when), .pod = pod->meta.key.name});
        }
    }
}

// Those that are not there any more. Each is looked at: what is watched may be behind.
void Reconciliation::forget_pods() {
    std::size_t looked_at = 0;
    std::erase_if(next_.handled, [&](const Handled& one) {
        const bool is_known = std::ranges::any_of(
            seen_.neighbours, [&](const CustomObject& pod) { return pod.meta.uid == one.uid; });
        if (is_known || looked_at == forgotten_at_once) return false;
        ++looked_at;
        const model::Ref ref{&neighbour_pods, ns(), one.pod};
        const engine::Fetched* live = seen_.fetched_as(ref);
        if (!live) want(ref);
        return live && !live->refusal && (!live->object || live->object->meta.uid != one.uid);
    });
}

// The strategy as it was seen, and the status: of a request that comes again nothing is taken away.
engine::Action Reconciliation::strategy_patch() const {
    const json::array operations{
        json::object{
            {"op", "test"}, {"path", "/spec/trigger/strategy"}, {"value", to_text(spec_.strategy)}},
        json::object{
            {"op", "test"}, {"path", "/status"}, {"value", model::parse_json(object_.status)}},
        json::object{{"op", "replace"},
                     {"path", "/spec/trigger/strategy"},
                     {"value", to_text(spec_.strategy == Strategy::Now ? Strategy::Manual
                                                                       : Strategy::Done)}}};
    return write_to(subject(), false, json::serialize(operations));
}

void Reconciliation::write_status(bool is_urgent) {
    auto write = api::status_write(subject(), object_, old_, next_);
    if (!write) return;
    decision_.needs_live = is_urgent;
    write->follows = !decision_.actions.empty();
    decision_.actions.push_back(std::move(*write));
}

// What goes may make room for what is to be made, and waits for nobody; but one that is refused
// lets others go first.
std::optional<engine::Action> Reconciliation::next_act() {
    const bool is_held =
        std::ranges::find(held_, engine::Reason::RunHeld, &Held::reason) != held_.end();
    const auto& tried = seen_.attempt;
    const bool is_refused = tried && tried->refusal && tried->verb == engine::Action::Verb::Delete;
    const bool may_go_on = !next_acts_.empty() && !is_held;
    if (!deletions_.empty() && !(may_go_on && is_refused)) return std::move(deletions_.front());
    if (may_go_on) return std::move(next_acts_.front());
    return std::nullopt;
}

// What is new is written down, and acted upon when it is.
void Reconciliation::act() {
    decision_.actions = std::move(outputs_);
    if (substance_of(next_) != substance_of(old_)) return write_status(next_.runs != old_.runs);
    if (auto action = next_act()) {
        decision_.needs_live = true;
        decision_.actions.push_back(std::move(*action));
    } else {
        write_status(false);
    }
}

Decision Reconciliation::decide() && {
    decision_.subject = subject();
    follow_runs();
    clear_away();
    if (decision_.rests_on.empty()) {
        begin_errand();
        begin_for_pods();
    }
    decision_.rereads_subject = decision_.rests_on.empty();
    report();
    act();
    return std::move(decision_);
}

// What is deleted is left to Kubernetes: its Jobs and Secrets go with it.
Decision decide(const Snapshot& seen, Instant now) {
    if (seen.objects.empty() || seen.objects.front().meta.deleting) return {};
    const auto spec = read_spec(seen.objects.front());
    if (!spec)
        return refuse_spec(resource, seen, spec.error(), read_status(seen.objects.front()), now,
                           write_report);
    return Reconciliation{seen, *spec, now}.decide();
}

}  // namespace sluice::api::extended_job
