"""Workloads for tests: StatefulSets as manifests, and their pods as small values."""

from __future__ import annotations

import secrets
from typing import Any, Mapping, NamedTuple

from .api import Api, Object, has_condition
from .kubelets import BEHAVIOUR
from .waiting import DEADLINE, wait_for

IMAGE_A = "app:a"
IMAGE_B = "app:b"
IMAGE_C = "app:c"


class Pod(NamedTuple):
    ordinal: int
    uid: str
    revision: str
    image: str
    ready: bool


def statefulset(name: str, namespace: str, replicas: int = 3, *, image: str = IMAGE_A,
                labels: Mapping[str, str] | None = None,
                annotations: Mapping[str, str] | None = None,
                pod_annotations: Mapping[str, str] | None = None,
                partition: int | None = None, update_strategy: str = "RollingUpdate",
                pod_management_policy: str = "OrderedReady", ordinals_start: int | None = None,
                min_ready_seconds: int | None = None, claim: str | None = None) -> Object:
    """A manifest; what is None is left out. `claim` adds a volumeClaimTemplate of that name."""
    strategy: Object = {"type": update_strategy}
    if partition is not None:
        strategy["rollingUpdate"] = {"partition": partition}
    spec: Object = {
        "replicas": replicas,
        "serviceName": name,
        "podManagementPolicy": pod_management_policy,
        "selector": {"matchLabels": {"app": name}},
        "updateStrategy": strategy,
        "template": pod_template(name, image, pod_annotations),
    }
    if ordinals_start is not None:
        spec["ordinals"] = {"start": ordinals_start}
    if min_ready_seconds is not None:
        spec["minReadySeconds"] = min_ready_seconds
    if claim is not None:
        spec["volumeClaimTemplates"] = [claim_template(claim)]
    meta: Object = {"name": name, "namespace": namespace, "labels": dict(labels or {})}
    if annotations:
        meta["annotations"] = dict(annotations)
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta, "spec": spec}


def pod_template(app: str, image: str = IMAGE_A,
                 annotations: Mapping[str, str] | None = None) -> Object:
    meta: Object = {"labels": {"app": app}}
    if annotations:
        meta["annotations"] = dict(annotations)
    return {"metadata": meta,
            "spec": {"terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "app", "image": image}]}}


def claim_template(name: str) -> Object:
    return {"metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": "1Gi"}}}}


def lose_volume(api: Api, claim: str, namespace: str) -> Object:
    """As if the disk had died: what the claim was bound to is gone. The claim, as it is then."""
    volume = api.get("PersistentVolumeClaim", claim, namespace)["spec"]["volumeName"]

    def without_volume() -> Object:
        if api.find("PersistentVolume", volume):  # whoever makes volumes may make it once more
            api.delete("PersistentVolume", volume)
        if api.find("PersistentVolume", volume):
            api.patch("PersistentVolume", volume, {"metadata": {"finalizers": None}})
        return api.get("PersistentVolumeClaim", claim, namespace)

    def wait_for_loss() -> Object:
        return wait_for("the loss", without_volume,
                        lambda seen: seen["status"]["phase"] == "Lost", pause=0.5)

    def word_after_loss() -> str:
        wait_for_loss()  # each time: a volume that was made once more holds pods again
        return schedulers_word(api, claim, namespace)

    wait_for("the scheduler to know of it", word_after_loss,
             lambda word: "bound to non-existent persistentvolume" in word)
    return wait_for_loss()


def schedulers_word(api: Api, claim: str, namespace: str) -> str:
    """What it says to one more pod with that claim; empty: it gave it a node."""
    name = f"one-more-{secrets.token_hex(4)}"  # kubelets may still be at the one before
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
           "spec": {**pod_template("one-more")["spec"],
                    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}}
    api.create(pod)
    try:
        seen = wait_for("the scheduler", lambda: api.get(
            "Pod", name, namespace)["status"].get("conditions", []),
            lambda conditions: any(one["type"] == "PodScheduled" for one in conditions))
    finally:
        api.delete("Pod", name, namespace, grace=0)
    return next(one.get("message", "") for one in seen if one["type"] == "PodScheduled")


