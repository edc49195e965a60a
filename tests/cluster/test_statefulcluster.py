"""StatefulCluster on a real control plane: what the document and its roadmap promise."""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter
from concurrent.futures import Future
from typing import Any, Callable

import pytest

from harness.api import Api, ApiError, Object, has_condition
from harness.hookserver import HookServer, allow, refuse
from harness.kubelets import BEHAVIOUR, UNREADY, ZONES, node
from harness.operator import NAMESPACE, sluice
from harness.places import REPOSITORY
from harness.recorder import Change, Recorder
from harness.waiting import stays, wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, claim_template, lose_volume, pod_template,
                               set_behaviour)
from phased_world import Stories, Story, World, running, world  # noqa: F401: fixtures

NAME = "coder"
KIND = "StatefulCluster"
LABEL = "sluice.dev/statefulcluster"


class ClusterStory(Story):
    """One namespace with a StatefulCluster, as one test sees it."""

    kind = KIND

    def begin(self, replicas: int = 3, **fields: Any) -> list[str]:
        self.api.create(cluster(self.namespace, replicas, **fields))
        return self.wait_until_ready(replicas)

    def wait_until_ready(self, replicas: int) -> list[str]:
        self.wait_for(f"{replicas} members that are ready", lambda seen: (
            seen.get("phase") == "Ready" and len(seen.get("members", [])) == replicas
            and seen["readyReplicas"] == replicas), NAME)
        return self.names()

    def pods(self) -> list[Object]:
        return [pod for pod in self.api.list("Pod", self.namespace, {LABEL: NAME})
                if "deletionTimestamp" not in pod["metadata"]]

    def names(self) -> list[str]:
        return sorted(pod["metadata"]["name"] for pod in self.pods())

    def images(self) -> list[str]:
        return sorted(pod["spec"]["containers"][0]["image"] for pod in self.pods())

    def claims(self) -> dict[str, str]:
        """UIDs by name."""
        return {one["metadata"]["name"]: one["metadata"]["uid"]
                for one in self.api.list("PersistentVolumeClaim", self.namespace)}

    def used_claims(self) -> set[str]:
        return {volume["persistentVolumeClaim"]["claimName"] for pod in self.pods()
                for volume in pod["spec"]["volumes"] if "persistentVolumeClaim" in volume}

    def patch(self, spec: Object) -> None:
        self.api.patch(KIND, NAME, {"spec": spec}, self.namespace)

    def says(self, verb: str, *flags: str) -> str:
        """What a person types, and what is printed."""
        return sluice(verb, f"stc/{NAME}", "-n", self.namespace, "--kubeconfig",
                      str(self.world.cluster.kubeconfig), *flags)

    def is_bound_to_the_template(self, operator: Api) -> None:
        """Whoever has the operator's token makes no other pods than this cluster is made of."""
        uid = self.get(NAME)["metadata"]["uid"]
        owned = owned_by(NAME, uid, self.namespace)
        with pytest.raises(ApiError, match="another template than the StatefulCluster"):
            operator.create(revision(owned("forged"), pod_template("thief", IMAGE_B)))

        def forge(change: Object, named: str, says: str, sentence: str) -> None:
            metadata = owned("thief", **{"controller-revision-hash": named})
            metadata["annotations"] = {"sluice.dev/template": says}
            with pytest.raises(ApiError, match=sentence):
                operator.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
                                 "spec": {**pod_template(NAME)["spec"], **change}})

        for claim in ({"dataSource": {"kind": "PersistentVolumeClaim", "name": "mine"}},
                      {"volumeName": "pv-0"}):
            metadata = owned("data-" + "0" * 16, **{"sluice.dev/member": "0" * 16})
            del metadata["ownerReferences"]
            with pytest.raises(ApiError, match="none of the volumeClaimTemplates"):
                operator.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                                 "metadata": metadata,
                                 "spec": {**claim_template("data")["spec"], **claim}})
        known = self.status(NAME)["updateRevision"]
        app = {"name": "app", "image": IMAGE_A}
        for change, sentence in (
                ({"containers": [{**app, "image": IMAGE_B}]}, "not the one of its revision"),
                ({"containers": [{**app, "command": ["sh"]}]}, "not the one of its revision"),
                ({"containers": [{**app, "securityContext": {"runAsUser": 0}}]},
                 "not the one of its revision"),
                ({"containers": [app, {"name": "more", "image": IMAGE_B}]},
                 "containers that its revision has not"),
                ({"containers": [{**app, "env": [{"name": "LD_PRELOAD", "value": "/evil.so"}]}]},
                 "another environment"),
                ({"containers": [{**app, "envFrom": [{"secretRef": {"name": "s"}}]}]},
                 "not the one of its revision"),
                ({"containers": [{**app, "lifecycle": {"postStart": {"exec": {
                    "command": ["sh"]}}}}]}, "other commands"),
                ({"containers": [{**app, "livenessProbe": {"exec": {"command": ["sh"]}}}]},
                 "other commands"),
                ({"containers": [{**app, "volumeMounts": [{"name": "s", "mountPath": "/s"}]}],
                  "volumes": [{"name": "s", "secret": {"secretName": "s"}}]}, "mounts more"),
                ({"volumes": [{"name": "s", "secret": {"secretName": "s"}}]}, "has volumes"),
                ({"volumes": [{"name": "c", "persistentVolumeClaim": {"claimName": "mine"}}]},
                 "has volumes"),
                ({"volumes": [{"name": "root", "hostPath": {"path": "/"}}]}, "has volumes"),
                ({"hostNetwork": True}, "other privileges"),
                ({"serviceAccountName": "admin"}, "other privileges"),
                ({"shareProcessNamespace": True}, "other privileges"),
                ({"nodeName": "node-0"}, "other privileges"),
                ({"priorityClassName": "system-node-critical"}, "other privileges"),
                ({"securityContext": {"runAsUser": 0}}, "other privileges")):
            forge(change, known, known, sentence)
            forge(change, "coder-0", "coder-0", "nobody knows what it is to be")

    def wait_for_reason(self, reason: str) -> Object:
        return self.wait_for(f"the reason {reason}",
                             lambda seen: seen.get("reason") == reason, NAME)

    def wait_for_update(self, replicas: int = 3) -> None:
        wait_for("all of the new template", self.images, lambda seen: seen == [IMAGE_B] * replicas)
        self.wait_for("the end of the update", lambda seen: (
            seen["currentRevision"] == seen["updateRevision"] and seen["phase"] == "Ready"), NAME)


