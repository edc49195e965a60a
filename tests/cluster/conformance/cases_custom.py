"""Kinds that a CustomResourceDefinition adds."""

from __future__ import annotations

from harness.api import Object
from harness.waiting import wait_for

from .objects import changed, gate, gates
from .talk import APPLY, JSON_PATCH, STRATEGIC, Talk, case

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Kind:
    """A kind of its own for one case; making it is not part of what is compared."""

    def __init__(self, talk: Talk, **spec: object) -> None:
        self.group = f"{talk.namespace}.test"
        self.path = f"/apis/{self.group}/v1/namespaces/{talk.namespace}/gates"
        talk.server.exchange("POST", DEFINITIONS, gates(self.group, **spec))
        wait_for("the kind to be served",
                 lambda: talk.server.exchange("POST", self.path, self.gate("probe"),
                                              query={"dryRun": "All"}),
                 lambda answer: answer.status == 201)

    def gate(self, name: str = "narrow", **spec: object) -> Object:
        return gate(self.group, name, **spec)

    def named(self, rest: str) -> str:
        return f"{self.path}/{rest}"


@case
def life_of_a_definition(talk: Talk) -> None:
    kind = Kind(talk)
    name = f"gates.{kind.group}"
    talk.get(f"{DEFINITIONS}/{name}")
    talk.post(DEFINITIONS, gates(kind.group))
    talk.post(kind.path, kind.gate())
    talk.delete(f"{DEFINITIONS}/{name}")
    wait_for("the definition to be gone",
             lambda: talk.server.exchange("GET", f"{DEFINITIONS}/{name}"),
             lambda answer: answer.status == 404)
    talk.get(f"{DEFINITIONS}/{name}")
    wait_for("the kind to be gone", lambda: talk.server.exchange("GET", kind.path),
             lambda answer: answer.status == 404)
    talk.get(kind.path)


@case
def definitions_that_are_wrong(talk: Talk) -> None:
    group = f"{talk.namespace}.test"
    talk.post(DEFINITIONS, changed(gates(group), "metadata/name", "other.test"))
    talk.post(DEFINITIONS, changed(gates(group), "spec/scope", "Somewhere"))
    talk.post(DEFINITIONS, changed(gates(group), "spec/versions", []))
    talk.post(DEFINITIONS, changed(gates(group), "spec/versions/0/schema", None))
    talk.post(DEFINITIONS, changed(gates(group), "spec/versions/0/storage", False))


@case
def life_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    made = talk.post(kind.path, kind.gate())
    talk.get(kind.named("narrow"))
    talk.get(kind.path)
    talk.put(kind.named("narrow"), changed(made, "spec/width", 2))
    talk.post(kind.path, kind.gate())
    talk.delete(kind.named("narrow"))
    talk.get(kind.named("narrow"))


@case
def custom_resources_are_pruned_and_completed(talk: Talk) -> None:
    kind = Kind(talk)
    talk.post(kind.path, kind.gate(martian=1, free={"any": "thing"}, deep={"x": 1}))
    talk.post(kind.path, {**kind.gate("top"), "martian": 1, "status": {"state": "x"}})
    talk.patch(kind.named("narrow"), {"spec": {"colour": None, "other": 2}})
    talk.post(kind.path, kind.gate("strict", martian=1), fieldValidation="Strict")
    talk.post(kind.path, kind.gate("warned", martian=1), fieldValidation="Warn")


@case
def custom_resources_that_are_wrong(talk: Talk) -> None:
    kind = Kind(talk)
    for spec in ({"width": 0}, {"width": 10}, {"width": "x"}, {"width": 1.5}, {"width": None},
                 {"colour": "blue"}, {"label": "ABC"}, {"label": "abcdefghijk"},
                 {"tags": ["a", "b", "c"]}, {"tags": "a"}, {"tags": [1]}, {"deep": 7},
                 {"width": 0, "colour": "blue"}, {"deep": {"depth": "x"}}):
        talk.post(kind.path, kind.gate(**spec))
    talk.post(kind.path, changed(kind.gate(), "spec", None))
    talk.post(kind.path, kind.gate("Upper"))
    talk.post(kind.path, {**kind.gate(), "kind": "Door"})
    talk.post(kind.path, {**kind.gate(), "apiVersion": "other.test/v1"})
    talk.post(kind.path, changed(kind.gate(), "metadata/name", None))
    talk.post(kind.path, changed(kind.gate(), "metadata/labels", {"a": "b c"}))
    talk.post(kind.path, changed(kind.gate(), "kind", None))


