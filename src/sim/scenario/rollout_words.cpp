// The words about PhasedRollouts: what people do with them, what their Prometheus says, and what
// can be seen of them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/json_pointer.hpp"
#include "sim/api/state.hpp"
#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

constexpr const char* rollouts = "phasedrollouts.sts.plus";

// phasedrollout NAME target SET, and fields of its spec.
Problem create_rollout(World& world, Words words) {
    RolloutOptions rollout;
    rollout.name = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool flag = words[i] == "skip";
        const bool known = std::ranges::any_of(
            rollout_fields(), [&](const RolloutField& one) { return one.word == words[i]; });
        if (!known || (!flag && i + 1 >= words.size()))
            return fmt::format("a PhasedRollout has no \"{}\"", words[i]);
        const std::string& field = words[i];
        rollout.fields[field] = flag ? "true" : words[++i];
    }
    return problem_of(world.create_rollout(rollout));
}

Problem change_rollout(World& world, Words words) {
    const bool known = std::ranges::any_of(
        rollout_fields(), [&](const RolloutField& one) { return one.word == words[1]; });
    if (!known) return fmt::format("a PhasedRollout has no \"{}\"", words[1]);
    return problem_of(world.change_rollout(shop, words[0], words[1], words[2]));
}

Problem annotate_rollout(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    return problem_of(world.annotate(rollouts, shop, words[0], key, value));
}

// "force": somebody takes the finalizer away first.
Problem delete_rollout(World& world, Words words) {
    if (words.size() > 1 && words[1] == "force")
        world.merge(rollouts, shop, words[0],
                    json::object{{"metadata", json::object{{"finalizers", nullptr}}}});
    return problem_of(
        world.cluster.api().remove(rollouts, shop, words[0], admin, world.cluster.now()));
}

double value_of(const std::string& text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Inf") return std::numeric_limits<double>::infinity();
    return std::stod("0" + text);
}

Problem set_metric(World& world, Words words) {
    world.egress.prometheus.set(words[0], {}, value_of(words[1]));
    return std::nullopt;
}

Problem forget_metric(World& world, Words words) {
    world.egress.prometheus.forget(words[0]);
    return std::nullopt;
}

// A metric that is there and not there by turns.
Problem flap_metric(World& world, Words words) {
    const std::string& name = words[0];
    const Duration every = parse_duration(option(words, "every", "5s")).value_or(5s);
    const Duration length = parse_duration(option(words, "for", "2m")).value_or(2min);
    bool there = true;
    for (Duration at = 0s; at < length; at += every, there = !there)
        world.cluster.timeline().after(at, [&world, name, there] {
            if (there)
                world.egress.prometheus.set(name, {}, 1);
            else
                world.egress.prometheus.forget(name);
        });
    world.cluster.timeline().after(length,
                                   [&world, name] { world.egress.prometheus.forget(name); });
    return std::nullopt;
}

Problem prometheus(World& world, Words words) {
    using Mood = Prometheus::Mood;
    static const std::map<std::string, Mood> moods = {{"well", Mood::Well},
                                                      {"down", Mood::Down},
                                                      {"slow", Mood::Slow},
                                                      {"broken", Mood::Broken},
                                                      {"babbling", Mood::Babbling}};
    const auto mood = moods.find(words[0]);
    if (mood == moods.end()) return "Prometheus is well, down, slow, broken or babbling";
    world.egress.prometheus.mood = mood->second;
    return std::nullopt;
}

Problem prometheus_wants(World& world, Words words) {
    world.egress.prometheus.token = words[0] == "nothing" ? "" : words[0];
    return std::nullopt;
}

Problem put_secret(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    const std::string hosts = option(words, "for", "http://prom:9000");
    return problem_of(world.put_secret(shop, words[0], key, value, hosts));
}

Problem delete_secret(World& world, Words words) {
    return problem_of(
        world.cluster.api().remove("secrets", shop, words[0], admin, world.cluster.now()));
}

// What a reader of the status asks for, and where it stands.
struct StatusField {
    std::string_view word;
    std::string_view pointer;
};
constexpr StatusField status_fields[] = {
    {"phase", "/status/phase"},
    {"reason", "/status/reason"},
    {"message", "/status/message"},
    {"unblock", "/status/unblock"},
    {"guarantee", "/status/guarantee"},
    {"step", "/status/rollingPodStatus/status"},
    {"pod", "/status/rollout/pod"},
    {"updated", "/status/rollout/step"},
    {"failed-revision", "/status/failedRevision"},
    {"completed", "/status/rollout/completedAt"},
    {"tries", "/status/check/tries"},
    {"left", "/status/check/triesLeft"},
    {"successes", "/status/check/successes"},
    {"failures", "/status/check/failures"},
    {"result", "/status/check/lastResult"},
    {"value", "/status/check/lastValue"},
    {"index", "/status/currentStepIndex"},
    {"weight", "/status/rollout/weight"},
    {"aborted", "/status/aborted"},
    {"restarts", "/status/restartCount"},
    {"replicas", "/status/replicas"},
    {"updated-replicas", "/status/updatedReplicas"},
    {"commanded-abort", "/status/abort"},
    {"commanded-promotion", "/status/promoteFull"},
    {"promotion-seen", "/status/promoteFullGeneration"},
    {"commanded-restart", "/status/restart"},
    {"restart-at", "/spec/restartAt"},
    {"held", "/spec/paused"},
};

