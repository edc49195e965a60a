"""Life cycles of StatefulSets, Jobs and owners, and the state that each of them ends in.

A trace waits for what both clusters must come to, and returns what is then to be seen. In what
order the pods got there is left to each cluster.
"""

from __future__ import annotations

from typing import Any, Callable

from harness.api import Api, ApiError, Object, has_condition
from harness.kubelets import BEHAVIOUR
from harness.waiting import wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, IMAGE_C, change_image, create_ready, lose_volume,
                               pods, scale, set_partition, statefulset, wait_for_pods,
                               wait_until_settled)

from .objects import config_map, job

Trace = Callable[[Api, str], Any]
TRACES: dict[str, Trace] = {}

_FAR = 1000000
_EMBEDDED_BEHAVIOUR = "sim.sluice.dev/behaviour"
_COUNTS = ("replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas",
           "observedGeneration", "collisionCount")


def trace(function: Trace) -> Trace:
    TRACES[function.__name__.replace("_", " ")] = function
    return function


def behaving(real: str, embedded: str) -> dict[str, str]:
    """The two clusters play kubelets of their own, with words of their own."""
    return {BEHAVIOUR: real, _EMBEDDED_BEHAVIOUR: embedded}


UNREADY = behaving("unready", "unready")
FAILING = behaving("failing", "fail")


def end_state(api: Api, ns: str, name: str = "web") -> Object:
    """What is to be seen of a StatefulSet; revisions are called by the image they stand for."""
    seen = api.get("StatefulSet", name, ns)
    revisions = api.list("ControllerRevision", ns)
    image_of = {one["metadata"]["name"]: _image(one["data"]) for one in revisions}
    status = seen["status"]
    return {
        "pods": [(pod.ordinal, image_of.get(pod.revision), pod.image, pod.ready)
                 for pod in pods(api, ns, name)],
        "counts": {key: status.get(key, 0) for key in _COUNTS},
        "current": image_of.get(status.get("currentRevision")),
        "update": image_of.get(status.get("updateRevision")),
        "generation": seen["metadata"]["generation"],
        "strategy": seen["spec"]["updateStrategy"],
        "revisions": sorted((one["revision"], _image(one["data"])) for one in revisions),
        "claims": sorted(claim["metadata"]["name"]
                         for claim in api.list("PersistentVolumeClaim", ns)),
    }


def _image(holder: Object) -> str:
    return holder["spec"]["template"]["spec"]["containers"][0]["image"]


def start(api: Api, ns: str, replicas: int = 3, **more: Any) -> None:
    create_ready(api, statefulset("web", ns, replicas, **more))
    wait_until_counted(api, ns)


def wait_until_counted(api: Api, ns: str) -> None:
    """The status agrees with the pods: their revisions, too, have been counted.

    While pods are on their way out the status may agree with what was there before, and so may a
    status from before the last change of the spec.
    """

    def is_counted(_: object) -> bool:
        found = api.get("StatefulSet", "web", ns)
        status = found.get("status", {})
        if status.get("observedGeneration") != found["metadata"]["generation"]:
            return False
        seen = pods(api, ns, "web")

        def of(revision: str) -> int:
            return sum(pod.revision == status.get(revision) for pod in seen)

        return (len(api.list("Pod", ns, {"app": "web"})) == len(seen)
                and status.get("replicas", 0) == len(seen)
                and status.get("readyReplicas", 0) == sum(pod.ready for pod in seen)
                and status.get("currentReplicas", 0) == of("currentRevision")
                and status.get("updatedReplicas", 0) == of("updateRevision"))

    wait_for("the status to agree with the pods", lambda: None, is_counted)
    wait_until_seen(api, ns)


def wait_until_seen(api: Api, ns: str) -> None:
    wait_for("the controller to see the last change", lambda: api.get("StatefulSet", "web", ns),
             lambda obj: obj.get("status", {}).get("observedGeneration")
             == obj["metadata"]["generation"])


def rolled(api: Api, ns: str, *images: str) -> Object:
    wait_for_pods(api, ns, "web", list(images))
    wait_until_counted(api, ns)
    return end_state(api, ns)


