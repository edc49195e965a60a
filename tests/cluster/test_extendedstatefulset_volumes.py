"""Volumes of an ExtendedStatefulSet on a real control plane: claims that follow their ordinals from
version to version."""

from __future__ import annotations

import secrets
import time
from concurrent.futures import Future
from typing import Any, Callable

import pytest

from harness.api import ApiError, Object
from harness.kubelets import UNREADY, ZONES
from harness.operator import NAMESPACE
from harness.recorder import Change, Recorder
from harness.waiting import wait_for
from harness.workloads import IMAGE_A, IMAGE_B, pod_template
from phased_world import Stories, World, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import KIND, LABEL, NAME, PREFIX, Extended

CLAIM = "PersistentVolumeClaim"


def claim_template(mode: str = "ReadWriteOnce", size: str = "1Gi",
                   storage_class: str | None = None) -> Object:
    named = {"storageClassName": storage_class} if storage_class else {}
    return {"metadata": {"name": "data"},
            "spec": {"accessModes": [mode], "resources": {"requests": {"storage": size}}, **named}}


def extended(namespace: str, replicas: int, mode: str, strategy: Object | None = None,
             **fields: Any) -> Object:
    inner: Object = {"replicas": replicas, "selector": {"matchLabels": {"app": NAME}},
                     "serviceName": NAME, "podManagementPolicy": "Parallel",
                     "template": pod_template(NAME),
                     "volumeClaimTemplates": [claim_template(mode)], **fields}
    return {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND,
            "metadata": {"name": NAME, "namespace": namespace},
            "spec": {"template": {"spec": inner}, "updateStrategy": strategy or {}}}


class Volumes(Extended):
    """One namespace with an ExtendedStatefulSet that has claims."""

    def begin(self, replicas: int = 3, mode: str = "ReadWriteOnce",  # type: ignore[override]
              strategy: Object | None = None, **fields: Any) -> dict[str, str]:
        self.api.create(extended(self.namespace, replicas, mode, strategy, **fields))
        self.wait_until_served(1)
        return self.claims()

    def begin_and_hand_over_half(self) -> dict[str, str]:
        """Two of four ordinals, and there it rests."""
        before = self.begin(4, strategy={"gates": {"pause": {}}})
        self.change_image(IMAGE_B)
        self.wait_for_reason("StepPaused")
        self.says("promote")
        self.wait_until_shared_out(2, 2)
        return before

    def wait_until_shared_out(self, first: int, second: int) -> None:
        """So many ordinals for version 1, and those above them for version 2."""
        wanted = {f"{NAME}-v{1 if i < first else 2}-{i}": f"data-{NAME}-{i}"
                  for i in range(first + second)}
        wait_for(f"{first} pods of version 1 and {second} of version 2", self.pods,
                 lambda seen: seen == wanted)

    def change(self, **inner: Any) -> None:
        self.api.patch(KIND, NAME, {"spec": {"template": {"spec": inner}}}, self.namespace)

    def claims(self, name: str = NAME) -> dict[str, str]:
        return {one["metadata"]["name"]: one["metadata"]["uid"]
                for one in self.api.list(CLAIM, self.namespace, {LABEL: name})}

    def sizes(self) -> set[str]:
        return {one["spec"]["resources"]["requests"]["storage"]
                for one in self.api.list(CLAIM, self.namespace, {LABEL: NAME})}

    def config_of(self, version: str) -> str:
        """The digest of what the pods of that StatefulSet are to read."""
        notes = self.sets()[version]["spec"]["template"]["metadata"]["annotations"]
        return notes[f"{PREFIX}/configsha1"]

    def bring_volumes(self, count: int, grow: bool) -> Object:
        """Volumes of a class of their own, and the template of claims that are bound to them."""
        name = self.namespace
        self.api.create({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                         "metadata": {"name": name}, "allowVolumeExpansion": grow,
                         "provisioner": "kubernetes.io/no-provisioner"})
        for ordinal in range(count):
            claim = {"apiVersion": "v1", "kind": CLAIM, "namespace": self.namespace,
                     "name": f"data-{NAME}-{ordinal}"}
            self.api.create({"apiVersion": "v1", "kind": "PersistentVolume",
                             "metadata": {"name": f"{name}-{ordinal}"},
                             "spec": {"storageClassName": name, "capacity": {"storage": "1Gi"},
                                      "accessModes": ["ReadWriteOnce"], "claimRef": claim,
                                      "hostPath": {"path": f"/tmp/{name}-{ordinal}"}}})
        return claim_template(storage_class=name)

    def wait_until_bound(self) -> None:
        """A pod may run before that, and until then no claim grows."""
        wait_for("the claims to be bound", lambda: {
            one["status"].get("phase") for one in self.api.list(CLAIM, self.namespace)},
            lambda seen: seen == {"Bound"})

    def pods(self, name: str = NAME) -> dict[str, str]:
        """Each pod, and the claim that it has."""
        return {pod["metadata"]["name"]: claim_of(pod)
                for pod in self.api.list("Pod", self.namespace, {LABEL: name})}