def owned_by(owner: str, uid: str, namespace: str) -> Callable[..., Object]:
    """Metadata of what a StatefulCluster owns, or is said to own."""
    def metadata(name: str, **labels: str) -> Object:
        return {"name": f"{owner}-{name}", "namespace": namespace,
                "labels": {LABEL: owner, **labels},
                "ownerReferences": [{"apiVersion": "enge.me/v1alpha1", "kind": KIND, "name": owner,
                                     "uid": uid, "controller": True}]}
    return metadata


def revision(metadata: Object, template: Object) -> Object:
    return {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata,
            "data": {"spec": {"template": template}}, "revision": 9}


def cluster(namespace: str, replicas: int, **fields: Any) -> Object:
    spec: Object = {"replicas": replicas, "selector": {"matchLabels": {"app": NAME}},
                    "template": pod_template(NAME), "serviceName": NAME,
                    "volumeClaimTemplates": [claim_template("data")], **fields}
    return {"apiVersion": "enge.me/v1alpha1", "kind": KIND,
            "metadata": {"name": NAME, "namespace": namespace}, "spec": spec}


def made_twice(changes: list[Change]) -> list[str]:
    """Names under which more than one pod was made."""
    seen = {(one.object["metadata"]["name"], one.object["metadata"]["uid"]) for one in changes}
    return [name for name, count in Counter(name for name, _ in seen).items() if count > 1]


@pytest.fixture(scope="module", autouse=True)
def hooks_of_this_machine(world: World) -> None:  # noqa: F811
    world.flags = (*world.flags, "--allow-local-hooks", "--hook-retry=1s")


STORIES = Stories(ClusterStory)


