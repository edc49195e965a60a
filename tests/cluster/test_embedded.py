"""`sluice cluster`: the embedded cluster under the real kubectl and the real operator."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import signal
import ssl
import stat
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
import yaml

from harness.api import ApiError
from harness.embedded import Embedded
from harness.operator import sluice
from harness.places import older_files, sluice_binary
from harness.process import Process
from harness.waiting import wait_for
from harness.workloads import statefulset
from pilot_world import LABEL

GATES = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.example.test}
spec:
  group: example.test
  scope: Namespaced
  names: {kind: Gate, plural: gates, singular: gate, shortNames: [gt]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Width, type: integer, jsonPath: .spec.width}
    schema:
      openAPIV3Schema:
        type: object
        description: Lets things through.
        properties:
          spec:
            type: object
            required: [width]
            properties:
              width: {type: integer, minimum: 1, description: How many at once.}
"""


@pytest.fixture(scope="module", params=[
    "kubectl", pytest.param("kubectl-oldest", marks=pytest.mark.deep)])
def embedded(tmp_path_factory, request) -> Iterator[Embedded]:
    """A cluster under the newest kubectl that it promises to serve, and one under the oldest."""
    kubectl = older_files() / request.param if "oldest" in request.param else None
    cluster = Embedded(tmp_path_factory.mktemp("embedded"), kubectl=kubectl)
    yield cluster
    cluster.process.terminate()


@pytest.fixture
def ns(embedded: Embedded) -> Iterator[str]:
    name = f"test-{secrets.token_hex(3)}"
    embedded.kubectl("create", "namespace", name)
    yield name
    embedded.kubectl("delete", "namespace", name, "--wait=false")


def written(ns: str, replicas: int = 2, **more) -> str:
    return yaml.safe_dump(statefulset("web", ns, replicas, **more))


def roll_out(embedded: Embedded, ns: str) -> str:
    return embedded.kubectl("-n", ns, "rollout", "status", "statefulset/web", "--timeout=120s")


def image_of(embedded: Embedded, ns: str) -> str:
    spec = embedded.api.get("StatefulSet", "web", ns)["spec"]
    return spec["template"]["spec"]["containers"][0]["image"]


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


# kubectl


def test_both_ends_of_the_promise_are_driven(embedded, request):
    version = json.loads(embedded.kubectl("version", "--client", "-o", "json"))["clientVersion"]
    oldest = "oldest" in request.node.name
    assert version["gitVersion"].startswith("v1.30." if oldest else "v1.36.")


def test_get_prints_the_columns_of_a_real_server(embedded, ns):
    nodes = rows(embedded.kubectl("get", "nodes"))
    assert nodes[0] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert [row[:2] for row in nodes[1:]] == [[f"node-{i}", "Ready"] for i in range(3)]
    embedded.kubectl("apply", "-f", "-", stdin=written(ns))
    roll_out(embedded, ns)
    pods = rows(embedded.kubectl("-n", ns, "get", "pods"))
    assert pods[0] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert [row[:4] for row in pods[1:]] == [["web-0", "1/1", "Running", "0"],
                                             ["web-1", "1/1", "Running", "0"]]
    wide = rows(embedded.kubectl("-n", ns, "get", "pods", "-o", "wide"))
    assert wide[0][5:7] == ["IP", "NODE"] and wide[1][6].startswith("node-")
    sets = rows(embedded.kubectl("-n", ns, "get", "sts", "-o", "wide"))
    assert sets[0] == ["NAME", "READY", "AGE", "CONTAINERS", "IMAGES"]
    assert sets[1][:2] == ["web", "2/2"]


