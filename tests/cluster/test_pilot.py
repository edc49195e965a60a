"""The pilot API on a real control plane: what the document promises, and what people do."""

from __future__ import annotations

import json

import pytest

from harness.hookserver import allow, refuse
from harness.recorder import Recorder
from harness.waiting import stays, wait_for
from harness.workloads import (IMAGE_A, IMAGE_B, IMAGE_C, change_image, create_ready, images,
                               partition, pods, scale, set_behaviour, set_partition, statefulset,
                               wait_for_pods)
from pilot_world import (CLOSED, FLAGS, LABEL, NAME, Call, annotations, calls, declare,
                         declare_hooks, reason, set_policies, subscribed, ungated_pods,
                         wait_for_event, wait_for_reason, wait_until_at_rest, whole_rollout)

pytestmark = pytest.mark.abuse


def messages(api, namespace, reason):
    return [event["message"] for event in api.events(namespace, NAME) if event["reason"] == reason]


@pytest.fixture(autouse=True)
def rights(install):
    install("rbac")


@pytest.fixture(params=["Prevent", "Detect"])
def guarantee(request, api):
    """With the admission policies and without them."""
    set_policies(api, request.param == "Prevent")
    yield request.param


@pytest.fixture
def prevent(api):
    set_policies(api, True)


@pytest.fixture
def detect(api):
    set_policies(api, False)


@pytest.mark.parametrize("replicas", [1, 3, 7])
def test_a_rollout_asks_the_hook_before_between_and_after(api, namespace, operator, hook, prevent,
                                                          replicas):
    declare(api, hook)
    one = operator(*FLAGS, f"--namespace={namespace}")  # whose writes are counted
    create_ready(api, subscribed(namespace, replicas))
    wait_until_at_rest(api, namespace, replicas)
    writes_before = one.metrics()['sluice_writes_total{what="workload"}']

    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * replicas)
    wait_until_at_rest(api, namespace, replicas)

    assert calls(hook, namespace) == whole_rollout(replicas)
    seen = annotations(api, namespace)
    assert seen["sluice.dev/claim"] == f"pilot/{NAME}"
    assert seen["sluice.dev/reason"] == "RolloutCompleted"
    assert seen["sluice.dev/guarantee"] == "Prevent"
    wait_for("the events", lambda: {event["reason"] for event in api.events(namespace, NAME)},
             lambda told: {"RolloutStarted", "RolloutCompleted"} <= told)
    metrics = one.metrics()
    assert metrics["sluice_steps_total"] == replicas
    # One write per pod, one that opens the rollout and one that ends it.
    assert metrics['sluice_writes_total{what="workload"}'] - writes_before <= replicas + 2


@pytest.mark.parametrize("more", [{"ordinals_start": 5}, {"pod_management_policy": "Parallel"},
                                  {"min_ready_seconds": 2}], ids=lambda more: next(iter(more)))
def test_a_rollout_of_an_unusual_set(api, namespace, operator, hook, guarantee, more):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, 3, **more))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace) == whole_rollout(3, more.get("ordinals_start", 0))


def test_a_refusal_holds_and_says_why_until_the_hook_allows(api, namespace, operator, hook,
                                                            guarantee):
    declare(api, hook)
    hook.answer(refuse("a backup is running"))
    operator(*FLAGS)
    create_ready(api, subscribed(namespace))
    change_image(api, namespace, NAME, IMAGE_B)

    seen = wait_for_reason(api, namespace, "HookRefused")
    assert seen["sluice.dev/phase"] == "Waiting"
    assert "a backup is running" in seen["sluice.dev/message"]
    assert NAME in seen["sluice.dev/unblock"] and "T" in seen["sluice.dev/since"]
    hook.wait_for_requests(3)
    assert images(api, namespace, NAME) == [IMAGE_A] * 3
    assert partition(api, namespace, NAME) == CLOSED
    wait_for("a warning", lambda: [one["message"] for one in api.events(namespace, NAME)
                                   if one["type"] == "Warning"],
             lambda told: any("a backup is running" in message for message in told))

    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace) == whole_rollout(3)


def test_an_unknown_hook_moves_nothing_until_it_is_declared(api, namespace, operator, hook,
                                                            prevent):
    declare_hooks(api, {})
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, hook="sleepy"))
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "UnknownHook")
    assert "sleepy" in seen["sluice.dev/message"]
    assert wait_for_event(api, namespace, "UnknownHook")["type"] == "Warning"
    assert images(api, namespace, NAME) == [IMAGE_A] * 3

    declare(api, hook, "sleepy")
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


