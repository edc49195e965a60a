"""The demo: plain lines where there is no terminal, and a terminal that is left as it was found."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from typing import Iterator

import pytest

from harness.places import sluice_binary

FAST = ["--speed", "1000"]
HIDE, SHOW, RESET = b"\x1b[?25l", b"\x1b[?25h", b"\x1b[0m"
ERASE = b"\x1b[K"


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if name not in ("NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG")}
    return {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", **variables}


def plain(*words: str) -> str:
    done = subprocess.run([str(sluice_binary()), "demo", *words], capture_output=True, text=True,
                          timeout=60, env=environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


class Terminal:
    """A demo in a terminal of its own; `shown` is everything that it wrote."""

    def __init__(self, *words: str, columns: int = 80, rows: int = 24, **variables: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen([str(sluice_binary()), "demo", *words], stdin=theirs,
                                        stdout=theirs, stderr=theirs, env=environment(**variables))
        os.close(theirs)
        self.shown = b""

    def pieces(self) -> Iterator[bytes]:
        while True:
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # how Linux says that nobody holds the other side any more
                return
            if not piece:
                return
            self.shown += piece
            yield piece

    def read_until(self, words: bytes) -> None:
        for _ in self.pieces():
            if words in self.shown:
                return
        pytest.fail(f"{words!r} was never shown in {self.shown!r}")

    def end(self) -> int:
        for _ in self.pieces():
            pass
        os.close(self._ours)
        return self.process.wait(timeout=60)


def expect_clean(shown: bytes) -> None:
    assert shown.count(HIDE) == shown.count(SHOW) == 1
    after = shown[shown.index(SHOW) + len(SHOW):]
    assert b"\x1b" not in after
    before = shown[:shown.index(SHOW)]
    assert before.endswith(RESET)


def test_without_a_terminal_there_are_plain_lines() -> None:
    text = plain(*FAST)
    assert "\x1b" not in text
    assert "gate closed: all 3 pods are behind it" in text
    assert "HookRefused" in text
    assert "kept back: partition 0, by deploy-bot" in text
    assert "RolloutCompleted" in text
    assert "0 violations" in text
    assert "sluice demo --fail" in text


def test_a_failure_is_held_and_repaired() -> None:
    text = plain(*FAST, "--fail")
    assert "CrashLoopBackOff" in text
    assert "$ kubectl -n shop delete" not in text
    assert text.index("CrashLoopBackOff") < text.index("StuckPodReplaced") < text.index(
        "RolloutCompleted")
    assert "0 violations" in text


def follows(text: str, *lines: str) -> bool:
    """Whether these lines are told in this order."""
    rest = text
    for line in lines:
        if line not in rest:
            return False
        rest = rest.split(line, 1)[1]
    return True


def test_a_version_is_made_beside_the_one_before_it() -> None:
    text = plain(*FAST, "--api", "extendedstatefulset")
    assert follows(text, "You apply another template: version 2.", "1 of 3 pods of v2 may be made",
                   "db-v2-0 (app:1.1, new) Running, ready", "3 of 3 pods of v2 may be made",
                   "VersionRemoved: v1 is not needed any more.",
                   "Ready, Idle: All 3 pods of v2 are ready.", "at least 3 pods served",
                   "0 violations", "sluice demo --api extendedstatefulset --fail"), text


def test_a_canary_that_fails_goes_and_the_version_before_it_serves() -> None:
    text = plain(*FAST, "--api", "extendedstatefulset", "--fail")
    assert follows(text, "You apply a template whose pods crash.", "db-v2-0 (app:1.1, new) Crash",
                   "RollingBack: Waiting for the pods of v2 to be gone.",
                   "Held, RolledBack: v2 failed, and v1 goes on.",
                   "You apply one that works: version 3.", "VersionRemoved: v1",
                   "Ready, Idle: All 3 pods of v3 are ready.", "at least 3 pods served",
                   "0 violations"), text
    assert "db-v2-1" not in text, "one canary and no more"


@pytest.mark.parametrize("words, version", [([], "v2"), (["--fail"], "v3")])
def test_the_last_picture_shows_the_version_that_serves(words: list[str], version: str) -> None:
    terminal = Terminal(*FAST, "--api", "extendedstatefulset", *words, NO_COLOR="1")
    assert terminal.end() == 0
    picture = terminal.shown.decode().rsplit("Sluice demo: ", 1)[1]
    assert f"revision {version}\x1b" in picture and "ready 3/3" in picture
    pods = re.findall(r"db-(v\d-\d) +current .* Running +ready ", picture)
    assert pods == [f"{version}-{ordinal}" for ordinal in (2, 1, 0)]
    assert "what you saw" in picture


def test_the_play_depends_on_the_seed_and_not_on_the_speed() -> None:
    assert plain(*FAST) == plain("--speed", "5000", "--plain")
    assert plain(*FAST) != plain(*FAST, "--seed", "7")


@pytest.mark.parametrize("words", [[], ["--fail"], ["--api", "extendedstatefulset"],
                                   ["--api", "extendedstatefulset", "--fail"]])
def test_the_terminal_is_left_clean(words: list[str]) -> None:
    terminal = Terminal("--speed", "100", *words)
    assert terminal.end() == 0
    expect_clean(terminal.shown)
    assert ERASE in terminal.shown and "━".encode() in terminal.shown
    assert b"what you saw" in terminal.shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_terminal_is_left_clean_by_whoever_stops_it(number: int) -> None:
    terminal = Terminal("--speed", "1")
    terminal.read_until(b"GATE")
    terminal.process.send_signal(number)
    assert terminal.end() == 130
    expect_clean(terminal.shown)
    assert terminal.shown.endswith(b"Stopped.\r\n")


def test_without_colour_there_is_none() -> None:
    terminal = Terminal("--speed", "100", NO_COLOR="1")
    assert terminal.end() == 0
    for code in (b"\x1b[1m", b"\x1b[2m", b"\x1b[32m", b"\x1b[33m", b"\x1b[36m"):
        assert code not in terminal.shown
    expect_clean(terminal.shown)


def test_where_the_locale_is_not_utf8_the_picture_is_ascii() -> None:
    terminal = Terminal("--speed", "100", LANG="C")
    assert terminal.end() == 0
    terminal.shown.decode("ascii")
    assert b"[ GATE" in terminal.shown


@pytest.mark.parametrize("columns, rows, variables, words", [
    (59, 24, {}, []), (80, 10, {}, []), (80, 24, {"TERM": "dumb"}, []), (80, 24, {}, ["--plain"]),
])
def test_where_no_picture_fits_there_are_plain_lines(columns: int, rows: int,
                                                     variables: dict[str, str],
                                                     words: list[str]) -> None:
    terminal = Terminal(*FAST, *words, columns=columns, rows=rows, **variables)
    assert terminal.end() == 0
    assert b"\x1b" not in terminal.shown
    assert b"RolloutCompleted" in terminal.shown