@STORIES.add
def the_example_of_the_document(s: ClusterStory) -> None:
    s.api.kubectl("-n", s.namespace, "apply", "-f",
                  str(REPOSITORY / "config/samples/statefulcluster.yaml"))
    names = s.wait_until_ready(3)
    assert all(re.fullmatch(r"coder-[0-9a-f]{16}", name) for name in names)
    identities = [name.removeprefix("coder-") for name in names]
    assert sorted(s.claims()) == sorted(f"coder-data-{one}" for one in identities)
    pod = s.pods()[0]
    assert pod["metadata"]["labels"].items() >= {"app": "coder",
                                                 "enge.me/statefulcluster": "coder"}.items()
    owner = pod["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["name"], owner["controller"]) == (KIND, "coder", True)
    shown = s.api.kubectl("-n", s.namespace, "get", "stc")
    assert re.search(r"coder +3 +3 +3 +Ready", shown), shown


@STORIES.add
def the_middle_pod_is_lost(s: ClusterStory) -> None:
    before, claims = s.begin(), s.claims()
    s.api.delete("Pod", before[1], s.namespace)
    after = wait_for("another member", s.names,
                     lambda seen: len(seen) == 3 and before[1] not in seen)
    s.wait_until_ready(3)
    assert set(before) - set(after) == {before[1]}
    assert claims.items() <= s.claims().items(), "the claims of the one that is lost stay"
    assert len(s.claims()) == 4
    s.wait_for_event("MemberReplaced", NAME)


@STORIES.add
def a_member_that_is_not_ready_for_long_is_replaced(s: ClusterStory) -> None:
    before = s.begin(failureToleranceSeconds=3)
    set_behaviour(s.api, s.namespace, before[0], UNREADY)
    wait_for("another member", s.names, lambda seen: len(seen) == 3 and before[0] not in seen)
    s.wait_until_ready(3)


@STORIES.add
def an_outage_replaces_nobody(s: ClusterStory) -> None:
    before = s.begin(failureToleranceSeconds=20)
    for name in before[:2]:
        set_behaviour(s.api, s.namespace, name, UNREADY)
    s.wait_for("the outage", lambda seen: seen["reason"] == "TooManyUnready", NAME)
    stays("all members", s.names, lambda seen: seen == before)
    for name in before[:2]:
        set_behaviour(s.api, s.namespace, name, None)
    assert s.wait_until_ready(3) == before


@STORIES.add
def it_scales_as_an_autoscaler_would(s: ClusterStory) -> None:
    before = s.begin(2)
    s.api.kubectl("-n", s.namespace, "scale", "stc", NAME, "--replicas=4")
    more = s.wait_until_ready(4)
    assert set(before) <= set(more)
    scale = s.api.request("GET", f"/apis/enge.me/v1alpha1/namespaces/{s.namespace}"
                                 f"/statefulclusters/{NAME}/scale")
    assert scale["status"] == {"replicas": 4, "selector": f"app={NAME}"}
    s.api.annotate("Pod", more[2], s.namespace, {"sluice.dev/goes-first": "true"})
    s.api.kubectl("-n", s.namespace, "scale", "stc", NAME, "--replicas=3")
    assert s.wait_until_ready(3) == sorted(set(more) - {more[2]})
    assert len(s.claims()) == 4


@STORIES.add
def an_update_goes_from_member_to_member(s: ClusterStory) -> None:
    before, claims = s.begin(), s.claims()
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        s.patch({"template": pod_template(NAME, IMAGE_B)})
        wait_for("all of the new template", s.images, lambda seen: seen == [IMAGE_B] * 3)
        s.wait_for("the end of the update", lambda seen: (
            seen["currentRevision"] == seen["updateRevision"] and seen["phase"] == "Ready"), NAME)
    assert not set(before) & set(s.names()), "no identity is used again"
    assert s.claims() == claims, "the successors have the claims of those they replace"
    assert s.used_claims() == set(claims)
    assert made_twice(recorder.changes) == []
    for reason in ("StepTaken", "RolloutCompleted"):
        s.wait_for_event(reason, NAME)


@STORIES.add
def an_update_in_place_keeps_identities(s: ClusterStory) -> None:
    s.begin(updateStrategy={"inPlace": "IfPossible"})
    before = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in s.pods()}
    s.patch({"template": pod_template(NAME, IMAGE_B)})
    wait_for("all of the new template", s.images, lambda seen: seen == [IMAGE_B] * 3)
    s.wait_for("the end of the update", lambda seen: (
        seen["currentRevision"] == seen["updateRevision"] and seen["phase"] == "Ready"), NAME)
    assert {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in s.pods()} == before
    assert [pod["status"]["containerStatuses"][0]["restartCount"] for pod in s.pods()] == [1] * 3
    s.wait_for_event("MemberUpdated", NAME)