def test_the_noop_hook_lets_everything_pass(api, namespace, operator, prevent):
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, hook="noop"))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_a_set_with_on_delete_is_not_touched(api, namespace, operator, hook, detect):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, update_strategy="OnDelete", partition=None))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "OnDelete")
    wait_for_event(api, namespace, "OnDelete")
    assert images(api, namespace, NAME) == [IMAGE_A] * 3
    assert calls(hook, namespace) == []


def hold_after_first_pod(api, namespace, operator, hook, replicas=3, **more):
    """A rollout to B whose first pod is updated and whose hook then refuses."""
    declare(api, hook)
    one = operator(*FLAGS, f"--namespace={namespace}")  # no other set uses the answers up
    create_ready(api, subscribed(namespace, replicas, **more))
    wait_until_at_rest(api, namespace, replicas)
    hook.answer(refuse("not yet"))
    hook.answer_next(allow())
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_A] * (replicas - 1) + [IMAGE_B])
    wait_for_reason(api, namespace, "HookRefused")
    return one


def test_a_new_template_in_mid_rollout_starts_from_the_top(api, namespace, operator, hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    with Recorder(api, "Pod", namespace) as recorder:
        change_image(api, namespace, NAME, IMAGE_C)
        wait_for("the gate to be closed", lambda: partition(api, namespace, NAME),
                 lambda seen: seen == CLOSED)
        wait_for("the hook to be asked about the new revision", lambda: calls(hook, namespace)[-1],
                 lambda call: call == Call(None, f"{NAME}-2"))
        assert images(api, namespace, NAME) == [IMAGE_A, IMAGE_A, IMAGE_B]
        assert not any(change.type == "ADDED" for change in recorder.changes)
        hook.answer(allow())
        wait_for_pods(api, namespace, NAME, [IMAGE_C] * 3)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace)[-4:] == whole_rollout(3)


def test_a_new_template_without_policies_is_noticed_and_the_gate_closed(api, namespace, operator,
                                                                        hook, detect):
    hold_after_first_pod(api, namespace, operator, hook)
    change_image(api, namespace, NAME, IMAGE_C)
    wait_for("the gate to be closed", lambda: partition(api, namespace, NAME),
             lambda seen: seen == CLOSED)
    # Pods 0 and 1 were never exposed, whatever happened to pod 2 before the gate was closed.
    stays("pods 0 and 1 are on the old image", lambda: images(api, namespace, NAME)[:2],
          lambda seen: seen == [IMAGE_A, IMAGE_A], seconds=2)
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_C] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_back_to_the_old_template_in_mid_rollout_is_a_rollout_too(api, namespace, operator, hook,
                                                                  prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    change_image(api, namespace, NAME, IMAGE_A)
    wait_for("the hook to be asked", lambda: calls(hook, namespace)[-1],
             lambda call: call == Call(None, f"{NAME}-2"))
    assert images(api, namespace, NAME) == [IMAGE_A, IMAGE_A, IMAGE_B]
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_A] * 3)
    wait_until_at_rest(api, namespace, 3)


@pytest.mark.parametrize("replicas", [7, 2])
def test_scaling_in_mid_rollout(api, namespace, operator, hook, guarantee, replicas):
    hold_after_first_pod(api, namespace, operator, hook)
    scale(api, namespace, NAME, replicas)
    wait_for(f"{replicas} pods", lambda: len(pods(api, namespace, NAME)),
             lambda seen: seen == replicas)
    assert images(api, namespace, NAME)[:2] == [IMAGE_A, IMAGE_A]
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * replicas)
    wait_until_at_rest(api, namespace, replicas)


@pytest.mark.parametrize("how", ["patch", "scale subresource"])
def test_scaling_up_while_held_starts_no_ungated_pod(api, namespace, operator, hook, guarantee,
                                                     how):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace))
    wait_until_at_rest(api, namespace, 3)
    hook.answer(refuse("not yet"))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_reason(api, namespace, "HookRefused")
    with Recorder(api, "Pod", namespace) as recorder:
        if how == "patch":
            scale(api, namespace, NAME, 7)
        else:
            api.kubectl("-n", namespace, "scale", "statefulset", NAME, "--replicas=7")
        wait_for_pods(api, namespace, NAME, [IMAGE_A] * 7)
        hook.answer(allow())
        wait_for_pods(api, namespace, NAME, [IMAGE_B] * 7)
        recorder._catch_up()
        assert ungated_pods(recorder, hook, IMAGE_A) == []
    wait_until_at_rest(api, namespace, 7)


