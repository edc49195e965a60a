"""The servers that are compared, and how the cases are put to them."""

from __future__ import annotations

import json
import secrets
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Iterable, Iterator

import yaml

from harness.api import Api, ApiError
from harness.controlplane import ControlPlane
from harness.embedded import Embedded
from harness.operator import request_token, service_account_kubeconfig, sluice
from harness.waiting import wait_for

from .cases import CASES
from .cases_policies import partition, steered
from .normal import transcript
from .server import ADMIN, OPERATOR, Server
from .talk import Talk
from .traces import TRACES

_CONTROLLERS = ("kube-controller-manager", "kube-scheduler", "kwok")

# More would only wait for the API server; a new kind takes it two seconds.
_TALKS_AT_ONCE = 12

# No controller of the embedded cluster gets as far as its first reaction, which takes 5 ms.
STANDING_STILL = 1e-6


def real_server(plane: ControlPlane) -> Server:
    service_account_kubeconfig(plane)
    plane.api.apply(sluice("manifests", "rbac"))
    tokens = {ADMIN: plane.token, OPERATOR: request_token(plane.api)}
    return Server("real", plane.api, plane.port, plane.authority.certificate, tokens,
                  {"sluice-test-admin": "<admin>", "kwok-volume": "<default class>"})


def embedded_server(cluster: Embedded) -> Server:
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    token_of = {user["name"]: user["user"]["token"] for user in config["users"]}
    context = next(one["context"] for one in config["contexts"]
                   if one["name"] == "sluice-operator")
    tokens = {ADMIN: cluster.token, OPERATOR: token_of[context["user"]]}
    return Server("embedded", cluster.api, cluster.port, cluster.authority, tokens,
                  {"kubernetes-admin": "<admin>", '"standard"': '"<default class>"'})


def install_policies(api: Api) -> None:
    api.apply(sluice("manifests", "policies"))
    probe = steered(replicas=3)
    probe["metadata"].update({"name": "probe", "namespace": "default"})
    api.create(probe)
    wait_for("the policies to be in force", lambda: _policies_are_in_force(api))
    api.delete("StatefulSet", "probe", "default")


def _policies_are_in_force(api: Api) -> bool:
    """A new set begins closed, and the gate of an old one stays: both kinds of policies act."""
    subscribed = steered()
    subscribed["metadata"].update({"name": "second", "namespace": "default",
                                   "labels": {"dd-statefulset-pilot": "x"}})
    del subscribed["spec"]["updateStrategy"]
    made = api.create(subscribed, dry_run=True)
    kept = api.patch("StatefulSet", "probe", partition(0), "default", dry_run=True)
    return (made["spec"]["updateStrategy"]["rollingUpdate"]["partition"] > 0
            and kept["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 5
            and _on_delete_is_refused(api))


def _on_delete_is_refused(api: Api) -> bool:
    try:
        api.patch("StatefulSet", "probe", {"spec": {"updateStrategy": {
            "type": "OnDelete", "rollingUpdate": None}}}, "default", dry_run=True)
    except ApiError:
        return True
    return False


@contextmanager
def standing_still(plane: ControlPlane) -> Iterator[None]:
    """Nobody but the API server does anything."""
    for name in _CONTROLLERS:
        plane.sigstop(name)
    try:
        yield
    finally:
        for name in _CONTROLLERS:
            plane.sigcont(name)


def transcripts(servers: list[Server], names: Iterable[str]) -> dict[tuple[str, str], str]:
    """By server and case. A case that fails has the failure as its transcript."""
    keys = [(server, name) for name in names for server in servers]
    with ThreadPoolExecutor(max_workers=_TALKS_AT_ONCE) as pool:
        texts = pool.map(lambda key: _transcript(*key), keys)
        return {(server.name, name): text for (server, name), text in zip(keys, texts)}


def _transcript(server: Server, name: str) -> str:
    talk = Talk(server, f"case-{secrets.token_hex(4)}")
    try:
        server.exchange("POST", "/api/v1/namespaces", {
            "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": talk.namespace}})
        CASES[name](talk)
    except Exception:  # noqa: BLE001: the other server, or the comparison, tells the rest
        server.hang_up()
        return transcript(talk) + "\n" + traceback.format_exc(limit=-2)
    return transcript(talk)


def end_states(apis: dict[str, Api], names: Iterable[str]) -> dict[tuple[str, str], str]:
    """By server and trace, all of them at the same time. A failure is an end, too."""
    chosen = [(server, name) for name in names for server in apis]
    with ThreadPoolExecutor(max_workers=len(chosen) or 1) as pool:
        return dict(zip(chosen, pool.map(lambda key: _end_state(apis[key[0]], key[1]), chosen)))


def _end_state(api: Api, name: str) -> str:
    ns = f"trace-{secrets.token_hex(4)}"
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    try:
        return json.dumps(TRACES[name](api, ns), indent=1, sort_keys=True)
    except Exception:  # noqa: BLE001: the comparison shows it
        return f"{ns}\n{traceback.format_exc(limit=-3)}"
