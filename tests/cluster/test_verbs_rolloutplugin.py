"""The verbs on RolloutPlugins, whose status the test writes: each patch as the original's users
write it, and every refusal."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from definitions import serve
from harness.api import Api, Object
from harness.workloads import create_ready, statefulset
from test_verbs import Person, person, rights, rows

KIND, NAME, TITLE = "RolloutPlugin", "canary", "rolloutplugin/canary"
START = "2026-01-01T00:00:00Z"
UNDER_WAY = {"phase": "Progressing", "currentStepIndex": 0, "rolloutInProgress": True,
             "currentRevision": "web-a", "updatedRevision": "web-b"}
AT_PAUSE = {**UNDER_WAY, "phase": "Paused", "currentStepIndex": 1, "controllerPause": True,
            "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": START}]}
ABORTED = {**UNDER_WAY, "phase": "Failed", "rolloutInProgress": False, "aborted": True,
           "abortedRevision": "web-b", "abortedAt": START}
HEALTHY = {"phase": "Healthy", "currentRevision": "web-a", "updatedRevision": "web-a"}


@pytest.fixture(scope="module", autouse=True)
def definition(api: Api) -> None:
    serve(api, "rolloutplugins.argoproj.io", KIND)


@pytest.fixture
def rollout(api: Api, namespace: str) -> None:
    create_ready(api, statefulset("web", namespace, 1))
    api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": KIND,
                "metadata": {"name": NAME, "namespace": namespace},
                "spec": {"workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet",
                                         "name": "web"},
                         "plugin": {"name": "statefulset"},
                         "strategy": {"canary": {"steps": [
                             {"setWeight": 20}, {"pause": {"duration": "5m"}},
                             {"setWeight": 60}, {"pause": {}}]}}}})


def stands(api: Api, namespace: str, status: Object, paused: bool | None = None) -> Object:
    """Puts the rollout there; what it is then."""
    if paused is not None:
        api.patch(KIND, NAME, {"spec": {"paused": paused}}, namespace)
    whole = api.get(KIND, NAME, namespace)
    return api.replace({**whole, "status": status}, subresource="status")


def changed(before: Object, after: Object) -> dict[str, Any]:
    """The fields of spec and status that differ, as they are now; None: gone."""
    return {f"{part}.{key}": after.get(part, {}).get(key)
            for part in ("spec", "status")
            for key in {**before.get(part, {}), **after.get(part, {})}
            if before.get(part, {}).get(key) != after.get(part, {}).get(key)}


WRITES: list[tuple[str, Object, bool, dict[str, Any], str]] = [
    ("promote", AT_PAUSE, False, {"status.pauseConditions": None, "status.paused": False},
          "is promoted: the pause of this step is over, and the next step begins."),
    ("promote", AT_PAUSE, True, {"status.pauseConditions": None, "status.paused": False},
          "spec.paused still holds the rollout until you resume it."),
    ("promote --full", AT_PAUSE, False, {"status.promoteFull": True}, "is promoted in full: "),
    ("promote --full", UNDER_WAY, False, {"status.promoteFull": True}, "is promoted in full: "),
    ("pause", UNDER_WAY, False, {"spec.paused": True}, "is paused: nothing more is updated"),
    ("pause", HEALTHY, False, {"spec.paused": True}, "the next rollout waits until you resume"),
    ("resume", UNDER_WAY, True, {"spec.paused": False}, "goes on from where it stood."),
    ("resume", AT_PAUSE, False, {"status.pauseConditions": None, "status.paused": False},
          "the pause of its step is over, and the next step begins."),
    ("resume", AT_PAUSE, True, {"status.pauseConditions": None, "status.paused": False,
                                "spec.paused": False}, "the next step begins."),
    ("abort", UNDER_WAY, False, {"status.abort": True}, "is aborted: its gate closes"),
    ("abort", AT_PAUSE, True, {"status.abort": True}, "is aborted: its gate closes"),
    ("retry", ABORTED, False, {"status.restart": True}, "tries again: "),
]

REFUSALS: list[tuple[str, Object, bool, str]] = [
    ("promote", UNDER_WAY, False, "is not paused at a step"),
    ("promote", UNDER_WAY, True, "is not paused at a step"),
    ("promote", {**AT_PAUSE, "paused": False}, False, "is not paused at a step"),
    ("promote --full", HEALTHY, False, "has no rollout under way: its phase is Healthy."),
    ("promote --full", ABORTED, False, "was aborted; retry it first."),
    ("promote --full", {**UNDER_WAY, "promoteFull": True}, False, "already"),
    ("promote --full", {**UNDER_WAY, "abort": True}, False, "is about to be aborted."),
    ("pause", UNDER_WAY, True, "is paused already; resume lets it go on."),
    ("resume", UNDER_WAY, False, "is not paused: its phase is Progressing."),
    ("abort", HEALTHY, False, "has no rollout under way: its phase is Healthy."),
    ("abort", {}, False, "the operator has not reported on it yet."),
    ("abort", ABORTED, False, "was aborted already; retry starts it again."),
    ("abort", {**UNDER_WAY, "abort": True}, False, "was asked to abort already."),
    ("retry", UNDER_WAY, False, "was not aborted, so there is nothing to retry"),
    ("retry", {**ABORTED, "restart": True}, False, "was asked to retry already."),
]


def test_every_verb_writes_what_the_original_reads(api, namespace, rollout, person: Person):
    for verb, status, paused, wanted, sentence in WRITES:
        before = stands(api, namespace, status, paused)
        said = person.does(*verb.split(), TITLE)
        assert said.startswith(TITLE) and sentence in said, verb
        after = api.get(KIND, NAME, namespace)
        assert changed(before, after) == wanted, verb
        managers = {field["manager"] for field in after["metadata"]["managedFields"]}
        assert "sluice" in managers


def test_every_refusal_changes_nothing(api, namespace, rollout, person: Person):
    for verb, status, paused, sentence in REFUSALS:
        before = stands(api, namespace, status, paused)
        said = person.is_refused(*verb.split(), "rp/canary")
        assert said.startswith(TITLE) and sentence in said, verb
        assert api.get(KIND, NAME, namespace) == before, verb


def test_get_and_explain_tell_the_step(api, namespace, rollout, person: Person):
    assert rows(person.does("get"))[1] == ["rolloutplugin", NAME, "sts/web", "-", "-", "-", "-"]
    stands(api, namespace, AT_PAUSE)
    head, row = rows(person.does("get", "web"))
    assert head == ["API", "NAME", "WORKLOAD", "PHASE", "STEP", "WAITS-FOR", "SINCE"]
    assert row[:6] == ["rolloutplugin", NAME, "sts/web", "Paused", "2/4", "CanaryPauseStep"]
    text = person.does("explain", "web")
    assert f"{TITLE} in namespace {namespace}, for sts/web\n" in text
    assert "  step        2 of 4: pause for 5m, then setWeight 60\n" in text
    flags = f"{TITLE} -n {namespace} --kubeconfig {person.kubeconfig}"
    assert person.hints(NAME) == [f"sluice {verb} {flags}" for verb in (
        "promote", "promote --full", "pause", "resume", "abort")]
    stands(api, namespace, {**ABORTED, "message": "bad\x1b[2J\u202enews"})
    assert "\x1b" not in person.does("explain", NAME) + person.does("get", "-o", "wide")
    [item] = json.loads(person.does("get", "-o", "json"))["items"]
    assert (item["phase"], item["pending"]) == ("Failed", True)
    assert person.hints(NAME)[-1].startswith(f"sluice retry {TITLE}")


def test_nobody_is_overwritten_who_writes_at_the_same_time(api, namespace, rollout,
                                                           person: Person):
    """A verb that is overtaken looks again; it is carried out as a whole, or it says that not."""
    stands(api, namespace, UNDER_WAY)
    written, is_over = [0], threading.Event()

    def write() -> None:
        while not is_over.is_set():
            written[0] += 1
            api.annotate(KIND, NAME, namespace, {"other": str(written[0])})

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        for verb, paused in [("pause", True), ("resume", False)] * 3:
            done = person.types(verb, NAME)
            now = api.get(KIND, NAME, namespace)["spec"].get("paused", False)
            if done.returncode == 0:
                assert now == paused
            else:
                assert "Try again." in done.stderr or "paused" in done.stderr
        is_over.set()
        writing.result()
    assert api.get(KIND, NAME, namespace)["metadata"]["annotations"]["other"] == str(written[0])
