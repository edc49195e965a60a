"""The definitions of ExtendedStatefulSet and ExtendedJob on a real API server, without the
operator: what is wrong is refused with a sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest

from definitions import (GONE, assert_bounded_and_described, assert_every_rule_speaks,
                         assert_is_one_sentence, assert_one_sentence, assert_refused,
                         changed_object, check_rules, name_of, refusal_of_change,
                         serve)
from harness.api import Api, Object
from harness.places import REPOSITORY

SAMPLES = REPOSITORY / "config/samples"
EXAMPLE = (SAMPLES / "extendedstatefulset.yaml").read_text()  # the document's own, with `az:`
JOB = (SAMPLES / "extendedjob.yaml").read_text()

KINDS = {"extendedstatefulsets.fissile.cloudfoundry.org": "ExtendedStatefulSet",
         "extendedjobs.fissile.cloudfoundry.org": "ExtendedJob",
         "statefulclusters.enge.me": "StatefulCluster"}
DEFINITION, JOB_DEFINITION = list(KINDS)[:2]

WHOLE = "<nil>"  # so the server calls the whole object
NAME = "metadata.name"
STRATEGY = "spec.updateStrategy"
GATES = STRATEGY + ".gates"
BLUE_GREEN = STRATEGY + ".blueGreen"
SET = "spec.template.spec"
REPLICAS = SET + ".replicas"
HISTORY = SET + ".revisionHistoryLimit"
CLAIMS = SET + ".volumeClaimTemplates"
CHECK = {"maxTries": 10, "query": {"expr": "up == 0", "url": "prom:9090"}}


@pytest.fixture(scope="module", autouse=True)
def definitions(api: Api) -> None:
    for name, kind in KINDS.items():
        serve(api, name, kind)


def changed(values: dict[str, Any]) -> Object:
    """The document's example with a check, and fields put in or, GONE, out."""
    return changed_object(EXAMPLE, {"metadata.namespace": "default", GATES: {"check": CHECK},
                                    **values})


def changed_job(values: dict[str, Any]) -> Object:
    return changed_object(JOB, {"metadata.namespace": "default", **values})


def claim(name: str = "data", mode: str = "ReadWriteOnce", size: str = "1Gi") -> Object:
    return {"metadata": {"name": name},
            "spec": {"accessModes": [mode], "resources": {"requests": {"storage": size}}}}


def argument(**value: Any) -> dict[str, Any]:
    return {GATES + ".analysis": {"templates": [{"templateName": "errors"}],
                                  "args": [{"name": "a", **value}]}}


def selecting(term: Object) -> Object:
    return {"when": "ready", "selector": {"matchExpressions": [term]}}


# Each as far as it may go.
GOOD: list[dict[str, Any]] = [
    {}, {NAME: "a" * 42}, {NAME: "a" * 42, "spec.zones": []},
    {NAME: "a" * 38, "spec.zones": ["a"]}, {"spec.az": ["a", "b"]},
    {"spec.updateOnEnvChange": GONE, "spec.updateOnConfigChange": True},
    {"spec.scaling": {"min": 3, "max": 3}}, {"spec.scaling": {"min": 3, "max": 3, "oddOnly": True}},
    {"spec.scaling": {"min": 2, "max": 3, "oddOnly": True}},
    {"spec.scaling": GONE, REPLICAS: 500, "spec.zones": ["a", "b"]},
    {HISTORY: -1}, {HISTORY: (1 << 31) - 1},  # what a StatefulSet may have
    {BLUE_GREEN: True, STRATEGY + ".whenStale": "Keep"},
    {BLUE_GREEN: True, CLAIMS: [claim(mode="ReadWriteMany")]},
    {BLUE_GREEN: False, CLAIMS: [claim(), claim("log")]},
]


