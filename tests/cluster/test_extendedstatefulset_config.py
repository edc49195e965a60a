"""Restarts of an ExtendedStatefulSet's pods when ConfigMaps and Secrets change, on a real control
plane."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import subprocess
import urllib.request
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Iterator

import pytest
import yaml

from harness.api import ApiError, Object, has_condition
from harness.hookserver import Answer, HookServer, Request, allow, refuse
from harness.operator import NAMESPACE, Operator, service_account_kubeconfig
from harness.places import REPOSITORY
from harness.recorder import Recorder
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_B, pod_template
from phased_world import Stories, World, release_all, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import KIND, NAME, PREFIX, Extended, extended

DIGEST = f"{PREFIX}/configsha1"
SECRET = "CANARY-7d1e0a"
BINDING = REPOSITORY / "deploy/optional/config-binding.yaml"
STORIES = Stories(Extended)


@pytest.fixture(scope="module", autouse=True)
def hooks_of_this_machine(world: World) -> None:  # noqa: F811
    world.flags = (*world.flags, "--allow-local-hooks", "--hook-retry=1s")


def let_config_be_seen(s: Extended) -> None:
    binding = yaml.safe_load(BINDING.read_text())
    binding["metadata"]["namespace"] = s.namespace
    s.api.create(binding)


def config(s: Extended, name: str, value: str, kind: str = "ConfigMap") -> None:
    """Makes or changes it."""
    field = "data" if kind == "ConfigMap" else "stringData"
    wanted = {"apiVersion": "v1", "kind": kind, field: {"key": value},
              "metadata": {"name": name, "namespace": s.namespace}}
    if s.api.find(kind, name, s.namespace):
        s.api.patch(kind, name, {field: {"key": value}}, s.namespace)
    else:
        s.api.create(wanted)


def follow(s: Extended, replicas: int = 2, strategy: Object | None = None,
           wish: str = "updateOnEnvChange", **pod: Any) -> None:
    """An ExtendedStatefulSet whose pods read what their spec names."""
    obj = extended(s.namespace, replicas, strategy, **{wish: True})
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


def up_to_date(s: Extended) -> tuple[str, str]:
    """What the condition says, and why."""
    return next(((one["status"], one["reason"]) for one in s.status(NAME).get("conditions", [])
                 if one["type"] == "ConfigUpToDate"), ("", ""))


def the_key(s: Extended) -> bytes:
    """That the digests are made with."""
    secret = s.api.get("Secret", "sluice-config-key", NAMESPACE)
    assert secret["type"] == "Opaque" and secret["immutable"] and list(secret["data"]) == ["key"]
    return base64.b64decode(secret["data"]["key"])


def sip_hash(key: bytes, text: str) -> str:
    """SipHash-2-4 with 128 bits, as OpenSSL has it."""
    done = subprocess.run(["openssl", "mac", "-macopt", f"hexkey:{key.hex()}", "-macopt", "size:16",
                           "-in", "-", "SIPHASH"], input=text.encode(), capture_output=True,
                          check=True)
    return done.stdout.decode().strip().lower()


def check_digest(s: Extended, digest: str, name: str, field: str, value: str) -> None:
    """Of a ConfigMap with one field: whoever has the key can make it, and nobody else."""
    key = the_key(s)
    assert len(key) == 16 and key != bytes(16)
    assert not set(key) <= set(b"0123456789abcdef"), "all bits are random"

    def checksum(text: str) -> str:
        return sip_hash(bytes(16), text)

    content = checksum(f"{len(field)}:{field}={checksum(value)};")
    assert digest == sip_hash(key, f"configmaps/{name}=data={content};!;")
    for plain in (value, f"{field}={value}", f"{field}: {value}", f'{{"{field}":"{value}"}}',
                  f"{field}{value}", base64.b64encode(value.encode()).decode()):
        for kind in ("md5", "sha1", "sha224", "sha256", "sha512"):
            assert digest not in hashlib.new(kind, plain.encode()).hexdigest(), (kind, plain)


def check_silence(s: Extended) -> None:
    """Neither of what the pods read nor of the key, in metrics as little as elsewhere."""
    key = the_key(s)
    texts = SECRET, key.hex(), base64.b64encode(key).decode().rstrip("=")
    s.check_silence(*texts)
    assert s.world.operator is not None
    with urllib.request.urlopen(s.world.operator.metrics_url, timeout=30) as answer:
        said = answer.read() + s.world.operator.process.log.read_bytes()
    assert not [one for one in (key, *(text.encode() for text in texts)) if one in said]


@contextmanager
def another_operator(s: Extended, *flags: str) -> Iterator[Operator]:
    """That knows the namespace of this story and no other."""
    cluster = s.world.cluster
    one = Operator(cluster, service_account_kubeconfig(cluster),
                   f"operator-{secrets.token_hex(3)}",
                   (f"--namespace={s.namespace}", f"--config-namespace={NAMESPACE}", *flags))
    try:
        yield one
    finally:
        one.kill9()


@contextmanager
def another_namespace(s: Extended) -> Iterator[Extended]:
    """That the operator of all stories does not know."""
    other = Extended(s.world, f"{s.namespace}-alone")
    s.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": other.namespace}})
    try:
        yield other
    finally:
        release_all(s.api, other.namespace, KIND)
        s.api.delete("Namespace", other.namespace)


@STORIES.add
def the_example_of_the_document(s: Extended) -> None:
    owner = f"owner-of-{s.namespace}"
    s.api.kubectl("-n", s.namespace, "create", "rolebinding", "admin", "--clusterrole=admin",
                  f"--user={owner}")
    s.apply_example("## Restarts when ConfigMaps and Secrets change")
    told = s.wait_for("the missing right to be told",
                      lambda seen: seen.get("reason") == "ConfigUnseen", "follower")
    assert s.sets() == {}
    command = re.search(r"kubectl (-n \S+ create rolebinding [^;]*)", told["unblock"])
    assert command, told["unblock"]
    # Somebody who has nothing but this namespace.
    s.api.kubectl(f"--as={owner}", *command.group(1).split())
    s.wait_for("the first version", lambda seen: seen.get("phase") == "Ready", "follower")
    before = digests(s, "follower")
    assert len(before) == 2 and len(set(before)) == 1
    check_digest(s, before[0], "example-config", "key1", "value1")
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
    config(s, "pull", SECRET, "Secret")
    named = {"name": "one", "key": "key"}
    follow(s, 1, imagePullSecrets=[{"name": "pull"}], container={
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
    check_silence(s)
    # What is only annotated restarts nobody, nor does what only images are pulled with.
    s.api.annotate("ConfigMap", "all", s.namespace, {"a": "b"})
    config(s, "pull", SECRET + "-two", "Secret")
    stays("the pods", lambda: digests(s), lambda now: now == seen, 15)
    assert "Secret/pull" not in s.status(NAME)["references"]


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
    def refuse_the_last(request: Request) -> Answer:
        pod = (request.json["next"] or {"metadata": {"name": ""}})["metadata"]["name"]
        return refuse("the last one stays") if pod.endswith("-0") else allow()

    with HookServer() as hook:
        hook.answer(allow())
        s.api.apply({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "sluice-hooks", "namespace": NAMESPACE},
                     "data": {name: f"url: {hook.url}/ask\ntimeout: 60s\n"}})
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
        hook.answer(refuse_the_last)
        half = wait_for("one of them to be restarted", lambda: digests(s), lambda seen: (
            len(seen) == 2 and seen[0] == before[0] != seen[1]))
        s.wait_for("the other to be held", lambda seen: "the last one stays" in seen["message"],
                   NAME)
        s.says("abort")
        s.wait_for_reason("Aborted")
        hook.answer(allow())
        stays("the pods", lambda: digests(s), lambda now: now == half, 5)
        config(s, "app", "three")
        wait_until_restarted(s, before)


def gated_by_a_check(s: Extended) -> Object:
    """Which gives up soon."""
    return {"gates": {"check": {"initialDelaySeconds": 0, "periodSeconds": 1,
                                "successThreshold": 1, "maxTries": 2,
                                "query": {"expr": s.expr, "url": s.world.prometheus.url}}}}


@STORIES.add
def people_hold_a_restart_give_it_up_and_try_it_again(s: Extended) -> None:
    let_config_be_seen(s)
    config(s, "app", "one")
    s.trouble(0)
    follow(s, 2, gated_by_a_check(s), container={"envFrom": [{"configMapRef": {"name": "app"}}]})
    s.wait_until_served(1)
    before = digests(s)
    s.says("pause")
    config(s, "app", "two")
    s.wait_for_reason("Paused")
    assert up_to_date(s) == ("False", "Paused")
    s.says("abort")
    s.says("resume")
    told = s.wait_for_reason("Aborted")
    assert up_to_date(s) == ("False", "Aborted")
    stays("the pods", lambda: digests(s), lambda now: now == before, 5)
    assert "sluice retry ests/" in told["unblock"]
    s.says("retry")
    before = wait_until_restarted(s, before)
    # What was aborted is aborted for one change only.
    s.trouble(1)
    config(s, "app", "three")
    s.wait_for_reason("ChecksExhausted")
    s.trouble(0)
    stays("the pods", lambda: digests(s), lambda now: now == before, 5)
    s.says("retry")
    wait_until_restarted(s, before)
    assert up_to_date(s) == ("True", "UpToDate")


@STORIES.add
def what_is_missing_is_told_and_its_arrival_noticed(s: Extended) -> None:
    let_config_be_seen(s)
    follow(s, 1, container={"envFrom": [{"secretRef": {"name": "late"}}]})
    told = s.wait_for_reason("ConfigMissing")
    assert "Secret late does not exist" in told["message"] and s.sets() == {}
    config(s, "late", SECRET, "Secret")
    s.wait_until_served(1)


def uids(s: Extended, version: int = 1) -> list[str]:
    return [pod["metadata"]["uid"] for pod in s.pods(version)]


@STORIES.add
def what_is_deleted_under_pods_that_run_is_told_and_touches_none(s: Extended) -> None:
    let_config_be_seen(s)
    config(s, "app", "one")
    follow(s, 2, container={"envFrom": [{"configMapRef": {"name": "app"}}]})
    s.wait_until_served(1)
    before = uids(s)
    s.api.delete("ConfigMap", "app", s.namespace)
    told = s.wait_for_reason("ConfigMissing")
    assert "ConfigMap app does not exist" in told["message"]
    assert up_to_date(s) == ("False", "ConfigMissing")
    config(s, "app", "one")
    wait_for("the condition", lambda: up_to_date(s), lambda seen: seen == ("True", "UpToDate"))
    s.api.delete("ConfigMap", "app", s.namespace)
    s.wait_for_reason("ConfigMissing")
    s.change_template(NAME)
    stays("the pods", lambda: (list(s.sets()), uids(s)),
          lambda seen: seen == ([f"{NAME}-v1"], before), 5)
    config(s, "app", "one")
    s.wait_until_served(2)


@STORIES.add
def what_is_optional_may_come_and_go(s: Extended) -> None:
    let_config_be_seen(s)
    config(s, "early", "one")
    config(s, "early", SECRET, "Secret")
    named = {"name": "early", "key": "key"}
    follow(s, 1, wish="updateOnConfigChange", container={
        "envFrom": [{"secretRef": {"name": "maybe", "optional": True}}]},
        initContainers=[{"name": "first", "image": "first:1", "env": [
            {"name": "A", "valueFrom": {"configMapKeyRef": named}},
            {"name": "B", "valueFrom": {"secretKeyRef": named}}]}])
    s.wait_until_served(1)
    seen = digests(s)
    config(s, "early", "two")
    seen = wait_until_restarted(s, seen)
    config(s, "early", SECRET + "-two", "Secret")
    seen = wait_until_restarted(s, seen)
    s.api.patch("ConfigMap", "early", {"binaryData": {"b": "AAEC/w=="}}, s.namespace)
    without = wait_until_restarted(s, seen)
    config(s, "maybe", SECRET, "Secret")
    seen = wait_until_restarted(s, without)
    s.api.delete("Secret", "maybe", s.namespace)
    assert wait_until_restarted(s, seen) == without


@STORIES.add
def ephemeral_containers_are_no_part_of_a_template(s: Extended) -> None:
    follow(s, 1, ephemeralContainers=[{"name": "debug", "image": "debug:1"}])
    told = s.wait_for_reason("VersionRefused")
    assert "ephemeral containers not allowed in pod template" in told["message"]
    s.change_set(template={"spec": {"ephemeralContainers": None}})
    s.wait_for("a version", lambda seen: seen.get("phase") == "Ready", NAME)


def secrets_read(operator: Operator) -> float:
    """How often, one by one."""
    return sum(count for name, count in operator.metrics().items()
               if name.startswith("sluice_api_requests_total{")
               and 'verb="get"' in name and 'resource="secrets"' in name)


@STORIES.add
def what_no_template_names_is_never_read(s: Extended) -> None:
    stored = 'sluice_stored_objects{resource="secrets"}'
    with another_namespace(s) as alone, another_operator(alone) as operator:
        begin_owning(alone, "app")
        seen = digests(alone)
        config(alone, "app", SECRET + "-two", "Secret")
        wait_until_restarted(alone, seen)
        read, known = secrets_read(operator), operator.metrics()[stored]
        for value in range(20):
            config(alone, "other", f"{SECRET}-{value}", "Secret")
        config(alone, "last", SECRET, "Secret")
        wait_for("all of that to be seen", lambda: operator.metrics()[stored],
                 lambda now: now == known + 2)
        stays("nothing is read", lambda: secrets_read(operator), lambda now: now == read, 5)
        config(alone, "app", SECRET + "-three", "Secret")
        wait_for("what is named to be read", lambda: secrets_read(operator), lambda now: now > read)


def uninstalling() -> str:
    """The command of the document that shows who still has a finalizer."""
    page = (REPOSITORY / "docs/extendedstatefulset.md").read_text()
    command = re.search(r"^    kubectl (get ests -A .*)$", page, re.M)
    assert command
    return command.group(1)


@STORIES.add
def an_operator_that_is_to_own_nothing_lets_everything_go(s: Extended) -> None:
    with another_namespace(s) as alone:
        with another_operator(alone):
            begin_owning(alone, "app")
        before = uids(alone)
        with another_operator(alone, "--extendedstatefulset-references=off"):
            wait_for("the references to be gone",
                     lambda: (owners_of(alone, "app"), owners_of(alone, "app", "Secret")),
                     lambda now: now == ([], []))
            shown = wait_for("the finalizer to be gone", lambda: [
                line.split() for line in s.api.kubectl(*uninstalling().split()).splitlines()
                if line.split()[0] == alone.namespace], lambda lines: lines[0][2] == "<none>")
            assert shown == [[alone.namespace, NAME, "<none>"]]
            stays("nothing is written again", lambda: (
                owners_of(alone, "app"), alone.get(NAME)["metadata"].get("finalizers", []),
                uids(alone)), lambda now: now == ([], [], before), 5)
        alone.api.delete(KIND, NAME, alone.namespace)
        wait_for("the pods to be gone", lambda: uids(alone), lambda seen: seen == [])
        is_collector_awake(alone)
        for kind in ("ConfigMap", "Secret"):
            assert alone.api.get(kind, "app", alone.namespace)["data"]["key"]


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
