"""ExtendedJob on a real control plane: Jobs that run once, Jobs for pods, and what they print."""

from __future__ import annotations

import base64
import re
import secrets
import time
from typing import Any, Callable, Iterator

import pytest
import yaml

from definitions import examples_in
from harness.api import Api, ApiError, Object, has_condition
from harness.controlplane import ControlPlane
from harness.failure import HarnessError
from harness.hookserver import Answer, HookServer, Request
from harness.kubelets import BEHAVIOUR, FAILING, UNENDING, UNREADY
from harness.operator import Operator, request_token, service_account_kubeconfig, sluice
from harness.places import REPOSITORY
from harness.waiting import stays, wait_for
from harness.workloads import create_ready, set_behaviour, statefulset

KIND = "ExtendedJob"
PREFIX = "fissile.cloudfoundry.org"
BINDING = REPOSITORY / "deploy/optional/extendedjob-jobs-binding.yaml"
HUSH = "hush-5e81"  # what Jobs print, and nobody is told
GOES = 150.0  # a Job that has succeeded stays for a minute
REMEMBERED = 128  # so many pods, of each ExtendedJob


@pytest.fixture(scope="module", autouse=True)
def definitions(install: Callable[[str], None]) -> None:
    install("crds")


@pytest.fixture(scope="module")
def kubelet(cluster: ControlPlane) -> Iterator[HookServer]:
    """Where the API server finds the logs of all pods."""
    with HookServer(cluster.authority.issue("kubelet")) as server:
        status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                  "daemonEndpoints": {"kubeletEndpoint": {"Port": server.port}}}
        for node in cluster.api.list("Node"):
            cluster.api.patch("Node", node["metadata"]["name"], {"status": status},
                              subresource="status")
        yield server


@pytest.fixture
def allowed(api: Api, namespace: str) -> None:
    binding = yaml.safe_load(BINDING.read_text())
    binding["metadata"]["namespace"] = namespace
    api.create(binding)


