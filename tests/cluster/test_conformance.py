"""The embedded cluster answers and acts as a real one: the same requests, the same life cycles.

The requests go to API servers that nobody else writes to: the controllers of the real cluster are
stopped meanwhile, and time stands still in the embedded one. The life cycles then run all at once.
"""

from __future__ import annotations

import difflib
import json
from typing import Iterator

import pytest

from conformance.cases import CASES
from conformance.known import KNOWN_CASES
from conformance.pair import (STANDING_STILL, embedded_server, end_states, install_policies,
                              real_server, standing_still, transcripts)
from conformance.traces import TRACES
from harness.controlplane import ControlPlane
from harness.embedded import Embedded

pytestmark = pytest.mark.abuse

SPEED = 10

Texts = dict[tuple[str, str], str]


@pytest.fixture(scope="module")
def plane(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    plane = ControlPlane()
    try:
        yield plane.start()
    finally:
        plane.stop(keep_logs=request.session.testsfailed > 0)


def chosen(request: pytest.FixtureRequest, parameter: str) -> list[str]:
    """What of a table this run is about."""
    return [item.callspec.params[parameter] for item in request.session.items
            if isinstance(item, pytest.Function) and item.path == request.path
            and parameter in getattr(getattr(item, "callspec", None), "params", {})]


@pytest.fixture(scope="module")
def answers(plane: ControlPlane, request: pytest.FixtureRequest,
            tmp_path_factory: pytest.TempPathFactory) -> Texts:
    cluster = Embedded(tmp_path_factory.mktemp("still"), speed=STANDING_STILL)
    try:
        for api in (plane.api, cluster.api):
            install_policies(api)
        with standing_still(plane):
            return transcripts([real_server(plane), embedded_server(cluster)],
                               chosen(request, "case"))
    finally:
        cluster.process.terminate()


@pytest.fixture(scope="module")
def ends(plane: ControlPlane, request: pytest.FixtureRequest,
         tmp_path_factory: pytest.TempPathFactory) -> Texts:
    cluster = Embedded(tmp_path_factory.mktemp("moving"), speed=SPEED)
    try:
        return end_states({"real": plane.api, "embedded": cluster.api},
                          chosen(request, "life_cycle"))
    finally:
        cluster.process.terminate()


def difference(texts: Texts, name: str) -> str:
    lines = difflib.unified_diff(texts["real", name].splitlines(),
                                 texts["embedded", name].splitlines(),
                                 "real", "embedded", n=6, lineterm="")
    return "\n".join(lines)


@pytest.mark.parametrize("case", CASES)
def test_both_answer_alike(answers: Texts, case: str) -> None:
    differs = difference(answers, case)
    if case in KNOWN_CASES:
        assert differs, f"They agree now: take {case!r} out of the table of known differences."
        codes = [[step["status"] for step in json.loads(answers[server, case])]
                 for server in ("real", "embedded")]
        assert codes[0] == codes[1] or not KNOWN_CASES[case].same_codes, differs
        return
    assert not differs, differs


@pytest.mark.parametrize("life_cycle", TRACES)
def test_both_end_alike(ends: Texts, life_cycle: str) -> None:
    differs = difference(ends, life_cycle)
    assert not differs, differs
