"""Restarts of an ExtendedStatefulSet's pods when ConfigMaps and Secrets change, on a real control
plane."""

from __future__ import annotations

import re
import secrets
from concurrent.futures import Future
from typing import Any

import pytest

from harness.api import ApiError, Object, has_condition
from harness.hookserver import HookServer, allow, refuse
from harness.operator import NAMESPACE
from harness.recorder import Recorder
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
def many_changes_are_one_restart_from_the_highest_ordinal_down(s: Extended) -> None:
    let_config_be_seen(s)
    config(s, "app", "one")
    config(s, "app", SECRET, "Secret")
    follow(s, 3, container={"envFrom": [{"configMapRef": {"name": "app"}},
                                        {"secretRef": {"name": "app"}}]})
    s.wait_until_served(1)
    before = digests(s)
    is_ready = {pod["metadata"]["name"]: True for pod in s.pods(1)}
    with Recorder(s.api, "Pod", s.namespace) as recorder:
        for value in ("two", "three", "four"):
            config(s, "app", value)
            config(s, "app", f"{SECRET}-{value}", "Secret")
        wait_until_restarted(s, before)
    gone = []
    for change in recorder.changes:
        name = change.object["metadata"]["name"]
        is_ready[name] = change.type != "DELETED" and has_condition(change.object, "Ready")
        if change.type == "DELETED":
            gone.append(name)
            assert all(is_ready[other] for other in is_ready if other != name), "one at a time"
    assert gone == [f"{NAME}-v1-{ordinal}" for ordinal in (2, 1, 0)]


def owners_of(s: Extended, name: str, kind: str = "ConfigMap") -> list[Object]:
    return s.api.get(kind, name, s.namespace)["metadata"].get("ownerReferences", [])


def names_of(owners: list[Object]) -> list[tuple[str, str]]:
    return [(one["kind"], one["name"]) for one in owners]


def begin_owning(s: Extended, *names: str) -> list[tuple[str, str]]:
    """Of ConfigMaps and Secrets of these names; what then owns each of them."""
    let_config_be_seen(s)
    for name in names:
        config(s, name, "one")
        config(s, name, SECRET, "Secret")
    follow(s, 1, container={"envFrom": [{kind: {"name": name}} for name in names
                                        for kind in ("configMapRef", "secretRef")]})
    s.wait_until_served(1)
    wanted = [(KIND, NAME), ("Namespace", s.namespace)]
    for name in names:
        for kind in ("ConfigMap", "Secret"):
            wait_for(f"{kind} {name} to be owned", lambda: names_of(owners_of(s, name, kind)),
                     lambda seen: seen == wanted)
    return wanted


def take_the_right_away(s: Extended) -> None:
    """Until the API server knows of it."""
    s.api.delete("RoleBinding", "sluice-config", s.namespace)
    operator = s.world.operator_api()

    def is_refused() -> bool:
        try:
            operator.patch("ConfigMap", "app", {}, s.namespace)
        except ApiError as error:
            return error.status == 403
        return False

    wait_for("the right to be gone", is_refused)


def is_collector_awake(s: Extended) -> None:
    """What else nobody owns any more is gone."""
    doomed = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": "doomed", "namespace": s.namespace, "ownerReferences": [
            {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND, "name": NAME, "uid": "gone"}]}}
    s.api.create(doomed)
    wait_for("the garbage collector", lambda: s.api.find("ConfigMap", "doomed", s.namespace),
             lambda seen: seen is None, 120)


@STORIES.add
def what_pods_read_is_owned_as_the_document_says(s: Extended) -> None:
    begin_owning(s, "app")
    ours, space = owners_of(s, "app")
    assert ours == {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND, "name": NAME,
                    "uid": s.get(NAME)["metadata"]["uid"], "controller": False,
                    "blockOwnerDeletion": True}
    assert space["uid"] == s.api.get("Namespace", s.namespace)["metadata"]["uid"]
    assert f"{PREFIX}/finalizer" in s.get(NAME)["metadata"]["finalizers"]
    assert s.status(NAME)["references"] == ["ConfigMap/app", "Secret/app"]
    # That is no change of what they read.
    seen = digests(s)
    versions = [s.api.get(kind, "app", s.namespace)["metadata"]["resourceVersion"]
                for kind in ("ConfigMap", "Secret")]
    stays("the pods", lambda: digests(s), lambda now: now == seen, 15)
    assert versions == [s.api.get(kind, "app", s.namespace)["metadata"]["resourceVersion"]
                        for kind in ("ConfigMap", "Secret")]
    s.check_silence(SECRET)
    s.change_spec({"updateOnEnvChange": False}, NAME)
    wait_for("the references to be gone", lambda: (owners_of(s, "app"), owners_of(
        s, "app", "Secret"), s.get(NAME)["metadata"].get("finalizers", [])),
        lambda now: now == ([], [], []))


@STORIES.add
def what_the_template_names_no_more_is_let_go(s: Extended) -> None:
    wanted = begin_owning(s, "app", "left")
    mine = {"apiVersion": "v1", "kind": "ConfigMap", "name": "app",
            "uid": s.api.get("ConfigMap", "app", s.namespace)["metadata"]["uid"]}
    s.api.patch("Secret", "left", {"metadata": {"ownerReferences": [
        mine, *owners_of(s, "left", "Secret")]}}, s.namespace)
    template = {"spec": {"containers": [{**pod_template(NAME, IMAGE_B)["spec"]["containers"][0],
                                         "envFrom": [{"configMapRef": {"name": "app"}}]}]}}
    s.change_spec({"template": {"spec": {"template": template}}}, NAME)
    s.wait_until_served(2)
    wait_for("the reference to be gone", lambda: names_of(owners_of(s, "left")),
             lambda seen: seen == [])
    wait_for("the reference beside another one to be gone",
             lambda: names_of(owners_of(s, "left", "Secret")),
             lambda seen: seen == [("ConfigMap", "app")])
    assert names_of(owners_of(s, "app")) == wanted
    wait_for("the names", lambda: s.status(NAME)["references"],
             lambda seen: seen == ["ConfigMap/app"])


