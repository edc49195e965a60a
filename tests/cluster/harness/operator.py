"""The operator under test: a process with its own identity, and what it says."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from .api import Api, ApiError, has_condition
from .controlplane import ControlPlane
from .failure import HarnessError
from .places import free_ports, sluice_binary
from .process import Process
from .waiting import wait_for
from .workloads import statefulset

NAMESPACE = "sluice-system"
SERVICE_ACCOUNT = "sluice"


class Operator:
    """`sluice operator` with the rights of its ServiceAccount and nothing else."""

    def __init__(self, cluster: ControlPlane, kubeconfig: Path, name: str = "operator",
                 flags: tuple[str, ...] = (), ready: bool = True) -> None:
        metrics_port, health_port = free_ports(2)
        self.metrics_url = f"http://127.0.0.1:{metrics_port}/metrics"
        self.health_url = f"http://127.0.0.1:{health_port}"
        self.process = Process(
            name,
            [str(sluice_binary()), "operator", f"--kubeconfig={kubeconfig}",
             f"--metrics-address=127.0.0.1:{metrics_port}",
             f"--health-address=127.0.0.1:{health_port}",
             "--log-format=json", *flags],
            cluster.logs / f"{name}.log")
        if ready:
            self.wait_until_ready()

    def wait_until_ready(self) -> None:
        def readiness() -> int:
            self.process.require_running()
            return self.health("/readyz")

        wait_for(f"{self.process.name} to be ready", readiness, lambda code: code == 200)

    def health(self, path: str = "/livez", timeout: float = 30) -> int:
        """The status code of a health endpoint; OSError while nothing listens."""
        try:
            with urllib.request.urlopen(self.health_url + path, timeout=timeout) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def metrics(self) -> dict[str, float]:
        """Samples by name and labels, as they are written: `name{a="b"}`."""
        with urllib.request.urlopen(self.metrics_url, timeout=30) as answer:
            text = answer.read().decode()
        samples = (line.rsplit(" ", 1) for line in text.splitlines()
                   if line and not line.startswith("#"))
        return {name: float(value) for name, value in samples}

    def log_lines(self) -> list[dict[str, Any]]:
        """The log so far. A last line still being written is left out; any other must be JSON."""
        text = self.process.log.read_text()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def kill9(self) -> int:
        return self.process.kill9()

    def sigstop(self) -> None:
        self.process.sigstop()

    def sigcont(self) -> None:
        self.process.sigcont()

    def terminate(self, deadline: float = 90) -> int:
        return self.process.terminate(deadline)


def sluice(*arguments: str, stdin: str | None = None) -> str:
    """Runs the command to its end and returns what it prints."""
    done = subprocess.run([str(sluice_binary()), *arguments], input=stdin,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise HarnessError(f"sluice {' '.join(arguments)} ended with {done.returncode}: "
                           f"{done.stderr.strip()}")
    return done.stdout


def install(api: Api, component: str) -> None:
    """`sluice manifests <component> | kubectl apply -f -`, then waits until they are in force."""
    manifests = sluice("manifests", component)
    if any(yaml.safe_load_all(manifests)):
        api.apply(manifests)
    wait_for("the custom resource definitions to be established",
             lambda: api.list("CustomResourceDefinition"),
             lambda crds: all(has_condition(crd, "Established") for crd in crds))
    if component == "policies":
        probe = statefulset("policy-probe", "default", 0, labels={"dd-statefulset-pilot": "none"})
        wait_for("the policies to be in force", lambda: api.create(probe, dry_run=True)["spec"][
            "updateStrategy"].get("rollingUpdate", {}).get("partition", 0) > 0)


def may(api: Api, namespace: str, account: str, within: str, **what: str) -> bool:
    """Whether a ServiceAccount has the right by now to do that in a namespace."""
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
              "metadata": {}, "spec": {"user": f"system:serviceaccount:{namespace}:{account}",
                                       "resourceAttributes": {"namespace": within, **what}}}
    return api.create(review)["status"]["allowed"]


def service_account_kubeconfig(cluster: ControlPlane, namespace: str = NAMESPACE,
                               name: str = SERVICE_ACCOUNT) -> Path:
    """A kubeconfig with a real, bound token of that ServiceAccount, which is made if missing."""
    api = cluster.api
    _create_if_missing(api, {"apiVersion": "v1", "kind": "Namespace",
                             "metadata": {"name": namespace}})
    _create_if_missing(api, {"apiVersion": "v1", "kind": "ServiceAccount",
                             "metadata": {"name": name, "namespace": namespace}})
    path = cluster.folder / f"{namespace}.{name}.kubeconfig"
    token = request_token(api, namespace, name)
    return cluster.write_kubeconfig(path, token, namespace)


def request_token(api: Api, namespace: str = NAMESPACE, name: str = SERVICE_ACCOUNT,
                  seconds: int = 7200) -> str:
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
               "spec": {"expirationSeconds": seconds}}
    return api.request("POST", path, request)["status"]["token"]


def _create_if_missing(api: Api, obj: dict[str, Any]) -> None:
    try:
        api.create(obj)
    except ApiError as error:
        if error.status != 409:
            raise
