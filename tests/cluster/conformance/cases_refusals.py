"""What is wrong with a request before anybody looks at its object."""

from __future__ import annotations

from .objects import changed, config_map, lease, service, web
from .talk import JSON_PATCH, MERGE_PATCH, STRATEGIC, Talk, case


@case
def a_name_that_is_taken(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.post("configmaps", config_map())
    talk.post("statefulsets", web())
    talk.post("statefulsets", web())


@case
def names_that_are_not_there(talk: Talk) -> None:
    for method in ("GET", "DELETE"):
        talk.send(method, "configmaps/nobody")
        talk.send(method, "statefulsets/nobody")
    talk.put("configmaps/nobody", config_map("nobody"))
    talk.put("statefulsets/web", web())
    talk.patch("configmaps/nobody", {"data": {"a": "2"}})
    talk.patch("configmaps/nobody", [], JSON_PATCH)
    talk.get("statefulsets/nobody/scale")
    talk.patch("statefulsets/nobody/status", {"status": {"replicas": 1}})


@case
def a_namespace_that_is_not_there(talk: Talk) -> None:
    gone = f"{talk.namespace}-gone"
    talk.post(f"/api/v1/namespaces/{gone}/configmaps", config_map())
    talk.get(f"/api/v1/namespaces/{gone}/configmaps")
    talk.get(f"/api/v1/namespaces/{gone}/configmaps/one")
    talk.delete(f"/api/v1/namespaces/{gone}/configmaps/one")
    talk.get(f"/api/v1/namespaces/{gone}")


@case
def a_lease_is_made_by_a_replace(talk: Talk) -> None:
    talk.put("leases/one", lease())
    talk.put("leases/one", lease())


@case
def resources_that_are_not_there(talk: Talk) -> None:
    talk.get("martians")
    talk.get("martians/one")
    talk.get("/apis/nowhere.test/v1/martians")
    talk.get("/apis/apps/v2/statefulsets")
    talk.get("/api/v2/pods")
    talk.post("martians", config_map())
    talk.delete("martians/one")


@case
def paths_that_are_not_there(talk: Talk) -> None:
    talk.get("/nowhere")
    talk.get("configmaps/one/status")
    talk.get("statefulsets/one/status/deeper")
    talk.get("statefulsets/one/martian")


@case
def another_api_version_in_the_body(talk: Talk) -> None:
    talk.post("configmaps", config_map(apiVersion="v2"))
    talk.post("configmaps", config_map(apiVersion="apps/v1"))
    talk.post("statefulsets", {**web(), "apiVersion": "apps/v1beta1"})


@case
def another_kind_in_the_body(talk: Talk) -> None:
    talk.post("configmaps", config_map(kind="Secret"))
    talk.post("configmaps", config_map(kind="Martian"))
    talk.post("statefulsets", {**web(), "kind": "Deployment"})


@case
def no_kind_and_no_api_version_in_the_body(talk: Talk) -> None:
    talk.post("configmaps", {"metadata": {"name": "one"}, "data": {"a": "1"}})
    talk.post("configmaps", {"kind": "ConfigMap", "metadata": {"name": "two"}})


@case
def another_namespace_in_the_body(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(), "metadata/namespace", "default"))
    talk.post("configmaps", changed(config_map(), "metadata/namespace", talk.namespace))
    talk.put("configmaps/one", changed(config_map(), "metadata/namespace", "default"))


