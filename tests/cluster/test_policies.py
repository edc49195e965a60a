"""The admission policies of deploy/policies on a real API server, without the operator; then the
rest of deploy/ and the scripts that bring it into a cluster and out again.

The stranger is the strongest there is: system:masters. The operator is its ServiceAccount with
the rights of deploy/rbac and nothing else. The control plane is this file's own, because policies
hold for a whole cluster, and it admits pods with service accounts.
"""

from __future__ import annotations

import copy
import subprocess
import urllib.request
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
import yaml

from harness.api import Api, ApiError, Object
from harness.controlplane import ControlPlane
from harness.deploying import run_script
from harness.operator import request_token, service_account_kubeconfig
from harness.places import REPOSITORY, free_ports, sluice_binary
from harness.process import Process
from harness.waiting import wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, IMAGE_C, change_image, create_ready, partition,
                               pods, set_partition, statefulset, wait_for_pods)

pytestmark = pytest.mark.abuse

DEPLOY = REPOSITORY / "deploy"
CLOSED = 1000000
GATES = ["sluice-extendedstatefulset-replicas", "sluice-extendedstatefulset-volumes",
         "sluice-gate", "sluice-gate-create", "sluice-gate-create-phasedrollout",
         "sluice-gate-create-rolloutplugin", "sluice-statefulcluster-claims",
         "sluice-statefulcluster-doubt", "sluice-statefulcluster-revisions",
         "sluice-statefulcluster-templates"]
CLAIM = "sluice.dev/claim"
PHASE = "sluice.dev/phase"
REFUSED = "sluice.dev/refused"
PILOT_LABEL = "dd-statefulset-pilot"
ALLOW_ZERO = "sluice.dev/allow-scale-to-zero"

Attempt = Callable[[Api, str], Any]


