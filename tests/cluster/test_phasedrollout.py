"""PhasedRollout on a real control plane with a real Prometheus: what the document promises."""

from __future__ import annotations

import shlex
from concurrent.futures import Future

import pytest

from harness import hookserver
from harness.api import Object
from harness.failure import HarnessError
from harness.hookserver import Answer, HookServer, Request
from harness.places import REPOSITORY
from harness.prometheus import PASSWORD, USER, Prometheus
from harness.recorder import Recorder
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_A, IMAGE_B, IMAGE_C, statefulset
from phased_world import (CLOSED, KIND, NAME, SET, Stories, Story, deleted_pods, glass, partitions,
                          running, world)
from test_phasedrollout_crd import SAMPLE

STORIES = Stories()


@STORIES.add
def the_example_of_the_document(s: Story) -> None:
    name = "phasedrollout-sample"
    s.create_set()
    s.let_secrets_be_read()
    s.api.kubectl("-n", s.namespace, "apply", "-f", str(SAMPLE))
    s.wait_for_phase("Updated", name=name)
    assert s.partition() == 3
    assert s.annotations()["sts.plus/phasedRollout"] == name
    assert s.annotations()["sluice.dev/claim"] == f"phasedrollout/{name}"
    s.api.kubectl("-n", s.namespace, "annotate", "secret", "prom-secret",
                  "sluice.dev/allowed-hosts=http://127.0.0.1")
    s.change_spec({"check": {"query": {"url": s.world.prometheus.address}}}, name)
    s.change(IMAGE_B)
    waiting = s.wait_for_phase("Rolling", "InitialDelay", name)
    assert waiting["rollingPodStatus"]["status"] == "WaitForInitialDelay"
    assert waiting["check"]["startsAt"] > waiting["rollout"]["startedAt"]
    # up{} returns data while Prometheus is alive; as with an alert, that is a failed check.
    failed = s.wait_for_phase("Rolling", "CheckFailed", name)
    assert (failed["check"]["tries"], failed["check"]["triesLeft"]) == (1, 9)
    assert failed["check"]["lastTime"] >= waiting["check"]["startsAt"]
    assert s.is_untouched()
    s.change_spec({"check": {"initialDelaySeconds": 1, "periodSeconds": 1,
                             "query": {"expr": "absent(up{})"}}}, name)
    s.wait_until_complete(IMAGE_B, name=name)


@STORIES.add
def kubectl_waits_for_the_end_of_a_rollout_that_is_held(s: Story) -> None:
    """With the commands of docs/gitops.md."""
    text = (REPOSITORY / "docs/gitops.md").read_text()
    done = [shlex.split(line.replace("phasedrollout/web", f"phasedrollout/{NAME}"))[1:]
            for line in text.splitlines()
            if line.startswith("kubectl wait") and line.endswith(("phasedrollout/web",
                                                                  "statefulset/web"))]
    assert len(done) == 2
    s.begin()
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Rolling", "CheckFailed")
    for command in done:
        with pytest.raises(HarnessError, match="timed out"):
            s.api.kubectl("-n", s.namespace, *command, "--timeout=1s")
    s.trouble(0)
    for command in done:
        s.api.kubectl("-n", s.namespace, *command)
    s.wait_until_complete(IMAGE_B)


@STORIES.add
def the_examples_steer_what_they_name(s: Story) -> None:
    names = ["kafka", "postgres", "search", "web"]
    for name in names:
        s.api.create(statefulset(name, s.namespace, 1))
    s.api.kubectl("-n", s.namespace, "apply", "-f", str(REPOSITORY / "examples/phasedrollout"))
    assert sorted(one["metadata"]["name"] for one in s.api.list(KIND, s.namespace)) == names
    for name in names:
        s.wait_for_phase("Updated", name=name)
        s.api.delete(KIND, name, s.namespace)


