"""plant.py on a small source: what it changes, what it leaves alone, and that a copy without a
chosen mutant is the original."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CHANGED = """
#include <chrono>
#include <optional>
#include <string>
using namespace std::chrono_literals;
namespace {
constexpr int wanted_max = 7;
constexpr std::chrono::milliseconds pace = 30s;
}
struct Count {
    int value;
    auto operator<=>(const Count&) const = default;
};
int decide(int wanted, Count ready, std::optional<int> told, std::string word) {
    int sum = 0;
    if (ready < Count{wanted}) sum += 1;
    if (word != "go" && !word.empty()) sum += 10;
    if (const auto now = told) sum += now.value_or(70);
    for (int i = 0; i < wanted; ++i) sum = sum * 3;
    const bool is_late = pace >= 30s;
    sum += is_late ? 1000 : 2000;
    return wanted_max - sum;
}
"""

LEFT_ALONE = """
#include <array>
#include <string>
#include <vector>
#include "base/assert.hpp"
constexpr int twice(int n) { return n > 3 ? n * 2 : 1 + n; }
static_assert(twice(1) == 2);
template <int n> int filled() { return n; }
const bool ready = twice(2) == 3;
void log(const std::string&);
std::size_t quiet(int n) {
    SLUICE_ASSERT(n > 0 && n < 9);
    static const bool odd = twice(3) != 6;
    constexpr int bound = 3 + 4;
    std::array<int, 2 + 3> row{};
    std::vector<int> room;
    room.reserve(row.size() + 1);
    log(std::to_string(n + 1));
    switch (n) {
        case 1 + 1: return row.size();
        default: break;
    }
    if constexpr (bound > 3) return sizeof(odd);
    else return filled<5>();
}
"""


def planted(folder: Path, text: str, first: int = 1) -> tuple[Path, list[dict]]:
    source, copy = folder / "source.cpp", folder / "copy.cpp"
    source.write_text(text)
    subprocess.run([sys.executable, "-B", ROOT / "tests/mutation/plant.py", source, copy,
                    str(first)], check=True)
    return copy, json.loads(Path(f"{copy}.json").read_text())


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    _, table = planted(tmp_path_factory.mktemp("changed"), CHANGED)
    return [f"{one['kind']}: {one['original']} -> {one['instead']}" for one in table]


@pytest.mark.parametrize("change", [
    "branch: ready < Count{wanted} -> true",
    "branch: ready < Count{wanted} -> false",
    "relation: ready < Count{wanted} -> ready <= Count{wanted}",
    "drop: sum += 1 -> ",
    'logic: word != "go" && !word.empty() -> word != "go" || !word.empty()',
    'relation: word != "go" -> word == "go"',
    "logic: !word.empty() -> word.empty()",
    "branch: const auto now = told -> false",
    "branch: i < wanted -> false",
    "relation: i < wanted -> i <= wanted",
    "sum: sum * 3 -> sum + 3",
    "relation: pace >= 30s -> pace > 30s",
    "bound: pace -> pace + 1s",
    "bound: 30s -> 30s + 1s",
    "branch: is_late -> true",
    "bound: 2000 -> 2000 + 1",
    "bound: wanted_max -> wanted_max + 1",
    "sum: wanted_max - sum -> wanted_max + sum",
])
def test_every_kind_of_change_is_planted(changes: list[str], change: str) -> None:
    assert change in changes


def test_what_the_compiler_or_an_assertion_needs_is_left_alone(tmp_path: Path) -> None:
    copy, table = planted(tmp_path, LEFT_ALONE)
    assert table == []
    assert copy.read_text().split("\n", 2)[2] == LEFT_ALONE


def test_the_copy_is_the_original_until_a_mutant_is_chosen(tmp_path: Path) -> None:
    copy, table = planted(tmp_path, CHANGED)
    with copy.open("a") as file:
        file.write("""
#include <cstdio>
int main() {
    for (int n = 0; n <= %d; ++n) {
        sluice::mutation::chosen = n;
        std::printf("%%d %%d %%d %%d\\n", decide(2, {2}, 5, "go"), decide(2, {1}, {}, "wait"),
                    decide(0, {1}, 0, ""), decide(1, {1}, 3, "stay"));
    }
}
""" % len(table))
    program = tmp_path / "program"
    subprocess.run(["clang++-19", "-std=c++23", "-w", f"-I{ROOT}", copy, "-o", program], check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
    assert said[0] == "-1038 -1092 -993 -1032"
    # Numbers that nobody uses, and what is so already.
    unseen = [one["instead"] for one, line in zip(table, said[1:]) if line == said[0]]
    assert sorted(unseen) == ["2000 + 1", "70 + 1", "pace + 1s", "true"]