@pytest.fixture(scope="module")
def cluster(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    plane = ControlPlane(service_account_admission=True)
    plane.start()
    try:
        for part in ("namespace.yaml", "serviceaccount.yaml", "rbac", "policies",
                     "flowschema.yaml"):
            plane.api.kubectl("apply", "-f", str(DEPLOY / part))
        plane.api.create(steered("probe", "default", replicas=1))
        wait_for("the policies to be in force", lambda: policies_are_in_force(plane.api))
        plane.api.delete("StatefulSet", "probe", "default")
        yield plane
    finally:
        plane.stop(keep_logs=request.session.testsfailed > 0)


@pytest.fixture(scope="module")
def api(cluster: ControlPlane) -> Api:
    return cluster.api


@pytest.fixture(scope="module")
def operator_api(cluster: ControlPlane) -> Api:
    kubeconfig = service_account_kubeconfig(cluster)
    return Api(cluster.port, cluster.authority.certificate, request_token(cluster.api),
               cluster.binary("kubectl"), kubeconfig)


def policies_are_in_force(api: Api) -> bool:
    """The API server takes up new policies about once a second, the last file's among the last."""
    kept = api.patch("StatefulSet", "probe", strategy(partition=0), "default", dry_run=True)
    if kept["spec"]["updateStrategy"]["rollingUpdate"]["partition"] != 5:
        return False
    return is_refused(lambda: api.patch("StatefulSet", "probe", {"spec": {"replicas": 0}},
                                        "default", subresource="scale", dry_run=True))


def steered(name: str, namespace: str, replicas: int = 0, at: int | None = 5,
            phase: str = "Rolling", image: str = IMAGE_A) -> Object:
    """A claimed StatefulSet. Most rules can be seen on one without pods."""
    return statefulset(name, namespace, replicas, image=image, partition=at,
                       annotations={CLAIM: f"pilot/{name}", PHASE: phase})


def strategy(**rolling_update: int) -> Object:
    return {"spec": {"updateStrategy": {"rollingUpdate": rolling_update}}}


def manifest(api: Api, namespace: str, **changes: Any) -> Object:
    """What its owner keeps in Git: labels, and no annotation of ours. None leaves a field out."""
    labels = api.get("StatefulSet", "web", namespace)["metadata"].get("labels")
    obj = statefulset("web", namespace, 0, labels=labels)
    obj["spec"].update(changes)
    obj["spec"] = {key: value for key, value in obj["spec"].items() if value is not None}
    return obj


def rolling(**rolling_update: int) -> Object:
    return {"type": "RollingUpdate", "rollingUpdate": rolling_update}


def kubectl_replace(api: Api, obj: Object) -> None:
    api.kubectl("replace", "-f", "-", stdin=yaml.safe_dump(obj))


def run_kubectl(cluster: ControlPlane, *arguments: str, kubeconfig: Path | None = None,
                stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([cluster.binary("kubectl"), "--kubeconfig",
                           str(kubeconfig or cluster.api.kubeconfig), *arguments],
                          input=stdin, capture_output=True, text=True)


def refusal(write: Callable[[], Any]) -> str:
    with pytest.raises(ApiError) as caught:
        write()
    assert caught.value.status == 403
    return caught.value.message


def is_refused(write: Callable[[], Any]) -> bool:
    try:
        write()
    except ApiError as error:
        return error.status == 403
    return False


def wait_until_seen(api: Api, namespace: str, name: str = "web") -> None:
    """The StatefulSet controller deletes pods before it reports a generation as observed."""
    wait_for("the controller to see the last change",
             lambda: api.get("StatefulSet", name, namespace),
             lambda obj: obj["status"]["observedGeneration"] == obj["metadata"]["generation"])


LOWERING: dict[str, Attempt] = {
    "merge patch": lambda api, ns: set_partition(api, ns, "web", 0),
    "merge patch, one less": lambda api, ns: set_partition(api, ns, "web", 4),
    "strategic patch": lambda api, ns: api.patch(
        "StatefulSet", "web", strategy(partition=0), ns, patch_type="strategic"),
    "json patch replaces it": lambda api, ns: api.patch(
        "StatefulSet", "web",
        [{"op": "replace", "path": "/spec/updateStrategy/rollingUpdate/partition", "value": 0}],
        ns, patch_type="json"),
    "json patch removes it": lambda api, ns: api.patch(
        "StatefulSet", "web",
        [{"op": "remove", "path": "/spec/updateStrategy/rollingUpdate/partition"}],
        ns, patch_type="json"),
    "json patch removes rollingUpdate": lambda api, ns: api.patch(
        "StatefulSet", "web", [{"op": "remove", "path": "/spec/updateStrategy/rollingUpdate"}],
        ns, patch_type="json"),
    "json patch removes updateStrategy": lambda api, ns: api.patch(
        "StatefulSet", "web", [{"op": "remove", "path": "/spec/updateStrategy"}],
        ns, patch_type="json"),
    "kubectl apply": lambda api, ns: api.apply(
        manifest(api, ns, updateStrategy=rolling(partition=0))),
    "server-side apply with force": lambda api, ns: api.patch(
        "StatefulSet", "web", manifest(api, ns, updateStrategy=rolling(partition=0)), ns,
        patch_type="apply", field_manager="gitops"),
    "kubectl replace": lambda api, ns: kubectl_replace(
        api, manifest(api, ns, updateStrategy=rolling(partition=0))),
    "kubectl replace without updateStrategy, like helm --force": lambda api, ns: kubectl_replace(
        api, manifest(api, ns, updateStrategy=None)),
    "kubectl replace with a bare RollingUpdate": lambda api, ns: kubectl_replace(
        api, manifest(api, ns, updateStrategy={"type": "RollingUpdate"})),
    "kubectl replace with an empty rollingUpdate": lambda api, ns: kubectl_replace(
        api, manifest(api, ns, updateStrategy=rolling())),
}


@pytest.mark.parametrize("attempt", LOWERING.values(), ids=LOWERING.keys())
def test_a_stranger_cannot_lower_the_partition(api: Api, namespace: str, attempt: Attempt) -> None:
    api.create(steered("web", namespace))
    attempt(api, namespace)
    assert partition(api, namespace, "web") == 5
    kept = api.get("StatefulSet", "web", namespace)["metadata"]["annotations"]
    assert (kept[CLAIM], kept[PHASE]) == ("pilot/web", "Rolling")


@pytest.mark.parametrize("attempt", LOWERING.values(), ids=LOWERING.keys())
def test_the_pilot_label_alone_keeps_the_partition(api: Api, namespace: str,
                                                   attempt: Attempt) -> None:
    labels = {PILOT_LABEL: "careful"}
    api.create(statefulset("web", namespace, 0, partition=5, labels=labels))
    attempt(api, namespace)
    assert partition(api, namespace, "web") == 5


@pytest.mark.parametrize("attempt", LOWERING.values(), ids=LOWERING.keys())
def test_an_unclaimed_set_is_not_touched(api: Api, namespace: str, attempt: Attempt) -> None:
    api.create(statefulset("web", namespace, 0, partition=5))
    attempt(api, namespace)
    assert partition(api, namespace, "web") in (0, 4, None)
    assert REFUSED not in api.get("StatefulSet", "web", namespace)["metadata"].get(
        "annotations", {})


def test_a_stranger_may_raise_the_partition(api: Api, namespace: str) -> None:
    api.create(steered("web", namespace))
    set_partition(api, namespace, "web", 7)
    assert partition(api, namespace, "web") == 7


@pytest.mark.parametrize("claimed, left", [(True, 7), (False, 0)])
def test_giving_the_field_up_in_a_server_side_apply_keeps_its_value(
        api: Api, namespace: str, claimed: bool, left: int) -> None:
    api.create(steered("web", namespace) if claimed
               else statefulset("web", namespace, 0, partition=5))
    for chosen in (rolling(partition=7), None):
        api.patch("StatefulSet", "web", manifest(api, namespace, updateStrategy=chosen), namespace,
                  patch_type="apply", field_manager="gitops")
    assert (partition(api, namespace, "web") or 0) == left


def test_no_partition_counts_as_zero_and_stays_unset(api: Api, namespace: str) -> None:
    bare = steered("web", namespace, at=None)
    claim = bare["metadata"].pop("annotations")
    api.create(bare)
    api.annotate("StatefulSet", "web", namespace, claim)
    api.annotate("StatefulSet", "web", namespace, {"team": "shop"})
    assert partition(api, namespace, "web") is None
    change_image(api, namespace, "web", IMAGE_B)
    assert partition(api, namespace, "web") == CLOSED


def test_the_person_is_told_why_the_partition_stays(cluster: ControlPlane, api: Api,
                                                    namespace: str) -> None:
    api.create(steered("web", namespace))
    lower = ("-n", namespace, "patch", "statefulset", "web", "--type=merge",
             "--patch", '{"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}}')
    for _ in range(2):
        said = run_kubectl(cluster, *lower)
        assert said.returncode == 0
        assert "Its partition stays at 5; only Sluice lowers it." in said.stderr
        assert f"annotate -n {namespace} statefulset/web {CLAIM}-" in said.stderr
    note = api.get("StatefulSet", "web", namespace)["metadata"]["annotations"][REFUSED]
    assert note == "partition 0, by sluice-test-admin, at generation 1"
    said = run_kubectl(cluster, "-n", namespace, "annotate", "statefulset", "web", "team=shop")
    assert said.stderr == ""


def rollout_at_one_pod(api: Api, operator_api: Api, namespace: str) -> None:
    """Pods A A B: one of three is on the new revision, and the operator waits."""
    create_ready(api, steered("web", namespace, replicas=3, at=3))
    change_image(api, namespace, "web", IMAGE_B)
    set_partition(operator_api, namespace, "web", 2)
    wait_for_pods(api, namespace, "web", [IMAGE_A, IMAGE_A, IMAGE_B])


TEMPLATE_CHANGES: dict[str, Attempt] = {
    "patch": lambda api, ns: change_image(api, ns, "web", IMAGE_C),
    "kubectl set image": lambda api, ns: api.kubectl(
        "-n", ns, "set", "image", "statefulset/web", f"app={IMAGE_C}"),
    "kubectl rollout restart": lambda api, ns: api.kubectl(
        "-n", ns, "rollout", "restart", "statefulset/web"),
    "kubectl rollout undo": lambda api, ns: api.kubectl(
        "-n", ns, "rollout", "undo", "statefulset/web"),
    "kubectl replace": lambda api, ns: kubectl_replace(
        api, statefulset("web", ns, 3, image=IMAGE_C)),
}


@pytest.mark.parametrize("change", TEMPLATE_CHANGES.values(), ids=TEMPLATE_CHANGES.keys())
def test_a_new_template_closes_the_gate_in_the_same_write(
        api: Api, operator_api: Api, namespace: str, change: Attempt) -> None:
    rollout_at_one_pod(api, operator_api, namespace)
    before = pods(api, namespace, "web")
    generation = api.get("StatefulSet", "web", namespace)["metadata"]["generation"]
    change(api, namespace)
    after = api.get("StatefulSet", "web", namespace)
    assert after["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == CLOSED
    assert after["metadata"]["generation"] == generation + 1
    wait_until_seen(api, namespace)
    assert pods(api, namespace, "web") == before


def test_a_template_that_another_admission_changes_closes_the_gate_too(api: Api,
                                                                       namespace: str) -> None:
    api.create(steered("web", namespace))
    with other_admission(api, namespace, """
            Object{spec: Object.spec{template: Object.spec.template{metadata:
              Object.spec.template.metadata{annotations: {'injected': 'yes'}}}}}"""):
        api.annotate("StatefulSet", "web", namespace, {"other-admission": "please"})
    after = api.get("StatefulSet", "web", namespace)
    assert after["spec"]["template"]["metadata"]["annotations"]["injected"] == "yes"
    assert partition(api, namespace, "web") == CLOSED


def test_another_admission_cannot_lower_the_partition(api: Api, namespace: str) -> None:
    api.create(steered("web", namespace))
    with other_admission(api, namespace, """
            Object{spec: Object.spec{updateStrategy: Object.spec.updateStrategy{rollingUpdate:
              Object.spec.updateStrategy.rollingUpdate{partition: 0}}}}"""):
        try:
            api.annotate("StatefulSet", "web", namespace, {"other-admission": "please"})
        except ApiError as error:
            assert "only Sluice lowers its partition" in error.message
    assert partition(api, namespace, "web") == 5


class other_admission:
    """Somebody else's mutating policy in one namespace, on sets annotated other-admission."""

    def __init__(self, api: Api, namespace: str, expression: str) -> None:
        self._api, self._namespace = api, namespace
        meta = {"name": f"other-{namespace}"}
        self._objects = [{
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy",
            "metadata": meta, "spec": {
                "reinvocationPolicy": "IfNeeded",
                "matchConstraints": {
                    "namespaceSelector": {
                        "matchLabels": {"kubernetes.io/metadata.name": namespace}},
                    "resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"],
                                       "operations": ["UPDATE"], "resources": ["statefulsets"]}]},
                "matchConditions": [{"name": "asked", "expression": "object.metadata.?annotations"
                                     "[?'other-admission'].hasValue()"}],
                "mutations": [{"patchType": "ApplyConfiguration",
                               "applyConfiguration": {"expression": expression}}]}}, {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingAdmissionPolicyBinding",
            "metadata": meta, "spec": {"policyName": meta["name"]}}]

    def __enter__(self) -> None:
        for obj in self._objects:
            self._api.create(obj)
        self._api.create(statefulset("other", self._namespace, 0, partition=1))

        def acts() -> bool:
            seen = self._api.patch("StatefulSet", "other", {"metadata": {"annotations": {
                "other-admission": "please"}}}, self._namespace, dry_run=True)
            return seen["metadata"]["generation"] != 1

        wait_for("the other admission to be in force", acts)

    def __exit__(self, *_: object) -> None:
        for obj in self._objects:
            self._api.delete(obj["kind"], obj["metadata"]["name"])


