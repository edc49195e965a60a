"""Who was faster: resource versions, uids, generations, and writes that change nothing."""

from __future__ import annotations

from .objects import changed, config_map, web
from .talk import JSON_PATCH, STRATEGIC, Talk, case

STRANGER = "00000000-0000-0000-0000-000000000000"


@case
def a_replace_of_an_old_version(talk: Talk) -> None:
    first = talk.post("configmaps", config_map())
    talk.put("configmaps/one", changed(first, "data/a", "2"))
    talk.put("configmaps/one", changed(first, "data/a", "3"))
    talk.patch("configmaps/one", {"metadata": {
        "resourceVersion": first["metadata"]["resourceVersion"]}, "data": {"a": "4"}})


@case
def a_replace_of_an_old_version_of_a_statefulset(talk: Talk) -> None:
    first = talk.post("statefulsets", web())
    talk.put("statefulsets/web", changed(first, "spec/replicas", 1))
    talk.put("statefulsets/web", changed(first, "spec/replicas", 2))


@case
def a_replace_of_another_uid(talk: Talk) -> None:
    first = talk.post("configmaps", config_map())
    talk.put("configmaps/one", changed(first, "metadata/uid", STRANGER))
    talk.put("configmaps/one", changed(changed(first, "metadata/uid", STRANGER),
                                       "metadata/resourceVersion", None))
    talk.patch("configmaps/one", {"metadata": {"uid": STRANGER}})
    talk.patch("configmaps/one", {"metadata": {"uid": first["metadata"]["uid"]},
                                  "data": {"a": "2"}})


@case
def a_replace_without_a_version(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.put("configmaps/one", config_map(data={"a": "2"}))
    talk.post("statefulsets", web())
    talk.put("statefulsets/web", web(replicas=1))


@case
def a_version_that_is_no_number(talk: Talk) -> None:
    first = talk.post("configmaps", config_map())
    talk.put("configmaps/one", changed(first, "metadata/resourceVersion", "abc"))
    talk.put("configmaps/one", changed(first, "metadata/resourceVersion", "999999999"))


@case
def a_create_with_a_version(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(), "metadata/resourceVersion", "7"))
    talk.post("configmaps", changed(config_map("two"), "metadata/uid", STRANGER))
    talk.post("configmaps", changed(config_map("three"), "metadata/creationTimestamp",
                                    "2020-01-01T00:00:00Z"))
    talk.post("statefulsets", changed(web(), "metadata/generation", 7))


@case
def writes_that_change_nothing_keep_the_version(talk: Talk) -> None:
    first = talk.post("configmaps", config_map())
    talk.put("configmaps/one", first)
    talk.put("configmaps/one", config_map())
    talk.patch("configmaps/one", {"data": {"a": "1"}})
    talk.patch("configmaps/one", {})
    talk.patch("configmaps/one", [], JSON_PATCH)
    talk.patch("configmaps/one", {}, STRATEGIC)
    talk.patch("configmaps/one", {"metadata": {"labels": None}})


@case
def writes_that_change_nothing_in_a_statefulset(talk: Talk) -> None:
    first = talk.post("statefulsets", web())
    talk.put("statefulsets/web", first)
    talk.put("statefulsets/web", web())
    talk.patch("statefulsets/web", {"spec": {"replicas": 0}})
    talk.patch("statefulsets/web/scale", {"spec": {"replicas": 0}})
    talk.patch("statefulsets/web/status", {"status": {"replicas": 0}})


@case
def only_the_spec_moves_the_generation(talk: Talk) -> None:
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"metadata": {"labels": {"a": "b"}}})
    talk.patch("statefulsets/web", {"spec": {"replicas": 1}})
    talk.patch("statefulsets/web", {"metadata": {"generation": 9}})
    talk.patch("statefulsets/web/status", {"status": {"replicas": 1}})
    talk.patch("statefulsets/web/scale", {"spec": {"replicas": 2}})
    talk.get("statefulsets/web")


@case
def what_the_server_owns_cannot_be_written(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.patch("configmaps/one", {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}})
    talk.patch("configmaps/one", {"metadata": {"creationTimestamp": None}})
    talk.patch("configmaps/one", {"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}})
    talk.patch("configmaps/one", {"metadata": {"selfLink": "/here"}})
    talk.patch("configmaps/one", {"metadata": {"generateName": "x-"}})