def wait_for_current(api: Api, ns: str, image: str) -> Object:
    """The controller has declared the update complete."""
    return wait_for(f"the revision of {image} to be current", lambda: end_state(api, ns),
                    lambda state: state["current"] == image)


@trace
def created_in_order(api: Api, ns: str) -> Any:
    start(api, ns)
    return end_state(api, ns)


@trace
def created_in_parallel(api: Api, ns: str) -> Any:
    start(api, ns, pod_management_policy="Parallel")
    return end_state(api, ns)


@trace
def ordinals_change_hands(api: Api, ns: str) -> Any:
    """In one write with their number, upward and downward again."""
    start(api, ns, pod_management_policy="Parallel")
    states = []
    for first, count in ((0, 2), (2, 1), (1, 2), (0, 0), (1, 1)):
        api.patch("StatefulSet", "web", {"spec": {"ordinals": {"start": first},
                                                  "replicas": count}}, ns)
        wanted = list(range(first, first + count))
        wait_for(f"the ordinals {wanted}", lambda: pods(api, ns, "web"),
                 lambda seen: [pod.ordinal for pod in seen if pod.ready] == wanted == [
                     pod.ordinal for pod in seen])
        wait_until_counted(api, ns)
        states.append(end_state(api, ns))
    return states


@trace
def an_unready_pod_holds_the_ones_after_it(api: Api, ns: str) -> Any:
    api.create(statefulset("web", ns, 3, pod_annotations=UNREADY))
    wait_for("the first pod", lambda: pods(api, ns, "web"))
    wait_until_counted(api, ns)
    return end_state(api, ns)


@trace
def unready_pods_hold_nobody_in_parallel(api: Api, ns: str) -> Any:
    api.create(statefulset("web", ns, 3, pod_annotations=UNREADY,
                           pod_management_policy="Parallel"))
    wait_for("all pods", lambda: pods(api, ns, "web"), lambda seen: len(seen) == 3)
    wait_until_counted(api, ns)
    return end_state(api, ns)


@trace
def scaled_up_and_down(api: Api, ns: str) -> Any:
    start(api, ns, 1, claim="data")
    states = []
    for replicas in (3, 2, 0):
        scale(api, ns, "web", replicas)
        wait_until_settled(api, ns, "web")
        wait_until_counted(api, ns)
        states.append(end_state(api, ns))
    return states


@trace
def rolled_in_steps(api: Api, ns: str) -> Any:
    start(api, ns, partition=3)
    change_image(api, ns, "web", IMAGE_B)
    wait_until_counted(api, ns)
    states = [end_state(api, ns)]
    for partition, images in ((2, (IMAGE_A, IMAGE_A, IMAGE_B)), (1, (IMAGE_A, IMAGE_B, IMAGE_B)),
                              (0, (IMAGE_B,) * 3)):
        set_partition(api, ns, "web", partition)
        states.append(rolled(api, ns, *images))
    states[-1] = wait_for_current(api, ns, IMAGE_B)
    return states


@trace
def rolled_without_a_strategy(api: Api, ns: str) -> Any:
    start(api, ns)
    change_image(api, ns, "web", IMAGE_B)
    wait_for_pods(api, ns, "web", [IMAGE_B] * 3)
    return wait_for_current(api, ns, IMAGE_B)


@trace
def raising_the_partition_rolls_nothing_back(api: Api, ns: str) -> Any:
    """K1"""
    start(api, ns, partition=1)
    change_image(api, ns, "web", IMAGE_B)
    states = [rolled(api, ns, IMAGE_A, IMAGE_B, IMAGE_B)]
    set_partition(api, ns, "web", 3)
    wait_until_counted(api, ns)
    states.append(end_state(api, ns))
    old = pods(api, ns, "web")[2].uid
    api.delete("Pod", "web-2", ns)
    wait_for("another pod", lambda: pods(api, ns, "web"),
             lambda seen: len(seen) == 3 and seen[2].uid != old)
    states.append(rolled(api, ns, IMAGE_A, IMAGE_B, IMAGE_A))
    return states