@STORIES.add
def an_update_that_does_not_start_stops_and_is_taken_back(s: ClusterStory) -> None:
    s.begin()
    s.patch({"template": pod_template(NAME, IMAGE_B, {BEHAVIOUR: UNREADY})})
    wait_for("one of the new template", s.images, lambda seen: seen == [IMAGE_A] * 2 + [IMAGE_B])
    stays("two of the old one", s.images, lambda seen: seen == [IMAGE_A] * 2 + [IMAGE_B])
    s.patch({"template": {**pod_template(NAME), "metadata": {"annotations": None}}})
    wait_for("all of the old one", s.images, lambda seen: seen == [IMAGE_A] * 3)
    s.wait_until_ready(3)


@STORIES.add
def a_slow_start_is_no_failure(s: ClusterStory) -> None:
    s.api.create(cluster(s.namespace, 2, failureToleranceSeconds=1, podManagementPolicy="Parallel",
                         template=pod_template(NAME, annotations={BEHAVIOUR: UNREADY})))
    before = wait_for("two pods", s.names, lambda seen: len(seen) == 2)
    stays("the same two", s.names, lambda seen: seen == before, seconds=6)
    for name in before:
        set_behaviour(s.api, s.namespace, name, None)
    assert s.wait_until_ready(2) == before


@STORIES.add
def a_node_is_lost_for_good(s: ClusterStory) -> None:
    nodes = [f"{s.namespace}-{i}" for i in range(2)]
    for name in nodes:
        one = node(name, ZONES[0])
        one["metadata"]["labels"]["story"] = s.namespace
        s.api.create(one)
    template = pod_template(NAME)
    template["spec"]["nodeSelector"] = {"story": s.namespace}
    template["spec"]["topologySpreadConstraints"] = [
        {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
         "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": NAME}}}]
    s.begin(3, template=template, failureToleranceSeconds=600)
    placed = {pod["spec"]["nodeName"]: pod["metadata"]["name"] for pod in s.pods()}
    assert sorted(placed) == nodes, "they are spread"
    alone = min(nodes, key=lambda one: sum(pod["spec"]["nodeName"] == one for pod in s.pods()))
    s.api.delete("Node", alone)
    wait_for("another instead", s.names,
             lambda seen: len(seen) == 3 and placed[alone] not in seen, deadline=300)
    s.wait_until_ready(3)
    assert len(s.claims()) == 4, "what was on that node is kept"
    s.api.delete("Node", next(one for one in nodes if one != alone))


@STORIES.add
def a_volume_is_gone(s: ClusterStory) -> None:
    s.begin(2, failureToleranceSeconds=3)
    claims = s.claims()
    for name in [*claims, *claims]:  # whoever makes volumes is late sometimes, and makes one again
        lose_volume(s.api, name, s.namespace)
    s.patch({"template": pod_template(NAME, IMAGE_B)})
    s.wait_for_update(2)
    assert claims.items() <= s.claims().items(), "what is left of the old ones is kept"
    lost = {name for name in claims if s.api.get("PersistentVolumeClaim", name, s.namespace)[
        "status"]["phase"] == "Lost"}
    assert lost and not s.used_claims() & lost, "and nobody waits for a volume that is gone"