def test_a_huge_template_stays_within_the_limits_of_expressions(api: Api, namespace: str) -> None:
    huge = steered("web", namespace)
    container = huge["spec"]["template"]["spec"]["containers"][0]
    container["env"] = [{"name": f"V{i}", "value": "x" * 400} for i in range(1500)]
    api.create(huge)
    set_partition(api, namespace, "web", 0)
    assert partition(api, namespace, "web") == 5
    changed = copy.deepcopy(huge)
    changed["spec"]["template"]["spec"]["containers"][0]["env"][-1]["value"] = "y"
    api.replace(changed)
    assert partition(api, namespace, "web") == CLOSED


def test_an_unclaimed_set_rolls_as_ever(api: Api, namespace: str) -> None:
    create_ready(api, statefulset("web", namespace, 2))
    change_image(api, namespace, "web", IMAGE_B)
    wait_for_pods(api, namespace, "web", [IMAGE_B, IMAGE_B])
    assert partition(api, namespace, "web") in (0, None)


ON_DELETE = {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}}


def test_going_to_on_delete_is_refused_with_a_sentence(api: Api, namespace: str) -> None:
    api.create(steered("web", namespace))
    said = refusal(lambda: api.patch("StatefulSet", "web", ON_DELETE, namespace))
    assert "which the strategy OnDelete does not have" in said
    assert partition(api, namespace, "web") == 5


