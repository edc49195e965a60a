"""What two servers can agree on: answers without what each of them makes up by itself."""

from __future__ import annotations

import json
import re
from typing import Any, Callable

from .known import KNOWN
from .talk import Talk

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b")
_VERSION = re.compile(r'("resourceVersion": ")(\d+)(")')
_VERSION_SAID = re.compile(r"(ResourceVersion in [a-z ]+ \()(\d+)(\))")


def transcript(talk: Talk) -> str:
    """Text that two servers share exactly if they answer alike."""
    steps = [{"request": request, "status": answer.status, "warnings": answer.warnings,
              "answer": _without_known(_plain(answer.body))} for request, answer in talk.answers]
    text = json.dumps(steps, indent=1, sort_keys=True, ensure_ascii=False)
    for generated, stands_for in _generated_names(talk):
        text = text.replace(generated, stands_for)
    text = text.replace(talk.namespace, "<namespace>")
    for word, stands_for in talk.server.words.items():
        text = text.replace(word, stands_for)
    text = _MICRO_TIME.sub("<micro time>", text)
    text = _TIME.sub("<time>", text)
    text = _lettered(_UID, "uid", text)
    text = _lettered(_ADDRESS, "address", text)
    versions = _Letters("version")
    for pattern in (_VERSION, _VERSION_SAID):
        text = pattern.sub(lambda m: m[1] + versions.of(m[2]) + m[3], text)
    return text


class _Letters:
    """A, B, C in the order of appearance."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._seen: dict[str, str] = {}

    def of(self, value: str) -> str:
        letter = chr(ord("A") + len(self._seen) % 26)
        return self._seen.setdefault(value, f"<{self._noun} {letter}>")


def _lettered(pattern: re.Pattern[str], noun: str, text: str) -> str:
    letters = _Letters(noun)
    return pattern.sub(lambda found: letters.of(found[0]), text)


def _generated_names(talk: Talk) -> list[tuple[str, str]]:
    """Names that a server completed, with what stands for them."""
    found: list[tuple[str, str]] = []

    def look(value: Any) -> None:
        meta = value.get("metadata") if isinstance(value, dict) else None
        if isinstance(meta, dict) and meta.get("generateName") and meta.get("name"):
            prefix = meta["generateName"]
            if re.fullmatch(re.escape(prefix) + "[a-z0-9]{5}", meta["name"]):
                found.append((meta["name"], prefix + "<suffix>"))

    for _, answer in talk.answers:
        _walk(answer.body, look)
    return found


def _plain(body: Any) -> Any:
    """Lists have a version of their own that moves with whatever else happens in a cluster."""
    if not isinstance(body, dict):
        return body
    if "items" in body or body.get("kind") in ("Table",):
        meta = {key: "<set>" for key in body.get("metadata", {})}
        return {**body, "metadata": meta}
    return body


def _without_known(body: Any) -> Any:
    def strip(value: Any) -> None:
        if not isinstance(value, dict):
            return
        for known in KNOWN:
            if known.kind in ("*", value.get("kind")):
                _drop(value, known.path.split("/"))

    copy = json.loads(json.dumps(body))
    _walk(copy, strip)
    _walk(copy, _sort_managers)
    return copy


def _sort_managers(value: Any) -> None:
    """A server sorts them by the second of their last write."""
    if isinstance(value, dict) and isinstance(value.get("managedFields"), list):
        value["managedFields"].sort(key=lambda entry: [
            entry.get(key, "") for key in ("manager", "operation", "subresource", "apiVersion")])


def _drop(value: Any, path: list[str]) -> None:
    for key in path[:-1]:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        value.pop(path[-1], None)


def _walk(value: Any, visit: Callable[[Any], None]) -> None:
    visit(value)
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for child in children:
            _walk(child, visit)