@STORIES.add
def every_pod_has_its_gate_and_none_follows_the_last(s: Story) -> None:
    asked: list[int | None] = []

    def door(request: Request) -> Answer:
        asked.append(s.partition())
        return s.world.prometheus.forward(request)

    with HookServer() as server:
        server.answer(door)
        s.begin(url=server.url)
        with Recorder(s.api, "StatefulSet", s.namespace) as sets:
            s.change(IMAGE_B)
            done = s.wait_until_complete(IMAGE_B)
    assert partitions(sets.changes) == [CLOSED, 2, 1, 0, 3]
    assert asked == [CLOSED, CLOSED, 2, 2, 1, 1]
    assert done["rollout"]["step"] == "3/3" and done["rolloutEndTime"]
    assert {c["type"]: c["status"] for c in done["conditions"]} == {"Ready": "True",
                                                                    "Updated": "True"}
    reasons = wait_for("the events", s.events, lambda told: told.count("ChecksPassed") >= 3
                       and {"RolloutStarted", "RolloutCompleted"} <= set(told), pause=0.2)
    assert reasons.count("ChecksPassed") == 3
    header, row = s.api.kubectl("-n", s.namespace, "get", "phasedrollouts").splitlines()
    assert header.split() == ["NAME", "TARGET-REF", "PHASE", "REASON", "STEP", "AGE"]
    assert row.split()[:5] == [NAME, SET, "Updated", done["reason"], "3/3"]
    wide = s.api.kubectl("-n", s.namespace, "get", "phasedrollouts", "-o", "wide").splitlines()[0]
    assert {"PARTITION", "ROLLING-POD-STATUS", "ROLLOUT-START-TIME", "ROLLOUT-END-TIME",
            "MESSAGE"} <= set(wide.split())


@STORIES.add
def a_failing_metric_holds_and_recovers(s: Story) -> None:
    s.begin(maxTries=1000)
    s.trouble(7)
    s.change(IMAGE_B)
    held = s.wait_for("three failed checks", lambda seen: seen.get("check", {}).get("tries", 0) > 2)
    check = held["check"]
    assert (held["phase"], held["reason"]) == ("Rolling", "CheckFailed")
    assert (check["lastResult"], check["lastValue"], check["successes"]) == ("Failed", "7", 0)
    assert check["triesLeft"] == 1000 - check["tries"]
    assert check["lastTime"] >= held["since"] >= held["rolloutStartTime"]
    assert "web-2" in held["message"] and "returned data" in held["message"]
    assert f"describe phasedrollout {NAME}" in held["unblock"]
    assert held["rollout"]["pod"] == "web-2"
    assert s.is_untouched()
    # One event for one trouble, however often it is seen.
    s.wait_for_event("CheckFailed")
    assert s.events().count("CheckFailed") == 1
    s.trouble(0)
    s.wait_until_complete(IMAGE_B)
    metrics = s.world.operator.metrics()
    assert metrics['sluice_metric_checks_total{outcome="data"}'] >= 3
    assert metrics['sluice_metric_checks_total{outcome="no_data"}'] >= 6
    assert metrics['sluice_rollouts{phase="Idle"}'] >= 1


@STORIES.add
def max_tries_fail_the_rollout_until_a_retry(s: Story) -> None:
    s.begin(maxTries=3)
    s.trouble(1)
    s.change(IMAGE_B)
    failed = s.wait_for_phase("Failed", "ChecksExhausted")
    assert (failed["check"]["tries"], failed["check"]["triesLeft"]) == (3, 0)
    assert "sluice.dev/retry" in failed["unblock"]
    s.trouble(0)
    stays("it stays failed", lambda: (s.status()["phase"], s.images()),
          lambda seen: seen == ("Failed", [IMAGE_A] * 3))
    s.api.annotate(KIND, NAME, s.namespace, {"sluice.dev/retry": "now"})
    assert s.wait_until_complete(IMAGE_B)["retry"] == "now"


@STORIES.add
def a_rollback_returns_the_newest_first(s: Story) -> None:
    s.begin(onFailure="Rollback", failureThreshold=2, successThreshold=12)
    s.change(IMAGE_B)
    s.wait_for_step("2/3")
    with Recorder(s.api, "Pod", s.namespace) as pods:
        s.trouble(1)
        back = s.wait_for_phase("RolledBack", "RolledBack")
    assert deleted_pods(pods.changes, IMAGE_B) == ["web-1", "web-2"]
    assert s.images() == [IMAGE_A] * 3
    assert back["failedRevision"] == back["rollout"]["revision"]
    s.wait_for_events("RolledBack", "ChecksExhausted")
    s.trouble(0)
    stays("the failed revision is not tried again", lambda: (s.images(), s.status()["phase"]),
          lambda seen: seen == ([IMAGE_A] * 3, "RolledBack"))
    s.change(IMAGE_C)
    assert "failedRevision" not in s.wait_until_complete(IMAGE_C)


