"""The definition of PhasedRollout on a real API server, without the operator: the document's
example applies, and what is wrong is refused with a sentence that names the field."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import pytest
import yaml

from definitions import (GONE, assert_bounded_and_described, assert_every_rule_speaks,
                         assert_one_sentence, assert_refused, changed_object, check_rules,
                         name_of, put)
from harness.api import Api, ApiError, Object
from harness.embedded import Embedded
from harness.operator import install as install_component
from harness.places import REPOSITORY
from harness.waiting import wait_for

SAMPLE = REPOSITORY / "config/samples/phasedrollout.yaml"  # the document's own
EXAMPLE = SAMPLE.read_text().split("---")[0]

DEFINITION = "phasedrollouts.sts.plus"
TRIES = "spec.check.maxTries"
DELAY = "spec.check.initialDelaySeconds"
PERIOD = "spec.check.periodSeconds"
NEEDED = "spec.check.successThreshold"
FAILURES = "spec.check.failureThreshold"
DEADLINE = "spec.progressDeadlineSeconds"
QUERY = "spec.check.query"
URL = QUERY + ".url"
EXPR = QUERY + ".expr"
SECRET = QUERY + ".secretRef"
CA = QUERY + ".caSecretRef"
TARGET = "spec.targetRef"


@pytest.fixture(scope="module", autouse=True)
def definition(api: Api, install: Callable[[str], None]) -> None:
    install("crds")
    wait_for("PhasedRollouts to be served", lambda: api.list("PhasedRollout") is not None)


def example(namespace: str, **fields: Any) -> Object:
    """The document's example; a field such as spec__check__maxTries=4 is put in or, GONE, out."""
    rollout = yaml.safe_load(EXAMPLE)
    rollout["metadata"]["namespace"] = namespace
    for path, value in fields.items():
        put(rollout, path.split("__"), value)
    return rollout


def changed(values: dict[str, Any]) -> Object:
    return changed_object(EXAMPLE, {"metadata.namespace": "default", **values})


def test_the_example_of_the_document_applies(api: Api, namespace: str) -> None:
    said = api.kubectl("-n", namespace, "apply", "-f", "-", stdin=EXAMPLE)
    assert said == "phasedrollout.sts.plus/phasedrollout-sample created\n"
    stored = api.get("PhasedRollout", "phasedrollout-sample", namespace)["spec"]
    wanted = yaml.safe_load(EXAMPLE)["spec"]
    wanted["onFailure"] = "Hold"
    assert stored == wanted
    again = api.kubectl("-n", namespace, "apply", "-f", "-", stdin=EXAMPLE)
    assert again == "phasedrollout.sts.plus/phasedrollout-sample unchanged\n"


def test_what_is_left_out_shows_its_default(api: Api) -> None:
    rollout = example("default", spec__skipCheck=GONE,
                      spec__check={"query": {"expr": "up", "url": "prom"}})
    assert api.create(rollout, dry_run=True)["spec"] == {
        "targetRef": "web", "onFailure": "Hold",
        "check": {"initialDelaySeconds": 60, "periodSeconds": 60, "successThreshold": 3,
                  "query": {"expr": "up", "url": "prom"}}}


def test_an_object_of_the_newest_original_applies(api: Api) -> None:
    rollout = example("default", spec__skipCheck=GONE, spec__standardRollingUpdate=True,
                      spec__check__maxTries=GONE, spec__check__query__insecureSkipVerify=True,
                      spec__check__query__secretRef="", spec__check__periodSeconds=0,
                      spec__check__query__url="https://prometheus.monitoring.svc:9090")
    assert api.create(rollout, dry_run=True)["spec"]["standardRollingUpdate"] is True


def test_everything_that_is_ours_applies_together(api: Api) -> None:
    rollout = example("default", spec__onFailure="Rollback", spec__progressDeadlineSeconds=91,
                      spec__check__failureThreshold=10, spec__check__query__successOn="Data",
                      spec__check__query__caSecretRef="prom-ca", spec__standardRollingUpdate=False,
                      spec__check__query__url="https://prom.shop:9090/x")
    spec = api.create(rollout, dry_run=True)["spec"]
    assert (spec["onFailure"], spec["check"]["query"]["successOn"]) == ("Rollback", "Data")


