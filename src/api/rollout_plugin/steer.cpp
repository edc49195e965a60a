#include "api/rollout_plugin/steer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/rollout_plugin/conclude.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "api/rollout_plugin/plugin_evidence.hpp"
#include "api/rollout_plugin/plugin_state.hpp"
#include "engine/steering.hpp"
#include "model/annotations.hpp"

namespace sluice::api::rollout_plugin {
namespace {

namespace key = model::key;
using engine::Decision;
using engine::Phase;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;

// Every restart that people ask for is another word to the engine, and each is said until the
// status has counted it.
std::string retry_word(const CustomObject& object, const Status& reported, const Orders& orders) {
    const int count = reported.restart.count + (orders.restarts ? 1 : 0);
    const std::string& annotated = annotation_of(object, key::retry);
    return count > 0 ? fmt::format("{}#{}", annotated, count) : annotated;
}

engine::Course course_of(const CustomObject& object, const Spec* spec, const Status& reported,
                         const Orders& orders) {
    engine::Course course;
    course.claim = claim_of(claims, object);
    course.commands = claims.commands;
    course.reports_on_workload = false;
    course.retry = retry_word(object, reported, orders);
    course.paused_by = paused_by(object, spec);
    if (orders.aborts) course.abort = "The rollout was aborted.";
    if (reported.abort.aborted && !orders.restarts)
        course.quarantine = {reported.abort.revision, true};
    course.allowed = Reason::StepTaken;
    course.returns_freely = true;
    course.name = object.meta.key.name;
    if (!spec) return course;
    course.list = digest_of(spec->steps);
    if (orders.restarts) course.first_place = spec->restart_at.value_or(0);
    return course;
}

engine::Plan refusing(const FieldErrors& errors, PodCount replicas) {
    const engine::Refused refused{Reason::InvalidSpec, to_text(errors)};
    return {.steps = {{replicas, {refused}, {refused}}}};
}

// What is moved, if a plugin outside of the operator moves it.
engine::Weight weight_of(const CustomObject& object, const Spec& spec, const Status& reported,
                         const WorkloadState& state, const Orders& orders,
                         const PluginEvidence& evidence) {
    const auto told =
        std::ranges::find(reported.conditions, condition::progressing, &Condition::type);
    return {.plugin = &evidence,
            .binding = binding_of(object, spec),
            .memory = state.memory,
            .current = state.current_revision,
            .last_place = static_cast<int>(spec.steps.size()),
            .promotes = orders.promotes_fully,
            .restarts = orders.restarts,
            .is_restart = reported.restart.at > Instant{} && reported.rollout &&
                          reported.restart.at == reported.rollout->started,
            .told = reported.reason,
            .told_message = reported.message,
            .told_at = told == reported.conditions.end() ? Instant{} : told->updated};
}

// One look at one RolloutPlugin. `read` is errors where there is none that could be served.
class Steering {
  public:
    Steering(const Snapshot& seen, const CustomObject& object,
             const std::expected<Spec, FieldErrors>& read, const PluginAddress* plugin, Instant now)
        : seen_(seen),
          object_(object),
          read_(read),
          spec_(read ? &*read : nullptr),
          now_(now),
          reported_(read_status(object)) {
        if (plugin) evidence_.emplace(seen, object, *spec_, *plugin);
        state_ = evidence_
                     ? workload_state_in(reported_, binding_of(object, *spec_), evidence_->status())
                     : workload_state_of(seen, now);
        orders_ = orders_of(reported_, spec_, state_.memory, object.meta.generation);
        course_ = course_of(object, spec_, reported_, orders_);
        is_held_ = engine::paused_by(seen.workload, course_).has_value();
        locate();
        course_.compile = [this] { return plan(); };
        if (evidence_) move_by(*evidence_);
    }