def test_an_unclaimed_set_may_go_to_on_delete(api: Api, namespace: str) -> None:
    api.create(statefulset("web", namespace, 0, partition=5))
    api.patch("StatefulSet", "web", ON_DELETE, namespace)


def test_coming_from_on_delete_closes_the_gate(api: Api, namespace: str) -> None:
    before = steered("web", namespace, at=None)
    before["spec"]["updateStrategy"] = {"type": "OnDelete"}
    api.create(before)
    change_image(api, namespace, "web", IMAGE_B)
    api.patch("StatefulSet", "web", {"spec": {"updateStrategy": {"type": "RollingUpdate"}}},
              namespace)
    assert partition(api, namespace, "web") == CLOSED


Scaling = Callable[..., Any]


@pytest.fixture(params=[None, "scale"], ids=["the set itself", "the scale subresource"])
def scale_to(api: Api, namespace: str, request: pytest.FixtureRequest) -> Scaling:
    """scale_to(2) as kubectl edit does it, and as kubectl scale and autoscalers do."""
    def write(replicas: int, dry_run: bool = False) -> Object:
        return api.patch("StatefulSet", "web", {"spec": {"replicas": replicas}}, namespace,
                         subresource=request.param, dry_run=dry_run)
    return write


@pytest.mark.parametrize("phase", ["Waiting", "Rolling", "Held"])
def test_scaling_to_zero_in_an_open_rollout_needs_a_word(
        api: Api, namespace: str, scale_to: Scaling, phase: str) -> None:
    create_ready(api, steered("web", namespace, replicas=2, phase=phase))
    # The rule for the subresource reads a cache, which may be a moment behind.
    wait_for("the rule to see the set", lambda: is_refused(lambda: scale_to(0, dry_run=True)))
    said = refusal(lambda: scale_to(0))
    assert f'{ALLOW_ZERO}: "true"' in said
    scale_to(1)
    scale_to(3)
    api.annotate("StatefulSet", "web", namespace, {ALLOW_ZERO: "true"})
    wait_for("scaling to zero", lambda: scale_to(0))
    assert api.get("StatefulSet", "web", namespace)["spec"]["replicas"] == 0


def test_a_revision_that_waits_is_an_open_rollout_whatever_the_phase_says(
        api: Api, namespace: str, scale_to: Scaling) -> None:
    create_ready(api, steered("web", namespace, replicas=1, phase="Idle"))
    change_image(api, namespace, "web", IMAGE_B)
    wait_for("the new revision", lambda: api.get("StatefulSet", "web", namespace)["status"],
             lambda status: status["currentRevision"] != status["updateRevision"])
    wait_for("the refusal", lambda: is_refused(lambda: scale_to(0, dry_run=True)))