GOOD = [
    *({URL: url} for url in (
        "prom", "prom:9000/xx", "prom:1", "prom:65535", "http://prom", "https://prom.shop.svc./",
        "http://10.0.0.1:9090", "http://[fd00::1]:9090/x", "[::1]", "pro_m:9090",
        "https://p/a/b-c_d.e~f%20g;h=i,j@k:l", "http", "prom/api/v1/query_range", "prom//x")),
    *({EXPR: expr} for expr in ("x", " up \n  == 0 ", "up{job=\"µ\"}", "x" * 8192)),
    {TARGET: "a"}, {TARGET: "a.b-c.0"}, {TARGET: "a" * 253},
    {SECRET: GONE}, {SECRET: ""}, {SECRET: None},
    {DELAY: 0}, {DELAY: 604800}, {PERIOD: 0}, {PERIOD: 86400}, {TRIES: 3}, {TRIES: 100000},
    {NEEDED: 10}, {NEEDED: 1000, TRIES: GONE}, {FAILURES: 1}, {FAILURES: 10},
    {DEADLINE: 91}, {DEADLINE: 2592000}, {DEADLINE: 151, PERIOD: 0}, {DEADLINE: GONE},
    {"spec.standardRollingUpdate": False}, {"spec.skipCheck": True},
    {"metadata.finalizers": ["sts.plus/finalizer"]},
]


@pytest.mark.parametrize("values", GOOD, ids=lambda values: str(values)[:60])
def test_good_values_are_taken(api: Api, values: dict[str, Any]) -> None:
    api.create(changed(values), dry_run=True)


