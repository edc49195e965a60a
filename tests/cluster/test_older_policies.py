"""What is installed on older API servers: policies that refuse and cannot correct, definitions with
the rules that these servers can afford."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

from harness.api import Api, ApiError, Object
from harness.controlplane import ControlPlane
from harness.failure import HarnessError
from harness.operator import (NAMESPACE, SERVICE_ACCOUNT, Operator, request_token,
                              service_account_kubeconfig, sluice)
from harness.places import REPOSITORY, older_files
from harness.waiting import wait_for
from harness.workloads import IMAGE_B, statefulset
from test_analysis_crd import TEMPLATE
from test_phasedrollout_crd import EXAMPLE as PHASED_ROLLOUT
from test_rolloutplugin_crd import EXAMPLE as ROLLOUT_PLUGIN
from test_tenants import unguarded

pytestmark = [pytest.mark.abuse, pytest.mark.deep]

LABEL = "dd-statefulset-pilot"


@pytest.fixture(scope="module")
def servers() -> Path:
    return older_files()


@pytest.fixture(scope="module", params=["v1.30", "v1.33"])
def older(request: pytest.FixtureRequest, servers: Path) -> Iterator[ControlPlane]:
    plane = ControlPlane(apiserver=servers / f"kube-apiserver-{request.param}")
    plane.start()
    for component in ("crds", "rbac", "policies"):
        plane.api.apply(sluice("manifests", component, "--kube-version", request.param))
    yield plane
    plane.stop(keep_logs=request.session.testsfailed > 0)


def refusal(api: Api, body: Object, subresource: str | None = None) -> str:
    """Why the write is denied; empty if it is not. Nothing is changed."""
    try:
        api.patch("StatefulSet", "web", body, "default", subresource=subresource, dry_run=True)
        return ""
    except ApiError as error:
        return error.message


def wait_for_refusal(api: Api, body: Object, words: str, subresource: str | None = None) -> None:
    wait_for(f"the denial: {words}", lambda: refusal(api, body, subresource),
             lambda said: words in said)


def rolling(**fields: Any) -> Object:
    return {"spec": {"updateStrategy": fields}}


def see(api: Api) -> None:
    """What the StatefulSet controller would write: there is none here."""
    seen = api.get("StatefulSet", "web", "default")
    api.patch("StatefulSet", "web", {"status": {
        "replicas": 3, "observedGeneration": seen["metadata"]["generation"],
        "currentRevision": "web-1", "updateRevision": "web-1"}}, "default", subresource="status")


def test_every_definition_is_served_with_the_rules_that_can_be_afforded(
        older: ControlPlane) -> None:
    def apply(manifest: str) -> str:
        """Why it is refused; empty if it is not."""
        try:
            older.api.apply(manifest)
            return ""
        except HarnessError as error:
            return str(error)

    for example in (PHASED_ROLLOUT, ROLLOUT_PLUGIN, TEMPLATE):
        wait_for("the example to be accepted", lambda: apply(example), lambda said: said == "")
    wrong = ROLLOUT_PLUGIN.replace("setWeight: 20", "setWeight: 101")
    assert "spec.strategy.canary.steps[0].setWeight" in apply(wrong)
    assert apply(ROLLOUT_PLUGIN.replace("5m", "soon")) == "", "the operator says it, in the status"


def test_the_gate_is_kept_and_ordinary_writes_go_through(older: ControlPlane) -> None:
    api = older.api
    api.create(statefulset("web", "default", 3, labels={LABEL: "noop"}, partition=3))
    see(api)
    template = {"spec": {"template": {"spec": {"containers": [
        {"name": "app", "image": IMAGE_B}]}}}}
    wait_for_refusal(api, rolling(rollingUpdate={"partition": 1}),
                     "only Sluice lowers its partition")
    assert "Leave the partition out of what you apply" in refusal(
        api, rolling(rollingUpdate={"partition": 1}))
    assert "OnDelete does not have" in refusal(
        api, rolling(type="OnDelete", rollingUpdate=None))
    assert refusal(api, rolling(rollingUpdate={"partition": 5})) == ""
    assert refusal(api, {"metadata": {"annotations": {"team": "shop"}}}) == ""
    assert refusal(api, template) == "", "a new template waits where the partition is"
    assert refusal(api, {"spec": {"replicas": 0}}) == "", "no rollout is open"

    api.patch("StatefulSet", "web", template, "default", patch_type="strategic")
    for subresource in (None, "scale"):
        wait_for_refusal(api, {"spec": {"replicas": 0}}, "Scaled to zero, all pods would",
                         subresource)


def test_the_operator_cannot_write_more_than_it_must(older: ControlPlane) -> None:
    api = older.api
    token = request_token(api, NAMESPACE, SERVICE_ACCOUNT)
    config = older.write_kubeconfig(older.folder / "stolen.kubeconfig", token)

    def stolen(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([older.binary("kubectl"), f"--kubeconfig={config}", *words],
                              capture_output=True, text=True)

    image = '{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"evil"}]}}}}'
    denied = stolen("patch", "statefulset", "web", "--type=strategic", "-p", image)
    assert "The operator may change the partition and nothing else" in denied.stderr
    note = '{"metadata":{"annotations":{"sluice.dev/phase":"Idle"}}}'
    assert stolen("patch", "statefulset", "web", "--type=merge", "-p", note).returncode == 0


def test_the_right_to_run_jobs_of_one_api_is_none_for_another(older: ControlPlane) -> None:
    older.api.apply((REPOSITORY / "deploy/optional/analysis-jobs-binding.yaml").read_text().replace(
        "namespace: shop", "namespace: default"))
    token = request_token(older.api, NAMESPACE, SERVICE_ACCOUNT)
    config = older.write_kubeconfig(older.folder / "jobs.kubeconfig", token)
    operator = Api(older.port, older.authority.certificate, token, older.binary("kubectl"), config)

    def denial(group: str, kind: str) -> str:
        owner = {"apiVersion": f"{group}/v1alpha1", "kind": kind, "name": "web", "uid": "somebody",
                 "controller": True}
        pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}
        try:
            operator.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {
                "name": "mine", "namespace": "default", "ownerReferences": [owner],
                "labels": {"extendedjob": "true"}}, "spec": {"template": {"spec": pod}}},
                dry_run=True)
            return ""
        except ApiError as error:
            return error.message

    wait_for("the denial", lambda: denial("fissile.cloudfoundry.org", "ExtendedJob"),
             lambda said: "made only where sluice-extendedjob-jobs is bound" in said)
    assert denial("argoproj.io", "AnalysisRun") == ""


def test_an_extendedstatefulset_with_claims_is_held(older: ControlPlane) -> None:
    older.api.create(unguarded("ledger", "default"))
    operator = Operator(older, service_account_kubeconfig(older), "operator-held")
    try:
        told = wait_for("the reason", lambda: older.api.get(
            "ExtendedStatefulSet", "ledger", "default").get("status", {}),
            lambda seen: seen.get("reason") == "VolumesUnguarded")
    finally:
        operator.kill9()
    assert told.get("versions", {}) == {} and "Kubernetes 1.36" in told["unblock"]
    assert older.api.find("StatefulSet", "ledger-v1", "default") is None
    assert older.api.list("PersistentVolumeClaim", "default") == []