def test_get_prints_objects_as_yaml_and_json(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns))
    as_yaml = yaml.safe_load(embedded.kubectl("-n", ns, "get", "sts", "web", "-o", "yaml"))
    as_json = json.loads(embedded.kubectl("-n", ns, "get", "sts", "web", "-o", "json"))
    assert as_yaml["spec"] == as_json["spec"]
    assert as_yaml["spec"]["serviceName"] == "web"
    names = embedded.kubectl("-n", ns, "get", "sts", "-o", "jsonpath={.items[*].metadata.name}")
    assert names == "web"
    assert embedded.kubectl("-n", ns, "get", "sts", "-l", "app=other") == ""


def test_get_watches(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns, 1))
    roll_out(embedded, ns)
    watching = embedded.start_kubectl("-n", ns, "get", "pods", "--watch")

    def states() -> list[list[str]]:
        return [row[:3] for row in rows(watching.log.read_text())]

    wait_for("the list", states, lambda seen: ["web-0", "1/1", "Running"] in seen)
    embedded.kubectl("-n", ns, "delete", "pod", "web-0")
    wait_for("the new pod", states, lambda seen: seen[-1] == ["web-0", "1/1", "Running"]
             and ["web-0", "0/1", "Pending"] in seen)
    watching.kill9()
    assert states()[0] == ["NAME", "READY", "STATUS"]


def test_describe(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns))
    roll_out(embedded, ns)
    text = embedded.kubectl("-n", ns, "describe", "statefulset", "web")
    assert "2 desired | 2 total" in text
    assert "create Pod web-0 in StatefulSet web successful" in text
    text = embedded.kubectl("-n", ns, "describe", "pod", "web-0")
    assert "Controlled By:  StatefulSet/web" in text and "Status:       Running" in text
    assert "Name:" in embedded.kubectl("describe", "node", "node-0")


def test_apply_changes_what_changed(embedded, ns):
    first = written(ns, labels={"tier": "web"})
    assert "created" in embedded.kubectl("apply", "-f", "-", stdin=first)
    assert "unchanged" in embedded.kubectl("apply", "-f", "-", stdin=first)
    embedded.kubectl("-n", ns, "annotate", "sts", "web", "note=mine")
    changed = written(ns, image="app:z", labels={"tier": "db", "more": "yes"})
    assert "configured" in embedded.kubectl("apply", "-f", "-", stdin=changed)
    meta = embedded.api.get("StatefulSet", "web", ns)["metadata"]
    assert image_of(embedded, ns) == "app:z"
    assert meta["labels"] == {"tier": "db", "more": "yes"}
    assert meta["annotations"]["note"] == "mine"
    assert "configured" in embedded.kubectl("apply", "-f", "-", stdin=first)
    meta = embedded.api.get("StatefulSet", "web", ns)["metadata"]
    assert meta["labels"] == {"tier": "web"} and meta["annotations"]["note"] == "mine"


def test_apply_on_the_server_knows_who_owns_what(embedded, ns):
    text = embedded.kubectl("apply", "--server-side", "-f", "-", stdin=written(ns))
    assert "serverside-applied" in text
    embedded.kubectl("-n", ns, "scale", "sts", "web", "--replicas=5")
    refused = embedded.try_kubectl("apply", "--server-side", "--field-manager=other", "-f", "-",
                                   stdin=written(ns, image="app:z"))
    assert refused.returncode != 0
    assert "conflict" in refused.stderr and ".spec.template" in refused.stderr
    embedded.kubectl("apply", "--server-side", "--field-manager=other", "--force-conflicts",
                     "-f", "-", stdin=written(ns, image="app:z"))
    assert image_of(embedded, ns) == "app:z"
    managers = embedded.kubectl("-n", ns, "get", "sts", "web", "-o", "yaml",
                                "--show-managed-fields")
    assert "manager: other" in managers


