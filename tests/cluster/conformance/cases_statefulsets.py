"""StatefulSets: defaults, what may not change, what is wrong, and their subresources."""

from __future__ import annotations

from harness.workloads import claim_template

from .objects import changed, web
from .talk import JSON_PATCH, Talk, case


@case
def an_update_strategy_that_is_left_out(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "spec/updateStrategy", None))
    talk.put("statefulsets/web", changed(web(partition=5), "spec/replicas", 0))
    talk.put("statefulsets/web", changed(web(), "spec/updateStrategy", None))


@case
def an_update_strategy_with_a_type_alone(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "spec/updateStrategy", {"type": "RollingUpdate"}))
    talk.put("statefulsets/web", web(partition=5))
    talk.put("statefulsets/web", changed(web(), "spec/updateStrategy", {"type": "RollingUpdate"}))


@case
def an_update_strategy_with_an_empty_rolling_update(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "spec/updateStrategy", {"rollingUpdate": {}}))
    talk.put("statefulsets/web", web(partition=5))
    talk.put("statefulsets/web", changed(web(), "spec/updateStrategy", {
        "type": "RollingUpdate", "rollingUpdate": {}}))
    talk.put("statefulsets/web", changed(web(), "spec/updateStrategy", {}))


@case
def a_merge_patch_of_the_update_strategy(talk: Talk) -> None:
    talk.post("statefulsets", web(partition=5))
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": {"type": "OnDelete"}}})
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": {
        "type": "OnDelete", "rollingUpdate": None}}})
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": {"type": "RollingUpdate"}}})
    talk.patch("statefulsets/web", [{"op": "remove", "path": "/spec/updateStrategy"}], JSON_PATCH)


@case
def a_statefulset_with_everything_left_out(talk: Talk) -> None:
    obj = web()
    obj["spec"] = {"selector": obj["spec"]["selector"], "template": obj["spec"]["template"],
                   "serviceName": "web"}
    del obj["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    talk.post("statefulsets", obj)


@case
def a_statefulset_without_a_service_name(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "spec/serviceName", None))


