"""What `make test` runs, and what runs beside what.

Tests on the control plane mostly wait, so five of their sessions, each with a plane of its own, run
beside everything else, which steps back for them: it has the lower priority.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from .lanes import Gate, Lane
from .programs import Program, programs, run_program
from .running import Runner, Suite

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ("/usr/bin/python3", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider")
CLUSTER_SECONDS_MAX = 3600.0
# These take about as long as all others of their mark together.
OWNERS = ("tests/cluster/test_extendedstatefulset*.py", "tests/cluster/test_statefulcluster*.py")
JOBS = ("tests/cluster/test_extendedjob.py",)
PILOT = ("tests/cluster/test_pilot.py",)


def build(runner: Runner, preset: str, *targets: str) -> None:
    runner.run(Suite(f"build {preset} {' '.join(targets)}", ("tools/build", preset, *targets),
                     env={"SLUICE_PROGRESS_SECONDS": "5"}))


def run_programs(runner: Runner, preset: str,
                 wanted: Callable[[Program], bool] = lambda _: True) -> None:
    for program in programs(ROOT, preset):
        if wanted(program):
            run_program(runner, ROOT, preset, program)


def is_world(program: Program) -> bool:
    """Scenarios and random worlds: what is long, and uses all cores."""
    return "worlds" in program.labels


def is_source_check(program: Program) -> bool:
    return "sources" in program.labels


def cores(built: Gate, sanitized: Gate) -> Lane:
    """What keeps both cores busy. `built` opens when the tests on the control plane can begin,
    `sanitized` when the unit tests under the address sanitizer can."""
    def lane(runner: Runner) -> None:
        build(runner, "release", "tests_cluster")
        built.open()
        build(runner, "release", "tests_worlds")
        run_programs(runner, "release", lambda one: is_world(one) or is_source_check(one))
        runner.run(Suite("clang-tidy", ("tools/lint",)))
        build(runner, "asan", "tests_fast")
        sanitized.open()
        run_programs(runner, "asan", is_world)
    return lane


def units_under_asan(sanitized: Gate) -> Lane:
    """These programs use one core each, and leave the other one to the worlds."""
    def lane(runner: Runner) -> None:
        sanitized.wait()
        run_programs(runner, "asan", lambda one: not is_world(one))
    return lane


def control_plane(ready: Gate) -> Lane:
    def lane(runner: Runner) -> None:
        runner.run(Suite("control plane", ("tools/controlplane/build",)))
        runner.run(Suite("example plugins", ("tools/plugins/build",)))
        ready.open()
    return lane


def cluster(name: str, marks: str, *gates: Gate, only: Sequence[str] = (),
            without: Sequence[str] = ()) -> Lane:
    """One session of pytest: the tests that carry these marks, of some files or of all but some."""
    files = [str(path.relative_to(ROOT)) for one in only for path in sorted(ROOT.glob(one))]
    left_out = [f"--ignore-glob={one}" for one in without]

    def lane(runner: Runner) -> None:
        for gate in gates:
            gate.wait()
        times = f"build/test-times-{name.replace(' ', '-')}.tsv"
        runner.run(Suite(name, (*PYTEST, "-m", marks, *left_out, *(files or ["tests/cluster"])),
                         nice=0, env={"SLUICE_FILE_TIMES": times},
                         seconds_max=CLUSTER_SECONDS_MAX))
    return lane


def cluster_lanes(built: Gate) -> list[Lane]:
    ready = Gate()
    shared, abused = "not abuse and not deep", "abuse and not deep"
    return [control_plane(ready),
            cluster("cluster", shared, built, ready, without=(*OWNERS, *JOBS)),
            cluster("cluster owners", shared, built, ready, only=OWNERS),
            cluster("cluster jobs", shared, built, ready, only=JOBS),
            cluster("cluster abuse", abused, built, ready, without=PILOT),
            cluster("cluster pilot", abused, built, ready, only=PILOT)]


def fast_lanes() -> Sequence[Lane]:
    sanitized = Gate()
    return [cores(Gate(), sanitized), units_under_asan(sanitized)]


def all_lanes() -> Sequence[Lane]:
    built, sanitized = Gate(), Gate()
    return [cores(built, sanitized), units_under_asan(sanitized), *cluster_lanes(built)]
