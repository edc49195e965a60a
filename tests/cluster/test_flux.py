"""The health expressions of config/flux, evaluated by the library that Flux has, on objects as
Sluice leaves them. They need no control plane, but the Go that builds one."""

from __future__ import annotations

import json
import subprocess
from typing import Any, NamedTuple

import pytest
import yaml

from harness.places import REPOSITORY

KUSTOMIZATION = yaml.safe_load((REPOSITORY / "config/flux/health.yaml").read_text())
EXPRESSIONS = {one["kind"]: {word: one[word] for word in ("failed", "current")}
               for one in KUSTOMIZATION["spec"]["healthCheckExprs"]}
GENERATION = 2


class Case(NamedTuple):
    kind: str
    status: dict[str, Any] | None
    wanted: str


def phased(phase: str, wanted: str, seen: int = GENERATION) -> Case:
    return Case("PhasedRollout", {"phase": phase, "observedGeneration": seen}, wanted)


def plugin(phase: str, completed: str, wanted: str, seen: int = GENERATION) -> Case:
    conditions = [{"type": "Healthy", "status": "True"}, {"type": "Completed", "status": completed}]
    return Case("RolloutPlugin", {"phase": phase, "observedGeneration": seen,
                                  "conditions": conditions}, wanted)


def run(phase: str, wanted: str) -> Case:
    return Case("AnalysisRun", {"phase": phase}, wanted)


def told(kind: str, phase: str, reason: str, wanted: str, seen: int = GENERATION) -> Case:
    return Case(kind, {"phase": phase, "reason": reason, "observedGeneration": seen}, wanted)


def cluster(*said: Any, **more: Any) -> Case:
    return told("StatefulCluster", *said, **more)


def extended(*said: Any, **more: Any) -> Case:
    return told("ExtendedStatefulSet", *said, **more)


def job(*said: Any, **more: Any) -> Case:
    return told("ExtendedJob", *said, **more)


CASES = (
    phased("Updated", "Current"), phased("Suspended", "Current"), phased("Rolling", "InProgress"),
    phased("RollingBack", "InProgress"), phased("Failed", "Failed"), phased("RolledBack", "Failed"),
    phased("ErrorSTSNotFound", "Failed"), phased("ErrorCannotManage", "Failed"),
    phased("Updated", "InProgress", seen=1), phased("Failed", "InProgress", seen=1),
    plugin("Healthy", "True", "Current"), plugin("Successful", "True", "Current"),
    plugin("Progressing", "False", "InProgress"), plugin("Paused", "False", "InProgress"),
    plugin("Paused", "True", "Current"),  # at rest
    plugin("Failed", "False", "Failed"), plugin("Successful", "True", "InProgress", seen=1),
    run("Pending", "InProgress"), run("Running", "InProgress"), run("Successful", "Current"),
    run("Failed", "Failed"), run("Error", "Failed"), run("Inconclusive", "Failed"),
    cluster("Ready", "Idle", "Current"), cluster("Scaling", "MembersStarting", "InProgress"),
    cluster("Updating", "HookRefused", "InProgress"), cluster("Held", "Paused", "InProgress"),
    cluster("Held", "ChecksExhausted", "Failed"), cluster("Blocked", "InvalidSpec", "Failed"),
    cluster("Ready", "Idle", "InProgress", seen=1),
    extended("Ready", "RolloutCompleted", "Current"), extended("Ready", "Idle", "Current"),
    extended("Updating", "CheckFailed", "InProgress"), extended("Held", "Paused", "InProgress"),
    extended("Held", "RollingBack", "InProgress"), extended("Held", "RolledBack", "Failed"),
    extended("Held", "ChecksExhausted", "Failed"), extended("Held", "JobFailed", "Failed"),
    extended("Held", "AnalysisRunFailed", "Failed"), extended("Held", "AnalysisRunError", "Failed"),
    extended("Blocked", "VolumesUnguarded", "Failed"),
    extended("Ready", "Idle", "InProgress", seen=1),
    job("Idle", "Idle", "Current"), job("Running", "RunUnderWay", "InProgress"),
    job("Held", "RunHeld", "InProgress"), job("Succeeded", "RunSucceeded", "Current"),
    job("Failed", "RunFailed", "Failed"), job("Blocked", "InvalidSpec", "Failed"),
    job("Succeeded", "RunSucceeded", "InProgress", seen=1),
    # Nobody has reported yet. Flux has no words for a field at the top that may be missing; it
    # waits for what is Unknown.
    *(Case(kind, {}, "InProgress") for kind in EXPRESSIONS),
    *(Case(kind, None, "Unknown") for kind in EXPRESSIONS),
)


def question(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = {"metadata": {"name": "web", "generation": GENERATION}}
    if case.status is not None:
        found["status"] = case.status
    return {**EXPRESSIONS[case.kind], "object": found}


@pytest.fixture(scope="module")
def outcomes() -> dict[int, str]:
    asked = json.dumps([question(case) for case in CASES])
    done = subprocess.run([REPOSITORY / "tools/flux/health"], input=asked, capture_output=True,
                          text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    return dict(enumerate(done.stdout.split()))


@pytest.mark.parametrize("number", range(len(CASES)),
                         ids=[f"{case.kind}-{case.wanted}" for case in CASES])
def test_flux_waits_for_rollouts_and_fails_with_them(outcomes: dict[int, str],
                                                     number: int) -> None:
    assert outcomes[number] == CASES[number].wanted, CASES[number]
