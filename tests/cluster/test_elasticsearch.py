"""The elasticsearch hook, on a real control plane, against a server that speaks its HTTP."""

from __future__ import annotations

import pytest

from harness.elasticsearch import Elasticsearch
from harness.operator import NAMESPACE
from harness.waiting import stays, wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, change_image, create_ready, images,
                               set_behaviour, wait_for_pods)
from pilot_world import (FLAGS, NAME, annotations, set_policies, subscribed, wait_for_reason,
                         wait_until_at_rest)

pytestmark = pytest.mark.abuse

HEALTH = ("GET", "/_cat/health?format=json")
SETTINGS = ("PUT", "/_cluster/settings")
SYNCED_FLUSH = ("POST", "/_flush/synced")
FLUSH = ("POST", "/_flush")


@pytest.fixture(autouse=True)
def rights(install, api):
    install("rbac")
    set_policies(api, True)


def cluster_of(api, namespace, server, **settings):
    notes = {"sluice.dev/elasticsearch-port": str(server.port), **settings}
    create_ready(api, subscribed(namespace, 2, hook="elasticsearch", annotations=notes))
    wait_until_at_rest(api, namespace, 2)


def whole_conversation(flush):
    before = [HEALTH, SETTINGS, *flush]
    after = [SETTINGS, HEALTH]
    return [*before, *after, *before, *after]


@pytest.mark.parametrize("modern, flush", [(False, [SYNCED_FLUSH]), (True, [SYNCED_FLUSH, FLUSH])],
                         ids=["with synced flush", "without"])
def test_allocation_is_off_while_a_pod_is_away_and_on_again_afterwards(api, namespace, operator,
                                                                       modern, flush):
    with Elasticsearch(modern=modern) as server:
        operator(*FLAGS)
        cluster_of(api, namespace, server)
        change_image(api, namespace, NAME, IMAGE_B)
        wait_for_pods(api, namespace, NAME, [IMAGE_B] * 2)
        wait_until_at_rest(api, namespace, 2)
        assert [(each.method, each.path) for each in server.asked] == whole_conversation(flush)
        assert server.allocation == "all"
        assert len({each.address for each in server.asked}) > 1


def test_pods_that_are_ready_only_in_a_green_cluster_do_not_stop_the_rollout(api, namespace,
                                                                             operator):
    """As readiness probes of Elasticsearch do: a pod that came back needs its shards first."""
    with Elasticsearch() as server:
        operator(*FLAGS)
        cluster_of(api, namespace, server)
        change_image(api, namespace, NAME, IMAGE_B, behaviour="unready")
        for pod in (f"{NAME}-1", f"{NAME}-0"):
            wait_for(f"{pod} to be let go", lambda: server.allocation == "new_primaries")
            server.health = "yellow"
            wait_for(f"{pod} to run, with shards that may move", lambda: (
                is_running(api, namespace, pod), server.allocation),
                lambda seen: seen == (True, "all"))
            server.health = "green"
            set_behaviour(api, namespace, pod, None)
        wait_for_pods(api, namespace, NAME, [IMAGE_B] * 2)
        wait_until_at_rest(api, namespace, 2)
        assert server.allocation == "all"


def is_running(api, namespace, pod):
    found = api.find("Pod", pod, namespace)
    return (found is not None and found["spec"]["containers"][0]["image"] == IMAGE_B
            and found.get("status", {}).get("phase") == "Running")


def test_a_yellow_cluster_holds_the_rollout(api, namespace, operator):
    with Elasticsearch() as server:
        server.health = "yellow"
        operator(*FLAGS)
        cluster_of(api, namespace, server)
        change_image(api, namespace, NAME, IMAGE_B)
        seen = wait_for_reason(api, namespace, "HookRefused")
        assert "yellow" in seen["sluice.dev/message"]
        assert server.allocation == "all"
        assert images(api, namespace, NAME) == [IMAGE_A] * 2
        server.health = "green"
        wait_for_pods(api, namespace, NAME, [IMAGE_B] * 2)


def test_the_login_comes_from_a_secret_that_the_tenant_lets_us_read(api, namespace, operator):
    password = "canary-7f3d51"
    with Elasticsearch(login=("elastic", password)) as server:
        one = operator(*FLAGS)
        api.create({"apiVersion": "v1", "kind": "Secret",
                    "metadata": {"name": "es-login", "namespace": namespace},
                    "stringData": {"username": "elastic", "password": password + "\n"}})
        cluster_of(api, namespace, server, **{"sluice.dev/elasticsearch-secret": "es-login"})
        change_image(api, namespace, NAME, IMAGE_B)
        seen = wait_for_reason(api, namespace, "HookRefused")
        assert "sluice-secret-reader" in seen["sluice.dev/message"]

        api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                    "metadata": {"name": "sluice-secret-reader", "namespace": namespace},
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                "name": "sluice-secret-reader"},
                    "subjects": [{"kind": "ServiceAccount", "name": "sluice",
                                  "namespace": NAMESPACE}]})
        wait_for_pods(api, namespace, NAME, [IMAGE_B] * 2)
        wait_until_at_rest(api, namespace, 2)
        told = (one.process.log.read_text() + str(annotations(api, namespace))
                + str(api.events(namespace, NAME)) + str(one.metrics()))
        assert password not in told


def test_pods_on_loopback_are_refused_unless_allowed(api, namespace, operator):
    with Elasticsearch() as server:
        operator("--hook-retry=1s")
        cluster_of(api, namespace, server)
        change_image(api, namespace, NAME, IMAGE_B)
        wait_for_reason(api, namespace, "HookRefused")
        stays("nothing is asked", lambda: server.asked, lambda asked: asked == [], seconds=2)
        wait_for("nothing to move", lambda: images(api, namespace, NAME),
                 lambda seen: seen == [IMAGE_A] * 2)