def change_image(api: Api, namespace: str, name: str, image: str,
                 behaviour: str | None = None) -> Object:
    """Changes the template as a user would; `behaviour` says how the new pods behave."""
    template = {"metadata": {"annotations": {BEHAVIOUR: behaviour}},
                "spec": {"containers": [{"name": "app", "image": image}]}}
    return api.patch("StatefulSet", name, {"spec": {"template": template}}, namespace,
                     patch_type="strategic")


def scale(api: Api, namespace: str, name: str, replicas: int) -> Object:
    return api.patch("StatefulSet", name, {"spec": {"replicas": replicas}}, namespace)


def set_partition(api: Api, namespace: str, name: str, partition: int) -> Object:
    strategy = {"rollingUpdate": {"partition": partition}}
    return api.patch("StatefulSet", name, {"spec": {"updateStrategy": strategy}}, namespace)


def partition(api: Api, namespace: str, name: str) -> int | None:
    strategy = api.get("StatefulSet", name, namespace)["spec"]["updateStrategy"]
    return strategy.get("rollingUpdate", {}).get("partition")


def set_behaviour(api: Api, namespace: str, pod: str, behaviour: str | None) -> None:
    """Makes a living pod unready, crashing or failing; None lets it be ready again."""
    api.annotate("Pod", pod, namespace, {BEHAVIOUR: behaviour})


def pods(api: Api, namespace: str, name: str) -> list[Pod]:
    """The pods of a StatefulSet in the order of their ordinals, without those being deleted."""
    return sorted(_pod(obj) for obj in api.list("Pod", namespace, {"app": name})
                  if _is_owned_by(obj, name) and "deletionTimestamp" not in obj["metadata"])


def images(api: Api, namespace: str, name: str) -> list[str]:
    return [pod.image for pod in pods(api, namespace, name)]


def wait_for_pods(api: Api, namespace: str, name: str, wanted: list[str],
                  deadline: float = DEADLINE) -> list[Pod]:
    """Waits until there is exactly one ready pod per wanted image, in the order of ordinals."""
    return wait_for(f"ready pods of {name} with images {wanted}",
                    lambda: pods(api, namespace, name),
                    lambda seen: [p.image for p in seen] == wanted and all(p.ready for p in seen),
                    deadline)


def wait_until_settled(api: Api, namespace: str, name: str, deadline: float = DEADLINE) -> Object:
    """Waits until the StatefulSet controller has seen the last change and all pods are ready."""
    return wait_for(f"StatefulSet {name} to settle",
                    lambda: api.get("StatefulSet", name, namespace), _is_settled, deadline)


def create_ready(api: Api, manifest: Object, deadline: float = DEADLINE) -> list[Pod]:
    meta = manifest["metadata"]
    api.create(manifest)
    wait_until_settled(api, meta["namespace"], meta["name"], deadline)
    return pods(api, meta["namespace"], meta["name"])


def _is_settled(obj: Object) -> bool:
    status: dict[str, Any] = obj.get("status", {})
    return (status.get("observedGeneration") == obj["metadata"]["generation"]
            and status.get("readyReplicas", 0) == obj["spec"]["replicas"]
            and status.get("replicas", 0) == obj["spec"]["replicas"])


def _pod(obj: Object) -> Pod:
    return Pod(ordinal=int(obj["metadata"]["name"].rsplit("-", 1)[1]),
               uid=obj["metadata"]["uid"],
               revision=obj["metadata"]["labels"].get("controller-revision-hash", ""),
               image=obj["spec"]["containers"][0]["image"],
               ready=has_condition(obj, "Ready"))


def _is_owned_by(obj: Object, statefulset_name: str) -> bool:
    return any(owner["kind"] == "StatefulSet" and owner["name"] == statefulset_name
               for owner in obj["metadata"].get("ownerReferences", []))
