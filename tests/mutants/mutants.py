"""Mutants of our own code: one small mistake each, and the promise that it must be caught by.

A mutant is the source file with one piece of text replaced. `scenarios` are played first; random
worlds follow. Where the text is no longer there the table is out of date, which is a failure.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    promise: str
    file: str
    text: str
    instead: str
    scenarios: tuple[str, ...] = ("a-rollout-of-three-pods",)


MUTANTS = (
    Mutant("S1", "engine/gates.cpp", "if (evidence.allowed && now - evidence.at",
           "if (now - evidence.at", ("a-hook-that-refuses-holds-the-next-pod",)),
    Mutant("S2", "engine/gates.cpp", "if (available || (pod && exempt)) continue;",
           "if (pod && (available || exempt || true)) continue;",
           ("a-new-pod-that-crashes-holds-the-rollout",)),
    Mutant("S3", "controller/carry_out.cpp", "encode(fence_)",
           "encode(model::Fence{fence_.lease, fence_.transitions - "
           "static_cast<std::int64_t>(last_ticket_)})", ("both-operators-crash",)),
    Mutant("S4", "engine/steering.cpp", "    memory.partition = to;\n", ""),
    Mutant("S5", "engine/steering.cpp",
           "const Partition to = partition_for(target, set().replicas);",
           "const Partition to{std::max(0, partition_for(target, set().replicas).value - 1)};"),
    Mutant("S6", "engine/gates.cpp",
           "if (seen.evidence && seen.evidence->key == probe.key && "
           "seen.evidence->binding == probe.binding)", "if (seen.evidence)",
           ("a-template-changed-twice-in-a-second", "a-pod-deleted-again-and-again")),
    Mutant("S8", "model/workload_patch.cpp",
           'ops.push_back(operation("test", "/metadata/uid", json::string(uid_)));', ""),
    Mutant("S9", "controller/carry_out.cpp",
           "if (doubted && !confirmed) return read(key, intended);", ""),
    Mutant("S10", "model/workload_patch.cpp", "    return json::serialize(ops);",
           '    if (partition_to_) ops.push_back(operation("add", "/spec/minReadySeconds", 1));\n'
           "    return json::serialize(ops);", ("the-label-added-without-policies",)),
    Mutant("S14", "api/inquiry/text.cpp",
           'constexpr std::string_view mark = "[redacted]";',
           'constexpr std::string_view mark = "[redacted]";\n    if (mark.size() > 0) return;',
           ("a-refusal-that-repeats-the-token-is-redacted",)),
    Mutant("S17", "model/workload_patch.cpp", "    return json::serialize(ops);",
           '    ops.push_back(operation("add", "/metadata/finalizers", '
           'json::array{"sluice.dev/x"}));\n'
           "    return json::serialize(ops);", ("the-label-added-without-policies",)),
    Mutant("S21", "api/pilot/compile.cpp", "if (!plan.steps.empty())", "if (false)"),
    Mutant("S23", "model/statefulset.cpp",
           "return set.observed_generation >= set.meta.generation && !set.update_revision.empty();",
           "return !set.update_revision.empty();",
           ("a-stopped-statefulset-controller-in-mid-rollout",)),
    Mutant("S24", "engine/steering.cpp", "    if (is_paused(set()))", "    if (false)",
           ("paused-in-mid-rollout",)),
    Mutant("L1", "engine/steering.cpp", "    decision.wake_at = held.until;\n", "",
           ("a-hook-that-refuses-holds-the-next-pod",)),
    Mutant("L2", "runtime/store.cpp", "if (packed.version >= set.meta.resource_version) return {};",
           "if (packed.version > 0 && set.replicas.value > 0) return {};"),
    Mutant("L5", "engine/steering.cpp",
           'if (at_rest && reported) return wait_silently(Phase::Idle, Reason::Idle, "");',
           "if (at_rest && reported) {\n"
           "        Decision noisy = wait(Phase::Idle, Reason::Idle, to_rfc3339(now_));\n"
           "        noisy.wake_at = now_ + 60s;\n"
           "        return noisy;\n"
           "    }"),
    Mutant("L6", "engine/steering.cpp", "constexpr Duration correction_pace = 33s;",
           "constexpr Duration correction_pace = 3s;", ("sluice-does-not-fight-a-rewriter",)),
)
