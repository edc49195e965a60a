"""One tenant must not hurt the others: their objects, their endpoints, their missing rights."""

from __future__ import annotations

import secrets
import urllib.request
from typing import Callable, Iterator

import pytest
import yaml

from analysis_world import SERVED
from harness.api import Api, ApiError, Object
from harness.controlplane import ControlPlane
from harness.operator import (NAMESPACE, SERVICE_ACCOUNT, Operator, install, may,
                              service_account_kubeconfig, sluice)
from harness.waiting import wait_for
from harness.workloads import (IMAGE_B, change_image, claim_template, create_ready, partition,
                               pod_template, statefulset, wait_for_pods)
from pilot_world import NAME, set_policies, subscribed, wait_until_at_rest

pytestmark = pytest.mark.abuse


@pytest.fixture(scope="module")
def plane(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    one = ControlPlane()
    one.start()
    for component in ("rbac", "crds"):
        install(one.api, component)
    yield one
    one.stop(keep_logs=request.session.testsfailed > 0)


@pytest.fixture
def start(plane: ControlPlane) -> Iterator[Callable[..., Operator]]:
    started: list[Operator] = []

    def one(*flags: str) -> Operator:
        kubeconfig = service_account_kubeconfig(plane)
        started.append(Operator(plane, kubeconfig, f"operator-{secrets.token_hex(3)}", flags))
        return started[-1]

    yield one
    for each in started:
        each.kill9()


def new_namespace(api: Api, name: str) -> str:
    full = f"{name}-{secrets.token_hex(3)}"
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": full}})
    return full


def readiness(operator: Operator) -> str:
    with urllib.request.urlopen(f"{operator.health_url}/readyz", timeout=30) as answer:
        return answer.read().decode()


def create_run(api: Api, namespace: str, name: str, url: str, **metric: object) -> None:
    api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
                "metadata": {"name": name, "namespace": namespace, "annotations": SERVED},
                "spec": {"metrics": [{"name": "rate", "consecutiveErrorLimit": 0,
                                      "provider": {"web": {"url": url}}, **metric}]}})


def wait_for_run(api: Api, namespace: str, name: str, phase: str) -> Object:
    return wait_for(f"{name} to be {phase}",
                    lambda: api.get("AnalysisRun", name, namespace).get("status", {}),
                    lambda seen: seen.get("phase") == phase)


def test_scaling_to_zero_is_denied_while_the_controller_has_not_seen_the_last_change(
        plane: ControlPlane) -> None:
    """The first of all: an API server that saw this policy go does not fill its cache again."""
    api = plane.api
    set_policies(api, True)
    controllers = plane.process("kube-controller-manager")
    try:
        here = new_namespace(api, "slow")
        create_ready(api, subscribed(here, replicas=2))
        controllers.sigstop()
        change_image(api, here, NAME, IMAGE_B)

        def denial(subresource: str | None) -> str:
            try:
                api.patch("StatefulSet", NAME, {"spec": {"replicas": 0}}, here,
                          subresource=subresource, dry_run=True)
                return ""
            except ApiError as error:
                return error.message

        for subresource in (None, "scale"):  # the server fills a cache before it denies the latter
            wait_for("the denial", lambda subresource=subresource: denial(subresource),
                     lambda said: "Scaled to zero, all pods would come back on" in said)
    finally:
        controllers.sigcont()
        set_policies(api, False)


def test_a_condition_that_nests_values_step_by_step_is_an_error_and_no_end(
        plane: ControlPlane, start: Callable[..., Operator], hook) -> None:
    api, operator = plane.api, start("--allow-local-metrics")
    here = new_namespace(api, "deep")
    text = "result"
    for _ in range(6):
        text = "map([" + text + "], {" + "[" * 50 + "#" + "]" * 50 + "})"
    create_run(api, here, "deep", hook.url, successCondition=f"len({text}) > 0")
    seen = wait_for_run(api, here, "deep", "Error")
    assert "nests values too deeply" in str(seen)
    create_run(api, here, "well", hook.url, successCondition="true")
    wait_for_run(api, here, "well", "Successful")
    operator.process.require_running()


def test_a_namespace_that_may_not_be_read_is_reported_and_the_others_are_served(
        plane: ControlPlane, start: Callable[..., Operator]) -> None:
    api = plane.api
    open_one, closed_one = new_namespace(api, "open"), new_namespace(api, "closed")
    everywhere = ("sluice-workloads", "sluice-phasedrollout", "sluice-rolloutplugin")
    for name in everywhere:
        api.delete("ClusterRoleBinding", name)
    api.apply(sluice("manifests", "rbac", "--namespace", open_one))
    def may_list(ns: str) -> bool:
        return may(api, NAMESPACE, SERVICE_ACCOUNT, ns, verb="list", group="apps",
                   resource="statefulsets")

    try:
        wait_for("the rights to be in force",
                 lambda: may_list(open_one) and not may_list(closed_one))
        operator = start("--namespace", open_one, "--namespace", closed_one)
        create_ready(api, subscribed(open_one, hook="noop"))
        wait_until_at_rest(api, open_one, 3)
        change_image(api, open_one, NAME, IMAGE_B)
        wait_for_pods(api, open_one, NAME, [IMAGE_B] * 3)
        said = wait_for("what cannot be seen", lambda: readiness(operator), lambda text: (
            f"cannot be seen: namespace {closed_one}: cannot list statefulsets" in text))
        assert said.startswith("ok\n")
        assert open_one not in said
    finally:
        api.apply(sluice("manifests", "rbac"))


