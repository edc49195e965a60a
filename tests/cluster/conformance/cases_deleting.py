"""How objects leave: finalizers, preconditions, propagation, collections."""

from __future__ import annotations

from .objects import changed, config_map, labelled, web
from .talk import Talk, case

STRANGER = "00000000-0000-0000-0000-000000000000"


@case
def a_finalizer_holds_an_object(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(), "metadata/finalizers", ["test.example/hold"]))
    talk.delete("configmaps/one")
    talk.delete("configmaps/one")
    talk.patch("configmaps/one", {"data": {"a": "2"}})
    talk.patch("configmaps/one", {"metadata": {"finalizers": ["test.example/hold",
                                                              "test.example/more"]}})
    talk.patch("configmaps/one", {"metadata": {"finalizers": None}})
    talk.get("configmaps/one")


@case
def a_finalizer_holds_a_statefulset(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "metadata/finalizers", ["test.example/hold"]))
    talk.delete("statefulsets/web")
    talk.patch("statefulsets/web", {"spec": {"replicas": 1}})
    talk.patch("statefulsets/web", {"metadata": {"finalizers": []}})
    talk.get("statefulsets/web")


@case
def finalizers_that_are_wrong(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(), "metadata/finalizers", ["plain"]))
    talk.post("configmaps", changed(config_map(), "metadata/finalizers", ["a b/c"]))


@case
def preconditions(talk: Talk) -> None:
    made = talk.post("configmaps", config_map())["metadata"]
    talk.delete("configmaps/one", {"preconditions": {"uid": STRANGER}})
    talk.delete("configmaps/one", {"preconditions": {"resourceVersion": "1"}})
    talk.delete("configmaps/one", {"preconditions": {
        "uid": made["uid"], "resourceVersion": made["resourceVersion"]}})
    talk.get("configmaps/one")


@case
def propagation_policies(talk: Talk) -> None:
    for policy in ("Background", "Foreground", "Orphan"):
        talk.post("statefulsets", changed(web(), "metadata/name", policy.lower()))
        talk.delete(f"statefulsets/{policy.lower()}", {"propagationPolicy": policy})
        talk.get(f"statefulsets/{policy.lower()}")
    talk.post("configmaps", config_map())
    talk.delete("configmaps/one", propagationPolicy="Foreground")
    talk.delete("configmaps/one", propagationPolicy="Background")


@case
def propagation_policies_that_are_wrong(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.delete("configmaps/one", {"propagationPolicy": "Sometimes"})
    talk.delete("configmaps/one", {"propagationPolicy": "Orphan", "orphanDependents": True})
    talk.delete("configmaps/one", propagationPolicy="Sometimes")
    talk.delete("configmaps/one", b"{")
    talk.delete("configmaps/one", {"kind": "Martian", "apiVersion": "v1"})
    talk.delete("configmaps/one", {"kind": "DeleteOptions", "apiVersion": "v1"})


@case
def a_collection_is_deleted(talk: Talk) -> None:
    for name in ("one", "two"):
        talk.post("configmaps", labelled(name, go="yes"))
    talk.post("configmaps", labelled("three", go="no"))
    talk.delete("configmaps", labelSelector="go=yes", dryRun="All")
    talk.delete("configmaps", labelSelector="go=yes")
    talk.get("configmaps")
    talk.delete("configmaps", labelSelector="go=perhaps")
    talk.delete("configmaps")
    talk.get("configmaps")


@case
def a_collection_with_finalizers(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(), "metadata/finalizers", ["test.example/hold"]))
    talk.delete("configmaps")
    talk.get("configmaps/one")
    talk.patch("configmaps/one", {"metadata": {"finalizers": None}})


@case
def owners_that_are_wrong(talk: Talk) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": STRANGER}
    meta = "metadata/ownerReferences"
    talk.post("configmaps", changed(config_map(), meta, [owner]))
    talk.post("configmaps", changed(config_map("two"), meta, [{**owner, "uid": ""}]))
    talk.post("configmaps", changed(config_map("two"), meta, [
        {**owner, "controller": True}, {**owner, "name": "y", "controller": True}]))
