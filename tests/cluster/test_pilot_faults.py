"""The pilot API while things break: the operator, its leader, the API server, its input."""

from __future__ import annotations

import threading

import pytest

from harness.hookserver import allow, hang, huge, raw, redirect, refuse, status
from harness.operator import NAMESPACE, Operator, service_account_kubeconfig
from harness.waiting import stays, wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, change_image, create_ready, images, partition,
                               wait_for_pods)
from pilot_world import (CLOSED, FLAGS, NAME, annotations, calls, declare, declare_hooks,
                         set_policies, subscribed, wait_for_reason, wait_until_at_rest,
                         whole_rollout)

pytestmark = pytest.mark.abuse


@pytest.fixture(autouse=True)
def rights(install, api):
    install("rbac")
    set_policies(api, True)


@pytest.mark.parametrize("moment", ["while the hook is asked", "after the hook answered"])
def test_kill_9_at_every_transition_neither_repeats_nor_skips_one(api, namespace, operator, hook,
                                                                  moment):
    declare(api, hook)
    create_ready(api, subscribed(namespace))
    flags = (*FLAGS, f"--namespace={namespace}")
    running = [operator(*flags)]
    wait_until_at_rest(api, namespace, 3)
    asked: set[str] = set()
    condemned: list[Operator] = []

    def kill_once_per_transition(request):
        key = request.json["idempotencyKey"]
        if key not in asked:
            at_once = moment == "while the hook is asked" or running[-1] in condemned
            condemned.append(running[-1])
            asked.add(key)
            if at_once:
                running[-1].kill9()
            else:
                threading.Timer(0.02, running[-1].kill9).start()
        return allow()

    def is_over():
        return len(asked) == 4 and running[-1] not in condemned

    hook.answer(kill_once_per_transition)
    change_image(api, namespace, NAME, IMAGE_B)
    while not is_over():
        wait_for("the operator to die", lambda: is_over() or not running[-1].process.is_running())
        if not is_over():
            running.append(operator(*flags, ready=False))
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace) == whole_rollout(3)
    assert len(asked) == 4


def test_two_operators_take_turns_and_a_frozen_leader_does_no_harm(api, namespace, operator, hook):
    declare(api, hook)
    create_ready(api, subscribed(namespace))
    flags = (*FLAGS, f"--namespace={namespace}", "--leader-elect")
    first = operator(*flags)
    wait_for("the first to lead", lambda: first.metrics()["sluice_leader"], lambda n: n == 1)
    second = operator(*flags)
    wait_until_at_rest(api, namespace, 3)
    assert second.metrics()["sluice_leader"] == 0

    # The leader freezes in the middle of a question, and the lease runs out.
    asked = threading.Event()

    def freeze_first(request):
        first.sigstop()
        asked.set()
        return allow()

    hook.answer(refuse("the second asks now"))
    hook.answer_next(freeze_first)
    change_image(api, namespace, NAME, IMAGE_B)
    assert asked.wait(120)
    wait_for("the second to lead", lambda: second.metrics()["sluice_leader"], lambda n: n == 1)
    wait_for_reason(api, namespace, "HookRefused")
    # The first wakes up with an approval in its hands. Its time is over.
    first.sigcont()
    stays("the first does no harm",
          lambda: (images(api, namespace, NAME), partition(api, namespace, NAME)),
          lambda seen: seen == ([IMAGE_A] * 3, CLOSED), seconds=4)
    wait_for("the first to know", lambda: first.metrics()["sluice_leader"], lambda n: n == 0)
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace) == whole_rollout(3)
    lease = api.get("Lease", "sluice", NAMESPACE)
    turns = lease["spec"]["leaseTransitions"]
    assert turns >= 1
    assert annotations(api, namespace)["sluice.dev/fence"] == f"{lease['metadata']['uid']}/{turns}"


def test_a_clean_end_gives_the_lease_away(api, operator):
    for _ in range(4):
        one = operator(*FLAGS, "--leader-elect")
        wait_for("it to lead", lambda: one.metrics()["sluice_leader"], lambda n: n == 1)
        assert one.terminate() == 0
        assert api.get("Lease", "sluice", NAMESPACE)["spec"].get("holderIdentity", "") == ""


def test_a_lease_that_was_deleted_freezes_nothing(api, namespace, operator, hook):
    declare(api, hook)
    for life in range(2):
        one = operator(*FLAGS, "--leader-elect")
        wait_for("it to lead", lambda: one.metrics()["sluice_leader"], lambda n: n == 1)
        if life == 0:
            create_ready(api, subscribed(namespace))
            wait_until_at_rest(api, namespace, 3)
            assert one.terminate() == 0
            api.delete("Lease", "sluice", NAMESPACE)
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


