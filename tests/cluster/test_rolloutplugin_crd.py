"""The definition of RolloutPlugin on a real API server, without the operator: the document's
example applies, and what is wrong is refused with a sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from definitions import (GONE, assert_bounded_and_described, assert_every_rule_speaks,
                         assert_one_sentence, assert_refused, changed_object, examples_in,
                         schema_of, serve)
from harness.api import Api, ApiError, Object
from harness.places import REPOSITORY

SAMPLE = REPOSITORY / "config/samples/rolloutplugin.yaml"  # the document's own
EXAMPLE = SAMPLE.read_text().split("---")[-1].replace(
    "namespace: argo-rollouts", "namespace: default")

KIND, NAME = "RolloutPlugin", "my-statefulset-rollout"
DEFINITION = "rolloutplugins.argoproj.io"
CANARY = "spec.strategy.canary"
STEPS = CANARY + ".steps"
STEP = STEPS + "[0]"
BACKGROUND = CANARY + ".analysis"
PLUGIN = "spec.plugin"
WORKLOAD = "spec.workloadRef"
CALL = {"templates": [{"templateName": "errors"}]}


@pytest.fixture(scope="module", autouse=True)
def definition(api: Api) -> None:
    serve(api, DEFINITION, KIND)


def changed(values: dict[str, Any]) -> Object:
    return changed_object(EXAMPLE, values)


def step(value: Any) -> dict[str, Any]:
    return {STEPS: [value, {"setWeight": 100}]}


def pause(duration: Any) -> dict[str, Any]:
    return step({"pause": {"duration": duration}})


@pytest.mark.parametrize("page", ["README.md", "docs/rolloutplugin.md"])
def test_the_examples_of_our_own_pages_apply(api: Api, page: str) -> None:
    for one in examples_in(page, KIND):
        api.create(one, dry_run=True)


def test_the_example_of_the_document_applies(api: Api, namespace: str) -> None:
    text = EXAMPLE.replace("namespace: default", f"namespace: {namespace}")
    said = api.kubectl("apply", "-f", "-", stdin=text)
    assert said == f"rolloutplugin.argoproj.io/{NAME} created\n"
    wanted = yaml.safe_load(text)["spec"]
    wanted["strategy"]["type"] = "Canary"
    wanted["onFailure"] = "Hold"
    assert api.get(KIND, NAME, namespace)["spec"] == wanted
    again = api.kubectl("apply", "-f", "-", stdin=text)
    assert again == f"rolloutplugin.argoproj.io/{NAME} unchanged\n"


GOOD: list[dict[str, Any]] = [
    # The first generation
    {"spec.paused": True, "spec.progressDeadlineSeconds": 900, "spec.progressDeadlineAbort": True,
     "spec.minReadySeconds": 10, "spec.restartAt": 8, "spec.strategy.type": "",
     PLUGIN: {"name": "statefulset", "url": "builtin://statefulset", "sha256": "aB" * 32,
              "verify": True, "config": {"colour": "red"}},
     "spec.analysis": {"successfulRunHistoryLimit": 0, "unsuccessfulRunHistoryLimit": 100}},
    # The second
    {PLUGIN + ".config": {"timeoutSeconds": 30, "timeoutAbort": True, "deep": {"er": [1, "a"]}},
     PLUGIN + ".name": "argoproj/statefulset",
     BACKGROUND: {**CALL, "startingStep": 8}, "spec.onFailure": "Rollback"},
    step({"analysis": {
        "templates": [{"templateName": "a"}, {"templateName": "b.c", "clusterScope": True}],
        "args": [{"name": "a", "value": ""}, {"name": "b"},
                 {"name": "c", "valueFrom": {"podTemplateHashValue": "Stable"}},
                 {"name": "d", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "dryRun": [{"metricName": "*"}],
        "measurementRetention": [{"metricName": "a", "limit": 0}],
        "analysisRunMetadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}}),
    *(pause(duration) for duration in (
        0, 30, 2592000, "30", "0", "2592000", "5m", "1h30m", "1.5h", "300ms", "720h", "10us",
        "10µs", "5ns", "1m0.5s")),
    step({"pause": {}}), step({"setWeight": 0}), step({"setWeight": 100}),
    {STEPS: GONE}, {STEPS: []}, {STEPS: [{"setWeight": 1}] * 100},
    {PLUGIN: {"name": "acme/cache", "url": "https://plugins.example/cache"},
     WORKLOAD + ".kind": "Cache", WORKLOAD + ".apiVersion": "acme.example/v1"},
    {PLUGIN + ".url": "", PLUGIN + ".sha256": "", PLUGIN + ".verify": False},
    {PLUGIN + ".config": {"timeoutSeconds": 30}, "spec.progressDeadlineSeconds": 30},
    {WORKLOAD + ".namespace": GONE}, {WORKLOAD + ".namespace": ""},
    {BACKGROUND: {**CALL, "startingStep": 0}, STEPS: GONE},
]


@pytest.mark.parametrize("values", GOOD, ids=lambda values: str(values)[:60])
def test_good_values_are_taken(api: Api, values: dict[str, Any]) -> None:
    stored = api.create(changed(values), dry_run=True)["spec"]
    wanted = changed(values)["spec"]
    wanted["strategy"].setdefault("type", "Canary")
    wanted.setdefault("onFailure", "Hold")
    assert stored == wanted, "nothing is dropped"


# What is changed, the field that the refusal must name, and a part of its sentence.
BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"spec": GONE}, "spec", "Required value"),
    ({WORKLOAD: GONE}, WORKLOAD, "Required value"),
    ({WORKLOAD + ".name": GONE}, WORKLOAD + ".name", "Required value"),
    ({WORKLOAD + ".name": "Web"}, WORKLOAD + ".name", "should match"),
    ({WORKLOAD + ".kind": ""}, WORKLOAD + ".kind", "at least 1 chars"),
    ({WORKLOAD + ".apiVersion": GONE}, WORKLOAD + ".apiVersion", "Required value"),
    ({WORKLOAD + ".namespace": "a.b"}, WORKLOAD + ".namespace", "should match"),
    ({PLUGIN: GONE}, PLUGIN, "Required value"),
    ({PLUGIN + ".name": ""}, PLUGIN + ".name", "at least 1 chars"),
    ({PLUGIN + ".sha256": "abc"}, PLUGIN + ".sha256", "should match"),
    ({PLUGIN + ".config": "a=b"}, PLUGIN + ".config", "must be of type object"),
    ({PLUGIN + ".config": {f"k{i}": i for i in range(65)}}, PLUGIN + ".config", "Too many"),
    ({PLUGIN + ".config": {"timeoutSeconds": 0}}, PLUGIN + ".config.timeoutSeconds", "equal to 1"),
    ({"spec.strategy": GONE}, "spec.strategy", "Required value"),
    ({CANARY: GONE}, CANARY, "Required value"),
    ({"spec.strategy.type": "BlueGreen"}, "spec.strategy.type", 'supported values: "", "Canary"'),
    ({STEPS: [{"setWeight": 1}] * 101}, STEPS, "Too many"),
    (step({"setWeight": 101}), STEP + ".setWeight", "less than or equal to 100"),
    (step({"setWeight": -1}), STEP + ".setWeight", "greater than or equal to 0"),
    (step({"setWeight": "20"}), STEP + ".setWeight", "must be of type integer"),
    (step({"pause": 5}), STEP + ".pause", "must be of type object"),
    (pause(True), STEP + ".pause.duration", "must be of type integer,string"),
    (pause("1" * 65), STEP + ".pause.duration", "Too long"),
    (step({"analysis": {}}), STEP + ".analysis.templates", "Required value"),
    (step({"analysis": {"templates": []}}), STEP + ".analysis.templates", "at least 1 items"),
    (step({"analysis": {**CALL, "args": [{"name": "a"}] * 2}}), STEP + ".analysis.args[1]",
     "Duplicate value"),
    ({BACKGROUND: {**CALL, "startingStep": -1}}, BACKGROUND + ".startingStep", "or equal to 0"),
    ({BACKGROUND: {**CALL, "dryRun": [{}]}}, BACKGROUND + ".dryRun[0].metricName", "Required"),
    ({"spec.onFailure": "Retry"}, "spec.onFailure", 'supported values: "Hold", "Rollback"'),
    ({"spec.paused": "yes"}, "spec.paused", "must be of type boolean"),
    ({"spec.minReadySeconds": 86401}, "spec.minReadySeconds", "less than or equal to 86400"),
    ({"spec.progressDeadlineSeconds": 0}, "spec.progressDeadlineSeconds", "or equal to 1"),
    ({"spec.analysis": {"successfulRunHistoryLimit": -1}},
     "spec.analysis.successfulRunHistoryLimit", "or equal to 0"),
]

LONG = "duration must be at most 30 days"
CONTRADICT = "the two contradict each other; leave one of them out."
SERVED = "are not served; a step is setWeight, pause or analysis."
ONE = "a step must have exactly one of setWeight, pause and analysis."

# Every rule in CEL, with its sentence.
RULES: list[tuple[dict[str, Any], str, str]] = [
    ({"spec.restartAt": 9}, "spec.restartAt", "must be the number of a step, counted from 0."),
    ({"spec.restartAt": 0, STEPS: GONE}, "spec.restartAt", "must be the number of a step"),
    ({WORKLOAD + ".kind": "DaemonSet"}, WORKLOAD, "must name a StatefulSet of apps/v1"),
    ({WORKLOAD + ".apiVersion": "apps/v1beta1"}, WORKLOAD, "which is what this plugin moves."),
    ({PLUGIN + ".config": {"timeoutSeconds": 7}, "spec.progressDeadlineSeconds": 8},
     "spec.progressDeadlineSeconds", CONTRADICT),
    ({PLUGIN + ".config": {"timeoutAbort": True}, "spec.progressDeadlineAbort": False},
     "spec.progressDeadlineAbort", CONTRADICT),
    ({PLUGIN + ".verify": True}, PLUGIN + ".sha256", "sha256 is required where verify is true."),
    ({PLUGIN + ".url": "ftp://x"}, PLUGIN + ".url",
     "url must begin with builtin://, file://, http:// or https://."),
    ({"spec.strategy.blueGreen": {"activeService": "a"}}, "spec.strategy.blueGreen",
     "blueGreen is not served; the strategy is canary."),
    ({BACKGROUND: {**CALL, "startingStep": 9}}, BACKGROUND + ".startingStep", "would never begin."),
    *((step({key: {}}), STEP, SERVED) for key in (
        "setCanaryScale", "experiment", "setHeaderRoute", "setMirrorRoute", "plugin")),
    (step({"setWeight": 20, "plugin": {"name": "x"}}), STEP, SERVED),
    (step({}), STEP, ONE),
    (step({"pause": None}), STEP, ONE),
    (step({"frobnicate": {"a": 1}}), STEP, ONE),
    (step({"setWeight": 20, "pause": {}}), STEP, ONE),
    *((pause(duration), STEP + ".pause.duration", LONG) for duration in (
        -1, 2592001, "", "5 m", "-5m", "1d", "721h", "2592001", "99999999", "1e3s", ".5s",
        "99999h99999h99999h99999h99999h99999h99999h99999h")),
    (step({"analysis": {**CALL, "args": [{"name": "a", "value": "b", "valueFrom": {
        "podTemplateHashValue": "Latest"}}]}}), STEP + ".analysis.args[0].valueFrom",
     "an argument has a value or a valueFrom, not both"),
    (step({"analysis": {**CALL, "args": [{"name": "a", "valueFrom": {}}]}}),
     STEP + ".analysis.args[0].valueFrom", "exactly one of podTemplateHashValue and fieldRef."),
    ({BACKGROUND: {**CALL, "args": [{"name": "a", "valueFrom": {}}]}},
     BACKGROUND + ".args[0].valueFrom", "exactly one of podTemplateHashValue and fieldRef."),
]


@pytest.mark.parametrize("values, field, sentence", BAD, ids=lambda case: str(case)[:60])
def test_bad_values_are_refused_by_name(api: Api, values: dict[str, Any], field: str,
                                        sentence: str) -> None:
    assert_refused(api, changed(values), field, sentence)


@pytest.mark.parametrize("values, field, sentence", RULES, ids=lambda case: str(case)[:60])
def test_each_rule_says_one_sentence(api: Api, values: dict[str, Any], field: str,
                                     sentence: str) -> None:
    assert_one_sentence(api, changed(values), field, sentence)


def test_every_rule_of_the_definition_is_hit(api: Api) -> None:
    assert_every_rule_speaks(api, DEFINITION, (changed(values) for values, _, _ in RULES))


def test_every_field_has_a_bound_and_every_setting_a_description(api: Api) -> None:
    assert_bounded_and_described(api, DEFINITION)


def test_an_analysis_is_the_same_in_a_step_and_beside_them(api: Api) -> None:
    canary = schema_of(api, DEFINITION)["properties"]["spec"]["properties"]["strategy"][
        "properties"]["canary"]["properties"]
    beside = dict(canary["analysis"]["properties"])
    del beside["startingStep"]
    assert canary["steps"]["items"]["properties"]["analysis"]["properties"] == beside


def test_kubectl_refuses_a_field_that_does_not_exist(api: Api) -> None:
    wrong = EXAMPLE.replace("setWeight: 40", "setWait: 40")
    with pytest.raises(Exception, match=r'unknown field "spec.strategy.canary.steps\[2\].setWait"'):
        api.kubectl("create", "--validate=strict", "--dry-run=server", "-f", "-", stdin=wrong)


NOW = "2026-01-31T12:00:00Z"
REPORT: Object = {
    "phase": "Paused", "reason": "Paused", "message": "Step 1 waits.", "unblock": "A person.",
    "since": NOW, "observedGeneration": 1, "guarantee": "Prevent", "currentRevision": "web-1",
    "updatedRevision": "web-2", "currentStepIndex": 1, "currentStepComplete": True,
    "initialized": True, "rolloutInProgress": True, "paused": True, "pauseStartTime": NOW,
    "controllerPause": True, "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": NOW}],
    "aborted": True, "abortedRevision": "web-0", "abortedAt": NOW, "restartCount": 1,
    "restartedAt": NOW, "restartAtGeneration": 1, "retryAttempt": 1, "replicas": 5,
    "updatedReplicas": 1, "readyReplicas": 5, "availableReplicas": 5,
    "pluginStatus": {"colour": "red"},
    "canary": {"currentStepAnalysisRunStatus": {"name": "a", "status": "Running", "message": ""},
               "currentBackgroundAnalysisRunStatus": {"name": "b", "status": "Pending"}},
    "rollout": {"id": 1, "workloadUID": "u", "partition": 4, "weight": 20, "pod": "web-3",
                "definition": "00ff", "startedAt": NOW, "stepStartedAt": NOW, "completedAt": NOW},
    "conditions": [{"type": "Progressing", "status": "Unknown", "reason": "RolloutPluginPaused",
                    "message": "", "lastUpdateTime": NOW, "lastTransitionTime": NOW}],
}


def reported(api: Api, namespace: str, status: Object, **how: Any) -> Object:
    return api.patch(KIND, NAME, {"status": status}, namespace, subresource="status", **how)


@pytest.fixture
def stored(api: Api, namespace: str) -> str:
    api.create(changed({"metadata.namespace": namespace, WORKLOAD + ".namespace": GONE}))
    reported(api, namespace, REPORT)
    return namespace


def test_status_and_spec_are_written_apart(api: Api, stored: str) -> None:
    assert api.get(KIND, NAME, stored)["status"] == REPORT, "every field of the report is kept"
    body = {"spec": {"paused": True}, "status": {"phase": "Failed"}}
    after = api.patch(KIND, NAME, body, stored, subresource="status")
    assert "paused" not in after["spec"] and after["metadata"]["generation"] == 1
    after = api.patch(KIND, NAME, body, stored)
    assert after["spec"]["paused"] is True and after["metadata"]["generation"] == 2


@pytest.mark.parametrize("command, gone", [
    ({"abort": True}, []), ({"promoteFull": True}, []), ({"restart": True}, []),
    ({"pauseConditions": None}, ["pauseConditions"]),
    ({"paused": False, "pauseStartTime": None}, ["pauseStartTime"]),
    ({"abort": False}, []),
], ids=str)
def test_the_commands_of_a_person_are_taken(api: Api, stored: str, command: Object,
                                            gone: list[str]) -> None:
    status = reported(api, stored, command)["status"]
    wanted = {**REPORT, **{key: value for key, value in command.items() if value is not None}}
    assert status == {key: value for key, value in wanted.items() if key not in gone}


def test_an_edited_status_may_hold_nulls(api: Api, stored: str) -> None:
    whole = api.get(KIND, NAME, stored)
    nulls = ("pauseConditions", "pauseStartTime", "currentStepIndex", "abortedAt", "restartedAt")
    whole["status"].update(dict.fromkeys(nulls))
    status = api.replace(whole, subresource="status")["status"]
    assert [status[key] for key in nulls] == [None] * len(nulls)


@pytest.mark.parametrize("status, field", [
    ({"message": "x" * 1025}, "status.message"), ({"since": "yesterday"}, "status.since"),
    ({"currentStepIndex": 101}, "status.currentStepIndex"), ({"abort": "true"}, "status.abort"),
    ({"replicas": -1}, "status.replicas"),
    ({"pauseConditions": [{"reason": "x"}]}, "status.pauseConditions[0].startTime"),
    ({"conditions": [{"type": "Healthy", "status": "yes"}]}, "status.conditions[0].status"),
    ({"conditions": REPORT["conditions"] * 2}, "status.conditions[1]"),
    ({"canary": {"currentStepAnalysisRunStatus": {"name": None}}},
     "status.canary.currentStepAnalysisRunStatus.name"),
], ids=lambda value: str(value)[:40])
def test_a_report_beyond_its_bounds_is_refused(api: Api, stored: str, status: Object,
                                               field: str) -> None:
    with pytest.raises(ApiError) as refused:
        reported(api, stored, status)
    assert refused.value.status == 422 and f"{field}: " in refused.value.message


def test_kubectl_get_says_where_it_stands(api: Api, stored: str) -> None:
    for word in ("rolloutplugins", "rolloutplugin", "rp"):
        head, row = api.kubectl("-n", stored, "get", word).splitlines()
        assert head.split() == ["NAME", "STATUS", "STRATEGY", "STEP", "PLUGIN", "AGE"]
        assert row.split()[:-1] == [NAME, "Paused", "Canary", "1", "statefulset-plugin"]
    assert "Step 1 waits." in api.kubectl("-n", stored, "get", "rp", "-o", "wide")