@STORIES.add
def skip_check_resumes_the_normal_update_and_back(s: Story) -> None:
    s.begin()
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Rolling", "CheckFailed")
    s.change_spec({"skipCheck": True})
    s.wait_for_phase("Suspended")
    s.wait_for_event("Suspended")
    wait_for("all pods to be updated", s.images, lambda seen: seen == [IMAGE_B] * 3, pause=0.2)
    assert s.partition() == 0 and "sluice.dev/claim" not in s.annotations()
    wait_for("the set to be at rest", lambda: s.api.get("StatefulSet", SET, s.namespace)["status"],
             lambda seen: seen["currentRevision"] == seen["updateRevision"])
    s.change_spec({"skipCheck": False})
    s.wait_until_complete(IMAGE_B)
    s.change(IMAGE_C)
    s.wait_for_phase("Rolling", "CheckFailed")
    assert s.images() == [IMAGE_B] * 3
    s.trouble(0)
    s.wait_until_complete(IMAGE_C)


@STORIES.add
def a_deletion_in_mid_rollout_releases_the_set(s: Story) -> None:
    s.begin(successThreshold=4)
    s.change(IMAGE_B)
    s.wait_for_step("1/3")
    s.trouble(1)
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda found: found is None, pause=0.2)
    left = [key for key in s.annotations() if key.startswith(("sluice.dev/", "sts.plus/"))]
    assert (left, s.partition()) == ([], 0)
    wait_for("Kubernetes to go on by itself", s.images, lambda seen: seen == [IMAGE_B] * 3,
             pause=0.2)


@STORIES.add
def deleted_after_a_failure_the_revision_goes_no_further(s: Story) -> None:
    s.begin(failureThreshold=1)
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Failed")
    where = s.partition(), s.images()
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda found: found is None, pause=0.2)
    stays("nothing moves", lambda: (s.partition(), s.images()), lambda seen: seen == where)
    assert "sluice.dev/claim" not in s.annotations()


@STORIES.add
def deleted_with_a_policy_that_freezes_or_opens(s: Story) -> None:
    s.begin(failureThreshold=1)
    s.change_spec({"deletionPolicy": "Open"})
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Failed")
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("Kubernetes to go on by itself", s.images, lambda seen: seen == [IMAGE_B] * 3,
             pause=0.2)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda found: found is None, pause=0.2)
    s.api.create(s.rollout(deletionPolicy="Freeze"))
    s.wait_for_phase("Updated")
    s.change(IMAGE_C)
    wait_for("the gate to be closed", s.partition, lambda seen: seen == CLOSED, pause=0.2)
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda found: found is None, pause=0.2)
    stays("nothing moves", lambda: (s.partition(), s.images()),
          lambda seen: seen == (CLOSED, [IMAGE_B] * 3))


@STORIES.add
def a_pod_that_was_never_ready_does_not_stop_the_next_template(s: Story) -> None:
    s.begin()
    s.change(IMAGE_B, behaviour="unready")
    wait_for("the first pod", s.images, lambda seen: seen == [IMAGE_A, IMAGE_A, IMAGE_B], pause=0.2)
    s.change(IMAGE_C)
    s.wait_until_complete(IMAGE_C)
    s.wait_for_event("StuckPodReplaced")


@STORIES.add
def a_new_revision_in_mid_rollout_starts_from_the_top(s: Story) -> None:
    s.begin(successThreshold=12)
    with Recorder(s.api, "StatefulSet", s.namespace) as sets:
        s.change(IMAGE_B)
        s.wait_for_step("1/3")
        s.change(IMAGE_C)
        done = s.wait_until_complete(IMAGE_C)
    assert partitions(sets.changes) == [CLOSED, 2, CLOSED, 2, 1, 0, 3]
    assert done["rollout"]["id"] == 2


@STORIES.add
def an_undo_in_mid_rollout_asks_nobody(s: Story) -> None:
    s.begin(successThreshold=4)
    s.change(IMAGE_B)
    s.wait_for_step("1/3")
    s.trouble(1)
    s.api.kubectl("-n", s.namespace, "rollout", "undo", f"statefulset/{SET}")
    s.wait_until_complete(IMAGE_A)