@STORIES.add
def templates_as_people_write_them(s: ClusterStory) -> None:
    """Defaults, empty blocks and all kinds of volumes: what the API server makes of them is not
    taken for something else."""
    for name in ("settings", "more"):
        s.api.create({"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": "value"},
                      "metadata": {"name": name, "namespace": s.namespace}})
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 5}
    app = {"name": "app", "image": IMAGE_A, "command": None, "args": ["--fast"], "tty": False,
           "securityContext": {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}},
           "resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}},
           "ports": [{"containerPort": 80}], "livenessProbe": probe,
           "readinessProbe": {"httpGet": {"port": 80}},
           "lifecycle": {"preStop": {"exec": {"command": ["sleep", "0"]}}},
           "env": [{"name": "EMPTY", "value": None}, {"name": "PLAIN", "value": "x"},
                   {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                   {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "settings",
                                                                     "key": "key"}}}],
           "envFrom": [{"configMapRef": {"name": "more"}}],
           "volumeMounts": [{"name": "data", "mountPath": "/data"},
                            {"name": "config", "mountPath": "/config", "readOnly": True}]}
    spec = {"terminationGracePeriodSeconds": 0, "containers": [app], "initContainers": None,
            "securityContext": {}, "serviceAccountName": "", "nodeSelector": None,
            "volumes": [{"name": "config", "configMap": {"name": "settings"}},
                        {"name": "secret", "secret": {"secretName": "s", "optional": True}},
                        {"name": "scratch", "emptyDir": {}},
                        {"name": "all", "projected": {"sources": [
                            {"configMap": {"name": "more"}},
                            {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {
                                "fieldPath": "metadata.labels"}}]}}]}},
                        {"name": "host", "hostPath": {"path": "/tmp"}}]}
    template = {"metadata": {"labels": {"app": NAME}}, "spec": spec}
    s.begin(2, template=template, updateStrategy={"inPlace": "IfPossible"})
    app["image"] = IMAGE_B
    s.patch({"template": template})
    s.wait_for_update(2)


@STORIES.add
def a_revision_that_somebody_deletes_is_made_again(s: ClusterStory) -> None:
    names = s.begin(2)
    s.api.delete("ControllerRevision", s.status(NAME)["updateRevision"], s.namespace)
    s.api.delete("Pod", names[0], s.namespace)
    wait_for("another member", s.names, lambda seen: len(seen) == 2 and names[0] not in seen)
    s.wait_until_ready(2)


@STORIES.add
def an_autoscaler_scales_it(s: ClusterStory) -> None:
    before = s.begin(1)
    s.api.create({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                  "metadata": {"name": NAME, "namespace": s.namespace},
                  "spec": {"minReplicas": 3, "maxReplicas": 5,
                           "scaleTargetRef": {"apiVersion": "enge.me/v1alpha1", "kind": KIND,
                                              "name": NAME}}})
    assert set(before) < set(s.wait_until_ready(3))


@STORIES.add
def undo_puts_the_template_before_back(s: ClusterStory) -> None:
    s.begin()
    broken = pod_template(NAME, IMAGE_B, {BEHAVIOUR: UNREADY})
    broken["spec"]["hostNetwork"] = True
    s.patch({"template": broken})
    wait_for("one of the new template", s.images, lambda seen: seen == [IMAGE_A] * 2 + [IMAGE_B])
    revision = s.status(NAME)["currentRevision"]
    assert f"undo statefulcluster/{NAME}" in s.says("explain")
    assert revision in s.says("undo")
    wait_for("all of the old one", s.images, lambda seen: seen == [IMAGE_A] * 3)
    s.wait_until_ready(3)
    assert s.get(NAME)["spec"]["template"] == pod_template(NAME), "and nothing of the other is left"
    assert s.status(NAME)["currentRevision"] == revision


@STORIES.add
def a_hook_guards_each_step(s: ClusterStory) -> None:
    name = f"careful-{secrets.token_hex(4)}"
    with HookServer() as hook:
        hook.answer(refuse("shards are moving"))
        s.api.apply({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "sluice-hooks", "namespace": NAMESPACE},
                     "data": {name: f"url: {hook.url}/ask\ntimeout: 60s\n"}})
        before = s.begin(2, updateStrategy={"gates": {"hook": name}})
        s.patch({"template": pod_template(NAME, IMAGE_B)})
        seen = s.wait_for_reason("HookRefused")
        assert "shards are moving" in seen["message"]
        stays("nobody goes", s.names, lambda seen: seen == before)
        hook.answer(allow())
        s.wait_for_update(2)
        asked = [one.json for one in hook.requests]
    assert all(one["statefulcluster"] == NAME for one in asked)
    allowed = [(bool(one["prev"]), bool(one["next"])) for one in asked]
    assert allowed[0] == (False, True) and (True, True) in allowed and allowed[-1] == (True, False)


