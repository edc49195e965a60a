"""The examples of docs/extendedstatefulset.md, each of which does what its section says."""

from __future__ import annotations

import re
from concurrent.futures import Future

import pytest

from harness.failure import HarnessError
from harness.kubelets import BEHAVIOUR, UNREADY, ZONES
from harness.places import REPOSITORY
from harness.waiting import stays, wait_for
from harness.workloads import set_behaviour
from phased_world import Stories, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import KIND, PREFIX, Extended

STORIES = Stories(Extended)


def wait_until_served(s: Extended, name: str, versions: list[int]) -> None:
    s.wait_for(f"version {versions[-1]} to serve", lambda seen: (
        seen.get("currentVersion") == versions[-1]
        and seen.get("versions") == {str(one): True for one in versions}
        and (len(versions) > 1 or seen.get("phase") == "Ready")), name)


def pods(s: Extended, name: str, version: int) -> list[str]:
    return sorted(one["metadata"]["name"] for one in s.api.list(
        "Pod", s.namespace, {"app": name, f"{PREFIX}/version": str(version)}))


def uids(s: Extended, name: str, version: int) -> set[str]:
    return {pod["metadata"]["uid"] for pod in s.pods(version, name)}


@STORIES.add
def the_one_at_the_top(s: Extended) -> None:
    name = "my-extended-stateful-set"
    s.apply_example("# ExtendedStatefulSet")
    wait_until_served(s, name, [1])
    assert len(s.pods(1, name)) == 3, "the least number that is allowed"
    empty = [{"op": "add", "path": "/spec/az", "value": None}]
    changed = s.api.patch(KIND, name, empty, s.namespace, patch_type="json")
    generation = changed["metadata"]["generation"]
    s.wait_for("the empty az", lambda seen: seen["observedGeneration"] == generation, name)
    assert s.status(name)["phase"] == "Ready" and list(s.sets()) == [f"{name}-v1"]


@STORIES.add
def upgrades(s: Extended) -> None:
    s.apply_example("## Upgrades")
    wait_until_served(s, "careful", [1])
    s.change_template("careful")
    s.wait_for("the pause", lambda seen: seen.get("reason") == "StepPaused", "careful")
    assert pods(s, "careful", 2) == ["careful-v2-0"], "one canary"
    stays("the others wait", lambda: pods(s, "careful", 2), lambda seen: len(seen) == 1)
    s.says("promote", name="careful")
    wait_until_served(s, "careful", [2])
    assert len(pods(s, "careful", 2)) == 3


@STORIES.add
def a_version_that_fails(s: Extended) -> None:
    s.apply_example("### A version that fails")
    wait_until_served(s, "doubtful", [1])
    before = uids(s, "doubtful", 1)
    s.change_template("doubtful", {BEHAVIOUR: UNREADY})
    told = s.wait_for("both attempts", lambda seen: (
        seen.get("reason") == "RolledBack" and seen.get("attempts") == 2), "doubtful")
    assert "doubtful-v2-0" in told["failure"], told["failure"]
    wait_for("the mark", lambda: s.sets()["doubtful-v2"]["metadata"]["annotations"],
             lambda notes: f"{PREFIX}/stale" in notes)
    wait_for("no pods of it", lambda: pods(s, "doubtful", 2), lambda seen: seen == [])
    assert uids(s, "doubtful", 1) == before, "those that serve are as they were"
    s.change_spec({"updateStrategy": {"canaryDeadlineSeconds": 600}}, "doubtful")
    s.change_template("doubtful", {BEHAVIOUR: None})
    wait_until_served(s, "doubtful", [3])


@STORIES.add
def old_pods_that_are_not_ready(s: Extended) -> None:
    s.apply_example("### Old pods that are not ready")
    wait_until_served(s, "hurried", [1])
    set_behaviour(s.api, s.namespace, "hurried-v1-1", UNREADY)
    s.wait_for("one that is not ready", lambda seen: seen["readyReplicas"] == 1, "hurried")
    s.change_template("hurried")
    wait_until_served(s, "hurried", [2])


@STORIES.add
def scaling(s: Extended) -> None:
    s.apply_example("## Scaling")
    wait_until_served(s, "voting", [1])
    assert len(pods(s, "voting", 1)) == 3, "the least number that is allowed"
    page = (REPOSITORY / "docs/extendedstatefulset.md").read_text()
    allowed, refused = re.findall(r"^    kubectl (scale ests voting \S+)", page, re.M)
    s.api.kubectl("-n", s.namespace, *allowed.split())
    s.wait_for("five", lambda seen: seen["readyReplicas"] == 5, "voting")
    with pytest.raises(HarnessError, match="not less than min, not more than max, and odd"):
        s.api.kubectl("-n", s.namespace, *refused.split())
    wait_until_served(s, "voting", [1])


@STORIES.add
def blue_and_green(s: Extended) -> None:
    s.apply_example("## Blue and green")
    wait_until_served(s, "colours", [1])
    wait_for("version 1 to be selected", lambda: s.selected("colours"), lambda seen: seen == "1")
    s.change_template("colours")
    wait_for("version 2 to be selected", lambda: s.selected("colours"), lambda seen: seen == "2")
    wait_until_served(s, "colours", [1, 2])
    assert len(pods(s, "colours", 1)) == 2, "the version before stays with all its pods"
    s.says("abort", name="colours")
    wait_for("the version before", lambda: s.selected("colours"), lambda seen: seen == "1")


@STORIES.add
def zones(s: Extended) -> None:
    s.apply_example("## Zones")
    wait_until_served(s, "spread", [1])
    assert pods(s, "spread", 1) == [f"spread-z{zone}-v1-{ordinal}" for zone in range(len(ZONES))
                                    for ordinal in range(2)]
    s.change_template("spread")
    wait_until_served(s, "spread", [2])
    assert len(pods(s, "spread", 2)) == 6


@pytest.mark.parametrize("story", STORIES)
def test_example(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()
