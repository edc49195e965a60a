"""What the manifests let the operator do. Every right is a line of rbac.golden, so that a new one
shows in a diff; after a change that is meant, write the file anew:

    python3 tests/style/test_rbac.py > tests/style/rbac.golden
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
DEPLOY = REPOSITORY / "deploy"
GOLDEN = Path(__file__).with_name("rbac.golden")

SECRET_READER = "sluice-secret-reader"
# Bound by the owner of a namespace, in it, and by nobody else.
BOUND_BY_TENANTS = {SECRET_READER, "sluice-analysis-jobs", "sluice-config",
                    "sluice-extendedjob-jobs", "sluice-extendedstatefulset-jobs"}
# What may be done to Secrets: reading one where a tenant allows it; seeing which of them change and
# saying who owns them, likewise, and making and reading the key of digests, beside the operator.
ON_SECRETS = (
    (f"ClusterRole {SECRET_READER}", ["get"], None),
    ("ClusterRole sluice-config", ["get", "list", "watch", "patch"], None),
    ("Role sluice-config-key", ["get"], ["sluice-config-key"]),
    ("Role sluice-config-key", ["create"], None),
    ("ClusterRole sluice-extendedjob-jobs", ["create", "patch"], None),
)
OPERATOR = {"kind": "ServiceAccount", "name": "sluice", "namespace": "sluice-system"}
READING = {"get", "list", "watch"}
RULES_MAX = 47
VERBS_NEVER = {"escalate", "bind", "impersonate", "deletecollection", "approve", "sign"}
RESOURCES_NEVER = {
    "pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "pods/ephemeralcontainers",
    "nodes/proxy", "services/proxy", "serviceaccounts/token",
}
# For some resources, all verbs that anybody may ever ask for.
VERBS_AT_MOST = {
    "pods": READING,
    "persistentvolumeclaims": READING,
    "services": READING,
    "statefulsets": READING | {"patch"},
    "leases": {"create", "get", "update", "delete"},
    "phasedrollouts": READING | {"patch"},
    "phasedrollouts/status": {"patch"},
    "rolloutplugins": READING | {"patch"},
    "rolloutplugins/status": {"patch"},
    "analysistemplates": READING,
    "clusteranalysistemplates": READING,
    "analysisruns": READING | {"create", "patch", "delete"},
    "extendedjobs": READING | {"patch"},
    "extendedjobs/status": {"patch"},
    "namespaces": {"get"},
    "pods/log": {"get"},
    "extendedstatefulsets": READING | {"patch"},
    "extendedstatefulsets/finalizers": {"update"},
    "extendedstatefulsets/status": {"patch"},
    "statefulclusters": READING | {"patch"},
    "statefulclusters/status": {"patch"},
    "controllerrevisions": READING,
}
# Whoever owns objects makes and deletes them; one role for each such API has these rights, and only
# where it is served.
MAKES = {
    "ClusterRole sluice-statefulcluster": {
        "pods": {"create", "patch"}, "persistentvolumeclaims": {"create", "delete"},
        "controllerrevisions": {"create", "delete"}},
    "ClusterRole sluice-extendedstatefulset": {
        "statefulsets": {"create", "delete"}, "controllerrevisions": {"create", "delete"},
        "services": {"patch"},
        "persistentvolumeclaims": {"create", "patch", "delete"}},
}

# A rollback, an abort and a pod that is stuck: all APIs delete pods, and they have one role for it.
DELETES_PODS = {"ClusterRole sluice-workloads"}
# Whoever makes Jobs can run anything.
# Each of these roles is consent for one API, and says for which by a verb on what it runs Jobs for.
JOBS = {"ClusterRole sluice-analysis-jobs": "analysisruns",
        "ClusterRole sluice-extendedjob-jobs": "extendedjobs",
        "ClusterRole sluice-extendedstatefulset-jobs": "extendedstatefulsets"}
# What Jobs print is read, and kept in Secrets, which are not read.
KEEPS_OUTPUT = "ClusterRole sluice-extendedjob-jobs"

Object = dict[str, Any]


def shipped(*folders: str) -> list[Object]:
    files = [file for folder in folders for file in sorted((DEPLOY / folder).glob("*.yaml"))]
    return [obj for file in files for obj in yaml.safe_load_all(file.read_text()) if obj]


def rules(objects: list[Object]) -> Iterator[tuple[str, Object]]:
    for obj in objects:
        for rule in obj.get("rules") or []:
            yield f"{obj['kind']} {obj['metadata']['name']}", rule


def rights(objects: list[Object]) -> list[str]:
    """Lines such as `ClusterRole sluice: apps/statefulsets get`."""
    lines = []
    for role, rule in rules(objects):
        names = f" [{', '.join(rule['resourceNames'])}]" if "resourceNames" in rule else ""
        lines += [f"{role}: {group or 'core'}/{resource} {verb}{names}"
                  for group in rule["apiGroups"] for resource in rule["resources"]
                  for verb in rule["verbs"]]
    return sorted(lines)


def faults_of_rule(role: str, rule: Object) -> Iterator[str]:
    words = [word for values in rule.values() for word in values]
    if any("*" in word for word in words):
        yield f"{role}: a wildcard in {rule}"
    if "nonResourceURLs" in rule:
        yield f"{role}: a right outside the API in {rule}"
    for verb in VERBS_NEVER & set(rule["verbs"]):
        yield f"{role}: the verb {verb}"
    for resource in rule.get("resources", []):
        if resource in RESOURCES_NEVER:
            yield f"{role}: the resource {resource}"
        at_most = VERBS_AT_MOST.get(resource, set(rule["verbs"]))
        if role in DELETES_PODS and resource == "pods":
            at_most = at_most | {"delete"}
        if JOBS.get(role) == resource:
            at_most = at_most | {"run-jobs"}
        at_most = at_most | MAKES.get(role, {}).get(resource, set())
        for verb in set(rule["verbs"]) - at_most:
            yield f"{role}: {verb} on {resource}"
        if resource == "pods/log" and role != KEEPS_OUTPUT:
            yield f"{role}: reads logs"
        if resource == "jobs" and role not in JOBS:
            yield f"{role}: {rule['verbs']} on jobs"
        on_secrets = (role, rule["verbs"], rule.get("resourceNames"))
        if resource == "secrets" and on_secrets not in ON_SECRETS:
            yield f"{role}: {rule['verbs']} on secrets"


def faults_of_binding(binding: Object) -> Iterator[str]:
    name = f"{binding['kind']} {binding['metadata']['name']}"
    if binding["roleRef"]["name"] in BOUND_BY_TENANTS:
        yield f"{name}: {binding['roleRef']['name']} is bound by a tenant, in a namespace"
    if binding["subjects"] != [OPERATOR]:
        yield f"{name}: binds somebody else than the operator"
    if not binding["roleRef"]["name"].startswith("sluice"):
        yield f"{name}: binds a role that we do not ship"


def faults(objects: list[Object]) -> list[str]:
    found = [fault for role, rule in rules(objects) for fault in faults_of_rule(role, rule)]
    for obj in objects:
        if obj["kind"].endswith("Binding"):
            found += faults_of_binding(obj)
        if "aggregationRule" in obj:
            found.append(f"{obj['metadata']['name']}: grows by aggregation")
    return found


def test_the_shipped_roles_have_no_fault() -> None:
    assert faults(shipped("rbac", "namespaced")) == []


def test_every_right_is_in_the_golden_file() -> None:
    assert "\n".join(rights(shipped("rbac"))) + "\n" == GOLDEN.read_text()


def test_rights_are_few_and_come_from_one_folder() -> None:
    assert len(list(rules(shipped("rbac")))) <= RULES_MAX
    folders = [path.name for path in DEPLOY.iterdir() if path.is_dir() and path.name != "rbac"]
    elsewhere = {obj["kind"] for obj in shipped(".", *folders)
                 if obj["apiVersion"].startswith("rbac.")}
    assert elsewhere == {"RoleBinding"}, "roles, and bindings for everywhere, are in deploy/rbac"


def test_each_role_to_run_jobs_is_consent_for_one_api_and_can_be_bound_by_admins() -> None:
    roles = {f"{obj['kind']} {obj['metadata']['name']}": obj for obj in shipped("rbac")}
    for name, resource in JOBS.items():
        consent = [rule["resources"] for rule in roles[name]["rules"]
                   if "run-jobs" in rule["verbs"]]
        assert consent == [[resource]]
        labels = roles[name]["metadata"]["labels"]
        assert labels["rbac.authorization.k8s.io/aggregate-to-admin"] == "true"


def test_in_namespaces_the_same_roles_are_bound_as_everywhere() -> None:
    names = {file.stem for file in (DEPLOY / "namespaced").glob("*.yaml")}
    everywhere = {file.name.removesuffix("-everywhere.yaml"): yaml.safe_load(file.read_text())
                  for file in (DEPLOY / "rbac").glob("*-everywhere.yaml")}
    assert names == set(everywhere) == {"extendedjob", "extendedstatefulset", "phasedrollout",
                                        "rolloutplugin", "statefulcluster", "workloads"}
    for name, binding in everywhere.items():
        in_one = yaml.safe_load((DEPLOY / "namespaced" / f"{name}.yaml").read_text())
        assert (in_one["kind"], in_one["metadata"]["namespace"]) == ("RoleBinding", "NAMESPACE")
        assert binding["kind"] == "ClusterRoleBinding"
        assert in_one["roleRef"] == binding["roleRef"]
        assert in_one["metadata"]["name"] == binding["metadata"]["name"] == f"sluice-{name}"


def test_the_operator_can_look_whether_each_policy_is_there() -> None:
    """One that it may not read counts as missing, and the promise is Detect everywhere."""
    shipped_names = {(obj["kind"].lower(), obj["metadata"]["name"]) for obj in shipped("policies")}
    readable = {(resource.removesuffix("ies") + "y" if resource.endswith("ies")
                 else resource.removesuffix("s"), name)
                for role, rule in rules(shipped("rbac")) if role == "ClusterRole sluice-policies"
                for resource in rule["resources"] for name in rule["resourceNames"]}
    assert shipped_names - readable == set()


def test_the_examples_bind_in_one_namespace_what_tenants_bind() -> None:
    examples = [obj for obj in shipped("optional") if obj["kind"] == "RoleBinding"]
    assert {example["roleRef"]["name"] for example in examples} == BOUND_BY_TENANTS
    for example in examples:
        assert example["metadata"]["namespace"] not in ("", "sluice-system", "kube-system")
        assert example["subjects"] == [OPERATOR]


def role(kind: str = "ClusterRole", name: str = "sluice", **rule: list[str]) -> Object:
    whole = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], **rule}
    return {"kind": kind, "metadata": {"name": name}, "rules": [whole]}


def binding(kind: str = "ClusterRoleBinding", to: str = "sluice", **subject: str) -> Object:
    return {"kind": kind, "metadata": {"name": "b"}, "roleRef": {"name": to},
            "subjects": [{**OPERATOR, **subject}]}


@pytest.mark.parametrize("planted", [
    role(verbs=["*"]), role(resources=["*"]), role(apiGroups=["*"]), role(resources=["pods/*"]),
    role(resources=["secrets"], verbs=["list"]), role(resources=["secrets"]),
    role(name=SECRET_READER, resources=["secrets"], verbs=["get", "list"]),
    role(kind="Role", name=SECRET_READER, resources=["secrets"]),
    role(resources=["pods/exec"], verbs=["create"]), role(verbs=["delete"]),
    role(name="sluice-workloads", verbs=["patch"]),
    role(name="sluice-phasedrollout", verbs=["delete"]),
    role(kind="Role", name="sluice-workloads", verbs=["delete"]),
    role(resources=["clusterroles"], verbs=["escalate"]),
    role(resources=["users"], verbs=["impersonate"]),
    role(apiGroups=["apps"], resources=["statefulsets"], verbs=["update"]),
    role(resources=["persistentvolumeclaims"], verbs=["delete"]), role(verbs=["create"]),
    role(name="sluice-workloads", verbs=["create"]),
    role(name="sluice-statefulcluster", verbs=["delete"]),
    role(name="sluice-statefulcluster", resources=["persistentvolumeclaims"], verbs=["patch"]),
    role(name="sluice-workloads", apiGroups=["apps"], resources=["controllerrevisions"],
         verbs=["delete"]),
    role(name="sluice-statefulcluster", apiGroups=["apps"], resources=["statefulsets"],
         verbs=["delete"]),
    role(name="sluice-extendedstatefulset", verbs=["create"]),
    role(name="sluice-workloads", resources=["services"], verbs=["patch"]),
    role(apiGroups=["sts.plus"], resources=["phasedrollouts"], verbs=["delete"]),
    role(apiGroups=["sts.plus"], resources=["phasedrollouts/status"], verbs=["update"]),
    role(apiGroups=["argoproj.io"], resources=["rolloutplugins"], verbs=["delete"]),
    role(apiGroups=["argoproj.io"], resources=["clusteranalysistemplates"], verbs=["create"]),
    role(name="sluice-rolloutplugin", apiGroups=["batch"], resources=["jobs"], verbs=["create"]),
    role(nonResourceURLs=["/debug"]), binding(to=SECRET_READER),
    role(name="sluice-extendedjob-jobs", resources=["secrets"]),
    role(name="sluice-extendedjob", resources=["secrets"], verbs=["create", "patch"]),
    role(name="sluice-extendedjob", resources=["pods/log"]),
    role(name="sluice-extendedjob", apiGroups=["batch"], resources=["jobs"], verbs=["create"]),
    role(apiGroups=["fissile.cloudfoundry.org"], resources=["extendedjobs"], verbs=["delete"]),
    binding(to="sluice-extendedjob-jobs"), binding(to="sluice-analysis-jobs"),
    binding(to="sluice-extendedstatefulset-jobs"),
    role(name="sluice-extendedstatefulset-jobs", resources=["secrets"], verbs=["create", "patch"]),
    role(name="sluice-extendedstatefulset-jobs", resources=["pods/log"]),
    role(apiGroups=["argoproj.io"], resources=["analysisruns"], verbs=["run-jobs"]),
    role(name="sluice-extendedjob-jobs", resources=["extendedstatefulsets"], verbs=["run-jobs"]),
    binding(kind="RoleBinding", to="sluice-analysis-jobs"),
    binding(kind="RoleBinding", to=SECRET_READER), binding(to="cluster-admin"),
    binding(name="default"), {**role(), "aggregationRule": {}},
], ids=str)
def test_a_planted_fault_is_found(planted: Object) -> None:
    assert faults([role(), binding()]) == []
    assert faults([planted]) != []


if __name__ == "__main__":
    sys.stdout.write("\n".join(rights(shipped("rbac"))) + "\n")
