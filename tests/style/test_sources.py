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
# Words that begin what looks like a variable and is none.
NO_VARIABLE = {"class", "concept", "enum", "namespace", "struct", "template", "union", "using"}
# Who may catch what an assertion throws, which is to end the process.
SURVIVORS = {"controller/carry_out.cpp": "a decision that is not made changes nothing",
             "cli/serving.cpp": "throws it on"}
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


def declared_words(line: str) -> list[str]:
    """The words before the name of a variable; none if the line declares no variable."""
    before = ""
    while before != line:  # what templates are given does not count
        before, line = line, re.sub(r"<[^<>]*>", "", line)
    found = re.match(r" *((?:[\w:]+[*&]* )+)[\w:]+(?:\[\w*\])? ?[=;{](?!\()", line)
    return found.group(1).split() if found else []


def state_in(text: str) -> list[str]:
    """The lines that declare what outlives a call and can change."""
    found = []
    for line in text.splitlines():
        words = declared_words(line)
        pointers = [at for at, word in enumerate(words) if word.endswith("*")]
        is_constant = "constexpr" in words or "const" in words[max(pointers, default=-1) + 1:]
        is_lasting = "static" in words or not line.startswith(" ")
        if "thread_local" in line or (words and words[0] not in NO_VARIABLE and is_lasting
                                      and not is_constant):
            found.append(line.strip())
    return found


def test_the_pure_half_has_no_input_output_clock_thread_or_state() -> None:
    pure = {name for name, (half, _) in layers().items() if half == "pure"}
    wrong = []
    for path in SOURCES:
        inner = path.relative_to(ROOT / "src")
        text = path.read_text()
        if inner.parts[0] in pure:
            wrong += [f"{inner}: {found.group(0)}" for rule in (IO_HEADERS, CLOCK)
                      for found in rule.finditer(text)]
            wrong += [f"{inner}: {line}" for line in state_in(text)]
    assert wrong == []


def test_there_is_one_thread() -> None:
    """So no race can be: make test leaves the sanitizer of threads to make test-deep."""
    threads = re.compile(r"std::(jthread|thread|async|mutex|shared_mutex|condition_variable)\b|"
                         r"\bpthread_create\b|#include <(future|mutex|atomic)>")
    assert [f"{path.relative_to(ROOT)}: {found.group(0)}" for path in SOURCES
            for found in threads.finditer(path.read_text())] == []


@pytest.mark.parametrize("text", [
    "thread_local int depth = 0;", "    thread_local std::map<int, int> kept;",
    "    static int calls = 0;", "    static std::map<std::string, int> kept;",
    "    static std::vector<int> seen{1, 2};", "    inline static bool is_ready = false;",
    "static Cache cache = made();", "    static const char* last = nullptr;",
    "int counter = 0;", "std::vector<std::string> names;", "inline std::string last{};",
    "Cache* cache = nullptr;", "int counts[4] = {};"])
def test_state_that_outlives_a_call_is_found(text: str) -> None:
    assert state_in(f"namespace {{\n\n{text}\n\n}}") == [text.strip()]


@pytest.mark.parametrize("text", [
    "    static const std::string nothing;", "    static constexpr std::array units = {1};",
    "    static const Steersman& of(const std::string& claim);", "constexpr int depth = 3;",
    "    static const char* const names[] = {};", "    static Result<Pattern> compiled(Text text);",
    "inline constexpr std::size_t most = 4;", "inline const std::string admin = \"a\";",
    "const Table table = made();", "    int count = 0;", "bool is_word(char c) {",
    "Result<int> read(std::string_view text, int most = 3);", "struct Tree;", "enum class Kind {",
    "static_assert(sizeof(int) == 4);", "using Names = std::vector<std::string>;"])
def test_what_cannot_change_is_no_state(text: str) -> None:
    assert state_in(f"namespace {{\n\n{text}\n\n}}") == []


def test_a_failed_assertion_is_caught_by_nobody_else() -> None:
    broad = re.compile(r"catch \((\.\.\.|const (std::exception|std::logic_error|AssertionFailed)&)")
    assert {str(path.relative_to(ROOT / "src")) for path in SOURCES
            if broad.search(path.read_text())} == set(SURVIVORS)


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
