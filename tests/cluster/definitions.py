"""What the tests of definitions of kinds have in common: examples, changes of them, refusals."""

from __future__ import annotations

import copy
import re
from typing import Any, Callable, Iterable

import pytest
import yaml

from harness.api import Api, ApiError, Object
from harness.places import REPOSITORY
from harness.waiting import wait_for

GONE = object()  # the field is left out


def name_of(case: Any) -> str:
    """Of a case in the list of a parametrised test: by its values, not by its sentences."""
    return str(case)[:60] if not isinstance(case, str) else ""


def serve(api: Api, name: str, kind: str) -> None:
    """Applies the definition from its file and waits until the kind is served."""
    api.kubectl("apply", "-f", str(REPOSITORY / f"deploy/crds/{name}.yaml"))
    wait_for(f"{kind}s to be served", lambda: api.list(kind) is not None)


def examples_in(page: str, kind: str) -> list[Object]:
    """The objects of that kind that a page of ours shows, in the namespace default."""
    text = (REPOSITORY / page).read_text()
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    shown = [one for one in blocks if one["kind"] == kind]
    assert shown
    for one in shown:
        one["metadata"]["namespace"] = "default"
    return shown


def put(obj: Object, path: list[str], value: Any) -> None:
    for key in path[:-1]:
        obj = obj[key]
    if value is GONE:
        obj.pop(path[-1], None)
    else:
        obj[path[-1]] = copy.deepcopy(value)


def changed_object(example: str, values: dict[str, Any]) -> Object:
    """The example with fields put in or, GONE, out; a path is as in spec.check.url."""
    whole = yaml.safe_load(example)
    for path, value in values.items():
        put(whole, path.split("."), value)
    return whole


def refusal_of(write: Callable[[], Any]) -> str:
    """What the refusal says, without the name of the object."""
    with pytest.raises(ApiError) as refused:
        write()
    assert refused.value.status == 422, refused.value
    return refused.value.message.split(" is invalid: ", 1)[1]


def refusal(api: Api, obj: Object) -> str:
    return refusal_of(lambda: api.create(obj, dry_run=True))


def refusal_of_change(api: Api, obj: Object, change: Object) -> str:
    """The same of a merge patch of an object that is there."""
    meta = obj["metadata"]
    return refusal_of(lambda: api.patch(obj["kind"], meta["name"], change, meta["namespace"],
                                        dry_run=True))


def schema_of(api: Api, name: str) -> Object:
    definition = api.get("CustomResourceDefinition", name)
    return definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def assert_refused(api: Api, obj: Object, field: str, sentence: str) -> None:
    said = refusal(api, obj)
    assert f"{field}: " in said and sentence in said


def assert_is_one_sentence(said: str, field: str, sentence: str) -> None:
    assert said.startswith(f"{field}: Invalid value: ") and sentence in said
    assert said.count("Invalid value: ") == 1, said


def assert_one_sentence(api: Api, obj: Object, field: str, sentence: str) -> None:
    assert_is_one_sentence(refusal(api, obj), field, sentence)


def assert_every_rule_speaks(api: Api, name: str, objects: Iterable[Object],
                             of_changes: Iterable[str] = ()) -> None:
    """Of the definition of that name, each rule refuses one of the objects, or has refused one of
    the changes."""
    said = "\n".join([*(refusal(api, obj) for obj in objects), *of_changes])
    rules = rules_in(schema_of(api, name))
    assert rules and [rule["message"] for rule in rules if rule["message"] not in said] == []


def assert_bounded_and_described(api: Api, name: str) -> None:
    """Of the definition of that name, every field has a bound, and every setting a description."""
    parts = schema_of(api, name)["properties"]
    assert unbounded(parts["spec"], "spec") + unbounded(parts["status"], "status") == []
    assert undescribed(parts["spec"], "spec") == []


def inner_of(schema: Object) -> dict[str, Object]:
    inner = {f".{name}": part for name, part in schema.get("properties", {}).items()}
    for key in ("items", "additionalProperties"):
        if key in schema:
            inner["[]"] = schema[key]
    return inner


def rules_in(schema: Object) -> list[Object]:
    return schema.get("x-kubernetes-validations", []) + [
        rule for part in inner_of(schema).values() for rule in rules_in(part)]


def unbounded(schema: Object, path: str) -> list[str]:
    kind = "string" if schema.get("x-kubernetes-int-or-string") else schema.get("type")
    bounds = {"string": ("maxLength", "enum", "format"), "array": ("maxItems",),
              "integer": ("minimum",)}.get(kind, ())
    found = [path] if bounds and not any(bound in schema for bound in bounds) else []
    if path.startswith("spec") and kind == "integer" and "maximum" not in schema:
        found.append(path)
    if "additionalProperties" in schema and "maxProperties" not in schema:
        found.append(path)
    return found + [inner for key, part in inner_of(schema).items()
                    for inner in unbounded(part, path + key)]


def undescribed(schema: Object, path: str) -> list[str]:
    found = [] if schema.get("description") or path.endswith("[]") else [path]
    return found + [inner for key, part in inner_of(schema).items()
                    for inner in undescribed(part, path + key)]


# The rules of a check of Prometheus: what is changed below it, the field, and a part of its
# sentence. The check is taken to have ten tries and a url without https.
CHECK_RULES: list[tuple[dict[str, Any], str, str]] = [
    ({"successThreshold": 11}, "successThreshold", "must not be more than maxTries"),
    ({"successThreshold": GONE, "maxTries": 2}, "successThreshold", "3 if left out"),
    ({"failureThreshold": 11}, "failureThreshold", "must not be more than maxTries"),
    ({"query.caSecretRef": "ca"}, "query.caSecretRef", "needs a url that begins with https://"),
    ({"query.caSecretRef": "ca", "query.url": "http://p"}, "query.caSecretRef",
     "needs a url that begins with https://"),
    ({"query.caSecretRef": "ca", "query.url": "https://p", "query.insecureSkipVerify": True},
     "query.insecureSkipVerify", "leave one of them out"),
    *(({"query.expr": expr}, "query.expr", "it is blank") for expr in (" ", "\n\t \r")),
    *(({"query.url": url}, "query.url", sentence) for sentence, urls in {
        "must begin with http:// or https://": ("ftp://prom", "prom://x", "HTTP://prom"),
        "put them into the Secret": ("http://me:secret@prom", "me@prom/x"),
        "no query": ("prom?x=1", "prom/x?"),
        "no fragment": ("http://prom/#x",),
        "which is added to it": ("http://prom/api/v1/query", "prom:90/x/api/v1/query/"),
        "must be a host": (
            " ", "http://", "http:///x", ":9090", "/xx", "prom:", "prom:0", "prom:65536",
            "prom:9090:1", "prom x", "prom\n", "prom/a b", "prom\\x", "prom/\r\nHost: evil", "pröm",
            "[::1", "-prom"),
    }.items() for url in urls),
]


def check_rules(at: str) -> list[tuple[dict[str, Any], str, str]]:
    """Those of the check at this path."""
    return [({f"{at}.{path}": value for path, value in values.items()}, f"{at}.{field}", sentence)
            for values, field, sentence in CHECK_RULES]