def test_the_wrong_identity_is_told_so_and_writes_at_a_walking_pace(cluster, api, namespace,
                                                                    operator, hook):
    declare(api, hook)
    one = operator(*FLAGS, f"--namespace={namespace}", f"--config-namespace={NAMESPACE}",
                   kubeconfig=cluster.kubeconfig)
    create_ready(api, subscribed(namespace))
    wait_until_at_rest(api, namespace, 3)
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "PartitionContested")
    before = one.metrics()['sluice_writes_total{what="workload"}']
    stays("it does not fight",
          lambda: one.metrics()['sluice_writes_total{what="workload"}'] - before,
          lambda more: more <= 2, seconds=4)
    assert images(api, namespace, NAME) == [IMAGE_A] * 3


def test_a_restart_of_the_api_server_is_survived(cluster, api, namespace, operator, hook):
    declare(api, hook)
    one = operator(*FLAGS, f"--namespace={namespace}")
    create_ready(api, subscribed(namespace))
    wait_until_at_rest(api, namespace, 3)
    hook.answer(refuse("not yet"))
    hook.answer_next(allow())
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "HookRefused")
    cluster.restart_apiserver(kill=True)
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace) == whole_rollout(3)
    assert one.health("/livez") == 200


@pytest.mark.parametrize("answer, words", [
    (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"allowed\":\"yes\"}"), "allowed"),
    (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nnot json"), "JSON"),
    (raw(b"\x00\xff\x00 garbage"), ""),
    (huge(100 * 1024 * 1024), ""),
    (redirect("http://127.0.0.1:1/"), "302"),
    (status(503), "503"),
    (hang(), ""),
], ids=["wrong type", "not JSON", "not HTTP", "100 MB", "redirect", "503", "silence"])
def test_a_hook_that_answers_nonsense_is_a_refusal(api, namespace, operator, hook, answer, words):
    patience = "2s" if answer.hangs else "60s"
    declare_hooks(api, {"careful": f"url: {hook.url}/ask\ntimeout: {patience}\n"})
    hook.answer(answer)
    one = operator(*FLAGS)
    create_ready(api, subscribed(namespace, 1))
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "HookRefused")
    assert words in seen["sluice.dev/message"]
    assert images(api, namespace, NAME) == [IMAGE_A]
    assert one.metrics()["process_resident_memory_bytes"] < 64e6


def test_a_broken_hook_declaration_is_named_with_its_field(api, namespace, operator, hook):
    declare_hooks(api, {"careful": "url: http://x.example/\ntimeout: ten\n", "good": "url: h"})
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, 1))
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "BrokenHook")
    assert "data.careful.timeout" in seen["sluice.dev/message"]
    assert images(api, namespace, NAME) == [IMAGE_A]
    declare(api, hook)
    wait_for_pods(api, namespace, NAME, [IMAGE_B])


def test_loopback_hooks_are_refused_unless_allowed(api, namespace, operator, hook):
    declare(api, hook)
    operator("--hook-retry=1s")
    create_ready(api, subscribed(namespace, 1))
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "HookRefused")
    assert "127.0.0.1" in seen["sluice.dev/message"]
    assert calls(hook, namespace) == []


def test_missing_rights_are_named(cluster, api, namespace, operator):
    kubeconfig = service_account_kubeconfig(cluster, namespace, "powerless")
    one = operator(ready=False, kubeconfig=kubeconfig)

    def readiness():
        one.process.require_running()
        return [line["message"] for line in one.log_lines() if line["level"] == "warning"]

    wait_for("the missing right to be named", readiness, lambda lines: any(
        "statefulsets" in line and "cannot" in line and ("list" in line or "watch" in line)
        for line in lines))
    assert one.health("/readyz") == 503
    assert one.health("/livez") == 200


def test_an_unreachable_server_is_said_and_waited_for(cluster, operator, tmp_path):
    text = cluster.kubeconfig.read_text().replace(str(cluster.port), "1")
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(text)
    one = operator(ready=False, kubeconfig=kubeconfig)
    wait_for("the sentence", lambda: [line["message"] for line in one.log_lines()],
             lambda lines: any("cannot reach" in line for line in lines))
    one.process.require_running()
    assert one.health("/readyz") == 503


def test_a_signal_ends_the_operator_with_zero(operator):
    assert operator(*FLAGS).terminate() == 0