def test_create_and_delete_wait_for_the_object(embedded, ns):
    embedded.kubectl("create", "-f", "-", stdin=written(ns))
    again = embedded.try_kubectl("create", "-f", "-", stdin=written(ns))
    assert "(AlreadyExists)" in again.stderr
    roll_out(embedded, ns)
    uid = embedded.api.get("Pod", "web-1", ns)["metadata"]["uid"]
    assert 'pod "web-1" deleted' in embedded.kubectl("-n", ns, "delete", "pod", "web-1")
    found = embedded.api.find("Pod", "web-1", ns)
    assert found is None or found["metadata"]["uid"] != uid
    embedded.kubectl("-n", ns, "delete", "sts", "web", "--cascade=foreground")
    assert embedded.api.find("StatefulSet", "web", ns) is None
    assert embedded.api.list("Pod", ns) == []


@pytest.mark.parametrize("words, kind", [
    (["configmap", "one", "--from-literal=a=b"], "ConfigMap"),
    (["secret", "generic", "one", "--from-literal=a=b"], "Secret"),
    (["serviceaccount", "one"], "ServiceAccount"),
    (["role", "one", "--verb=get", "--resource=pods"], "Role"),
    (["rolebinding", "one", "--role=one", "--serviceaccount=default:x"], "RoleBinding"),
    (["job", "one", "--image=app:a", "--", "true"], "Job"),
    (["deployment", "one", "--image=app:a", "--replicas=2", "--port=80"], "Deployment"),
    (["service", "clusterip", "one", "--tcp=80:8080"], "Service"),
    (["poddisruptionbudget", "one", "--selector=app=x", "--min-available=1"],
     "PodDisruptionBudget"),
])
def test_create_by_words_sends_what_dry_run_shows(embedded, ns, words, kind):
    """kubectl sends protobuf here; what it would have sent as JSON is what it prints."""
    shown = json.loads(embedded.kubectl("-n", ns, "create", *words[:-2], "--dry-run=client",
                                        "-o", "json", *words[-2:]))
    assert "created" in embedded.kubectl("-n", ns, "create", *words)
    assert contains(embedded.api.get(kind, "one", ns), shown)


def contains(whole, part) -> bool:
    """Whether everything in `part` that says something is in `whole`."""
    if isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items()
                   if value not in (None, {}, []) and key != "status")
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part


