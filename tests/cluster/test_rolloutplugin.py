"""RolloutPlugins on the real control plane: the document's walk, commands, disturbances."""

from __future__ import annotations

import os
import shlex
import subprocess
from concurrent.futures import Future

import pytest
import yaml

from harness.api import Object
from harness.places import REPOSITORY, control_plane_files
from harness.recorder import Recorder
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_A, IMAGE_B, IMAGE_C, wait_until_settled
from canary_world import Canary
from phased_world import (CLOSED, NAME, SET, Stories, deleted_pods, glass, partitions, running,
                          world)

WALK = (20, 40, 60, 80)
SAMPLE = "my-statefulset-rollout"  # of config/samples, in its document's namespace

STORIES = Stories(Canary)


def manual() -> list[Object]:
    steps: list[Object] = []
    for weight in WALK:
        steps += [{"setWeight": weight}, {"pause": {}}]
    return [*steps, {"setWeight": 100}]


def mixed(updated: int, old: str = IMAGE_A, new: str = IMAGE_B, replicas: int = 5) -> list[str]:
    return [old] * (replicas - updated) + [new] * updated


@STORIES.add
def the_walk_of_the_document(s: Canary) -> None:
    steps: list[Object] = []
    for weight in WALK:
        steps += [{"setWeight": weight}, {"pause": {"duration": "2s"}}]
    s.begin_steps([*steps, {"setWeight": 100}])
    with (Recorder(s.api, "StatefulSet", s.namespace) as sets,
          Recorder(s.api, "Pod", s.namespace) as pods):
        s.change(IMAGE_B)
        told = s.finish(IMAGE_B)
    assert partitions(sets.changes) == [CLOSED, 4, 3, 2, 1, 0, 5]
    assert deleted_pods(pods.changes, IMAGE_A) == [f"web-{i}" for i in (4, 3, 2, 1, 0)]
    assert told["currentStepIndex"] == 9 and told["updatedReplicas"] == 5
    assert told["currentRevision"] == told["updatedRevision"]
    s.wait_for_events("RolloutStarted", "StepTaken", "StepPaused", "RolloutCompleted")
    assert told["currentStepComplete"]
    for reason in ("Updated", "Progressing", "Paused", "Resumed", "Completed"):
        s.wait_for_event(f"RolloutPlugin{reason}")


@STORIES.add
def a_manual_pause_waits_and_a_promotion_goes_one_step(s: Canary) -> None:
    s.begin_steps(manual())
    s.change(IMAGE_B)
    told = s.wait_for_pause(1)
    assert "sluice promote" in told["unblock"] and told["rollout"]["weight"] == 20
    stays("it waits for a person", lambda: (s.images(), s.partition()),
          lambda seen: seen == (mixed(1), 4))
    s.command(pauseConditions=None)
    s.wait_for_pause(3)
    assert s.images() == mixed(2)
    s.command(paused=False, pauseStartTime=None)
    s.wait_for_pause(5)
    assert s.images() == mixed(3)
    s.command(promoteFull=True)
    assert "promoteFull" not in s.finish(IMAGE_B)


def aborts(s: Canary, step: int) -> None:
    """Every pod returns to the old image, newest first, and stays there."""
    s.begin_steps(manual())
    s.change(IMAGE_B)
    for before in range(1, step):
        s.wait_for_pause(2 * before - 1)
        s.command(pauseConditions=None)
    s.wait_for_pause(2 * step - 1)
    assert s.images() == mixed(step)
    with Recorder(s.api, "Pod", s.namespace) as pods:
        s.command(abort=True)
        told = s.wait_until_taken_back()
    assert deleted_pods(pods.changes, IMAGE_B) == [f"web-{i}" for i in range(5 - step, 5)]
    assert "abort" not in told and s.partition() == CLOSED
    s.wait_for_events("Aborted", "RolloutPluginAborted")


for _step in (1, 2, 3, 4):
    STORIES[f"an_abort_at_step_{_step}"] = lambda s, step=_step: aborts(s, step)


@STORIES.add
def a_retry_after_an_abort_from_the_top_and_from_a_step(s: Canary) -> None:
    s.begin_steps(manual())
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    s.command(abort=True)
    s.wait_until_taken_back()
    stays("the aborted revision is not tried again", s.images, lambda seen: seen == mixed(0))
    s.command(restart=True)
    told = s.wait_for_pause(1)
    assert told["restartCount"] == 1 and "restart" not in told and "aborted" not in told
    s.wait_for_event("RolloutPluginRestarted")
    s.command(abort=True)
    s.wait_until_taken_back()
    s.change_spec({"restartAt": 4})
    assert s.wait_for_pause(5)["restartCount"] == 2
    assert s.images() == mixed(3)
    wait_for("restartAt to be taken away", lambda: s.get()["spec"],
             lambda spec: "restartAt" not in spec, pause=0.2)
    s.command(promoteFull=True)
    s.finish(IMAGE_B)