@pytest.mark.parametrize("values", GOOD, ids=lambda values: str(values)[:60])
def test_good_values_are_taken(api: Api, values: dict[str, Any]) -> None:
    api.create(changed(values), dry_run=True)


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({HISTORY: 1 << 31}, HISTORY, "less than or equal to 2147483647"),
    ({REPLICAS: 1001}, REPLICAS, "less than or equal to 1000"),
    ({"spec.scaling": {"min": -1}}, "spec.scaling.min", "greater than or equal to 0"),
    ({"spec.zones": ["a", "a"]}, "spec.zones[1]", "Duplicate value"),
    ({"spec.zones": ["a b"]}, "spec.zones[0]", "should match"),
    ({GATES: {"pause": {"seconds": 0}}}, GATES + ".pause.seconds", "greater than or equal to 1"),
    ({CLAIMS: [{"metadata": {"name": "data"}}]}, CLAIMS + "[0].spec", "Required value"),
    ({CLAIMS: [claim(size="-1Gi")]}, CLAIMS + "[0].spec.resources.requests.storage", "match"),
]

ONE_JOB = "must name an extendedJob or have a template, and not both."
IN_TURN = ("blueGreen and whenStale Keep need the pods of both versions at once, and these have "
           "their volumes in turn.")
ZONED = "metadata.name has more than 38 characters; with a zone the labels of its pods would be"
RULES: list[tuple[dict[str, Any], str, str]] = [
    ({NAME: "a" * 43}, WHOLE,
     "metadata.name has more than 42 characters; the labels of its pods would be too long."),
    ({NAME: "a" * 39, "spec.zones": ["a"]}, WHOLE, ZONED + " too long."),
    ({NAME: "a" * 39, "spec.az": ["a"]}, WHOLE, ZONED + " too long."),
    ({NAME: "a.b"}, WHOLE, "metadata.name has a dot; the names of its pods would be no hostnames."),
    ({"spec.az": ["a"], "spec.zones": ["a"]}, "spec.az",
     "az is another name for zones; leave one of them out."),
    ({"spec.updateOnConfigChange": True}, "spec.updateOnConfigChange",
     "updateOnConfigChange is another name for updateOnEnvChange; leave one of them out."),
    *(({"spec.scaling": GONE, REPLICAS: 501, key: ["a", "b"]}, "spec.zones",
       "all zones together may have no more than 1000 pods.") for key in ("spec.zones", "spec.az")),
    ({"spec.scaling": {"min": 4, "max": 3}}, "spec.scaling.min", "min is more than max."),
    ({"spec.scaling": {"min": 4, "max": 4, "oddOnly": True}}, "spec.scaling.oddOnly",
     "oddOnly allows no number from min to max."),
    *(({f"{STRATEGY}.{key}": value, CLAIMS: [claim("log", "ReadWriteMany"), claim()]}, STRATEGY,
       IN_TURN) for key, value in (("blueGreen", True), ("whenStale", "Keep"))),
    *(({f"{STRATEGY}.{key}": {}}, f"{STRATEGY}.{key}", ONE_JOB)
      for key in ("preUpgrade", "postUpgrade")),
    (argument(value="b", valueFrom={"podTemplateHashValue": "Latest"}),
     GATES + ".analysis.args[0].valueFrom",
     "an argument has a value or a valueFrom, not both; leave one of them out."),
    (argument(valueFrom={}), GATES + ".analysis.args[0].valueFrom",
     "valueFrom must have exactly one of podTemplateHashValue and fieldRef."),
    ({CLAIMS: [claim(), claim("log"), claim(size="2Gi")]}, CLAIMS,
     "each claim template must have a name of its own."),
    *check_rules(GATES + ".check"),
]