@STORIES.add
def a_pause_holds_until_it_is_lifted(s: Story) -> None:
    s.begin(successThreshold=3)
    s.change(IMAGE_B)
    s.wait_for_step("1/3")
    s.api.annotate(KIND, NAME, s.namespace, {"sluice.dev/paused": "true"})
    assert "sluice.dev/paused-" in s.wait_for_phase("Rolling", "Paused")["unblock"]
    gate = s.partition()
    stays("nothing moves", s.partition, lambda seen: seen == gate)
    s.api.annotate(KIND, NAME, s.namespace, {"sluice.dev/paused": None})
    s.wait_until_complete(IMAGE_B)


@STORIES.add
def a_changed_check_voids_what_was_collected(s: Story) -> None:
    s.begin(successThreshold=1000)
    s.change(IMAGE_B)
    s.wait_for("three passes", lambda seen: seen.get("check", {}).get("successes", 0) >= 3)
    with Recorder(s.api, KIND, s.namespace) as rollouts:
        s.change_spec({"check": {"query": {"expr": s.expr + " + 1"}}})
        s.wait_for("a pass of the new check", lambda seen: seen["observedGeneration"] == 2
                   and seen["check"]["successes"] >= 1)
    later = [change.object["status"]["check"]["successes"] for change in rollouts.changes
             if change.object["status"]["observedGeneration"] == 2]
    assert later[0] <= 1 and s.is_untouched()
    s.change_spec({"check": {"successThreshold": 2}})
    s.wait_until_complete(IMAGE_B)


@STORIES.add
def one_set_has_one_steersman(s: Story) -> None:
    s.begin()
    s.api.create(s.rollout("late"))
    told = s.wait_for_phase("ErrorCannotManage", "ClaimedByOther", "late")
    assert f"phasedrollout/{NAME}" in told["message"]
    assert s.wait_for_event("CannotManage", "late")["type"] == "Warning"
    assert s.status()["phase"] == "Updated"
    s.api.delete(KIND, NAME, s.namespace)
    s.wait_for_phase("Updated", name="late")
    assert s.annotations()["sluice.dev/claim"] == "phasedrollout/late"
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Rolling", name="late")


@STORIES.add
def a_target_that_is_missing_is_waited_for(s: Story) -> None:
    s.api.create(s.rollout())
    told = s.wait_for_phase("ErrorSTSNotFound", "TargetMissing")
    assert SET in told["message"]
    s.wait_for_event("CannotManage")
    s.create_set()
    s.wait_for_phase("Updated")
    assert s.partition() == 3


@STORIES.add
def on_delete_cannot_be_steered(s: Story) -> None:
    s.create_set(update_strategy="OnDelete")
    s.api.create(s.rollout())
    told = s.wait_for_phase("ErrorCannotManage", "OnDelete")
    assert "RollingUpdate" in told["unblock"]
    s.wait_for_event("CannotManage")
    s.api.patch("StatefulSet", SET, {"spec": {"updateStrategy": {"type": "RollingUpdate"}}},
                s.namespace)
    s.wait_for_phase("Updated")


@STORIES.add
def basic_authentication_over_tls(s: Story) -> None:
    s.let_secrets_be_read()
    certificate = s.world.cluster.authority.issue(s.namespace)
    own = Prometheus(s.world.folder / s.namespace, login=True, certificate=certificate,
                     targets=(s.world.gauges.address,))
    ca = s.world.cluster.authority.certificate.read_text()
    s.create_secret("ca", **{"ca.crt": ca})
    s.begin(1, url=own.url, secretRef="prom", caSecretRef="ca")
    s.change(IMAGE_B)
    told = s.wait_for_phase("Rolling", "PrometheusConfigError")
    assert f"Secret {s.namespace}/prom does not exist" in told["message"]
    assert s.wait_for_event("PrometheusConfigError")["type"] == "Warning"
    assert s.is_untouched(1)
    s.create_secret("prom", username=USER, password=PASSWORD)
    s.wait_until_complete(IMAGE_B, 1)
    own.stop()
    s.check_silence(PASSWORD)


