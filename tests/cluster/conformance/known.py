"""Where the embedded server knowingly differs from the real one, with the reason."""

from __future__ import annotations

from typing import NamedTuple


class Known(NamedTuple):
    """A field that is not compared. `kind` is that of the object, or "*"."""

    kind: str
    path: str
    reason: str


KNOWN: list[Known] = [
]
