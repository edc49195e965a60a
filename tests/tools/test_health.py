"""The health checks of config/argocd, run by a real Lua, on objects as Sluice leaves them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHECKS = yaml.safe_load((ROOT / "config/argocd/health.yaml").read_text())["data"]


def in_lua(value: Any) -> str:
    """A value of JSON as Lua writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"[{json.dumps(key)}] = {in_lua(one)}"
                               for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ", ".join(map(in_lua, value)) + "}"
    return "nil" if value is None else json.dumps(value)


def health(kind: str, obj: dict[str, Any]) -> tuple[str, str]:
    check = CHECKS[f"resource.customizations.health.{kind}"]
    program = (f"local obj = {in_lua(obj)}\nlocal function check()\n{check}\nend\n"
               'local hs = check()\nprint(hs.status)\nprint(hs.message)\n')
    done = subprocess.run(["lua5.4", "-"], input=program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    status, message = done.stdout.splitlines()
    return status, message


def reported(phase: str | None, seen: int = 2, **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": "web", "generation": 2},
            "status": {"phase": phase, "observedGeneration": seen, "message": "why", **status}}


@pytest.mark.parametrize("phase, wanted", [
    ("Updated", "Healthy"), ("Rolling", "Progressing"), ("Suspended", "Suspended"),
    ("Failed", "Degraded"), ("RollingBack", "Degraded"), ("RolledBack", "Degraded"),
    ("ErrorSTSNotFound", "Degraded"), ("ErrorCannotManage", "Degraded"), (None, "Progressing")])
def test_a_phased_rollout(phase: str | None, wanted: str) -> None:
    assert health("sts.plus_PhasedRollout", reported(phase)) == (wanted, "why")


@pytest.mark.parametrize("phase, wanted", [
    ("Healthy", "Healthy"), ("Successful", "Healthy"), ("Progressing", "Progressing"),
    ("Paused", "Suspended"), ("Failed", "Degraded"), (None, "Progressing")])
def test_a_rollout_plugin(phase: str | None, wanted: str) -> None:
    assert health("argoproj.io_RolloutPlugin", reported(phase)) == (wanted, "why")


@pytest.mark.parametrize("phase, wanted", [
    ("Pending", "Progressing"), ("Running", "Progressing"), ("Successful", "Healthy"),
    ("Failed", "Degraded"), ("Error", "Degraded"), ("Inconclusive", "Degraded")])
def test_an_analysis_run(phase: str, wanted: str) -> None:
    assert health("argoproj.io_AnalysisRun", reported(phase)) == (wanted, "why")


CLUSTER, EXTENDED = "enge.me_StatefulCluster", "fissile.cloudfoundry.org_ExtendedStatefulSet"
JOB = "fissile.cloudfoundry.org_ExtendedJob"


@pytest.mark.parametrize("phase, reason, wanted", [
    ("Ready", "Idle", "Healthy"), ("Scaling", "MembersStarting", "Progressing"),
    ("Updating", "HookRefused", "Progressing"), ("Updating", "StepPaused", "Suspended"),
    ("Held", "PodsNotReady", "Progressing"), ("Held", "Paused", "Suspended"),
    ("Held", "ChecksExhausted", "Degraded"), ("Blocked", "InvalidSpec", "Degraded"),
    (None, None, "Progressing")])
def test_a_stateful_cluster(phase: str | None, reason: str | None, wanted: str) -> None:
    assert health(CLUSTER, reported(phase, reason=reason)) == (wanted, "why")


@pytest.mark.parametrize("phase, reason, wanted", [
    ("Ready", "RolloutCompleted", "Healthy"), ("Updating", "CheckFailed", "Progressing"),
    ("Updating", "StepPaused", "Suspended"), ("Updating", "AnalysisRunInconclusive", "Suspended"),
    ("Held", "Paused", "Suspended"), ("Held", "ConfigMissing", "Suspended"),
    ("Held", "RollingBack", "Degraded"), ("Held", "RolledBack", "Degraded"),
    ("Held", "ChecksExhausted", "Degraded"), ("Held", "JobFailed", "Degraded"),
    ("Held", "AnalysisRunFailed", "Degraded"), ("Held", "AnalysisRunError", "Degraded"),
    ("Blocked", "VolumesUnguarded", "Degraded"), (None, None, "Progressing")])
def test_an_extended_stateful_set(phase: str | None, reason: str | None, wanted: str) -> None:
    assert health(EXTENDED, reported(phase, reason=reason)) == (wanted, "why")


@pytest.mark.parametrize("phase, wanted", [
    ("Idle", "Healthy"), ("Running", "Progressing"), ("Succeeded", "Healthy"),
    ("Failed", "Degraded"), ("Held", "Suspended"), ("Blocked", "Degraded"), (None, "Progressing")])
def test_an_extended_job(phase: str | None, wanted: str) -> None:
    assert health(JOB, reported(phase)) == (wanted, "why")


@pytest.mark.parametrize("kind, done", [
    ("sts.plus_PhasedRollout", "Updated"), ("argoproj.io_RolloutPlugin", "Healthy"),
    (CLUSTER, "Ready"), (EXTENDED, "Ready"), (JOB, "Succeeded")])
def test_what_was_said_about_an_older_spec_does_not_count(kind: str, done: str) -> None:
    assert health(kind, reported(done))[0] == "Healthy"
    assert health(kind, reported(done, seen=1))[0] == "Progressing"
    assert health(kind, {"metadata": {"name": "web", "generation": 1}})[0] == "Progressing"


def test_a_pause_of_a_phased_rollout_is_one() -> None:
    paused = reported("Rolling", reason="Paused")
    assert health("sts.plus_PhasedRollout", paused)[0] == "Suspended"


def set_at(phase: str | None, ready: int = 3, **status: Any) -> dict[str, Any]:
    notes = {"sluice.dev/claim": "pilot/web", "sluice.dev/message": "why"}
    if phase:
        notes["sluice.dev/phase"] = phase
    return {"metadata": {"name": "web", "generation": 4, "annotations": notes},
            "spec": {"replicas": 3, "updateStrategy": {
                "type": "RollingUpdate", "rollingUpdate": {"partition": 1000000}}},
            "status": {"observedGeneration": 4, "readyReplicas": ready, "currentRevision": "a",
                       "updateRevision": "a", **status}}


@pytest.mark.parametrize("phase, wanted", [
    ("Idle", "Healthy"), ("Waiting", "Progressing"), ("Rolling", "Progressing"),
    ("Held", "Suspended"), ("Blocked", "Degraded")])
def test_a_set_that_sluice_steers(phase: str, wanted: str) -> None:
    assert health("apps_StatefulSet", set_at(phase))[0] == wanted


def test_a_set_that_is_not_done_does_not_look_done() -> None:
    for one in (set_at("Idle", ready=2), set_at("Idle", observedGeneration=3),
                set_at("Idle", updateRevision="b"), set_at(None, updateRevision="b")):
        assert health("apps_StatefulSet", one)[0] == "Progressing"


def test_a_set_that_somebody_else_keeps_at_a_partition_is_theirs() -> None:
    canary = set_at(None, updateRevision="b")
    canary["metadata"]["annotations"] = {}
    assert health("apps_StatefulSet", canary)[0] == "Healthy"
    canary["spec"]["updateStrategy"]["rollingUpdate"]["partition"] = 0
    assert health("apps_StatefulSet", canary)[0] == "Progressing"
