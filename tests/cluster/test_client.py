"""The operator's own client, a C++ program, against the real API server."""

from __future__ import annotations

import os
import subprocess

from harness.operator import may, service_account_kubeconfig
from harness.places import REPOSITORY
from harness.waiting import wait_for

PROGRAM = REPOSITORY / "build/release/tests/cluster/cluster_client"


def test_the_client_speaks_with_a_real_server(cluster, api, namespace, install):
    assert PROGRAM.exists(), f"{PROGRAM} is missing: run `tools/build release all`"
    install("crds")
    wait_for("PhasedRollouts to be served", lambda: api.list("PhasedRollout") is not None)
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": "client", "namespace": namespace},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": "cluster-admin"},
                "subjects": [{"kind": "ServiceAccount", "name": "client",
                              "namespace": namespace}]})
    kubeconfig = service_account_kubeconfig(cluster, namespace, "client")
    wait_for("the right to be in force", lambda: may(
        api, namespace, "client", namespace, verb="create", resource="configmaps"))
    done = subprocess.run([str(PROGRAM)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "SLUICE_TEST_KUBECONFIG": str(kubeconfig),
                               "SLUICE_TEST_NAMESPACE": namespace})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "[  PASSED  ] 14 tests" in done.stdout
