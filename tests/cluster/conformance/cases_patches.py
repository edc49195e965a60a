"""JSON patch, merge patch, strategic merge patch and server-side apply."""

from __future__ import annotations

from .objects import changed, config_map, web
from .talk import JSON_PATCH, STRATEGIC, Talk, case

PARTITION = "/spec/updateStrategy/rollingUpdate/partition"


@case
def json_patch_tests_that_pass(talk: Talk) -> None:
    made = talk.post("statefulsets", web(partition=3))
    talk.patch("statefulsets/web", [
        {"op": "test", "path": "/metadata/uid", "value": made["metadata"]["uid"]},
        {"op": "test", "path": "/metadata/generation", "value": 1},
        {"op": "test", "path": PARTITION, "value": 3},
        {"op": "replace", "path": PARTITION, "value": 2}], JSON_PATCH)


@case
def json_patch_tests_that_fail(talk: Talk) -> None:
    talk.post("statefulsets", web(partition=3))
    for path, value in (("/metadata/uid", "other"), ("/metadata/generation", 2), (PARTITION, 4),
                        ("/metadata/annotations/a", "b"), ("/spec/martian", None)):
        talk.patch("statefulsets/web", [{"op": "test", "path": path, "value": value},
                                        {"op": "replace", "path": PARTITION, "value": 1}],
                   JSON_PATCH)
    talk.get("statefulsets/web")


@case
def json_patch_operations(talk: Talk) -> None:
    talk.post("configmaps", config_map(data={"a": "1", "b/c": "2", "d~e": "3"}))
    talk.patch("configmaps/one", [
        {"op": "add", "path": "/data/x", "value": "new"},
        {"op": "copy", "from": "/data/a", "path": "/data/y"},
        {"op": "move", "from": "/data/b~1c", "path": "/data/z"},
        {"op": "remove", "path": "/data/d~0e"}], JSON_PATCH)


@case
def json_patch_of_lists(talk: Talk) -> None:
    talk.post("statefulsets", web())
    containers = "/spec/template/spec/containers"
    talk.patch("statefulsets/web", [
        {"op": "add", "path": f"{containers}/-", "value": {"name": "two", "image": "b"}},
        {"op": "add", "path": f"{containers}/0", "value": {"name": "zero", "image": "z:1"}},
        {"op": "replace", "path": f"{containers}/1/image", "value": "app:c"}], JSON_PATCH)
    talk.patch("statefulsets/web", [{"op": "remove", "path": f"{containers}/7"}], JSON_PATCH)


@case
def json_patches_that_do_not_fit(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    for operation in (
            {"op": "remove", "path": "/data/nothing"},
            {"op": "replace", "path": "/data/nothing", "value": "1"},
            {"op": "add", "path": "/nothing/here", "value": "1"},
            {"op": "martian", "path": "/data/a"},
            {"op": "add", "path": "data", "value": "1"},
            {"op": "replace", "path": "/data", "value": "text"},
            {"op": "replace", "path": "/data/a", "value": 7}):
        talk.patch("configmaps/one", [operation], JSON_PATCH)
    talk.patch("configmaps/one", "text", JSON_PATCH)
    talk.get("configmaps/one")


@case
def json_patch_makes_annotations(talk: Talk) -> None:
    talk.post("configmaps", config_map())
    talk.patch("configmaps/one", [{"op": "add", "path": "/metadata/annotations",
                                   "value": {"a": "b"}}], JSON_PATCH)
    talk.patch("configmaps/one", [{"op": "remove", "path": "/metadata/annotations"}], JSON_PATCH)
    talk.patch("configmaps/one", [{"op": "add", "path": "/metadata/annotations/a",
                                   "value": "b"}], JSON_PATCH)


@case
def merge_patch_with_nulls(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(data={"a": "1", "b": "2"}),
                                    "metadata/labels", {"x": "y"}))
    talk.patch("configmaps/one", {"data": {"a": None, "c": "3"}})
    talk.patch("configmaps/one", {"data": None, "metadata": {"labels": None}})
    talk.patch("configmaps/one", {"data": {"never": None}})


