"""Builds each mutant of mutants.py and requires that its promise is seen to be broken.

Only the mutated file is compiled; the linker takes its object before the library's. Ends with exit
code 0 if every mutant was caught.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
TIME_MAX = 300
# As in tools/build: an object is known again in another clone.
CACHED = {**os.environ, "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1",
          "CCACHE_SLOPPINESS": "pch_defines,time_macros"}


def compile_command(build: Path, source: Path) -> list[str]:
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if Path(entry["file"]) == source:
            return shlex.split(entry["command"])
    raise SystemExit(f"{source} is not built")


def compiled(build: Path, original: Path, source: Path) -> Path:
    target = source.with_suffix(".o")
    command = compile_command(build, original)
    kept, skip = [], False
    for word in command:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT"):
            skip = True
        elif word != "-MD":
            kept.append(word)
    kept = [word for word in kept if word not in (str(original), "ccache")]
    run(["ccache", *kept, f"-I{ROOT / 'src'}", "-Wno-error", "-w", "-o", str(target),
         "-c", str(source)], build)
    return target


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIME_MAX,
                          env=CACHED)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} ... failed:\n{done.stderr[-2000:]}")
    return done.stdout


@cache
def link_words(build: Path, program: str) -> list[str]:
    """How ninja links the program, without its own object."""
    commands = run(["ninja", "-t", "commands", "-s", program], build).strip().splitlines()
    return shlex.split(commands[-1])


def linked(build: Path, folder: Path, words: list[str], mutant_object: Path) -> Path:
    program = folder / "mutant"
    command, skip = [], False
    for word in words:
        if skip:
            skip = False
            command.append(str(program))
            continue
        if word in ("&&", ":"):
            continue
        command.append(word)
        skip = word == "-o"
    first = next(i for i, word in enumerate(command) if word.endswith(".o"))
    command.insert(first, str(mutant_object))
    run(command, build)
    return program


def judge_of(mutant: Mutant) -> str:
    return f"tests/mutants/{'request_tests' if mutant.request_test else 'mutant_driver'}"


def arguments(mutant: Mutant) -> list[str]:
    if mutant.request_test:
        return [f"--gtest_filter={mutant.request_test}"]
    return [mutant.promise, *(f"tests/scenarios/{name if '/' in name else f'pilot/{name}'}.scenario"
                              for name in mutant.scenarios)]


def judge(build: Path, number: int, mutant: Mutant) -> str | None:
    original = ROOT / "src" / mutant.file
    text = original.read_text()
    if mutant.text not in text:
        return f"{mutant.promise}: {mutant.file} has no {mutant.text!r} any more"
    folder = build / "mutants" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "mutant.cpp"
    source.write_text(text.replace(mutant.text, mutant.instead, 1))
    program = linked(build, folder, link_words(build, judge_of(mutant)),
                     compiled(build, original, source))
    done = subprocess.run([program, *arguments(mutant)], cwd=ROOT, capture_output=True,
                          text=True, timeout=TIME_MAX)
    if done.returncode < 0:
        return f"{mutant.promise}: the mutant of {mutant.file} died: {done.stderr[-500:]}"
    if done.returncode != (1 if mutant.request_test else 0):
        return f"{mutant.promise}: the mutant of {mutant.file} was not caught"
    print(f"{mutant.promise:4} caught: {done.stdout.strip().splitlines()[-1][:150]}", flush=True)
    return None


def judged(build: Path, number: int, mutant: Mutant) -> str | None:
    try:
        return judge(build, number, mutant)
    except (RuntimeError, subprocess.TimeoutExpired) as wrong:
        return f"{mutant.promise}: {mutant.file}: {wrong}"


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda one: judged(build, *one), enumerate(MUTANTS))
        missed = [result for result in results if result]
    print("\n".join(missed))
    print(f"{len(MUTANTS) - len(missed)} of {len(MUTANTS)} mutants caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