@STORIES.add
def checks_and_a_pause_guard_each_step(s: ClusterStory) -> None:
    s.trouble(1)
    check = {"initialDelaySeconds": 0, "periodSeconds": 1, "successThreshold": 2,
             "query": {"expr": s.expr, "url": s.world.prometheus.url}}
    before = s.begin(2, updateStrategy={"gates": {"check": check, "pause": {}}})
    s.patch({"template": pod_template(NAME, IMAGE_B)})
    s.wait_for_reason("CheckFailed")
    stays("nobody goes", s.names, lambda seen: seen == before)
    s.trouble(0)
    seen = s.wait_for_reason("StepPaused")
    assert "sluice.dev/promote" in seen["unblock"]
    assert s.images() == [IMAGE_A, IMAGE_B]
    stays("the pause", s.images, lambda seen: seen == [IMAGE_A, IMAGE_B])
    assert "promote statefulcluster/" in s.says("explain")
    assert "is promoted" in s.says("promote")
    s.wait_for_update(2)


@STORIES.add
def gates_that_nobody_would_ask_are_refused(s: ClusterStory) -> None:
    for strategy, sentence in (
            ({"type": "OnDelete", "gates": {"hook": "noop"}}, "nobody would ask them"),
            ({"gates": {"check": {"query": {"expr": "up", "url": "ftp://x"}}}}, "must begin with"),
            ({"gates": {"pause": {"seconds": 0}}}, "pause.seconds")):
        with pytest.raises(ApiError, match=sentence):
            s.api.create(cluster(s.namespace, 1, updateStrategy=strategy))


@STORIES.add
def claims_go_where_the_policy_says_so(s: ClusterStory) -> None:
    policy = {"whenScaled": "Delete", "whenFailed": "Delete", "whenDeleted": "Delete"}
    before = s.begin(persistentVolumeClaimRetentionPolicy=policy)
    s.patch({"replicas": 2})
    s.wait_until_ready(2)
    wait_for("the claim of the third to go", s.claims, lambda seen: len(seen) == 2)
    s.api.delete("Pod", s.names()[0], s.namespace)
    wait_for("another member", s.names,
             lambda seen: len(seen) == 2 and not set(seen) <= set(before))
    s.wait_until_ready(2)
    wait_for("the claim of the one that is lost to go", s.claims, lambda seen: len(seen) == 2)
    assert s.used_claims() == set(s.claims())
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("all of it to go", lambda: (s.api.find(KIND, NAME, s.namespace), s.claims(),
                                         s.names()), lambda seen: seen == (None, {}, []))


@STORIES.add
def a_stolen_token_makes_no_pods_of_its_own(s: ClusterStory) -> None:
    """What the role allows and the policies take back."""
    operator = s.world.operator_api()
    pod = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": "thief", "namespace": s.namespace},
           "spec": pod_template("thief")["spec"]}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
             "metadata": {"name": "mine", "namespace": s.namespace},
             "spec": claim_template("mine")["spec"]}
    with pytest.raises(ApiError, match="only pods and revisions that a StatefulCluster controls"):
        operator.create(pod)
    with pytest.raises(ApiError, match="only claims of members"):
        operator.create(claim)
    s.api.create(claim)
    with pytest.raises(ApiError, match="only claims of members"):
        operator.delete("PersistentVolumeClaim", "mine", s.namespace)
    owned = owned_by("elsewhere", "00000000-0000-4000-8000-000000000000", s.namespace)
    for made in ({**pod, "metadata": owned("thief")},
                 revision(owned("thief"), pod_template("thief"))):
        with pytest.raises(ApiError, match="nobody knows what it is to be"):
            operator.create(made)
    name = s.begin(1)[0]
    s.is_bound_to_the_template(operator)
    with pytest.raises(ApiError, match="images of a pod and nothing else"):
        operator.patch("Pod", name, {"spec": {"activeDeadlineSeconds": 5}}, s.namespace)
    with pytest.raises(ApiError, match="its own label and annotation"):
        operator.patch("Pod", name, {"metadata": {"labels": {"app": "other"}}}, s.namespace)
    with pytest.raises(ApiError, match="finalizers or owners"):
        operator.patch("Pod", name, {"metadata": {"finalizers": ["thief.example/stays"]}},
                       s.namespace)
    with pytest.raises(ApiError, match="status and the finalizer"):
        operator.patch(KIND, NAME, {"spec": {"replicas": 0}}, s.namespace)
    with pytest.raises(ApiError, match="keeps its claims"):
        operator.delete("PersistentVolumeClaim", next(iter(s.claims().keys() - {"mine"})),
                        s.namespace)
    s.api.create(pod)
    with pytest.raises(ApiError, match="only pods of StatefulSets and of StatefulClusters"):
        operator.delete("Pod", "thief", s.namespace)


