"""Restarts of an ExtendedStatefulSet's pods when ConfigMaps and Secrets change, on a real control
plane."""

from __future__ import annotations

import re
import secrets
from concurrent.futures import Future
from typing import Any

import pytest

from harness.api import ApiError, Object
from harness.hookserver import HookServer, allow, refuse
from harness.operator import NAMESPACE
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_B, pod_template
from phased_world import Stories, World, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import KIND, NAME, PREFIX, Extended, extended

DIGEST = f"{PREFIX}/configsha1"
SECRET = "CANARY-7d1e0a"
STORIES = Stories(Extended)


@pytest.fixture(scope="module", autouse=True)
def hooks_of_this_machine(world: World) -> None:  # noqa: F811
    world.flags = (*world.flags, "--allow-local-hooks", "--hook-retry=1s")


def let_config_be_seen(s: Extended) -> None:
    s.api.kubectl("-n", s.namespace, "create", "rolebinding", "sluice-config",
                  "--clusterrole=sluice-config", f"--serviceaccount={NAMESPACE}:sluice")


def config(s: Extended, name: str, value: str, kind: str = "ConfigMap") -> None:
    """Makes or changes it."""
    field = "data" if kind == "ConfigMap" else "stringData"
    wanted = {"apiVersion": "v1", "kind": kind, field: {"key": value},
              "metadata": {"name": name, "namespace": s.namespace}}
    if s.api.find(kind, name, s.namespace):
        s.api.patch(kind, name, {field: {"key": value}}, s.namespace)
    else:
        s.api.create(wanted)


def follow(s: Extended, replicas: int = 2, strategy: Object | None = None, **pod: Any) -> None:
    """An ExtendedStatefulSet whose pods read what their spec names."""
    obj = extended(s.namespace, replicas, strategy, updateOnEnvChange=True)
    spec = obj["spec"]["template"]["spec"]["template"]["spec"]
    spec["containers"][0].update(pod.pop("container", {}))
    spec.update(pod)
    s.api.create(obj)


def digests(s: Extended, name: str = NAME) -> list[str]:
    """Of the pods, in the order of their names."""
    pods = s.api.list("Pod", s.namespace, {"sluice.dev/extendedstatefulset": name})
    return [pod["metadata"].get("annotations", {}).get(DIGEST, "") for pod in
            sorted(pods, key=lambda pod: pod["metadata"]["name"])
            if "deletionTimestamp" not in pod["metadata"]]


def wait_until_restarted(s: Extended, before: list[str], name: str = NAME) -> list[str]:
    after = wait_for("all pods to be restarted", lambda: digests(s, name), lambda seen: (
        len(seen) == len(before) and len(set(seen)) == 1 and seen[0] != before[0]))
    s.wait_for("an end of it", lambda seen: seen.get("phase") == "Ready", name)
    return after


@STORIES.add
def the_example_of_the_document(s: Extended) -> None:
    s.apply_example("## Restarts when ConfigMaps and Secrets change")
    told = s.wait_for("the missing right to be told",
                      lambda seen: seen.get("reason") == "ConfigUnseen", "follower")
    assert s.sets() == {}
    command = re.search(r"kubectl (-n \S+ create rolebinding [^;]*)", told["unblock"])
    assert command, told["unblock"]
    s.api.kubectl(*command.group(1).split())
    s.wait_for("the first version", lambda seen: seen.get("phase") == "Ready", "follower")
    before = digests(s, "follower")
    assert len(before) == 2 and len(set(before)) == 1 and before[0]
    s.api.patch("ConfigMap", "example-config", {"data": {"key1": "value2"}}, s.namespace)
    wait_until_restarted(s, before, "follower")
    assert list(s.sets()) == ["follower-v1"]
    assert s.status("follower")["versions"] == {"1": True}
    s.wait_for_event("ConfigChanged", "follower")
    s.api.delete(KIND, "follower", s.namespace)
    wait_for("it to be gone", s.sets, lambda seen: seen == {})
    assert s.api.get("ConfigMap", "example-config", s.namespace)["data"] == {"key1": "value2"}


