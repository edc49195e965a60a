"""Waiting for the world: look at it until it is as wanted, or say what was seen instead."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, TypeVar

from .failure import DeadlineExceeded

T = TypeVar("T")

DEADLINE = 240.0
_PAUSE = 0.05
_SHOWN_CHARACTERS_MAX = 4000


def wait_for(what: str, look: Callable[[], T], until: Callable[[T], Any] = bool,
             deadline: float = DEADLINE, pause: float = _PAUSE) -> T:
    """Calls look() until until(state) is true and returns that state.

    A look that fails with an OSError (every error of the API client is one) counts as "not yet",
    since servers restart in these tests.
    """
    end = time.monotonic() + deadline
    while True:
        seen: Any
        try:
            seen = look()
            if until(seen):
                return seen
        except OSError as error:
            seen = error
        if time.monotonic() > end:
            raise DeadlineExceeded(f"Waited {deadline:g} s for {what}. "
                                   f"Last seen: {_shown(seen)}")
        time.sleep(pause)


def stays(what: str, look: Callable[[], T], true: Callable[[T], Any], seconds: float = 3.0) -> T:
    """Fails as soon as true(look()) is false; passes after watching for some seconds."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if not true(seen):
            raise AssertionError(f"It did not stay so that {what}. Seen: {_shown(seen)}")
        if time.monotonic() > end:
            return seen
        time.sleep(_PAUSE)


def _shown(state: Any) -> str:
    try:
        text = json.dumps(state, indent=1, default=repr)
    except TypeError:
        text = repr(state)
    return text if len(text) <= _SHOWN_CHARACTERS_MAX else text[:_SHOWN_CHARACTERS_MAX] + " ..."
