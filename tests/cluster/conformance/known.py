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


class KnownCase(NamedTuple):
    """A case whose answers differ; unless it says otherwise, their status codes do not."""

    reason: str
    same_codes: bool = True


KNOWN_CASES: dict[str, KnownCase] = {
}