# What is changed in the template, or beside it, once there are claims.
CHANGES: list[tuple[Object, str, str]] = [
    *(({"template": {"spec": {"volumeClaimTemplates": after}}}, CLAIMS,
       "volumeClaimTemplates cannot change but in size: the claims that are there follow from "
       "version to version.")
      for after in (None, [], [claim("log")], [claim(mode="ReadWriteMany")],
                    [claim(), claim("log")])),
    ({"template": {"spec": {"volumeClaimTemplates": [claim(size="1023Mi")]}}}, CLAIMS,
     "claims can only grow."),
    *(({key: ["a"]}, "spec.zones", "zones cannot change where there are volumeClaimTemplates.")
      for key in ("zones", "az")),
]

TERM = ".matchExpressions[0].operator"
JOB_RULES: list[tuple[Object, str, str]] = [
    ({"strategy": "podstate", "when": "ready", "podstate": {"when": "ready"}},
     "spec.trigger.podstate", "podstate says what when and selector beside it say; leave one out."),
    ({"strategy": "podstate", "podstate": {}}, "spec.trigger.strategy",
     "the strategy podstate needs podstate.when."),
    *(({"strategy": "podstate", **pods}, field + TERM, sentence)
      for term, sentence in (
          ({"operator": "In"}, "values is required with In and NotIn."),
          ({"operator": "NotIn", "values": []}, "values is required with In and NotIn."),
          ({"operator": "Exists", "values": ["b"]},
           "values says nothing with Exists and DoesNotExist."),
          ({"operator": "DoesNotExist", "values": ["b"]},
           "values says nothing with Exists and DoesNotExist."))
      for pods, field in (
          (selecting({"key": "a", **term}), "spec.trigger.selector"),
          ({"podstate": selecting({"key": "a", **term})}, "spec.trigger.podstate.selector"))),
]


@pytest.mark.parametrize("values, field, sentence", BAD, ids=name_of)
def test_bad_values_are_refused_by_name(api: Api, values: dict[str, Any], field: str,
                                        sentence: str) -> None:
    assert_refused(api, changed(values), field, sentence)


@pytest.mark.parametrize("values, field, sentence", RULES, ids=name_of)
def test_each_rule_says_one_sentence(api: Api, values: dict[str, Any], field: str,
                                     sentence: str) -> None:
    assert_one_sentence(api, changed(values), field, sentence)


@pytest.mark.parametrize("trigger, field, sentence", JOB_RULES, ids=name_of)
def test_each_rule_of_extendedjobs_says_one_sentence(api: Api, trigger: Object, field: str,
                                                     sentence: str) -> None:
    assert_one_sentence(api, changed_job({"spec.trigger": trigger}), field, sentence)


@pytest.fixture
def with_claims(api: Api, namespace: str) -> Object:
    return api.create(changed({"metadata.namespace": namespace, CLAIMS: [claim()]}))


def test_each_change_that_claims_forbid_is_refused_with_one_sentence(
        api: Api, with_claims: Object) -> None:
    for change, field, sentence in CHANGES:
        said = refusal_of_change(api, with_claims, {"spec": change})
        assert_is_one_sentence(said, field, sentence)
    grown = {"spec": {"template": {"spec": {"volumeClaimTemplates": [claim(size="1025Mi")]}}}}
    meta = with_claims["metadata"]
    api.patch("ExtendedStatefulSet", meta["name"], grown, meta["namespace"], dry_run=True)


def test_every_rule_of_extendedstatefulsets_is_hit(api: Api, with_claims: Object) -> None:
    assert_every_rule_speaks(
        api, DEFINITION, (changed(values) for values, _, _ in RULES),
        (refusal_of_change(api, with_claims, {"spec": change}) for change, _, _ in CHANGES))


def test_every_rule_of_extendedjobs_is_hit(api: Api) -> None:
    assert_every_rule_speaks(api, JOB_DEFINITION, (
        changed_job({"spec.trigger": trigger}) for trigger, _, _ in JOB_RULES))


@pytest.mark.parametrize("name", KINDS)
def test_every_field_has_a_bound_and_every_setting_a_description(api: Api, name: str) -> None:
    assert_bounded_and_described(api, name)
