"""AnalysisRuns that stand alone, on a real control plane: measured by a real Prometheus, by a web
server and by Jobs, and finished by whichever operator is alive."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import pytest

from analysis_world import SERVED, allow_jobs, job
from harness.api import Api, Object
from harness.controlplane import ControlPlane
from harness.hookserver import Answer, HookServer
from harness.operator import Operator
from harness.waiting import wait_for
from phased_world import World

KIND = "AnalysisRun"
FLAGS = ("--allow-local-metrics",)
OVER = ("Successful", "Failed", "Error", "Inconclusive")


@pytest.fixture(scope="module")
def world(cluster: ControlPlane, install: Callable[[str], None],
          tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    install("crds")
    one = World(cluster, tmp_path_factory.mktemp("analysis"))
    yield one
    one.stop()


def prometheus(world: World, query: str, **fields: Any) -> Object:
    return {"prometheus": {"address": world.prometheus.url, "query": query, **fields}}


def create(api: Api, namespace: str, name: str, provider: Object, spec: Object | None = None,
           annotations: Object = SERVED, **metric: Any) -> None:
    api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": KIND,
                "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
                "spec": {"metrics": [{"name": "rate", "provider": provider, **metric}],
                         **(spec or {})}})


def status(api: Api, namespace: str, name: str) -> Object:
    return api.get(KIND, name, namespace).get("status", {})


def wait_for_end(api: Api, namespace: str, name: str) -> Object:
    return wait_for(f"{name} to be over", lambda: status(api, namespace, name),
                    lambda seen: seen.get("phase") in OVER)


def measured(seen: Object) -> Object:
    return seen["metricResults"][0]


def jobs_of(api: Api, namespace: str) -> list[Object]:
    return api.list("Job", namespace)


def test_prometheus_decides_what_becomes_of_a_run(
        api: Api, namespace: str, world: World, operator: Callable[..., Operator]) -> None:
    operator(*FLAGS)
    up = "vector(1)"
    create(api, namespace, "good", prometheus(world, up), interval="1s", count=3,
           successCondition="result[0] == 1")
    create(api, namespace, "bad", prometheus(world, up), successCondition="result[0] == 7")
    create(api, namespace, "ill", prometheus(world, "up{"), consecutiveErrorLimit=0)
    create(api, namespace, "vague", prometheus(world, up), successCondition="result != 7",
           consecutiveErrorLimit=0)
    api.kubectl("-n", namespace, "wait", "--for=condition=Successful", "analysisrun/good",
                "--timeout=120s")
    api.kubectl("-n", namespace, "wait", "--for=condition=Completed", "--timeout=120s",
                *(f"analysisrun/{name}" for name in ("good", "bad", "ill", "vague")))
    vague = wait_for_end(api, namespace, "vague")
    assert vague["phase"] == "Error" and "an array and a number" in measured(vague)["message"]
    good, bad, ill = (wait_for_end(api, namespace, name) for name in ("good", "bad", "ill"))
    assert (good["phase"], measured(good)["successful"]) == ("Successful", 3)
    assert {one["value"] for one in measured(good)["measurements"]} == {"[1]"}
    assert (bad["phase"], measured(bad)["failed"]) == ("Failed", 1)
    assert 'Metric "rate" is Failed' in bad["message"]
    assert (ill["phase"], measured(ill)["error"]) == ("Error", 1)
    events = wait_for(
        "the events of all four", lambda: {
            one["involvedObject"]["name"]: one["reason"] for one in api.list("Event", namespace)
            if one["involvedObject"]["kind"] == KIND}, lambda seen: len(seen) == 4)
    assert events == {"good": "AnalysisRunSuccessful", "bad": "AnalysisRunFailed",
                      "ill": "AnalysisRunError", "vague": "AnalysisRunError"}


def test_a_query_over_a_span_of_time_gives_the_samples_of_all_series(
        api: Api, namespace: str, world: World, operator: Callable[..., Operator]) -> None:
    operator(*FLAGS)
    span = {"start": 'now() - duration("{{args.span}}")', "end": "now()", "step": "5s"}
    two = ('label_replace(vector(1), "a", "x", "", "") or '
           'label_replace(vector(2), "a", "y", "", "")')
    args = {"args": [{"name": "span", "value": "10s"}]}
    create(api, namespace, "good", prometheus(world, two, rangeQuery=span), args,
           successCondition="len(result) == 6 && all(result, {# in [1, 2]})")
    create(api, namespace, "bad", prometheus(world, "vector(7)", rangeQuery=span), args,
           successCondition="all(result, {# < 7})")
    create(api, namespace, "ill", prometheus(world, "up", rangeQuery={**span, "end": "soon"}),
           args)
    create(api, namespace, "instant", prometheus(world, "vector(7)[10s:5s]"),
           successCondition="len(result) in [2, 3]")
    good, bad, ill = (wait_for_end(api, namespace, name) for name in ("good", "bad", "ill"))
    assert good["phase"] == "Successful", good
    assert measured(good)["measurements"][0]["value"] == "[1,1,1,2,2,2]"
    assert (bad["phase"], measured(bad)["measurements"][0]["value"]) == ("Failed", "[7,7,7]")
    assert ill["phase"] == "Error"
    assert "prometheus.rangeQuery.end: must be a time such as now()" in ill["message"]
    assert wait_for_end(api, namespace, "instant")["phase"] == "Successful"


def test_a_web_server_is_measured_by_what_it_says(
        api: Api, namespace: str, world: World, hook: HookServer,
        operator: Callable[..., Operator]) -> None:
    operator(*FLAGS)
    hook.answer(lambda _: Answer(200, b'{"data": {"ok": true, "load": 0.5, "errors": [0, 7]}}',
                                 {"Content-Type": "application/json"}))
    web = {"web": {"url": f"{hook.url}/health", "jsonPath": "{$.data}"}}
    create(api, namespace, "good", web, successCondition="result.ok && result.load < 1")
    create(api, namespace, "bad", web, successCondition="result.load > 1")
    assert wait_for_end(api, namespace, "good")["phase"] == "Successful"
    first = {"web": {"url": f"{hook.url}/health", "jsonPath": "{$.data.errors[*]}"}}
    create(api, namespace, "first", first, failureCondition="result != 0")
    assert wait_for_end(api, namespace, "bad")["phase"] == "Failed"
    seen = wait_for_end(api, namespace, "first")
    assert (seen["phase"], measured(seen)["measurements"][0]["value"]) == ("Successful", "0")


def test_a_job_is_a_measurement_and_goes_with_its_run(
        api: Api, namespace: str, world: World, operator: Callable[..., Operator]) -> None:
    operator(*FLAGS)
    create(api, namespace, "forbidden", job(), consecutiveErrorLimit=0)
    refused = wait_for_end(api, namespace, "forbidden")
    assert refused["phase"] == "Error"
    assert "sluice-analysis-jobs" in measured(refused)["measurements"][0]["message"]
    allow_jobs(api, namespace)
    create(api, namespace, "good", job(), {"ttlStrategy": {"secondsAfterCompletion": 1}})
    create(api, namespace, "bad", job("failing"))
    assert wait_for_end(api, namespace, "bad")["phase"] == "Failed"
    wait_for("the good run to have expired, with its Job",
             lambda: ([one["metadata"]["name"] for one in api.list(KIND, namespace)],
                      len(jobs_of(api, namespace))),
             lambda seen: sorted(seen[0]) == ["bad", "forbidden"] and seen[1] == 1)


def test_a_run_survives_an_operator_that_is_killed(
        api: Api, namespace: str, world: World, operator: Callable[..., Operator]) -> None:
    allow_jobs(api, namespace)
    first = operator(*FLAGS)
    create(api, namespace, "slow", prometheus(world, "vector(1)"), interval="1s", count=20,
           successCondition="result[0] == 1")
    create(api, namespace, "long", job("unending"))
    wait_for("measurements and a Job",
             lambda: (len(status(api, namespace, "slow").get("metricResults", [])),
                      len(jobs_of(api, namespace))), lambda seen: seen == (1, 1))
    made = [one["metadata"]["uid"] for one in jobs_of(api, namespace)]
    first.kill9()
    before = measured(status(api, namespace, "slow"))["count"]
    operator(*FLAGS)
    slow = wait_for_end(api, namespace, "slow")
    assert (slow["phase"], measured(slow)["count"]) == ("Successful", 20)
    assert before < 20
    assert [one["metadata"]["uid"] for one in jobs_of(api, namespace)] == made, "made once"
    api.patch(KIND, "long", {"spec": {"terminate": True}}, namespace)
    assert wait_for_end(api, namespace, "long")["phase"] == "Inconclusive"
    wait_for("the Job that was under way to be gone", lambda: jobs_of(api, namespace),
             lambda seen: not seen)
