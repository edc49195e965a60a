"""RolloutPlugins whose plugin is a program outside of the operator: both examples, for real."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import tempfile
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Iterator

import pytest
import yaml

from canary_world import Canary
from harness.api import Object
from harness.controlplane import ControlPlane
from harness.operator import NAMESPACE, Operator, sluice
from harness.places import REPOSITORY
from harness.process import Process
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_A, IMAGE_B, create_ready, statefulset
from phased_world import NAME, SET, Stories, World, running
from test_plugins import WEIGHTS_FILE, queue_consumers

CONFIG = "argo-rollouts-config"
EXAMPLE = yaml.safe_load((REPOSITORY / "examples/rolloutplugin/traffic-split.yaml").read_text())
STEPS = EXAMPLE["spec"]["strategy"]["canary"]["steps"]


class Splits:
    """The example plugin in C++: traffic splits in the files of a folder, at a socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "s"
        self.process: Process | None = None

    @property
    def location(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        self.process = Process(
            "weights-file", [str(WEIGHTS_FILE), "--folder", str(self.folder), "--listen",
                             self.location, "--settle-ms", "500"], self.folder / "log")
        wait_for("the plugin to listen", self.socket.exists)

    def kill9(self) -> None:
        self.process.kill9()
        self.socket.unlink()

    def write(self, name: str, text: str) -> None:
        """In one piece, as the plugin itself does it."""
        new = self.folder / f".{name}"
        new.write_text(text)
        os.replace(new, self.folder / name)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()


class Outside(Canary):
    """One namespace with a RolloutPlugin `careful` of something that is no StatefulSet."""

    def create(self, workload: Object, plugin: Object, steps: list[Object] = STEPS,
               **fields: Any) -> None:
        self.api.create({
            "apiVersion": "argoproj.io/v1alpha1", "kind": self.kind,
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {"workloadRef": {"apiVersion": "example.com/v1", **workload},
                     "plugin": plugin, "strategy": {"canary": {"steps": steps}}, **fields}})

    def create_split(self, steps: list[Object] = STEPS) -> str:
        """The example of the repository, with a file of its own."""
        name = self.namespace
        self.world.splits.write(name, "stable v1\n")
        spec = EXAMPLE["spec"]
        self.create({**spec["workloadRef"], "name": name}, spec["plugin"], steps,
                    progressDeadlineSeconds=spec["progressDeadlineSeconds"],
                    progressDeadlineAbort=spec["progressDeadlineAbort"])
        self.wait_for_phase("Healthy")
        return name

    def create_group(self, plugin: Object, steps: list[Object] = STEPS, **fields: Any) -> None:
        config = {"consumers": "10", "current": "v1", "revision": "v1"}
        self.create({"kind": "ConsumerGroup", "name": self.namespace},
                    {**plugin, "config": config}, steps, **fields)
        self.wait_for_phase("Healthy")

    def change_group(self, revision: str) -> None:
        self.api.patch(self.kind, NAME, {"spec": {"plugin": {"config": {"revision": revision}}}},
                       self.namespace)

    def weight(self) -> int | None:
        return self.status().get("rollout", {}).get("weight")


class PluginWorld(World):
    """Both plugins are declared, and the one that listens runs."""

    def __init__(self, cluster: ControlPlane, folder: Path) -> None:
        self.cluster = cluster
        self.api = cluster.api
        self.program = folder / "queue-consumers"
        shutil.copy(queue_consumers(), self.program)
        self.own = folder / "own"
        shutil.copy(self.program, self.own)
        self.digest = hashlib.sha256(self.program.read_bytes()).hexdigest()
        self.flags = (f"--plugin-directory={folder}",)
        self.splits = Splits(folder)
        self.splits.start()
        url = f"file://{self.program}"
        declared = [{"name": "weights", "location": self.splits.location},
                    {"name": "queue", "location": url, "sha256": self.digest},
                    {"name": "forged", "location": url, "sha256": "0" * 64}]
        self.api.create({"apiVersion": "v1", "kind": "ConfigMap",
                         "metadata": {"name": CONFIG, "namespace": NAMESPACE},
                         "data": {"rolloutPlugins": yaml.safe_dump(declared)}})

    def stop(self) -> None:
        self.api.delete("ConfigMap", CONFIG, NAMESPACE)
        self.splits.process.kill9()


@pytest.fixture(scope="module")
def world(cluster, install) -> Iterator[PluginWorld]:
    for component in ("rbac", "crds", "policies"):
        install(component)
    with tempfile.TemporaryDirectory(prefix="plugins-") as folder:  # short enough for a socket
        one = PluginWorld(cluster, Path(folder))
        yield one
        one.stop()


STORIES = Stories(Outside)


def state_of(pid: int) -> list[str]:
    """State, parent and the rest of the kernel's words about a process; none if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def runs(pid: int) -> bool:
    return state_of(pid)[:1] not in ([], ["Z"])


def plugins_of(operator: Operator) -> list[int]:
    """The processes of the plugin `queue` that the operator has started."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if runs(pid)
            and state_of(pid)[1:2] == [str(operator.process.pid)]
            and b"/queue-consumers" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@STORIES.add
def a_set_that_is_left_to_another_plugin_is_let_go(s: Outside) -> None:
    create_ready(s.api, statefulset(SET, s.namespace, 3))
    steps = [{"setWeight": 34}, {"pause": {}}, {"setWeight": 100}]
    s.create({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": SET},
             {"name": "statefulset"}, steps)
    s.wait_for_phase("Healthy")
    s.change(IMAGE_B)
    s.wait_for_phase("Paused")
    s.change_spec({"plugin": {"name": "weights"}})
    wait_for("the set to be let go", s.annotations, lambda seen: "sluice.dev/claim" not in seen)
    assert (s.images(), s.partition()) == ([IMAGE_A, IMAGE_A, IMAGE_B], 2)
    assert '"partition":0' in s.wait_for_event("Released")["message"]


@STORIES.add
def a_traffic_split_is_walked_through_its_steps(s: Outside) -> None:
    splits = s.world.splits
    name = s.create_split()
    splits.write(name, "stable v1\ncanary v2 0\n")
    s.wait_for_pause(1)
    assert splits.read(name) == "stable v1\ncanary v2 20\n"
    stays("the weight stays", lambda: splits.read(name),
          lambda seen: seen == "stable v1\ncanary v2 20\n")
    s.command(pauseConditions=None)
    s.wait_for_pause(3)
    assert splits.read(name) == "stable v1\ncanary v2 60\n"
    told = s.wait_for("the weight in the status", lambda seen: seen.get("updatedReplicas") == 60)
    assert told["rollout"]["weight"] == 60
    assert "plugin" in sluice("explain", "-n", s.namespace, f"rolloutplugin/{NAME}",
                              f"--kubeconfig={s.world.cluster.kubeconfig}")
    s.command(pauseConditions=None)
    told = s.wait_for_phase("Successful")
    assert splits.read(name) == "stable v2\n"
    assert (told["currentRevision"], told["updatedRevision"]) == ("v2", "v2")
    s.wait_for_events("RolloutStarted", "StepTaken", "RolloutCompleted")


@STORIES.add
def an_abort_takes_the_split_back(s: Outside) -> None:
    splits = s.world.splits
    name = s.create_split()
    splits.write(name, "stable v1\ncanary v2 0\n")
    s.wait_for_pause(1)
    s.command(abort=True)
    told = s.wait_for("the abort", lambda seen: seen.get("reason") == "RolledBack")
    assert told["aborted"] and told["abortedRevision"] == "v2"
    assert splits.read(name) == "stable v1\ncanary v2 0\n"
    stays("the aborted revision is left alone", lambda: splits.read(name),
          lambda seen: seen.endswith("v2 0\n"))
    s.command(restart=True)
    s.wait_for_pause(1)
    # A revision that is taken back in mid-rollout ends the rollout.
    splits.write(name, "stable v1\n")
    s.wait_for_phase("Successful")
    assert splits.read(name) == "stable v1\n"


@STORIES.add
def kill_9_of_a_plugin_that_listens(s: Outside) -> None:
    splits = s.world.splits
    name = s.create_split([{"setWeight": 50}, {"setWeight": 100}])
    splits.kill9()
    splits.write(name, "stable v1\ncanary v2 0\n")
    told = s.wait_for("the error", lambda seen: seen.get("reason") == "PluginError")
    assert "cannot reach" in told["message"] and told["unblock"]
    assert splits.read(name) == "stable v1\ncanary v2 0\n"
    splits.start()
    s.wait_for_phase("Successful")
    assert splits.read(name) == "stable v2\n"


@STORIES.add
def kill_9_of_a_started_plugin_in_mid_step(s: Outside) -> None:
    operator = s.world.operator
    s.create_group({"name": "queue"}, [{"setWeight": 50}, {"pause": {}}, {"setWeight": 100}])
    s.change_group("v2")
    wait_for("the step to be asked for", s.weight, lambda seen: seen == 50, pause=0.1)
    (child,) = wait_for("the plugin to run", lambda: plugins_of(operator))
    os.kill(child, signal.SIGKILL)
    s.wait_for_pause(1)
    s.wait_for("half of the consumers", lambda seen: (
        seen.get("replicas"), seen.get("updatedReplicas")) == (10, 5))
    (again,) = wait_for("the plugin to run again", lambda: [
        pid for pid in plugins_of(operator) if pid != child])
    # Once more at rest, and once more while it is promoted.
    os.kill(again, signal.SIGKILL)
    s.command(pauseConditions=None)
    wait_for("the last step to be asked for", s.weight, lambda seen: seen == 100, pause=0.1)
    for third in plugins_of(operator):
        os.kill(third, signal.SIGKILL)
    told = s.wait_for_phase("Successful")
    assert told["currentRevision"] == "v2" and told["updatedReplicas"] == 10


def test_kill_9_of_the_operator_takes_its_plugin_along(world, namespace, operator) -> None:
    s = Outside(world, namespace)
    flags = (f"--namespace={namespace}", f"--config-namespace={NAMESPACE}")
    first = operator(*flags)
    s.create_group({"name": "queue"})
    s.change_group("v2")
    s.wait_for_pause(1)
    (plugin,) = plugins_of(first)
    first.kill9()
    wait_for("the plugin to be gone", lambda: not runs(plugin))
    second = operator(*flags)
    # The plugin has forgotten everything; the weight of the step is asked for again.
    s.wait_for("the look", lambda seen: seen.get("updatedReplicas") == 2)
    s.command(promoteFull=True)
    assert s.wait_for_phase("Successful")["updatedReplicas"] == 10
    (plugin,) = plugins_of(second)
    assert second.terminate() == 0
    assert not runs(plugin)


@STORIES.add
def a_program_that_a_rollout_names(s: Outside) -> None:
    url = f"file://{s.world.own}"
    s.create_group({"name": "own", "url": url, "sha256": s.world.digest, "verify": True},
                   [{"setWeight": 100}])
    s.change_group("v2")
    s.wait_for_phase("Successful")
    s.api.patch(s.kind, NAME, {"spec": {"plugin": {"url": "file:///bin/true"}}},
                    s.namespace)
    told = s.wait_for("the refusal", lambda seen: seen.get("reason") == "InvalidSpec")
    assert told["message"].startswith("spec.plugin.url: must be below ")


def refuse(s: Outside, plugin: Object, reason: str, words: str) -> None:
    s.create({"kind": "ConsumerGroup", "name": "orders"}, plugin)
    told = s.wait_for("the refusal", lambda seen: seen.get("reason") == reason)
    assert told["phase"] == "Failed" and words in told["message"]


@STORIES.add
def a_plugin_that_nobody_declared(s: Outside) -> None:
    refuse(s, {"name": "nobody"}, "InvalidSpec", "spec.plugin.name: no plugin nobody is declared")


@STORIES.add
def a_program_that_is_not_the_declared_one(s: Outside) -> None:
    refuse(s, {"name": "forged"}, "PluginError", "is not started: the SHA-256 of its file is")


def test_a_program_is_refused_where_no_folder_is_open(world, namespace, operator) -> None:
    operator(f"--namespace={namespace}", f"--config-namespace={NAMESPACE}")
    refuse(Outside(world, namespace), {"name": "own", "url": "file:///bin/true"}, "InvalidSpec",
           "spec.plugin.url: this operator starts no programs")


@pytest.mark.parametrize("name", STORIES)
def test_story(running: dict[str, Future], name: str) -> None:
    running[name].result()
