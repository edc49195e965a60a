"""The test programs of a build, as ctest lists them, as suites.

A program with the label "pure" follows from its own bytes and the files it requires; it runs in a
folder that holds those files and nothing else, so that a file nobody named is not found.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .kept import digest_of
from .running import Runner, Suite

_SECONDS_MAX = 1800.0


class Program(NamedTuple):
    name: str
    command: list[str]
    labels: set[str]
    data: list[str]  # files and folders, from the root of the tree
    seconds_max: float


def programs(root: Path, preset: str) -> list[Program]:
    listing = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=root,
                             capture_output=True, text=True, check=True).stdout
    return [_program(root, test) for test in json.loads(listing)["tests"] if "command" in test]


def _program(root: Path, test: Mapping[str, Any]) -> Program:
    said = {one["name"]: one["value"] for one in test.get("properties", [])}
    command = [os.path.relpath(word, root) if word.startswith(f"{root}/") else word
               for word in test["command"]]
    data = [os.path.relpath(path, root) for path in said.get("REQUIRED_FILES", [])]
    return Program(test["name"], command, set(said.get("LABELS", [])), data,
                   float(said.get("TIMEOUT", _SECONDS_MAX)))


def files_below(root: Path, names: Iterable[str]) -> list[Path]:
    found: list[Path] = []
    for name in names:
        path = root / name
        found += [path] if path.is_file() else sorted(
            one for one in path.rglob("*") if one.is_file() and "__pycache__" not in one.parts)
    return found


def run_program(runner: Runner, root: Path, preset: str, program: Program,
                env: Mapping[str, str] = {}) -> None:
    name = f"{program.name} ({preset})"
    if not _is_built(root, preset, program):
        runner.fail(name, f"{program.command[0]} is not built from these sources\n"
                          f"again: tools/build {preset} {program.name}")
        return
    keeps = program.labels & {"pure", "kept"}
    digest = digest_of([name, *program.command, *(f"{k}={v}" for k, v in sorted(env.items()))],
                       files_below(root, [*_own_files(root, program), *program.data]),
                       root) if keeps else None
    with tempfile.TemporaryDirectory(prefix="sluice-data-") as folder:
        where = root
        if "pure" in program.labels:
            where = Path(folder)
            _link_data(root, where, program.data)
        runner.run(Suite(name, program.command, env=env, seconds_max=program.seconds_max,
                         digest=digest, folder=where, root=root))


def _own_files(root: Path, program: Program) -> list[str]:
    return [word for word in program.command if (root / word).is_file()]


def _link_data(root: Path, folder: Path, data: Iterable[str]) -> None:
    for name in data:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(root / name)


def _is_built(root: Path, preset: str, program: Program) -> bool:
    """Whether the program belongs to the sources as they are: an older one tells nothing. What
    could be built has been, so this takes a moment only. A script always belongs to them."""
    folder = root / "build" / preset
    path = root / program.command[0]
    if not path.is_relative_to(folder):
        return True
    return subprocess.run(["tools/build", preset, str(path.relative_to(folder))], cwd=root,
                          capture_output=True).returncode == 0