def claims_current(status: Object) -> Object:
    """The condition."""
    return next(one for one in status["conditions"] if one["type"] == "ClaimsCurrent")


def claim_of(pod: Object) -> str:
    return next(one["persistentVolumeClaim"]["claimName"] for one in pod["spec"]["volumes"]
                if "persistentVolumeClaim" in one)


def shared_claims(changes: list[Change]) -> list[str]:
    """Claims that two pods had at once, in the order in which the server tells of pods."""
    holders: dict[str, str] = {}
    shared = []
    for change in changes:
        pod = change.object
        claim, uid = claim_of(pod), pod["metadata"]["uid"]
        if holders.setdefault(claim, uid) != uid:
            shared.append(f"{pod['metadata']['name']}: {claim}")
        if change.type == "DELETED":
            holders.pop(claim)
    return shared


def made_pods(changes: list[Change]) -> list[str]:
    """In the order in which they were made."""
    return [one.object["metadata"]["name"] for one in changes if one.type == "ADDED"]


STORIES = Stories(Volumes)


@STORIES.add
def claims_follow_their_ordinals(s: Volumes) -> None:
    before = s.begin()
    assert sorted(before) == [f"data-{NAME}-{i}" for i in range(3)]
    assert s.pods() == {f"{NAME}-v1-{i}": f"data-{NAME}-{i}" for i in range(3)}
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.change_image(IMAGE_B)
        s.wait_until_served(2)
        s.change_image(IMAGE_A)
        s.wait_until_served(3)
    assert s.pods() == {f"{NAME}-v3-{i}": f"data-{NAME}-{i}" for i in range(3)}
    assert s.claims() == before, "the same claims, by their UIDs"
    assert shared_claims(recorder.changes) == []


@STORIES.add
def a_canary_that_fails_gives_its_claim_back(s: Volumes) -> None:
    before = s.begin(strategy={"canaryDeadlineSeconds": 3})
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.change_image(IMAGE_B, UNREADY)
        s.wait_for("the way back", lambda seen: seen.get("reason") == "RolledBack", NAME)
        s.wait_until_shared_out(3, 0)
    assert s.claims() == before
    assert shared_claims(recorder.changes) == []


@STORIES.add
def aborted_in_the_middle_ordinals_go_back_with_their_claims(s: Volumes) -> None:
    before = s.begin_and_hand_over_half()
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.says("abort")
        s.wait_for_reason("RolledBack")
        s.wait_until_shared_out(4, 0)
        s.change_spec({"updateStrategy": {"gates": None}}, NAME)
        s.says("retry")
        s.wait_until_served(2)
    back, again = [f"{NAME}-v1-{i}" for i in (2, 3)], [f"{NAME}-v2-{i}" for i in (3, 2, 1, 0)]
    assert made_pods(recorder.changes) == back + again, "the lowest goes back first"
    assert shared_claims(recorder.changes) == []
    s.wait_until_shared_out(0, 4)
    assert s.claims() == before, "the same claims, by their UIDs"


