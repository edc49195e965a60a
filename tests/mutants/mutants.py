"""Mutants of our own code: one small mistake each, and the promise that it must be caught by.

A mutant is the source file with one piece of text replaced. `scenarios` are played first; random
worlds follow. What the simulator does not play, requests on their way to the API server, is judged
by the unit test that is named instead. Where the text is no longer there the table is out of date,
which is a failure.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    promise: str
    file: str
    text: str
    instead: str
    scenarios: tuple[str, ...] = ("a-rollout-of-three-pods",)
    request_test: str = ""


MUTANTS = (
    Mutant("S1", "engine/gates.cpp", "if (evidence.allowed && now - evidence.at",
           "if (now - evidence.at", ("a-hook-that-refuses-holds-the-next-pod",)),
    Mutant("S2", "engine/gates.cpp", "if (available || (pod && exempt)) continue;",
           "if (pod && (available || exempt || true)) continue;",
           ("a-new-pod-that-crashes-holds-the-rollout",)),
    Mutant("S3", "controller/carry_out.cpp",
           "decision.patch->annotate(model::key::fence, encode(fence_));",
           "decision.patch->annotate(model::key::fence, encode(model::Fence{fence_.lease, "
           "fence_.transitions - static_cast<std::int64_t>(last_ticket_)}));",
           ("both-operators-crash",)),
    Mutant("S3", "controller/controller.cpp", "if (!leads_ || draining_ ||", "if (draining_ ||",
           ("both-operators-crash",)),
    Mutant("S3", "kube/api_client.cpp", "const bool is_bound = owner->lead &&",
           "const bool is_bound = false &&",
           request_test="Requests.that_write_are_not_sent_by_who_no_longer_leads"),
    Mutant("S32", "controller/carry_out.cpp",
           "if (!decision.patch && decision.removal && !carries_fence(seen.workload))",
           "if (false)", ("phasedrollout/two-operators-and-a-rollback-under-the-second-one",)),
    Mutant("L1", "controller/watching.cpp", "if (seen.went_back || is_contradicted) {",
           "if (false) {", ("a-cluster-restored-from-a-backup-is-seen-anew",)),
    Mutant("L1", "runtime/watch_session.cpp",
           "if (is_smaller) page_size_ = std::max(1, page_size_ / 4);", "",
           ("broken-streams-and-pages-that-are-too-large",)),
    Mutant("L1", "controller/watching.cpp",
           "return one.is_synced() || one.is_given_up() || !covers(one.scope(), ns);",
           "return one.is_synced();",
           ("a-namespace-that-may-not-be-read-holds-up-no-other",)),
    Mutant("S4", "engine/steering.cpp", "    memory.partition = to;\n", ""),
    Mutant("S5", "engine/steering.cpp",
           "const Partition to = partition_for(step.target, set().replicas);",
           "const Partition to{std::max(0, "
           "partition_for(step.target, set().replicas).value - 1)};"),
    Mutant("S6", "engine/gates.cpp",
           "if (seen.evidence && seen.evidence->key == probe.key && "
           "seen.evidence->binding == probe.binding)", "if (seen.evidence)",
           ("a-template-changed-twice-in-a-second", "a-pod-deleted-again-and-again")),
    Mutant("S6", "engine/helm_others.cpp",
           "if (!pod || pod->revision != set().update_revision) break;", "",
           ("a-pod-lost-behind-a-raised-gate-asks-again",)),
    Mutant("S8", "model/workload_patch.cpp",
           'ops.push_back(operation("test", "/metadata/uid", json::string(uid_)));', ""),
    Mutant("S9", "controller/carry_out.cpp",
           "if (can_read && doubted && !confirmed) return read(seen, intent);", ""),
    Mutant("S10", "model/workload_patch.cpp", "    return json::serialize(ops);",
           '    if (partition_to_) ops.push_back(operation("add", "/spec/minReadySeconds", 1));\n'
           "    return json::serialize(ops);", ("the-label-added-without-policies",)),
    Mutant("S10", "api/analysis/decide.cpp", "    if (!is_served(object)) return decision;\n", "",
           ("analysisrun/one-that-is-not-for-us-is-left-alone",)),
    Mutant("S14", "api/inquiry/text.cpp",
           'constexpr std::string_view mark = "[redacted]";',
           'constexpr std::string_view mark = "[redacted]";\n    if (mark.size() > 0) return;',
           ("a-refusal-that-repeats-the-token-is-redacted",)),
    Mutant("S17", "model/workload_patch.cpp", "    return json::serialize(ops);",
           '    ops.push_back(operation("add", "/metadata/finalizers", '
           'json::array{"sluice.dev/x"}));\n'
           "    return json::serialize(ops);", ("the-label-added-without-policies",)),
    Mutant("S21", "api/pilot/compile.cpp", "if (plan.steps.empty()) return plan;",
           "if (!plan.steps.empty()) return plan;"),
    Mutant("S23", "model/statefulset.cpp",
           "return set.observed_generation >= set.meta.generation && !set.update_revision.empty();",
           "return !set.update_revision.empty();",
           ("a-stopped-statefulset-controller-in-mid-rollout",)),
    Mutant("S23", "model/workload_patch.cpp",
           'ops.push_back(operation("test", "/metadata/generation", generation_));', ""),
    Mutant("S24", "engine/steering.cpp",
           "    if (!course_.abort && is_paused(annotation(set(), key::paused)))",
           "    if (false)",
           ("paused-in-mid-rollout",)),
    Mutant("L1", "engine/steering.cpp", "    decision.wake_at = held.until;\n", "",
           ("a-hook-that-refuses-holds-the-next-pod",)),
    Mutant("L2", "runtime/store.cpp", "if (packed.version >= set.meta.resource_version) return {};",
           "if (packed.version > 0 && set.replicas.value > 0) return {};"),
    Mutant("L2", "runtime/watch_session.cpp",
           "if (object.key.name.empty() || scope_.kind != model::Kind::Custom)", "if (true)",
           ("analysisrun/one-that-is-too-large-keeps-no-other",)),
    Mutant("L5", "engine/steering.cpp",
           'if (at_rest && reported) return wait_silently(Phase::Idle, Reason::Idle, "");',
           "if (at_rest && reported) {\n"
           "        Decision noisy = wait(Phase::Idle, Reason::Idle, to_rfc3339(now_));\n"
           "        noisy.wake_at = now_ + 60s;\n"
           "        return noisy;\n"
           "    }"),
    Mutant("L6", "engine/helm_others.cpp", "constexpr Duration correction_pace = 33s;",
           "constexpr Duration correction_pace = 3s;", ("sluice-does-not-fight-a-rewriter",)),
    # The checks of PhasedRollouts, and the way back.
    Mutant("S1", "engine/metric_check.cpp",
           "(evidence.kind == MetricEvidence::Kind::Data) == gate.passes_on_data",
           "(evidence.kind == MetricEvidence::Kind::Data) != gate.passes_on_data",
           ("phasedrollout/a-failing-check-holds-the-next-pod-until-it-passes",)),
    Mutant("S1", "engine/metric_check.cpp",
           "progress.successes = passed ? progress.successes + 1 : 0;",
           "progress.successes += passed ? 1 : 0;",
           ("phasedrollout/a-flapping-metric-never-passes",)),
    Mutant("S1", "engine/steering.cpp", "const bool opens =\n",
           "const bool opens = true ||\n", ("the-label-removed-in-mid-rollout",)),
    Mutant("S27", "engine/gates.cpp", "if (gate.is_over) return Pass{};",
           "if (gate.is_over || !gate.length) return Pass{};",
           ("rolloutplugin/a-pause-without-a-time-waits-for-a-person",)),
    Mutant("S27", "api/rollout_plugin/compile.cpp", "replicas.value} * percent / 100;",
           "replicas.value} * std::min(percent + 20, 100) / 100;",
           ("rolloutplugin/the-walk-of-the-document",)),
    Mutant("S27", "engine/steering.cpp", "const bool is_same_list = memory.list == course_.list;",
           "const bool is_same_list = true;",
           ("rolloutplugin/other-steps-are-gone-through-from-their-first",)),
    Mutant("S24", "api/rollout_plugin/turn.cpp", "return spec && spec->paused ?",
           "return spec && spec->paused && spec->steps.empty() ?",
           ("rolloutplugin/spec-paused-holds-and-abort-wins",)),
    Mutant("S27", "engine/gates.cpp",
           "if (gate.state == State::Good || gate.is_accepted) return Pass{};",
           "if (gate.state != State::Bad) return Pass{};",
           ("rolloutplugin/a-successful-analysis-goes-on",)),
    Mutant("S29", "api/rollout_plugin/turn.cpp",
           "on.at.step >= on.spec->background->starting_step;", "true;",
           ("rolloutplugin/a-background-analysis-begins-at-its-step",)),
    Mutant("S29", "api/rollout_plugin/runs.cpp",
           "if (attention.background && spec.background && !runs.background)\n"
           "        return make_run(decision, seen, object, spec.background->call, std::nullopt, "
           "rollout);",
           "if (attention.background && spec.background && seen.owned.size() < 3)\n"
           "        return make_run(decision, seen, object, spec.background->call, std::nullopt, "
           "rollout + std::to_string(seen.owned.size()));",
           ("rolloutplugin/a-background-analysis-ends-with-its-rollout",)),
    Mutant("S30", "api/rollout_plugin/runs.cpp", "step == step_text(attention.reached));",
           "step == step_text(attention.step));",
           ("rolloutplugin/a-pod-unready-in-mid-analysis",)),
    Mutant("S30", "api/rollout_plugin/runs.cpp", "spec.history.successful,",
           "spec.history.successful - 1,", ("rolloutplugin/the-history-keeps-so-many-runs",)),
    Mutant("S31", "api/rollout_plugin/outside.cpp", "    if (!sight.verified)\n",
           "    if (!sight.verified && aim.weight == 0)\n",
           ("rolloutplugin/outside-a-weight-that-is-never-reached",)),
    Mutant("S31", "api/rollout_plugin/look.cpp",
           "so_far.sight.status.updated_revision == look.revision;", "true;",
           ("rolloutplugin/outside-a-new-revision-in-mid-rollout",)),
    Mutant("S25", "api/rollout_plugin/position.cpp", "(told.commands.abort || memory->returning);",
           "(told.commands.abort || told.pause.begun || memory->returning);",
           ("rolloutplugin/a-pause-without-a-time-waits-for-a-person",)),
    Mutant("S28", "api/rollout_plugin/position.cpp",
           "is_open && (told.commands.abort || memory->returning);",
           "is_open && memory->returning;", ("rolloutplugin/aborted-during-a-timed-pause",)),
    Mutant("S7", "engine/metric_check.cpp",
           "const Instant first = window + gate.initial_delay;",
           "const Instant first = window;",
           ("phasedrollout/the-initial-delay-comes-after-every-pod",)),
    Mutant("S7", "engine/metric_check.cpp", "if (is_unknown(gate, evidence)) {",
           "if (is_unknown(gate, evidence) && gate.passes_on_data) {",
           ("phasedrollout/a-prometheus-that-is-down-holds-the-rollout",)),
    Mutant("S7", "api/phased_rollout/decide.cpp",
           'return fmt::format("{:016x}", fnv1a(text));', 'return "always the same";',
           ("phasedrollout/the-threshold-is-lowered-in-mid-rollout",)),
    Mutant("S24", "api/phased_rollout/decide.cpp",
           "if (engine::is_paused(annotation_of(object, key::paused)))\n", "if (false)\n",
           ("phasedrollout/paused-by-annotating-the-phasedrollout",)),
    Mutant("S25", "engine/helm_back.cpp",
           "    for (PodIndex index{0}; index.value < row.count().value; ++index.value) {\n"
           "        const model::Pod* pod = row.at(index);\n"
           "        if (pod->revision",
           "    for (PodIndex index{row.count().value - 1}; index.value >= 0; --index.value) {\n"
           "        const model::Pod* pod = row.at(index);\n"
           "        if (pod->revision",
           ("phasedrollout/rollback-in-the-middle-newest-first",)),
    Mutant("S25", "engine/helm_back.cpp",
           "(leaves || excused || is_available(*pod, set().min_ready, now_));",
           "(leaves || excused || true);",
           ("phasedrollout/rollback-in-the-middle-newest-first",)),
    Mutant("S26", "api/phased_rollout/decide.cpp", "    if (holds)\n", "    if (!holds)\n",
           ("phasedrollout/deleted-at-rest-the-set-is-free",)),
    Mutant("L1", "engine/helm_back.cpp", "    memory.failed = true;\n", "",
           ("phasedrollout/rollback-in-the-middle-newest-first",)),
    Mutant("L1", "engine/steering.cpp", "parting == Parting::Open &&",
           "parting == Parting::Frozen &&",
           ("phasedrollout/deleted-at-rest-the-set-is-free",)),
)
