"""A child process that cannot outlive the test run.

It ends when it is told to, when the interpreter exits, and when the interpreter is killed: the
kernel then sends it SIGKILL. That last promise is bound to the thread that started the child, so
children are started from threads that live as long as the child should.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
from pathlib import Path
from typing import Mapping, Sequence

from .failure import HarnessError
from .waiting import wait_for

_LOG_TAIL_LINES = 20

# The signal is armed before the parent is compared: a parent that died in between is noticed.
_TIED_TO_PARENT = ("setpriv", "--pdeathsig", "KILL", "--",
                   "sh", "-c", 'test "$PPID" = "$0" && exec "$@"', str(os.getpid()))

_running: set["Process"] = set()


class Process:
    def __init__(self, name: str, argv: Sequence[str], log: Path,
                 env: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.log = log
        with open(log, "ab") as out:
            self._child = subprocess.Popen(
                [*_TIED_TO_PARENT, *argv],
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                env=None if env is None else {**os.environ, **env}, start_new_session=True)
        _running.add(self)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """Negative for a signal, as in subprocess; None while it runs."""
        return self._child.poll()

    def is_running(self) -> bool:
        return self.exit_code is None

    def require_running(self) -> None:
        if not self.is_running():
            raise HarnessError(f"{self.name} ended with exit code {self.exit_code}; "
                               f"its log {self.log} ends with:\n{self.log_tail()}")

    def log_tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_LOG_TAIL_LINES:])

    def signal(self, number: signal.Signals) -> None:
        if self.is_running():
            self._child.send_signal(number)

    def sigstop(self) -> None:
        """Returns when no thread of the process runs any more."""
        self.signal(signal.SIGSTOP)
        wait_for(f"{self.name} to stand still", self._thread_states, lambda seen: seen <= {"T"})

    def sigcont(self) -> None:
        self.signal(signal.SIGCONT)

    def kill9(self) -> int:
        self.signal(signal.SIGKILL)
        return self._reap(deadline=30)

    def terminate(self, deadline: float = 90) -> int:
        """Asks with SIGTERM; a process that has not ended by the deadline is an error."""
        self.signal(signal.SIGTERM)
        self.sigcont()
        return self._reap(deadline)

    def wait(self, deadline: float = 60) -> int:
        """The exit code of a process that is expected to end by itself."""
        return self._reap(deadline)

    def _thread_states(self) -> set[str]:
        files = Path(f"/proc/{self.pid}/task").glob("*/stat")
        return {file.read_text().rsplit(")", 1)[1].split()[0] for file in files}

    def _reap(self, deadline: float) -> int:
        try:
            code = self._child.wait(deadline)
        except subprocess.TimeoutExpired:
            raise HarnessError(f"{self.name} (pid {self.pid}) was still running after "
                               f"{deadline:g} s; its log {self.log} ends with:\n"
                               f"{self.log_tail()}") from None
        _running.discard(self)
        return code


@atexit.register
def _kill_what_is_left() -> None:
    for process in list(_running):
        process.kill9()