@STORIES.add
def scaled_in_the_middle_ordinals_keep_their_claims(s: Volumes) -> None:
    before = s.begin(3, strategy={"gates": {"pause": {}}})
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.change_image(IMAGE_B)
        s.wait_until_shared_out(2, 1)
        for replicas in (4, 2):
            s.api.kubectl("-n", s.namespace, "scale", "ests", NAME, f"--replicas={replicas}")
            s.wait_until_shared_out(replicas - 1, 1)
        s.change_spec({"updateStrategy": {"gates": None}}, NAME)
        s.wait_until_served(2)
    s.wait_until_shared_out(0, 2)
    assert shared_claims(recorder.changes) == []
    assert sorted(s.claims()) == [f"data-{NAME}-{i}" for i in range(4)]
    assert before.items() <= s.claims().items(), "the same claims, by their UIDs"


@STORIES.add
def each_zone_has_claims_of_its_own(s: Volumes) -> None:
    manifest = extended(s.namespace, 2, "ReadWriteOnce", persistentVolumeClaimRetentionPolicy={
        "whenScaled": "Delete"})
    manifest["spec"]["zones"] = list(ZONES[:2])
    s.api.create(manifest)
    s.wait_until_served(1)

    def pods_of(version: int) -> dict[str, str]:
        return {f"{NAME}-z{zone}-v{version}-{i}": f"data-{NAME}-z{zone}-{i}"
                for zone in (0, 1) for i in (1, 0)}

    before = s.claims()
    assert set(before) == set(pods_of(1).values())
    assert s.pods() == pods_of(1)
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.change_image(IMAGE_B)
        s.wait_until_served(2)
    assert s.pods() == pods_of(2)
    assert made_pods(recorder.changes) == list(pods_of(2)), "one zone after the other"
    assert shared_claims(recorder.changes) == []
    assert s.claims() == before, "the same claims, by their UIDs"
    label = {LABEL: NAME, f"{PREFIX}/az-index": "1"}
    stray = {"apiVersion": "v1", "kind": CLAIM, "spec": claim_template()["spec"], "metadata": {
        "name": f"data-{NAME}-z0-7", "namespace": s.namespace, "labels": label}}
    with pytest.raises(ApiError, match="only claims of an ExtendedStatefulSet"):
        s.world.operator_api().create(stray)
    s.api.kubectl("-n", s.namespace, "scale", "ests", NAME, "--replicas=1")
    kept = {f"data-{NAME}-z{zone}-0" for zone in (0, 1)}
    wait_for("the claims of ordinal 0", s.claims, lambda seen: set(seen) == kept)
    assert s.claims().items() <= before.items()


@STORIES.add
def shared_claims_let_versions_stand_side_by_side(s: Volumes) -> None:
    before = s.begin(2, "ReadWriteMany", {"gates": {"pause": {}}})
    s.change_image(IMAGE_B)
    both = {f"{NAME}-v1-0", f"{NAME}-v1-1", f"{NAME}-v2-0"}
    wait_for("both versions", s.pods, lambda seen: set(seen) == both)
    assert s.pods()[f"{NAME}-v2-0"] == f"data-{NAME}-0"
    s.wait_for_reason("StepPaused")
    s.says("promote")
    s.wait_until_served(2)
    s.wait_until_shared_out(0, 2)
    assert s.claims() == before


@STORIES.add
def retained_claims_outlive_their_object(s: Volumes) -> None:
    before = s.begin(2)
    s.api.kubectl("-n", s.namespace, "scale", "ests", NAME, "--replicas=1")
    wait_for("one pod", s.pods, lambda seen: list(seen) == [f"{NAME}-v1-0"])
    assert s.claims() == before
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("no pods", s.pods, lambda seen: not seen)
    assert s.claims() == before
    assert s.begin(2) == before, "who makes it again finds its data"


