"""What `make test-deep` runs: all that is too long for `make test`, from a seed of the day."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from .lanes import Gate, Lane
from .plan import (ROOT, build, cluster, control_plane, is_source_check, is_world, programs,
                   run_programs)
from .programs import run_program
from .running import Runner, Suite

WORLDS = "5000"
FUZZ_SECONDS = "600"


def seed_of_the_day() -> str:
    return os.environ.get("SEED") or time.strftime("%Y%m%d", time.gmtime())


def worlds(seed: str, built: Gate) -> Lane:
    """Every fault of every scenario, pairs of them, and random worlds that nobody has seen yet."""
    def lane(runner: Runner) -> None:
        build(runner, "release", "tests_cluster", "tests_fast", "tests_worlds")
        built.open()
        env = {"SLUICE_EVERYTHING": "1", "SLUICE_SEED": seed, "SLUICE_WORLDS": WORLDS}
        for program in programs(ROOT, "release"):
            if is_world(program):
                run_program(runner, ROOT, "release",
                            program._replace(seconds_max=8 * 3600.0), env)
            elif not is_source_check(program):
                run_program(runner, ROOT, "release", program)
        build(runner, "release", "tests_differential")
        runner.run(Suite("conditions against the Go library",
                         ("tests/differential/run", "--seed", seed)))
        build(runner, "tsan", "tests_fast")
        run_programs(runner, "tsan")
        runner.run(Suite("clang-tidy with its analyzer", ("tools/lint", "--analyze"),
                         seconds_max=4 * 3600.0))
        runner.run(Suite("mutation", ("tests/mutation/run",), seconds_max=8 * 3600.0))
    return lane


def fuzz(seed: str) -> Lane:
    """Every target that CMake builds, each from its corpus; what breaks one is kept in found/."""
    def lane(runner: Runner) -> None:
        build(runner, "fuzz", "fuzz")
        targets = sorted(path.name.removeprefix("fuzz_")
                         for path in (ROOT / "build/fuzz/tests/fuzz").glob("fuzz_*")
                         if os.access(path, os.X_OK) and path.name != "fuzz_replay")
        if not targets:
            runner.fail("fuzz", "there is no target")
        for target in targets:
            found = Path("build/fuzz/found") / target
            (ROOT / found).mkdir(parents=True, exist_ok=True)
            runner.run(Suite(f"fuzz {target}", (
                f"build/fuzz/tests/fuzz/fuzz_{target}",
                f"-max_total_time={os.environ.get('FUZZ_SECONDS') or FUZZ_SECONDS}",
                f"-seed={seed}", f"-artifact_prefix={found}/", str(found),
                f"tests/fuzz/corpus/{target}")))
    return lane


def control_planes(ready: Gate) -> Lane:
    """Today's, and older API servers after it: each wants all cores."""
    def lane(runner: Runner) -> None:
        control_plane(Gate())(runner)
        runner.run(Suite("older API servers and kubectl", ("tools/controlplane-older/build",)))
        ready.open()
    return lane


def deep_lanes() -> Sequence[Lane]:
    seed = seed_of_the_day()
    print(f"seed {seed}; the same again: SEED={seed} make test-deep", flush=True)
    built, ready = Gate(), Gate()
    return [worlds(seed, built), fuzz(seed), control_planes(ready),
            cluster("cluster deep", "deep", built, ready)]