def test_scaling_while_idle_moves_the_resting_gate_along(api, namespace, operator, prevent):
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, hook="noop"))
    wait_until_at_rest(api, namespace, 3)
    for replicas in (5, 2):
        scale(api, namespace, NAME, replicas)
        wait_until_at_rest(api, namespace, replicas)


def test_removing_the_label_means_hands_off(api, namespace, operator, hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    api.patch("StatefulSet", NAME, {"metadata": {"labels": {LABEL: None}}}, namespace)
    before = "sluice.dev/partition-before"
    seen = wait_for("our annotations to be gone", lambda: annotations(api, namespace),
                    lambda seen: [k for k in seen if k.startswith("sluice.dev/")] == [before])
    told = wait_for("the event", lambda: messages(api, namespace, "Released"))[-1]
    assert "its partition stays at 2" in told and '"partition":0' in told
    assert seen[before].endswith("@2")
    asked = len(hook.requests)
    hook.answer(allow())
    stays("nothing moves", lambda: (images(api, namespace, NAME), partition(api, namespace, NAME),
                                    len(hook.requests)),
          lambda seen: seen == ([IMAGE_A, IMAGE_A, IMAGE_B], 2, asked))
    # And the owner may do as they like again.
    set_partition(api, namespace, NAME, 0)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


@pytest.mark.parametrize("found", [None, 0, 2, 3])
def test_at_rest_the_label_leaves_the_partition_as_it_was(api, namespace, operator, hook, guarantee,
                                                          found):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, statefulset(NAME, namespace, 3, partition=found))
    was = partition(api, namespace, NAME)
    for value in ("careful", None):
        api.patch("StatefulSet", NAME, {"metadata": {"labels": {LABEL: value}}}, namespace)
        wait_for("the claim to come and go", lambda: annotations(api, namespace),
                 lambda seen: ("sluice.dev/claim" in seen) == (value is not None))
    assert partition(api, namespace, NAME) == was
    assert not [k for k in annotations(api, namespace) if k.startswith("sluice.dev/")]
    change_image(api, namespace, NAME, IMAGE_B)
    left = min(found or 0, 3)
    wait_for_pods(api, namespace, NAME, [IMAGE_A] * left + [IMAGE_B] * (3 - left))


@pytest.mark.parametrize("policy", ["OrderedReady", "Parallel"])
def test_a_pod_that_was_never_ready_on_a_superseded_revision_is_replaced(
        api, namespace, operator, hook, prevent, policy):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, pod_management_policy=policy))
    wait_until_at_rest(api, namespace, 3)
    waits = policy == "OrderedReady"  # Kubernetes, for ever; in a parallel set it does not
    api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/unstick": "Never" if waits else None})
    change_image(api, namespace, NAME, IMAGE_B, behaviour="crashing")
    wait_for("the new pod to crash", lambda: [(p.image, p.ready) for p in
                                              pods(api, namespace, NAME)][2:],
             lambda seen: seen == [(IMAGE_B, False)])
    change_image(api, namespace, NAME, IMAGE_C)
    if waits:
        stays("the set says never", lambda: images(api, namespace, NAME),
              lambda seen: seen == [IMAGE_A, IMAGE_A, IMAGE_B], seconds=3)
        api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/unstick": None})
    wait_for_pods(api, namespace, NAME, [IMAGE_C] * 3)
    wait_until_at_rest(api, namespace, 3)
    if waits:
        wait_for("the event", lambda: messages(api, namespace, "StuckPodReplaced"))


@pytest.mark.parametrize("found", [None, 0, 3])
def test_adding_the_label_to_an_idle_set_closes_its_gate(api, namespace, operator, hook, guarantee,
                                                         found):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, statefulset(NAME, namespace, 3, partition=found))
    api.patch("StatefulSet", NAME, {"metadata": {"labels": {LABEL: "careful"}}}, namespace)
    wait_until_at_rest(api, namespace, 3)
    assert calls(hook, namespace) == []