def test_prevent_is_promised_only_with_every_policy_as_it_should_be(
        plane: ControlPlane, start: Callable[..., Operator]) -> None:
    api = plane.api

    def guarantee() -> str:
        operator = start()
        return wait_for("the guarantee", lambda: [
            line["message"] for line in operator.log_lines()
            if "guarantee: " in line["message"]])[0]

    assert "Detect" in guarantee()
    set_policies(api, True)
    try:
        assert "guarantee: Prevent" in guarantee()
        api.delete("ValidatingAdmissionPolicyBinding", "sluice-scale-to-zero")
        said = guarantee()
        assert "Detect" in said
        assert "ValidatingAdmissionPolicyBinding sluice-scale-to-zero is not there" in said
        api.apply(sluice("manifests", "policies"))
        api.patch("ValidatingAdmissionPolicy", "sluice-operator-limits",
                  {"spec": {"failurePolicy": "Ignore"}})
        said = guarantee()
        assert "Detect" in said
        assert ("ValidatingAdmissionPolicy sluice-operator-limits is not the one of this version"
                in said)
    finally:
        set_policies(api, False)


def unguarded(name: str, namespace: str) -> Object:
    """An ExtendedStatefulSet with claims."""
    inner: Object = {"replicas": 1, "selector": {"matchLabels": {"app": name}},
                     "serviceName": name, "template": pod_template(name),
                     "volumeClaimTemplates": [claim_template("data")]}
    return {"apiVersion": "fissile.cloudfoundry.org/v1alpha1", "kind": "ExtendedStatefulSet",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"template": {"spec": inner}}}


def test_without_policies_an_extendedstatefulset_with_claims_is_held_and_nothing_is_made(
        plane: ControlPlane, start: Callable[..., Operator]) -> None:
    api = plane.api
    here = new_namespace(api, "unguarded")
    api.create(unguarded("with", here))
    without = unguarded("without", here)
    del without["spec"]["template"]["spec"]["volumeClaimTemplates"]
    api.create(without)
    start()

    def status(name: str) -> Object:
        return api.get("ExtendedStatefulSet", name, here).get("status", {})

    told = wait_for("the reason", lambda: status("with"),
                    lambda seen: seen.get("reason") == "VolumesUnguarded")
    assert (told["phase"], told.get("versions", {})) == ("Blocked", {})
    assert "Kubernetes 1.36" in told["unblock"]
    wait_for("the other one", lambda: status("without"),
             lambda seen: seen.get("phase") == "Ready")
    assert [one["metadata"]["name"] for one in api.list("StatefulSet", here)] == ["without-v1"]
    assert api.list("PersistentVolumeClaim", here) == []


def test_nobodys_url_leads_to_the_api_server(plane: ControlPlane,
                                             start: Callable[..., Operator]) -> None:
    api = plane.api
    start("--allow-local-metrics")
    here = new_namespace(api, "sly")
    config = yaml.safe_load(api.kubeconfig.read_text())
    port = config["clusters"][0]["cluster"]["server"].rsplit(":", 1)[1]
    for name, host in (("address", "127.0.0.1"), ("mapped", "[::ffff:127.0.0.1]"),
                       ("named", "localhost")):
        url = f"https://{host}:{port}/version"
        api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
                    "metadata": {"name": name, "namespace": here, "annotations": SERVED},
                    "spec": {"metrics": [{"name": "rate", "consecutiveErrorLimit": 0, "provider": {
                        "web": {"url": url, "insecure": True}}}]}})
        seen = wait_for_run(api, here, name, "Error")
        if name != "named":  # of the addresses of a name, each may be refused in its own way
            assert "the address of the API server" in str(seen), name


def test_a_set_that_is_named_or_carries_a_claim_is_created_with_its_gate_closed(
        plane: ControlPlane) -> None:
    api = plane.api
    set_policies(api, True)
    try:
        here = new_namespace(api, "named")
        api.create({"apiVersion": "sts.plus/v1alpha1", "kind": "PhasedRollout",
                    "metadata": {"name": "gentle", "namespace": here},
                    "spec": {"targetRef": "phased", "check": {
                        "query": {"expr": "up", "url": "http://prom"}}}})
        api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": "RolloutPlugin",
                    "metadata": {"name": "canary", "namespace": here},
                    "spec": {"workloadRef": {"apiVersion": "apps/v1", "kind": "StatefulSet",
                                             "name": "canary"},
                             "plugin": {"name": "statefulset"},
                             "strategy": {"canary": {"steps": [{"setWeight": 50}]}}}})

        def created(name: str, **more: object) -> int | None:
            try:
                api.create(statefulset(name, here, 0 if more else 2, **more))
                return partition(api, here, name)
            finally:
                api.delete("StatefulSet", name, here)

        for name in ("phased", "canary"):
            wait_for(f"{name} to be created closed", lambda name=name: created(name), 2 .__eq__)
        claimed = {"annotations": {"sluice.dev/claim": "phasedrollout/gone"}}
        assert created("claimed", **claimed) == 1000000
        assert created("free") is None
    finally:
        set_policies(api, False)
