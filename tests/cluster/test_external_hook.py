"""An external hook over TLS, its authority and login in Secrets, as docs/hooks.md tells."""

from __future__ import annotations

import pytest

from harness.hookserver import status
from harness.operator import NAMESPACE
from harness.workloads import IMAGE_A, IMAGE_B, change_image, create_ready, images, wait_for_pods
from pilot_world import (FLAGS, NAME, annotations, calls, declare_hooks, set_policies, subscribed,
                         wait_for_reason, wait_until_at_rest, whole_rollout)

pytestmark = pytest.mark.abuse

TOKEN = "canary-5b0c9e"


@pytest.fixture(autouse=True)
def rights(install, api):
    install("rbac")
    set_policies(api, True)


def let_sluice_read_secrets(api, namespace):
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": "sluice-secret-reader", "namespace": namespace},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": "sluice-secret-reader"},
                "subjects": [{"kind": "ServiceAccount", "name": "sluice",
                              "namespace": NAMESPACE}]})


def secret(api, namespace, name, data):
    api.create({"apiVersion": "v1", "kind": "Secret", "stringData": data,
                "metadata": {"name": name, "namespace": namespace}})


def declared(https_hook, *more):
    lines = [f"url: {https_hook.url}/ask", "timeout: 60s", *more]
    return {"careful": "\n".join(lines)}


def test_authority_and_headers_come_from_secrets_of_the_set(cluster, api, namespace, operator,
                                                            https_hook):
    declare_hooks(api, declared(https_hook, "caSecret: hook-ca", "headersSecret: hook-login"))
    secret(api, namespace, "hook-ca", {"ca.crt": cluster.authority.certificate.read_text()})
    secret(api, namespace, "hook-login", {"Authorization": f"Bearer {TOKEN}"})
    let_sluice_read_secrets(api, namespace)
    one = operator(*FLAGS)
    create_ready(api, subscribed(namespace))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(https_hook, namespace) == whole_rollout(3)
    for request in https_hook.requests:
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"
        assert request.headers["Idempotency-Key"] == request.json["idempotencyKey"]
        assert request.json["statefulset"] == NAME and request.json["namespace"] == namespace
    told = (one.process.log.read_text() + str(annotations(api, namespace))
            + str(api.events(namespace, NAME)) + str(one.metrics()))
    assert TOKEN not in told


def test_a_certificate_that_nobody_vouches_for_is_a_refusal(api, namespace, operator, https_hook):
    declare_hooks(api, declared(https_hook))
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, 1))
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "HookRefused")
    assert "certificate" in seen["sluice.dev/message"]
    assert https_hook.requests == [] and images(api, namespace, NAME) == [IMAGE_A]


def test_a_secret_of_another_namespace_is_not_found(cluster, api, namespace, operator, https_hook):
    declare_hooks(api, declared(https_hook, "caSecret: only-elsewhere"))
    let_sluice_read_secrets(api, namespace)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, 1))
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "HookRefused")
    assert "only-elsewhere" in seen["sluice.dev/message"]
    assert images(api, namespace, NAME) == [IMAGE_A]


def test_a_change_of_the_declaration_is_taken_up_without_a_restart(api, namespace, operator, hook):
    declare_hooks(api, {"careful": f"url: {hook.url}/old\n"})
    hook.answer(status(503))
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, 1))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "HookRefused")
    hook.answer(lambda request: status(200 if request.path == "/new" else 503))
    declare_hooks(api, {"careful": f"url: {hook.url}/new\n"})
    wait_for_pods(api, namespace, NAME, [IMAGE_B])
