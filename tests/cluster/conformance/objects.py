"""The objects that the cases send; each is made anew, so that a case may change it."""

from __future__ import annotations

import copy
from typing import Any

from harness.api import Object
from harness.workloads import statefulset


def config_map(name: str | None = "one", **more: Any) -> Object:
    meta = {"name": name} if name else {}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": "1"}, **more}


def labelled(name: str, **labels: str) -> Object:
    obj = config_map(name)
    obj["metadata"]["labels"] = labels
    return obj


def web(**more: Any) -> Object:
    """A StatefulSet without pods; most of what a server says can be seen on one."""
    obj = statefulset("web", "", more.pop("replicas", 0), **more)
    del obj["metadata"]["namespace"]
    return obj


def changed(obj: Object, path: str, value: Any) -> Object:
    """A copy with another value at "spec/replicas"; None takes the field out."""
    copied = copy.deepcopy(obj)
    *parents, last = path.split("/")
    at = copied
    for key in parents:
        at = at[int(key)] if isinstance(at, list) else at.setdefault(key, {})
    if value is None:
        at.pop(last, None)
    elif isinstance(at, list):
        at[int(last)] = value
    else:
        at[last] = value
    return copied


def pod(name: str = "one", **more: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "x"}},
            "spec": {"containers": [{"name": "app", "image": "app:a"}], **more}}


def job(name: str = "one", **more: Any) -> Object:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "app", "image": "app:a"}]}}, **more}}


def claim(name: str = "data") -> Object:
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": "1Gi"}}}}


def service(name: str = "one", **more: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}], **more}}


def lease(name: str = "one") -> Object:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name},
            "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15,
                     "renewTime": "2026-01-01T00:00:00.000000Z"}}


def core_event(namespace: str, name: str = "one") -> Object:
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name},
            "involvedObject": {"kind": "Pod", "name": "x", "namespace": namespace},
            "reason": "Tested", "message": "It was tested.", "type": "Normal",
            "source": {"component": "conformance"},
            "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z",
            "count": 1}


def new_event(namespace: str, name: str = "one") -> Object:
    return {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": name},
            "regarding": {"kind": "Pod", "name": "x", "namespace": namespace},
            "reason": "Tested", "note": "It was tested.", "type": "Normal", "action": "Test",
            "reportingController": "conformance.test/suite", "reportingInstance": "one",
            "eventTime": "2026-01-01T00:00:00.000000Z"}


def gates(group: str, **spec: Any) -> Object:
    """The definition of a kind with a schema, a status subresource and a scale subresource."""
    schema = {"type": "object", "required": ["spec"], "properties": {
        "spec": {"type": "object", "required": ["width"], "properties": {
            "width": {"type": "integer", "minimum": 1, "maximum": 9},
            "colour": {"type": "string", "enum": ["red", "green"], "default": "green"},
            "label": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
            "tags": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
            "replicas": {"type": "integer", "default": 1},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "deep": {"type": "object", "properties": {
                "depth": {"type": "integer", "default": 3}}}}},
        "status": {"type": "object", "properties": {
            "state": {"type": "string"}, "replicas": {"type": "integer"},
            "selector": {"type": "string"}}}}}
    version = {"name": "v1", "served": True, "storage": True,
               "schema": {"openAPIV3Schema": schema},
               "subresources": {"status": {}, "scale": {
                   "specReplicasPath": ".spec.replicas",
                   "statusReplicasPath": ".status.replicas",
                   "labelSelectorPath": ".status.selector"}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"gates.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": "Gate", "plural": "gates"}, "versions": [version], **spec}}


def gate(group: str, name: str = "narrow", **spec: Any) -> Object:
    return {"apiVersion": f"{group}/v1", "kind": "Gate", "metadata": {"name": name},
            "spec": {"width": 1, **spec}}
