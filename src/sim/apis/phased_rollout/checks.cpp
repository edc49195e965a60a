#include "sim/apis/phased_rollout/checks.hpp"

#include <algorithm>

#include "model/custom_object.hpp"
#include "sim/api/admission.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/phased_rollout/objects.hpp"

namespace sluice::sim::phased_rollout {

namespace phased = api::phased_rollout;

namespace {

constexpr const char* steered_by_at = "/metadata/annotations/sts.plus~1phasedRollout";
constexpr std::string_view claim_prefix = "phasedrollout/";
// Times are kept in whole seconds.
constexpr Duration rounding = 1s;

Instant ready_since(const json::object& pod) {
    const json::object* ready = condition(object_at(pod, "/status"), "Ready");
    if (!ready || text_at(*ready, "/status") != "True") return {};
    return parse_rfc3339(text_at(*ready, "/lastTransitionTime")).value_or(Instant{});
}

bool is_query_of(const engine::MetricQuery& query, const phased::Query& spec) {
    return query.expr == spec.expr && query.url == spec.url && query.secret == spec.secret;
}

bool is_unknown(const MetricCall& call) {
    return call.reading.kind == engine::MetricAnswer::Kind::Unknown;
}

bool is_pass(const MetricCall& call, const phased::Query& query) {
    using Kind = engine::MetricAnswer::Kind;
    const Kind wanted = query.success_on == phased::SuccessOn::Data ? Kind::Data : Kind::NoData;
    return call.reading.kind == wanted;
}

// The revision failed, and nobody said that it goes on all the same.
bool is_frozen(const json::object& rollout, const json::object& set) {
    const std::string policy = text_at(rollout, "/spec/deletionPolicy");
    if (!policy.empty()) return policy == "Freeze";
    return text_at(rollout, "/status/failedRevision") == text_at(set, "/status/updateRevision");
}

}  // namespace

std::string steerer_of(const json::object& set) {
    const std::string claim = text_at(set, claim_at);
    return claim.starts_with(claim_prefix) ? claim.substr(claim_prefix.size())
                                           : text_at(set, steered_by_at);
}

std::optional<phased::Spec> spec_of(const json::object& rollout) {
    const auto object = model::decode_custom_object(json::serialize(rollout));
    if (!object) return std::nullopt;
    auto spec = phased::read_spec(*object);
    if (!spec) return std::nullopt;
    return std::move(*spec);
}

void Checks::on_change(const Change& change) {
    if (change.place.resource != rollouts) return;
    const json::object& now = change.object->object();
    const bool is_redefined = !change.before ||
                              number_at(change.before->object(), "/metadata/generation") !=
                                  number_at(now, "/metadata/generation") ||
                              text_at(change.before->object(), retry_at) != text_at(now, retry_at);
    if (is_redefined)
        redefined_[uid_in(now)].emplace_back(in_.history.changes(), in_.cluster.now());
    const bool reports =
        change.before && object_at(change.before->object(), "/status") != object_at(now, "/status");
    if (change.user == operator_user && reports) settle(in_.history.object_writer(), true);
}

// When what a process heard became part of a status, or was lost with it.
void Checks::settle(const std::string& who, bool is_written) {
    const auto& calls = in_.egress.metric_calls();
    for (std::size_t i = 0; i < calls.size(); ++i)
        if (calls[i].asker == who && calls[i].heard) written_.try_emplace(i, is_written);
}

// A process knows what it heard itself, and what any of them wrote down.
bool Checks::is_known_to(const std::string& who, std::size_t call) const {
    const auto found = written_.find(call);
    return found != written_.end() ? found->second : in_.egress.metric_calls()[call].asker == who;
}

// When the step began, the check was last changed and the last pod became available, as the read
// before the step showed it.
Instant Checks::opened(const SetWrite& step, const json::object& rollout) const {
    const json::object& set = step.read->set->object();
    const bool excused = text_at(set, excuse_at) == "true" || text_at(rollout, excuse_at) == "true";
    Instant opened = step.workload.step_since;
    if (const auto changes = redefined_.find(uid_in(rollout)); changes != redefined_.end())
        for (const auto& [number, at] : changes->second)
            if (number < step.read->changes) opened = std::max(opened, at);
    for (const ObjectPtr& pod : step.read->pods) {
        const std::int64_t index = index_of(name_in(pod->object()), set);
        // Those that are too many are on their way out.
        const bool counts = index < number_at(set, "/spec/replicas") &&
                            (!excused || index >= partition_of(step.before()));
        if (counts)
            opened = std::max(
                opened, ready_since(pod->object()) + number_at(set, "/spec/minReadySeconds") * 1s);
    }
    return opened;
}

// The last answers to the check, up to as many as are wanted, or to the first bad one.
void Checks::count(Checked& found, const SetWrite& step, const Spec& spec) const {
    const phased::Query& query = spec.check.query;
    const Instant first =
        opened(step, *found.rollout) + spec.check.initial_delay - in_.skew - rounding;
    const auto& calls = in_.egress.metric_calls();
    for (std::size_t i = calls.size(); i-- > 0 && found.passes < found.threshold;) {
        const MetricCall& call = calls[i];
        const bool counts = call.heard && call.ns == step.change.place.ns && call.at >= first &&
                            !is_unknown(call) && is_query_of(call.query, query);
        if (!counts || (!is_pass(call, query) && !is_known_to(step.writer, i))) continue;
        if (!is_pass(call, query)) {
            found.failed = call.at;
            return;
        }
        if (!found.last) found.last = call.at;
        ++found.passes;
    }
}

std::optional<Checked> Checks::of_step(const SetWrite& step) const {
    const json::object& set = step.read->set->object();
    const json::object* rollout = named(step.read->of(rollouts), steerer_of(set));
    const auto spec = rollout ? spec_of(*rollout) : std::nullopt;
    if (!spec || spec->target != name_in(set)) return std::nullopt;
    Checked found{rollout, spec->check.success_threshold};
    count(found, step, *spec);
    return found;
}

bool Checks::has_cause_to_go_back(const json::object& set, const LiveRead& read) const {
    if (!text_at(set, claim_at).starts_with(claim_prefix)) return false;
    if (is_undone(set)) return true;
    const json::object* rollout = named(read.of(rollouts), steerer_of(set));
    const auto spec = rollout ? spec_of(*rollout) : std::nullopt;
    if (!spec || spec->progress_deadline) return true;
    const std::string ns = text_at(set, "/metadata/namespace");
    return std::ranges::any_of(in_.egress.metric_calls(), [&](const MetricCall& call) {
        return call.heard && call.ns == ns && !is_unknown(call) &&
               !is_pass(call, spec->check.query);
    });
}

// The one that steers it leaves it, is being deleted or checks no longer.
bool Checks::asks_for_release(const SetWrite& write) const {
    const json::object& set = write.read->set->object();
    const std::string& name = write.change.place.name;
    const std::string steerer = steerer_of(write.before());
    const auto lets_go = [&](const json::object& rollout) {
        const auto spec = spec_of(rollout);
        return (spec && spec->skip_check) || (is_terminating(rollout) && !is_frozen(rollout, set));
    };
    const bool is_asked = std::ranges::any_of(write.read->of(rollouts), [&](const ObjectPtr& one) {
        const json::object& rollout = one->object();
        return text_at(rollout, "/spec/targetRef") == name &&
               (steerer.empty() || name_in(rollout) == steerer) && lets_go(rollout);
    });
    const json::object* holder = named(write.read->of(rollouts), steerer);
    const bool is_left =
        !steerer.empty() && (!holder || text_at(*holder, "/spec/targetRef") != name);
    return is_asked || is_left;
}

}  // namespace sluice::sim::phased_rollout