def check_deletion(s: Extended, propagation: str) -> None:
    begin_owning(s, "app", "other")
    s.api.delete(KIND, NAME, s.namespace, propagation=propagation)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda seen: seen is None)
    is_collector_awake(s)
    for kind in ("ConfigMap", "Secret"):
        for name in ("app", "other"):
            found = s.api.get(kind, name, s.namespace)
            assert "deletionTimestamp" not in found["metadata"]
            assert found["data"]["key"]
            assert KIND not in [one for one, _ in names_of(owners_of(s, name, kind))]


@STORIES.add
def deleted_it_leaves_them_behind(s: Extended) -> None:
    check_deletion(s, "Background")
    assert owners_of(s, "app") == owners_of(s, "app", "Secret") == []


@STORIES.add
def deleted_in_the_foreground_it_leaves_them_behind(s: Extended) -> None:
    check_deletion(s, "Foreground")


@STORIES.add
def deleted_as_an_orphan_it_leaves_them_behind(s: Extended) -> None:
    check_deletion(s, "Orphan")


@STORIES.add
def a_right_that_is_gone_holds_the_deletion_and_is_told(s: Extended) -> None:
    begin_owning(s, "app")
    looking = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
               "metadata": {"name": "looking", "namespace": s.namespace},
               "rules": [{"apiGroups": [""], "resources": ["configmaps", "secrets"],
                          "verbs": ["get", "list", "watch"]}]}
    s.api.create(looking)
    s.api.kubectl("-n", s.namespace, "create", "rolebinding", "looking", "--role=looking",
                  f"--serviceaccount={NAMESPACE}:sluice")
    take_the_right_away(s)
    s.api.delete(KIND, NAME, s.namespace)
    told = s.wait_for_reason("ReferencesRefused")
    command = re.search(r"kubectl (-n \S+ create rolebinding [^;]*)", told["unblock"])
    assert command, told["unblock"]
    assert names_of(owners_of(s, "app"))[0] == (KIND, NAME)
    s.api.kubectl(*command.group(1).split())
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda seen: seen is None, 180)
    assert owners_of(s, "app") == owners_of(s, "app", "Secret") == []


@STORIES.add
def a_reference_that_is_left_behind_takes_nothing_along(s: Extended) -> None:
    begin_owning(s, "app")
    take_the_right_away(s)  # also that to look
    s.api.delete(KIND, NAME, s.namespace)
    wait_for("it to be gone", lambda: s.api.find(KIND, NAME, s.namespace),
             lambda seen: seen is None)
    wait_for("the collector to take the reference away", lambda: [
        names_of(owners_of(s, "app", kind)) for kind in ("ConfigMap", "Secret")],
        lambda seen: seen == [[("Namespace", s.namespace)]] * 2, 120)
    is_collector_awake(s)
    assert s.api.get("Secret", "app", s.namespace)["data"]["key"]


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
    config(s, "app", SECRET, "Secret")
    for change in ({"metadata": {"labels": {"a": "b"}}}, {"metadata": {"annotations": {"a": "b"}}},
                   {"metadata": {"finalizers": ["theirs.example/mine"]}}, {"immutable": True},
                   {"data": {"key": "dHdv"}}, {"data": None}, {"binaryData": {"a": "dHdv"}},
                   {"stringData": {"a": "b"}}):
        for kind in ("ConfigMap", "Secret"):
            if ("stringData" if kind == "ConfigMap" else "binaryData") in change:
                continue
            with pytest.raises(ApiError, match="owner references of a ConfigMap or a Secret and|"
                               "only Secrets that an ExtendedJob controls"):
                thief.patch(kind, "app", change, s.namespace)
    with pytest.raises(ApiError, match="cannot delete resource"):
        thief.delete("Secret", "app", s.namespace)
    # Nor does it let the garbage collector delete one.
    somebody = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    nobody = {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND, "name": "gone", "uid": "u"}
    elsewhere = {"apiVersion": "v1", "kind": "Namespace", "name": s.namespace, "uid": "u"}
    misnamed = {**elsewhere, "name": "gone",
                "uid": s.api.get("Namespace", s.namespace)["metadata"]["uid"]}
    for owners, sentence in (([somebody], "and no others"),
                             ([{**nobody, "controller": True}], "and no others"),
                             ([nobody], "only beside the Namespace"),
                             ([elsewhere], "and no others"),
                             ([nobody, elsewhere], "and no others"),
                             ([nobody, misnamed], "and no others")):
        with pytest.raises(ApiError, match=sentence):
            thief.patch("Secret", "app", {"metadata": {"ownerReferences": owners}}, s.namespace)
    marked = wait_for("it to be owned", lambda: owners_of(s, "app"), bool)
    with pytest.raises(ApiError, match="only beside the Namespace"):
        thief.patch("ConfigMap", "app", {"metadata": {"ownerReferences": marked[:1]}}, s.namespace)
    other = {"apiVersion": "v1", "kind": "Secret",
             "metadata": {"name": "other", "namespace": NAMESPACE}}
    with pytest.raises(ApiError, match="The operator makes one Secret"):
        thief.create(other)
    with pytest.raises(ApiError, match="cannot list resource"):
        thief.list("Secret", NAMESPACE)


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()