@STORIES.add
def claims_stay_if_nothing_is_said(s: ClusterStory) -> None:
    s.begin(2)
    claims = s.claims()
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("the pods to go", s.names, lambda seen: seen == [])
    assert s.claims() == claims
    s.begin(2)
    assert len(s.claims()) == 4, "a namesake has identities of its own"


@STORIES.add
def what_cannot_be_made_is_said(s: ClusterStory) -> None:
    template = pod_template(NAME)
    template["spec"]["containers"][0]["name"] = "No Name"
    s.api.create(cluster(s.namespace, 1, template=template))
    seen = s.wait_for("the refusal", lambda seen: seen.get("reason") == "MemberRefused", NAME)
    assert "spec.containers[0].name" in seen["message"]
    first = seen["members"][0]["name"]
    stays("the same identity", lambda: s.status(NAME)["members"][0]["name"],
          lambda name: name == first)


@STORIES.add
def the_selector_and_the_claims_cannot_be_changed(s: ClusterStory) -> None:
    s.begin(1)
    for spec in ({"selector": {"matchLabels": {"app": "other"}}}, {"volumeClaimTemplates": None}):
        with pytest.raises(ApiError, match="cannot be changed"):
            s.patch(spec)


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()


def test_an_operator_that_is_killed_again_and_again_uses_no_identity_twice(
        api, namespace: str, operator: Callable[..., Any], install) -> None:
    for component in ("rbac", "crds", "policies"):
        install(component)
    flags = (f"--namespace={namespace}", "--apis=statefulcluster")
    with Recorder(api, "Pod", namespace) as recorder:
        api.create(cluster(namespace, 6, podManagementPolicy="Parallel",
                           template=pod_template(NAME)))
        for i in range(8):
            one = operator(*flags, ready=False)
            time.sleep(0.15 + 0.05 * (secrets.randbelow(6) + i))
            one.kill9()
        operator(*flags)
        wait_for("six members", lambda: api.get(KIND, NAME, namespace).get("status", {}),
                 lambda seen: seen.get("phase") == "Ready" and seen["readyReplicas"] == 6,
                 deadline=300)
    assert made_twice(recorder.changes) == []
    pods = [pod for pod in api.list("Pod", namespace) if has_condition(pod, "Ready")]
    assert len(pods) == 6
    assert len(api.list("PersistentVolumeClaim", namespace)) == 6


def test_two_operators_at_once_use_no_identity_twice(
        api, namespace: str, operator: Callable[..., Any], install) -> None:
    for component in ("rbac", "crds", "policies"):
        install(component)
    flags = (f"--namespace={namespace}", "--apis=statefulcluster")
    with Recorder(api, "Pod", namespace) as recorder:
        for _ in range(2):
            operator(*flags)
        api.create(cluster(namespace, 4, podManagementPolicy="Parallel"))

        def wait_for_revision(image: str) -> None:
            wait_for("four members", lambda: (
                api.get(KIND, NAME, namespace).get("status", {}).get("phase"),
                [pod["spec"]["containers"][0]["image"] for pod in api.list("Pod", namespace)]),
                lambda seen: seen == ("Ready", [image] * 4))

        wait_for_revision(IMAGE_A)
        api.patch(KIND, NAME, {"spec": {"template": pod_template(NAME, IMAGE_B)}}, namespace)
        wait_for_revision(IMAGE_B)
    assert made_twice(recorder.changes) == []
    assert len(api.list("PersistentVolumeClaim", namespace)) == 4