@trace
def a_template_change_releases_all_above_the_partition(api: Api, ns: str) -> Any:
    """K2"""
    start(api, ns, partition=1)
    change_image(api, ns, "web", IMAGE_B)
    rolled(api, ns, IMAGE_A, IMAGE_B, IMAGE_B)
    change_image(api, ns, "web", IMAGE_C)
    return rolled(api, ns, IMAGE_A, IMAGE_C, IMAGE_C)


@trace
def new_pods_above_the_partition_are_new(api: Api, ns: str) -> Any:
    """K3"""
    start(api, ns, 2, partition=2)
    change_image(api, ns, "web", IMAGE_B)
    scale(api, ns, "web", 4)
    return rolled(api, ns, IMAGE_A, IMAGE_A, IMAGE_B, IMAGE_B)


@trace
def new_pods_below_the_partition_are_old(api: Api, ns: str) -> Any:
    """K3"""
    start(api, ns, 2, partition=_FAR)
    change_image(api, ns, "web", IMAGE_B)
    scale(api, ns, "web", 3)
    return rolled(api, ns, IMAGE_A, IMAGE_A, IMAGE_A)


@trace
def scaling_to_zero_completes_a_held_update(api: Api, ns: str) -> Any:
    """K4"""
    start(api, ns, 2, partition=_FAR)
    change_image(api, ns, "web", IMAGE_B)
    wait_until_counted(api, ns)
    scale(api, ns, "web", 0)
    wait_for("no pods", lambda: pods(api, ns, "web"), lambda seen: not seen)
    wait_for_current(api, ns, IMAGE_B)
    scale(api, ns, "web", 2)
    return rolled(api, ns, IMAGE_B, IMAGE_B)


@trace
def a_partition_counts_from_the_first_ordinal(api: Api, ns: str) -> Any:
    """K5"""
    start(api, ns, 3, partition=1, ordinals_start=5)
    change_image(api, ns, "web", IMAGE_B)
    return rolled(api, ns, IMAGE_A, IMAGE_B, IMAGE_B)


@trace
def whoever_comes_back_under_on_delete_is_new(api: Api, ns: str) -> Any:
    """K7"""
    start(api, ns, update_strategy="OnDelete")
    change_image(api, ns, "web", IMAGE_B)
    wait_until_counted(api, ns)
    api.delete("Pod", "web-1", ns)
    return rolled(api, ns, IMAGE_A, IMAGE_B, IMAGE_A)


@trace
def a_broken_pod_is_not_replaced_by_a_repair(api: Api, ns: str) -> Any:
    """K8"""
    start(api, ns)
    broken = {"metadata": {"annotations": UNREADY},
              "spec": {"containers": [{"name": "app", "image": IMAGE_B}]}}
    api.patch("StatefulSet", "web", {"spec": {"template": broken}}, ns, patch_type="strategic")
    wait_for("a broken pod", lambda: pods(api, ns, "web"),
             lambda seen: len(seen) == 3 and seen[2].image == IMAGE_B and not seen[2].ready)
    wait_until_counted(api, ns)
    repaired = {"metadata": {"annotations": {key: None for key in UNREADY}},
                "spec": {"containers": [{"name": "app", "image": IMAGE_C}]}}
    api.patch("StatefulSet", "web", {"spec": {"template": repaired}}, ns, patch_type="strategic")
    wait_until_counted(api, ns)
    states = [end_state(api, ns)]
    api.delete("Pod", "web-2", ns)
    wait_for_pods(api, ns, "web", [IMAGE_C] * 3)
    states.append(wait_for_current(api, ns, IMAGE_C))
    return states


@trace
def an_old_template_gets_its_old_revision(api: Api, ns: str) -> Any:
    """K9"""
    start(api, ns, 1)
    states = []
    for image in (IMAGE_B, IMAGE_A, IMAGE_B):
        change_image(api, ns, "web", image)
        wait_for_pods(api, ns, "web", [image])
        states.append(wait_for_current(api, ns, image))
    return states


