"""How the harness says that something is wrong: one sentence, no skip."""

from __future__ import annotations


class HarnessError(Exception):
    """The test's surroundings are broken: a missing binary, a process that did not start."""


class DeadlineExceeded(AssertionError):
    """The world did not come to the awaited state."""
