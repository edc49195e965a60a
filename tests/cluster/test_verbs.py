"""The verbs of a rollout on real servers: what they print, what they write, what they refuse."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.embedded import Embedded
from harness.hookserver import allow, refuse
from harness.operator import request_token
from harness.places import free_ports, sluice_binary
from harness.waiting import wait_for
from harness.workloads import (IMAGE_B, change_image, create_ready, set_partition, statefulset,
                               wait_for_pods)
from phased_world import NAME as CAREFUL, Story, world
from pilot_world import (FLAGS, LABEL, NAME, annotations, declare, subscribed, wait_for_event,
                         wait_for_reason, wait_until_at_rest)

PAUSED = "sluice.dev/paused"


class Person:
    """Types commands at one cluster, in one namespace."""

    def __init__(self, kubeconfig: Path, namespace: str) -> None:
        self.kubeconfig = kubeconfig
        self.namespace = namespace

    def types(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return run(*words, "-n", self.namespace, "--kubeconfig", str(self.kubeconfig), **variables)

    def does(self, *words: str) -> str:
        """What is printed by a command that is carried out."""
        done = self.types(*words)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def is_refused(self, *words: str) -> str:
        """The sentence with which a command is refused."""
        done = self.types(*words)
        assert (done.returncode, done.stdout) == (1, ""), done
        assert done.stderr.startswith("sluice: ") and done.stderr.count("\n") == 1
        return done.stderr.removeprefix("sluice: ").strip()

    def hints(self, name: str) -> list[str]:
        """The commands that an explanation offers."""
        return json.loads(self.does("explain", name, "-o", "json")).get("commands", [])


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    plain = {key: value for key, value in os.environ.items()
             if key not in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST")}
    return subprocess.run([str(sluice_binary()), *words], capture_output=True, text=True,
                          timeout=60, env={**plain, **variables})


def rows(text: str) -> list[list[str]]:
    """The cells of a table; those of a row are two spaces apart."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]


def stable(text: str) -> str:
    """Without times, ages and the hashes of revisions."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME", text)
    text = re.sub(r"\bweb-[0-9a-z]{7,10}\b", "web-HASH", text)
    return re.sub(r"\b(\d+[dhms]){1,2}\b", "AGE", text)


@pytest.fixture(autouse=True)
def rights(install) -> None:
    install("rbac")


@pytest.fixture
def person(cluster, namespace) -> Person:
    return Person(cluster.kubeconfig, namespace)


# A StatefulSet with a hook


def test_a_hook_that_refuses_is_explained_and_the_rollout_held_and_resumed(
        api, namespace, operator, hook, person):
    declare(api, hook)
    operator(*FLAGS, f"--namespace={namespace}")
    create_ready(api, subscribed(namespace))
    wait_until_at_rest(api, namespace, 3)
    assert rows(person.does("get"))[1][:6] == ["pilot", NAME, "sts/web", "Idle", "3/3 pods", "-"]
    assert "closed: nothing is pending (partition 3)" in person.does("explain", "web")
    assert person.hints("web") == []

    hook.answer(refuse("14 shards are relocating"))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "HookRefused")
    wait_for_event(api, namespace, "HookRefused")
    assert rows(person.does("get", "sts/web"))[1][3:6] == ["Waiting", "0/3 pods", "HookRefused"]
    text = stable(person.does("explain", "web"))
    assert text.startswith(f"""sts/web in namespace {namespace}

  Waiting, because of HookRefused, for AGE (since TIME)
  Hook careful refused before web-2: 14 shards are relocating

  revision    web-HASH -> web-HASH
  image       app:a -> app:b
  gate        closed: all 3 pods are behind it (partition 1000000)
  hook        careful

  POD    REVISION  READY  STATE    RESTARTS  AGE
  web-2  old       yes    Running  0         AGE
  web-1  old       yes    Running  0         AGE
  web-0  old       yes    Running  0         AGE

What lets it go on
  it is asked again by itself
  to stop asking:
    $ kubectl -n {namespace} annotate statefulset web sluice.dev/paused=true

