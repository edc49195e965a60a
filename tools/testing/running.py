"""Runs suites side by side, shows how far they are, and keeps what each of them cost.

A suite is a command. Its output goes to a log, which is shown only if it fails, together with the
commands that repeat just what failed. A failure ends nothing but itself.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .again import commands_to_repeat
from .kept import Kept

_TAIL_LINES = 150
# What tools/build, tools/lint, the programs that play worlds, and pytest say of it.
_PROGRESS = re.compile(r"^(?:building|built|checked|played) .*$|\[ *\d+%\]$", re.MULTILINE)
_POLL_SECONDS = 0.05
_STATUS_SECONDS = 30.0
_STATUS_SECONDS_ON_A_TERMINAL = 1.0


@dataclass(frozen=True)
class Suite:
    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    seconds_max: float = 3600
    digest: str | None = None  # of all that the result depends on; None: it is never kept
    nice: int = 10
    folder: Path | None = None  # where it runs; None: in the tree
    root: Path | None = None    # what a relative program is relative to, if it runs elsewhere


class Row(NamedTuple):
    name: str
    state: str  # ok, FAIL or unchanged
    wall: float
    cpu: float


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


class _Running:
    """A suite that has been started, in a session of its own."""

    def __init__(self, suite: Suite, folder: Path) -> None:
        self.suite = suite
        self.begun = time.monotonic()
        handle, name = tempfile.mkstemp(prefix="sluice-suite-", suffix=".log")
        self.log = Path(name)
        with os.fdopen(handle, "wb") as out:
            self._child = subprocess.Popen(
                ["nice", "-n", str(suite.nice), *self._command()], cwd=suite.folder or folder,
                stdout=out,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, **suite.env})
        self._step_back()

    def _step_back(self) -> None:
        """Where the kernel shares cores out by session, priorities count within one session only;
        that of the session is set here."""
        try:
            Path(f"/proc/{self._child.pid}/autogroup").write_text(str(self.suite.nice))
        except OSError:
            pass  # a kernel without such groups, or a suite that is over already

    def _command(self) -> list[str]:
        program, *rest = self.suite.command
        if self.suite.root and "/" in program:
            program = str(self.suite.root / program)
        return [program, *rest]

    @property
    def wall(self) -> float:
        return time.monotonic() - self.begun

    def wait(self) -> tuple[bool, float]:
        """Whether it passed, and the CPU seconds of it and of all that it waited for."""
        while True:
            pid, status, usage = os.wait4(self._child.pid, os.WNOHANG)
            if pid:
                break
            if self.wall > self.suite.seconds_max:
                with open(self.log, "a", encoding="utf-8") as out:
                    out.write(f"\nended after {duration(self.suite.seconds_max)}\n")
                self.kill()
            time.sleep(_POLL_SECONDS)
        self._child.returncode = os.waitstatus_to_exitcode(status)
        self.kill()  # what it left behind
        return self._child.returncode == 0, usage.ru_utime + usage.ru_stime

    def kill(self) -> None:
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def progress(self) -> str:
        """The last line that it wrote that tells how far it is; nothing, if there is none."""
        told = _PROGRESS.findall(self.log.read_text(errors="replace")[-4000:])
        return f": {told[-1][:60]}" if told else ""


class Runner:
    """run() from as many threads as there are lanes; finish() once, at the end."""

    def __init__(self, folder: Path, kept: Kept, say: Callable[[str], None] | None = None) -> None:
        self._folder = folder
        self._kept = kept
        self._say = say or (lambda text: print(text, flush=True))
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}
        self._rows: list[Row] = []
        self._begun = time.monotonic()
        self._over = threading.Event()
        self._on_terminal = sys.stdout.isatty() and say is None
        self._status = threading.Thread(target=self._tell_status, daemon=True)
        self._status.start()

    @property
    def rows(self) -> list[Row]:
        return list(self._rows)

    def run(self, suite: Suite) -> bool:
        if suite.digest and self._kept.has(suite.digest):
            return self._record(Row(suite.name, "unchanged", 0, 0))
        one = _Running(suite, self._folder)
        with self._lock:
            self._running[suite.name] = one
        passed, cpu = one.wait()
        with self._lock:
            del self._running[suite.name]
        if passed and suite.digest:
            self._kept.keep(suite.digest, suite.name)
        self._record(Row(suite.name, "ok" if passed else "FAIL", one.wall, cpu),
                     "" if passed else self._complaint(suite, one.log))
        one.log.unlink()
        return passed

    def fail(self, name: str, why: str) -> None:
        """For a suite that could not even be started."""
        self._record(Row(name, "FAIL", 0, 0), why)

    def finish(self, times: Path) -> int:
        """The table of times, the total and the closing line; the exit code."""
        self._over.set()
        self._status.join()
        failed = [row for row in self._rows if row.state == "FAIL"]
        wall, cpu = time.monotonic() - self._begun, sum(row.cpu for row in self._rows)
        times.parent.mkdir(parents=True, exist_ok=True)
        lines = [*self._rows, Row("total", "FAIL" if failed else "ok", wall, cpu)]
        times.write_text("suite\tstate\twall_seconds\tcpu_seconds\n" + "".join(
            f"{row.name}\t{row.state}\t{row.wall:.1f}\t{row.cpu:.1f}\n" for row in lines))
        self._say(f"total: {duration(wall)}, {duration(cpu)} of CPU time; {times} has the rest")
        for row in failed:
            self._say(f"failed: {row.name}")
        self._say(f"{len(self._rows) - len(failed)} passed, {len(failed)} failed")
        return 1 if failed else 0

    def kill(self) -> None:
        """Ends everything that runs, for a runner that is ended itself."""
        with self._lock:
            for one in self._running.values():
                one.kill()

    def _record(self, row: Row, complaint: str = "") -> bool:
        with self._lock:
            self._rows.append(row)
            cost = "" if row.state == "unchanged" else f"{row.wall:6.0f} s {row.cpu:6.0f} s CPU"
            self._print(f"{row.state:<9} {row.name:<32}{cost}".rstrip())
            if complaint:
                self._print(complaint)
        return row.state != "FAIL"

    def _complaint(self, suite: Suite, log: Path) -> str:
        text = log.read_text(errors="replace")
        tail = "\n".join(text.splitlines()[-_TAIL_LINES:])
        again = commands_to_repeat(suite.command, suite.env, text)
        return "\n".join([tail, *(f"again: {one}" for one in again)])

    def _print(self, text: str) -> None:
        self._say(f"\r\x1b[K{text}" if self._on_terminal else text)

    def _tell_status(self) -> None:
        every = _STATUS_SECONDS_ON_A_TERMINAL if self._on_terminal else _STATUS_SECONDS
        while not self._over.wait(every):
            with self._lock:
                parts = [f"{one.suite.name} ({duration(one.wall)}){one.progress()}"
                         for one in self._running.values()]
                if not parts:
                    continue
                text = f"...       {' · '.join(parts)}"
                if self._on_terminal:
                    width = os.get_terminal_size().columns
                    print(f"\r\x1b[K{text[:width - 1]}", end="", flush=True)
                else:
                    self._say(text)

