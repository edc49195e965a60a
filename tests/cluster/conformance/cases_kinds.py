"""Create, get, list, replace and delete of every kind that the embedded server knows well."""

from __future__ import annotations

import copy

from harness.api import Object

from .objects import (claim, config_map, core_event, job, lease, new_event, pod, service, web)
from .talk import Talk, case


def life(talk: Talk, what: str, obj: Object, change: Object) -> None:
    """`change` is merged into the metadata of the object before it is replaced."""
    talk.post(what, obj)
    name = obj["metadata"]["name"]
    seen = talk.get(f"{what}/{name}")
    talk.get(what)
    after = copy.deepcopy(seen)
    after["metadata"].update(change)
    talk.put(f"{what}/{name}", after)
    talk.get(f"{what}/{name}")
    talk.delete(f"{what}/{name}")
    talk.get(f"{what}/{name}")


LABELS: Object = {"labels": {"tier": "db"}, "annotations": {"note": "hello"}}


@case
def life_of_a_config_map(talk: Talk) -> None:
    life(talk, "configmaps", config_map(binaryData={"b": "AAE="}), LABELS)


@case
def life_of_a_secret(talk: Talk) -> None:
    life(talk, "secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"},
                           "data": {"a": "MQ==", "b": "Mg=="}, "stringData": {"b": "two"}}, LABELS)


@case
def life_of_a_statefulset(talk: Talk) -> None:
    life(talk, "statefulsets", web(), LABELS)


@case
def life_of_a_pod(talk: Talk) -> None:
    life(talk, "pods", pod(), LABELS)


@case
def life_of_a_claim(talk: Talk) -> None:
    life(talk, "persistentvolumeclaims", claim(), LABELS)


@case
def life_of_a_service(talk: Talk) -> None:
    life(talk, "services", service(), LABELS)


@case
def life_of_a_headless_service(talk: Talk) -> None:
    life(talk, "services", service(clusterIP="None"), LABELS)


@case
def life_of_a_lease(talk: Talk) -> None:
    life(talk, "leases", lease(), LABELS)


@case
def life_of_a_job(talk: Talk) -> None:
    life(talk, "jobs", job(), LABELS)


@case
def life_of_a_service_account(talk: Talk) -> None:
    life(talk, "serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount",
                                   "metadata": {"name": "one"}}, LABELS)


@case
def life_of_a_core_event(talk: Talk) -> None:
    life(talk, "events", core_event(talk.namespace), LABELS)
    talk.get(f"/apis/events.k8s.io/v1/namespaces/{talk.namespace}/events")


@case
def life_of_a_new_event(talk: Talk) -> None:
    life(talk, f"/apis/events.k8s.io/v1/namespaces/{talk.namespace}/events",
         new_event(talk.namespace), LABELS)


@case
def a_new_event_is_seen_in_the_core_group(talk: Talk) -> None:
    talk.post(f"/apis/events.k8s.io/v1/namespaces/{talk.namespace}/events",
              new_event(talk.namespace))
    talk.get("events/one")
    talk.post("events", core_event(talk.namespace, "two"))
    talk.get(f"/apis/events.k8s.io/v1/namespaces/{talk.namespace}/events/two")


@case
def an_event_about_another_namespace(talk: Talk) -> None:
    talk.post("events", core_event("default"))
    talk.post("events", core_event(""))


@case
def life_of_a_namespace(talk: Talk) -> None:
    name = f"{talk.namespace}-more"
    talk.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                     "metadata": {"name": name}})
    seen = talk.get(f"/api/v1/namespaces/{name}")
    seen["metadata"]["labels"]["tier"] = "db"
    talk.put(f"/api/v1/namespaces/{name}", seen)
    talk.delete(f"/api/v1/namespaces/{name}")
    talk.get(f"/api/v1/namespaces/{name}")
    talk.post(f"/api/v1/namespaces/{name}/configmaps", config_map())


@case
def a_namespace_with_a_bad_name(talk: Talk) -> None:
    for name in ("Bad_Name", "a.b", "-a"):
        talk.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                         "metadata": {"name": name}})


@case
def life_of_a_disruption_budget(talk: Talk) -> None:
    what = f"/apis/policy/v1/namespaces/{talk.namespace}/poddisruptionbudgets"
    life(talk, what, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                      "metadata": {"name": "one"},
                      "spec": {"maxUnavailable": 1,
                               "selector": {"matchLabels": {"app": "x"}}}}, LABELS)


@case
def life_of_a_controller_revision(talk: Talk) -> None:
    life(talk, "controllerrevisions",
         {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "one"},
          "data": {"spec": {"a": 1}}, "revision": 3}, LABELS)


@case
def objects_of_every_namespace(talk: Talk) -> None:
    talk.post("configmaps", config_map("everywhere"))
    talk.get("/api/v1/configmaps", fieldSelector="metadata.name=everywhere,"
             f"metadata.namespace={talk.namespace}")