@case
def a_statefulset_with_everything_set(talk: Talk) -> None:
    obj = web(claim="data", min_ready_seconds=7, ordinals_start=3,
              pod_management_policy="Parallel")
    obj["spec"]["revisionHistoryLimit"] = 2
    obj["spec"]["persistentVolumeClaimRetentionPolicy"] = {"whenScaled": "Delete"}
    obj["spec"]["template"]["spec"].update({
        "nodeSelector": {"a": "b"}, "priorityClassName": "", "hostname": "h", "subdomain": "s",
        "readinessGates": [{"conditionType": "test.example/ready"}],
        "initContainers": [{"name": "before", "image": "init"}],
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "topologySpreadConstraints": [{
            "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "web"}}}],
        "volumes": [{"name": "c", "configMap": {"name": "x"}}, {"name": "e", "emptyDir": {}},
                    {"name": "s", "secret": {"secretName": "x"}},
                    {"name": "h", "hostPath": {"path": "/x"}},
                    {"name": "p", "projected": {"sources": [{"downwardAPI": {"items": [
                        {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}}]}},
                    {"name": "d", "downwardAPI": {"items": [
                        {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}}]})
    probe = {"httpGet": {"port": 80}, "initialDelaySeconds": 3}
    obj["spec"]["template"]["spec"]["containers"][0].update({
        "livenessProbe": probe, "readinessProbe": {"tcpSocket": {"port": 80}},
        "startupProbe": {"exec": {"command": ["true"]}},
        "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
        "env": [{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": 1}},
        "lifecycle": {"preStop": {"httpGet": {"port": 1, "path": "/x"}}}})
    talk.post("statefulsets", obj)


@case
def what_may_not_change_in_a_statefulset(talk: Talk) -> None:
    first = talk.post("statefulsets", web(claim="data"))
    for path, value in (("spec/serviceName", "other"), ("spec/podManagementPolicy", "Parallel"),
                        ("spec/selector/matchLabels", {"app": "other"}),
                        ("spec/volumeClaimTemplates/0/metadata/name", "more")):
        talk.put("statefulsets/web", changed(changed(first, path, value),
                                             "metadata/resourceVersion", None))
    talk.patch("statefulsets/web", {"spec": {"volumeClaimTemplates": None}})
    talk.patch("statefulsets/web", {"spec": {"volumeClaimTemplates": [claim_template("x")]}})


@case
def what_may_change_in_a_statefulset(talk: Talk) -> None:
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"spec": {
        "replicas": 1, "minReadySeconds": 3, "revisionHistoryLimit": 1, "ordinals": {"start": 2},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"},
        "updateStrategy": {"rollingUpdate": {"partition": 4}},
        "template": {"metadata": {"annotations": {"a": "b"}}}}})
    talk.patch("statefulsets/web", {"spec": {"ordinals": None}})
    talk.patch("statefulsets/web", {"spec": {"persistentVolumeClaimRetentionPolicy": None}})


@case
def numbers_that_are_negative(talk: Talk) -> None:
    for path in ("spec/replicas", "spec/minReadySeconds", "spec/revisionHistoryLimit",
                 "spec/updateStrategy/rollingUpdate/partition", "spec/ordinals/start"):
        talk.post("statefulsets", changed(web(), path, -1))
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"spec": {"replicas": -1}})
    talk.patch("statefulsets/web", {"spec": {"updateStrategy": {"rollingUpdate": {
        "partition": -5}}}})


@case
def selectors_that_do_not_fit(talk: Talk) -> None:
    talk.post("statefulsets", changed(web(), "spec/selector/matchLabels", {"app": "other"}))
    talk.post("statefulsets", changed(web(), "spec/selector", {}))
    talk.post("statefulsets", changed(web(), "spec/selector", None))
    talk.post("statefulsets", changed(web(), "spec/template/metadata/labels", None))
    talk.post("statefulsets", web())
    talk.patch("statefulsets/web", {"spec": {"template": {"metadata": {"labels": {
        "app": "other"}}}}})


@case
def templates_that_are_wrong(talk: Talk) -> None:
    container = "spec/template/spec/containers/0"
    for path, value in ((f"{container}/image", None), (f"{container}/name", None),
                        (f"{container}/name", "Upper"), (f"{container}/image", " x"),
                        ("spec/template/spec/containers", []), ("spec/template", None),
                        (f"{container}/ports", [{"containerPort": 0}]),
                        (f"{container}/imagePullPolicy", "Perhaps"),
                        ("spec/template/spec/restartPolicy", "Never"),
                        ("spec/template/spec/dnsPolicy", "Nowhere"),
                        ("spec/template/spec/terminationGracePeriodSeconds", -1),
                        ("spec/template/spec/activeDeadlineSeconds", 5),
                        (f"{container}/env", [{"value": "x"}]),
                        (f"{container}/volumeMounts", [{"name": "x", "mountPath": "/x"}])):
        talk.post("statefulsets", changed(web(), path, value))
    twice = web()
    twice["spec"]["template"]["spec"]["containers"] *= 2
    talk.post("statefulsets", twice)


@case
def policies_that_are_wrong(talk: Talk) -> None:
    for path, value in (("spec/podManagementPolicy", "Sometimes"),
                        ("spec/updateStrategy/type", "Sometimes"),
                        ("spec/updateStrategy", {"type": "OnDelete",
                                                 "rollingUpdate": {"partition": 1}}),
                        ("spec/persistentVolumeClaimRetentionPolicy", {"whenScaled": "Perhaps"})):
        talk.post("statefulsets", changed(web(), path, value))


@case
def an_empty_statefulset(talk: Talk) -> None:
    talk.post("statefulsets", {"apiVersion": "apps/v1", "kind": "StatefulSet",
                               "metadata": {"name": "web"}})
    talk.post("statefulsets", {"apiVersion": "apps/v1", "kind": "StatefulSet",
                               "metadata": {"name": "web"}, "spec": {}})


@case
def the_status_of_a_statefulset(talk: Talk) -> None:
    first = talk.post("statefulsets", {**web(), "status": {"replicas": 7}})
    talk.get("statefulsets/web/status")
    written = changed(first, "status", {"replicas": 3, "readyReplicas": 2,
                                        "observedGeneration": 1})
    written["spec"]["replicas"] = 9
    written["metadata"]["labels"] = {"a": "b"}
    talk.put("statefulsets/web/status", written)
    talk.patch("statefulsets/web/status", {"status": {"readyReplicas": 1}, "spec": {
        "replicas": 5}})
    talk.patch("statefulsets/web", {"status": {"readyReplicas": 3}})
    talk.patch("statefulsets/web/status", {"status": {"replicas": -1}})
    talk.patch("statefulsets/web/status", {"status": {"readyReplicas": 9}})
    talk.patch("statefulsets/web/status", {"status": None})


@case
def the_scale_of_a_statefulset(talk: Talk) -> None:
    talk.post("statefulsets", web())
    scale = talk.get("statefulsets/web/scale")
    scale["spec"]["replicas"] = 2
    talk.put("statefulsets/web/scale", scale)
    talk.put("statefulsets/web/scale", scale)
    talk.patch("statefulsets/web/scale", {"spec": {"replicas": 3}})
    talk.patch("statefulsets/web/scale", [{"op": "replace", "path": "/spec/replicas",
                                           "value": 4}], JSON_PATCH)
    talk.patch("statefulsets/web/scale", {"spec": {"replicas": -1}})
    talk.patch("statefulsets/web/scale", {"spec": {"replicas": 1}}, dryRun="All")
    talk.get("statefulsets/web")


@case
def a_scale_that_does_not_fit(talk: Talk) -> None:
    talk.post("statefulsets", web())
    talk.put("statefulsets/web/scale", {
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "other"},
        "spec": {"replicas": 1}})
    talk.put("statefulsets/web/scale", {
        "apiVersion": "autoscaling/v1", "kind": "Scale",
        "metadata": {"name": "web", "namespace": talk.namespace}, "spec": {"replicas": 1}})
    talk.put("statefulsets/web/scale", {
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {}, "spec": {}})
    talk.put("statefulsets/nobody/scale", {
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "nobody"},
        "spec": {"replicas": 1}})
    talk.put("statefulsets/web/scale", web())
