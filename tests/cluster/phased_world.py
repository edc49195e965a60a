"""The world of the PhasedRollout tests: a real Prometheus, metrics that a test moves, stories.

A story is a test that spends its time waiting, in a namespace of its own. All stories of a module
run at once on one operator; each of them is then one test.
"""

from __future__ import annotations

import base64
import re
import secrets
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from harness.api import Api, Object
from harness.controlplane import ControlPlane
from harness.hookserver import Answer, HookServer
from harness.operator import (NAMESPACE, SERVICE_ACCOUNT, Operator, may, request_token,
                              service_account_kubeconfig)
from harness.places import REPOSITORY
from harness.prometheus import Prometheus
from harness.recorder import Change
from harness.waiting import wait_for
from harness.workloads import (IMAGE_A, change_image, create_ready, images, partition, statefulset,
                               wait_for_pods)

CLOSED = 1000000
SET = "web"
NAME = "careful"
KIND = "PhasedRollout"
FLAGS = ("--allow-local-metrics",)
FINALIZER = "sts.plus/finalizer"
_PAUSE = 0.2
_AT_ONCE = 10


class Gauges:
    """A scrape target whose metric `trouble{story="..."}` tests move."""

    def __init__(self) -> None:
        self._values: dict[str, float] = {}
        self.server = HookServer()
        self.server.answer(lambda _: Answer(200, self._page().encode(),
                                            {"Content-Type": "text/plain; version=0.0.4"}))

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def put(self, story: str, value: float) -> None:
        self._values[story] = value

    def _page(self) -> str:
        return "".join(f'trouble{{story="{story}"}} {value:g}\n'
                       for story, value in dict(self._values).items())


class World:
    """What all stories of a module share."""

    def __init__(self, cluster: ControlPlane, folder: Path) -> None:
        self.cluster = cluster
        self.api = cluster.api
        self.folder = folder
        self.gauges = Gauges()
        self.prometheus = Prometheus(folder / "prometheus", targets=(self.gauges.address,))
        self.operator: Operator | None = None
        self.flags: tuple[str, ...] = FLAGS

    def operator_api(self) -> Api:
        """The API as whoever has the operator's token sees it."""
        return Api(self.cluster.port, self.cluster.authority.certificate, request_token(self.api),
                   self.cluster.binary("kubectl"), service_account_kubeconfig(self.cluster))

    def stop(self) -> None:
        self.prometheus.stop()
        self.gauges.server.stop()


