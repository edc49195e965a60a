"""PhasedRollout against people who mean harm, hands that slip, and crowds."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from harness import hookserver
from harness.api import Api
from harness.hookserver import Answer, HookServer
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_A, IMAGE_B, change_image, statefulset
from phased_world import (CLOSED, FINALIZER, KIND, NAME, SET, Stories, Story, release_all, running,
                          world)

TOKEN = "canary-token-31337"
HOSTS = "sluice.dev/allowed-hosts"
EMPTY = {"resultType": "vector", "result": []}
STORIES = Stories()


def holds(s: Story, answer: Answer, words: str) -> None:
    """A Prometheus that answers like this holds the first pod, and the status says why."""
    with HookServer() as server:
        server.answer(answer)
        s.begin(1, url=server.url)
        s.change(IMAGE_B)
        told = s.wait_for_phase("Rolling", "PrometheusError")
        assert words in told["message"]
        assert told["check"]["lastResult"] == "Error" and told["check"]["tries"] == 0
        assert s.is_untouched(1)


@STORIES.add
def a_redirect_is_not_followed(s: Story) -> None:
    with HookServer() as elsewhere:
        elsewhere.answer(hookserver.json_answer({"status": "success", "data": EMPTY}))
        holds(s, hookserver.redirect(elsewhere.url + "/api/v1/query", 307), "redirects")
        assert elsewhere.requests == []


@STORIES.add
def an_answer_without_end_is_cut(s: Story) -> None:
    holds(s, hookserver.huge(100 << 20, b'{"status":"success"'), "larger than")
    assert s.world.operator.metrics()["process_resident_memory_bytes"] < 64e6


@STORIES.add
def an_empty_answer_with_a_warning_is_no_pass(s: Story) -> None:
    holds(s, hookserver.json_answer({"status": "success", "data": EMPTY,
                                     "warnings": ["store unavailable"]}), "incomplete")


@STORIES.add
def an_error_that_says_success_is_no_pass(s: Story) -> None:
    holds(s, hookserver.json_answer({"status": "success", "data": EMPTY}, status=503), "503")


@STORIES.add
def link_local_addresses_are_not_asked(s: Story) -> None:
    s.begin(1, url="169.254.169.254")
    s.change(IMAGE_B)
    told = s.wait_for_phase("Rolling", "PrometheusConfigError")
    assert "link-local" in told["message"]
    s.change_spec({"check": {"query": {"url": "http://[::ffff:169.254.169.254]:80"}}})
    s.wait_for("the other spelling", lambda seen: "::ffff:" in seen["message"])
    assert s.is_untouched(1)


@STORIES.add
def a_secret_stays_with_the_hosts_that_it_lists(s: Story) -> None:
    s.let_secrets_be_read()
    s.create_secret("theirs", {HOSTS: "prom.example.com"}, token=TOKEN)
    with HookServer() as thief:
        thief.answer(s.world.prometheus.forward)
        s.begin(1, url=thief.url, secretRef="theirs")
        s.change(IMAGE_B)
        told = s.wait_for_phase("Rolling", "PrometheusConfigError")
        assert HOSTS in told["message"] and TOKEN not in json.dumps(told)
        assert thief.requests == []
        s.api.annotate("Secret", "theirs", s.namespace, {HOSTS: f"http://127.0.0.1:{thief.port}"})
        s.wait_until_complete(IMAGE_B, 1)
        assert thief.requests[0].headers["Authorization"] == f"Bearer {TOKEN}"


@STORIES.add
def a_secret_that_may_not_be_read_is_named_with_the_cure(s: Story) -> None:
    s.create_secret("ours", token=TOKEN)
    s.begin(1, secretRef="ours")
    s.change(IMAGE_B)
    told = s.wait_for_phase("Rolling", "PrometheusConfigError")
    assert "sluice-secret-reader" in told["message"]


@STORIES.add
def a_status_that_was_edited_by_hand_proves_nothing(s: Story) -> None:
    s.begin()
    s.trouble(1)
    s.change(IMAGE_B)
    seen = s.wait_for_phase("Rolling", "CheckFailed")
    forged = {**seen, "phase": "Updated", "conditions": [],
              "check": {**seen["check"], "successes": 1000, "lastResult": "Passed"}}
    s.api.patch(KIND, NAME, {"status": forged}, s.namespace, subresource="status")
    s.wait_for("the truth", lambda seen: seen["phase"] == "Rolling"
               and seen["check"]["successes"] == 0 and seen["conditions"])
    s.api.patch(KIND, NAME, {"status": None}, s.namespace, subresource="status")
    s.wait_for_phase("Rolling", "CheckFailed")
    stays("no pod goes", s.is_untouched, bool, seconds=2)


@STORIES.add
def a_claim_of_nobody_is_released_where_it_stands(s: Story) -> None:
    s.create_set(partition=2)
    strange = {"sluice.dev/claim": "phasedrollout/no body", "sts.plus/phasedRollout": 'n"o\nb{}',
               "sluice.dev/rollout": "[{]", "sluice.dev/fence": "x"}
    s.api.annotate("StatefulSet", SET, s.namespace, strange)
    wait_for("the claim to be gone", s.annotations, lambda seen: not set(strange) & set(seen),
             pause=0.2)
    assert s.partition() == 2


@STORIES.add
def forged_annotations_do_not_open_the_gate(s: Story) -> None:
    s.begin()
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Rolling", "CheckFailed")
    memory = json.loads(s.annotations()["sluice.dev/rollout"])
    for forged in ({**memory, "partition": 0}, {**memory, "open": False},
                   {**memory, "uid": "another"}, {**memory, "generation": 10**15}, ["?"]):
        s.api.annotate("StatefulSet", SET, s.namespace, {"sluice.dev/rollout": json.dumps(forged)})
        stays("the gate stays shut", s.is_untouched, bool, seconds=0.5)
    for claim in ("phasedrollout/nobody", "pilot/web", ""):
        s.api.annotate("StatefulSet", SET, s.namespace, {"sluice.dev/claim": claim})
        wait_for("the claim to be put right", s.annotations,
                 lambda seen: seen.get("sluice.dev/claim") == f"phasedrollout/{NAME}", pause=0.2)
    # Somebody that this operator does not know may be at work: it keeps away and says so.
    s.api.annotate("StatefulSet", SET, s.namespace, {"sluice.dev/claim": "x" * 300})
    told = s.wait_for_phase("ErrorCannotManage", "ClaimedByOther")
    assert len(told["message"]) < 200
    assert s.is_untouched()
    s.api.annotate("StatefulSet", SET, s.namespace, {"sluice.dev/claim": None})
    s.trouble(0)
    s.wait_until_complete(IMAGE_B)


@STORIES.add
def a_finalizer_that_was_removed_comes_back(s: Story) -> None:
    s.begin()
    s.api.patch(KIND, NAME, {"metadata": {"finalizers": ["somebody/else"]}}, s.namespace)
    wait_for("the finalizer to be back", lambda: s.get()["metadata"].get("finalizers"),
             lambda seen: seen == ["somebody/else", FINALIZER], pause=0.2)
    s.api.patch(KIND, NAME, {"metadata": {"finalizers": [FINALIZER]}}, s.namespace)


@STORIES.add
def a_vanished_phasedrollout_leaves_the_set_frozen(s: Story) -> None:
    s.begin()
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Rolling", "CheckFailed")
    # Deleted and stripped of its finalizer in one breath, before the operator can let go.
    s.world.operator.sigstop()
    try:
        s.api.delete(KIND, NAME, s.namespace)
        s.api.patch(KIND, NAME, {"metadata": {"finalizers": None}}, s.namespace)
    finally:
        s.world.operator.sigcont()
    wait_for("the claim to be gone", s.annotations,
             lambda seen: "sluice.dev/claim" not in seen, pause=0.2)
    assert s.is_untouched()


@STORIES.add
def an_invalid_spec_holds_what_it_steers(s: Story) -> None:
    s.begin()
    s.change_spec({"check": {"query": {"url": "2852039166"}}})
    told = s.wait_for_phase("ErrorCannotManage", "InvalidSpec")
    assert "spec.check.query.url" in told["message"]
    s.change(IMAGE_B)
    wait_for("the gate to be closed", s.partition, lambda seen: seen == CLOSED, pause=0.2)
    assert s.images() == [IMAGE_A] * 3
    s.change_spec({"check": {"query": {"url": s.world.prometheus.url}}})
    s.wait_until_complete(IMAGE_B)


@pytest.mark.parametrize("name", STORIES)
def test_story(running: dict[str, Future], name: str) -> None:
    running[name].result()


CROWD = 200
HANGING = 20


def test_two_hundred_rollouts_do_not_starve_each_other(world: World, api: Api, operator,
                                                       hook: HookServer) -> None:
    """Twenty of them ask a Prometheus that never answers; the others all finish."""
    hook.answer(hookserver.hang())
    namespaces = [f"crowd-{n}" for n in range(5)]
    for namespace in namespaces:
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    one = operator("--allow-local-metrics", *(f"--namespace={ns}" for ns in namespaces))

    def home(n: int) -> str:
        return namespaces[0] if n < HANGING else namespaces[1 + n % 4]

    def create(n: int) -> None:
        name = f"web-{n}"
        api.create(statefulset(name, home(n), 2, pod_management_policy="Parallel", partition=2))
        api.create(Story(world, home(n)).rollout(
            name, targetRef=name, successThreshold=1, expr="vector(0) > 0",
            url=hook.url if n < HANGING else world.prometheus.url))

    def updated(folders: list[str]) -> list[int]:
        """How many pods of each set are on its newest revision; both, when it is at rest."""
        sets = [each for ns in folders for each in api.list("StatefulSet", ns)]
        return [each["status"].get("updatedReplicas", 0) for each in sets]

    def gates(folders: list[str]) -> list[int]:
        """The partitions: 1000000 before the first pod is let go, 2 when all is over."""
        sets = [each for ns in folders for each in api.list("StatefulSet", ns)]
        return [each["spec"]["updateStrategy"]["rollingUpdate"]["partition"] for each in sets]

    def phases(folders: list[str]) -> list[str]:
        return [each.get("status", {}).get("phase", "") for ns in folders
                for each in api.list(KIND, ns)]

    def change(n: int) -> None:
        change_image(api, home(n), f"web-{n}", IMAGE_B)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(create, range(CROWD)))
        wait_for("all to be at rest", lambda: updated(namespaces),
                 lambda seen: seen == [2] * CROWD, 300, pause=0.5)
        wait_for("all to be steered", lambda: phases(namespaces),
                 lambda seen: seen == ["Updated"] * CROWD, 300, pause=0.5)
        one.sigstop()  # nobody has a head start; the policies close the gates meanwhile
        list(pool.map(change, range(CROWD)))
        one.sigcont()
    half = wait_for("half of them to be over", lambda: gates(namespaces[1:]),
                    lambda seen: seen.count(2) >= len(seen) / 2, 300, pause=0.2)
    assert CLOSED not in half, "some have not begun while others are at the end"
    wait_for("all of them to be updated", lambda: updated(namespaces[1:]),
             lambda seen: seen == [2] * (CROWD - HANGING), 300, pause=0.5)
    wait_for("all of them to say so", lambda: phases(namespaces[1:]),
             lambda seen: seen == ["Updated"] * (CROWD - HANGING), 300, pause=0.5)
    assert updated(namespaces[:1]) == [0] * HANGING
    one.kill9()
    for namespace in namespaces:
        release_all(api, namespace)
        api.delete("Namespace", namespace)
