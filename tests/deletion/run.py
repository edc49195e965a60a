#!/usr/bin/python3 -B
"""Deletes each API from a copy of the tree: its folders, its rows, its scenarios and its unit
tests. What is left must build, and play the scenarios of all others. run.py [API...]

rollout_plugin and extended_stateful_set are built upon analysis: whoever deletes that deletes all
three. An API that is included from outside of its folders (tests/style/api_names.txt says from
where) cannot be deleted yet, and is left out until nobody does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/style"))

from apis import APIS, Api, goes_with, known  # noqa: E402


def is_bound(api: Api) -> bool:
    """Somebody outside includes it, or what is built upon it."""
    bound = set().union(*known("includes").values())
    return any(one.folder in bound for one in goes_with(api))


def copy_tree(into: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, into / name)


def without_row(text: str, folder: str) -> str:
    """A registry without the lines of one API: its headers, its watches, and its row."""
    text = re.sub(rf'#include "(api|sim/apis)/{folder}/.*\n', "", text)
    text = re.sub(rf"\b{folder}::row\(\),", "", text)
    text = "".join(one for one in re.split(r"(?m)^(?=constexpr|const |\[\[|\n)", text)
                   if not (one.startswith("constexpr") and f"{folder}::" in one))
    rows = re.split(r"(?m)^(?=    \{\.name = |\};)", text)
    return "".join(row for row in rows
                   if not (row.startswith("    {.name") and f"{folder}::" in row))


def delete(api: Api, tree: Path) -> None:
    for folder in (f"src/api/{api.folder}", f"src/sim/apis/{api.folder}",
                   f"tests/unit/api/{api.folder}", f"tests/scenarios/{api.scenarios}"):
        shutil.rmtree(tree / folder, ignore_errors=True)
    # One of two APIs is called by both names.
    for path in (tree / "tests/scenarios").rglob("*.scenario"):
        if api.is_named_in(path.stem):
            path.unlink()
    for registry in ("src/api/registry.cpp", "src/sim/apis/registry.cpp"):
        path = tree / registry
        path.write_text(without_row(path.read_text(), api.folder))


def run(tree: Path, *command: str, **env: str) -> str:
    """What is wrong; empty: nothing."""
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True,
                          env=os.environ | env)
    return "" if done.returncode == 0 else f"{' '.join(command)}:\n{done.stdout}{done.stderr}"


def failure_without(api: Api) -> str:
    with tempfile.TemporaryDirectory(prefix=f"sluice-without-{api.folder}-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        for one in goes_with(api):
            delete(one, tree)
        return (run(tree, "tools/build", "release", "sluice", "scenarios")
                or run(tree, "build/release/sluice", "--version")
                or run(tree, "build/release/tests/scenarios/scenarios", SLUICE_PLAIN="1"))


def main() -> int:
    wanted = sys.argv[1:] or [api.folder for api in APIS]
    failed = False
    for api in APIS:
        if api.folder not in wanted:
            continue
        named = " and ".join(one.folder for one in goes_with(api))
        if is_bound(api):
            print(f"{named}: not yet, see the includes of tests/style/api_names.txt")
            continue
        begun = time.monotonic()
        wrong = failure_without(api)
        failed = failed or wrong != ""
        print(f"without {named}: {wrong or 'well'} ({time.monotonic() - begun:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