class Story:
    """One namespace with a StatefulSet `web` and a PhasedRollout `careful`, as one test sees it."""

    kind = KIND

    def __init__(self, world: World, namespace: str) -> None:
        self.world = world
        self.api: Api = world.api
        self.namespace = namespace

    @property
    def expr(self) -> str:
        # A scrape that comes too late makes a series stale, and no data is a pass.
        return f'last_over_time(trouble{{story="{self.namespace}"}}[5m]) > 0'

    def trouble(self, value: float) -> None:
        """Moves the metric, and waits until Prometheus knows."""
        self.world.gauges.put(self.namespace, value)
        wait_for("the metric to have moved",
                 lambda: self.world.prometheus.result(f'trouble{{story="{self.namespace}"}}'),
                 lambda seen: seen and float(seen[0]["value"][1]) == value, pause=_PAUSE)

    def create_set(self, replicas: int = 3, **more: Any) -> None:
        create_ready(self.api, statefulset(SET, self.namespace, replicas, **more))

    def rollout(self, name: str = NAME, **fields: Any) -> Object:
        """A manifest with small numbers; fields are those of the spec, the check or the query."""
        query = {"expr": self.expr, "url": self.world.prometheus.url}
        check: Object = {"initialDelaySeconds": 1, "periodSeconds": 1, "successThreshold": 2}
        spec: Object = {"targetRef": SET}
        for key, value in fields.items():
            home = (spec if key in ("targetRef", "skipCheck", "onFailure", "deletionPolicy",
                                    "progressDeadlineSeconds") else
                    check if key in ("initialDelaySeconds", "periodSeconds", "successThreshold",
                                     "maxTries", "failureThreshold") else query)
            home[key] = value
        return {"apiVersion": "sts.plus/v1alpha1", "kind": KIND,
                "metadata": {"name": name, "namespace": self.namespace},
                "spec": {**spec, "check": {**check, "query": query}}}

    def begin(self, replicas: int = 3, **fields: Any) -> None:
        """A set at rest in the hands of a PhasedRollout."""
        self.create_set(replicas)
        self.api.create(self.rollout(**fields))
        self.wait_for_phase("Updated")

    def change(self, image: str, behaviour: str | None = None) -> None:
        change_image(self.api, self.namespace, SET, image, behaviour)

    def change_spec(self, spec: Object, name: str = NAME) -> None:
        self.api.patch(self.kind, name, {"spec": spec}, self.namespace)

    def get(self, name: str = NAME) -> Object:
        return self.api.get(self.kind, name, self.namespace)

    def status(self, name: str = NAME) -> Object:
        return self.get(name).get("status", {})

    def wait_for(self, what: str, until: Callable[[Object], Any], name: str = NAME) -> Object:
        return wait_for(f"{name} in {self.namespace}: {what}", lambda: self.status(name), until,
                        pause=_PAUSE)

    def wait_for_phase(self, phase: str, reason: str | None = None, name: str = NAME) -> Object:
        return self.wait_for(
            f"the phase {phase} {reason or ''}",
            lambda seen: seen.get("phase") == phase and reason in (None, seen.get("reason")), name)

    def wait_for_step(self, step: str) -> Object:
        return self.wait_for(f"step {step}",
                             lambda seen: seen.get("rollout", {}).get("step") == step)

    def wait_until_complete(self, image: str, replicas: int = 3, name: str = NAME) -> Object:
        wait_for_pods(self.api, self.namespace, SET, [image] * replicas)
        seen = self.wait_for_phase("Updated", name=name)
        assert partition(self.api, self.namespace, SET) == replicas
        return seen

    def images(self) -> list[str]:
        return images(self.api, self.namespace, SET)

    def partition(self) -> int | None:
        return partition(self.api, self.namespace, SET)

    def annotations(self) -> dict[str, str]:
        return self.api.get("StatefulSet", SET, self.namespace)["metadata"].get("annotations", {})

    def is_untouched(self, replicas: int = 3) -> bool:
        return self.images() == [IMAGE_A] * replicas and self.partition() == CLOSED

    def events(self, name: str = NAME) -> list[str]:
        return [event["reason"] for event in self.api.events(self.namespace, name)
                if event["involvedObject"]["kind"] == self.kind]

    def wait_for_events(self, *reasons: str) -> None:
        """Events are posted right after what they tell of, so that a status may be read before."""
        wait_for(f"the events {', '.join(reasons)}", self.events,
                 lambda seen: set(reasons) <= set(seen), pause=_PAUSE)

    def wait_for_event(self, reason: str, name: str = NAME) -> Object:
        return wait_for(f"the event {reason} about {name}", lambda: [
            event for event in self.api.events(self.namespace, name)
            if event["reason"] == reason and event["involvedObject"]["kind"] == self.kind],
            pause=_PAUSE)[-1]

    def create_secret(self, name: str, annotations: dict[str, str] | None = None,
                      **texts: str) -> None:
        """A Secret that may be sent to this machine, if nothing else is said."""
        if annotations is None:
            annotations = {"sluice.dev/allowed-hosts": "http://127.0.0.1, https://127.0.0.1"}
        self.api.create({"apiVersion": "v1", "kind": "Secret", "stringData": texts,
                         "metadata": {"name": name, "namespace": self.namespace,
                                      "annotations": annotations}})

    def let_secrets_be_read(self) -> None:
        self.api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                         "metadata": {"name": "sluice-secret-reader",
                                      "namespace": self.namespace},
                         "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                                     "kind": "ClusterRole", "name": "sluice-secret-reader"},
                         "subjects": [{"kind": "ServiceAccount", "name": SERVICE_ACCOUNT,
                                       "namespace": NAMESPACE}]})
        wait_for("the right to be in force", lambda: may(
            self.api, NAMESPACE, SERVICE_ACCOUNT, self.namespace, verb="get", resource="secrets"))

    def check_silence(self, *texts: str) -> None:
        """No secret in any status, annotation, event or log line, plain or as base64."""
        assert self.world.operator is not None
        said: list[Object | str] = [self.world.operator.process.log.read_text()]
        for kind in (self.kind, "AnalysisRun", "StatefulSet", "Event", "Pod"):
            said += self.api.list(kind, self.namespace)
        for text in texts:
            assert text not in str(said)
            assert base64.b64encode(text.encode()).decode().rstrip("=") not in str(said)


