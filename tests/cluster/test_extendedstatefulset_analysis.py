"""Canaries of an ExtendedStatefulSet that are judged by analyses of a real Prometheus."""

from __future__ import annotations

import re
from concurrent.futures import Future
from typing import Any

import pytest

from harness.api import ApiError, Object
from harness.places import REPOSITORY
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_A, IMAGE_B
from phased_world import Stories, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import KIND, LABEL, NAME, PREFIX, Extended, extended

TEMPLATE = "trouble"
RUN = "AnalysisRun"


class Judged(Extended):
    """With a template that asks Prometheus how much trouble there is."""

    def make_template(self, **metric: Any) -> None:
        provider = {"prometheus": {"address": self.world.prometheus.url,
                                   "query": 'last_over_time(trouble{story="{{args.story}}"}[5m])'}}
        self.api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisTemplate",
                         "metadata": {"name": TEMPLATE, "namespace": self.namespace},
                         "spec": {"args": [{"name": "story"}],
                                  "metrics": [{"name": "trouble", "provider": provider,
                                               "successCondition": "result[0] < 1", **metric}]}})

    def strategy(self, **fields: Any) -> Object:
        call = {"templates": [{"templateName": TEMPLATE}],
                "args": [{"name": "story", "value": self.namespace}]}
        return {"gates": {"analysis": call}, **fields}

    def runs(self, name: str = NAME) -> list[Object]:
        return self.api.list(RUN, self.namespace, {LABEL: name})


STORIES = Stories(Judged)


@STORIES.add
def the_example_of_the_document(s: Judged) -> None:
    text = (REPOSITORY / "docs/extendedstatefulset.md").read_text()
    section = text.split("## Canaries that are analysed")[1]
    example = re.search(r"```yaml\n(.*?)```", section, re.S)
    assert example
    manifest = example.group(1)
    for written, here in (("http://prometheus.monitoring:9090", s.world.prometheus.url),
                          ("interval: 30s", "interval: 1s")):
        assert written in manifest
        manifest = manifest.replace(written, here)
    s.api.kubectl("-n", s.namespace, "apply", "-f", "-", stdin=manifest)
    s.wait_for("the first version", lambda seen: seen.get("phase") == "Ready", "judged")
    assert s.runs("judged") == []
    s.api.patch(KIND, "judged", {"spec": {"template": {"spec": {"template": {"metadata": {
        "annotations": {"example.com/changed": "yes"}}}}}}}, s.namespace)
    told = s.wait_for("the second version", lambda seen: (
        seen.get("phase") == "Ready" and seen["versions"] == {"2": True}), "judged")
    (run,) = s.runs("judged")
    assert told["analysis"]["run"] == run["metadata"]["name"]
    assert re.fullmatch(r"judged-v2-[0-9a-f]{8}", run["metadata"]["name"])
    assert run["metadata"]["ownerReferences"][0]["kind"] == KIND
    assert run["metadata"]["labels"][f"{PREFIX}/version"] == "2"
    assert run["spec"]["args"] == [{"name": "version", "value": "2"}]
    assert run["status"]["metricResults"][0]["successful"] == 3
    s.wait_for_event("AnalysisRunning", "judged")


@STORIES.add
def a_good_canary_is_followed_by_the_others(s: Judged) -> None:
    s.trouble(0)
    s.make_template(interval="1s", count=45)
    s.begin(3, s.strategy())
    s.change_image(IMAGE_B)
    assert s.wait_for_reason("AnalysisRunning")["exposed"] == 1
    assert s.images(1) == [IMAGE_A] * 3 and s.images(2) == [IMAGE_B]
    s.wait_until_served(2)
    (run,) = s.runs()
    assert run["status"]["phase"] == "Successful"


@STORIES.add
def a_failed_canary_goes_and_each_attempt_has_a_run_of_its_own(s: Judged) -> None:
    s.trouble(5)
    s.make_template()
    s.begin(2, s.strategy(retryCount=1))
    s.change_image(IMAGE_B)
    told = s.wait_for("two attempts", lambda seen: (
        seen.get("reason") == "RolledBack" and seen.get("attempts") == 2), NAME)
    assert "AnalysisRun" in told["failure"]
    assert s.images(1) == [IMAGE_A] * 2 and s.images(2) == []
    assert [one["status"]["phase"] for one in s.runs()] == ["Failed", "Failed"]
    wait_for("the mark", lambda: s.sets()[f"{NAME}-v2"]["metadata"]["annotations"],
             lambda seen: "AnalysisRun" in seen.get(f"{PREFIX}/stale", ""))
    assert "Failed" in s.says("explain")
    s.wait_for_event("AnalysisRunFailed", NAME)
    s.trouble(0)
    s.says("retry")
    s.wait_until_served(2)
    assert len(s.runs()) == 3


@STORIES.add
def an_inconclusive_one_waits_for_a_person(s: Judged) -> None:
    s.trouble(2)
    s.make_template(failureCondition="result[0] > 3")
    s.begin(2, s.strategy())
    s.change_image(IMAGE_B)
    told = s.wait_for_reason("AnalysisRunInconclusive")
    assert f"sluice promote ests/{NAME}" in told["unblock"]
    stays("the canary alone", lambda: s.images(2), lambda seen: seen == [IMAGE_B])
    s.says("promote")
    s.wait_until_served(2)
    assert s.status(NAME)["analysis"]["accepted"]


@STORIES.add
def a_template_that_is_missing_is_named_and_taken_once_it_is_there(s: Judged) -> None:
    s.trouble(0)
    s.begin(2, s.strategy())
    s.change_image(IMAGE_B)
    told = s.wait_for_reason("InvalidSpec")
    assert f"AnalysisTemplate {TEMPLATE}: does not exist" in told["message"]
    assert list(s.sets()) == [f"{NAME}-v1"], "no canary that nobody could judge"
    s.make_template()
    s.wait_until_served(2)


@STORIES.add
def another_template_ends_the_run_of_the_one_before(s: Judged) -> None:
    s.trouble(0)
    s.make_template(interval="1s", count=600)
    s.begin(2, s.strategy())
    s.change_image(IMAGE_B)
    s.wait_for_reason("AnalysisRunning")
    wait_for("the run", s.runs, lambda seen: len(seen) == 1)
    s.api.patch("AnalysisTemplate", TEMPLATE,
                {"spec": {"metrics": [{**s.api.get("AnalysisTemplate", TEMPLATE, s.namespace)
                                       ["spec"]["metrics"][0], "count": 1}]}}, s.namespace)
    s.change_image(IMAGE_A)
    s.wait_until_served(3)
    ended = [one for one in s.runs() if one["spec"].get("terminate")]
    assert [one["metadata"]["labels"][f"{PREFIX}/version"] for one in ended] == ["2"]


@pytest.mark.parametrize("call, path", [
    ({"templates": []}, "gates.analysis.templates"),
    ({"templates": [{"templateName": "A_B"}]}, "templateName"),
    ({"templates": [{"templateName": "a"}], "args": [{"name": "b", "valueFrom": {}}]},
     "exactly one of podTemplateHashValue and fieldRef"),
    ({"templates": [{"templateName": "a"}],
      "args": [{"name": "b", "value": "c", "valueFrom": {"podTemplateHashValue": "Latest"}}]},
     "a value or a valueFrom, not both"),
])
def test_what_can_never_be_asked_is_refused(world, call: Object, path: str) -> None:  # noqa: F811
    with pytest.raises(ApiError, match=path):
        world.api.create(extended("default", 1, {"gates": {"analysis": call}}))


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()