# What is changed, the field that the refusal must name, and a part of its sentence.
BAD: list[tuple[dict[str, Any], str, str]] = [
    # The whole
    ({"spec": GONE}, "spec", "Required value"),
    ({"spec": 7}, "spec", "must be of type object"),
    ({"spec": []}, "spec", "must be of type object"),
    # The target
    ({TARGET: GONE}, TARGET, "Required value"),
    ({TARGET: None}, TARGET, "Required value"),
    ({TARGET: ""}, TARGET, "at least 1 chars"),
    ({TARGET: "Web"}, TARGET, "should match"),
    ({TARGET: "web_1"}, TARGET, "should match"),
    ({TARGET: "-web"}, TARGET, "should match"),
    ({TARGET: "web."}, TARGET, "should match"),
    ({TARGET: "a..b"}, TARGET, "should match"),
    ({TARGET: "shop/web"}, TARGET, "should match"),
    ({TARGET: "web\n"}, TARGET, "should match"),
    ({TARGET: "a" * 254}, TARGET, "Too long"),
    ({TARGET: 7}, TARGET, "must be of type string"),
    ({TARGET: {"name": "web"}}, TARGET, "must be of type string"),
    # The switches
    ({"spec.skipCheck": "false"}, "spec.skipCheck", "must be of type boolean"),
    ({"spec.skipCheck": 1}, "spec.skipCheck", "must be of type boolean"),
    ({"spec.standardRollingUpdate": "no"}, "spec.standardRollingUpdate", "of type boolean"),
    ({"spec.onFailure": "Retry"}, "spec.onFailure", 'supported values: "Hold", "Rollback"'),
    ({"spec.onFailure": "hold"}, "spec.onFailure", "Unsupported value"),
    ({"spec.onFailure": ""}, "spec.onFailure", "Unsupported value"),
    # The deadline
    ({DEADLINE: 0}, DEADLINE, "greater than or equal to 1"),
    ({DEADLINE: -1}, DEADLINE, "greater than or equal to 1"),
    ({DEADLINE: 2592001}, DEADLINE, "less than or equal to 2592000"),
    ({DEADLINE: "10m"}, DEADLINE, "must be of type integer"),
    # The check's numbers
    ({"spec.check": GONE}, "spec.check", "Required value"),
    ({"spec.check": {}}, "spec.check.query", "Required value"),
    ({"spec.check": None}, "spec.check", "Required value"),
    ({DELAY: -1}, DELAY, "greater than or equal to 0"),
    ({DELAY: 604801}, DELAY, "less than or equal to 604800"),
    ({DELAY: 1.5}, DELAY, "must be of type integer"),
    ({DELAY: "30"}, DELAY, "must be of type integer"),
    ({DELAY: 1 << 40}, DELAY, "less than or equal to 604800"),
    ({PERIOD: -1}, PERIOD, "greater than or equal to 0"),
    ({PERIOD: 86401}, PERIOD, "less than or equal to 86400"),
    ({PERIOD: "30s"}, PERIOD, "must be of type integer"),
    ({TRIES: 0}, TRIES, "greater than or equal to 1"),
    ({TRIES: 100001}, TRIES, "less than or equal to 100000"),
    ({TRIES: True}, TRIES, "must be of type int"),
    ({NEEDED: 0}, NEEDED, "greater than or equal to 1"),
    ({NEEDED: -3}, NEEDED, "greater than or equal to 1"),
    ({NEEDED: 1001, TRIES: GONE}, NEEDED, "less than or equal to 1000"),
    ({FAILURES: 0}, FAILURES, "greater than or equal to 1"),
    ({FAILURES: 100001}, FAILURES, "less than or equal to 100000"),
    # The query
    ({QUERY: GONE}, QUERY, "Required value"),
    ({QUERY: "up"}, QUERY, "must be of type object"),
    ({EXPR: GONE}, EXPR, "Required value"),
    ({EXPR: ""}, EXPR, "at least 1 chars"),
    ({EXPR: "x" * 8193}, EXPR, "Too long"),
    ({EXPR: ["up"]}, EXPR, "must be of type string"),
    ({QUERY + ".successOn": "nodata"}, QUERY + ".successOn", '"NoData", "Data"'),
    ({QUERY + ".successOn": True}, QUERY + ".successOn", "must be of type string"),
    ({URL: GONE}, URL, "Required value"),
    ({URL: ""}, URL, "at least 1 chars"),
    ({URL: "p" * 2049}, URL, "Too long"),
    ({URL: 9090}, URL, "must be of type string"),
    ({SECRET: "Prom"}, SECRET, "should match"),
    ({SECRET: "other/secret"}, SECRET, "should match"),
    ({SECRET: "a" * 254}, SECRET, "Too long"),
    ({SECRET: {"name": "x"}}, SECRET, "must be of type string"),
    ({CA: "", URL: "https://p"}, CA, "at least 1 chars"),
    ({CA: "a b", URL: "https://p"}, CA, "should match"),
    ({QUERY + ".insecureSkipVerify": "yes"}, QUERY + ".insecureSkipVerify", "type boolean"),
]

# The rules in CEL: each refusal is exactly one sentence.
RULES: list[tuple[dict[str, Any], str, str]] = [
    ({"spec.standardRollingUpdate": True}, "spec.standardRollingUpdate", "contradict"),
    ({"spec.skipCheck": True, "spec.standardRollingUpdate": False},
     "spec.standardRollingUpdate", "leave one of them out"),
    ({DEADLINE: 90}, DEADLINE, "must be longer than the initial delay"),
    ({DEADLINE: 150, PERIOD: 0}, DEADLINE, "or no pod could ever pass"),
    *check_rules("spec.check"),
]


@pytest.mark.parametrize("values, field, sentence", BAD, ids=name_of)
def test_bad_values_are_refused_by_name(api: Api, values: dict[str, Any], field: str,
                                        sentence: str) -> None:
    assert_refused(api, changed(values), field, sentence)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """`sluice cluster`, which knows schemas but no rules in CEL."""
    cluster = Embedded(tmp_path_factory.mktemp("embedded"))
    install_component(cluster.api, "crds")
    yield cluster.api
    cluster.process.kill9()