@STORIES.add
def a_new_revision_in_mid_rollout_and_after_an_abort(s: Canary) -> None:
    s.begin_steps(manual())
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    s.command(pauseConditions=None)
    s.wait_for_pause(3)
    s.change(IMAGE_C)
    wait_for("the first pod of the new revision", s.images,
             lambda seen: seen == [*mixed(1)[:3], IMAGE_B, IMAGE_C], pause=0.2)
    s.wait_for_pause(1)
    s.command(abort=True)
    s.wait_until_taken_back()
    s.change(IMAGE_B)
    assert "aborted" not in s.wait_for_pause(1)
    s.command(promoteFull=True)
    s.finish(IMAGE_B)


@STORIES.add
def back_to_the_old_template_is_a_rollback(s: Canary) -> None:
    s.begin_steps(manual())
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    s.command(pauseConditions=None)
    s.wait_for_pause(3)
    s.change(IMAGE_A)
    assert "aborted" not in s.finish(IMAGE_A)


@STORIES.add
def a_scale_in_mid_rollout_moves_the_gate_with_it(s: Canary) -> None:
    s.begin_steps([{"setWeight": 20}, {"pause": {}}, {"setWeight": 100}])
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    s.api.kubectl("-n", s.namespace, "scale", f"statefulset/{SET}", "--replicas=10")
    wait_for("the gate to follow", s.partition, lambda seen: seen == 8, pause=0.1)
    s.wait_for("all ten pods", lambda seen: seen.get("readyReplicas") == 10)
    s.api.kubectl("-n", s.namespace, "scale", f"statefulset/{SET}", "--replicas=5")
    wait_for("the gate to follow back", s.partition, lambda seen: seen == 4, pause=0.1)
    s.wait_for_images(*mixed(1))
    s.command(promoteFull=True)
    s.finish(IMAGE_B)


@STORIES.add
def a_pause_of_the_spec_shows_at_rest_and_ends_with_a_full_promotion(s: Canary) -> None:
    s.begin_steps(manual())
    s.change_spec({"paused": True})
    s.wait_for_phase("Paused", "Paused")
    s.change_spec({"paused": False})
    s.wait_for_phase("Healthy")
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    s.change_spec({"paused": True})
    s.wait_for_phase("Paused", "Paused")
    s.command(promoteFull=True)
    s.finish(IMAGE_B)
    assert s.get()["spec"]["paused"] is False


@STORIES.add
def spec_paused_holds_and_an_abort_wins_over_it(s: Canary) -> None:
    s.begin_steps([{"setWeight": 40}, {"pause": {"duration": 600}}, {"setWeight": 100}])
    s.change_spec({"paused": True})
    s.change(IMAGE_B)
    told = s.wait_for_phase("Paused", "Paused")
    assert "spec.paused" in told["message"]
    assert s.images() == mixed(0)
    s.change_spec({"paused": False})
    wait_for("pods to go", s.images, lambda seen: seen != mixed(0), pause=0.1)
    s.change_spec({"paused": True})
    s.wait_for_phase("Paused", "Paused")
    s.command(abort=True)
    s.wait_until_taken_back()


@STORIES.add
def a_missed_deadline_takes_the_pods_back(s: Canary) -> None:
    s.begin_steps(manual(), progressDeadlineSeconds=5, progressDeadlineAbort=True)
    s.change(IMAGE_B, "unready")
    s.wait_until_taken_back()
    s.wait_for_events("ProgressDeadlineExceeded")


@STORIES.add
def what_is_not_served_is_refused_by_name(s: Canary) -> None:
    s.create_set(3)
    s.api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": s.kind,
                  "metadata": {"name": NAME, "namespace": s.namespace},
                  "spec": {"workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet",
                                           "name": SET},
                           "plugin": {"name": "mars"},
                           "strategy": {"canary": {"steps": [{"setWeight": 50}]}}}})
    told = s.wait_for_phase("Failed", "InvalidSpec")
    assert "spec.plugin.name" in told["message"] and "mars" in told["message"]
    assert "sluice.dev/claim" not in s.annotations()


@STORIES.add
def our_own_example(s: Canary) -> None:
    text = (REPOSITORY / "examples" / "rolloutplugin" / "statefulset.yaml").read_text()
    manifests = list(yaml.safe_load_all(text))
    for one in manifests:
        one["metadata"]["namespace"] = s.namespace
    s.api.apply(manifests)
    s.wait_for_phase("Healthy", name=SET)


