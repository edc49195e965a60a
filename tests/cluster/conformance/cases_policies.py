"""The admission policies of deploy/policies: what a stranger and the operator may do.

Only sets that carry the claim or the label are touched, so these cases share their servers with
all others.
"""

from __future__ import annotations

from typing import Any

from harness.api import Object
from harness.waiting import wait_for

from .objects import changed, web
from .server import OPERATOR
from .talk import APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC, Talk, case

CLAIM = "sluice.dev/claim"
PHASE = "sluice.dev/phase"
LABEL = "dd-statefulset-pilot"
ALLOW_ZERO = "sluice.dev/allow-scale-to-zero"
SET = "statefulsets/web"


def steered(phase: str = "Rolling", **more: Any) -> Object:
    obj = web(**{"partition": 5, **more})
    obj["metadata"]["annotations"] = {CLAIM: "pilot/web", PHASE: phase}
    return obj


def image(name: str) -> Object:
    return {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": name}]}}}}


def partition(number: int | None) -> Object:
    return {"spec": {"updateStrategy": {"rollingUpdate": {"partition": number}}}}


def report_open_rollout(talk: Talk) -> None:
    talk.patch(f"{SET}/status", {"status": {"currentRevision": "web-a", "updateRevision": "web-b",
                                            "observedGeneration": 1, "replicas": 3}})


def wait_until_zero_is(talk: Talk, allowed: bool) -> None:
    """The policy reads StatefulSets from a cache, which may be a moment behind the last write."""
    wait_for("the policy to see the StatefulSet as it is now",
             lambda: talk.server.exchange("PATCH", talk.path(f"{SET}/scale"),
                                          {"spec": {"replicas": 0}}, content_type=MERGE_PATCH,
                                          query={"dryRun": "All"}),
             lambda answer: (answer.status == 200) is allowed)


@case
def a_stranger_changes_a_steered_template(talk: Talk) -> None:
    talk.post("statefulsets", steered())
    talk.patch(SET, image("app:b"), STRATEGIC)
    talk.patch(SET, {"spec": {"replicas": 2}})


@case
def a_stranger_lowers_the_partition(talk: Talk) -> None:
    talk.post("statefulsets", steered())
    talk.patch(SET, partition(0))
    talk.patch(SET, partition(4))
    talk.patch(SET, [{"op": "remove", "path": "/spec/updateStrategy"}], JSON_PATCH)
    talk.patch(SET, partition(7))
    talk.patch(SET, {"metadata": {"annotations": {"team": "shop"}}})


@case
def a_stranger_replaces_without_a_partition(talk: Talk) -> None:
    talk.post("statefulsets", steered())
    for strategy in (None, {"type": "RollingUpdate"}, {"type": "RollingUpdate",
                                                       "rollingUpdate": {}}):
        talk.put(SET, changed(steered(), "spec/updateStrategy", strategy))
    talk.put(SET, changed(web(), "spec/updateStrategy", None))


@case
def a_stranger_applies_a_lower_partition(talk: Talk) -> None:
    talk.post("statefulsets", steered(), fieldManager="helm")
    talk.patch(SET, web(partition=0), APPLY, fieldManager="gitops", force="true")


@case
def a_stranger_asks_for_on_delete(talk: Talk) -> None:
    talk.post("statefulsets", steered())
    talk.patch(SET, {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}})


@case
def a_stranger_scales_a_rollout_to_zero(talk: Talk) -> None:
    talk.post("statefulsets", steered(replicas=3))
    report_open_rollout(talk)
    talk.patch(SET, {"spec": {"replicas": 0}})
    wait_until_zero_is(talk, allowed=False)
    talk.patch(f"{SET}/scale", {"spec": {"replicas": 0}})
    talk.patch(f"{SET}/scale", {"spec": {"replicas": 1}})
    talk.patch(SET, {"metadata": {"annotations": {ALLOW_ZERO: "true"}}})
    wait_until_zero_is(talk, allowed=True)
    talk.patch(f"{SET}/scale", {"spec": {"replicas": 0}}, dryRun="All")
    talk.patch(SET, {"spec": {"replicas": 0}})


@case
def a_stranger_scales_a_set_at_rest_to_zero(talk: Talk) -> None:
    talk.post("statefulsets", steered("Idle", replicas=3))
    talk.patch(f"{SET}/status", {"status": {"currentRevision": "web-a", "updateRevision": "web-a",
                                            "observedGeneration": 1, "replicas": 3}})
    wait_until_zero_is(talk, allowed=True)
    talk.patch(f"{SET}/scale", {"spec": {"replicas": 0}})


@case
def a_subscribed_set_begins_closed(talk: Talk) -> None:
    obj = web(labels={LABEL: "careful"})
    talk.post("statefulsets", changed(obj, "spec/updateStrategy", None))
    talk.patch(SET, partition(0))
    talk.patch(SET, image("app:b"), STRATEGIC)


@case
def the_claim_can_be_taken_away(talk: Talk) -> None:
    talk.post("statefulsets", steered())
    talk.patch(SET, {"metadata": {"annotations": {CLAIM: None}}})
    talk.patch(SET, partition(0))


@case
def a_set_that_nobody_steers_is_left_alone(talk: Talk) -> None:
    talk.post("statefulsets", web(partition=5))
    talk.patch(SET, image("app:b"), STRATEGIC)
    talk.patch(SET, partition(0))


def as_operator(talk: Talk, body: Any, what: str = SET, content_type: str = MERGE_PATCH) -> None:
    talk.send("PATCH", what, body, user=OPERATOR, content_type=content_type)


@case
def the_operator_steers(talk: Talk) -> None:
    talk.post("statefulsets", steered())
    as_operator(talk, partition(3))
    as_operator(talk, {"metadata": {"annotations": {PHASE: "Idle", CLAIM: None}}})


@case
def the_operator_has_limits(talk: Talk) -> None:
    talk.post("statefulsets", steered(labels={"a": "b"}))
    as_operator(talk, {"spec": {"replicas": 1}})
    as_operator(talk, image("app:b"), content_type=STRATEGIC)
    as_operator(talk, {"metadata": {"annotations": {"team": "shop"}}})
    as_operator(talk, {"metadata": {"labels": {"a": "c"}}})
    as_operator(talk, {"metadata": {"finalizers": ["test.example/a"]}})
    as_operator(talk, {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}})
