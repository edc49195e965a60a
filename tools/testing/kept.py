"""Results of suites that follow from their program and their data alone.

What passed is remembered by digest in a cache outside the tree; losing it costs time, nothing else.
A failure is never remembered.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

_AGE_MAX_SECONDS = 60 * 24 * 3600


def cache_folder() -> Path:
    base = os.environ.get("SLUICE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "sluice")
    return Path(base)


def digest_of(words: Iterable[str], files: Iterable[Path], root: Path) -> str:
    """Of the words and of the names below `root` and contents of the files."""
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode() + b"\0")
    for file in files:
        name = file.relative_to(root) if file.is_relative_to(root) else file
        digest.update(str(name).encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


class Kept:
    """`fresh`: nothing that was kept counts, and what passes is kept all the same."""

    def __init__(self, folder: Path, fresh: bool = False) -> None:
        self._folder = folder
        self._fresh = fresh

    def has(self, digest: str) -> bool:
        return not self._fresh and (self._folder / digest).exists()

    def keep(self, digest: str, name: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / digest).write_text(name + "\n")

    def forget_old(self, now: float | None = None) -> None:
        now = time.time() if now is None else now
        for file in self._folder.glob("*"):
            if now - file.stat().st_mtime > _AGE_MAX_SECONDS:
                file.unlink(missing_ok=True)
