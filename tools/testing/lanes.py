"""Lanes run beside one another; what stands in one lane runs one after the other."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Sequence

from .running import Runner

Lane = Callable[[Runner], None]


class Gate:
    """Something that one lane makes and others wait for: it is open from then on."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def open(self, _runner: Runner | None = None) -> None:
        self._event.set()

    def wait(self) -> None:
        self._event.wait()


def in_lanes(runner: Runner, lanes: Sequence[Lane]) -> None:
    def go(lane: Lane) -> None:
        try:
            lane(runner)
        except Exception:  # a mistake in the plan is a failure, and hides no other lane
            runner.fail(getattr(lane, "__name__", "lane"), traceback.format_exc())

    threads = [threading.Thread(target=go, args=(lane,)) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # so that signals are heard
