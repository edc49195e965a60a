"""The fake kubelets: kwok's fast stages, bent so that an annotation steers a pod's fate."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import yaml

BEHAVIOUR = "sluice.test/behaviour"
UNREADY, CRASHING, FAILING, UNENDING = "unready", "crashing", "failing", "unending"

ZONE_LABEL = "topology.kubernetes.io/zone"
ZONES = ("zone-a", "zone-b", "zone-c")

_OWN_STAGES = Path(__file__).with_name("stages.yaml")
_BEHAVIOUR_OF = f'.metadata.annotations["{BEHAVIOUR}"]'
_RESTRICTIONS = {
    "pod-ready": (_BEHAVIOUR_OF, [UNREADY, CRASHING, FAILING]),
    "pod-complete": (_BEHAVIOUR_OF, [UNREADY, CRASHING, FAILING, UNENDING]),
    # kwok deletes by name alone. A pod without grace is removed by the API server itself; kwok,
    # coming late, would delete its successor.
    "pod-delete": (".metadata.deletionGracePeriodSeconds | tostring", ["0"]),
}


def write_kwok_config(fast_stages: Path, config: Path) -> list[dict[str, Any]]:
    """Writes all Stages to one file; returns the ordinary objects found among them."""
    files = [*sorted(fast_stages.glob("*.yaml")), _OWN_STAGES]
    documents = [d for file in files for d in yaml.safe_load_all(file.read_text())]
    stages = [d for d in documents if d["kind"] == "Stage"]
    for stage in stages:
        _restrict(stage)
        _aim_at_one_pod(stage)
    config.write_text(yaml.safe_dump_all(stages))
    return [d for d in documents if d["kind"] != "Stage"]


def _restrict(stage: dict[str, Any]) -> None:
    if stage["metadata"]["name"] in _RESTRICTIONS:
        key, excluded = _RESTRICTIONS[stage["metadata"]["name"]]
        stage["spec"]["selector"]["matchExpressions"].append(
            {"key": key, "operator": "NotIn", "values": excluded})


def _aim_at_one_pod(stage: dict[str, Any]) -> None:
    """Adds the pod's UID to status patches, which kwok too sends to a name alone."""
    if stage["spec"]["resourceRef"]["kind"] != "Pod" or "next" not in stage["spec"]:
        return
    template = stage["spec"]["next"].pop("statusTemplate", None)
    if template is not None:
        stage["spec"]["next"]["patches"] = [{
            "subresource": "status",
            "template": "metadata:\n  uid: {{ .metadata.uid | Quote }}\nstatus:\n"
                        + textwrap.indent(template, "  ")}]


def node(name: str, zone: str) -> dict[str, Any]:
    size = {"cpu": "10k", "memory": "10Ti", "pods": "100k"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                ZONE_LABEL: zone,
            },
        },
        "status": {"allocatable": size, "capacity": size},
    }