def test_scaling_to_zero_with_a_new_template_needs_a_word(api: Api, namespace: str) -> None:
    create_ready(api, steered("web", namespace, replicas=1, phase="Idle"))
    both = statefulset("web", namespace, 0, image=IMAGE_B)
    refusal(lambda: api.replace(both))


def test_a_set_at_rest_may_be_scaled_to_zero(
        api: Api, namespace: str, scale_to: Scaling) -> None:
    create_ready(api, steered("web", namespace, replicas=1, phase="Idle"))
    wait_for("scaling to zero", lambda: scale_to(0))  # the rule's cache may be a moment behind
    assert api.get("StatefulSet", "web", namespace)["spec"]["replicas"] == 0


def test_an_unclaimed_set_may_be_scaled_to_zero(
        api: Api, namespace: str, scale_to: Scaling) -> None:
    create_ready(api, statefulset("web", namespace, 1, partition=5))
    api.create(steered("another", namespace, phase="Rolling"))
    change_image(api, namespace, "web", IMAGE_B)
    scale_to(0)
    assert api.get("StatefulSet", "web", namespace)["spec"]["replicas"] == 0


def test_removing_the_claim_is_the_break_glass(api: Api, operator_api: Api,
                                               namespace: str) -> None:
    rollout_at_one_pod(api, operator_api, namespace)
    api.kubectl("-n", namespace, "annotate", "statefulset", "web", f"{CLAIM}-")
    set_partition(api, namespace, "web", 0)
    wait_for_pods(api, namespace, "web", [IMAGE_B, IMAGE_B, IMAGE_B])


@pytest.mark.parametrize("asked, noted", [
    (rolling(partition=0), "0@3"), (rolling(partition=1), "1@3"), (rolling(partition=3), None),
    ({"type": "RollingUpdate"}, "absent@3"), (None, "0@3")])
def test_a_set_that_is_made_closed_notes_the_partition_that_it_asked_for(api, namespace, asked,
                                                                        noted):
    obj = statefulset("web", namespace, 3, labels={PILOT_LABEL: "careful"})
    obj["spec"].pop("updateStrategy", None)
    if asked:
        obj["spec"]["updateStrategy"] = asked
    made = api.create(obj)
    assert made["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 3
    found = made["metadata"].get("annotations", {}).get("sluice.dev/partition-before")
    assert found == noted


def test_the_break_glass_of_the_pilot_is_its_label(api: Api, namespace: str) -> None:
    api.create(statefulset("web", namespace, 0, partition=5, labels={PILOT_LABEL: "careful"},
                           annotations={CLAIM: "pilot/web"}))
    api.kubectl("-n", namespace, "label", "statefulset", "web", f"{PILOT_LABEL}-")
    api.kubectl("-n", namespace, "annotate", "statefulset", "web", f"{CLAIM}-")
    set_partition(api, namespace, "web", 0)
    assert partition(api, namespace, "web") == 0


def test_the_claim_leaves_in_a_write_of_its_own_only(api: Api, namespace: str) -> None:
    api.create(steered("web", namespace))
    body = {"metadata": {"annotations": {CLAIM: None}}, **strategy(partition=0)}
    api.patch("StatefulSet", "web", body, namespace)
    after = api.get("StatefulSet", "web", namespace)
    assert after["metadata"]["annotations"][CLAIM] == "pilot/web"
    assert partition(api, namespace, "web") == 5


@pytest.mark.parametrize("propagation", ["Background", "Foreground", "Orphan"])
def test_a_claimed_set_can_be_deleted(api: Api, namespace: str, propagation: str) -> None:
    create_ready(api, steered("web", namespace, replicas=1))
    api.delete("StatefulSet", "web", namespace, propagation=propagation)
    wait_for("the StatefulSet to be gone",
             lambda: api.find("StatefulSet", "web", namespace) is None)


ALLOWED_TO_OPERATOR: dict[str, Object] = {
    "lower the partition": strategy(partition=0),
    "raise the partition": strategy(partition=9),
    "set its annotations": {"metadata": {"annotations": {"sluice.dev/rollout": "{}"}}},
    "remove its annotations": {"metadata": {"annotations": {CLAIM: None, REFUSED: None}}},
}

FORBIDDEN_TO_OPERATOR: dict[str, Object] = {
    "template": {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}},
    "replicas": {"spec": {"replicas": 1}},
    "minReadySeconds": {"spec": {"minReadySeconds": 5}},
    "retention of claims": {"spec": {"persistentVolumeClaimRetentionPolicy": {
        "whenDeleted": "Delete"}}},
    "strategy": ON_DELETE,
    "annotation of others": {"metadata": {"annotations": {"team": ""}}},
    "removal of an annotation of others": {"metadata": {"annotations": {"owner": None}}},
    "label": {"metadata": {"labels": {"a": "b"}}},
    "finalizer": {"metadata": {"finalizers": ["example.com/stay"]}},
    "owner": {"metadata": {"ownerReferences": [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "x"}]}},
}


