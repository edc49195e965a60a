"""The world of the pilot tests: a hook that is declared, sets that subscribe to it, an oracle."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.api import Api, ApiError, Object
from harness.hookserver import HookServer
from harness.operator import NAMESPACE, sluice
from harness.recorder import Recorder
from harness.waiting import wait_for
from harness.workloads import partition, statefulset

LABEL = "dd-statefulset-pilot"
CLOSED = 1000000
NAME = "web"
FLAGS = ("--allow-local-hooks", "--hook-retry=1s")


class Call(NamedTuple):
    """One question to the hook: pod names, or None."""
    prev: str | None
    next: str | None


def declare_hooks(api: Api, hooks: dict[str, str]) -> None:
    """The ConfigMap sluice-hooks with exactly these entries."""
    body = {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "sluice-hooks", "namespace": NAMESPACE}, "data": hooks}
    try:
        api.create(body)
    except ApiError as error:
        if error.status != 409:
            raise
        api.replace(body)


def declare(api: Api, hook: HookServer, name: str = "careful") -> None:
    declare_hooks(api, {name: f"url: {hook.url}/ask\ntimeout: 60s\n"})


def subscribed(namespace: str, replicas: int = 3, hook: str = "careful", **more: Any) -> Object:
    more.setdefault("partition", replicas)
    return statefulset(NAME, namespace, replicas, labels={LABEL: hook}, **more)


def calls(hook: HookServer, namespace: str) -> list[Call]:
    """Every question in order; the same question asked again in a row counts once.

    Sets of earlier tests may still be on their way out, and ask too.
    """
    asked: list[tuple[str, Call]] = []
    for body in hook.bodies:
        if body["namespace"] != namespace:
            continue
        call = Call(_name(body["prev"]), _name(body["next"]))
        if not asked or asked[-1][0] != body["idempotencyKey"]:
            asked.append((body["idempotencyKey"], call))
    return [call for _, call in asked]


def whole_rollout(replicas: int, start: int = 0) -> list[Call]:
    """(nil, last), (last, last-1), ..., (first, nil): what the document promises."""
    names = [f"{NAME}-{start + i}" for i in reversed(range(replicas))]
    return [Call(prev, next_) for prev, next_ in zip([None, *names], [*names, None])]


def annotations(api: Api, namespace: str) -> dict[str, str]:
    return api.get("StatefulSet", NAME, namespace)["metadata"].get("annotations", {})


def reason(api: Api, namespace: str) -> str | None:
    return annotations(api, namespace).get("sluice.dev/reason")


def wait_for_reason(api: Api, namespace: str, wanted: str) -> dict[str, str]:
    return wait_for(f"the reason {wanted}", lambda: annotations(api, namespace),
                    lambda seen: seen.get("sluice.dev/reason") == wanted)


def wait_for_event(api: Api, namespace: str, reason: str) -> Object:
    events = wait_for(f"the event {reason}", lambda: [
        one for one in api.events(namespace, NAME) if one["reason"] == reason])
    return events[0]


def wait_until_at_rest(api: Api, namespace: str, replicas: int) -> None:
    """The rollout is over and the gate closed as the documents say: partition equals replicas."""
    wait_for("the rollout to be over",
             lambda: (annotations(api, namespace).get("sluice.dev/phase"),
                      partition(api, namespace, NAME)),
             lambda seen: seen == ("Idle", replicas))


def set_policies(api: Api, installed: bool) -> None:
    """Installs the admission policies and waits until they act, or removes them likewise."""
    text = sluice("manifests", "policies")
    if installed:
        api.apply(text)
    else:
        api.kubectl("delete", "--ignore-not-found", "-f", "-", stdin=text)
    wait_for(f"the policies to be {'in force' if installed else 'gone'}",
             lambda: _policies_act(api), lambda act: act is installed)


def _policies_act(api: Api) -> bool:
    probe = statefulset("policy-probe", "default", 0, labels={LABEL: "none"}, partition=5)
    try:
        api.create(probe)
    except ApiError as error:
        if error.status != 409:
            raise
    now = partition(api, "default", "policy-probe")
    lowered = api.patch("StatefulSet", "policy-probe",
                        {"spec": {"updateStrategy": {"rollingUpdate": {"partition": 1}}}},
                        "default", dry_run=True)
    return lowered["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == now


def ungated_pods(recorder: Recorder, hook: HookServer, old_image: str) -> list[str]:
    """Pods that appeared with another image than `old_image` before the hook let them go.

    Judged on the whole history: the hook's record says which pod of which UID was about to be
    replaced; a new pod of that name may then have the new image, no other.
    """
    let_go = {_name(body["next"]) for body in hook.bodies if body["next"]}
    return [change.object["metadata"]["name"] for change in recorder.changes
            if change.type == "ADDED"
            and change.object["spec"]["containers"][0]["image"] != old_image
            and change.object["metadata"]["name"] not in let_go]


def _name(pod: Object | None) -> str | None:
    return pod["metadata"]["name"] if pod else None
