"""ExtendedStatefulSet on a real control plane: what is served of what its document promises."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Callable, Iterator

import pytest

from harness.api import Api, ApiError, Object, has_condition
from harness.failure import HarnessError
from harness.hookserver import HookServer, allow, refuse
from harness.kubelets import BEHAVIOUR, UNREADY, ZONE_LABEL, ZONES
from harness.operator import NAMESPACE, may, sluice
from harness.places import REPOSITORY
from harness.recorder import Change, Recorder
from harness.waiting import stays, wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, IMAGE_C, pod_template, set_behaviour,
                               statefulset)
from phased_world import Stories, Story, World, running, world  # noqa: F401: fixtures

NAME = "ledger"
KIND = "ExtendedStatefulSet"
LABEL = "sluice.dev/extendedstatefulset"
PREFIX = "fissile.cloudfoundry.org"
ONLY_ITS_OWN = "only StatefulSets and revisions that an ExtendedStatefulSet controls"
AUTOSCALER = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"


def extended(namespace: str, replicas: int | None = 3, strategy: Object | None = None,
             **fields: Any) -> Object:
    inner: Object = {"selector": {"matchLabels": {"app": NAME}}, "serviceName": NAME,
                     "podManagementPolicy": "Parallel", "template": pod_template(NAME)}
    if replicas is not None:
        inner["replicas"] = replicas
    spec = {"template": {"spec": inner}, "updateStrategy": strategy or {}, **fields}
    return {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND,
            "metadata": {"name": NAME, "namespace": namespace}, "spec": spec}


def service(namespace: str, follows: str | None = NAME) -> Object:
    notes = {"sluice.dev/serves": follows} if follows else {}
    return {"apiVersion": "v1", "kind": "Service",
            "metadata": {"name": "door", "namespace": namespace, "annotations": notes},
            "spec": {"selector": {"app": NAME}, "ports": [{"port": 80}]}}


def may_scale(api: Api, namespace: str) -> None:
    """What the autoscaler may do with objects of any kind in a cluster that has its usual roles."""
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                "metadata": {"name": "scale", "namespace": namespace},
                "rules": [{"apiGroups": [PREFIX], "verbs": ["get", "patch", "update"],
                           "resources": ["extendedstatefulsets", "extendedstatefulsets/scale"]}]})
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": "scale", "namespace": namespace},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                            "name": "scale"},
                "subjects": [{"kind": "User", "name": AUTOSCALER,
                              "apiGroup": "rbac.authorization.k8s.io"}]})
    _, _, home, account = AUTOSCALER.split(":")
    wait_for("the right to be in force", lambda: may(
        api, home, account, namespace, verb="patch", group=PREFIX,
        resource="extendedstatefulsets", subresource="scale"))


def autoscaler(namespace: str, least: int, most: int) -> Object:
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": NAME, "namespace": namespace},
            "spec": {"minReplicas": least, "maxReplicas": most,
                     "scaleTargetRef": {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND,
                                        "name": NAME}}}


@contextmanager
def locked_services(api: Api, namespace: str, why: str) -> Iterator[None]:
    """Nobody can change a Service of that namespace."""
    group = "admissionregistration.k8s.io/v1"
    here = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    services = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
                "resources": ["services"]}
    policy: Object = {"apiVersion": group, "kind": "ValidatingAdmissionPolicy",
                      "metadata": {"name": namespace}, "spec": {
                          "matchConstraints": {"resourceRules": [services]},
                          "validations": [{"expression": "false", "message": why,
                                           "reason": "Forbidden"}]}}
    binding: Object = {"apiVersion": group, "kind": "ValidatingAdmissionPolicyBinding",
                       "metadata": {"name": namespace}, "spec": {
                           "policyName": namespace, "validationActions": ["Deny"],
                           "matchResources": {"namespaceSelector": here}}}

    def refusal() -> str:
        try:
            api.patch("Service", "door", {"metadata": {"labels": {"a": "b"}}}, namespace,
                      dry_run=True)
        except ApiError as error:
            return error.message
        return ""

    try:
        api.create(policy)
        api.create(binding)
        wait_for("the policy to be in force", refusal, lambda said: why in said)
        yield
    finally:
        api.delete("ValidatingAdmissionPolicyBinding", namespace)
        api.delete("ValidatingAdmissionPolicy", namespace)


def version_of(change: Change) -> str:
    return change.object["metadata"]["labels"][f"{PREFIX}/version"]


def zone_of(change: Change) -> int:
    return int(change.object["metadata"]["labels"][f"{PREFIX}/az-index"])


def order_of(change: Change) -> int:
    """One store counts the changes of all kinds."""
    return int(change.object["metadata"]["resourceVersion"])


def too_early(changes: list[Change], pods: int) -> list[str]:
    """What was made of version 2 while a zone before had not all its pods of it ready, and what
    went of version 1 while any zone had not."""
    ready: dict[str, int] = {}
    found = []
    for change in changes:
        name, zone, version = change.object["metadata"]["name"], zone_of(change), version_of(change)
        is_made = change.type == "ADDED" and version == "2"
        is_gone = change.type == "DELETED" and version == "1"
        whole = Counter(ready.values())
        before = range(zone if is_made else len(ZONES))
        if (is_made or is_gone) and any(whole[one] < pods for one in before):
            found.append(name)
        ready.pop(name, None)
        if version == "2" and change.type != "DELETED" and has_condition(change.object, "Ready"):
            ready[name] = zone
    return found


def created(obj: Object) -> datetime:
    return datetime.fromisoformat(obj["metadata"]["creationTimestamp"])


def ready_since(pod: Object) -> datetime:
    return next(datetime.fromisoformat(one["lastTransitionTime"])
                for one in pod["status"]["conditions"] if one["type"] == "Ready")


def within(value: Any, *path: str) -> Any:
    for key in path:
        value = value[key]
    return value


class Extended(Story):
    """One namespace with an ExtendedStatefulSet, as one test sees it."""

    kind = KIND

    def begin(self, replicas: int = 3, strategy: Object | None = None,  # type: ignore[override]
              **fields: Any) -> None:
        self.api.create(extended(self.namespace, replicas, strategy, **fields))
        self.wait_until_served(1)

    def wait_until_served(self, version: int) -> Object:
        return self.wait_for(f"version {version} alone", lambda seen: (
            seen.get("phase") == "Ready" and seen.get("versions") == {str(version): True}
            and seen.get("currentVersion") == version), NAME)

    def apply_example(self, section: str) -> None:
        """The first example of that section of the document, as somebody would apply it."""
        page = "\n" + (REPOSITORY / "docs/extendedstatefulset.md").read_text()
        example = page.split(f"\n{section}\n")[1].split("```yaml\n")[1].split("```")[0]
        self.api.kubectl("-n", self.namespace, "apply", "-f", "-", stdin=example)

    def change_template(self, name: str, notes: dict[str, str | None] | None = None) -> None:
        self.api.patch(KIND, name, {"spec": {"template": {"spec": {"template": {"metadata": {
            "annotations": notes or {"example.com/changed": "yes"}}}}}}}, self.namespace)

    def change_image(self, image: str, behaviour: str | None = None) -> None:
        template = pod_template(NAME, image)
        note = {BEHAVIOUR: behaviour} if behaviour else {}
        template.setdefault("metadata", {})["annotations"] = {BEHAVIOUR: None, **note}
        self.api.patch(KIND, NAME, {"spec": {"template": {"spec": {"template": template}}}},
                       self.namespace)

    def change_set(self, **fields: Any) -> None:
        self.api.patch(KIND, NAME, {"spec": {"template": {"spec": fields}}}, self.namespace)

    def pods(self, version: int, name: str = NAME) -> list[Object]:
        """In the order of their names; those that are on their way out do not count."""
        found = self.api.list("Pod", self.namespace, {LABEL: name,
                                                      f"{PREFIX}/version": str(version)})
        return sorted((pod for pod in found if "deletionTimestamp" not in pod["metadata"]),
                      key=lambda pod: pod["metadata"]["name"])

    def images(self, version: int) -> list[str]:
        return sorted(pod["spec"]["containers"][0]["image"] for pod in self.pods(version))

    def sets(self) -> dict[str, Object]:
        return {one["metadata"]["name"]: one
                for one in self.api.list("StatefulSet", self.namespace)}

    def selected(self, service: str = "door") -> str | None:
        """The version that the Service selects."""
        return self.api.get("Service", service, self.namespace)["spec"]["selector"].get(
            f"{PREFIX}/version")

    def says(self, verb: str, *more: str, name: str = NAME) -> str:
        """What a person types, and what is printed."""
        return sluice(verb, f"ests/{name}", *more, "-n", self.namespace, "--kubeconfig",
                      str(self.world.cluster.kubeconfig))

    def kept(self) -> list[str]:
        """What versions were made from, by name; StatefulSets have revisions of their own."""
        return [one["metadata"]["name"]
                for one in self.api.list("ControllerRevision", self.namespace)
                if one["metadata"]["ownerReferences"][0]["kind"] == KIND]

    def wait_for_reason(self, reason: str) -> Object:
        return self.wait_for(f"the reason {reason}",
                             lambda seen: seen.get("reason") == reason, NAME)


@pytest.fixture(scope="module", autouse=True)
def hooks_of_this_machine(world: World) -> None:  # noqa: F811
    world.flags = (*world.flags, "--allow-local-hooks", "--hook-retry=1s")


STORIES = Stories(Extended)


@STORIES.add
def the_example_of_the_document(s: Extended) -> None:
    s.api.kubectl("-n", s.namespace, "apply", "-f",
                  str(REPOSITORY / "config/samples/extendedstatefulset.yaml"))
    name = "my-extended-stateful-set"
    wait_for("the least number of pods", lambda: s.status(name),
             lambda seen: seen.get("phase") == "Ready" and seen["readyReplicas"] == 3)
    assert s.status(name)["versions"] == {"1": True}
    made = s.sets()[f"{name}-v1"]
    assert made["metadata"]["annotations"][f"{PREFIX}/version"] == "1"
    assert made["metadata"]["labels"]["a-label-for-my-stateful-set"] == "foo"
    shown = s.api.kubectl("-n", s.namespace, "get", "ests")
    assert re.search(rf"{name} +3 +3 +1 +1 +Ready", shown), shown


@STORIES.add
def a_version_follows_on_the_other(s: Extended) -> None:
    s.begin(strategy={"canarySeconds": 20})
    s.change_image(IMAGE_B)
    wait_for("the canary", lambda: s.images(2), lambda seen: seen == [IMAGE_B])
    assert s.images(1) == [IMAGE_A] * 3, "both are there"
    s.wait_until_served(2)
    assert s.images(2) == [IMAGE_B] * 3
    canary, *others = s.pods(2)
    earliest = ready_since(canary) + timedelta(seconds=20)
    assert all(created(pod) >= earliest for pod in others), "the canary was alone for so long"
    wait_for("version 2 alone", lambda: list(s.sets()), lambda seen: seen == [f"{NAME}-v2"])
    for reason in ("RolloutStarted", "StepTaken", "RolloutCompleted"):
        s.wait_for_event(reason, NAME)
    s.change_image(IMAGE_A)
    s.wait_until_served(3)


@STORIES.add
def a_canary_that_fails_is_tried_again_and_then_stale(s: Extended) -> None:
    s.begin(2, {"canaryDeadlineSeconds": 20, "retryCount": 1})
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.change_image(IMAGE_B, UNREADY)
        seen = s.wait_for("two attempts", lambda one: (
            one.get("reason") == "RolledBack" and one.get("attempts") == 2), NAME)
    canaries = [(one.type, one.object["metadata"]["uid"]) for one in recorder.changes
                if one.type != "MODIFIED" and version_of(one) == "2"]
    first, second = canaries[0][1], canaries[-1][1]
    assert first != second, "each attempt has a fresh one"
    assert canaries == [("ADDED", first), ("DELETED", first), ("ADDED", second),
                        ("DELETED", second)], "and there is none between them"
    assert "sluice.dev/retry" in seen["unblock"]
    stale = wait_for("the mark", lambda: s.sets()[f"{NAME}-v2"]["metadata"]["annotations"],
                     lambda notes: f"{PREFIX}/stale" in notes)
    assert "not reached in time" in stale[f"{PREFIX}/stale"]
    assert s.images(1) == [IMAGE_A] * 2 and s.images(2) == []
    assert "v2" in s.says("explain")
    s.change_spec({"updateStrategy": {"canaryDeadlineSeconds": 600}}, NAME)
    s.change_image(IMAGE_B)
    s.wait_until_served(3)


@STORIES.add
def aborted_and_wanted_again(s: Extended) -> None:
    s.begin(3, {"canaries": 2, "gates": {"pause": {}}})
    s.change_image(IMAGE_B)
    s.wait_for_reason("StepPaused")
    assert s.images(2) == [IMAGE_B] * 2, "so many canaries, and no more"
    assert "v2" in s.says("abort")
    s.wait_for_reason("RolledBack")
    assert s.images(1) == [IMAGE_A] * 3
    s.says("retry")
    s.wait_for_reason("StepPaused")
    s.says("promote")
    s.wait_until_served(2)


@STORIES.add
def a_hook_guards_an_upgrade(s: Extended) -> None:
    hook = f"careful-{secrets.token_hex(4)}"
    with HookServer() as server:
        server.answer(refuse("a backup is running"))
        s.api.apply({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "sluice-hooks", "namespace": NAMESPACE},
                     "data": {hook: f"url: {server.url}/ask\ntimeout: 60s\n"}})
        s.begin(2, {"gates": {"hook": hook}})
        s.change_image(IMAGE_B)
        assert "a backup is running" in s.wait_for_reason("HookRefused")["message"]
        stays("nothing of the new version", lambda: s.images(2), lambda seen: seen == [])
        server.answer(allow())
        s.wait_until_served(2)
        asked = [one.json for one in server.requests]
    assert all(one["extendedstatefulset"] == NAME for one in asked)


@STORIES.add
def a_check_guards_an_upgrade(s: Extended) -> None:
    s.trouble(1)
    check = {"initialDelaySeconds": 0, "periodSeconds": 1, "successThreshold": 2,
             "query": {"expr": s.expr, "url": s.world.prometheus.url}}
    s.begin(2, {"gates": {"check": check}})
    s.change_image(IMAGE_B)
    assert "Prometheus returned data" in s.wait_for_reason("CheckFailed")["message"]
    stays("nothing of the new version", lambda: s.images(2), lambda seen: seen == [])
    s.trouble(0)
    s.wait_until_served(2)


@STORIES.add
def pods_that_are_not_ready_hold_an_upgrade_unless_somebody_wants_it_all_the_same(
        s: Extended) -> None:
    s.begin(2)
    set_behaviour(s.api, s.namespace, f"{NAME}-v1-1", UNREADY)
    s.wait_for("one pod that is ready", lambda seen: seen["readyReplicas"] == 1, NAME)
    s.change_image(IMAGE_B)
    told = s.wait_for("the reason", lambda seen: (
        seen["updateVersion"] == 2 and seen.get("reason") == "PodsNotReady"), NAME)
    assert f"{NAME}-v1-1" in told["message"]
    stays("one version", lambda: list(s.sets()), lambda seen: seen == [f"{NAME}-v1"])
    s.change_spec({"updateStrategy": {"updateNotReady": True}}, NAME)
    s.wait_until_served(2)


@STORIES.add
def a_version_of_which_no_pod_runs_is_told_as_such_and_can_be_paused(s: Extended) -> None:
    s.begin(2)
    nowhere = pod_template(NAME, IMAGE_B)
    nowhere["spec"]["nodeSelector"] = {"sluice.test/node": "nowhere"}
    s.change_set(template=nowhere)
    s.wait_for("a version without a pod that runs", lambda seen: (
        seen["versions"] == {"1": True, "2": False}), NAME)
    wait_for("its canary", lambda: len(s.pods(2)), lambda seen: seen == 1)
    assert s.status(NAME)["currentVersion"] == 1
    shown = sluice("get", "-n", s.namespace, "--kubeconfig", str(s.world.cluster.kubeconfig))
    assert NAME in shown and "PodsNotReady" in shown, shown
    s.says("pause")
    s.wait_for_reason("Paused")
    somewhere = {"template": {"spec": {"nodeSelector": None}}}
    s.change_set(**somewhere)
    s.wait_for("version 3 to be known", lambda seen: seen["updateVersion"] == 3, NAME)
    stays("nothing of it", lambda: s.images(3), lambda seen: seen == [])
    s.says("resume")
    s.wait_until_served(3)
    assert s.world.operator is not None
    told = s.world.operator.metrics()
    assert [name for name in told if name.startswith("sluice_decisions_total")
            and 'api="extendedstatefulset"' in name and 'reason="PodsNotReady"' in name]
    assert told['sluice_stored_objects{resource="extendedstatefulsets"}'] >= 1


@STORIES.add
def numbers_that_are_not_allowed_are_refused_with_a_sentence(s: Extended) -> None:
    scaling = {"min": 1, "max": 5, "oddOnly": True}
    with pytest.raises(ApiError, match="not less than min, not more than max, and odd"):
        s.api.create(extended(s.namespace, 4, scaling=scaling))
    s.begin(3, scaling=scaling)
    for wrong in (2, 7):
        with pytest.raises(ApiError, match="not less than min, not more than max, and odd"):
            s.api.patch(KIND, NAME, {"spec": {"replicas": wrong}}, s.namespace, subresource="scale")
    s.api.kubectl("-n", s.namespace, "scale", "ests", NAME, "--replicas=5")
    s.wait_for("five pods", lambda seen: seen["readyReplicas"] == 5, NAME)
    scale = json.loads(s.api.kubectl("-n", s.namespace, "get", "ests", NAME,
                                     "--subresource=scale", "-o", "json"))
    assert scale["status"]["selector"] == f"{LABEL}={NAME},{PREFIX}/version=1"
    assert list(s.sets()) == [f"{NAME}-v1"], "that is no other version"


@STORIES.add
def who_does_not_say_how_many_gets_the_least_and_can_be_scaled(s: Extended) -> None:
    scaling = {"min": 2, "max": 7, "oddOnly": True}
    s.api.create(extended(s.namespace, None, scaling=scaling))
    s.wait_until_served(1)
    replicas = ("spec", "template", "spec", "replicas")
    assert within(s.get(NAME), *replicas) == 3, "the least odd number"
    s.api.kubectl("-n", s.namespace, "scale", "ests", NAME, "--replicas=5")
    s.wait_for("five pods", lambda seen: seen["readyReplicas"] == 5, NAME)
    manifest = extended(s.namespace, None, scaling=scaling)
    s.api.kubectl("apply", "-f", "-", stdin=json.dumps(manifest))

    def is_replaced() -> bool:
        manifest["metadata"]["resourceVersion"] = s.get(NAME)["metadata"]["resourceVersion"]
        try:
            s.api.kubectl("replace", "-f", "-", stdin=json.dumps(manifest))
        except HarnessError as error:
            if "the object has been modified" not in str(error):
                raise
            return False
        return True

    wait_for("the replacement", is_replaced)
    assert within(s.get(NAME), *replicas) == 5, "who says nothing changes nothing"


@STORIES.add
def an_autoscaler_is_not_refused_and_gets_the_nearest_number(s: Extended) -> None:
    s.begin(3, scaling={"min": 3, "max": 7, "oddOnly": True})
    may_scale(s.api, s.namespace)
    for wanted, given in ((9, 7), (1, 3)):
        s.api.kubectl("-n", s.namespace, f"--as={AUTOSCALER}", "patch", "ests", NAME,
                      "--subresource=scale", "--type=merge",
                      "-p", json.dumps({"spec": {"replicas": wanted}}))
        s.wait_for(f"{given} pods", lambda seen, n=given: seen["readyReplicas"] == n, NAME)
    s.api.create(autoscaler(s.namespace, 4, 7))
    s.wait_for("five pods", lambda seen: (
        seen["readyReplicas"] == 5 and "does not allow 4" in seen["message"]), NAME)
    assert list(s.sets()) == [f"{NAME}-v1"], "that is no other version"


@STORIES.add
def three_zones_one_after_the_other(s: Extended) -> None:
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}]}}}
    manifest = extended(s.namespace, 2, zones=list(ZONES))
    manifest["spec"]["template"]["spec"]["template"]["spec"].update(
        affinity=affinity, initContainers=[{"name": "first", "image": IMAGE_A}])
    s.api.create(manifest)
    s.wait_until_served(1)
    assert sorted(s.sets()) == [f"{NAME}-z{i}-v1" for i in range(3)]
    check_zones(s)
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        def zones(kind: str, version: str) -> list[int]:
            return [zone_of(change) for change in recorder.changes
                    if change.type == kind and version_of(change) == version]

        s.change_image(IMAGE_B)
        s.wait_until_served(2)
        wait_for("version 2 alone", lambda: sorted(s.sets()),
                 lambda seen: seen == [f"{NAME}-z{i}-v2" for i in range(3)])
        wait_for("the pods of version 1 to be gone", lambda: zones("DELETED", "1"),
                 lambda seen: len(seen) == 6)
        made, gone = zones("ADDED", "2"), zones("DELETED", "1")
    assert too_early(recorder.changes, 2) == [], "never two zones at once"
    assert made == sorted(made) and len(made) == 6
    assert gone == sorted(gone)


def check_zones(s: Extended) -> None:
    """Each pod is where its labels, its annotation and its variables say."""
    nodes = {one["metadata"]["name"]: one["metadata"]["labels"][ZONE_LABEL]
             for one in s.api.list("Node")}
    pods = s.api.list("Pod", s.namespace)
    for one in (*s.sets().values(), *pods):
        labels = one["metadata"]["labels"]
        assert labels[f"{PREFIX}/az-name"] == ZONES[int(labels[f"{PREFIX}/az-index"])]
        assert json.loads(one["metadata"]["annotations"][f"{PREFIX}/zones"]) == list(ZONES)
    for pod in pods:
        index = int(pod["metadata"]["labels"][f"{PREFIX}/az-index"])
        assert nodes[pod["spec"]["nodeName"]] == ZONES[index], "though it has terms of its own"
        zone, number = ZONES[index], str(index + 1)
        for container in (*pod["spec"]["containers"], *pod["spec"]["initContainers"]):
            assert {one["name"]: one["value"] for one in container["env"]} == {
                "KUBE_AZ": zone, "BOSH_AZ": zone, "CF_OPERATOR_AZ": zone,
                "CF_OPERATOR_AZ_INDEX": number, "AZ_INDEX": number}


@STORIES.add
def az_is_another_name_and_nodes_may_have_another_label(s: Extended) -> None:
    label, rooms = "example.com/room", ["room-1", "room-2"]
    for number, room in enumerate(rooms):
        s.api.patch("Node", f"node-{number}", {"metadata": {"labels": {label: room}}})
    s.api.create(extended(s.namespace, 1, az=rooms, zoneNodeLabel=label))
    s.wait_until_served(1)
    assert sorted(s.sets()) == [f"{NAME}-z{i}-v1" for i in range(2)]
    for number, pod in enumerate(s.pods(1)):
        terms = within(pod, "spec", "affinity", "nodeAffinity",
                       "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
        assert terms == [{"matchExpressions": [
            {"key": label, "operator": "In", "values": [rooms[number]]}]}]
        assert pod["spec"]["nodeName"] == f"node-{number}"
    s.change_spec({"az": None, "zones": rooms}, NAME)
    generation = s.get(NAME)["metadata"]["generation"]
    s.wait_for("the other name", lambda seen: seen["observedGeneration"] == generation, NAME)
    assert s.status(NAME)["updateVersion"] == 1, "that is no other version"


@STORIES.add
def a_service_is_switched_and_the_version_before_can_have_it_back(s: Extended) -> None:
    s.api.create(service(s.namespace))
    s.begin(2, {"blueGreen": True, "scaleDownDelaySeconds": 3600})
    wait_for("version 1 to be selected", s.selected, lambda seen: seen == "1")
    s.change_image(IMAGE_B)
    wait_for("version 2 to be selected", s.selected, lambda seen: seen == "2")
    assert s.images(1) == [IMAGE_A] * 2 and s.images(2) == [IMAGE_B] * 2
    s.wait_for_reason("VersionLeaving")
    assert "v1" in s.says("abort")
    wait_for("version 1 to be selected again", s.selected, lambda seen: seen == "1")
    s.wait_for_reason("RolledBack")
    wait_for("no pods of version 2", lambda: s.images(2), lambda seen: seen == [])
    assert s.images(1) == [IMAGE_A] * 2


@STORIES.add
def a_service_waits_for_all_pods_and_the_version_before_leaves_later(s: Extended) -> None:
    s.api.create(service(s.namespace))
    s.begin(3, {"blueGreen": True, "scaleDownDelaySeconds": 3})
    wait_for("version 1 to be selected", s.selected, lambda seen: seen == "1")
    with Recorder(s.api, "Service", s.namespace) as doors, \
            Recorder(s.api, "Pod", s.namespace) as pods:
        s.change_image(IMAGE_B, UNREADY)
        for ready in range(3):
            wait_for("the next pod", lambda: [one["metadata"]["name"] for one in s.pods(2)],
                     lambda seen, n=ready: f"{NAME}-v2-{n}" in seen)
            stays("version 1 is selected", s.selected, lambda seen: seen == "1", 0.5)
            set_behaviour(s.api, s.namespace, f"{NAME}-v2-{ready}", None)
        serves = s.wait_until_served(2)["servesSince"]
        wait_for("no pods of version 1", lambda: s.pods(1), lambda seen: seen == [])
    switch = next(order_of(one) for one in doors.changes
                  if one.object["spec"]["selector"][f"{PREFIX}/version"] == "2")
    ready = {one.object["metadata"]["name"] for one in pods.changes if order_of(one) < switch
             and version_of(one) == "2" and has_condition(one.object, "Ready")}
    assert len(ready) == 3, "all of the new version come first"
    gone = [order_of(one) for one in pods.changes
            if one.type == "DELETED" and version_of(one) == "1"]
    assert len(gone) == 3 and switch < min(gone)
    left = datetime.fromisoformat(s.wait_for_event("VersionRemoved", NAME)["eventTime"])
    assert left >= datetime.fromisoformat(serves) + timedelta(seconds=3)


@STORIES.add
def a_service_that_cannot_be_switched_holds_the_upgrade(s: Extended) -> None:
    s.api.create(service(s.namespace))
    s.begin(2)
    wait_for("version 1 to be selected", s.selected, lambda seen: seen == "1")
    with locked_services(s.api, s.namespace, "the door is locked"):
        s.change_image(IMAGE_B)
        told = s.wait_for_reason("ServiceNotSwitched")
        assert "Service door was refused" in told["message"]
        assert "the door is locked" in told["message"] and told["phase"] == "Held"
        s.change_image(IMAGE_C)
        s.wait_for("version 3 to be known", lambda seen: seen["updateVersion"] == 3, NAME)
        stays("nothing moves", lambda: (s.selected(), s.images(1), s.images(3)),
              lambda seen: seen == ("1", [IMAGE_A] * 2, []))
        assert s.status(NAME)["reason"] == "ServiceNotSwitched"
    s.wait_until_served(3)
    assert s.selected() == "3"
    s.wait_for_event("ServiceNotSwitched", NAME)


@STORIES.add
def pods_of_a_stale_version_are_kept_to_be_looked_at(s: Extended) -> None:
    s.begin(2, {"canaryDeadlineSeconds": 20, "whenStale": "Keep"})
    s.change_image(IMAGE_B, UNREADY)
    s.wait_for_reason("RolledBack")
    stays("the canary", lambda: s.images(2), lambda seen: seen == [IMAGE_B])
    assert s.images(1) == [IMAGE_A] * 2
    s.change_spec({"updateStrategy": {"canaries": 0}}, NAME)
    s.change_image(IMAGE_A, UNREADY)
    wait_for("all of version 3 at once, though none is ready", lambda: s.images(3),
             lambda seen: seen == [IMAGE_A] * 2)
    s.change_spec({"updateStrategy": {"canaryDeadlineSeconds": 600}}, NAME)
    s.change_image(IMAGE_A)
    s.wait_until_served(4)


@STORIES.add
def who_meddles_with_a_version_finds_it_put_right(s: Extended) -> None:
    s.begin(2)
    s.api.kubectl("-n", s.namespace, "scale", "sts", f"{NAME}-v1", "--replicas=3")
    wait_for("two again", lambda: s.sets()[f"{NAME}-v1"]["spec"]["replicas"],
             lambda seen: seen == 2)
    s.api.delete("StatefulSet", f"{NAME}-v1", s.namespace)
    s.wait_for("two pods", lambda seen: seen["readyReplicas"] == 2 and seen["phase"] == "Ready",
               NAME)


@STORIES.add
def a_template_that_the_server_refuses_is_told(s: Extended) -> None:
    s.begin(1)
    broken = {"spec": {"template": {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}}}
    s.api.patch(KIND, NAME, broken, s.namespace)
    assert "restartPolicy" in s.wait_for_reason("VersionRefused")["message"]
    assert s.images(1) == [IMAGE_A]


@STORIES.add
def undo_puts_the_version_before_back(s: Extended) -> None:
    text = (REPOSITORY / "docs/extendedstatefulset.md").read_text()
    examples = re.findall(r"^    sluice undo ests/\S+(.*?) +#", text.split("## Going back")[1],
                          re.M)
    s.begin(2)
    made = s.get(NAME)["spec"]
    changed = pod_template(NAME, IMAGE_B)
    changed["spec"]["hostNetwork"] = True
    s.change_set(template=changed, minReadySeconds=1)
    s.wait_until_served(2)
    assert re.search(r"earlier +v1\n", s.says("explain"))
    assert "what v1 was" in s.says("undo", *examples[0].split())
    s.wait_until_served(3)
    assert s.images(3) == [IMAGE_A] * 2
    assert s.get(NAME)["spec"] == made, "and nothing of the other is left"
    s.change_set(replicas=3)
    s.wait_for("three pods", lambda seen: seen.get("readyReplicas") == 3, NAME)
    s.wait_until_served(3)
    s.says("undo", *examples[1].split())
    s.wait_until_served(4)
    assert s.images(4) == [IMAGE_B] * 3
    with pytest.raises(HarnessError, match="keeps no version v9. It keeps: v3, v2, v1."):
        s.says("undo", "--to-revision", "v9")
    assert s.kept() == [f"{NAME}-v{version}" for version in range(1, 5)]
    s.change_set(revisionHistoryLimit=1)
    s.wait_until_served(5)
    wait_for("the oldest to go", s.kept, lambda seen: seen == [f"{NAME}-v4", f"{NAME}-v5"])
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("all to go with it", s.kept, lambda seen: seen == [])


@STORIES.add
def what_it_owns_goes_with_it(s: Extended) -> None:
    s.begin(2)
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("no sets", s.sets, lambda seen: seen == {})
    wait_for("no pods", lambda: s.api.list("Pod", s.namespace), lambda seen: seen == [])


@STORIES.add
def a_stolen_token_makes_and_deletes_no_other_sets(s: Extended) -> None:
    s.begin(1)
    thief = s.world.operator_api()
    s.api.create(statefulset("mine", s.namespace, 1))
    with pytest.raises(ApiError, match=ONLY_ITS_OWN):
        thief.delete("StatefulSet", "mine", s.namespace)
    with pytest.raises(ApiError, match=ONLY_ITS_OWN):
        thief.create(statefulset("theirs", s.namespace, 1))
    owner = s.sets()[f"{NAME}-v1"]["metadata"]["ownerReferences"][0]
    other = statefulset(f"{NAME}-v7", s.namespace, 1)
    other["metadata"]["ownerReferences"] = [owner]
    with pytest.raises(ApiError, match="called and labelled as it is"):
        thief.create(other)
    for change, sentence in (
            ({"spec": {"replicas": 4}}, "the partition and nothing else"),
            ({"spec": {"template": pod_template("mine", IMAGE_B)}}, "partition and nothing else")):
        with pytest.raises(ApiError, match=sentence):
            thief.patch("StatefulSet", "mine", change, s.namespace)
    s.api.create(service(s.namespace, follows=None))
    nobodys = {"spec": {"selector": {f"{PREFIX}/version": "1"}}}
    with pytest.raises(ApiError, match="only Services that follow an ExtendedStatefulSet"):
        thief.patch("Service", "door", nobodys, s.namespace)
    s.api.patch("Service", "door", {"metadata": {"annotations": {"sluice.dev/serves": NAME}}},
                s.namespace)
    with pytest.raises(ApiError, match="the version that a Service selects, and nothing else"):
        thief.patch("Service", "door", {"spec": {"selector": {"app": "mine"}}}, s.namespace)
    for change in ({"metadata": {"labels": {"a": "b"}}}, {"spec": {"scaling": {"max": 9}}},
                   {"metadata": {"finalizers": ["theirs.example/mine"]}}):
        with pytest.raises(ApiError, match="its own finalizer|the finalizer of an Extended"):
            thief.patch(KIND, NAME, change, s.namespace)


@STORIES.add
def a_stolen_token_makes_and_deletes_no_other_revisions(s: Extended) -> None:
    s.begin(1)
    thief = s.world.operator_api()
    kept = s.api.get("ControllerRevision", f"{NAME}-v1", s.namespace)
    forged: Object = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 7,
                      "data": kept["data"], "metadata": {
                          "name": f"{NAME}-v7", "namespace": s.namespace,
                          "labels": {LABEL: NAME, f"{PREFIX}/version": "7"}}}
    with pytest.raises(ApiError, match=ONLY_ITS_OWN):
        thief.create(forged)
    of_sets = [one["metadata"]["name"]
               for one in s.api.list("ControllerRevision", s.namespace, {LABEL: NAME})
               if one["metadata"]["ownerReferences"][0]["kind"] == "StatefulSet"]
    assert of_sets, "Kubernetes gives them the labels of their pods"
    with pytest.raises(ApiError, match=ONLY_ITS_OWN):
        thief.delete("ControllerRevision", of_sets[0], s.namespace)
    forged["metadata"].update(ownerReferences=kept["metadata"]["ownerReferences"],
                              name=f"{NAME}-v8")
    with pytest.raises(ApiError, match="called and labelled as it is"):
        thief.create(forged)
    with pytest.raises(ApiError, match="cannot patch resource"):
        thief.patch("ControllerRevision", f"{NAME}-v1", {"revision": 3}, s.namespace)


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()


def test_an_operator_that_is_killed_again_and_again_keeps_a_version_ready(
        api, namespace: str, operator: Callable[..., Any], install) -> None:
    for component in ("rbac", "crds", "policies"):
        install(component)
    flags = (f"--namespace={namespace}", "--apis=extendedstatefulset")
    api.create(extended(namespace, 2))
    first = operator(*flags)
    wait_for("the first version", lambda: api.get(KIND, NAME, namespace).get("status", {}),
             lambda seen: seen.get("phase") == "Ready")
    first.kill9()
    template = {"spec": {"template": {"spec": {"template": pod_template(NAME, IMAGE_B)}}}}
    with Recorder(api, "StatefulSet", namespace) as recorder:
        api.patch(KIND, NAME, template, namespace)
        for i in range(8):
            one = operator(*flags, ready=False)
            time.sleep(0.15 + 0.05 * (secrets.randbelow(6) + i))
            one.kill9()
            ready = [pod for pod in api.list("Pod", namespace) if has_condition(pod, "Ready")]
            assert ready, "there is always a version that serves"
        operator(*flags)
        wait_for("the second version", lambda: api.get(KIND, NAME, namespace)["status"],
                 lambda seen: seen["phase"] == "Ready" and seen["versions"] == {"2": True})
    made = {one.object["metadata"]["uid"] for one in recorder.changes
            if one.object["metadata"]["name"] == f"{NAME}-v2"}
    assert len(made) == 1
