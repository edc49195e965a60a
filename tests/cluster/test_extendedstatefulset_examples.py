"""The examples of docs/extendedstatefulset.md, each of which does what its section says."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from harness.kubelets import ZONES
from harness.waiting import stays, wait_for
from phased_world import Stories, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import PREFIX, Extended

STORIES = Stories(Extended)


def wait_until_served(s: Extended, name: str, versions: list[int]) -> None:
    s.wait_for(f"version {versions[-1]} to serve", lambda seen: (
        seen.get("currentVersion") == versions[-1]
        and seen.get("versions") == {str(one): True for one in versions}), name)


def pods(s: Extended, name: str, version: int) -> list[str]:
    return sorted(one["metadata"]["name"] for one in s.api.list(
        "Pod", s.namespace, {"app": name, f"{PREFIX}/version": str(version)}))


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