@pytest.mark.parametrize("values, field, sentence", BAD, ids=name_of)
def test_the_embedded_cluster_refuses_the_same(embedded: Api, values: dict[str, Any], field: str,
                                               sentence: str) -> None:
    assert_refused(embedded, changed(values), field, sentence)


def test_the_embedded_cluster_takes_what_is_good(api: Api, embedded: Api) -> None:
    for values in GOOD:
        rollout = changed(values)
        assert (embedded.create(rollout, dry_run=True)["spec"]
                == api.create(rollout, dry_run=True)["spec"]), values


@pytest.mark.parametrize("values, field, sentence", RULES, ids=name_of)
def test_each_rule_says_one_sentence(api: Api, values: dict[str, Any], field: str,
                                     sentence: str) -> None:
    assert_one_sentence(api, changed(values), field, sentence)


def test_every_rule_of_the_definition_is_hit(api: Api) -> None:
    assert_every_rule_speaks(api, DEFINITION, (changed(values) for values, _, _ in RULES))


def test_every_field_has_a_bound_and_every_setting_a_description(api: Api) -> None:
    assert_bounded_and_described(api, DEFINITION)


def test_unknown_fields_are_dropped(api: Api, namespace: str) -> None:
    rollout = example(namespace, spec__rollback=True, spec__check__query__headers={"a": "b"},
                      spec__check__interval=5)
    stored = api.create(rollout)["spec"]
    assert "rollback" not in stored and "interval" not in stored["check"]
    assert "headers" not in stored["check"]["query"]
    assert stored["check"]["maxTries"] == 10


def test_kubectl_warns_of_a_field_that_does_not_exist(api: Api, namespace: str) -> None:
    wrong = EXAMPLE.replace("maxTries", "maxTrys")
    with pytest.raises(Exception, match='unknown field "spec.check.maxTrys"'):
        api.kubectl("-n", namespace, "create", "--validate=strict", "-f", "-", stdin=wrong)


REPORT = {
    "phase": "Rolling", "reason": "PodsNotReady", "message": "web-1 is not ready.",
    "unblock": "web-1 becomes ready.", "since": "2026-01-31T12:00:00Z", "observedGeneration": 1,
    "guarantee": "Prevent", "failedRevision": "web-1a", "retry": "1769860800",
    "rollout": {"id": 3, "workloadUID": "123e4567-e89b-12d3-a456-426614174000",
                "revision": "web-2b", "previousRevision": "web-1a", "partition": 1,
                "pod": "web-0", "step": "2/3", "updatedPods": 2, "pods": 3,
                "startedAt": "2026-01-31T11:00:00Z", "stepStartedAt": "2026-01-31T11:50:00Z",
                "completedAt": "2026-01-31T12:00:00Z"},
    "check": {"definition": "00ff", "startsAt": "2026-01-31T11:50:30Z", "tries": 4, "triesLeft": 6,
              "successes": 1, "failures": 0, "lastResult": "Passed", "lastValue": "no data",
              "lastTime": "2026-01-31T12:00:00Z", "nextTime": "2026-01-31T12:00:30Z"},
    "updateRevision": "web-2b", "rolloutStartTime": "2026-01-31T11:00:00Z",
    "rolloutEndTime": "2026-01-31T12:00:00Z",
    "rollingPodStatus": {"status": "WaitForChecks", "partition": 1,
                         "analisysStartTime": "2026-01-31T11:50:00Z",
                         "lastCheckTime": "2026-01-31T12:00:00Z", "consecutiveSuccessfulChecks": 1,
                         "consecutiveFailedChecks": 0, "totalFailedChecks": 3},
    "conditions": [
        {"type": "Ready", "status": "True", "reason": "Ready", "message": "ready",
         "observedGeneration": 1, "lastTransitionTime": "2026-01-31T11:00:00Z"},
        {"type": "Updated", "status": "False", "reason": "Rolling", "message": "",
         "observedGeneration": 1, "lastTransitionTime": "2026-01-31T11:00:00Z"}],
}


def report(api: Api, namespace: str, status: Object) -> Object:
    return api.patch("PhasedRollout", "phasedrollout-sample", {"status": status}, namespace,
                     subresource="status")