def test_patch_in_three_ways(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns))
    embedded.kubectl("-n", ns, "patch", "sts", "web", "--patch", json.dumps(
        {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:s"}]}}}}))
    assert image_of(embedded, ns) == "app:s"
    embedded.kubectl("-n", ns, "patch", "sts", "web", "--type=merge", "--patch",
                     '{"metadata": {"annotations": {"a": "b"}}}')
    embedded.kubectl("-n", ns, "patch", "sts", "web", "--type=json", "--patch",
                     '[{"op": "test", "path": "/metadata/annotations/a", "value": "b"},'
                     ' {"op": "replace", "path": "/spec/replicas", "value": 1}]')
    assert embedded.api.get("StatefulSet", "web", ns)["spec"]["replicas"] == 1
    refused = embedded.try_kubectl("-n", ns, "patch", "sts", "web", "--type=json", "--patch",
                                   '[{"op": "test", "path": "/spec/replicas", "value": 9}]')
    assert refused.returncode != 0 and "The request is invalid" in refused.stderr


def test_scale_set_image_and_rollouts(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns))
    embedded.kubectl("-n", ns, "scale", "sts", "web", "--replicas=3")
    roll_out(embedded, ns)
    assert len(embedded.api.list("Pod", ns)) == 3
    embedded.kubectl("-n", ns, "set", "image", "sts/web", "app=app:n")
    assert "rolling update complete 3 pods" in roll_out(embedded, ns)
    images = {pod["spec"]["containers"][0]["image"] for pod in embedded.api.list("Pod", ns)}
    assert images == {"app:n"}
    assert rows(embedded.kubectl("-n", ns, "rollout", "history", "sts/web"))[1][0] == "REVISION"
    embedded.kubectl("-n", ns, "rollout", "undo", "sts/web")
    assert image_of(embedded, ns) == "app:a"
    embedded.kubectl("-n", ns, "rollout", "restart", "sts/web")
    roll_out(embedded, ns)


def test_label_and_annotate(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns, 1))
    embedded.kubectl("-n", ns, "label", "sts", "web", "tier=db")
    embedded.kubectl("-n", ns, "annotate", "sts", "web", "note=one")
    refused = embedded.try_kubectl("-n", ns, "annotate", "sts", "web", "note=two")
    assert "--overwrite is false" in refused.stderr
    embedded.kubectl("-n", ns, "label", "sts", "web", "tier-")
    meta = embedded.api.get("StatefulSet", "web", ns)["metadata"]
    assert "tier" not in meta.get("labels", {}) and meta["annotations"]["note"] == "one"


def test_api_resources_and_versions(embedded):
    lines = rows(embedded.kubectl("api-resources"))
    assert ["statefulsets", "sts", "apps/v1", "true", "StatefulSet"] in lines
    assert ["nodes", "no", "v1", "false", "Node"] in lines
    assert "apps/v1" in embedded.kubectl("api-versions").splitlines()
    server = json.loads(embedded.kubectl("version", "-o", "json"))["serverVersion"]
    assert (server["major"], server["minor"]) == ("1", "36")


def test_custom_resources(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=GATES)
    embedded.kubectl("wait", "--for=condition=established", "crd/gates.example.test")
    gate = {"apiVersion": "example.test/v1", "kind": "Gate",
            "metadata": {"name": "narrow", "namespace": ns}, "spec": {"width": 1}}
    embedded.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(gate))
    gate["spec"]["width"] = 2
    assert "configured" in embedded.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(gate))
    assert rows(embedded.kubectl("-n", ns, "get", "gt")) == [["NAME", "WIDTH"], ["narrow", "2"]]
    text = embedded.kubectl("explain", "gates.spec.width")
    assert "FIELD: width <integer>" in text and "How many at once." in text
    gate["spec"]["width"] = 0
    refused = embedded.try_kubectl("apply", "-f", "-", stdin=yaml.safe_dump(gate))
    assert "(Invalid)" in refused.stderr or "is invalid" in refused.stderr
    assert "spec.width" in refused.stderr
    embedded.kubectl("delete", "crd", "gates.example.test")
    assert "gates" not in embedded.kubectl("api-resources", "--cached=false")


def test_explain_shows_the_fields_of_built_in_kinds(embedded):
    text = embedded.kubectl("explain", "statefulset")
    assert "GROUP:      apps" in text and "spec\t<Object>" in text
    assert "partition\t<integer>" in embedded.kubectl(
        "explain", "statefulset.spec.updateStrategy.rollingUpdate")
    assert "binaryData\t<map[string]string>" in embedded.kubectl("explain", "configmap")
    assert "spec\t<Object>" in embedded.kubectl("explain", "deployment")


def test_events_and_everything_else_kubectl_lists(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns, 1))
    roll_out(embedded, ns)
    events = embedded.kubectl("-n", ns, "get", "events")
    assert events.startswith("LAST SEEN") and "statefulset/web" in events
    assert "StatefulSet/web" in embedded.kubectl("-n", ns, "events")
    everything = embedded.kubectl("-n", ns, "get", "all")
    assert "pod/web-0" in everything and "statefulset.apps/web" in everything
    assert "web-0" in embedded.kubectl("get", "pods", "--all-namespaces")
    assert "web-0" in embedded.kubectl("-n", ns, "get", "pods", "--sort-by=.metadata.name")


def test_the_manifests_of_the_operator_apply(embedded):
    text = embedded.kubectl("apply", "--server-side", "-f", "-", stdin=sluice("manifests"))
    assert "deployment.apps/sluice serverside-applied" in text
    embedded.kubectl("delete", "--ignore-not-found", "-f", "-",
                     stdin=sluice("manifests", "policies"))


# What is refused