@STORIES.add
def the_script_of_the_document(s: Canary) -> None:
    kubectl = control_plane_files().binary("kubectl")
    folder = s.world.folder / s.namespace
    folder.mkdir()
    (folder / "kubectl").symlink_to(kubectl)
    done = subprocess.run(
        [str(REPOSITORY / "test" / "rolloutplugin" / "test-statefulset-canary.sh"), s.namespace],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PAUSE": "15s",
             "OLD_IMAGE": IMAGE_A, "NEW_IMAGE": IMAGE_B,
             "KUBECONFIG": str(s.api.kubeconfig)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout


@pytest.mark.parametrize("name", STORIES)
def test_story(running: dict[str, Future], name: str) -> None:
    running[name].result()


def test_the_samples_apply_as_they_are_and_the_command_of_the_document_begins_a_rollout(
        world, operator) -> None:
    api = world.api
    operator("--namespace=argo-rollouts")
    for _ in range(2):
        api.kubectl("apply", "-f", str(REPOSITORY / "config/samples"))
    s = Canary(world, "argo-rollouts")
    s.wait_for_phase("Healthy", name=SAMPLE)
    wait_until_settled(api, s.namespace, "my-statefulset")
    api.kubectl(*"set image statefulset/my-statefulset nginx=nginx:1.22 -n argo-rollouts".split())
    s.wait_for("the first pause", lambda seen: seen.get("phase") == "Paused", SAMPLE)
    pods = sorted(api.list("Pod", s.namespace), key=lambda pod: pod["metadata"]["name"])
    seen = [pod["spec"]["containers"][0]["image"] for pod in pods]
    assert seen == ["nginx:1.21"] * 4 + ["nginx:1.22"]
    told = api.kubectl("get", "rolloutplugin", SAMPLE, "-n", s.namespace, "-o", "yaml")
    assert yaml.safe_load(told)["status"]["currentStepIndex"] == 1
    api.kubectl("delete", "-f", str(REPOSITORY / "config/samples"), "--wait=false")


def test_a_revision_that_another_operator_aborted_is_not_started_by_adoption(
        world, namespace, operator) -> None:
    s = Canary(world, namespace)
    s.create_set(3, partition=3)
    s.change(IMAGE_B)
    revision = wait_for("the new revision", lambda: s.api.get("StatefulSet", SET, namespace),
                        lambda found: found["status"]["updateRevision"]
                        != found["status"]["currentRevision"])["status"]["updateRevision"]
    s.create_plugin([{"setWeight": 100}])
    s.command(aborted=True, abortedRevision=revision)
    operator(f"--namespace={namespace}")
    told = s.wait_for_phase("Failed", "RolledBack")
    assert told["aborted"] and told["abortedRevision"] == revision
    stays("it is not tried again", s.images, lambda seen: seen == [IMAGE_A] * 3)
    s.command(restart=True)
    s.finish(IMAGE_B, 3)


def test_the_glass_can_be_broken_while_the_operator_is_down(world, namespace, operator) -> None:
    s = Canary(world, namespace)
    one = operator(f"--namespace={namespace}")
    s.begin_steps(manual())
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    one.kill9()
    _, claim, partition, _, _, delete = glass()
    for command in (delete, claim, partition):
        s.api.kubectl("-n", namespace, *shlex.split(command)[1:])
    s.wait_for_images(*mixed(5))
    assert s.api.find(s.kind, NAME, namespace) is None


@STORIES.add
def a_pod_that_was_never_ready_does_not_stop_the_next_template(s: Canary) -> None:
    s.begin_steps([{"setWeight": 40}, {"setWeight": 100}])
    s.change(IMAGE_B, behaviour="unready")
    s.wait_for_images(*mixed(1))
    s.change(IMAGE_C)
    s.finish(IMAGE_C)
    s.wait_for_event("StuckPodReplaced")


def test_at_rest_a_deleted_rolloutplugin_gives_the_partition_back(world, namespace,
                                                                  operator) -> None:
    s = Canary(world, namespace)
    operator(f"--namespace={namespace}")
    s.create_set(5)
    was = s.partition()
    s.create_plugin(manual())
    s.wait_for_phase("Healthy")
    s.api.delete(s.kind, NAME, namespace)
    wait_for("the set to be let go", s.annotations, lambda seen: "sluice.dev/claim" not in seen)
    assert s.partition() == was
    s.change(IMAGE_B)
    s.wait_for_images(*mixed(5))


def test_a_deleted_rolloutplugin_leaves_the_gate_where_it_is(world, namespace, operator) -> None:
    s = Canary(world, namespace)
    operator(f"--namespace={namespace}")
    s.begin_steps(manual())
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    s.api.delete(s.kind, NAME, namespace)
    wait_for("the set to be let go", s.annotations, lambda seen: "sluice.dev/claim" not in seen)
    stays("nothing moves", lambda: (s.images(), s.partition()), lambda seen: seen == (mixed(1), 4))