def test_status_and_spec_are_written_apart(api: Api, namespace: str) -> None:
    created = api.create({**example(namespace), "status": REPORT})
    assert "status" not in created and created["metadata"]["generation"] == 1
    patched = api.patch("PhasedRollout", "phasedrollout-sample",
                        {"spec": {"skipCheck": True}, "status": REPORT}, namespace,
                        subresource="status")
    assert patched["status"] == REPORT, "every field of the report is kept"
    assert patched["spec"] == created["spec"] and patched["metadata"]["generation"] == 1
    after = api.patch("PhasedRollout", "phasedrollout-sample",
                      {"spec": {"skipCheck": True}, "status": {"phase": "Updated"}}, namespace)
    assert after["status"] == REPORT and after["metadata"]["generation"] == 2


BAD_REPORTS: list[tuple[Object, str]] = [
    ({"message": "x" * 1025}, "status.message"),
    ({"since": "yesterday"}, "status.since"),
    ({"observedGeneration": -1}, "status.observedGeneration"),
    ({"rollingPodStatus": {"partition": 1}}, "status.rollingPodStatus.totalFailedChecks"),
    ({"rollout": {"partition": -1}}, "status.rollout.partition"),
    ({"check": {"lastValue": "x" * 257}}, "status.check.lastValue"),
    ({"conditions": [{"type": "Ready"}]}, "status.conditions[0].status"),
    ({"conditions": REPORT["conditions"][:1] * 2}, "status.conditions[1]"),
    ({"conditions": [{**REPORT["conditions"][0], "type": f"C{i}"} for i in range(17)]},
     "status.conditions"),
]


@pytest.mark.parametrize("status, field", BAD_REPORTS, ids=lambda value: str(value)[:40])
def test_a_report_beyond_its_bounds_is_refused(api: Api, namespace: str, status: Object,
                                               field: str) -> None:
    api.create(example(namespace))
    with pytest.raises(ApiError) as refused:
        report(api, namespace, status)
    assert refused.value.status == 422 and f"{field}: " in refused.value.message


def test_the_target_may_be_changed(api: Api, namespace: str) -> None:
    api.create(example(namespace))
    after = api.patch("PhasedRollout", "phasedrollout-sample", {"spec": {"targetRef": "db"}},
                      namespace)
    assert after["spec"]["targetRef"] == "db"


def test_kubectl_get_says_where_it_stands(api: Api, namespace: str) -> None:
    api.create(example(namespace))
    report(api, namespace, REPORT)
    for words in (["phasedrollouts"], ["phasedrollout"], ["sluice"]):
        head, row = api.kubectl("-n", namespace, "get", *words).splitlines()
        assert head.split() == ["NAME", "TARGET-REF", "PHASE", "REASON", "STEP", "AGE"]
        name, *cells = row.split()[:-1]
        # Of a category that has several kinds, kubectl names the kind too.
        assert name in ("phasedrollout-sample", "phasedrollout.sts.plus/phasedrollout-sample")
        assert cells == ["web", "Rolling", "PodsNotReady", "2/3"]
    head, row = api.kubectl("-n", namespace, "get", "phasedrollouts", "-o", "wide").splitlines()
    assert head.split() == ["NAME", "TARGET-REF", "PHASE", "REASON", "STEP", "PARTITION",
                            "ROLLING-POD-STATUS", "ROLLOUT-START-TIME", "ROLLOUT-END-TIME",
                            "MESSAGE", "AGE"]
    assert row.split()[5:7] == ["1", "WaitForChecks"] and "web-1 is not ready." in row


def test_kubectl_explains_every_field(api: Api) -> None:
    text = " ".join(api.kubectl("explain", "phasedrollout.spec.check").split())
    assert "After successThreshold passes in a row the next pod may go." in text
    assert "maxTries <integer> How many checks one pod gets." in text
    text = " ".join(api.kubectl("explain", "phasedrollout.spec.check.query.expr").split())
    assert "the check passes if nothing is returned" in text
