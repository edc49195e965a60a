"""The definitions of templates and runs on a real API server: objects of Argo Rollouts apply as
they are, and what is wrong is refused with a sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest

from definitions import (GONE, assert_every_rule_speaks, assert_one_sentence, assert_refused,
                         changed_object, examples_in, schema_of, serve, unbounded, undescribed)
from harness.api import Api, Object

KINDS = {"analysistemplates.argoproj.io": "AnalysisTemplate",
         "clusteranalysistemplates.argoproj.io": "ClusterAnalysisTemplate",
         "analysisruns.argoproj.io": "AnalysisRun"}

TEMPLATE = """\
apiVersion: argoproj.io/v1alpha1
kind: AnalysisTemplate
metadata:
  name: success-rate
  namespace: default
spec:
  args:
    - name: service
    - name: token
      valueFrom:
        secretKeyRef: {name: prometheus, key: token}
  metrics:
    - name: success-rate
      interval: 5m
      count: "{{args.count}}"
      successCondition: result[0] >= 0.95
      failureLimit: 3
      provider:
        prometheus:
          address: http://prometheus:9090
          query: sum(rate(good{service="{{args.service}}"}[5m]))
"""
FULL: Object = {
    "args": [{"name": "a", "value": "b"},
             {"name": "c", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['r']"}}}],
    "metrics": [
        {"name": "p", "initialDelay": "30s", "interval": "{{args.i}}", "count": 0,
         "failureCondition": "result[0] < 0.5", "failureLimit": -1, "inconclusiveLimit": "2",
         "consecutiveErrorLimit": "{{args.e}}", "consecutiveSuccessLimit": 4,
         "provider": {"prometheus": {
             "query": "up", "timeout": 40, "insecure": True,
             "headers": [{"key": "X-Scope-OrgID", "value": "a"}],
             "rangeQuery": {"start": "now() - duration('5m')", "end": "now()", "step": "1m"},
             "authentication": {"sigv4": {"region": "x"}, "oauth2": {}}}}},
        {"name": "w", "provider": {"web": {
            "url": "http://shop/{{args.a}}", "method": "POST", "jsonBody": {"a": {"b": [1]}},
            "jsonPath": "{$.data.ok}", "timeoutSeconds": 20, "insecure": False,
            "headers": [{"key": "Authorization", "value": "Bearer {{args.t}}"}],
            "authentication": {"later": {"a": 1}, "oauth2": {
                "tokenUrl": "http://x", "clientId": "a", "clientSecret": "{{args.s}}",
                "scopes": ["b"]}}}}},
        {"name": "j", "count": 1, "provider": {"job": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"backoffLimit": 1, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}},
        *({"name": name, "provider": {name: {"query": "q", "deep": {"er": [1]}}}} for name in (
            "kayenta", "datadog", "wavefront", "newRelic", "cloudWatch", "graphite", "influxdb",
            "skywalking", "plugin"))],
    "dryRun": [{"metricName": "*"}],
    "measurementRetention": [{"metricName": "p", "limit": 100}],
}


@pytest.fixture(scope="module", autouse=True)
def definitions(api: Api) -> None:
    for name, kind in KINDS.items():
        serve(api, name, kind)


def changed(values: dict[str, Any]) -> Object:
    return changed_object(TEMPLATE, values)


def metric(**fields: Any) -> dict[str, Any]:
    """The template with one metric; provider=GONE leaves the provider out."""
    whole = {"name": "m", "provider": {"prometheus": {"query": "up"}}, **fields}
    return {"spec.metrics": [{key: value for key, value in whole.items() if value is not GONE}]}


def web(**fields: Any) -> dict[str, Any]:
    return metric(provider={"web": {"url": "http://x", **fields}})


def prometheus(**fields: Any) -> dict[str, Any]:
    return metric(provider={"prometheus": {"query": "up", **fields}})


def span(step: Any) -> dict[str, Any]:
    return prometheus(rangeQuery={"start": "now()", "end": "now()", "step": step})


def test_the_examples_of_our_own_page_apply(api: Api) -> None:
    for one in examples_in("docs/rolloutplugin.md", "AnalysisTemplate"):
        api.create(one, dry_run=True)


def test_a_template_applies_as_it_is(api: Api, namespace: str) -> None:
    text = TEMPLATE.replace("namespace: default", f"namespace: {namespace}")
    said = api.kubectl("apply", "-f", "-", stdin=text)
    assert said == "analysistemplate.argoproj.io/success-rate created\n"
    assert api.get("AnalysisTemplate", "success-rate", namespace)["spec"] == changed({})["spec"]
    assert "success-rate" in api.kubectl("-n", namespace, "get", "at")


@pytest.mark.parametrize("kind", ["AnalysisTemplate", "ClusterAnalysisTemplate", "AnalysisRun"])
def test_every_field_of_argo_rollouts_is_kept(api: Api, kind: str) -> None:
    whole = changed({"kind": kind, "spec": FULL})
    if kind == "ClusterAnalysisTemplate":
        del whole["metadata"]["namespace"]
    assert api.create(whole, dry_run=True)["spec"] == FULL


@pytest.mark.parametrize("fields", [
    {"count": 3, "failureLimit": 3}, {"count": "10", "failureLimit": 9},
    {"count": 0, "failureLimit": 3}, {"count": 2, "failureLimit": "{{args.limit}}"},
    {"count": "{{args.count}}", "inconclusiveLimit": 7},
    {"failureLimit": -1, "consecutiveSuccessLimit": 1},
    {"failureLimit": "-1", "consecutiveSuccessLimit": "{{args.limit}}"},
], ids=str)
def test_limits_with_which_a_metric_can_fail_are_taken(api: Api, fields: dict[str, Any]) -> None:
    api.create(changed(metric(interval="1s", **fields)), dry_run=True)


def test_a_template_may_only_name_others(api: Api) -> None:
    spec = {"templates": [{"templateName": "a"}, {"templateName": "b", "clusterScope": True}]}
    assert api.create(changed({"spec": spec}), dry_run=True)["spec"] == spec


METRIC = "spec.metrics[0]"
BAD: list[tuple[dict[str, Any], str, str]] = [
    (metric(provider=GONE), METRIC + ".provider", "Required value"),
    (metric(name=""), METRIC + ".name", "at least 1 chars"),
    (metric(interval=5), METRIC + ".interval", "must be of type string"),
    (metric(count=True), METRIC + ".count", "must be of type integer,string"),
    (metric(provider={"prometheus": {}}), METRIC + ".provider.prometheus.query", "Required value"),
    (metric(provider={"web": {}}), METRIC + ".provider.web.url", "Required value"),
    (prometheus(rangeQuery={}), METRIC + ".provider.prometheus.rangeQuery.start",
     "Required value"),
    (web(method="DELETE"), METRIC + ".provider.web.method", "Unsupported value"),
    (metric(provider={"job": {"spec": {}}}), METRIC + ".provider.job.spec.template", "Required"),
    ({"spec.metrics": metric()["spec.metrics"] * 2}, "spec.metrics[1]", "Duplicate value"),
    ({"spec.args": [{"name": "a"}] * 2}, "spec.args[1]", "Duplicate value"),
    ({"spec.dryRun": [{}]}, "spec.dryRun[0].metricName", "Required value"),
    ({"spec.measurementRetention": [{"metricName": "a"}]}, "spec.measurementRetention[0].limit",
     "Required value"),
]

NUMBER = "or hold an argument such as {{args.limit}}."
DURATION = "must be a duration of at most 720h"
RULES: list[tuple[dict[str, Any], str, str]] = [
    ({"spec": {}}, "spec.metrics", "metrics is required, unless templates brings some."),
    ({"spec": {"metrics": [], "templates": []}}, "spec.metrics", "metrics is required"),
    (metric(count=2), METRIC + ".interval", "interval is required where count is more than 1."),
    (metric(count="2", interval=""), METRIC + ".interval", "interval is required"),
    *((metric(interval=text), METRIC + ".interval", DURATION) for text in (
        "5", "-5s", "1d", "721h", "5 m")),
    (metric(initialDelay="soon"), METRIC + ".initialDelay", DURATION),
    *((metric(interval="1s", count=number), METRIC + ".count", NUMBER) for number in (
        -1, 100001, "many", "-1", "1.5")),
    *((metric(failureLimit=number), METRIC + ".failureLimit", NUMBER)
      for number in (-2, 100001, "x", "-2")),
    *((metric(**{key: number}), f"{METRIC}.{key}", NUMBER) for number in (-1, 100001, "x", "-1")
      for key in ("inconclusiveLimit", "consecutiveErrorLimit", "consecutiveSuccessLimit")),
    *((metric(failureLimit=number, **more), METRIC + ".failureLimit",
       "a failureLimit of -1 needs a consecutiveSuccessLimit, or the metric could not fail.")
      for number in (-1, "-1") for more in (
          {}, {"consecutiveSuccessLimit": 0}, {"consecutiveSuccessLimit": "0"})),
    *((metric(interval="1s", count=count, **{key: limit}), METRIC + ".count",
       "count must not be less than failureLimit or inconclusiveLimit.")
      for count, limit in ((2, 3), ("2", 3), (2, "3"), ("9", "10"))
      for key in ("failureLimit", "inconclusiveLimit")),
    *((metric(provider=provider), METRIC + ".provider", "provider must have exactly one entry")
      for provider in ({}, {"frobnicate": {}}, {"datadog": {}, "plugin": {}})),
    (web(method="PUT", body="a", jsonBody={}), METRIC + ".provider.web.jsonBody",
     "body and jsonBody exclude each other; leave one of them out."),
    (web(body="a"), METRIC + ".provider.web.method", "a body needs the method POST or PUT."),
    (web(method="GET", jsonBody={}), METRIC + ".provider.web.method", "a body needs the method"),
    *((asked(authentication={"oauth2": client}),
       f"{METRIC}.provider.{name}.authentication.oauth2",
       "oauth2 needs tokenUrl, clientId and clientSecret.")
      for name, asked in (("prometheus", prometheus), ("web", web))
      for client in ({"tokenUrl": "http://x"}, {"clientId": "a", "clientSecret": "b"},
                     {"tokenUrl": "", "clientId": "a", "clientSecret": "b"})),
    *((span(step), METRIC + ".provider.prometheus.rangeQuery.step",
       "step must be a duration of at least 1ms") for step in ("1", "0s", "1us", "721h")),
    ({"spec.args": [{"name": "a", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "c"}}}]},
     "spec.args[0].valueFrom", "an argument has a value or a valueFrom, not both"),
    ({"spec.args": [{"name": "a", "valueFrom": {}}]}, "spec.args[0].valueFrom",
     "valueFrom must have exactly one of secretKeyRef and fieldRef."),
]


@pytest.mark.parametrize("values, field, sentence", BAD, ids=lambda case: str(case)[:60])
def test_bad_values_are_refused_by_name(api: Api, values: dict[str, Any], field: str,
                                        sentence: str) -> None:
    assert_refused(api, changed(values), field, sentence)


@pytest.mark.parametrize("values, field, sentence", RULES, ids=lambda case: str(case)[:60])
def test_each_rule_says_one_sentence(api: Api, values: dict[str, Any], field: str,
                                     sentence: str) -> None:
    assert_one_sentence(api, changed(values), field, sentence)


@pytest.mark.parametrize("name", KINDS)
def test_every_rule_of_the_definitions_is_hit(api: Api, name: str) -> None:
    assert_every_rule_speaks(api, name, (changed(values) for values, _, _ in RULES))


@pytest.mark.parametrize("name", KINDS)
def test_every_field_has_a_bound_and_every_setting_a_description(api: Api, name: str) -> None:
    properties = schema_of(api, name)["properties"]
    for part in ("spec", "status"):
        assert unbounded(properties.get(part, {}), part) == []
    assert undescribed(properties["spec"], "spec") == []


def test_spec_and_status_of_a_run_are_written_together(api: Api, namespace: str) -> None:
    now = "2026-01-31T12:00:00Z"
    summary = {"count": 1, "successful": 1, "failed": 0, "inconclusive": 0, "error": 0}
    status = {
        "phase": "Running", "message": "", "startedAt": now, "completedAt": now,
        "runSummary": summary, "dryRunSummary": summary, "later": {"versions": 1},
        "metricResults": [{
            "name": "m", "phase": "Running", "message": "", "dryRun": True, "count": 1,
            "successful": 1, "failed": 0, "inconclusive": 0, "error": 0, "consecutiveError": 0,
            "consecutiveSuccess": 1, "metadata": {"query": "up"},
            "measurements": [{"phase": "Successful", "message": "", "startedAt": now,
                              "finishedAt": now, "resumeAt": now, "value": "[1]",
                              "metadata": {"job-name": "j"}}]}]}
    run = changed({"kind": "AnalysisRun", "metadata.namespace": namespace, "status": status})
    assert api.create(run)["status"] == status
    body = {"spec": {"terminate": True, "ttlStrategy": {"secondsAfterCompletion": 60}},
            "status": {"phase": "Successful"}}
    after = api.patch("AnalysisRun", "success-rate", body, namespace)
    assert after["spec"]["terminate"] is True and after["status"]["phase"] == "Successful"
    head, row = api.kubectl("-n", namespace, "get", "ar").splitlines()
    assert head.split() == ["NAME", "STATUS", "AGE"]
    assert row.split()[:2] == ["success-rate", "Successful"]