def test_pods_have_no_containers(embedded, ns):
    embedded.kubectl("apply", "-f", "-", stdin=written(ns, 1))
    roll_out(embedded, ns)
    for words in (["logs", "web-0"], ["exec", "web-0", "--", "ls"]):
        refused = embedded.try_kubectl("-n", ns, *words)
        assert refused.returncode != 0
        assert "pods of the embedded cluster have no containers" in refused.stderr


def test_what_is_not_there(embedded, ns):
    refused = embedded.try_kubectl("get", "martians")
    assert 'the server doesn\'t have a resource type "martians"' in refused.stderr
    refused = embedded.try_kubectl("-n", ns, "get", "pod", "nobody")
    assert 'Error from server (NotFound): pods "nobody" not found' in refused.stderr


def exchange(embedded: Embedded, method: str, path: str, body: bytes = b"",
             headers: dict[str, str] | None = None) -> tuple[int, dict]:
    context = ssl.create_default_context(cafile=str(embedded.authority))
    connection = http.client.HTTPSConnection("127.0.0.1", embedded.port, context=context,
                                             timeout=60)
    if headers is None:
        headers = {"Authorization": f"Bearer {embedded.token}",
                   "Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text)


def test_a_body_that_is_no_json_is_a_bad_request(embedded):
    status, answer = exchange(embedded, "POST", "/api/v1/namespaces/default/configmaps",
                              b'{"kind": ')
    assert (status, answer["kind"], answer["reason"]) == (400, "Status", "BadRequest")


def test_a_body_that_is_too_large_is_refused(embedded):
    large = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"},
                        "data": {"x": "x" * (4 << 20)}}).encode()
    status, answer = exchange(embedded, "POST", "/api/v1/namespaces/default/configmaps", large)
    assert (status, answer["kind"], answer["code"]) == (413, "Status", 413)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer guessed"},
                                     {"Authorization": "Basic YTpi"}])
def test_who_shows_no_token_is_refused(embedded, headers):
    status, answer = exchange(embedded, "GET", "/api/v1/namespaces", headers=headers)
    assert (status, answer["kind"], answer["reason"]) == (401, "Status", "Unauthorized")


def test_anybody_may_ask_for_the_version(embedded):
    assert exchange(embedded, "GET", "/version", headers={})[1]["minor"] == "36"


