"""The commands that repeat just what failed, read from the log of a suite."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

_COMMANDS_MAX = 5
_NAMES_MAX = 12

# A suite may say by itself how a failure is seen again.
_OWN = re.compile(r"^\s*again: (.+)$", re.MULTILINE)
_GTEST = re.compile(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", re.MULTILINE)
_PYTEST = re.compile(r"^(?:FAILED|ERROR) (\S+\.py(?:::\S+)?)", re.MULTILINE)


def _distinct(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def commands_to_repeat(command: Sequence[str], env: Mapping[str, str], log: str) -> list[str]:
    own = _distinct(_OWN.findall(log))
    if own:
        return own[:_COMMANDS_MAX]
    setting = "".join(f"{name}={shlex.quote(value)} " for name, value in env.items())
    tests = _distinct(_GTEST.findall(log))
    if tests and len(tests) <= _NAMES_MAX:
        return [f"{setting}{command[0]} --gtest_filter={':'.join(tests)}"]
    files = _distinct(_PYTEST.findall(log))
    if files and len(files) <= _NAMES_MAX and "pytest" in command:
        words = [word for word in command if not word.startswith("tests/")]
        return [f"{setting}{shlex.join([*words, *files])}"]
    return [setting + shlex.join(command)]