def test_adding_the_label_in_mid_rollout_freezes_it_and_asks(api, namespace, operator, hook,
                                                             guarantee):
    declare(api, hook)
    hook.answer(refuse("not yet"))
    operator(*FLAGS)
    create_ready(api, statefulset(NAME, namespace, 4, partition=3))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_A] * 3 + [IMAGE_B])
    api.patch("StatefulSet", NAME, {"metadata": {"labels": {LABEL: "careful"}}}, namespace)
    wait_for_reason(api, namespace, "HookRefused")
    assert partition(api, namespace, NAME) == CLOSED
    assert images(api, namespace, NAME) == [IMAGE_A] * 3 + [IMAGE_B]
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 4)
    wait_until_at_rest(api, namespace, 4)


def test_the_next_pod_waits_until_the_last_one_is_ready(api, namespace, operator, hook, prevent):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace))
    change_image(api, namespace, NAME, IMAGE_B, behaviour="unready")
    seen = wait_for_reason(api, namespace, "PodsNotReady")
    assert f"{NAME}-2" in seen["sluice.dev/message"]
    wait_for("pod 2 to run the new image", lambda: images(api, namespace, NAME),
             lambda found: found == [IMAGE_A, IMAGE_A, IMAGE_B])
    stays("no second pod goes", lambda: (calls(hook, namespace), images(api, namespace, NAME)[:2]),
          lambda found: found == ([Call(None, f"{NAME}-2")], [IMAGE_A, IMAGE_A]))
    set_behaviour(api, namespace, f"{NAME}-2", None)
    wait_for("the hook to be asked about the next pod", lambda: calls(hook, namespace),
             lambda found: Call(f"{NAME}-2", f"{NAME}-1") in found)


def test_pausing_by_annotation_holds_and_resumes(api, namespace, operator, hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/paused": "true"})
    wait_for_reason(api, namespace, "Paused")
    hook.answer(allow())
    stays("nothing moves", lambda: images(api, namespace, NAME),
          lambda seen: seen == [IMAGE_A, IMAGE_A, IMAGE_B])
    api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/paused": None})
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


def test_a_raised_partition_is_a_brake_until_somebody_asks_for_a_retry(api, namespace, operator,
                                                                       hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    set_partition(api, namespace, NAME, 4)
    seen = wait_for_reason(api, namespace, "PartitionRaised")
    assert "sluice.dev/retry" in seen["sluice.dev/unblock"]
    hook.answer(allow())
    stays("nothing moves", lambda: images(api, namespace, NAME),
          lambda found: found == [IMAGE_A, IMAGE_A, IMAGE_B])
    api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/retry": "1"})
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_a_manifest_that_holds_the_partition_is_no_brake_and_its_owner_is_named(
        api, namespace, operator, hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    manifest = subscribed(namespace)
    manifest["spec"]["template"]["spec"]["containers"][0]["image"] = IMAGE_B
    assert manifest["spec"]["updateStrategy"]["rollingUpdate"]["partition"] == 3
    api.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=fleet", "-f", "-",
                stdin=json.dumps(manifest))
    told = wait_for("the gate to be put back", lambda: [
        event["message"] for event in api.events(namespace, NAME)
        if event["reason"] == "PartitionRestored"])
    assert told[-1].startswith("Field manager fleet set the partition from 2 to 3, ")
    wait_for("the gate to be back", lambda: partition(api, namespace, NAME) == 2)
    assert calls(hook, namespace).count(Call(None, f"{NAME}-2")) == 1
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_a_stranger_cannot_lower_the_partition(api, namespace, operator, hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    set_partition(api, namespace, NAME, 0)
    stays("the gate stays", lambda: (partition(api, namespace, NAME), images(api, namespace, NAME)),
          lambda seen: seen == (2, [IMAGE_A, IMAGE_A, IMAGE_B]))


def test_without_policies_a_lowered_partition_is_put_back(api, namespace, operator, hook, detect):
    # Kubernetes takes its time, so that an operator that was busy still finds pods to keep.
    hold_after_first_pod(api, namespace, operator, hook, replicas=5,
                         pod_management_policy="Parallel", min_ready_seconds=5)
    set_partition(api, namespace, NAME, 0)
    wait_for("the gate to be put back", lambda: partition(api, namespace, NAME),
             lambda seen: seen == 4)
    wait_for_event(api, namespace, "GateBypassed")
    assert images(api, namespace, NAME)[0] == IMAGE_A


def test_an_idle_set_costs_no_write(api, namespace, operator, prevent):
    one = operator(*FLAGS, f"--namespace={namespace}")
    create_ready(api, subscribed(namespace, hook="noop"))
    wait_until_at_rest(api, namespace, 3)
    before = annotations(api, namespace), one.metrics()['sluice_writes_total{what="workload"}']
    stays("nothing is written",
          lambda: (annotations(api, namespace),
                   one.metrics()['sluice_writes_total{what="workload"}']),
          lambda seen: seen == before)
    assert reason(api, namespace) in ("Adopted", "Idle")


def test_the_label_and_a_new_template_in_one_write_start_no_ungated_pod(api, namespace, operator,
                                                                        hook, prevent):
    declare(api, hook)
    hook.answer(refuse("not yet"))
    operator(*FLAGS)
    create_ready(api, statefulset(NAME, namespace, 3))
    template = {"spec": {"containers": [{"name": "app", "image": IMAGE_B}]}}
    api.patch("StatefulSet", NAME, {"metadata": {"labels": {LABEL: "careful"}},
                                    "spec": {"template": template}}, namespace,
              patch_type="strategic")
    wait_for_reason(api, namespace, "HookRefused")
    assert images(api, namespace, NAME) == [IMAGE_A] * 3
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


def test_a_set_made_anew_around_its_pods_is_gated_too(api, namespace, operator, hook, prevent):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace))
    wait_until_at_rest(api, namespace, 3)
    hook.answer(refuse("not yet"))
    api.delete("StatefulSet", NAME, namespace, propagation="Orphan")
    wait_for("the set to be gone", lambda: api.find("StatefulSet", NAME, namespace),
             lambda seen: seen is None)
    api.create(subscribed(namespace, image=IMAGE_B, partition=None))
    wait_for_reason(api, namespace, "HookRefused")
    assert images(api, namespace, NAME) == [IMAGE_A] * 3
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)


