"""A server that cannot stream lists, as most were before: the operator lists in pages instead."""

from __future__ import annotations

import pytest

from harness.controlplane import ControlPlane
from harness.operator import Operator, install, service_account_kubeconfig
from harness.workloads import IMAGE_B, change_image, create_ready, wait_for_pods
from pilot_world import FLAGS, NAME, annotations, subscribed, wait_until_at_rest

pytestmark = pytest.mark.abuse


@pytest.fixture(scope="module")
def older(request):
    plane = ControlPlane(apiserver_flags=("--feature-gates=WatchList=false",))
    plane.start()
    yield plane
    plane.stop(keep_logs=request.session.testsfailed > 0)


def test_a_rollout_without_streamed_lists_and_without_policies(older):
    api = older.api
    install(api, "rbac")
    one = Operator(older, service_account_kubeconfig(older), "operator", FLAGS)
    try:
        create_ready(api, subscribed("default", hook="noop"))
        wait_until_at_rest(api, "default", 3)
        change_image(api, "default", NAME, IMAGE_B)
        wait_for_pods(api, "default", NAME, [IMAGE_B] * 3)
        wait_until_at_rest(api, "default", 3)
        assert annotations(api, "default")["sluice.dev/guarantee"] == "Detect"
        lists = [name for name in one.metrics()
                 if 'verb="list"' in name and 'resource="statefulsets"' in name]
        assert lists, "the StatefulSets were not listed in pages"
    finally:
        one.kill9()