@STORIES.add
def claims_go_where_the_object_says_so(s: Volumes) -> None:
    s.begin(2, persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete",
                                                     "whenDeleted": "Delete"})
    s.api.kubectl("-n", s.namespace, "scale", "ests", NAME, "--replicas=1")
    wait_for("one claim", s.claims, lambda seen: list(seen) == [f"data-{NAME}-0"])
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("no claims", s.claims, lambda seen: not seen)


@STORIES.add
def claims_grow_and_change_in_nothing_else(s: Volumes) -> None:
    small = s.bring_volumes(2, grow=True)
    before = s.begin(2, volumeClaimTemplates=[small])
    assert s.sizes() == {"1Gi"}
    for template, sentence in (
            (claim_template("ReadWriteMany", storage_class=s.namespace), "change but in size"),
            (claim_template(size="500Mi", storage_class=s.namespace), "claims can only grow")):
        with pytest.raises(ApiError, match=sentence):
            s.change(volumeClaimTemplates=[template])
    with pytest.raises(ApiError, match="cannot change but in size"):
        s.change(volumeClaimTemplates=None)
    with pytest.raises(ApiError, match="zones cannot change"):
        s.api.patch(KIND, NAME, {"spec": {"zones": ["zone-a"]}}, s.namespace)
    s.wait_until_bound()
    s.change(volumeClaimTemplates=[claim_template(size="2Gi", storage_class=s.namespace)])
    s.wait_for("the claims as they are wanted", lambda _: s.sizes() == {"2Gi"}, NAME)
    s.wait_for("that to be told", lambda seen: claims_current(seen)["status"] == "True", NAME)
    assert s.status(NAME)["versions"] == {"1": True}, "that is no other version"
    assert s.claims() == before, "the same claims, by their UIDs"


@STORIES.add
def claims_that_may_not_grow_are_told_and_stay(s: Volumes) -> None:
    small = s.bring_volumes(2, grow=False)
    before = s.begin(2, volumeClaimTemplates=[small])
    large = claim_template(size="2Gi", storage_class=s.namespace)
    s.wait_until_bound()
    s.change(volumeClaimTemplates=[large])
    told = s.wait_for("the refusal", lambda seen: (
        claims_current(seen)["reason"] == "ClaimRefused"), NAME)
    assert claims_current(told)["status"] == "False"
    message = claims_current(told)["message"]
    assert f"Claim data-{NAME}-0 cannot be changed" in message and "must support resize" in message
    assert s.claims() == before and s.sizes() == {"1Gi"}
    s.change_image(IMAGE_B)
    s.wait_until_served(2)
    assert s.claims() == before, "that holds up nothing"


@STORIES.add
def nobody_else_moves_ordinals_and_the_operator_keeps_to_its_claims(s: Volumes) -> None:
    s.begin(1)
    version = f"{NAME}-v1"
    with pytest.raises(ApiError, match="scale its ExtendedStatefulSet instead"):
        s.api.patch("StatefulSet", version, {"spec": {"replicas": 2}}, s.namespace)
    with pytest.raises(ApiError, match="scale its ExtendedStatefulSet instead"):
        s.api.patch("StatefulSet", version, {"spec": {"ordinals": {"start": 1}}}, s.namespace)
    with pytest.raises(Exception, match="scale its ExtendedStatefulSet instead"):
        s.api.kubectl("-n", s.namespace, "scale", "statefulset", version, "--replicas=2")
    operator = s.world.operator_api()
    claim = f"data-{NAME}-0"
    with pytest.raises(ApiError, match="keeps its claims"):
        operator.delete(CLAIM, claim, s.namespace)
    with pytest.raises(ApiError, match="may not change labels"):
        operator.patch(CLAIM, claim, {"metadata": {"labels": {"a": "b"}}}, s.namespace)
    owner = {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND, "name": NAME,
             "uid": s.api.get(KIND, NAME, s.namespace)["metadata"]["uid"]}
    with pytest.raises(ApiError, match="leaves its claims behind"):
        operator.patch(CLAIM, claim, {"metadata": {"ownerReferences": [owner]}}, s.namespace)
    mine = {"apiVersion": "v1", "kind": CLAIM, "metadata": {"name": "mine",
                                                            "namespace": s.namespace},
            "spec": claim_template()["spec"]}
    s.api.create(mine)
    with pytest.raises(ApiError, match="only claims of an ExtendedStatefulSet"):
        operator.patch(CLAIM, "mine", {"metadata": {"annotations": {"a": "b"}}}, s.namespace)


