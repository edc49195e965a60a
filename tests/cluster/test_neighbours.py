"""Sluice where others are: Argo Rollouts, with the definitions that its project publishes, and the
operators that served the same APIs before.

Their controllers are not there: what they own stays as it is, whether they look after it or not.
"""

from __future__ import annotations

import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml

from analysis_world import RUN, SERVED
from harness.api import Api, Object
from harness.controlplane import ControlPlane
from harness.deploying import run_script
from harness.hookserver import Answer, HookServer
from harness.operator import Operator, service_account_kubeconfig
from harness.places import REPOSITORY
from harness.waiting import wait_for
from harness.workloads import IMAGE_A, IMAGE_B, change_image, create_ready, images, statefulset

pytestmark = pytest.mark.abuse

NEW, OLD = "v1.10.1", "v1.4.1"  # OLD has no ttlStrategy yet
FILES = ("analysis-run-crd.yaml", "analysis-template-crd.yaml",
         "cluster-analysis-template-crd.yaml")
NAMES = ("analysisruns.argoproj.io", "analysistemplates.argoproj.io",
         "clusteranalysistemplates.argoproj.io")
DEFINITION = "CustomResourceDefinition"
API_VERSION = "argoproj.io/v1alpha1"
THEIRS = {"datadog": {"query": "avg:errors{*}", "interval": "5m"}}  # a provider of theirs alone


def bring_in(plane: ControlPlane, version: str) -> None:
    folder = Path(subprocess.run([REPOSITORY / "tools/argo-rollouts/definitions", version],
                                 capture_output=True, text=True, check=True).stdout.strip())
    for file in FILES:
        assert yaml.safe_load((folder / file).read_text())["metadata"]["name"] in NAMES
        plane.api.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(folder / file))
    wait_for("the definitions to be established",
             lambda: [plane.api.get(DEFINITION, name) for name in NAMES],
             lambda seen: all("Established" in str(one.get("status")) for one in seen))
    wait_for("them to be served", lambda: [plane.api.list(kind) for kind in (
        "AnalysisRun", "AnalysisTemplate", "ClusterAnalysisTemplate")], lambda _: True)


def specs(api: Api) -> list[Object]:
    return [api.get(DEFINITION, name)["spec"] for name in NAMES]


def create(api: Api, kind: str, name: str, spec: Object, **metadata: Object) -> None:
    api.create({"apiVersion": API_VERSION, "kind": kind, "spec": spec,
                "metadata": {"name": name, "namespace": "default", **metadata}})


def metric(provider: Object, **fields: object) -> Object:
    return {"metrics": [{"name": "rate", "provider": provider, **fields}]}


def test_its_definitions_stay_when_sluice_comes_and_goes(bare_cluster: ControlPlane) -> None:
    bring_in(bare_cluster, NEW)
    before = specs(bare_cluster.api)
    create(bare_cluster.api, "AnalysisTemplate", "theirs", metric(THEIRS))

    installed = run_script(bare_cluster, "install")
    assert installed.returncode == 0, installed.stderr
    for name in NAMES:
        assert f"{name} is there and not Sluice's: it stays as it is." in installed.stdout
    assert installed.stdout.count("It has every field that Sluice needs.") == len(NAMES)
    assert bare_cluster.api.find(DEFINITION, "rolloutplugins.argoproj.io") is not None
    assert specs(bare_cluster.api) == before

    for force in ("", "1"):
        gone = run_script(bare_cluster, "uninstall", FORCE=force)
        assert gone.returncode == 0, gone.stderr
    assert bare_cluster.api.find(DEFINITION, "rolloutplugins.argoproj.io") is None
    assert specs(bare_cluster.api) == before
    assert bare_cluster.api.find("AnalysisTemplate", "theirs", "default") is not None
    bare_cluster.api.delete("AnalysisTemplate", "theirs", "default")