def owned_by_shop(namespace: str) -> Object:
    obj = steered("web", namespace)
    obj["metadata"]["annotations"]["owner"] = "shop"
    return obj


@pytest.mark.parametrize("body", ALLOWED_TO_OPERATOR.values(), ids=ALLOWED_TO_OPERATOR.keys())
def test_the_operator_may(api: Api, operator_api: Api, namespace: str, body: Object) -> None:
    api.create(owned_by_shop(namespace))
    after = operator_api.patch("StatefulSet", "web", body, namespace)
    wanted = body.get("spec", {}).get("updateStrategy", {}).get("rollingUpdate")
    assert wanted is None or after["spec"]["updateStrategy"]["rollingUpdate"] == wanted


@pytest.mark.parametrize("body", FORBIDDEN_TO_OPERATOR.values(), ids=FORBIDDEN_TO_OPERATOR.keys())
def test_the_operator_may_not_change(api: Api, operator_api: Api, namespace: str,
                                     body: Object) -> None:
    api.create(owned_by_shop(namespace))
    assert "The operator may" in refusal(
        lambda: operator_api.patch("StatefulSet", "web", body, namespace))


def test_the_operator_has_no_right_to_scale_to_create_or_to_delete(
        api: Api, operator_api: Api, namespace: str) -> None:
    api.create(steered("web", namespace))
    refusal(lambda: operator_api.patch("StatefulSet", "web", {"spec": {"replicas": 1}}, namespace,
                                       subresource="scale"))
    refusal(lambda: operator_api.create(steered("new", namespace)))
    refusal(lambda: operator_api.delete("StatefulSet", "web", namespace))


def test_the_operator_sees_the_policies_and_its_hooks_and_no_secrets(
        api: Api, operator_api: Api, namespace: str) -> None:
    operator_api.get("MutatingAdmissionPolicy", "sluice-gate")
    operator_api.get("ValidatingAdmissionPolicyBinding", "sluice-gate")
    hooks = operator_api.collection("ConfigMap", "sluice-system")
    operator_api.request("GET", hooks, query={"fieldSelector": "metadata.name=sluice-hooks"})
    refusal(lambda: operator_api.request("GET", hooks))
    api.create({"apiVersion": "v1", "kind": "Secret",
                "metadata": {"name": "password", "namespace": namespace}})
    refusal(lambda: operator_api.get("Secret", "password", namespace))
    binding = yaml.safe_load((DEPLOY / "optional" / "secret-reader-binding.yaml").read_text())
    binding["metadata"]["namespace"] = namespace
    api.create(binding)
    wait_for("the right to take effect",
             lambda: operator_api.get("Secret", "password", namespace))
    refusal(lambda: operator_api.list("Secret", namespace))


def test_the_deployment_meets_the_restricted_standard(cluster: ControlPlane, api: Api) -> None:
    path = str(DEPLOY / "deployment.yaml")
    said = run_kubectl(cluster, "apply", "--dry-run=server", "-f", path)
    assert (said.returncode, said.stderr) == (0, "")
    api.kubectl("apply", "-f", path)
    wait_for("both replicas to be there",
             lambda: api.get("Deployment", "sluice", "sluice-system")["status"],
             lambda status: status.get("availableReplicas") == 2)
    assert [event["message"] for event in api.list("Event", "sluice-system")
            if event["reason"] == "FailedCreate"] == []
    api.delete("Deployment", "sluice", "sluice-system", propagation="Foreground")


def test_the_operator_may_write_status_and_finalizer_of_a_phasedrollout_and_nothing_else(
        api: Api, operator_api: Api) -> None:
    api.kubectl("apply", "-f", str(DEPLOY / "crds"))
    wait_for("PhasedRollouts to be served", lambda: api.list("PhasedRollout") == [])
    api.create({"apiVersion": "sts.plus/v1alpha1", "kind": "PhasedRollout",
                "metadata": {"name": "web", "namespace": "default", "finalizers": ["a.test/b"]},
                "spec": {"targetRef": "web", "check": {"query": {"expr": "up", "url": "prom"}}}})

    def write(body: Object, **how: Any) -> Object:
        return operator_api.patch("PhasedRollout", "web", body, "default", **how)

    refused: list[Object] = [
        {"spec": {"skipCheck": True}}, {"spec": {"check": {"query": {"url": "evil"}}}},
        {"metadata": {"labels": {"a": "b"}}}, {"metadata": {"annotations": {"a": "b"}}},
        {"metadata": {"finalizers": None}}, {"metadata": {"finalizers": ["sts.plus/finalizer"]}},
    ]
    for body in refused:
        wait_for(f"{body} to be refused", lambda: is_refused(lambda: write(body, dry_run=True)))
    for finalizers in (["a.test/b", "sts.plus/finalizer"], ["a.test/b"]):
        after = write({"metadata": {"finalizers": finalizers}})
        assert after["metadata"]["finalizers"] == finalizers
    assert write({"status": {"phase": "Updated"}}, subresource="status")["status"] == {
        "phase": "Updated"}
    with pytest.raises(ApiError) as denied:
        operator_api.delete("PhasedRollout", "web", "default")
    assert denied.value.status == 403
    api.patch("PhasedRollout", "web", {"metadata": {"finalizers": None}}, "default")
    api.delete("PhasedRollout", "web", "default")