@case
def another_name_in_the_body(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.put("configmaps/one", config_map("two"))
    talk.put("configmaps/one", config_map(None))
    talk.patch("configmaps/one", {"metadata": {"name": "two"}})
    talk.patch("configmaps/one", {"metadata": {"namespace": "default"}})


@case
def no_name(talk: Talk) -> None:
    talk.post("configmaps", config_map(None))
    talk.post("statefulsets", changed(web(), "metadata/name", None))


@case
def a_name_that_the_server_completes(talk: Talk) -> None:
    made = talk.post("configmaps", changed(config_map(None), "metadata/generateName", "one-"))
    talk.get(f"configmaps/{made['metadata']['name']}")


@case
def names_with_wrong_characters(talk: Talk) -> None:
    talk.post("configmaps", config_map("Upper"))
    talk.post("configmaps", config_map("under_score"))
    talk.post("configmaps", config_map("a..b"))
    talk.post("configmaps", config_map("a" * 254))
    talk.post("services", service("1one"))
    talk.post("services", service("a.b"))
    talk.post("leases", lease("Upper"))
    talk.post("statefulsets", changed(web(), "metadata/name", "a.b"))
    talk.post("statefulsets", changed(web(), "metadata/name", "Web"))


@case
def labels_and_annotations_that_are_wrong(talk: Talk) -> None:
    for labels in ({"a": "b c"}, {"a b": "c"}, {"a": "x" * 64}, {"/a": "b"}, {"a/b/c": "d"},
                   {"": "b"}):
        talk.post("configmaps", changed(config_map(), "metadata/labels", labels))
    talk.post("configmaps", changed(config_map(), "metadata/annotations", {"a b": "c"}))
    talk.post("configmaps", changed(config_map(), "metadata/annotations", {"a": "x" * (257 << 10)}))


@case
def data_that_is_wrong(talk: Talk) -> None:
    talk.post("configmaps", config_map(data={"a b": "1"}))
    talk.post("configmaps", config_map(data={"a": "1"}, binaryData={"a": "AAE="}))
    talk.post("configmaps", config_map(data={"a": 1}))
    talk.post("configmaps", config_map(data="text"))
    talk.post("configmaps", config_map(data={"a": "x" * (1100 << 10)}))


@case
def an_immutable_config_map(talk: Talk) -> None:
    talk.post("configmaps", config_map(immutable=True))
    talk.patch("configmaps/one", {"data": {"a": "2"}})
    talk.patch("configmaps/one", {"immutable": None})
    talk.patch("configmaps/one", {"metadata": {"labels": {"a": "b"}}})


@case
def a_body_that_is_no_json(talk: Talk) -> None:
    for body in (b"{", b"[]", b"text", b'"text"'):
        talk.post("configmaps", body)
    talk.post("configmaps", config_map())
    talk.patch("configmaps/one", b"{", MERGE_PATCH)
    talk.patch("configmaps/one", b"{", JSON_PATCH)
    talk.patch("configmaps/one", b"{", STRATEGIC)
    talk.patch("configmaps/one", {"op": "test"}, JSON_PATCH)
    talk.patch("configmaps/one", [1], MERGE_PATCH)
    talk.patch("configmaps/one", [1], STRATEGIC)


@case
def no_body_at_all(talk: Talk) -> None:
    talk.post("configmaps", b"")


@case
def a_body_of_another_type(talk: Talk) -> None:
    talk.post("configmaps", config_map(), content_type="text/plain")
    talk.post("configmaps", config_map(), content_type="application/json; charset=utf-8")
    talk.patch("configmaps/one", {"data": {"a": "2"}}, "application/json")
    talk.patch("configmaps/one", {"data": {"a": "2"}}, "text/plain")


@case
def a_body_that_is_too_large(talk: Talk) -> None:
    talk.post("configmaps", config_map(data={"a": "x" * (4 << 20)}))


@case
def a_method_that_does_not_fit(talk: Talk) -> None:
    talk.post("configmaps/one", config_map())
    talk.put("configmaps", config_map())
    talk.patch("configmaps", {})
    talk.delete("/api/v1/configmaps")
    talk.post("statefulsets/web/scale", {})
    talk.delete("statefulsets/web/status")
    talk.send("MOVE", "configmaps/one")


@case
def a_query_that_nobody_knows(talk: Talk) -> None:
    talk.post("configmaps", config_map(), martian="yes")
    talk.get("configmaps/one", pretty="false", martian="yes")


@case
def a_dry_run_leaves_nothing(talk: Talk) -> None:
    talk.post("configmaps", config_map(), dryRun="All")
    talk.get("configmaps/one")
    talk.post("configmaps", config_map())
    talk.put("configmaps/one", config_map(data={"a": "2"}), dryRun="All")
    talk.patch("configmaps/one", {"data": {"a": "3"}}, dryRun="All")
    talk.delete("configmaps/one", dryRun="All")
    talk.get("configmaps/one")
    talk.post("configmaps", config_map("two"), dryRun="Some")
    talk.post("statefulsets", web(), dryRun="All")
    talk.get("statefulsets/web")


@case
def fields_that_nobody_knows(talk: Talk) -> None:
    unknown = {**config_map(), "martian": 1}
    talk.post("configmaps", unknown, fieldValidation="Strict")
    talk.post("configmaps", unknown, fieldValidation="Warn")
    talk.get("configmaps/one")
    talk.put("configmaps/one", unknown, fieldValidation="Ignore")
    talk.put("configmaps/one", unknown)
    talk.post("statefulsets", changed(web(), "spec/martian", {"a": 1}), fieldValidation="Strict")
    talk.post("statefulsets", changed(web(), "spec/template/spec/containers/0/martian", 1),
              fieldValidation="Warn")
    talk.patch("statefulsets/web", {"spec": {"martian": 2}}, fieldValidation="Strict")
    talk.post("configmaps", unknown, fieldValidation="Perhaps")


@case
def values_of_a_wrong_type(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "spec/replicas", "three"))
    talk.post("statefulsets", changed(web(), "spec/template", "text"))
    talk.post("statefulsets", changed(web(), "spec/serviceName", 7))
    talk.post("statefulsets", changed(web(), "metadata/labels", ["a"]))
