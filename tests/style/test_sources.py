"""Rules of STYLE.md that a program can check, on every source that git knows or would add."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 75
FILE_LINES_MAX = 450

# What only the lower half may include: sockets, files, clocks, threads, randomness, processes.
IO_HEADERS = re.compile(
    r"#include <(boost/(asio|beast)|curl/|openssl/|spdlog/|prometheus/|sys/|netinet/|arpa/"
    r"|unistd\.h|fcntl\.h|poll\.h|signal\.h|csignal|thread|mutex|condition_variable|future"
    r"|random|fstream|iostream|filesystem|cstdio|ctime)")
CLOCK = re.compile(r"system_clock|steady_clock|gettimeofday|clock_gettime|std::time\(|std::rand")
EXCEPTIONS = {"base/assert.cpp": "an assertion that failed says so before the process ends"}
MARKS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def files(*patterns: str) -> list[Path]:
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT,
                         capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in out.splitlines() if (ROOT / line).exists()]


def layers() -> dict[str, tuple[str, set[str]]]:
    table = {}
    for line in (ROOT / "src/layers.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, half, below = (part.strip() for part in line.split("|"))
            table[name] = (half, set(below.split()))
    return table


SOURCES = files("src/*.cpp", "src/*.hpp")
TEST_SOURCES = files("tests/*.cpp", "tests/*.hpp", "bench/*.cpp", "bench/*.hpp", "examples/*.cpp",
                     "examples/*.hpp")


def test_every_include_follows_the_layer_table() -> None:
    table = layers()
    wrong = []
    for path in SOURCES:
        layer = path.relative_to(ROOT / "src").parts[0]
        for target in re.findall(r'#include "([^"]+)"', path.read_text()):
            other = target.split("/")[0]
            if other != layer and other not in table[layer][1]:
                wrong.append(f"{path.relative_to(ROOT)} includes {target}")
    assert wrong == []


def test_layers_form_no_circle() -> None:
    table = layers()
    seen: set[str] = set()
    for name, (_, below) in table.items():
        assert below <= seen, f"{name} may include {below - seen}, which stand below it"
        seen.add(name)


def test_the_pure_half_has_no_input_output_clock_or_thread() -> None:
    pure = {name for name, (half, _) in layers().items() if half == "pure"}
    wrong = []
    for path in SOURCES:
        inner = path.relative_to(ROOT / "src")
        text = path.read_text()
        if inner.parts[0] in pure and str(inner) not in EXCEPTIONS:
            wrong += [f"{inner}: {found.group(0)}" for rule in (IO_HEADERS, CLOCK)
                      for found in rule.finditer(text)]
    assert wrong == []


def test_the_engine_knows_no_api() -> None:
    words = re.compile(r"setWeight|canaries|PhasedRollout|RolloutPlugin|StatefulCluster|skipCheck")
    wrong = [str(path.relative_to(ROOT)) for path in SOURCES
             if path.relative_to(ROOT / "src").parts[0] not in ("api", "sim")
             and words.search(path.read_text())]
    assert wrong == []


def test_sources_are_formatted() -> None:
    done = subprocess.run(["clang-format-19", "--dry-run", "--Werror",
                           *map(str, SOURCES + TEST_SOURCES)],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, "run `make format`:\n" + done.stderr[:2000]


def test_headers_say_what_they_promise() -> None:
    wrong = [str(path.relative_to(ROOT)) for path in SOURCES if path.suffix == ".hpp"
             and not (path.read_text().startswith("// ") and "#pragma once" in path.read_text())]
    assert wrong == []


def test_files_and_lines_are_short() -> None:
    wrong = []
    for path in SOURCES + files("tests/*.py", "tools/*.py"):
        lines = path.read_text().splitlines()
        wrong += [f"{path.relative_to(ROOT)}:{number}" for number, line in enumerate(lines, 1)
                  if len(line) > COLUMNS_MAX]
        if len(lines) > FILE_LINES_MAX and path.suffix != ".py":
            wrong.append(f"{path.relative_to(ROOT)}: {len(lines)} lines")
    assert wrong == []


def function_lengths(text: str) -> list[tuple[int, int]]:
    """(first line, lines) of every function body that starts in column 0 and ends with a brace."""
    lengths, start = [], None
    for number, line in enumerate(text.splitlines(), 1):
        opens = line.endswith("{") and line[:1] not in (" ", "}", "#", "/", "")
        if opens and "(" in line + " " and not re.match(r"(namespace|struct|class|enum)\b", line):
            start = number
        elif line == "}" and start is not None:
            lengths.append((start, number - start + 1))
            start = None
    return lengths


def test_functions_fit_a_screen() -> None:
    wrong = [f"{path.relative_to(ROOT)}:{start}: {length} lines" for path in SOURCES
             for start, length in function_lengths(path.read_text()) if length > FUNCTION_LINES_MAX]
    assert wrong == []


def test_nothing_is_left_unfinished() -> None:
    ours = [path for path in SOURCES + TEST_SOURCES + files("deploy/*", "tools/*", "tests/*.py")
            if path.resolve() != Path(__file__).resolve()]
    wrong = [f"{path.relative_to(ROOT)}: {found.group(0)}" for path in ours
             for found in MARKS.finditer(path.read_text(errors="replace"))]
    assert wrong == []


@pytest.mark.parametrize("words", ["GTEST_SKIP", "DISABLED_", "pytest.skip", "mark.skip"])
def test_no_test_is_skipped(words: str) -> None:
    ours = [path for path in TEST_SOURCES + files("tests/*.py")
            if path.resolve() != Path(__file__).resolve()]
    assert [str(path.relative_to(ROOT)) for path in ours if words in path.read_text()] == []
