"""RolloutPlugins whose steps hang on analyses of a real Prometheus."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from analysis_world import Analysed
from harness.api import Object
from harness.waiting import wait_for
from harness.workloads import IMAGE_B
from phased_world import NAME, Stories, running, world

TEMPLATE = "trouble"


class Troubled(Analysed):
    """With a template that asks Prometheus how much trouble there is."""

    def make_template(self, **fields: Any) -> None:
        provider = {"prometheus": {"address": self.world.prometheus.url,
                                   "query": 'last_over_time(trouble{story="{{args.story}}"}[5m])'}}
        self.create_template(TEMPLATE, args=[{"name": "story"}], **{
            "provider": provider, "successCondition": "result[0] < 1", **fields})

    def call(self) -> Object:
        return {"templates": [{"templateName": TEMPLATE}],
                "args": [{"name": "story", "value": self.namespace}]}


STORIES = Stories(Troubled)


@STORIES.add
def a_good_analysis_lets_the_rollout_go_on(s: Troubled) -> None:
    s.trouble(0)
    s.make_template(interval="1s", count=3)
    s.begin_steps([{"setWeight": 20}, {"analysis": s.call()}, {"setWeight": 100}])
    s.change(IMAGE_B)
    s.finish(IMAGE_B)
    (run,) = s.runs()
    assert run["status"]["phase"] == "Successful"
    assert run["status"]["metricResults"][0]["successful"] == 3
    assert run["metadata"]["labels"]["step-index"] == "1"
    assert run["metadata"]["ownerReferences"][0]["name"] == NAME


@STORIES.add
def a_failed_analysis_aborts(s: Troubled) -> None:
    s.trouble(5)
    s.make_template()
    s.begin_steps([{"setWeight": 40}, {"analysis": s.call()}, {"setWeight": 100}])
    s.change(IMAGE_B)
    s.wait_until_taken_back()
    assert s.runs()[0]["status"]["phase"] == "Failed"
    s.wait_for_events("AnalysisRunFailed")


@STORIES.add
def an_analysis_that_only_errs_aborts(s: Troubled) -> None:
    s.make_template(successCondition="result[0] < 1", consecutiveErrorLimit=0)
    s.begin_steps([{"setWeight": 20}, {"analysis": s.call()}, {"setWeight": 100}])
    s.change(IMAGE_B)
    s.wait_until_taken_back()
    assert s.runs()[0]["status"]["phase"] == "Error"


@STORIES.add
def an_inconclusive_analysis_rests_until_a_person_decides(s: Troubled) -> None:
    s.trouble(2)
    s.make_template(failureCondition="result[0] > 3")
    s.begin_steps([{"setWeight": 20}, {"analysis": s.call()}, {"setWeight": 100}])
    s.change(IMAGE_B)
    told = s.wait_for_pause(1)
    assert told["pauseConditions"][0]["reason"] == "InconclusiveAnalysisRun"
    assert told["canary"]["currentStepAnalysisRunStatus"]["status"] == "Inconclusive"
    s.command(pauseConditions=None)
    s.finish(IMAGE_B)


@STORIES.add
def an_analysis_in_the_background_aborts_in_mid_rollout(s: Troubled) -> None:
    s.trouble(0)
    s.make_template(interval="1s")
    s.begin_steps([{"setWeight": 20}, {"pause": {}}, {"setWeight": 100}],
                  background={**s.call(), "startingStep": 1})
    s.change(IMAGE_B)
    s.wait_for_pause(1)
    wait_for("the analysis to have begun", s.runs,
             lambda runs: runs and runs[0].get("status", {}).get("phase") == "Running", pause=0.2)
    s.trouble(5)
    s.wait_until_taken_back()


@STORIES.add
def a_template_that_is_missing_is_named_and_taken_once_it_is_there(s: Troubled) -> None:
    s.trouble(0)
    s.begin_steps([{"setWeight": 20}, {"analysis": s.call()}, {"setWeight": 100}])
    s.change(IMAGE_B)
    told = s.wait_for_phase("Failed", "InvalidSpec")
    assert f"AnalysisTemplate {TEMPLATE}" in told["message"]
    s.make_template()
    s.finish(IMAGE_B)


@STORIES.add
def a_provider_that_is_not_served_is_refused_by_name(s: Troubled) -> None:
    s.make_template(provider={"datadog": {"query": "x"}})
    s.begin_steps([{"setWeight": 20}, {"analysis": s.call()}, {"setWeight": 100}])
    s.change(IMAGE_B)
    assert "datadog" in s.wait_for_phase("Failed", "InvalidSpec")["message"]


@pytest.mark.parametrize("name", STORIES)
def test_story(running: dict[str, Future], name: str) -> None:
    running[name].result()