@case
def the_status_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    made = talk.post(kind.path, {**kind.gate(), "status": {"state": "made"}})
    talk.get(kind.named("narrow/status"))
    made["status"] = {"state": "written", "martian": 1}
    made["spec"]["width"] = 5
    made["metadata"]["labels"] = {"a": "b"}
    talk.put(kind.named("narrow/status"), made)
    talk.patch(kind.named("narrow/status"), {"status": {"state": "patched"}})
    talk.patch(kind.named("narrow"), {"status": {"state": "ignored"}})
    talk.patch(kind.named("narrow/status"), {"status": {"state": 7}})
    talk.patch(kind.named("narrow"), {"spec": {"width": 3}, "status": {"state": "ignored"}})


@case
def the_generation_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    talk.post(kind.path, changed(kind.gate(), "metadata/generation", 5))
    talk.patch(kind.named("narrow"), {"metadata": {"labels": {"a": "b"}}})
    talk.patch(kind.named("narrow"), {"spec": {"width": 2}})
    talk.patch(kind.named("narrow"), {"spec": {"width": 2}})
    talk.patch(kind.named("narrow"), {"spec": {"martian": 2}})
    talk.patch(kind.named("narrow/status"), {"status": {"state": "x"}})
    talk.delete(kind.named("narrow"), {"propagationPolicy": "Foreground"})


@case
def the_scale_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    talk.post(kind.path, kind.gate())
    talk.get(kind.named("narrow/scale"))
    talk.patch(kind.named("narrow/scale"), {"spec": {"replicas": 4}})
    talk.patch(kind.named("narrow/scale"), {"spec": {"replicas": -4}})
    talk.get(kind.named("narrow"))


@case
def patches_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    talk.post(kind.path, kind.gate())
    talk.patch(kind.named("narrow"), {"spec": {"width": 2}}, STRATEGIC)
    talk.patch(kind.named("narrow"), [{"op": "replace", "path": "/spec/width", "value": 3}],
               JSON_PATCH)
    talk.patch(kind.named("narrow"), [{"op": "test", "path": "/spec/width", "value": 9}],
               JSON_PATCH)
    talk.patch(kind.named("narrow"), {"spec": {"width": None}})
    talk.patch(kind.named("narrow"), {"spec": {"width": "x"}})


@case
def replaces_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    made = talk.post(kind.path, kind.gate())
    talk.put(kind.named("narrow"), kind.gate(width=2))
    talk.put(kind.named("narrow"), changed(made, "spec/width", 2))
    talk.put(kind.named("narrow"), changed(made, "spec/width", 3))
    talk.put(kind.named("nobody"), kind.gate("nobody"))
    talk.put(kind.named("narrow/status"), kind.gate())


@case
def apply_of_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    talk.apply(kind.named("narrow"), kind.gate(tags=["a"]), "alice")
    talk.apply(kind.named("narrow"), kind.gate(width=2), "bob")
    talk.apply(kind.named("narrow"), kind.gate(width=2), "bob", force="true")
    talk.apply(kind.named("narrow"), kind.gate(tags=["b"]), "alice", force="true")
    talk.apply(kind.named("narrow"), kind.gate(width=0), "alice", force="true")
    talk.patch(kind.named("narrow"), {"spec": {}}, APPLY, fieldManager="carol")


@case
def a_finalizer_holds_a_custom_resource(talk: Talk) -> None:
    kind = Kind(talk)
    talk.post(kind.path, changed(kind.gate(), "metadata/finalizers", ["test.example/hold"]))
    talk.delete(kind.named("narrow"))
    talk.patch(kind.named("narrow"), {"metadata": {"finalizers": None}})
    talk.get(kind.named("narrow"))


@case
def a_watch_of_custom_resources(talk: Talk) -> None:
    kind = Kind(talk)
    made = talk.post(kind.path, kind.gate())
    talk.patch(kind.named("narrow"), {"spec": {"width": 2}})
    talk.delete(kind.named("narrow"))
    talk.watch(kind.path, 2, resourceVersion=made["metadata"]["resourceVersion"])


@case
def selectors_of_custom_resources(talk: Talk) -> None:
    kind = Kind(talk)
    talk.post(kind.path, changed(kind.gate(), "metadata/labels", {"a": "b"}))
    talk.get(kind.path, labelSelector="a=b")
    talk.get(kind.path, fieldSelector="metadata.name=narrow")
    talk.get(kind.path, fieldSelector="spec.width=1")
    talk.delete(kind.path, labelSelector="a=b")
    talk.get(kind.path)