def partitions(changes: list[Change]) -> list[int]:
    """Where the gate stood, in order; the same place twice in a row counts once."""
    seen: list[int] = []
    for change in changes:
        rolling = change.object["spec"]["updateStrategy"].get("rollingUpdate", {})
        if rolling.get("partition", 0) not in seen[-1:]:
            seen.append(rolling.get("partition", 0))
    return seen


def deleted_pods(changes: list[Change], image: str) -> list[str]:
    return [change.object["metadata"]["name"] for change in changes if change.type == "DELETED"
            and change.object["spec"]["containers"][0]["image"] == image]


def glass() -> list[str]:
    """The commands of docs/operations.md while Sluice is down, word for word but for names."""
    text = (REPOSITORY / "docs/operations.md").read_text().split("## Breaking the glass")[1]
    named = re.sub(r"(phasedrollout|rolloutplugin) NAME", rf"\1 {NAME}", text.split("\n## ")[0])
    return re.findall(r"^    (kubectl .*)$", named.replace(" NAME", f" {SET}"), re.MULTILINE)


class Stories(dict[str, Callable[[Story], None]]):
    """The stories of a module, by name: `@STORIES.add` before each of them."""

    def __init__(self, make: type[Story] = Story) -> None:
        super().__init__()
        self.make = make

    def add(self, story: Callable[[Story], None]) -> Callable[[Story], None]:
        self[story.__name__] = story
        return story


@pytest.fixture(scope="module")
def world(cluster, install, tmp_path_factory) -> Iterator[World]:
    for component in ("rbac", "crds", "policies"):
        install(component)
    one = World(cluster, tmp_path_factory.mktemp("world"))
    yield one
    one.stop()


@pytest.fixture(scope="module")
def running(request, world) -> Iterator[dict[str, Future]]:
    """What comes of the stories of the module, which it keeps under the name STORIES.

    Those that were chosen are started all at once, on an operator of their namespaces.
    """
    stories: Stories = request.module.STORIES
    chosen = [name for name in stories
              if any(f"[{name}]" in item.name and item.path == request.path
                     for item in request.session.items)]
    namespaces = {name: f"{name[:40].replace('_', '-').strip('-')}-{secrets.token_hex(3)}"
                  for name in chosen}
    for namespace in namespaces.values():
        world.api.create({"apiVersion": "v1", "kind": "Namespace",
                          "metadata": {"name": namespace}})
    world.operator = Operator(
        world.cluster, service_account_kubeconfig(world.cluster),
        f"operator-{secrets.token_hex(3)}", (*world.flags, f"--config-namespace={NAMESPACE}",
        *(f"--namespace={namespace}" for namespace in namespaces.values())))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield {name: pool.submit(stories[name], stories.make(world, namespaces[name]))
               for name in chosen}
    world.operator.kill9()
    for namespace in namespaces.values():
        release_all(world.api, namespace, stories.make.kind)
        world.api.delete("Namespace", namespace)


def release_all(api: Api, namespace: str, kind: str = KIND) -> None:
    """No operator is left to drop finalizers; the namespace would never go."""
    for one in api.list(kind, namespace):
        api.patch(kind, one["metadata"]["name"], {"metadata": {"finalizers": None}}, namespace)