@trace
def a_history_that_is_limited(api: Api, ns: str) -> Any:
    manifest = statefulset("web", ns, 1)
    manifest["spec"]["revisionHistoryLimit"] = 1
    create_ready(api, manifest)
    for image in (IMAGE_B, IMAGE_C, "app:d"):
        change_image(api, ns, "web", image)
        wait_for_pods(api, ns, "web", [image])
        wait_for_current(api, ns, image)
    wait_for("old revisions to go", lambda: api.list("ControllerRevision", ns),
             lambda seen: len(seen) == 2)
    wait_until_counted(api, ns)
    return end_state(api, ns)


@trace
def pods_are_available_after_a_while(api: Api, ns: str) -> Any:
    start(api, ns, 2, min_ready_seconds=1)
    wait_for("both to be available", lambda: api.get("StatefulSet", "web", ns),
             lambda obj: obj["status"].get("availableReplicas") == 2)
    change_image(api, ns, "web", IMAGE_B)
    wait_for_current(api, ns, IMAGE_B)
    return wait_for("both to be available again", lambda: end_state(api, ns),
                    lambda state: state["counts"]["availableReplicas"] == 2)


@trace
def another_first_ordinal(api: Api, ns: str) -> Any:
    start(api, ns, 2)
    states = []
    for first, wanted in ((1, [1, 2]), (0, [0, 1])):
        api.patch("StatefulSet", "web", {"spec": {"ordinals": {"start": first}}}, ns)
        wait_for("the pods with the new numbers", lambda: pods(api, ns, "web"),
                 lambda seen: [pod.ordinal for pod in seen] == wanted  # noqa: B023
                 and all(pod.ready for pod in seen))
        wait_until_counted(api, ns)
        states.append(end_state(api, ns))
    return states


@trace
def claims_go_with_the_pods_that_go(api: Api, ns: str) -> Any:
    manifest = statefulset("web", ns, 3, claim="data")
    manifest["spec"]["persistentVolumeClaimRetentionPolicy"] = {
        "whenScaled": "Delete", "whenDeleted": "Delete"}
    create_ready(api, manifest)
    scale(api, ns, "web", 1)
    claims = wait_for("the claims to go", lambda: names(api, "PersistentVolumeClaim", ns),
                      lambda seen: len(seen) == 1)
    wait_until_counted(api, ns)
    state = end_state(api, ns)
    api.delete("StatefulSet", "web", ns)
    wait_for("everything to go", lambda: names(api, "PersistentVolumeClaim", ns),
             lambda seen: not seen)
    return claims, state


@trace
def claims_stay_behind(api: Api, ns: str) -> Any:
    start(api, ns, 2, claim="data")
    api.delete("StatefulSet", "web", ns)
    wait_for("the pods to go", lambda: names(api, "Pod", ns), lambda seen: not seen)
    wait_for("the revisions to go", lambda: names(api, "ControllerRevision", ns),
             lambda seen: not seen)
    left = names(api, "PersistentVolumeClaim", ns)
    start(api, ns, 2, claim="data")
    return left, end_state(api, ns)


def claim_state(api: Api, ns: str) -> Object:
    return state_of(api.get("PersistentVolumeClaim", "data-web-0", ns))


def state_of(claim: Object) -> Object:
    spec, status = claim["spec"], claim.get("status", {})
    return {"phase": status.get("phase"), "finalizers": claim["metadata"].get("finalizers"),
            "has a volume": bool(spec.get("volumeName")), "asked for": spec["resources"],
            "modes": status.get("accessModes"), "capacity": status.get("capacity"),
            "mode": spec.get("volumeMode")}


def wait_until_bound(api: Api, ns: str) -> Object:
    return wait_for("the claim to be bound", lambda: claim_state(api, ns),
                    lambda seen: seen["phase"] == "Bound")


@trace
def a_claim_is_bound_and_protected(api: Api, ns: str) -> Any:
    start(api, ns, 1, claim="data")
    bound = wait_until_bound(api, ns)
    api.delete("PersistentVolumeClaim", "data-web-0", ns)
    leaving = claim_state(api, ns)
    scale(api, ns, "web", 0)
    wait_for("the claim to go", lambda: names(api, "PersistentVolumeClaim", ns),
             lambda seen: not seen)
    return bound, leaving