def test_the_optional_network_policy_is_valid(cluster: ControlPlane) -> None:
    said = run_kubectl(cluster, "apply", "--dry-run=server", "-f",
                       str(DEPLOY / "optional" / "networkpolicy.yaml"))
    assert (said.returncode, said.stderr) == (0, "")


def test_calls_on_the_lease_have_their_own_flow(cluster: ControlPlane, api: Api,
                                                operator_api: Api) -> None:
    flow = api.get("FlowSchema", "sluice-leader-election")
    assert flow["spec"]["priorityLevelConfiguration"]["name"] == "leader-election"

    def headers() -> str:
        return run_kubectl(cluster, "-v=8", "-n", "sluice-system", "get", "lease", "sluice",
                           kubeconfig=operator_api.kubeconfig).stderr.lower()

    wait_for("the flow schema to be in force", headers,
             lambda text: f"x-kubernetes-pf-flowschema-uid: {flow['metadata']['uid']}" in text)


def ours(api: Api, *kinds: str) -> list[str]:
    return [obj["metadata"]["name"] for kind in kinds
            for obj in api.list(kind, labels={"app.kubernetes.io/name": "sluice"})]


def test_undeploy_leaves_what_was_steered_running_and_frozen(bare_cluster: ControlPlane) -> None:
    api = bare_cluster.api
    assert run_script(bare_cluster, "deploy", IMG="team/sluice:1.0").returncode == 0
    deployment = api.get("Deployment", "sluice", "sluice-system")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "team/sluice:1.0"
    api.create({"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "sluice-hooks", "namespace": "sluice-system"}})
    create_ready(api, steered("web", "default", replicas=2, at=CLOSED))
    change_image(api, "default", "web", IMAGE_B)
    wait_until_seen(api, "default")
    before = pods(api, "default", "web")

    for _ in range(2):
        assert run_script(bare_cluster, "undeploy").returncode == 0
    assert ours(api, "Deployment", "PodDisruptionBudget", "ClusterRole", "ClusterRoleBinding",
                "Role", "RoleBinding", "ServiceAccount", "FlowSchema",
                "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding") == []
    assert api.find("ConfigMap", "sluice-hooks", "sluice-system") is not None
    assert pods(api, "default", "web") == before
    assert partition(api, "default", "web") == CLOSED
    assert api.get("StatefulSet", "web", "default")["metadata"]["annotations"][CLAIM]

    wait_for("the gate to be in people's hands", lambda: (
        set_partition(api, "default", "web", 0), partition(api, "default", "web") == 0)[1])
    wait_for_pods(api, "default", "web", [IMAGE_B, IMAGE_B])
    assert run_script(bare_cluster, "uninstall").returncode == 0
    assert ours(api, "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy") == []
    assert api.find("Namespace", "sluice-system") is not None
    api.delete("StatefulSet", "web", "default")


def test_an_operator_for_some_namespaces_has_no_rights_in_others(
        bare_cluster: ControlPlane) -> None:
    api = bare_cluster.api
    for name in ("shop", "bank"):
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def rights(name: str, account: str = "sluice") -> set[str]:
        """Every right there, as a line; kubectl's own first line is left out."""
        listed = run_kubectl(bare_cluster, "auth", "can-i", "--list", "--no-headers", "-n", name,
                             f"--as=system:serviceaccount:sluice-system:{account}")
        assert listed.returncode == 0, listed.stderr
        return {" ".join(line.split()) for line in listed.stdout.splitlines()}

    def own_rights() -> dict[str, set[str]]:
        """The resources that an account without a binding has nothing to do with."""
        return {name: {line.split()[0] for line in rights(name) - rights(name, "nobody")}
                for name in ("shop", "bank", "default")}

    # Of the whole cluster, and about nobody's namespace.
    harmless = {
        f"{kind}admissionpolic{end}.admissionregistration.k8s.io"
        for kind in ("mutating", "validating") for end in ("ies", "ybindings")
    } | {"clusteranalysistemplates.argoproj.io"}

    assert run_script(bare_cluster, "install").returncode == 0
    wait_for("rights everywhere", own_rights,
             lambda may: all({"pods", "statefulsets.apps"} <= one for one in may.values()))
    everything = own_rights()["shop"]
    assert run_script(bare_cluster, "deploy", NAMESPACES="shop,bank").returncode == 0
    wait_for("rights in two namespaces", own_rights,
             {"shop": everything, "bank": everything, "default": harmless}.__eq__)
    deployment = api.get("Deployment", "sluice", "sluice-system")
    arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    assert "--namespace=shop,bank" in arguments
    assert run_script(bare_cluster, "undeploy").returncode == 0
    wait_for("no rights", own_rights, lambda may: not any(may.values()))
    assert ours(api, "RoleBinding", "ClusterRoleBinding") == []


WIDGETS = """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.test.sluice.dev
spec:
  group: test.sluice.dev
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


def sluice_with_widgets(folder: Path) -> Path:
    """A sluice that has one custom resource definition and is itself otherwise."""
    (folder / "crds.yaml").write_text(WIDGETS)
    program = folder / "sluice"
    program.write_text(f'#!/bin/sh\nif [ "$2" = crds ]; then exec cat {folder}/crds.yaml; fi\n'
                       f'exec {sluice_binary()} "$@"\n')
    program.chmod(0o755)
    return program


def test_uninstall_refuses_while_there_are_custom_resources(bare_cluster: ControlPlane,
                                                            tmp_path: Path) -> None:
    api, sluice = bare_cluster.api, sluice_with_widgets(tmp_path)
    assert run_script(bare_cluster, "install", sluice).returncode == 0
    widget = api.create({"apiVersion": "test.sluice.dev/v1", "kind": "Widget",
                         "metadata": {"name": "one", "namespace": "default"}})
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": "owned", "namespace": "default", "ownerReferences": [{
            "apiVersion": "test.sluice.dev/v1", "kind": "Widget", "name": "one",
            "uid": widget["metadata"]["uid"]}]}})

    refused = run_script(bare_cluster, "uninstall", sluice)
    assert refused.returncode == 1
    assert refused.stderr.split()[:3] == ["Widget", "default", "one"]
    assert "FORCE=1" in refused.stderr
    assert ours(api, "MutatingAdmissionPolicyBinding") == GATES

    assert run_script(bare_cluster, "uninstall", sluice, FORCE="1").returncode == 0
    assert api.find("CustomResourceDefinition", "widgets.test.sluice.dev") is None
    left = api.get("ConfigMap", "owned", "default")
    assert "ownerReferences" not in left["metadata"]


def test_uninstall_by_force_does_not_wait_for_the_finalizers_of_an_operator_that_is_gone(
        bare_cluster: ControlPlane) -> None:
    api = bare_cluster.api
    assert run_script(bare_cluster, "install").returncode == 0
    for name, finalizers in (("held", ["sts.plus/finalizer"]), ("free", [])):
        api.apply({"apiVersion": "sts.plus/v1alpha1", "kind": "PhasedRollout",
                   "metadata": {"name": name, "namespace": "default", "finalizers": finalizers},
                   "spec": {"targetRef": "web", "check": {"query": {"expr": "up", "url": "prom"}}}})
    metric = {"name": "up", "provider": {"web": {"url": "http://up"}}}
    api.apply({"apiVersion": "argoproj.io/v1alpha1", "kind": "ClusterAnalysisTemplate",
               "metadata": {"name": "up"}, "spec": {"metrics": [metric]}})

    refused = run_script(bare_cluster, "uninstall")
    assert refused.returncode == 1
    assert sorted(line.split() for line in refused.stderr.splitlines()[:3]) == [
        ["ClusterAnalysisTemplate", "<none>", "up"],
        ["PhasedRollout", "default", "free"], ["PhasedRollout", "default", "held"]]

    assert run_script(bare_cluster, "uninstall", FORCE="1").returncode == 0
    for name in ("phasedrollouts.sts.plus", "clusteranalysistemplates.argoproj.io"):
        assert api.find("CustomResourceDefinition", name) is None


def test_uninstall_deletes_nothing_if_it_cannot_ask(bare_cluster: ControlPlane,
                                                    tmp_path: Path) -> None:
    broken = tmp_path / "sluice"
    broken.write_text(f'#!/bin/sh\n[ "$2" = crds ] && exit 3\nexec {sluice_binary()} "$@"\n')
    broken.chmod(0o755)
    assert run_script(bare_cluster, "install").returncode == 0
    assert run_script(bare_cluster, "uninstall", broken).returncode != 0
    assert ours(bare_cluster.api, "MutatingAdmissionPolicyBinding") == GATES


def test_run_steers_as_the_service_account_and_ends_cleanly(bare_cluster: ControlPlane) -> None:
    assert run_script(bare_cluster, "install").returncode == 0
    (port,) = free_ports(1)
    running = Process(
        "make-run", [str(REPOSITORY / "tools/deploy/run"), "--metrics-address=127.0.0.1:0",
                     f"--health-address=127.0.0.1:{port}"],
        bare_cluster.logs / "make-run.log",
        {"KUBECONFIG": str(bare_cluster.api.kubeconfig), "KUBECTL": bare_cluster.binary("kubectl"),
         "SLUICE_BINARY": str(sluice_binary())})
    try:
        wait_for("the operator to be ready", lambda: is_ready(running, port))
        assert running.terminate() == 0
    finally:
        running.kill9()


def is_ready(running: Process, port: int) -> bool:
    running.require_running()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
        return answer.status == 200