std::string plain_text(const json::value* value) {
    if (!value) return "absent";
    return value->is_string() ? std::string{value->get_string()} : json::serialize(*value);
}

// rollout NAME gone, rollout NAME FIELD VALUE|absent|present, rollout NAME says TEXT,
// rollout NAME condition TYPE STATUS [REASON]
Seen rollout(const World& world, Words words) {
    const ObjectPtr object = world.rollout(shop, words[0]);
    if (words[1] == "gone") return object ? Seen{"it is still there"} : Seen{};
    if (!object) return "it is gone";
    if (words.size() < 3) return "a sight that says too little";
    if (words[1] == "condition") {
        const auto* found = condition(object_at(object->object(), "/status"), words[2]);
        if (!found) return "no such condition";
        std::string text = text_at(*found, "/status");
        if (words.size() > 4) text += " " + text_at(*found, "/reason");
        return unless_same(joined(words.subspan(3)), text);
    }
    const std::string_view word = words[1] == "says" ? "message" : std::string_view{words[1]};
    const auto* field = std::ranges::find(status_fields, word, &StatusField::word);
    if (field == std::end(status_fields)) return fmt::format("no such field: {}", words[1]);
    const std::string found = plain_text(find(object->object(), field->pointer));
    const std::string wanted = joined(words.subspan(2));
    if (words[1] == "says" || words[1] == "unblock")
        return found.find(wanted) != std::string::npos ? Seen{} : Seen{found};
    if (wanted == "present") return found != "absent" ? Seen{} : Seen{"nothing"};
    return unless_same(wanted, found);
}

Seen asked_prometheus(const World& world, Words words) {
    return unless_same(words[0], std::to_string(world.egress.metric_calls().size()));
}

Seen asked_prometheus_at_least(const World& world, Words words) {
    const std::size_t count = world.egress.metric_calls().size();
    return count >= static_cast<std::size_t>(number(words[0])) ? Seen{}
                                                               : Seen{std::to_string(count)};
}

Seen no_event(const World& world, Words words) {
    for (const ObjectPtr& one : world.cluster.api().list("events", shop))
        if (text_at(one->object(), "/involvedObject/name") == words[0] &&
            text_at(one->object(), "/reason") == words[1])
            return text_at(one->object(), "/message");
    return std::nullopt;
}

constexpr Action action_table[] = {
    {"phasedrollout",
     "NAME target SET [delay 30s] [period 30s] [threshold 3] [tries N] [failures N] [on-failure "
     "Rollback] [deadline TIME] [success-on Data] [expr \"...\"] [url URL] [secret NAME] [skip]",
     3, create_rollout},
    {"change", "NAME FIELD VALUE|none", 3, change_rollout},
    {"annotate phasedrollout", "NAME KEY=VALUE|KEY-", 2, annotate_rollout},
    {"delete phasedrollout", "NAME [force]", 1, delete_rollout},
    {"metric", "NAME VALUE|NaN|Inf", 2, set_metric},
    {"forget metric", "NAME", 1, forget_metric},
    {"flap metric", "NAME [every TIME] [for TIME]", 1, flap_metric},
    {"prometheus", "well|down|slow|broken|babbling", 1, prometheus},
    {"prometheus wants", "TOKEN|nothing", 1, prometheus_wants},
    {"secret", "NAME KEY=VALUE [for HOSTS]", 2, put_secret},
    {"delete secret", "NAME", 1, delete_secret},
};

constexpr Sight sight_table[] = {
    {"rollout",
     "NAME gone | says TEXT | condition TYPE STATUS [REASON] | FIELD VALUE|absent|present, where "
     "FIELD is phase, reason, step, pod, updated, tries, left, successes, failures, result, value, "
     "failed-revision, completed, guarantee, unblock, message, or of a RolloutPlugin index, "
     "weight, "
     "aborted, restarts, replicas, updated-replicas, commanded-abort, commanded-promotion, "
     "promotion-seen, "
     "commanded-restart, restart-at or held, which is spec.paused",
     2, true, rollout},
    {"prometheus asked", "NUMBER", 1, false, asked_prometheus},
    {"prometheus asked at least", "NUMBER", 1, false, asked_prometheus_at_least},
    {"no event", "NAME REASON", 2, true, no_event},
};

}  // namespace

std::span<const Action> rollout_actions() {
    return action_table;
}

std::span<const Sight> rollout_sights() {
    return sight_table;
}

}  // namespace sluice::sim