@trace
def a_claim_whose_volume_is_gone(api: Api, ns: str) -> Any:
    start(api, ns, 1, claim="data")
    return state_of(lose_volume(api, "data-web-0", ns))


def grow(api: Api, ns: str, size: str) -> Any:
    try:
        api.patch("PersistentVolumeClaim", "data-web-0", {
            "spec": {"resources": {"requests": {"storage": size}}}}, ns)
    except ApiError as error:
        return error.status, str(error).split(": ", 1)[1]
    return "taken"


@trace
def a_claim_that_is_to_grow(api: Api, ns: str) -> Any:
    """Who makes volumes larger is no part of a control plane; that is seen in the embedded one."""
    start(api, ns, 1, claim="data")
    wait_until_bound(api, ns)
    refused = grow(api, ns, "2Gi"), claim_state(api, ns)
    usual = next(one["metadata"]["name"] for one in api.list("StorageClass") if one["metadata"].get(
        "annotations", {}).get("storageclass.kubernetes.io/is-default-class") == "true")
    api.patch("StorageClass", usual, {"allowVolumeExpansion": True})
    try:
        grown = wait_for("it to grow", lambda: grow(api, ns, "2Gi"), lambda said: said == "taken")
    finally:
        api.patch("StorageClass", usual, {"allowVolumeExpansion": None})
    return refused, grown, api.get("PersistentVolumeClaim", "data-web-0", ns)["spec"]["resources"]


@trace
def orphans_are_adopted(api: Api, ns: str) -> Any:
    start(api, ns, 2)
    before = [pod.uid for pod in pods(api, ns, "web")]
    api.delete("StatefulSet", "web", ns, propagation="Orphan")
    wait_for("the set to go", lambda: api.find("StatefulSet", "web", ns), lambda seen: not seen)
    orphans = wait_for("the pods to be nobody's", lambda: api.list("Pod", ns), lambda seen: all(
        "ownerReferences" not in pod["metadata"] for pod in seen))
    start(api, ns, 2)
    return len(orphans), [pod.uid for pod in pods(api, ns, "web")] == before, end_state(api, ns)


@trace
def a_pod_that_is_deleted_comes_back(api: Api, ns: str) -> Any:
    start(api, ns)
    old = pods(api, ns, "web")[1].uid
    api.delete("Pod", "web-1", ns)
    wait_for("another pod", lambda: pods(api, ns, "web"),
             lambda seen: len(seen) == 3 and seen[1].uid != old and seen[1].ready)
    wait_until_counted(api, ns)
    return end_state(api, ns)


@trace
def a_pod_that_fails_is_made_again(api: Api, ns: str) -> Any:
    start(api, ns)
    old = pods(api, ns, "web")[1].uid
    api.annotate("Pod", "web-1", ns, FAILING)
    wait_for("another pod", lambda: pods(api, ns, "web"),
             lambda seen: len(seen) == 3 and seen[1].uid != old and seen[1].ready)
    wait_until_counted(api, ns)
    return end_state(api, ns)


def job_state(api: Api, ns: str) -> Object:
    status = api.get("Job", "one", ns).get("status", {})
    return {"counts": {key: status.get(key, 0) for key in ("succeeded", "failed", "active",
                                                           "ready", "terminating")},
            "conditions": sorted((c["type"], c["status"], c.get("reason", ""))
                                 for c in status.get("conditions", [])),
            "times": sorted({"startTime", "completionTime"} & set(status)),
            "uncounted": status.get("uncountedTerminatedPods"),
            "pods": sorted(pod["status"]["phase"] for pod in api.list("Pod", ns))}


def wait_for_job(api: Api, ns: str, condition: str) -> Object:
    wait_for(f"the job to be {condition}", lambda: api.get("Job", "one", ns),
             lambda seen: has_condition(seen, condition))
    return job_state(api, ns)


def in_namespace(obj: Object, ns: str) -> Object:
    obj["metadata"]["namespace"] = ns
    return obj