def test_a_file_of_somebody_else_is_not_overwritten(tmp_path):
    path = tmp_path / "config"
    path.write_text("apiVersion: v1\n")
    done = subprocess.run([str(sluice_binary()), "cluster", "--kubeconfig-out", str(path)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"cannot write {path}: there is a file already" in done.stderr
    assert path.read_text() == "apiVersion: v1\n"


def test_an_address_that_is_taken_is_named(embedded):
    done = subprocess.run([str(sluice_binary()), "cluster", "--listen",
                           f"127.0.0.1:{embedded.port}"],
                          capture_output=True, text=True, timeout=60, cwd=embedded.folder)
    assert done.returncode == 1
    assert "another program listens there already" in done.stderr


# The operator


def subscribe_and_roll(cluster: Embedded) -> None:
    """A set with the hook that always agrees goes to a new image, one pod after the other."""
    cluster.kubectl("apply", "-f", "-",
                    stdin=written("default", 3, labels={LABEL: "noop"}, partition=3))
    at_rest(cluster)
    cluster.kubectl("set", "image", "sts/web", "app=app:b")
    wait_for("every pod to have the new image",
             lambda: cluster.api.list("Pod", "default"),
             lambda pods: [pod["spec"]["containers"][0]["image"] for pod in pods] == ["app:b"] * 3)
    at_rest(cluster)


def at_rest(cluster: Embedded) -> None:
    wait_for("the operator to be done", lambda: cluster.api.get("StatefulSet", "web", "default"),
             lambda seen: seen["metadata"].get("annotations", {}).get("sluice.dev/phase") == "Idle"
             and seen["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 3
             and seen.get("status", {}).get("readyReplicas") == 3)


def test_the_operator_rolls_out_and_ends_with_the_cluster(tmp_path):
    cluster = Embedded(tmp_path, "--with-operator")
    [child] = cluster.children()
    subscribe_and_roll(cluster)
    wait_for("the events", lambda: {one["reason"] for one in cluster.api.events("default", "web")},
             lambda told: {"RolloutStarted", "RolloutCompleted"} <= told)
    assert "sluice operator" in cluster.process.log.read_text()
    assert cluster.process.terminate() == 0
    assert not Path(f"/proc/{child}").exists()
    assert not cluster.kubeconfig.exists()


def test_an_operator_of_ones_own_can_steer_it(tmp_path):
    cluster = Embedded(tmp_path)
    operator = Process("operator", [
        str(sluice_binary()), "operator", "--kubeconfig", str(cluster.kubeconfig), "--context",
        "sluice-operator", "--allow-local-hooks", "--health-address", "127.0.0.1:0",
        "--metrics-address", "127.0.0.1:0"], tmp_path / "operator.log")
    subscribe_and_roll(cluster)
    assert operator.terminate() == 0
    assert cluster.process.terminate() == 0


def test_the_policies_know_the_operator(tmp_path):
    """With the admission policies in force, people cannot open the gate, and the operator can."""
    cluster = Embedded(tmp_path, "--with-operator")
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=sluice("manifests"))
    subscribe_and_roll(cluster)
    cluster.kubectl("patch", "sts", "web", "--type=merge", "--patch",
                    '{"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}}')
    strategy = cluster.api.get("StatefulSet", "web", "default")["spec"]["updateStrategy"]
    assert strategy["rollingUpdate"]["partition"] == 3
    assert cluster.process.terminate() == 0


def test_an_operator_that_ends_early_ends_the_cluster(tmp_path):
    cluster = Embedded(tmp_path, "--with-operator")
    [child] = cluster.children()
    os.kill(child, signal.SIGKILL)
    assert cluster.process.wait() == 1
    assert "the operator ended with exit code 137" in cluster.process.log.read_text()
    assert not cluster.kubeconfig.exists()


def test_a_killed_cluster_takes_its_operator_along(tmp_path):
    cluster = Embedded(tmp_path, "--with-operator")
    [child] = cluster.children()
    cluster.process.kill9()
    wait_for("the operator to be gone", lambda: is_alive(child), lambda alive: not alive)
    assert cluster.kubeconfig.exists()
    again = Embedded(tmp_path)  # what was left behind does not stand in the way
    assert again.process.terminate() == 0


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


# The process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_behind(tmp_path, number):
    cluster = Embedded(tmp_path)
    assert stat.S_IMODE(cluster.kubeconfig.stat().st_mode) == 0o600
    connection, response = cluster.api.stream("/api/v1/pods", {"watch": "true"})
    cluster.process.signal(number)
    assert cluster.process.wait() == 0
    assert response.read() == b"" and response.isclosed(), "the watch ended properly"
    connection.close()
    assert not cluster.kubeconfig.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"ca.crt", cluster.process.log.name}


def test_the_greeting_says_what_to_do_next(tmp_path):
    cluster = Embedded(tmp_path)
    text = cluster.process.log.read_text()
    assert f"https://127.0.0.1:{cluster.port}" in text
    assert f"export KUBECONFIG={cluster.kubeconfig}" in text
    assert "kubectl get nodes" in text and "Ctrl-C" in text
    cluster.process.terminate()


def test_watches_end_when_they_were_asked_to(embedded):
    connection, response = embedded.api.stream(
        "/api/v1/nodes", {"watch": "true", "timeoutSeconds": "1"})
    events = [json.loads(line) for line in response.read().splitlines()]
    connection.close()
    assert [event["type"] for event in events][:3] == ["ADDED"] * 3
    with pytest.raises(ApiError) as refused:
        embedded.api.stream("/api/v1/martians", {"watch": "true"})
    assert refused.value.status == 404