@case
def merge_patch_replaces_lists(talk: Talk) -> None:
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"spec": {"template": {"spec": {
        "containers": [{"name": "other", "image": "other:1"}]}}}})
    talk.patch("statefulsets/web", {"spec": {"template": {"spec": {"containers": None}}}})
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": None}})
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": {"rollingUpdate": None}}})
    talk.patch("statefulsets/web", {"spec": {"replicas": None}})


@case
def kubectl_set_image(talk: Talk) -> None:
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"spec": {"template": {"spec": {
        "$setElementOrder/containers": [{"name": "app"}],
        "containers": [{"name": "app", "image": "app:b"}]}}}}, STRATEGIC,
        fieldManager="kubectl-set")


@case
def strategic_merge_of_containers(talk: Talk) -> None:
    obj = changed(web(), "spec/template/spec/containers/0", {
        "name": "app", "image": "app:a", "env": [{"name": "A", "value": "1"}],
        "ports": [{"containerPort": 80, "name": "web"}], "args": ["x"],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}]})
    obj["spec"]["template"]["spec"]["volumes"] = [{"name": "v", "emptyDir": {}}]
    talk.post("statefulsets", obj)

    def containers(*entries: object) -> None:
        talk.patch("statefulsets/web",
                   {"spec": {"template": {"spec": {"containers": list(entries)}}}}, STRATEGIC)

    containers({"name": "app", "env": [{"name": "B", "value": "2"}]})
    containers({"name": "app", "env": [{"name": "A", "value": "9"}], "args": ["y", "z"]})
    containers({"name": "app", "env": [{"name": "A", "$patch": "delete"}]})
    containers({"name": "app", "ports": [{"containerPort": 81}]})
    containers({"name": "app", "ports": [{"containerPort": 80, "$patch": "delete"}]})
    containers({"name": "side", "image": "side:1"})
    containers({"name": "side", "$patch": "delete"})
    containers({"name": "app", "env": None})
    containers({"$patch": "replace"}, {"name": "new", "image": "new:1"})
    talk.patch("statefulsets/web", {"spec": {"template": {"spec": {
        "volumes": [{"name": "w", "emptyDir": {}}]}}}}, STRATEGIC)


@case
def strategic_merge_of_maps(talk: Talk) -> None:
    talk.post("configmaps", changed(config_map(), "metadata/finalizers", ["test.example/a"]))
    talk.patch("configmaps/one", {"data": {"$patch": "replace", "z": "1"}}, STRATEGIC)
    talk.patch("configmaps/one", {"metadata": {"labels": {"a": "b"}}, "data": {"z": None}},
               STRATEGIC)
    talk.patch("configmaps/one", {"metadata": {"finalizers": ["test.example/b"]}}, STRATEGIC)
    talk.patch("configmaps/one", {"metadata": {"$deleteFromPrimitiveList/finalizers": [
        "test.example/a"]}}, STRATEGIC)
    talk.patch("configmaps/one", {"metadata": {"finalizers": None}}, STRATEGIC)


@case
def strategic_merge_that_does_not_fit(talk: Talk) -> None:
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"spec": {"template": {"spec": {"containers": [
        {"image": "app:b"}]}}}}, STRATEGIC)
    talk.patch("statefulsets/web", {"spec": {"template": {"spec": {"containers": "text"}}}},
               STRATEGIC)
    talk.patch("statefulsets/web", {"spec": {"$patch": "martian"}}, STRATEGIC)
    talk.patch("statefulsets/web", {"spec": "text"}, STRATEGIC)