What you can do
""")
    assert "HookRefused" in text.split("\nEvents\n")[1]

    said = person.does("pause", "web")
    assert said == "sts/web is paused: no further pod is updated until you resume it.\n"
    assert annotations(api, namespace)[PAUSED] == "true"
    wait_for_reason(api, namespace, "Paused")
    assert person.is_refused("pause", "web") == "sts/web is paused already; resume lets it go on."
    [resume] = person.hints("web")
    hook.answer(allow())
    done = subprocess.run([str(sluice_binary()), *shlex.split(resume)[1:]], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("sts/web is resumed: "), resume
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert PAUSED not in annotations(api, namespace)


def test_a_brake_is_released_by_retry(api, namespace, operator, hook, person):
    declare(api, hook)
    hook.answer(refuse("wait"))
    operator(*FLAGS, f"--namespace={namespace}")
    create_ready(api, subscribed(namespace))
    wait_until_at_rest(api, namespace, 3)
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "HookRefused")
    assert person.is_refused("retry", "web") == (
        "There is nothing to retry at sts/web: it waits for HookRefused.")
    hook.answer(lambda asked: allow() if asked.json["prev"] is None else refuse("one is enough"))
    wait_for_pods(api, namespace, NAME, ["app:a", "app:a", IMAGE_B])
    set_partition(api, namespace, NAME, 4)
    wait_for_reason(api, namespace, "PartitionRaised")
    hook.answer(allow())
    assert person.does("retry", "web").startswith("sts/web tries again: ")
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


def test_what_a_hook_decides_can_be_neither_promoted_nor_aborted(api, namespace, person):
    create_ready(api, subscribed(namespace, 1))
    before = api.get("StatefulSet", NAME, namespace)["metadata"]["resourceVersion"]
    assert "dd-statefulset-pilot=noop" in person.is_refused("promote", "web")
    assert "dd-statefulset-pilot=noop" in person.is_refused("promote", "--full", "sts/web")
    assert "rollout undo statefulset web" in person.is_refused("abort", "statefulset/web")
    assert "is not paused" in person.is_refused("resume", "web")
    assert api.get("StatefulSet", NAME, namespace)["metadata"]["resourceVersion"] == before
    assert "Nobody has reported on it yet." in person.does("explain", "web")


# A PhasedRollout


def test_checks_that_fail_are_explained_and_tried_again(world, namespace, operator, person):
    s = Story(world, namespace)
    operator("--allow-local-metrics", f"--namespace={namespace}")
    s.begin(maxTries=2)
    assert rows(person.does("get"))[1][:4] == ["phasedrollout", CAREFUL, "sts/web", "Updated"]
    s.trouble(1)
    s.change(IMAGE_B)
    s.wait_for_phase("Failed", "ChecksExhausted")
    assert rows(person.does("get", "web"))[1][3:6] == ["Failed", "0/3 pods", "ChecksExhausted"]
    text = person.does("explain", "web")
    assert text.startswith(f"phasedrollout/{CAREFUL} in namespace {namespace}, for sts/web\n")
    told = json.loads(person.does("explain", "web", "-o", "json"))
    assert told["facts"]["query"] == s.expr and told["facts"]["passes on"] == "no data"
    assert told["partition"] == 1000000
    assert "2 of at most 2 checks used" in text and "  next pod    web-2\n" in text
    assert any(hint.startswith(f"sluice retry phasedrollout/{CAREFUL} -n {namespace}")
               for hint in person.hints("web"))
    assert "skipCheck" in person.is_refused("promote", CAREFUL)
    assert "onFailure: Rollback" in person.is_refused("abort", CAREFUL)

    assert person.does("pause", "web").startswith(f"phasedrollout/{CAREFUL} is paused: ")
    assert s.get()["metadata"]["annotations"][PAUSED] == "true"
    s.wait_for_phase("Rolling", "Paused")
    person.does("resume", "web")
    assert PAUSED not in s.get()["metadata"].get("annotations", {})
    s.wait_for_phase("Failed", "ChecksExhausted")
    # The brake works on the set too, and is released by the same word.
    s.api.annotate("StatefulSet", "web", namespace, {PAUSED: "yes"})
    s.wait_for_phase("Rolling", "Paused")
    person.does("resume", f"phasedrollout/{CAREFUL}")
    assert PAUSED not in s.annotations()
    s.wait_for_phase("Failed", "ChecksExhausted")

    s.trouble(0)
    assert person.does("retry", CAREFUL).startswith(f"phasedrollout/{CAREFUL} tries again: ")
    s.wait_until_complete(IMAGE_B)
    assert "nothing is pending" in person.is_refused("retry", CAREFUL)
    s.api.delete("PhasedRollout", CAREFUL, namespace)
    wait_for("it to be gone", lambda: s.api.find("PhasedRollout", CAREFUL, namespace) is None)


# Names


def test_a_name_that_may_mean_several_is_refused_with_all_of_them(api, namespace, person, world):
    s = Story(world, namespace)
    create_ready(api, subscribed(namespace, 1))
    api.create(s.rollout("web", targetRef="web"))
    api.create(s.rollout("other", targetRef="web"))
    before = api.list("StatefulSet", namespace) + api.list("PhasedRollout", namespace)
    assert person.is_refused("pause", "web") == (
        '"web" may mean phasedrollout/other, phasedrollout/web, sts/web; say which.')
    assert before == api.list("StatefulSet", namespace) + api.list("PhasedRollout", namespace)
    assert rows(person.does("get", "phasedrollout/other"))[1][1] == "other"
    assert [row[1] for row in rows(person.does("get"))[1:]] == ["other", "web", "web"]
    everywhere = rows(run("get", "-A", "--kubeconfig", str(person.kubeconfig)).stdout)
    assert everywhere[0][:3] == ["NAMESPACE", "API", "NAME"]
    assert [namespace, "pilot", "web"] in [row[:3] for row in everywhere]


def test_what_is_not_there_or_not_steered_is_said(api, namespace, person):
    create_ready(api, statefulset("plain", namespace, 0))
    assert person.is_refused("explain", "nosuch") == (
        f"Nothing that is steered is called nosuch in namespace {namespace}.")
    assert person.is_refused("pause", "sts/plain") == (
        "StatefulSet plain is not steered: it has no label dd-statefulset-pilot, and no object "
        "that is steered names it.")
    done = person.types("get")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"Nothing is steered in namespace {namespace}.\n"


# Servers that cannot be asked


@pytest.mark.parametrize("words, sentence", [
    (["get", "-o", "yaml"], "yaml"),
    (["explain", "web", "-o", "wide"], "wide"),
    (["explain"], "NAME is required"),
    (["get", "pod/web"], '"pod" is not a kind that is steered; these are: extendedjob, ejob, '),
    (["abort", "a/b/c"], '"a/b/c" is not the name of an object'),
    (["pause", "web", "--full"], "--full"),
    (["get", "-A", "-n", "shop"], "--namespace"),
    (["get", "-n", "No Such"], '"No Such" is not the name of a namespace'),
])
def test_wrong_words_are_named(words, sentence):
    done = run(*words)
    assert done.returncode == 2
    assert sentence in done.stderr


def kubeconfig_at(cluster, path: Path, **changes: str) -> Path:
    cluster.write_kubeconfig(path, changes.get("token", "nobody"))
    config = yaml.safe_load(path.read_text())
    config["clusters"][0]["cluster"].update(
        {"server": changes["server"]} if "server" in changes else {})
    path.write_text(yaml.safe_dump(config))
    return path


def test_each_way_to_fail_has_its_sentence(cluster, namespace, tmp_path):
    [port] = free_ports(1)
    nowhere = kubeconfig_at(cluster, tmp_path / "nowhere", server=f"https://127.0.0.1:{port}")
    stranger = kubeconfig_at(cluster, tmp_path / "stranger", token="canary-token")
    cluster.api.create({"apiVersion": "v1", "kind": "ServiceAccount",
                        "metadata": {"name": "guest", "namespace": namespace}})
    guest = kubeconfig_at(cluster, tmp_path / "guest",
                          token=request_token(cluster.api, namespace, "guest"))
    for path, sentence in [
            (nowhere, "sluice: the cluster cannot be reached: "),
            (stranger, "sluice: the server refused our credentials (401)"),
            (guest, "sluice: statefulsets.apps is forbidden: User "),
            (tmp_path / "none", "cannot be read: No such file or directory")]:
        for verb in (["get"], ["explain", "web"], ["pause", "web"]):
            done = run(*verb, "--kubeconfig", str(path))
            assert (done.returncode, done.stdout) == (1, "")
            assert sentence in done.stderr and done.stderr.count("\n") == 1
            assert "canary-token" not in done.stderr
    done = run("get", "--kubeconfig", str(cluster.kubeconfig), "--context", "mars")
    assert done.returncode == 1 and 'there is no context "mars"' in done.stderr


def test_who_may_not_read_everything_is_told_the_rest(cluster, api, namespace, world, tmp_path):
    """The world brings a kind along that this person has no right to."""
    create_ready(api, subscribed(namespace, 1))
    for body in (
            {"kind": "ServiceAccount", "apiVersion": "v1"},
            {"kind": "Role", "apiVersion": "rbac.authorization.k8s.io/v1", "rules": [
                {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": ["list"]}]},
            {"kind": "RoleBinding", "apiVersion": "rbac.authorization.k8s.io/v1",
             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "half"},
             "subjects": [{"kind": "ServiceAccount", "name": "half", "namespace": namespace}]}):
        api.create({**body, "metadata": {"name": "half", "namespace": namespace}})
    half = kubeconfig_at(cluster, tmp_path / "half", token=request_token(api, namespace, "half"))
    person = Person(half, namespace)
    text = wait_for("the rights", lambda: person.types("explain", "sts/web").stdout)
    assert "  hook        careful\n" in text
    assert "  The pods cannot be shown: pods is forbidden: " in text
    assert text.count("  Events cannot be shown: events is forbidden: ") == 1
    assert "cannot patch resource" in person.is_refused("pause", "sts/web")
    said = person.is_refused("explain", "nosuch")
    assert "extendedjobs.fissile.cloudfoundry.org is forbidden" in said
    table = person.types("get")
    assert table.returncode == 1 and rows(table.stdout)[1][:2] == ["pilot", "web"]
    assert "sluice: something is missing below: phasedrollouts.sts.plus is" in table.stderr


def test_the_kubeconfig_is_found_as_kubectl_finds_it(cluster, tmp_path):
    (tmp_path / ".kube").mkdir()
    done = run("get", HOME=str(tmp_path))
    assert done.returncode == 1
    assert "neither --kubeconfig nor KUBECONFIG names one" in done.stderr
    kubeconfig = Path(cluster.kubeconfig)
    assert run("get", HOME=str(tmp_path), KUBECONFIG=f"/none:{kubeconfig}").returncode == 0
    (tmp_path / ".kube/config").symlink_to(kubeconfig)
    assert run("get", HOME=str(tmp_path)).returncode == 0


# `sluice cluster`


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    one = Embedded(tmp_path_factory.mktemp("embedded"), "--with-operator", speed=1)
    yield one
    one.process.terminate()


def test_the_embedded_cluster_serves_the_same_verbs(embedded):
    """No definition is installed there."""
    person = Person(embedded.kubeconfig, "default")
    assert person.types("get").stderr == "Nothing is steered in namespace default.\n"
    create_ready(embedded.api, statefulset("web", "default", 2, labels={LABEL: "mars"},
                                           partition=2))
    change_image(embedded.api, "default", "web", IMAGE_B)
    wait_for("the new revision to wait", lambda: person.types("get", "sts/web").stdout,
             lambda text: "Waiting  0/2 pods  UnknownHook" in text)
    assert rows(person.does("get"))[1][:6] == [
        "pilot", "web", "sts/web", "Waiting", "0/2 pods", "UnknownHook"]
    text = stable(person.does("explain", "web"))
    assert "  image       app:a -> app:b\n" in text
    assert "dd-statefulset-pilot=HOOK" in text and "  web-1  old       yes    Running" in text
    assert person.does("pause", "web").startswith("sts/web is paused: no further pod")
    assert annotations(embedded.api, "default")[PAUSED] == "true"
    assert person.does("resume", "web").startswith("sts/web is resumed: ")
    assert PAUSED not in annotations(embedded.api, "default")


def test_it_is_a_plugin_of_kubectl(embedded, tmp_path):
    (tmp_path / "kubectl-sluice").symlink_to(sluice_binary())
    kubectl = embedded._command()[0]
    done = subprocess.run([kubectl, "sluice", "explain", "--help"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 0 and "kubectl sluice explain" in done.stdout