def test_an_approval_of_another_hook_opens_nothing(api, namespace, operator, hook, prevent):
    """The label changes while the old hook is being asked; its yes comes too late."""
    declare_hooks(api, {"lenient": f"url: {hook.url}/lenient\n",
                        "strict": f"url: {hook.url}/strict\n"})
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, hook="lenient"))
    wait_until_at_rest(api, namespace, 3)

    def relabel_then_allow(request):
        api.patch("StatefulSet", NAME, {"metadata": {"labels": {LABEL: "strict"}}}, namespace)
        return allow()

    hook.answer(refuse("strict says no"))
    hook.answer_next(relabel_then_allow)
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "HookRefused")
    assert "strict" in seen["sluice.dev/message"]
    stays("nothing moves", lambda: images(api, namespace, NAME),
          lambda found: found == [IMAGE_A] * 3, seconds=2)


def test_two_broken_pods_hold_a_rollout_until_a_person_says_never_mind(api, namespace, operator,
                                                                       hook, prevent):
    declare(api, hook)
    operator(*FLAGS)
    create_ready(api, subscribed(namespace, pod_management_policy="Parallel"))
    wait_until_at_rest(api, namespace, 3)
    for broken in (0, 1):
        set_behaviour(api, namespace, f"{NAME}-{broken}", "unready")
    wait_for("two pods to be unready", lambda: [p.ready for p in pods(api, namespace, NAME)],
             lambda seen: seen == [False, False, True])
    change_image(api, namespace, NAME, IMAGE_B)
    seen = wait_for_reason(api, namespace, "PodsNotReady")
    assert "allow-unready" in seen["sluice.dev/unblock"]
    assert calls(hook, namespace) == []
    api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/allow-unready": "true"})
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_a_long_word_for_a_retry_does_no_harm(api, namespace, operator, hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    api.annotate("StatefulSet", NAME, namespace, {"sluice.dev/retry": "x" * 5000})
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_a_template_that_goes_and_comes_back_does_not_stop_the_rollout(api, namespace, operator,
                                                                       hook, prevent):
    hold_after_first_pod(api, namespace, operator, hook)
    change_image(api, namespace, NAME, IMAGE_C)
    change_image(api, namespace, NAME, IMAGE_B)
    hook.answer(allow())
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
    wait_until_at_rest(api, namespace, 3)


def test_many_namespaces_are_watched_one_by_one(api, namespace, operator, hook, prevent):
    others = [f"--namespace=somewhere-{n}" for n in range(14)]
    declare(api, hook)
    operator(*FLAGS, f"--namespace={namespace}", *others)
    create_ready(api, subscribed(namespace))
    change_image(api, namespace, NAME, IMAGE_B)
    wait_for_pods(api, namespace, NAME, [IMAGE_B] * 3)