@trace
def a_job_that_succeeds(api: Api, ns: str) -> Any:
    api.create(in_namespace(job(completions=2), ns))
    return wait_for_job(api, ns, "Complete")


@trace
def a_job_that_fails(api: Api, ns: str) -> Any:
    one = in_namespace(job(backoffLimit=0), ns)
    one["spec"]["template"]["metadata"] = {"annotations": FAILING}
    api.create(one)
    return wait_for_job(api, ns, "Failed")


@trace
def a_job_takes_its_pods_along(api: Api, ns: str) -> Any:
    api.create(in_namespace(job(), ns))
    wait_for_job(api, ns, "Complete")
    api.delete("Job", "one", ns)
    wait_for("the pods to go", lambda: names(api, "Pod", ns), lambda seen: not seen)
    return api.find("Job", "one", ns)


def names(api: Api, kind: str, ns: str) -> list[str]:
    return sorted(obj["metadata"]["name"] for obj in api.list(kind, ns))


def family(api: Api, ns: str) -> None:
    """A parent, a child, a grandchild; and a child of somebody else, too."""
    def made(name: str, *owners: Object, blocks: bool = True) -> Object:
        obj = in_namespace(config_map(name), ns)
        obj["metadata"]["ownerReferences"] = [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": one["metadata"]["name"],
             "uid": one["metadata"]["uid"], "blockOwnerDeletion": blocks} for one in owners]
        return api.create(obj)

    parent, other = made("parent"), made("other")
    child = made("child", parent)
    made("grandchild", child)
    made("shared", parent, other, blocks=False)


def relatives(api: Api, ns: str) -> dict[str, list[str]]:
    return {obj["metadata"]["name"]: sorted(owner["name"] for owner in
                                            obj["metadata"].get("ownerReferences", []))
            for obj in api.list("ConfigMap", ns) if obj["metadata"]["name"] != "kube-root-ca.crt"}


def after_the_parent(api: Api, ns: str, policy: str, left: set[str]) -> Any:
    family(api, ns)
    api.delete("ConfigMap", "parent", ns, propagation=policy)
    return wait_for("the family to settle", lambda: relatives(api, ns),
                    lambda seen: set(seen) == left and "parent" not in seen.get("shared", []))


@trace
def dependents_go_in_the_background(api: Api, ns: str) -> Any:
    return after_the_parent(api, ns, "Background", {"other", "shared"})


@trace
def dependents_go_first(api: Api, ns: str) -> Any:
    return after_the_parent(api, ns, "Foreground", {"other", "shared"})


@trace
def dependents_are_left_alone(api: Api, ns: str) -> Any:
    return after_the_parent(api, ns, "Orphan", {"other", "shared", "child", "grandchild"})


@trace
def an_owner_that_never_was(api: Api, ns: str) -> Any:
    stray = in_namespace(config_map("stray"), ns)
    stray["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x",
                                             "uid": "00000000-0000-0000-0000-000000000000"}]
    api.create(stray)
    return wait_for("the stray to go", lambda: relatives(api, ns), lambda seen: not seen)


@trace
def a_set_goes_after_its_pods(api: Api, ns: str) -> Any:
    start(api, ns, 2)
    api.delete("StatefulSet", "web", ns, propagation="Foreground")
    wait_for("the set to go", lambda: api.find("StatefulSet", "web", ns), lambda seen: not seen)
    left = names(api, "Pod", ns)
    wait_for("the revisions to go", lambda: names(api, "ControllerRevision", ns),
             lambda seen: not seen)  # the controller may make one while the set is on its way out
    return left


@trace
def a_namespace_goes_with_all_in_it(api: Api, ns: str) -> Any:
    name = f"{ns}-more"
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    create_ready(api, statefulset("web", name, 2, claim="data"))
    api.create(in_namespace(config_map(), name))
    api.delete("Namespace", name)
    wait_for("the namespace to go", lambda: api.find("Namespace", name), lambda seen: not seen)
    return [names(api, kind, name) for kind in ("Pod", "ConfigMap", "StatefulSet",
                                                "PersistentVolumeClaim")]