@STORIES.add
def everything_that_pods_read_counts_and_nothing_is_shown(s: Extended) -> None:
    let_config_be_seen(s)
    for name in ("all", "one", "files", "parts", "early"):
        config(s, name, "one")
        config(s, name, SECRET, "Secret")
    named = {"name": "one", "key": "key"}
    follow(s, 1, container={
        "envFrom": [{"configMapRef": {"name": "all"}}, {"secretRef": {"name": "all"}}],
        "env": [{"name": "A", "valueFrom": {"configMapKeyRef": named}},
                {"name": "B", "valueFrom": {"secretKeyRef": named}}]},
        initContainers=[{"name": "first", "image": "first:1", "envFrom": [
            {"configMapRef": {"name": "early"}}, {"secretRef": {"name": "early"}}]}],
        volumes=[{"name": "a", "configMap": {"name": "files"}},
                 {"name": "b", "secret": {"secretName": "files"}},
                 {"name": "c", "projected": {"sources": [
                     {"configMap": {"name": "parts"}}, {"secret": {"name": "parts"}}]}}])
    s.wait_until_served(1)
    seen = digests(s)
    for kind, value in (("ConfigMap", "two"), ("Secret", SECRET + "-two")):
        for name in ("all", "one", "files", "parts", "early"):
            config(s, name, value, kind)
            seen = wait_until_restarted(s, seen)
    s.check_silence(SECRET)
    # What is only annotated restarts nobody.
    s.api.annotate("ConfigMap", "all", s.namespace, {"a": "b"})
    stays("the pods", lambda: digests(s), lambda now: now == seen, 15)


@STORIES.add
def a_gate_holds_a_restart(s: Extended) -> None:
    let_config_be_seen(s)
    config(s, "app", "one")
    name = f"careful-{secrets.token_hex(4)}"
    with HookServer() as hook:
        hook.answer(allow())
        s.api.apply({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "sluice-hooks", "namespace": NAMESPACE},
                     "data": {name: f"url: {hook.url}/ask\ntimeout: 5s\n"}})
        follow(s, 2, {"gates": {"hook": name}}, container={
            "envFrom": [{"configMapRef": {"name": "app"}}]})
        s.wait_until_served(1)
        before = digests(s)
        hook.answer(refuse("a backup is running"))
        config(s, "app", "two")
        told = s.wait_for_reason("HookRefused")
        assert "a backup is running" in told["message"]
        condition = {one["type"]: one["status"] for one in told["conditions"]}
        assert condition["ConfigUpToDate"] == "False"
        stays("the pods", lambda: digests(s), lambda now: now == before, 5)
        hook.answer(allow())
        wait_until_restarted(s, before)


@STORIES.add
def what_is_missing_is_told_and_its_arrival_noticed(s: Extended) -> None:
    let_config_be_seen(s)
    follow(s, 1, container={"envFrom": [{"secretRef": {"name": "late"}}]})
    told = s.wait_for_reason("ConfigMissing")
    assert "Secret late does not exist" in told["message"] and s.sets() == {}
    config(s, "late", SECRET, "Secret")
    s.wait_until_served(1)


@STORIES.add
def a_stolen_token_changes_nothing_else_of_a_version(s: Extended) -> None:
    let_config_be_seen(s)
    config(s, "app", "one")
    follow(s, 1, container={"envFrom": [{"configMapRef": {"name": "app"}}]})
    s.wait_until_served(1)
    thief = s.world.operator_api()
    for template in (pod_template(NAME, IMAGE_B), {"metadata": {"annotations": {"a": "b"}}},
                     {"metadata": {"labels": {"a": "b"}}}):
        with pytest.raises(ApiError, match="the partition and nothing else"):
            thief.patch("StatefulSet", f"{NAME}-v1", {"spec": {"template": template}}, s.namespace)
    for kind in ("ConfigMap", "Secret"):
        with pytest.raises(ApiError, match="cannot (create|patch) resource"):
            thief.patch(kind, "app", {"metadata": {"labels": {"a": "b"}}}, s.namespace)
    other = {"apiVersion": "v1", "kind": "Secret",
             "metadata": {"name": "other", "namespace": NAMESPACE}}
    with pytest.raises(ApiError, match="The operator makes one Secret"):
        thief.create(other)
    with pytest.raises(ApiError, match="cannot list resource"):
        thief.list("Secret", NAMESPACE)


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()
