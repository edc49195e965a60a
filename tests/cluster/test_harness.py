"""The harness keeps its own promises, without the operator."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from harness import hookserver
from harness.api import Api, ApiError
from harness.controlplane import ControlPlane
from harness.failure import DeadlineExceeded, HarnessError
from harness.hookserver import HookServer
from harness.kubelets import (BEHAVIOUR, CRASHING, FAILING, UNENDING, UNREADY, ZONE_LABEL, ZONES)
from harness.operator import (NAMESPACE, SERVICE_ACCOUNT, Operator,
                              service_account_kubeconfig)
from harness.recorder import Recorder
from harness.waiting import stays, wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, change_image, create_ready, images, partition,
                               pod_template, pods, scale, set_behaviour, set_partition,
                               statefulset, wait_for_pods)

pytestmark = pytest.mark.abuse


def test_the_control_plane_is_the_pinned_release_with_a_node_in_every_zone(api: Api) -> None:
    assert api.request("GET", "/version")["gitVersion"] == "v1.36.3"
    assert {n["metadata"]["labels"][ZONE_LABEL] for n in api.list("Node")} == set(ZONES)


def test_a_statefulset_becomes_ready(api: Api, namespace: str) -> None:
    seen = create_ready(api, statefulset("web", namespace, replicas=3))
    assert [(p.ordinal, p.image, p.ready) for p in seen] == [
        (0, IMAGE_A, True), (1, IMAGE_A, True), (2, IMAGE_A, True)]


def test_claims_are_bound_and_ordinals_start_where_told(api: Api, namespace: str) -> None:
    manifest = statefulset("web", namespace, replicas=2, ordinals_start=5, claim="data")
    assert [p.ordinal for p in create_ready(api, manifest)] == [5, 6]
    wait_for("both claims to be bound", lambda: {
        c["metadata"]["name"]: c["status"]["phase"]
        for c in api.list("PersistentVolumeClaim", namespace)},
        lambda seen: seen == {"data-web-5": "Bound", "data-web-6": "Bound"})


def test_a_new_image_rolls_the_pods_from_the_last_to_the_first(api: Api, namespace: str) -> None:
    before = create_ready(api, statefulset("web", namespace))
    with Recorder(api, "Pod", namespace) as recorder:
        change_image(api, namespace, "web", IMAGE_B)
        after = wait_for_pods(api, namespace, "web", [IMAGE_B] * 3)
    assert {p.uid for p in before}.isdisjoint(p.uid for p in after)
    assert {p.revision for p in before}.isdisjoint(p.revision for p in after)
    created = [c.object["metadata"]["name"] for c in recorder.changes if c.type == "ADDED"]
    assert created == ["web-2", "web-1", "web-0"]


def test_the_partition_holds_the_pods_below_it(api: Api, namespace: str) -> None:
    create_ready(api, statefulset("web", namespace, partition=2))
    change_image(api, namespace, "web", IMAGE_B)
    wait_for_pods(api, namespace, "web", [IMAGE_A, IMAGE_A, IMAGE_B])
    stays("pods below the partition keep their image",
          lambda: images(api, namespace, "web"), lambda seen: seen[:2] == [IMAGE_A] * 2)
    set_partition(api, namespace, "web", 0)
    wait_for_pods(api, namespace, "web", [IMAGE_B] * 3)
    assert partition(api, namespace, "web") == 0


def test_an_unready_pod_stops_the_rollout_until_it_recovers(api: Api, namespace: str) -> None:
    create_ready(api, statefulset("web", namespace))
    change_image(api, namespace, "web", IMAGE_B, behaviour=UNREADY)
    wait_for("an unready pod of the new image", lambda: pods(api, namespace, "web"),
             lambda seen: [(p.image, p.ready) for p in seen][2:] == [(IMAGE_B, False)])
    stays("the others keep their image", lambda: images(api, namespace, "web"),
          lambda seen: seen == [IMAGE_A, IMAGE_A, IMAGE_B])
    set_behaviour(api, namespace, "web-2", None)
    wait_for("the next pod to be replaced", lambda: pods(api, namespace, "web"),
             lambda seen: [(p.image, p.ready) for p in seen][1:] == [
                 (IMAGE_B, False), (IMAGE_B, True)])


def test_a_ready_pod_can_be_made_unready_and_ready_again(api: Api, namespace: str) -> None:
    create_ready(api, statefulset("web", namespace, replicas=2))
    for behaviour in (UNREADY, CRASHING):
        set_behaviour(api, namespace, "web-1", behaviour)
        wait_for("pod web-1 to be unready", lambda: pods(api, namespace, "web"),
                 lambda seen: [p.ready for p in seen] == [True, False])
        set_behaviour(api, namespace, "web-1", None)
        wait_for_pods(api, namespace, "web", [IMAGE_A] * 2)


@pytest.mark.parametrize("behaviour, field", [
    (None, "succeeded"), (FAILING, "failed"), (UNENDING, "active")])
def test_a_job_ends_as_its_pod_is_told(api: Api, namespace: str, behaviour: str | None,
                                       field: str) -> None:
    template = pod_template("task", annotations={BEHAVIOUR: behaviour} if behaviour else None)
    template["spec"]["restartPolicy"] = "Never"
    api.create({"apiVersion": "batch/v1", "kind": "Job",
                "metadata": {"name": "task", "namespace": namespace},
                "spec": {"backoffLimit": 0, "template": template}})
    wait_for(f"the job to have a pod that {field}",
             lambda: api.get("Job", "task", namespace).get("status", {}),
             lambda status: status.get(field) == 1 and (field != "active" or status.get("ready")))


def test_the_cluster_goes_on_after_an_api_server_restart(cluster: ControlPlane, api: Api,
                                                         namespace: str) -> None:
    create_ready(api, statefulset("web", namespace))
    for kill in (False, True):
        cluster.restart_apiserver(kill=kill)
        assert len(pods(api, namespace, "web")) == 3
    change_image(api, namespace, "web", IMAGE_B)
    wait_for_pods(api, namespace, "web", [IMAGE_B] * 3)
    scale(api, namespace, "web", 4)
    wait_for_pods(api, namespace, "web", [IMAGE_B] * 4)


def test_a_killed_scheduler_comes_back(cluster: ControlPlane, api: Api, namespace: str) -> None:
    cluster.process("kube-scheduler").kill9()
    create_ready(api, statefulset("web", namespace))


def test_a_paused_statefulset_controller_changes_nothing(cluster: ControlPlane, api: Api,
                                                         namespace: str) -> None:
    create_ready(api, statefulset("web", namespace))
    cluster.sigstop("kube-controller-manager")
    try:
        change_image(api, namespace, "web", IMAGE_B)
        stays("no pod changes", lambda: images(api, namespace, "web"),
              lambda seen: seen == [IMAGE_A] * 3)
    finally:
        cluster.sigcont("kube-controller-manager")
    wait_for_pods(api, namespace, "web", [IMAGE_B] * 3)


def test_kubectl_applies_manifests(api: Api, namespace: str) -> None:
    api.apply(statefulset("web", namespace, replicas=1))
    wait_for_pods(api, namespace, "web", [IMAGE_A])


def test_an_operator_process_is_started_asked_paused_and_ended(
        cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in = tmp_path / "sluice"
    stand_in.write_text(_STAND_IN_FOR_SLUICE)
    stand_in.chmod(0o755)
    monkeypatch.setenv("SLUICE_BINARY", str(stand_in))
    operator = Operator(cluster, service_account_kubeconfig(cluster), "stand-in", ("--extra",))
    assert operator.health("/none") == 404
    assert operator.metrics() == {'up{a="b c"}': 1.0}
    assert operator.log_lines()[0]["arguments"][0] == "operator"
    operator.sigstop()
    with pytest.raises(OSError):
        operator.health(timeout=1)
    operator.sigcont()
    assert operator.health() == 200
    assert operator.terminate() == 7


def test_the_operators_identity_has_no_rights_of_its_own(cluster: ControlPlane) -> None:
    kubeconfig = service_account_kubeconfig(cluster)
    whoami = subprocess.run(
        [cluster.binary("kubectl"), "--kubeconfig", str(kubeconfig), "auth", "whoami", "-o",
         "jsonpath={.status.userInfo.username}"], capture_output=True, text=True)
    assert whoami.stdout == f"system:serviceaccount:{NAMESPACE}:{SERVICE_ACCOUNT}"
    listing = subprocess.run(
        [cluster.binary("kubectl"), "--kubeconfig", str(kubeconfig), "get", "nodes"],
        capture_output=True, text=True)
    assert listing.returncode != 0 and "forbidden" in listing.stderr.lower()


def test_api_errors_carry_the_servers_reason(api: Api, namespace: str) -> None:
    assert api.find("StatefulSet", "none", namespace) is None
    with pytest.raises(ApiError, match="NotFound") as caught:
        api.get("StatefulSet", "none", namespace)
    assert caught.value.status == 404


def test_a_missed_deadline_names_what_was_awaited_and_what_was_seen() -> None:
    with pytest.raises(DeadlineExceeded, match=r"for the moon\. Last seen: \"cheese\""):
        wait_for("the moon", lambda: "cheese", lambda seen: seen == "moon", deadline=0.1)


def test_a_missing_operator_binary_is_an_error_that_names_the_command(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from harness.places import sluice_binary
    monkeypatch.setenv("SLUICE_BINARY", str(tmp_path / "sluice"))
    with pytest.raises(HarnessError, match="make build"):
        sluice_binary()


def test_a_missing_control_plane_is_an_error_that_names_the_command(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SLUICE_CACHE", str(tmp_path))
    with pytest.raises(HarnessError, match="tools/controlplane/build"):
        ControlPlane()


def test_the_hook_server_records_requests_and_answers_as_told(hook: HookServer) -> None:
    hook.answer_next(hookserver.refuse("backup running"), hookserver.status(503),
                     hookserver.huge(300_000), hookserver.raw(b"no http\r\n\r\n"))
    assert _post(hook.url, b'{"n": 1}') == (200, b'{"allowed": false, "message": "backup running"}')
    assert _post(hook.url, b'{"n": 2}') == (503, b"")
    assert len(_post(hook.url, b'{"n": 3}')[1]) == 300_000
    with pytest.raises(Exception):
        _post(hook.url, b'{"n": 4}')
    assert _post(hook.url, b'{"n": 5}') == (200, b'{"allowed": true}')
    assert [body["n"] for body in hook.bodies] == [1, 2, 3, 4, 5]


def test_the_https_hook_server_has_a_certificate_of_the_clusters_authority(
        cluster: ControlPlane, https_hook: HookServer) -> None:
    import ssl
    trusting = ssl.create_default_context(cafile=str(cluster.authority.certificate))
    with urllib.request.urlopen(https_hook.url, timeout=60, context=trusting) as answer:
        assert answer.status == 200
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(https_hook.url, timeout=60)


def test_nothing_is_left_after_stop() -> None:
    plane = ControlPlane().start()
    ids = [plane.process(name).pid for name in _PROGRAMS]
    assert all(_is_alive(pid) for pid in ids)
    plane.stop(keep_logs=False)
    assert not any(_is_alive(pid) for pid in ids)
    assert not plane.folder.exists()


def test_nothing_is_left_after_the_test_run_is_killed(tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from harness.process import Process
        from pathlib import Path
        print(Process("sleeper", ["sleep", "600"], Path({str(tmp_path / "log")!r})).pid, flush=True)
        time.sleep(600)
    """)
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    child = int(run.stdout.readline())
    assert _is_alive(child)
    run.send_signal(signal.SIGKILL)
    run.wait()
    wait_for("the child to be gone", lambda: _is_alive(child), lambda alive: not alive)


_STAND_IN_FOR_SLUICE = """#!/usr/bin/python3 -B
import http.server, json, os, signal, sys, threading

class Answers(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        body = {"/metrics": b'# HELP up\\nup{a="b c"} 1\\n', "/livez": b"", "/readyz": b""}
        self.send_response(200 if self.path in body else 404)
        self.end_headers()
        self.wfile.write(body.get(self.path, b""))

def serve(flag):
    port = int(next(a for a in sys.argv if a.startswith(flag)).rsplit(":", 1)[1])
    server = http.server.HTTPServer(("127.0.0.1", port), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()

signal.signal(signal.SIGTERM, lambda *_: os._exit(7))
print(json.dumps({"arguments": sys.argv[1:]}), flush=True)
serve("--metrics")
serve("--health")
signal.pause()
"""

_PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def _post(url: str, body: bytes) -> tuple[int, bytes]:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