def errand(namespace: str, name: str, trigger: Any, behaviour: str | None = None,
           **spec: Any) -> Object:
    trigger = {"strategy": trigger} if isinstance(trigger, str) else trigger
    notes = {BEHAVIOUR: behaviour} if behaviour else {}
    return {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND,
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"trigger": trigger, **spec, "template": {
                "metadata": {"annotations": notes},
                "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                         "containers": [{"name": "main", "image": "errand:a"}]}}}}


def status(api: Api, namespace: str, name: str) -> Object:
    return api.get(KIND, name, namespace).get("status", {})


def strategy(api: Api, namespace: str, name: str) -> str:
    return api.get(KIND, name, namespace)["spec"]["trigger"]["strategy"]


def wait_for_phase(api: Api, namespace: str, name: str, phase: str) -> Object:
    return wait_for(f"{name} to be {phase}", lambda: status(api, namespace, name),
                    lambda seen: seen.get("phase") == phase)


def jobs(api: Api, namespace: str, name: str) -> list[Object]:
    return [job for job in api.list("Job", namespace)
            if job["metadata"]["ownerReferences"][0]["name"] == name]


def test_the_sample_runs_once_and_its_output_is_a_secret(
        api: Api, cluster: ControlPlane, namespace: str, allowed: None, kubelet: HookServer,
        operator: Callable[..., Operator]) -> None:
    kubelet.answer(Answer(200, f'{{"token": "{HUSH}"}}\n'.encode(),
                          {"Content-Type": "text/plain"}))
    one = operator()
    api.kubectl("-n", namespace, "apply", "-f", str(REPOSITORY / "config/samples/extendedjob.yaml"))
    seen = wait_for_phase(api, namespace, "make-keys", "Succeeded")
    assert (seen["runs"], seen["lastRun"]["outcome"]) == (1, "Succeeded")
    assert strategy(api, namespace, "make-keys") == "manual"
    secret = api.get("Secret", "keys-make", namespace)
    assert base64.b64decode(secret["data"]["token"]).decode() == HUSH
    assert secret["metadata"]["labels"] == {"app": "my-app"}
    assert secret["metadata"]["ownerReferences"][0]["name"] == "make-keys"
    shown = api.kubectl("-n", namespace, "get", "ejob")
    assert re.search(r"make-keys +manual +1 +Succeeded +Succeeded +RunSucceeded", shown), shown
    asked = next(request for request in kubelet.requests if "/make" in request.path)
    assert re.match(rf"/containerLogs/{namespace}/job-makekeys-.*/make\?limitBytes=262145",
                    asked.path), asked.path
    kubeconfig = ("-n", namespace, "--kubeconfig", str(cluster.kubeconfig))
    assert "1 begun, 1 succeeded, 0 failed" in sluice("explain", "ejob/make-keys", *kubeconfig)
    kubelet.answer(Answer(200, f'{{"later": "{HUSH}-2"}}\n'.encode(),
                          {"Content-Type": "text/plain"}))
    assert "runs now" in sluice("retry", "ejob/make-keys", *kubeconfig)
    wait_for("the second run", lambda: status(api, namespace, "make-keys"),
             lambda seen: seen.get("succeeded") == 2)
    over = api.get("Secret", "keys-make", namespace)
    assert over["metadata"]["uid"] == secret["metadata"]["uid"], "it is written over"
    assert over["data"] == {"later": base64.b64encode(f"{HUSH}-2".encode()).decode()}
    told_in_numbers = one.metrics()
    assert [name for name in told_in_numbers if name.startswith("sluice_decisions_total")
            and 'api="extendedjob"' in name and 'reason="RunSucceeded"' in name]
    assert told_in_numbers['sluice_stored_objects{resource="extendedjobs"}'] >= 1
    wait_for("the Jobs to be gone", lambda: jobs(api, namespace, "make-keys") or None,
             lambda left: left is None, GOES)
    told = [str(obj) for kind in (KIND, "Event", "Job", "Pod") for obj in api.list(kind, namespace)]
    told += [str(line) for line in one.log_lines()]
    assert not [text for text in told if HUSH in text]
    api.delete(KIND, "make-keys", namespace)
    wait_for("the Secret to go along", lambda: api.find("Secret", "keys-make", namespace) or 0,
             lambda found: found == 0)


def test_once_is_done_one_that_fails_is_kept_and_others_wait_for_a_word(
        api: Api, cluster: ControlPlane, namespace: str, allowed: None,
        operator: Callable[..., Operator]) -> None:
    operator()
    for word in ("manual", "done"):
        api.create(errand(namespace, word, word))
    api.create(errand(namespace, "well", "once"))
    api.create(errand(namespace, "ill", "now", FAILING))
    seen = wait_for_phase(api, namespace, "ill", "Failed")
    assert "BackoffLimitExceeded" in seen["message"] and "sluice retry" in seen["unblock"]
    assert [job["metadata"]["name"] for job in jobs(api, namespace, "ill")] == [seen["failedJob"]]
    [condition] = [one for one in seen["conditions"] if one["type"] == "Succeeded"]
    assert condition["status"] == "False"
    wait_for_phase(api, namespace, "well", "Succeeded")
    assert strategy(api, namespace, "well") == "done"
    for word in ("manual", "done"):
        said = wait_for_phase(api, namespace, word, "Idle")
        assert "Nothing has run yet" in said["message"] and said.get("runs", 0) == 0
        assert jobs(api, namespace, word) == [] and strategy(api, namespace, word) == word
        sluice("retry", f"ejob/{word}", "-n", namespace, "--kubeconfig", str(cluster.kubeconfig))
    first = seen["failedJob"]
    api.patch(KIND, "ill", {"spec": {"trigger": {"strategy": "now"}}}, namespace)
    seen = wait_for("the second failure", lambda: status(api, namespace, "ill"),
                    lambda one: one.get("failed") == 2)
    wait_for("the first Job to go", lambda: [job["metadata"]["name"]
                                             for job in jobs(api, namespace, "ill")],
             lambda names: names == [seen["failedJob"]] and first not in names, GOES)
    for word in ("manual", "done"):
        assert wait_for_phase(api, namespace, word, "Succeeded")["runs"] == 1
        assert strategy(api, namespace, word) == "manual", "as with now"
    assert status(api, namespace, "well")["runs"] == 1


def test_with_on_failure_containers_are_started_anew_six_times_at_most(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    operator()
    one = errand(namespace, "errand", "now", UNENDING)
    one["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
    api.create(one)
    [pod] = wait_for("its pod", lambda: api.list("Pod", namespace), lambda pods: [
        one for one in pods if one["status"].get("containerStatuses")])

    def start_anew(times: int) -> None:
        """As its kubelet tells of it."""
        told = [{**one, "restartCount": times} for one in pod["status"]["containerStatuses"]]
        api.patch("Pod", pod["metadata"]["name"], {"status": {"containerStatuses": told}},
                  namespace, subresource="status")

    start_anew(5)
    stays("it goes on", lambda: jobs(api, namespace, "errand"),
          lambda seen: not has_condition(seen[0], "Failed"))
    start_anew(6)
    seen = wait_for_phase(api, namespace, "errand", "Failed")
    assert "BackoffLimitExceeded" in seen["message"] and seen["runs"] == 1


def test_a_job_for_each_pod_that_is_ready(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    operator()
    create_ready(api, statefulset("web", namespace, 2))
    create_ready(api, statefulset("other", namespace, 1))
    selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}
    api.create(errand(namespace, "greet", {"strategy": "podstate", "podstate": {
        "when": "ready", "selector": selector}}))
    wait_for("both pods", lambda: status(api, namespace, "greet"),
             lambda seen: seen.get("succeeded") == 2)
    assert {job["metadata"]["labels"]["affected-pod"] for job in jobs(api, namespace, "greet")} == {
        "web-0", "web-1"}
    assert all(job["metadata"]["name"].startswith("job-greet-web")
               for job in jobs(api, namespace, "greet"))
    api.delete("Pod", "web-1", namespace)
    wait_for("the pod that came back", lambda: status(api, namespace, "greet"),
             lambda seen: seen.get("succeeded") == 3)
    stays("no more runs than pods", lambda: status(api, namespace, "greet")["runs"],
          lambda runs: runs == 3)


def test_a_job_for_each_pod_that_is_there_and_one_for_each_that_is_not_ready(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    operator()
    create_ready(api, statefulset("web", namespace, 2))
    selector = {"matchLabels": {"app": "web"}}
    for name, when in (("count", "created"), ("worry", "notready")):
        api.create(errand(namespace, name, {"strategy": "podstate", "podstate": {
            "when": when, "selector": selector}}))
    wait_for("both pods", lambda: status(api, namespace, "count"),
             lambda seen: seen.get("succeeded") == 2)
    stays("nothing while both are ready", lambda: status(api, namespace, "worry").get("runs", 0),
          lambda runs: runs == 0)
    set_behaviour(api, namespace, "web-1", UNREADY)
    seen = wait_for("the one that is not ready", lambda: status(api, namespace, "worry"),
                    lambda one: one.get("succeeded") == 1)
    assert seen["lastRun"]["pod"] == "web-1"
    api.create({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [
        {"name": "web", "image": "web:a"}]}, "metadata": {
            "name": "late", "namespace": namespace, "labels": {"app": "web"},
            "annotations": {BEHAVIOUR: UNREADY}}})
    for name, runs in (("count", 3), ("worry", 2)):
        seen = wait_for("the pod that came later", lambda name=name: status(api, namespace, name),
                        lambda one, runs=runs: one.get("succeeded") == runs)
        assert seen["lastRun"]["pod"] == "late"


def test_a_pod_more_than_are_remembered_waits_until_one_of_them_is_gone(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    pods = [api.create({"apiVersion": "v1", "kind": "Pod",
                        "metadata": {"name": f"web-{number}", "namespace": namespace},
                        "spec": {"schedulerName": "nobody",
                                 "containers": [{"name": "web", "image": "web:a"}]}})["metadata"]
            for number in range(REMEMBERED + 1)]
    api.create(errand(namespace, "greet", {"strategy": "podstate", "when": "created"}))
    handled = [{"uid": pod["uid"], "pod": pod["name"]} for pod in pods[:REMEMBERED]]
    api.patch(KIND, "greet", {"status": {"podState": "created", "handledPods": handled}}, namespace,
              subresource="status")
    operator()
    seen = wait_for("the reason", lambda: status(api, namespace, "greet"),
                    lambda one: one.get("reason") == "TooManyPods")
    assert seen["phase"] == "Held" and f"{REMEMBERED} pods" in seen["message"]
    assert jobs(api, namespace, "greet") == []
    api.delete("Pod", pods[0]["name"], namespace)
    seen = wait_for_phase(api, namespace, "greet", "Succeeded")
    assert (seen["runs"], seen["lastRun"]["pod"]) == (1, pods[-1]["name"])


def test_a_job_for_a_pod_that_is_on_its_way_out(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    operator()
    hold = ["sluice.test/hold"]
    api.create({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": "web", "namespace": namespace, "finalizers": hold},
                "spec": {"containers": [{"name": "web", "image": "web:a"}]}})
    api.create(errand(namespace, "mourn", {"strategy": "podstate", "when": "deleted"}))
    stays("nothing while it lives", lambda: status(api, namespace, "mourn").get("runs", 0),
          lambda runs: runs == 0)
    api.delete("Pod", "web", namespace, grace=30)
    seen = wait_for("its Job", lambda: status(api, namespace, "mourn"),
                    lambda one: one.get("succeeded") == 1)
    assert seen["lastRun"]["pod"] == "web"
    api.patch("Pod", "web", {"metadata": {"finalizers": None}}, namespace)


def test_without_the_right_a_run_waits_and_says_how_it_is_granted(
        api: Api, namespace: str, operator: Callable[..., Operator]) -> None:
    operator()
    api.create(errand(namespace, "errand", "now"))
    seen = wait_for("the reason", lambda: status(api, namespace, "errand"),
                    lambda one: one.get("reason") == "RunHeld")
    assert "sluice-extendedjob-jobs" in seen["message"]
    assert strategy(api, namespace, "errand") == "manual"
    assert jobs(api, namespace, "errand") == []
    binding = yaml.safe_load(BINDING.read_text())
    binding["metadata"]["namespace"] = namespace
    api.create(binding)
    seen = wait_for_phase(api, namespace, "errand", "Succeeded")
    assert seen["runs"] == 1


def test_a_secret_of_somebody_else_is_not_touched(
        api: Api, namespace: str, allowed: None, kubelet: HookServer,
        operator: Callable[..., Operator]) -> None:
    kubelet.answer(Answer(200, f'{{"token": "{HUSH}"}}'.encode(), {"Content-Type": "text/plain"}))
    operator()
    api.create({"apiVersion": "v1", "kind": "Secret", "stringData": {"token": "theirs"},
                "metadata": {"name": "keys-main", "namespace": namespace}})
    api.create(errand(namespace, "keys", "now", output={"namePrefix": "keys-"}))
    seen = wait_for("the reason", lambda: status(api, namespace, "keys"),
                    lambda one: one.get("reason") == "OutputHeld" and "keys-main" in one["message"])
    assert len(jobs(api, namespace, "keys")) == 1
    theirs = api.get("Secret", "keys-main", namespace)["data"]["token"]
    assert base64.b64decode(theirs) == b"theirs"
    api.delete("Secret", "keys-main", namespace)
    wait_for_phase(api, namespace, "keys", "Succeeded")


def test_of_a_run_that_failed_each_container_is_kept_if_that_is_wanted(
        api: Api, namespace: str, allowed: None, kubelet: HookServer,
        operator: Callable[..., Operator]) -> None:
    def log(request: Request) -> Answer:
        container = request.path.split("?")[0].rsplit("/", 1)[1]
        return Answer(200, f'{{"of": "{container}"}}'.encode(), {"Content-Type": "text/plain"})

    kubelet.answer(log)
    operator()
    for name, output in (("kept", {"writeOnFailure": True}), ("lost", {})):
        one = errand(namespace, name, "now", FAILING, output={"namePrefix": f"{name}-", **output})
        one["spec"]["template"]["spec"]["containers"].append({"name": "side", "image": "side:a"})
        api.create(one)
    for name in ("kept", "lost"):
        seen = wait_for_phase(api, namespace, name, "Failed")
        assert "BackoffLimitExceeded" in seen["message"]
    written = {one["metadata"]["name"]: base64.b64decode(one["data"]["of"]).decode()
               for one in api.list("Secret", namespace)}
    assert written == {"kept-main": "main", "kept-side": "side"}


def test_what_is_no_json_is_a_failure_that_tells_nothing_of_it(
        api: Api, namespace: str, allowed: None, kubelet: HookServer,
        operator: Callable[..., Operator]) -> None:
    kubelet.answer(Answer(200, HUSH.encode(), {"Content-Type": "text/plain"}))
    operator()
    api.create(errand(namespace, "keys", "now", output={"namePrefix": "keys-"}))
    seen = wait_for_phase(api, namespace, "keys", "Failed")
    assert "no JSON object" in seen["message"] and HUSH not in str(seen)
    assert api.find("Secret", "keys-main", namespace) is None


def test_an_operator_that_is_killed_again_and_again_runs_each_once(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    names = [f"errand-{number}" for number in range(12)]
    for name in names:
        api.create(errand(namespace, name, "once"))
    made: dict[str, set[str]] = {name: set() for name in names}

    def count() -> int:
        for name in names:
            made[name] |= {job["metadata"]["uid"] for job in jobs(api, namespace, name)}
        return sum(status(api, namespace, name).get("phase") == "Succeeded" for name in names)

    for pause in (0.1, 0.25, 0.4, 0.6, 1.0):
        one = operator()
        time.sleep(pause)
        count()
        one.kill9()
    operator()
    wait_for("all of them", count, lambda done: done == len(names))
    assert {name: len(uids) for name, uids in made.items()} == {name: 1 for name in names}
    assert all(strategy(api, namespace, name) == "done" for name in names)
    assert all(status(api, namespace, name)["runs"] == 1 for name in names)


def test_a_job_that_somebody_deletes_is_a_run_that_failed(
        api: Api, namespace: str, allowed: None, operator: Callable[..., Operator]) -> None:
    operator()
    api.create(errand(namespace, "errand", "now", UNENDING))
    wait_for_phase(api, namespace, "errand", "Running")
    [job] = wait_for("its Job", lambda: jobs(api, namespace, "errand"))
    api.delete("Job", job["metadata"]["name"], namespace)
    seen = wait_for_phase(api, namespace, "errand", "Failed")
    assert "is gone" in seen["message"]


@pytest.mark.parametrize("spec, sentence", [
    ({"trigger": {"strategy": "soon"}}, 'supported values: "manual", "once", "now", "podstate"'),
    ({"trigger": {}}, "spec.trigger.strategy: Required value"),
    ({"trigger": {"strategy": "podstate"}}, "the strategy podstate needs podstate.when"),
    ({"trigger": {"strategy": "podstate", "when": "ready", "podstate": {"when": "ready"}}},
     "podstate says what when and selector beside it say; leave one out"),
    ({"trigger": {"strategy": "podstate", "when": "ready", "selector": {"matchExpressions": [
        {"key": "a", "operator": "In"}]}}}, "values is required with In and NotIn"),
    ({"output": {}}, "spec.output.namePrefix: Required value"),
    ({"output": {"namePrefix": "Keys-"}}, "spec.output.namePrefix"),
    ({"template": {"spec": {"restartPolicy": "Always", "containers": [{"name": "a"}]}}},
     'supported values: "Never", "OnFailure"'),
    ({"template": {"spec": {"restartPolicy": "Never", "containers": []}}},
     "should have at least 1 items"),
])
def test_what_can_never_run_is_refused(api: Api, namespace: str, spec: Object,
                                       sentence: str) -> None:
    wrong = errand(namespace, "wrong", "manual")
    wrong["spec"].update(spec)
    with pytest.raises(ApiError) as refused:
        api.create(wrong, dry_run=True)
    assert refused.value.status == 422 and sentence in str(refused.value)


def test_the_examples_of_the_document_are_taken(api: Api, namespace: str) -> None:
    for example in examples_in("docs/extendedjob.md", KIND):
        example["metadata"]["namespace"] = namespace
        assert api.create(example, dry_run=True)["spec"] == example["spec"]


def test_the_operator_itself_is_held_to_its_own(
        api: Api, cluster: ControlPlane, namespace: str, allowed: None,
        install: Callable[[str], None]) -> None:
    install("rbac")
    install("policies")
    kubeconfig = service_account_kubeconfig(cluster)
    itself = Api(cluster.port, cluster.authority.certificate, request_token(api),
                 cluster.binary("kubectl"), kubeconfig)
    made = api.create(errand(namespace, "errand", "now"))
    owner = {"apiVersion": f"{PREFIX}/v1alpha1", "kind": KIND, "name": "errand", "controller": True,
             "uid": made["metadata"]["uid"]}
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}

    def job(name: str, **meta: Any) -> Object:
        return {"apiVersion": "batch/v1", "kind": "Job",
                "metadata": {"name": name, "namespace": namespace, **meta},
                "spec": {"template": {"spec": pod}}}

    def secret(name: str, **meta: Any) -> Object:
        return {"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "b"},
                "metadata": {"name": name, "namespace": namespace, **meta}}

    theirs = api.create(secret("theirs"))
    assert theirs
    api.create(errand(namespace, "decoy", "manual"))
    attempts: list[Callable[[], Any]] = [
        # Another change each time: one that comes before the policies must not be the last one.
        lambda: itself.patch(KIND, "decoy", {"metadata": {"labels": {"a": secrets.token_hex(4)}}},
                             namespace),
        lambda: itself.create(job("stray")),
        lambda: itself.create(secret("stray")),
        lambda: itself.patch("Secret", "theirs", {"data": None}, namespace),
    ]
    wait_for("the policies", lambda: [refused(attempt) for attempt in attempts], all)
    for change in ({"spec": {"trigger": {"strategy": "done"}}},
                   {"spec": {"updateOnConfigChange": True}}, {"metadata": {"labels": {"a": "b"}}}):
        assert refused(lambda: itself.patch(KIND, "errand", change, namespace)), change
    assert itself.create(job("ours", labels={"extendedjob": "true"}, ownerReferences=[owner]))
    assert itself.create(secret("ours", ownerReferences=[owner]))
    assert itself.patch("Secret", "ours", {"data": {"a": "Yg=="}}, namespace)
    assert itself.patch(KIND, "errand", {"spec": {"trigger": {"strategy": "manual"}}}, namespace)
    with pytest.raises(ApiError):
        itself.get("Secret", "theirs", namespace)


def refused(attempt: Callable[[], Any]) -> bool:
    try:
        attempt()
    except ApiError as error:
        return error.status == 403
    return False


def test_other_verbs_decline_with_a_sentence(
        api: Api, cluster: ControlPlane, namespace: str) -> None:
    api.create(errand(namespace, "errand", "manual"))
    for verb, sentence in [("promote", "no steps to promote; retry runs it"),
                           ("pause", "is not paused: a strategy of manual"),
                           ("resume", "is not paused; retry runs it"),
                           ("abort", "delete its Job"), ("undo", "what has run has run")]:
        with pytest.raises(HarnessError) as declined:
            sluice(verb, "ejob/errand", "-n", namespace, "--kubeconfig", str(cluster.kubeconfig))
        assert sentence in str(declined.value)
