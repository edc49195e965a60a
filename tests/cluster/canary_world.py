"""A namespace with a StatefulSet and a RolloutPlugin, as one story sees it."""

from __future__ import annotations

from typing import Any

from harness.api import Object
from harness.waiting import wait_for
from harness.workloads import IMAGE_A
from phased_world import NAME, SET, Story


class Canary(Story):
    """One namespace with a StatefulSet `web` and a RolloutPlugin `careful`."""

    kind = "RolloutPlugin"

    def begin_steps(self, steps: list[Object], replicas: int = 5,
                    background: Object | None = None, **fields: Any) -> None:
        """A set at rest in the hands of a RolloutPlugin."""
        self.create_set(replicas)
        self.create_plugin(steps, background, **fields)
        self.wait_for_phase("Healthy")
        assert self.partition() == replicas

    def create_plugin(self, steps: list[Object], background: Object | None = None,
                      **fields: Any) -> None:
        canary = {"steps": steps, **({"analysis": background} if background else {})}
        self.api.create({
            "apiVersion": "argoproj.io/v1alpha1", "kind": self.kind,
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {"workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": SET},
                     "plugin": {"name": "statefulset"},
                     "strategy": {"canary": canary}, **fields}})

    def command(self, **status: Any) -> None:
        self.api.patch(self.kind, NAME, {"status": status}, self.namespace, subresource="status")

    def wait_for_pause(self, index: int) -> Object:
        return self.wait_for(f"the pause at step {index}", lambda seen:
                             seen.get("phase") == "Paused" and seen["currentStepIndex"] == index
                             and seen.get("pauseConditions"))

    def wait_for_images(self, *images: str) -> None:
        wait_for(f"the pods to be {images}", self.images, lambda seen: seen == list(images),
                 pause=0.2)

    def wait_until_taken_back(self, image: str = IMAGE_A, replicas: int = 5) -> Object:
        """The rollout was aborted, and every pod is on the image of before."""
        told = self.wait_for_phase("Failed", "RolledBack")
        assert told["aborted"] and self.images() == [image] * replicas
        return told

    def finish(self, image: str, replicas: int = 5) -> Object:
        seen = self.wait_for_phase("Successful")
        assert self.images() == [image] * replicas
        assert self.partition() == replicas
        return seen