    Decision decide() {
        if (spec_ && ends_pause(orders_, *spec_)) return unpause(object_);
        Decision decision = decided();
        if (decision.keeps_report) {
            decision.subject = subject_of(resource, object_);
            return decision;
        }
        if (decision.memory) {
            state_ = remembering(std::move(state_), *decision.memory, plugin_status());
            locate();
        }
        engine::keep_quiet_for_a_moment(decision, seen_, now_);
        conclude(decision,
                 {object_, reported_, spec_, state_, seen_.environment.guarantee, decision, at_,
                  orders_, runs_},
                 seen_, now_);
        return decision;
    }

  private:
    // Null: nothing is known, or no plugin outside moves it.
    const ResourceStatus* plugin_status() const {
        return evidence_ ? evidence_->status() : nullptr;
    }

    // Where the rollout stands, by what is remembered of it.
    void locate() {
        if (spec_) at_ = position_of(*spec_, reported_, state_, is_held_, now_);
        runs_ = state_.memory ? runs_of(seen_, object_, *state_.memory, at_.list) : Runs{};
    }

    void move_by(const PluginEvidence& evidence) {
        course_.weight.emplace(weight_of(object_, *spec_, reported_, state_, orders_, evidence));
        course_.commands = course_.commands.subspan(1);
        course_.returns_freely = false;  // the plugin is asked to
        course_.quarantine.reset();      // what failed stands in the same status
        // Whoever promotes everything goes on, and what is promoted already is not held.
        const bool is_promoted = at_.step >= course_.weight->last_place && state_.weight == 100;
        if (orders_.promotes_fully || is_promoted) course_.paused_by.reset();
    }

    engine::Plan plan() const {
        if (!spec_) return refusing(read_.error(), seen_.workload.replicas);
        Circumstances here = circumstances(reported_, at_, orders_, runs_);
        if (evidence_) {
            const ResourceStatus* status = plugin_status();
            here.replicas = {100};
            here.by_plugin = true;
            here.is_current = status && status->current_revision == status->updated_revision;
        } else {
            here.replicas = seen_.workload.replicas;
            here.allow_unready = annotation(seen_.workload, key::allow_unready) == "true" ||
                                 annotation_of(object_, key::allow_unready) == "true";
        }
        return compile(*spec_, here);
    }

    Decision decided() const {
        const bool is_ours = annotation(seen_.workload, key::claim) == course_.claim;
        Decision decision = spec_ || is_ours ? engine::steer(seen_, course_, now_) : Decision{};
        if (!spec_ && decision.actions.empty())
            decision = reporting(claims, seen_, object_, Phase::Blocked, Reason::InvalidSpec,
                                 to_text(read_.error()));
        // Who takes a set that nobody holds looks first: the RolloutPlugin may be gone meanwhile.
        if (patches_workload(decision) && annotation(seen_.workload, key::claim).empty())
            decision.needs_live = true;
        if (decision.takes_step || lowers_partition(decision))
            look_at_background(decision, seen_, runs_);
        const bool exposes_nothing =
            evidence_ ? state_.weight == 0
                      : exposed_count(state_.partition.value_or(closed_partition),
                                      seen_.workload.replicas)
                                .value == 0;
        if (decision.takes_step && exposes_nothing && spec_ && !orders_.promotes_fully)
            check_analyses(
                decision,
                {seen_, object_, *spec_, state_.current_revision, state_.updated_revision}, now_);
        return decision;
    }

    const Snapshot& seen_;
    const CustomObject& object_;
    const std::expected<Spec, FieldErrors>& read_;
    const Spec* spec_;
    Instant now_;
    Status reported_;
    std::optional<PluginEvidence> evidence_;
    WorkloadState state_;
    Orders orders_;
    engine::Course course_;
    bool is_held_ = false;
    Position at_;
    Runs runs_;
};

}  // namespace

Decision steer(const Snapshot& seen, const CustomObject& object,
               const std::expected<Spec, FieldErrors>& read, const PluginAddress* plugin,
               Instant now) {
    return Steering{seen, object, read, plugin, now}.decide();
}

}  // namespace sluice::api::rollout_plugin
