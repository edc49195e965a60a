"""The runner of the tests keeps its own promises."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from testing.again import commands_to_repeat  # noqa: E402
from testing.kept import Kept, digest_of  # noqa: E402
from testing.lanes import Gate, in_lanes  # noqa: E402
from testing.programs import Program, run_program  # noqa: E402
from testing.running import Runner, Suite, duration  # noqa: E402


class Desk:
    """A runner in a folder of its own, and what it said."""

    def __init__(self, folder: Path, fresh: bool = False) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.runner = Runner(folder, Kept(folder / "kept", fresh), self.said.append)

    def sh(self, name: str, script: str, **more) -> bool:
        return self.runner.run(Suite(name, ("sh", "-c", script), **more))

    def states(self) -> dict[str, str]:
        return {row.name: row.state for row in self.runner.rows}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_failure_hides_no_other_suite_and_is_counted(desk: Desk) -> None:
    desk.sh("bad", "echo what is wrong; exit 3")
    desk.sh("good", "true")
    times = desk.folder / "times.tsv"
    assert desk.runner.finish(times) == 1
    assert desk.states() == {"bad": "FAIL", "good": "ok"}
    assert desk.said[-1] == "1 passed, 1 failed"
    assert any("what is wrong" in text for text in desk.said)
    lines = [line.split("\t") for line in times.read_text().splitlines()]
    assert [(line[0], line[1]) for line in lines] == [
        ("suite", "state"), ("bad", "FAIL"), ("good", "ok"), ("total", "FAIL")]


def test_the_output_of_a_suite_that_passes_is_not_shown(desk: Desk) -> None:
    desk.sh("good", "echo chatter")
    assert desk.runner.finish(desk.folder / "times.tsv") == 0
    assert not any("chatter" in text for text in desk.said)


def test_cpu_time_is_that_of_the_whole_suite(desk: Desk) -> None:
    desk.sh("busy", f"{sys.executable} -c 'for i in range(2000000): pass'; true")
    assert desk.runner.rows[0].cpu > 0


def test_a_suite_that_takes_too_long_ends_with_all_that_it_started(desk: Desk) -> None:
    seconds, written = 0.3, desk.folder / "child"
    while not (written.exists() and written.read_text().strip()):
        assert not desk.sh("slow", "sleep 300 & echo $! > child; wait", seconds_max=seconds)
        seconds *= 4  # the machine may have stood still
    child = written.read_text().strip()
    deadline = time.monotonic() + 60
    while _is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _is_alive(child)
    assert any("ended after" in text for text in desk.said)


def _is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_pass_is_kept_and_a_failure_is_not(tmp_path: Path) -> None:
    first = Desk(tmp_path)
    first.sh("good", "true", digest="d1")
    first.sh("bad", "false", digest="d2")
    second = Desk(tmp_path)
    second.sh("good", "false", digest="d1")
    second.sh("bad", "true", digest="d2")
    assert second.states() == {"good": "unchanged", "bad": "ok"}
    assert second.runner.finish(tmp_path / "times.tsv") == 0
    assert second.said[-1] == "2 passed, 0 failed"


def test_fresh_believes_nothing_that_was_kept(tmp_path: Path) -> None:
    Desk(tmp_path).sh("good", "true", digest="d1")
    again = Desk(tmp_path, fresh=True)
    again.sh("good", "false", digest="d1")
    assert again.states() == {"good": "FAIL"}


def test_a_digest_follows_every_byte_and_every_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("a")
    other.write_text("a")
    before = digest_of(["x"], [one], tmp_path)
    assert before == digest_of(["x"], [one], tmp_path)
    assert before != digest_of(["y"], [one], tmp_path)
    assert before != digest_of(["x"], [other], tmp_path)
    one.write_text("b")
    assert before != digest_of(["x"], [one], tmp_path)


def _program(root: Path, script: str, *data: str) -> Program:
    program = root / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Program("program", ["./program"], {"pure"}, list(data), 60)


def test_a_pure_program_finds_its_data_and_nothing_else(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "data").write_text("1")
    (tmp_path / "other").write_text("2")
    run_program(desk.runner, tmp_path, "release", _program(tmp_path, "cat data", "data"))
    run_program(desk.runner, tmp_path, "asan", _program(tmp_path, "cat other", "data"))
    assert desk.states() == {"program (release)": "ok", "program (asan)": "FAIL"}


def test_a_pure_program_runs_again_when_its_data_changed(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("1")
    program = _program(tmp_path, "cat data", "data")
    states = []
    for text in ("1", "1", "2"):
        (tmp_path / "data").write_text(text)
        desk = Desk(tmp_path)
        run_program(desk.runner, tmp_path, "release", program)
        states += desk.states().values()
    assert states == ["ok", "unchanged", "ok"]


def test_lanes_run_beside_one_another_and_wait_at_gates(desk: Desk) -> None:
    gate = Gate()

    def waits(runner: Runner) -> None:
        gate.wait()
        runner.run(Suite("second", ("true",)))

    def opens(runner: Runner) -> None:
        runner.run(Suite("first", ("true",)))
        gate.open()

    def breaks(runner: Runner) -> None:
        raise ValueError("a mistake in the plan")

    in_lanes(desk.runner, [waits, breaks, opens])
    names = [row.name for row in desk.runner.rows]
    assert names.index("first") < names.index("second")
    assert desk.states()["breaks"] == "FAIL"


@pytest.mark.parametrize("log, again", [
    ("[  FAILED  ] Gate.Holds (3 ms)\n[  FAILED  ] Gate.Holds\n",
     ["A=1 build/x/unit --gtest_filter=Gate.Holds"]),
    ("x\nagain: sluice sim --seed 3\n[  FAILED  ] Worlds.End\n", ["sluice sim --seed 3"]),
    ("killed", ["A=1 build/x/unit"]),
])
def test_a_failure_names_the_command_that_repeats_it(log: str, again: list[str]) -> None:
    assert commands_to_repeat(["build/x/unit"], {"A": "1"}, log) == again


def test_a_failure_of_pytest_names_the_tests() -> None:
    log = "FAILED tests/c/test_a.py::test_b[x] - assert\nERROR tests/c/test_d.py - boom\n"
    command = ["python3", "-m", "pytest", "-q", "-m", "not deep", "tests/c"]
    assert commands_to_repeat(command, {}, log) == [
        "python3 -m pytest -q -m 'not deep' 'tests/c/test_a.py::test_b[x]' tests/c/test_d.py"]


def test_durations_are_for_people() -> None:
    assert (duration(7.4), duration(61), duration(600)) == ("7 s", "1 min 01 s", "10 min 00 s")