@STORIES.add
def a_bearer_token_that_is_rotated_in_mid_rollout(s: Story) -> None:
    s.let_secrets_be_read()
    first, second = "canary-first-4711", "canary-second-4712"
    valid = [first]

    def door(request: Request) -> Answer:
        if request.headers.get("Authorization") != f"Bearer {valid[0]}":
            return hookserver.status(401, valid[0].encode())
        return s.world.prometheus.forward(request)

    with HookServer(s.world.cluster.authority.issue(s.namespace)) as server:
        server.answer(door)
        ca = s.world.cluster.authority.certificate.read_text()
        s.create_secret("prom", token=first, **{"ca.crt": ca})
        s.begin(url=server.url, secretRef="prom", successThreshold=3)
        s.change(IMAGE_B)
        s.wait_for_step("1/3")
        valid[0] = second
        told = s.wait_for_phase("Rolling", "PrometheusConfigError")
        assert "401" in told["message"]
        s.api.patch("Secret", "prom", {"stringData": {"token": second}}, s.namespace)
        s.wait_until_complete(IMAGE_B)
    s.check_silence(first, second)


@STORIES.add
def a_prometheus_that_stops_holds_the_rollout(s: Story) -> None:
    own = Prometheus(s.world.folder / s.namespace, targets=(s.world.gauges.address,))
    s.begin(url=own.url, successThreshold=15)
    s.change(IMAGE_B)
    s.wait_for_step("1/3")
    own.stop()
    s.wait_for("Prometheus to be missed", lambda seen: (
        (seen.get("phase"), seen.get("reason")) == ("Rolling", "PrometheusError")
        and own.address in seen["message"]))
    stays("nothing moves", lambda: (s.partition(), s.images()),
          lambda seen: seen == (2, [IMAGE_A, IMAGE_A, IMAGE_B]))
    own.start()
    s.wait_until_complete(IMAGE_B)
    own.stop()


@pytest.mark.parametrize("name", STORIES)
def test_story(running: dict[str, Future], name: str) -> None:
    running[name].result()


def test_kill_9_at_every_gate_neither_repeats_nor_skips_one(world, namespace, operator) -> None:
    s = Story(world, namespace)
    asked: list[int | None] = []
    running = [operator("--allow-local-metrics", f"--namespace={namespace}")]

    def door(request: Request) -> Answer:
        gate = s.partition()
        asked.append(gate)
        if asked.count(gate) == 2:
            running[-1].kill9()
        return world.prometheus.forward(request)

    with HookServer() as server:
        server.answer(door)
        s.begin(url=server.url)
        with (Recorder(s.api, "StatefulSet", namespace) as sets,
              Recorder(s.api, "Pod", namespace) as pods):
            s.change(IMAGE_B)
            for _ in range(3):
                wait_for("the operator to be dead", lambda: not running[-1].process.is_running())
                running.append(operator("--allow-local-metrics", f"--namespace={namespace}",
                                        ready=False))
            s.wait_until_complete(IMAGE_B)
    assert partitions(sets.changes) == [CLOSED, 2, 1, 0, 3]
    assert deleted_pods(pods.changes, IMAGE_A) == ["web-2", "web-1", "web-0"]
    # The answer that died with the operator is asked for again; the one before it is remembered.
    assert asked == [CLOSED] * 3 + [2] * 3 + [1] * 3
    s.api.delete(KIND, NAME, namespace)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, namespace) is None)


def test_the_glass_can_be_broken_while_the_operator_is_down(world, namespace, operator) -> None:
    """The commands of docs/operations.md, word for word but for the names."""
    s = Story(world, namespace)
    one = operator("--allow-local-metrics", f"--namespace={namespace}")
    s.begin()
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Rolling", "CheckFailed")
    one.kill9()
    pilot, claim, partition, delete, finalizer, _ = glass()
    assert "dd-statefulset-pilot" in pilot
    for command in (delete, finalizer, claim, partition):
        s.api.kubectl("-n", namespace, *shlex.split(command)[1:])
    wait_for("Kubernetes to go on", s.images, lambda seen: seen == [IMAGE_B] * 3)
    assert s.api.find(KIND, NAME, namespace) is None


def test_an_operator_can_be_told_that_data_passes_as_the_first_one_did(world, namespace,
                                                                       operator) -> None:
    s = Story(world, namespace)
    operator("--allow-local-metrics", "--phasedrollout-success-on=Data", f"--namespace={namespace}")
    s.begin(expr="up{}")
    s.change(IMAGE_B)
    s.wait_until_complete(IMAGE_B)
    s.change_spec({"check": {"query": {"successOn": "NoData"}}})
    s.change(IMAGE_C)
    s.wait_for_phase("Rolling", "CheckFailed")
    assert s.images() == [IMAGE_B] * 3
