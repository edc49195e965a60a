"""RolloutPlugins whose analyses ask a web server or run a Job, and operators that die meanwhile."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Callable, Iterable

import pytest

from analysis_world import RUN, Analysed, allow_jobs, job
from harness.api import Object
from harness.hookserver import Answer, HookServer, Request, json_answer, status
from harness.operator import Operator
from harness.recorder import Change, Recorder
from harness.tokenserver import TokenServer
from harness.waiting import wait_for
from harness.workloads import IMAGE_A, IMAGE_B, IMAGE_C, set_behaviour
from phased_world import CLOSED, FLAGS, Stories, World, deleted_pods, partitions, running, world

STORIES = Stories(Analysed)
WELL = {"data": {"ok": True, "load": 0.5}}


def web(url: str, **fields: Any) -> Object:
    return {"web": {"url": url, "jsonPath": "{$.data}", **fields}}


def analysis(template: str) -> Object:
    return {"analysis": {"templates": [{"templateName": template}]}}


def roll(s: Analysed, provider: Object, **metric: Any) -> None:
    """Begins a rollout of three pods: one of them, the analysis, and then the others."""
    s.create_template("check", provider, **metric)
    s.begin_steps([{"setWeight": 34}, analysis("check"), {"setWeight": 100}], replicas=3)
    s.change(IMAGE_B)


def outcomes(s: Analysed) -> list[tuple[str, str]]:
    """Of each run the step and the phase."""
    return sorted((run["metadata"]["labels"]["step-index"], run.get("status", {}).get("phase"))
                  for run in s.runs())


@STORIES.add
def a_web_server_that_is_content_lets_the_rollout_go_on(s: Analysed) -> None:
    with HookServer() as server:
        server.answer(json_answer(WELL))
        roll(s, web(f"{server.url}/health"), interval="1s", count=2,
             successCondition="result.ok && result.load < 1")
        s.finish(IMAGE_B, 3)
        assert [request.path for request in server.requests] == ["/health"] * 2
    assert outcomes(s) == [("1", "Successful")]


@STORIES.add
def a_web_server_that_is_not_content_aborts(s: Analysed) -> None:
    with HookServer() as server:
        server.answer(json_answer({"data": {"ok": False, "load": 0.5}}))
        roll(s, web(server.url), successCondition="result.ok")
        s.wait_until_taken_back(replicas=3)
    assert outcomes(s) == [("1", "Failed")]


@STORIES.add
def a_web_server_that_is_down_proves_nothing_and_aborts(s: Analysed) -> None:
    with HookServer() as server:
        url = server.url
    roll(s, web(url), consecutiveErrorLimit=0)
    s.wait_until_taken_back(replicas=3)
    assert outcomes(s) == [("1", "Error")]
    s.wait_for_event("AnalysisRunError")


@STORIES.add
def a_job_that_completes_lets_the_rollout_go_on(s: Analysed) -> None:
    allow_jobs(s.api, s.namespace)
    roll(s, job())
    s.finish(IMAGE_B, 3)
    assert outcomes(s) == [("1", "Successful")]
    (made,) = s.jobs()
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == (RUN, s.runs()[0]["metadata"]["uid"])


@STORIES.add
def a_job_that_fails_aborts(s: Analysed) -> None:
    allow_jobs(s.api, s.namespace)
    roll(s, job("failing"))
    s.wait_until_taken_back(replicas=3)
    assert outcomes(s) == [("1", "Failed")] and len(s.jobs()) == 1


@STORIES.add
def a_job_that_may_not_be_made_aborts_and_says_what_is_missing(s: Analysed) -> None:
    roll(s, job(), consecutiveErrorLimit=0)
    s.wait_until_taken_back(replicas=3)
    (run,) = s.runs()
    (measurement,) = run["status"]["metricResults"][0]["measurements"]
    assert "sluice-analysis-jobs" in measurement["message"]
    assert run["status"]["phase"] == "Error" and s.jobs() == []


@STORIES.add
def an_abort_ends_the_run_and_the_job_that_is_under_way(s: Analysed) -> None:
    allow_jobs(s.api, s.namespace)
    roll(s, job("unending"))
    wait_for("the Job", s.jobs, pause=0.2)
    s.command(abort=True)
    s.wait_until_taken_back(replicas=3)
    wait_for("the run to be over and the Job to be gone", lambda: (outcomes(s), s.jobs()),
             lambda seen: seen == ([("1", "Inconclusive")], []), pause=0.2)


@STORIES.add
def a_new_template_ends_the_run_and_begins_another(s: Analysed) -> None:
    allow_jobs(s.api, s.namespace)
    roll(s, job("unending"))
    (first,) = wait_for("the Job", s.jobs, pause=0.2)
    s.change(IMAGE_C)
    (second,) = wait_for("the Job of the new revision in its place", s.jobs, lambda seen:
                         [one["metadata"]["uid"] for one in seen] not in
                         ([], [first["metadata"]["uid"]]) and len(seen) == 1, pause=0.2)
    s.wait_for_images(IMAGE_A, IMAGE_A, IMAGE_C)
    (pod,) = wait_for("the pod of the Job", lambda: s.api.list(
        "Pod", s.namespace, {"job-name": second["metadata"]["name"]}), pause=0.2)
    set_behaviour(s.api, s.namespace, pod["metadata"]["name"], None)
    s.finish(IMAGE_C, 3)
    assert outcomes(s) == [("1", "Inconclusive"), ("1", "Successful")]


@STORIES.add
def a_cluster_template_with_a_secret_and_a_value(s: Analysed) -> None:
    token = "canary-analysis-4713"

    def door(request: Request) -> Answer:
        known = request.headers.get("Authorization") == f"Bearer {token}"
        return json_answer(WELL) if known else status(401, token.encode())

    args = [{"name": "path", "value": "never-asked"}, {"name": "limit", "value": "1"},
            {"name": "token", "valueFrom": {"secretKeyRef": {"name": "login", "key": "token"}}}]
    call = {"templates": [{"templateName": s.namespace, "clusterScope": True}],
            "args": [{"name": "path", "value": "health"}]}
    with HookServer() as server:
        server.answer(door)
        header = {"key": "Authorization", "value": "Bearer {{args.token}}"}
        s.create_template(s.namespace, web(f"{server.url}/{{{{args.path}}}}", headers=[header]),
                          args, cluster_scope=True, consecutiveErrorLimit=0,
                          successCondition="result.load < {{args.limit}}")
        s.create_secret("login", token=token)
        s.begin_steps([{"setWeight": 34}, {"analysis": call}, {"setWeight": 100}], replicas=3)
        s.change(IMAGE_B)
        s.wait_until_taken_back(replicas=3)
        (refused,) = s.runs()
        assert refused["status"]["phase"] == "Error" and server.requests == []
        assert "sluice-secret-reader" in str(refused["status"])
        s.let_secrets_be_read()
        s.command(restart=True)
        s.finish(IMAGE_B, 3)
        assert [request.path for request in server.requests] == ["/health"]
    assert outcomes(s) == [("1", "Error"), ("1", "Successful")]
    s.check_silence(token)
    s.api.delete("ClusterAnalysisTemplate", s.namespace)


PASSWORD = [{"name": "password",
             "valueFrom": {"secretKeyRef": {"name": "login", "key": "password"}}}]


def messages(s: Analysed) -> list[str]:
    """Of the only run, what its measurements say."""
    (run,) = s.runs()
    return [one["message"] for one in run["status"]["metricResults"][0]["measurements"]]


@STORIES.add
def a_token_is_asked_for_before_each_question_to_prometheus(s: Analysed) -> None:
    s.let_secrets_be_read()
    with TokenServer(s.world.prometheus.forward) as server:
        s.create_secret("login", password=server.password)
        roll(s, {"prometheus": {"address": server.url, "query": "vector(7)",
                                "authentication": server.authentication("password")}},
             args=PASSWORD, interval="1s", count=2, successCondition="result[0] == 7")
        s.finish(IMAGE_B, 3)
        assert server.calls == ["token", "question"] * 2
    assert outcomes(s) == [("1", "Successful")]
    s.check_silence(server.password, *server.tokens)


@STORIES.add
def a_token_endpoint_that_looks_for_the_client_in_the_body(s: Analysed) -> None:
    def echo(request: Request) -> Answer:
        return json_answer({"data": {"ok": True, "heard": request.headers["Authorization"]}})

    s.let_secrets_be_read()
    with TokenServer(echo, in_body=True) as server:
        s.create_secret("login", password=server.password)
        roll(s, web(f"{server.url}/health", authentication=server.authentication("password")),
             args=PASSWORD, successCondition="result.ok")
        s.finish(IMAGE_B, 3)
        assert server.calls == ["refused", "token", "question"]
    assert "[redacted]" in str(s.runs()[0]["status"]["metricResults"])
    s.check_silence(server.password, *server.tokens)


@STORIES.add
def a_wrong_password_is_told_without_what_the_endpoint_repeats(s: Analysed) -> None:
    wrong = "canary-wrong-password"
    s.let_secrets_be_read()
    s.create_secret("login", password=wrong)
    with TokenServer(s.world.prometheus.forward) as server:
        roll(s, web(server.url, authentication=server.authentication("password")), args=PASSWORD,
             consecutiveErrorLimit=0)
        s.wait_until_taken_back(replicas=3)
        assert server.calls == ["refused", "refused"]
    assert messages(s) == ["the token endpoint answered HTTP 401: invalid_client"]
    s.check_silence(wrong)


@STORIES.add
def a_token_goes_no_further_than_the_secret_that_it_was_given_for(s: Analysed) -> None:
    s.let_secrets_be_read()
    with HookServer() as other, TokenServer(s.world.prometheus.forward) as server:
        s.create_secret("login", {"sluice.dev/allowed-hosts": server.url},
                        password=server.password)
        roll(s, web(other.url, authentication=server.authentication("password")), args=PASSWORD,
             consecutiveErrorLimit=0)
        s.wait_until_taken_back(replicas=3)
        assert server.calls == [] and other.requests == []
    assert f"may not be sent to {other.url}" in messages(s)[0]


@pytest.mark.parametrize("name", STORIES)
def test_story(running: dict[str, Future], name: str) -> None:
    running[name].result()


class Deadly(Analysed):
    """A story whose operator is killed at everything it does, and started again."""

    def __init__(self, world: World, namespace: str, start: Callable[..., Operator]) -> None:
        super().__init__(world, namespace)
        self._start = lambda: start(*FLAGS, f"--namespace={namespace}", ready=False)
        self.one = self._start()
        self.deaths: set[str] = set()
        self.at_each_look: Callable[[], None] = lambda: None

    def traces(self) -> tuple[Any, ...]:
        """What operators left in the cluster so far."""
        self.at_each_look()
        told = self.status()
        runs = [(run["metadata"]["name"], run.get("status", {})) for run in self.runs()]
        return (self.partition(), told.get("currentStepIndex"), told.get("reason"), runs,
                [one["metadata"]["name"] for one in self.jobs()], self.images())

    def survive(self, until: Callable[[Object], Any]) -> None:
        """Goes on until the status is so, through one death after the other."""
        seen = self.traces()
        for _ in range(200):
            now = wait_for("something new, or the end", lambda: (self.traces(), self.status()),
                           lambda now: now[0] != seen or until(now[1])
                           or not self.one.process.is_running())
            if until(now[1]):
                return
            self.deaths.add(f"{now[0][0]} at step {now[0][1]}")
            seen = now[0]
            self.one.kill9()
            self.one = self._start()
        raise AssertionError("There is no end to it.")


def version(change: Change) -> int:
    return int(change.object["metadata"]["resourceVersion"])


def ungated(sets: Iterable[Change], runs: Iterable[Change], gates: dict[int, int]) -> list[int]:
    """Partitions that were reached before the analysis of the step in front of them was over."""
    passed: dict[int, int] = {}
    for change in runs:
        if change.object.get("status", {}).get("phase") == "Successful":
            step = int(change.object["metadata"]["labels"]["step-index"])
            passed.setdefault(step, version(change))
    reached: dict[int, int] = {}
    for change in sets:
        reached.setdefault(partitions([change])[0], version(change))
    return [gate for gate, step in gates.items()
            if gate in reached and not passed.get(step, reached[gate]) < reached[gate]]


def added(changes: Iterable[Change]) -> list[str]:
    return [change.object["metadata"]["name"] for change in changes if change.type == "ADDED"]


@pytest.mark.parametrize("behaviour", [None, "failing"])
def test_kill_9_at_every_step_makes_nothing_twice_and_lets_no_pod_go_early(
        world: World, namespace: str, operator: Callable[..., Operator],
        behaviour: str | None) -> None:
    allow_jobs(world.api, namespace)
    s = Deadly(world, namespace, operator)
    asked: list[str] = []

    def door(request: Request) -> Answer:
        """Who asks the first, the third, the fifth question dies of it."""
        asked.append(request.path)
        if len(asked) % 2 == 1:
            s.one.kill9()
        return json_answer(WELL)

    with HookServer() as server:
        server.answer(door)
        s.create_template("health", web(server.url), interval="1s", count=3,
                          successCondition="result.ok")
        s.create_template("smoke", job("unending"))

        def end_the_job() -> None:
            """Once an operator has died at its step, and not before."""
            if "1 at step 4" in s.deaths:
                for pod in s.api.list("Pod", namespace, "job-name"):
                    set_behaviour(s.api, namespace, pod["metadata"]["name"], behaviour)

        s.at_each_look = end_the_job
        s.begin_steps([{"setWeight": 34}, analysis("health"), {"setWeight": 67},
                       {"pause": {"duration": "15s"}}, analysis("smoke"), {"setWeight": 100}],
                      replicas=3)
        with (Recorder(s.api, "StatefulSet", namespace) as sets,
              Recorder(s.api, "Pod", namespace) as pods,
              Recorder(s.api, RUN, namespace) as runs,
              Recorder(s.api, "Job", namespace) as jobs):
            s.one.kill9()
            s.change(IMAGE_B)
            s.survive(lambda told: told.get("phase") == "Successful"
                      or told.get("reason") == "RolledBack")
            if behaviour:
                s.wait_until_taken_back(replicas=3)
            else:
                s.finish(IMAGE_B, 3)
    assert ungated(sets.changes, runs.changes, {1: 1, 0: 4}) == []
    assert len(added(runs.changes)) == 2 and len(added(jobs.changes)) == 1
    assert outcomes(s) == [("1", "Successful"), ("4", "Failed" if behaviour else "Successful")]
    (measured,) = [run["status"]["metricResults"][0] for run in s.runs()
                   if run["metadata"]["labels"]["step-index"] == "1"]
    assert measured["count"] == measured["successful"] == 3
    assert len(asked) > 3, "what died with an operator is asked again"
    ways = ([CLOSED, 2, 1, CLOSED], ["web-2", "web-1"]) if behaviour else (
        [CLOSED, 2, 1, 0, 3], ["web-2", "web-1", "web-0"])
    assert (partitions(sets.changes), deleted_pods(pods.changes, IMAGE_A)) == ways
    assert {f"{CLOSED} at step None", "2 at step 1", "1 at step 3", "1 at step 4"} <= s.deaths


def test_kill_9_while_an_analysis_goes_on_in_the_background_makes_no_second_one(
        world: World, namespace: str, operator: Callable[..., Operator]) -> None:
    s = Deadly(world, namespace, operator)
    rest = {"pause": {"duration": "15s"}}
    with HookServer() as server:
        server.answer(json_answer(WELL))
        s.create_template("health", web(server.url), interval="1s", successCondition="result.ok")
        s.begin_steps([{"setWeight": 34}, rest, {"setWeight": 67}, rest, {"setWeight": 100}],
                      replicas=3, background={**analysis("health")["analysis"], "startingStep": 1})
        with (Recorder(s.api, "StatefulSet", namespace) as sets,
              Recorder(s.api, RUN, namespace) as runs):
            s.change(IMAGE_B)
            s.survive(lambda told: told.get("phase") == "Successful")
            s.finish(IMAGE_B, 3)
            (ended,) = wait_for("the analysis to be over", s.runs,
                                lambda seen: seen[0]["status"]["phase"] != "Running")
    assert ended["status"]["phase"] == "Successful" and len(added(runs.changes)) == 1
    assert partitions(sets.changes) == [CLOSED, 2, 1, 0, 3]
    assert {"2 at step 1", "1 at step 3"} <= s.deaths
