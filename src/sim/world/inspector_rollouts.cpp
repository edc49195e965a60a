// What the inspector knows of PhasedRollouts: their checks, their end, and the way back.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/phased_rollout/spec.hpp"
#include "model/custom_object.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/world/inspector.hpp"
#include "sim/world/notes.hpp"

namespace sluice::sim {
namespace {

namespace phased = api::phased_rollout;

constexpr const char* claim_at = "/metadata/annotations/sluice.dev~1claim";
constexpr const char* steered_by_at = "/metadata/annotations/sts.plus~1phasedRollout";
constexpr const char* retry_at = "/metadata/annotations/sluice.dev~1retry";
constexpr const char* excuse_at = "/metadata/annotations/sluice.dev~1allow-unready";
constexpr const char* unstick_at = "/metadata/annotations/sluice.dev~1unstick";
constexpr const char* paused_at = "/metadata/annotations/sluice.dev~1paused";
constexpr const char* revision_at = "/metadata/labels/controller-revision-hash";
constexpr std::string_view claim_prefix = "phasedrollout/";
// Times are kept in whole seconds.
constexpr Duration rounding = 1s;
// A pass is acted on within a minute, and requests take some time.
constexpr Duration age_max = 80s;

std::string name_of(const json::object& object) {
    return text_at(object, "/metadata/name");
}

const json::object* named(const std::vector<ObjectPtr>& objects, std::string_view name) {
    const auto found = std::ranges::find_if(
        objects, [&](const ObjectPtr& one) { return name_of(one->object()) == name; });
    return found == objects.end() ? nullptr : &(*found)->object();
}

// The PhasedRollout that the set says it is steered by.
std::string steersman_of(const json::object& set) {
    const std::string claim = text_at(set, claim_at);
    return claim.starts_with(claim_prefix) ? claim.substr(claim_prefix.size())
                                           : text_at(set, steered_by_at);
}

Instant ready_since(const json::object& pod) {
    const json::object* ready = condition(object_at(pod, "/status"), "Ready");
    if (!ready || text_at(*ready, "/status") != "True") return {};
    return parse_rfc3339(text_at(*ready, "/lastTransitionTime")).value_or(Instant{});
}

bool is_leaving(const json::object& pod) {
    return has(pod, "/metadata/deletionTimestamp");
}

std::optional<phased::Spec> spec_of(const json::object& rollout) {
    const auto object = model::decode_custom_object(json::serialize(rollout));
    if (!object) return std::nullopt;
    auto spec = phased::read_spec(*object);
    if (!spec) return std::nullopt;
    return std::move(*spec);
}

bool is_query_of(const engine::MetricQuery& query, const phased::Query& spec) {
    return query.expr == spec.expr && query.url == spec.url && query.secret == spec.secret;
}

bool is_pass(const MetricCall& call, const phased::Query& query) {
    using Kind = api::metrics::MetricReading::Kind;
    const Kind wanted = query.success_on == phased::SuccessOn::Data ? Kind::Data : Kind::NoData;
    return call.reading.kind == wanted;
}

}  // namespace

// When what a process heard became part of a status, or was lost with it.
void Inspector::settle(const std::string& who, Fate fate) {
    const auto& calls = egress_.metric_calls();
    for (std::size_t i = 0; i < calls.size(); ++i)
        if (calls[i].asker == who && calls[i].heard) fates_.try_emplace(i, fate);
}

// A process knows what it heard itself, and what any of them wrote down.
bool Inspector::is_known_to(const std::string& who, std::size_t call) const {
    const auto fate = fates_.find(call);
    if (fate != fates_.end()) return fate->second == Fate::Told;
    return egress_.metric_calls()[call].asker == who;
}

void Inspector::on_rollout(const Change& change) {
    const json::object& now = change.object->object();
    const bool redefined = !change.before ||
                           number_at(change.before->object(), "/metadata/generation") !=
                               number_at(now, "/metadata/generation") ||
                           text_at(change.before->object(), retry_at) != text_at(now, retry_at);
    if (redefined) redefined_[text_at(now, "/metadata/uid")] = cluster_.now();
    const bool reports =
        change.before && object_at(change.before->object(), "/status") != object_at(now, "/status");
    if (change.user == operator_user && reports) settle(object_writer_, Fate::Told);
}

void Inspector::note_step(const Change& change, Record& record) {
    const json::object& before = change.before->object();
    const json::object& now = change.object->object();
    // The gate is where we left it: that somebody moved it or garbled our memory, and we put it
    // back, is no new step.
    std::pair step = record.step;
    if (const auto memory = rollout_note(now)) step = {memory->id, memory->partition};
    const bool same =
        std::exchange(record.step, step) == step &&
        text_at(before, retry_at) == text_at(now, retry_at) &&
        text_at(before, "/status/updateRevision") == text_at(now, "/status/updateRevision");
    if (!same) record.step_since = cluster_.now();
}

// Prometheus answered well, so often and no less, about this very step, once the pods had been
// available for the initial delay.
void Inspector::check_checks(const Change& change, const Seen& seen, const Record& record) {
    check_pods(change, seen);
    const json::object& set = seen.set->object();
    const json::object* rollout = named(seen.rollouts, steersman_of(set));
    const auto spec = rollout ? spec_of(*rollout) : std::nullopt;
    held("S1");
    held("S6");
    held("S7");
    if (!spec || spec->target != name_of(set))
        return broken("S1", fmt::format("the gate of {} was lowered, and no PhasedRollout says how",
                                        change.place.name));
    if (has(*rollout, "/metadata/annotations/sluice.dev~1paused"))
        broken("S24", "the gate was lowered while the PhasedRollout is paused");
    const bool excused =
        text_at(set, excuse_at) == "true" || text_at(*rollout, excuse_at) == "true";
    const auto redefined = seen.redefined.find(text_at(*rollout, "/metadata/uid"));
    Instant opened = record.step_since;
    if (redefined != seen.redefined.end()) opened = std::max(opened, redefined->second);
    const std::int64_t exposed =
        partition_of(change.before->object()) + number_at(set, "/spec/ordinals/start");
    for (const ObjectPtr& pod : seen.pods) {
        const std::string name = name_of(pod->object());
        const bool counts =
            !excused || std::stoll("0" + name.substr(name.rfind('-') + 1)) >= exposed;
        if (counts)
            opened = std::max(
                opened, ready_since(pod->object()) + number_at(set, "/spec/minReadySeconds") * 1s);
    }
    const Instant first = opened + spec->check.initial_delay - skew_ - rounding;
    int passes = 0;
    std::optional<Instant> last;
    const auto& calls = egress_.metric_calls();
    for (std::size_t i = calls.size(); i-- > 0 && passes < spec->check.success_threshold;) {
        const MetricCall& call = calls[i];
        const bool counts = call.heard && call.ns == change.place.ns && call.at >= first &&
                            call.reading.kind != api::metrics::MetricReading::Kind::Unknown &&
                            is_query_of(call.query, spec->check.query);
        if (!counts || (!is_pass(call, spec->check.query) && !is_known_to(writer_, i))) continue;
        if (!is_pass(call, spec->check.query))
            return broken("S1", fmt::format("the gate of {} was lowered, and the check at {} "
                                            "failed",
                                            change.place.name, to_rfc3339(call.at)));
        if (!last) last = call.at;
        ++passes;
    }
    if (passes < spec->check.success_threshold)
        broken("S7", fmt::format("the gate of {} was lowered after {} of {} checks of this step",
                                 change.place.name, passes, spec->check.success_threshold));
    else if (last && cluster_.now() - *last > age_max)
        broken("S6", "the gate was lowered on a check that is too old");
}

// Kubernetes has seen the spec, and there is nothing left for it to do.
bool is_settled(const json::object& set, const std::vector<ObjectPtr>& pods) {
    const std::string revision = text_at(set, "/status/updateRevision");
    return text_at(set, "/status/currentRevision") == revision &&
           number_at(set, "/status/observedGeneration") == number_at(set, "/metadata/generation") &&
           std::ranges::all_of(pods, [&](const ObjectPtr& pod) {
               return text_at(pod->object(), revision_at) == revision;
           });
}

// The revision failed, and nobody said that it goes on all the same.
bool is_frozen(const json::object& rollout, const json::object& set) {
    const std::string policy = text_at(rollout, "/spec/deletionPolicy");
    if (!policy.empty()) return policy == "Freeze";
    return text_at(rollout, "/status/failedRevision") == text_at(set, "/status/updateRevision");
}

// A set is let out of our hands with an open gate only if somebody asked for it, or while there is
// nothing behind it.
void Inspector::check_release(const Change& change, const Seen* seen) {
    held("S9");
    if (!seen || !seen->set)
        return broken("S9", fmt::format("{} was released without a look at the API before",
                                        change.place.name));
    held("S1");
    if (is_settled(seen->set->object(), seen->pods)) return;
    const std::string steersman = steersman_of(change.before->object());
    const auto lets_go = [&](const json::object& rollout) {
        const auto spec = spec_of(rollout);
        return (spec && spec->skip_check) ||
               (is_leaving(rollout) && !is_frozen(rollout, seen->set->object()));
    };
    const bool asked = std::ranges::any_of(seen->rollouts, [&](const ObjectPtr& one) {
        const json::object& rollout = one->object();
        return text_at(rollout, "/spec/targetRef") == change.place.name &&
               (steersman.empty() || name_of(rollout) == steersman) && lets_go(rollout);
    });
    const json::object* holder = named(seen->rollouts, steersman);
    const bool left =
        !steersman.empty() && (!holder || text_at(*holder, "/spec/targetRef") != change.place.name);
    if (!asked && !left)
        broken("S1",
               fmt::format("{} was released, and nobody had asked for it", change.place.name));
}

// Where operators take turns, the set says whose turn it is: "<UID of the lease>/<its
// transitions>".
void Inspector::check_removal_is_fenced(const Stored& set, const std::string& pod) {
    const auto leases = cluster_.api().list("leases.coordination.k8s.io");
    if (leases.empty()) return;  // there is but one operator
    held("S32");
    const json::object& lease = leases.front()->object();
    const auto fence = fence_note(set.object());
    if (!fence || fence->lease != text_at(lease, "/metadata/uid") ||
        fence->transitions != number_at(lease, "/spec/leaseTransitions"))
        broken("S32", fmt::format("{} was deleted, and its set has not the fence of the lease that "
                                  "is in force",
                                  pod));
}

// A check was bad, or it may have taken too long.
bool Inspector::has_bad_check(const Stored& set, const Seen& read) const {
    const json::object* rollout = named(read.rollouts, steersman_of(set.object()));
    const auto spec = rollout ? spec_of(*rollout) : std::nullopt;
    if (!spec || spec->progress_deadline) return true;
    const std::string ns = text_at(set.object(), "/metadata/namespace");
    return std::ranges::any_of(egress_.metric_calls(), [&](const MetricCall& call) {
        return call.heard && call.ns == ns &&
               call.reading.kind != api::metrics::MetricReading::Kind::Unknown &&
               !is_pass(call, spec->check.query);
    });
}

// Whatever the operator says of itself: a rollout goes back only if somebody put the template back
// or there is a cause that others can see.
bool Inspector::is_on_its_way_back(const Stored& set, const Seen& read) const {
    const auto memory = rollout_note(set.object());
    const Cause cause = steersman_of_claim(text_at(set.object(), claim_at)).cause;
    if (!memory || !memory->is_returning || !cause) return false;
    const bool is_undone = text_at(set.object(), "/status/updateRevision") ==
                           text_at(set.object(), "/status/currentRevision");
    return is_undone || (this->*cause)(set, read);
}

// A pod that was never ready, on a revision that is neither wanted nor the one it comes back on.
bool Inspector::is_stuck(const json::object& pod, const Seen& seen) const {
    const json::object& set = seen.set->object();
    const std::string revision = text_at(pod, revision_at);
    const std::string current = text_at(set, "/status/currentRevision");
    const std::string wanted = text_at(set, "/status/updateRevision");
    const std::string name = name_of(pod);
    const bool is_let_go = std::stoll("0" + name.substr(name.rfind('-') + 1)) -
                               number_at(set, "/spec/ordinals/start") >=
                           partition_of(set);
    const std::string next = is_let_go ? wanted : current;
    const std::string taken_up = text_at(pod, "/status/startTime");
    const auto started =
        parse_rfc3339(taken_up.empty() ? text_at(pod, "/metadata/creationTimestamp") : taken_up);
    const Duration patience = revision == current ? Duration{10min} : Duration{30s};
    const bool had_time = !started || cluster_.now() + skew_ + rounding >= *started + patience;
    // It comes back on a wanted revision only if it was let go, or others run that already.
    const bool excused = text_at(set, excuse_at) == "true";
    const bool is_run = std::ranges::any_of(seen.pods, [&](const ObjectPtr& one) {
        return !is_leaving(one->object()) && text_at(one->object(), revision_at) == next &&
               (excused || has_condition(one->object(), "Ready"));
    });
    return had_time && (is_let_go || next != wanted || is_run) && revision != wanted &&
           revision != next && !was_ready_.contains(text_at(pod, "/metadata/uid"));
}

// Where no rollout is on its way back only a pod goes that is stuck: the newest first, while all
// others are well or stuck themselves.
void Inspector::check_unsticking(const json::object& pod, const Seen& seen) {
    held("S33");
    const std::string name = name_of(pod);
    const json::object& set = seen.set->object();
    const auto memory = rollout_note(set);
    if (!memory || !memory->is_open || !is_stuck(pod, seen))
        return broken(
            "S25", fmt::format("{} was deleted, and is neither on its way back nor stuck", name));
    if (has(set, unstick_at) || text_at(set, paused_at) == "true")
        broken("S33", fmt::format("{} was replaced, and the set says that it must not be", name));
    const bool excused = text_at(set, excuse_at) == "true";
    const std::int64_t start = number_at(set, "/spec/ordinals/start");
    bool is_newest = true;
    for (std::int64_t index = 0; index < number_at(set, "/spec/replicas"); ++index) {
        const std::string other = fmt::format("{}-{}", name_of(set), start + index);
        if (other == name) is_newest = false;
        if (other == name) continue;
        const json::object* one = named(seen.pods, other);
        const bool stuck = one && !is_leaving(*one) && is_stuck(*one, seen);
        const bool well = one && !is_leaving(*one) && (excused || has_condition(*one, "Ready"));
        // Above it, pods that are not there wait for it.
        const bool waits = !is_newest && (!one || is_leaving(*one));
        if (!stuck && !well && !waits)
            broken("S33", fmt::format("{} was replaced while {} is away", name, other));
        if (stuck && is_newest)
            broken("S33", fmt::format("{} was replaced before {}, which is newer", name, other));
    }
}

// An operator deletes a pod to take a failed revision back: the newest first, one at a time, while
// all that are back are well. Or because it is stuck.
void Inspector::check_removal(const Change& change) {
    held("S25");
    const json::object& pod = change.object->object();
    const std::string owner = text_at(pod, "/metadata/ownerReferences/0/name");
    const auto read = reads_.find({deleter_, to_text(model::ObjectKey{change.place.ns, owner})});
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", change.place.ns, owner);
    const std::string& name = change.place.name;
    if (!set || read == reads_.end() || !read->second.set)
        return broken("S9", fmt::format("{} was deleted without a look at the API before", name));
    check_removal_is_fenced(*set, name);
    if (!is_on_its_way_back(*set, read->second)) {
        check_unsticking(pod, read->second);
        reads_.erase(read);
        return;
    }
    const std::string home = text_at(set->object(), "/status/currentRevision");
    const bool excused = text_at(read->second.set->object(), excuse_at) == "true";
    if (text_at(pod, revision_at) == home)
        broken("S25", fmt::format("{} was deleted, and was back already", name));
    const std::int64_t replicas = number_at(set->object(), "/spec/replicas");
    const std::int64_t start = number_at(set->object(), "/spec/ordinals/start");
    if (partition_of(set->object()) < replicas)
        broken("S25", fmt::format("{} was deleted while the gate is open", name));
    bool is_newest = true;
    for (std::int64_t index = 0; index < replicas; ++index) {
        const std::string other = fmt::format("{}-{}", owner, start + index);
        if (other == name) {
            is_newest = false;
            continue;
        }
        const json::object* one = named(read->second.pods, other);
        const bool failed = one && text_at(*one, revision_at) != home;
        const bool well =
            one && !is_leaving(*one) && (failed || has_condition(*one, "Ready") || excused);
        if (!well) broken("S25", fmt::format("{} was deleted while {} is away", name, other));
        if (failed && is_newest)
            broken("S25", fmt::format("{} was deleted before {}, which is newer", name, other));
    }
    reads_.erase(read);
}

// The finalizer goes last: as long as it is there, somebody will let the set go.
void Inspector::check_finalizer(const Change& change) {
    const auto carries = [](const json::object& object) {
        return std::ranges::any_of(array_at(object, "/metadata/finalizers"), [](const auto& one) {
            return one == json::value(phased::finalizer);
        });
    };
    const bool goes = change.before && carries(change.before->object()) &&
                      (change.type == Change::Type::Deleted || !carries(change.object->object()));
    if (!goes) return;
    held("S26");
    const ObjectPtr set = cluster_.api().find("statefulsets.apps", change.place.ns,
                                              text_at(change.object->object(), "/spec/targetRef"));
    const std::string claim = std::string{claim_prefix} + change.place.name;
    if (set && text_at(set->object(), claim_at) == claim)
        broken("S26", fmt::format("the finalizer of {} is gone, and {} still carries its claim",
                                  change.place.name, name_of(set->object())));
}

}  // namespace sluice::sim