def test_its_runs_are_left_alone_and_ours_are_measured(bare_cluster: ControlPlane,
                                                       hook: HookServer) -> None:
    api = bare_cluster.api
    bring_in(bare_cluster, NEW)
    assert run_script(bare_cluster, "install").returncode == 0
    hook.answer(lambda _: Answer(200, b'{"ok": true}', {"Content-Type": "application/json"}))
    web = {"web": {"url": f"{hook.url}/health", "jsonPath": "{$.ok}"}}
    create(api, RUN, "theirs", metric(THEIRS))
    create(api, "AnalysisTemplate", "healthy", metric(web, successCondition="result == true"))
    operator = Operator(bare_cluster, service_account_kubeconfig(bare_cluster), "operator",
                        ("--allow-local-metrics",))
    try:
        create_ready(api, statefulset("web", "default", replicas=2))
        create(api, "RolloutPlugin", "careful", {
            "workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web"},
            "plugin": {"name": "statefulset"},
            "strategy": {"canary": {"steps": [
                {"setWeight": 50}, {"analysis": {"templates": [{"templateName": "healthy"}]}}]}}})
        wait_for_phase(api, "RolloutPlugin", "careful", "Healthy")
        assert images(api, "default", "web") == [IMAGE_A] * 2
        change_image(api, "default", "web", IMAGE_B)
        wait_for_phase(api, "RolloutPlugin", "careful", "Successful")
        create(api, RUN, "ours", metric(web, successCondition="result == true"),
               annotations=SERVED)
        told = wait_for_phase(api, RUN, "ours", "Successful")
        assert told["completedAt"] and told["metricResults"][0]["consecutiveSuccess"] == 1
        assert "status" not in api.get(RUN, "theirs", "default")

        api.patch(RUN, "theirs", {"metadata": {"annotations": SERVED}}, "default")
        assert "datadog" in wait_for_phase(api, RUN, "theirs", "Error")["message"]
    finally:
        operator.kill9()


def wait_for_phase(api: Api, kind: str, name: str, phase: str) -> Object:
    return wait_for(f"{kind} {name} to be {phase}",
                    lambda: api.get(kind, name, "default").get("status", {}),
                    lambda seen: seen.get("phase") == phase)


def test_a_definition_that_lacks_something_is_named_and_can_be_handed_over(
        bare_cluster: ControlPlane) -> None:
    api = bare_cluster.api
    bring_in(bare_cluster, OLD)
    before = specs(api)
    installed = run_script(bare_cluster, "install")
    assert installed.returncode == 0, installed.stderr
    assert "spec.ttlStrategy, status.completedAt" in installed.stdout
    assert "skywalking" not in installed.stdout  # Sluice does not serve it
    command = "kubectl label crd analysisruns.argoproj.io app.kubernetes.io/name=sluice --overwrite"
    assert command in installed.stdout
    assert specs(api) == before

    api.kubectl(*command.split()[1:])
    again = run_script(bare_cluster, "install")
    assert again.returncode == 0, again.stderr
    assert "analysisruns.argoproj.io is there and not" not in again.stdout
    run = api.get(DEFINITION, NAMES[0])["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert "ttlStrategy" in run["properties"]["spec"]["properties"]
    assert specs(api)[1:] == before[1:]


def lease(name: str, age: timedelta) -> Object:
    renewed = (datetime.now(timezone.utc) - age).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"holderIdentity": "somebody", "renewTime": renewed}}


def webhook(name: str) -> Object:
    return {"apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "old-webhook"},
            "webhooks": [{"name": name, "sideEffects": "None", "admissionReviewVersions": ["v1"],
                          "failurePolicy": "Ignore", "rules": [],
                          "clientConfig": {"url": "https://127.0.0.1:1/validate"}}]}


def test_operators_that_came_before_are_named_while_they_run(bare_cluster: ControlPlane) -> None:
    api = bare_cluster.api
    quiet = run_script(bare_cluster, "install")
    assert quiet.returncode == 0, quiet.stderr
    assert "docs/migration.md" not in quiet.stdout
    api.create(lease("304add93.sts.plus", timedelta(seconds=5)))
    api.create(lease("stateful-cluster-operator-lock", timedelta(hours=3)))
    api.create(webhook("vphasedrollout-v1alpha1.kb.io"))
    images = {"pilot-0": "team/statefulset-pilot:1", "extended-0": "team/cf-operator:v0.2"}
    for name, image in images.items():
        api.create({"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": name, "namespace": "default"},
                    "spec": {"containers": [{"name": "manager", "image": image}]}})
    for name in images:
        wait_for(f"{name} to run", lambda: api.get("Pod", name, "default")["status"],
                 lambda seen: seen.get("phase") == "Running")

    told = run_script(bare_cluster, "install")
    assert told.returncode == 0, told.stderr
    assert "Lease 304add93.sts.plus in namespace default is held by the first" in told.stdout
    assert "kubectl delete validatingwebhookconfigurations old-webhook" in told.stdout
    assert "Pod pilot-0 in namespace default runs statefulset-pilot" in told.stdout
    assert "Pod extended-0 in namespace default runs cf-operator" in told.stdout
    assert "stateful-cluster-operator-lock" not in told.stdout  # nobody renews it any more