@STORIES.add
def the_example_of_the_document(s: Volumes) -> None:
    s.apply_example("## Volumes")
    wait_for("its pods", lambda: s.status("registry"),
             lambda seen: seen.get("phase") == "Ready" and seen["readyReplicas"] == 3)
    before = s.claims("registry")
    assert sorted(before) == [f"data-registry-{i}" for i in range(3)]
    s.change_template("registry")
    s.wait_for("the second version", lambda seen: (
        seen.get("phase") == "Ready" and seen["versions"] == {"2": True}), "registry")
    assert s.pods("registry") == {f"registry-v2-{i}": f"data-registry-{i}" for i in range(3)}
    assert s.claims("registry") == before, "the same claims, by their UIDs"


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()


def test_an_operator_that_is_killed_again_and_again_hands_over_both_ways_and_restarts_pods_once(
        world: World, namespace: str, operator: Callable[..., Any]) -> None:  # noqa: F811
    s = Volumes(world, namespace)
    flags = (f"--namespace={namespace}", f"--config-namespace={NAMESPACE}",
             "--apis=extendedstatefulset")
    s.api.kubectl("-n", namespace, "create", "rolebinding", "sluice-config",
                  "--clusterrole=sluice-config", f"--serviceaccount={NAMESPACE}:sluice")
    s.apply_example("## Volumes")
    s.apply_example("## Restarts when ConfigMaps and Secrets change")
    first = operator(*flags)
    before = s.begin_and_hand_over_half()
    for name in ("registry", "follower"):
        s.wait_for("the first version", lambda seen: seen.get("phase") == "Ready", name)
    claims, config = s.claims("registry"), s.config_of("follower-v1")
    with Recorder(s.api, "Pod", namespace) as recorder:
        s.api.patch("ConfigMap", "example-config", {"data": {"key1": "value2"}}, namespace)
        wait_for("the restart to begin", lambda: s.config_of("follower-v1"),
                 lambda seen: seen != config, pause=0.02)
        s.change_template("registry")
        s.says("abort")
        wait_for("both to begin", s.sets, lambda seen: (
            "registry-v2" in seen and seen[f"{NAME}-v2"]["spec"]["replicas"] < 2), pause=0.02)
        first.kill9()
        for i in range(8):
            one = operator(*flags, ready=False)
            time.sleep(0.15 + 0.05 * (secrets.randbelow(6) + i))
            one.kill9()
        operator(*flags)
        s.wait_for("the second version", lambda seen: (
            seen.get("phase") == "Ready" and seen["versions"] == {"2": True}), "registry")
        s.wait_for("the end of the restart", lambda seen: seen.get("phase") == "Ready", "follower")
        s.wait_for_reason("RolledBack")
        s.wait_until_shared_out(4, 0)
    assert s.claims() == before, "the same claims, by their UIDs"
    assert s.claims("registry") == claims and s.status("follower")["versions"] == {"1": True}
    assert s.pods("registry") == {f"registry-v2-{i}": f"data-registry-{i}" for i in range(3)}
    with_claims = [one for one in recorder.changes
                   if not one.object["metadata"]["name"].startswith("follower")]
    assert shared_claims(with_claims) == []
    assert sorted(made_pods(recorder.changes)) == [
        "follower-v1-0", "follower-v1-1", f"{NAME}-v1-2", f"{NAME}-v1-3",
        *(f"registry-v2-{i}" for i in range(3))], "each of them once"
    s.api.delete(KIND, "follower", namespace)  # its finalizer is the operator's to take away
    wait_for("it to be gone", lambda: s.api.find(KIND, "follower", namespace) or 0,
             lambda seen: seen == 0)