@case
def apply_makes_and_changes(talk: Talk) -> None:
    talk.apply("configmaps/one", config_map(), "alice")
    talk.apply("configmaps/one", config_map(data={"a": "2", "b": "3"}), "alice")
    talk.apply("configmaps/one", config_map(data={"b": "3"}), "alice")
    talk.apply("configmaps/one", config_map(data={"b": "3"}), "alice")


@case
def apply_by_a_second_manager(talk: Talk) -> None:
    talk.apply("configmaps/one", config_map(), "alice")
    talk.apply("configmaps/one", config_map(data={"b": "2"}), "bob")
    talk.apply("configmaps/one", config_map(data={"a": "1"}), "bob")
    talk.apply("configmaps/one", config_map(data={"a": "9"}), "bob")
    talk.apply("configmaps/one", config_map(data={"a": "9"}), "bob", force="true")
    talk.apply("configmaps/one", config_map(data={}), "alice")
    talk.apply("configmaps/one", config_map(data={}), "bob")


@case
def apply_against_an_update(talk: Talk) -> None:
    talk.post("configmaps", config_map(), fieldManager="writer")
    talk.apply("configmaps/one", config_map(data={"a": "2", "b": "1"}), "alice")
    talk.apply("configmaps/one", config_map(data={"a": "1"}), "alice")
    talk.patch("configmaps/one", {"data": {"a": "7"}}, fieldManager="writer")
    talk.apply("configmaps/one", config_map(data={"a": "8"}), "alice", force="true")


@case
def apply_of_a_statefulset(talk: Talk) -> None:
    talk.apply("statefulsets/web", web(partition=3), "alice")
    talk.apply("statefulsets/web", web(partition=2, image="app:b"), "alice")
    talk.apply("statefulsets/web", changed(web(), "spec/updateStrategy", None), "alice")
    talk.apply("statefulsets/web", {
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"},
        "spec": {"replicas": 2}}, "bob")
    talk.apply("statefulsets/web", {
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"},
        "spec": {"replicas": 2}}, "bob", force="true")
    talk.apply("statefulsets/web", {
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"},
        "spec": {"template": {"spec": {"containers": [
            {"name": "side", "image": "side:1"}]}}}}, "carol")


@case
def apply_that_is_refused(talk: Talk) -> None:
    talk.patch("configmaps/one", config_map(), "application/apply-patch+yaml")
    talk.apply("configmaps/one", config_map("two"), "alice")
    talk.apply("configmaps/one", config_map(kind="Secret"), "alice")
    talk.apply("configmaps/one", {"metadata": {"name": "one"}, "data": {"a": "1"}}, "alice")
    talk.apply("configmaps/one", {**config_map(), "martian": 1}, "alice")
    talk.apply("configmaps/one", changed(config_map(), "metadata/managedFields", []), "alice")
    talk.post("configmaps", config_map())
    talk.patch("configmaps/one", {"data": {"a": "1"}}, force="true")


@case
def managers_of_fields(talk: Talk) -> None:
    talk.post("configmaps", config_map(), fieldManager="alice")
    talk.patch("configmaps/one", {"data": {"b": "2"}}, fieldManager="bob")
    talk.put("configmaps/one", config_map(data={"a": "1", "b": "3"}), fieldManager="carol")
    talk.patch("configmaps/one", {"metadata": {"labels": {"x": "y"}}}, fieldManager="bob")
    talk.patch("configmaps/one", {"metadata": {"managedFields": [{}]}})


@case
def managers_of_a_statefulset(talk: Talk) -> None:
    talk.post("statefulsets", web(partition=1), fieldManager="alice")
    talk.patch("statefulsets/web", {"spec": {"replicas": 2}}, fieldManager="bob")
    talk.patch("statefulsets/web/scale", {"spec": {"replicas": 3}}, fieldManager="scaler")
    talk.patch("statefulsets/web/status", {"status": {"replicas": 3}}, fieldManager="reporter")
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": {"rollingUpdate": {
        "partition": 0}}}}, fieldManager="alice")
