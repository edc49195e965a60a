"""Selectors, pages and watches."""

from __future__ import annotations

import re

from .objects import changed, config_map, labelled, pod
from .talk import Talk, case


def three(talk: Talk) -> None:
    talk.post("configmaps", labelled("one", tier="db", env="prod"))
    talk.post("configmaps", labelled("two", tier="web"))
    talk.post("configmaps", config_map("three"))


@case
def label_selectors(talk: Talk) -> None:
    three(talk)
    for selector in ("tier=db", "tier==db", "tier!=db", "tier", "!tier", "tier in (db, web)",
                     "tier notin (db)", "tier=db,env=prod", "tier,env!=prod", "tier=", "env in ()",
                     " tier = db "):
        talk.get("configmaps", labelSelector=selector)


@case
def label_selectors_that_are_wrong(talk: Talk) -> None:
    three(talk)
    for selector in ("=", "tier in", "tier in (db", "a=b=c", "tier=(x)", ",", "tier db", "!",
                     "a b in (c)", "-x=y", "x=-y"):
        talk.get("configmaps", labelSelector=selector)


@case
def field_selectors(talk: Talk) -> None:
    three(talk)
    for selector in ("metadata.name=one", "metadata.name!=one", "metadata.name==two",
                     f"metadata.namespace={talk.namespace}", "metadata.name=one,metadata.name=two",
                     "metadata.name=nobody"):
        talk.get("configmaps", fieldSelector=selector)
    talk.get("configmaps", fieldSelector="metadata.name!=two", labelSelector="tier")


@case
def field_selectors_that_are_wrong(talk: Talk) -> None:
    three(talk)
    for selector in ("data.a=1", "metadata.name", "metadata.name in (a)", "metadata.labels=x"):
        talk.get("configmaps", fieldSelector=selector)
    talk.get("statefulsets", fieldSelector="spec.replicas=1")


@case
def field_selectors_of_pods(talk: Talk) -> None:
    talk.post("pods", pod("one", nodeName="node-0"))
    talk.post("pods", pod("two"))
    for selector in ("spec.nodeName=node-0", "spec.nodeName=", "status.phase=Pending",
                     "status.phase!=Pending", "spec.restartPolicy=Always",
                     "spec.schedulerName=default-scheduler", "spec.hostname=x"):
        talk.get("pods", fieldSelector=selector)


@case
def pages(talk: Talk) -> None:
    for number in range(5):
        talk.post("configmaps", config_map(f"number-{number}"))
    page = talk.get("configmaps", limit="2")
    talk.post("configmaps", config_map("number-1a"))
    page = talk.get("configmaps", limit="2", **{"continue": page["metadata"]["continue"]})
    talk.get("configmaps", limit="2", **{"continue": page["metadata"]["continue"]})
    talk.get("configmaps", limit="0")
    talk.get("configmaps", limit="7")


@case
def pages_that_are_wrong(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.get("configmaps", limit="x")
    talk.get("configmaps", resourceVersionMatch="Exact")
    talk.get("configmaps", resourceVersion="x")
    talk.get("configmaps", resourceVersion="0")
    talk.get("configmaps", resourceVersionMatch="Sometimes", resourceVersion="1")


@case
def a_page_after_a_token_that_nobody_gave(talk: Talk) -> None:
    talk.get("configmaps", limit="2", **{"continue": "nonsense"})


@case
def a_watch_tells_what_happened_since(talk: Talk) -> None:
    made = talk.post("configmaps", config_map())
    talk.patch("configmaps/one", {"data": {"a": "2"}})
    talk.post("configmaps", config_map("two"))
    talk.delete("configmaps/one")
    talk.watch("configmaps", 3, resourceVersion=made["metadata"]["resourceVersion"])


@case
def a_watch_from_nowhere_begins_with_what_is_there(talk: Talk) -> None:
    three(talk)
    talk.watch("configmaps", 3)
    talk.watch("configmaps", 3, resourceVersion="0")


@case
def a_watch_with_a_selector_sees_who_comes_and_goes(talk: Talk) -> None:
    made = talk.post("configmaps", labelled("one", tier="web"))
    talk.patch("configmaps/one", {"metadata": {"labels": {"tier": "db"}}})
    talk.patch("configmaps/one", {"data": {"a": "2"}})
    talk.patch("configmaps/one", {"metadata": {"labels": {"tier": "web"}}})
    talk.post("configmaps", labelled("two", tier="db"))
    talk.delete("configmaps/two")
    talk.watch("configmaps", 5, resourceVersion=made["metadata"]["resourceVersion"],
               labelSelector="tier=db")


@case
def a_watch_of_one_name(talk: Talk) -> None:
    three(talk)
    talk.watch("configmaps", 1, fieldSelector="metadata.name=two")
    talk.get("configmaps/three", watch="true")


@case
def a_watch_that_begins_with_a_list(talk: Talk) -> None:
    three(talk)
    talk.watch("configmaps", 4, sendInitialEvents="true", allowWatchBookmarks="true",
               resourceVersionMatch="NotOlderThan")


@case
def watches_that_are_wrong(talk: Talk) -> None:
    talk.watch("configmaps", 1, sendInitialEvents="true", allowWatchBookmarks="true")
    talk.watch("configmaps", 1, resourceVersionMatch="NotOlderThan")
    talk.watch("configmaps", 1, resourceVersion="x")
    talk.watch("configmaps", 1, labelSelector="a=b=c")
    talk.watch("configmaps", 1, fieldSelector="data.a=1")
    talk.watch("martians", 1)


@case
def a_watch_of_deletions_that_are_held(talk: Talk) -> None:
    made = talk.post("configmaps", changed(config_map(), "metadata/finalizers",
                                           ["test.example/hold"]))
    talk.delete("configmaps/one")
    talk.patch("configmaps/one", {"metadata": {"finalizers": None}})
    events = talk.watch("configmaps", 2, resourceVersion=made["metadata"]["resourceVersion"])
    assert re.fullmatch("MODIFIED DELETED", " ".join(event["type"] for event in events))


@case
def metadata_alone(talk: Talk) -> None:
    talk.post("configmaps", labelled("one", tier="db"))
    form = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    talk.send("GET", "configmaps/one", accept=form)
    form = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    talk.send("GET", "configmaps", accept=form)


@case
def a_watch_of_metadata_alone(talk: Talk) -> None:
    form = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    made = talk.post("configmaps", config_map())
    talk.patch("configmaps/one", {"data": {"a": "another"}})
    talk.delete("configmaps/one")
    events = talk.watch("configmaps", 2, form, resourceVersion=made["metadata"]["resourceVersion"])
    assert all("data" not in event["object"] for event in events)
    three(talk)
    talk.watch("configmaps", 4, form, sendInitialEvents="true", allowWatchBookmarks="true",
               resourceVersionMatch="NotOlderThan")
