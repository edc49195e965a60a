"""Where the embedded server knowingly differs from the real one, with the reason."""

from __future__ import annotations

from typing import NamedTuple


class Known(NamedTuple):
    """A field that is not compared, of objects of this kind."""

    kind: str
    path: str
    reason: str


KNOWN: list[Known] = [
    Known("Event", "metadata/managedFields",
          "Events of both groups are stored as core events, and so is who wrote their fields."),
    Known("CustomResourceDefinition", "metadata/managedFields",
          "A definition is served at once; no controller writes its status as a manager."),
]


class KnownCase(NamedTuple):
    """A case whose answers differ; unless it says otherwise, their status codes do not."""

    reason: str
    same_codes: bool = True


_UNTYPED = "Built-in kinds are not read into Go's types: what these do not know is kept."

KNOWN_CASES: dict[str, KnownCase] = {
    "fields that nobody knows": KnownCase(_UNTYPED, same_codes=False),
    "values of a wrong type": KnownCase(_UNTYPED, same_codes=False),
    "patches that make values of a wrong type": KnownCase(_UNTYPED, same_codes=False),
    "a body that is no json": KnownCase("The words are those of another parser."),
    "a page after a token that nobody gave": KnownCase("Tokens have another form."),
    "a fraction where a custom resource wants an integer": KnownCase(
        "The real server says the same twice, the second time without the field."),
    "a status of a custom resource that is wrong": KnownCase(
        "The real server leaves out a part of the path within the message."),
}
