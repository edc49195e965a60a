"""Jobs before and after the upgrade of an ExtendedStatefulSet, on a real control plane."""

from __future__ import annotations

import re
from concurrent.futures import Future

import pytest
import yaml

from harness.api import ApiError, Object
from harness.failure import HarnessError
from harness.kubelets import BEHAVIOUR, FAILING, UNENDING
from harness.places import REPOSITORY
from harness.waiting import stays, wait_for
from harness.workloads import IMAGE_A, IMAGE_B
from phased_world import Stories, running, world  # noqa: F401: fixtures
from test_extendedstatefulset import KIND, LABEL, NAME, PREFIX, Extended, extended

OPTIONAL = REPOSITORY / "deploy/optional"
BINDING = OPTIONAL / "extendedstatefulset-jobs-binding.yaml"
# Who has Jobs run, and the role that lets him.
RIGHTS = {("argoproj.io", "AnalysisRun"): "sluice-analysis-jobs",
          (PREFIX, "ExtendedJob"): "sluice-extendedjob-jobs",
          (PREFIX, KIND): "sluice-extendedstatefulset-jobs"}
STORIES = Stories(Extended)


def let_jobs_run(s: Extended) -> None:
    binding = yaml.safe_load(BINDING.read_text())
    binding["metadata"]["namespace"] = s.namespace
    s.api.create(binding)


def job(behaviour: str | None = None, **fields: int) -> Object:
    notes = {BEHAVIOUR: behaviour} if behaviour else {}
    return {"template": {"metadata": {"annotations": notes},
                         "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                                  "containers": [{"name": "main", "image": "job:a"}]}}, **fields}


def jobs(s: Extended, name: str = NAME) -> list[Object]:
    return s.api.list("Job", s.namespace, {LABEL: name})


def wait_until_rolled_back(s: Extended) -> Object:
    return s.wait_for_reason("RolledBack")


@STORIES.add
def the_example_of_the_document(s: Extended) -> None:
    s.apply_example("## Jobs before and after an upgrade")
    s.wait_for("the first version", lambda seen: seen.get("phase") == "Ready", "migrating")
    assert jobs(s, "migrating") == []
    s.change_template("migrating")
    told = s.wait_for("the missing right to be told",
                      lambda seen: seen.get("reason") == "RunHeld", "migrating")
    assert "sluice-extendedstatefulset-jobs" in told["message"]
    assert "migrating-v2" not in s.sets()
    let_jobs_run(s)
    s.wait_for("the second version", lambda seen: (
        seen.get("phase") == "Ready" and seen["versions"] == {"2": True}), "migrating")
    made = sorted(one["metadata"]["name"] for one in jobs(s, "migrating"))
    assert len(made) == 2
    assert re.fullmatch(r"migrating-v2-post-[0-9a-f]{8}", made[0])
    assert re.fullmatch(r"migrating-v2-pre-[0-9a-f]{8}", made[1])
    s.wait_for_event("JobRunning", "migrating")


def wait_for_rights(s: Extended, bound: set[str]) -> None:
    """A Job is made for whom a role is bound, and for nobody else."""
    operator = s.world.operator_api()

    def refusal(group: str, kind: str) -> str:
        owner = {"apiVersion": f"{group}/v1alpha1", "kind": kind, "name": NAME, "uid": "somebody",
                 "controller": True}
        body = {"apiVersion": "batch/v1", "kind": "Job", "spec": job(), "metadata": {
            "name": "mine", "namespace": s.namespace, "ownerReferences": [owner],
            "labels": {LABEL: NAME, "extendedjob": "true"}}}
        try:
            operator.create(body, dry_run=True)
            return ""
        except ApiError as error:
            return error.message

    for owner, role in RIGHTS.items():
        wanted = f"are made only where {role} is bound"
        wait_for(f"an answer as to {role}", lambda: refusal(*owner), lambda said: (
            said == "" if role in bound else wanted in said))


@STORIES.add
def the_right_to_run_jobs_of_one_api_is_none_for_another(s: Extended) -> None:
    owner = f"owner-of-{s.namespace}"
    s.api.kubectl("-n", s.namespace, "create", "rolebinding", "admin", "--clusterrole=admin",
                  f"--user={owner}")

    def bind(role: str) -> None:
        """By somebody who has nothing but this namespace."""
        manifest = (OPTIONAL / f"{role.removeprefix('sluice-')}-binding.yaml").read_text()

        def refusal() -> str:
            try:
                s.api.kubectl(f"--as={owner}", "apply", "-f", "-", stdin=manifest.replace(
                    "namespace: shop", f"namespace: {s.namespace}"))
                return ""
            except HarnessError as error:
                return str(error)

        # Kubernetes takes a moment to add it to the rights of admins.
        wait_for(f"{role} to be bound", refusal, lambda said: said == "")

    bound: set[str] = set()
    for role in ("sluice-analysis-jobs", "sluice-extendedjob-jobs"):
        bind(role)
        bound.add(role)
        wait_for_rights(s, bound)
    s.begin(1, {"preUpgrade": job()})
    s.change_image(IMAGE_B)
    told = s.wait_for_reason("RunHeld")
    assert "are made only where sluice-extendedstatefulset-jobs is bound" in told["message"]
    assert "-v2-pre-" in told["message"] and jobs(s) == []
    bind("sluice-extendedstatefulset-jobs")
    wait_for_rights(s, set(RIGHTS.values()))
    s.wait_until_served(2)
    assert len(jobs(s)) == 1


@STORIES.add
def one_that_fails_before_keeps_the_upgrade_from_beginning(s: Extended) -> None:
    let_jobs_run(s)
    s.begin(2, {"preUpgrade": job(FAILING), "retryCount": 1})
    s.change_image(IMAGE_B)
    told = wait_until_rolled_back(s)
    assert "BackoffLimitExceeded" in told["failure"]
    s.wait_for("both attempts", lambda seen: (
        seen.get("reason") == "RolledBack" and seen["attempts"] == 2), NAME)
    assert len(jobs(s)) == 2
    assert list(s.sets()) == [f"{NAME}-v1"]
    assert s.images(1) == [IMAGE_A] * 2
    s.api.patch(KIND, NAME, {"spec": {"updateStrategy": {"preUpgrade": {"template": {"metadata": {
        "annotations": {BEHAVIOUR: None}}}}}}}, s.namespace)
    s.says("retry")
    s.wait_until_served(2)
    assert len(jobs(s)) == 3


@STORIES.add
def one_that_fails_after_takes_the_new_version_back(s: Extended) -> None:
    let_jobs_run(s)
    s.begin(2, {"postUpgrade": job(FAILING)})
    s.change_image(IMAGE_B)
    wait_until_rolled_back(s)
    assert s.images(1) == [IMAGE_A] * 2
    wait_for("the mark", lambda: s.sets()[f"{NAME}-v2"]["metadata"]["annotations"],
             lambda seen: "BackoffLimitExceeded" in seen.get(f"{PREFIX}/stale", ""))
    assert s.status(NAME)["currentVersion"] == 1


@STORIES.add
def one_that_does_not_end_in_time_has_failed(s: Extended) -> None:
    let_jobs_run(s)
    s.begin(1, {"preUpgrade": job(UNENDING, deadlineSeconds=3)})
    s.change_image(IMAGE_B)
    assert "DeadlineExceeded" in wait_until_rolled_back(s)["failure"]
    assert s.images(1) == [IMAGE_A]


@STORIES.add
def one_of_an_extendedjob_that_does_not_end_in_time_takes_the_new_version_back(s: Extended) -> None:
    let_jobs_run(s)
    s.api.create({"apiVersion": f"{PREFIX}/v1alpha1", "kind": "ExtendedJob",
                  "metadata": {"name": "proof", "namespace": s.namespace},
                  "spec": {"trigger": {"strategy": "manual"}, **job(UNENDING)}})
    s.begin(2, {"postUpgrade": {"extendedJob": "proof", "deadlineSeconds": 3}})
    s.change_image(IMAGE_B)
    assert "DeadlineExceeded" in wait_until_rolled_back(s)["failure"]
    assert s.images(1) == [IMAGE_A] * 2 and s.status(NAME)["currentVersion"] == 1
    wait_for("no pods of version 2", lambda: s.images(2), lambda seen: seen == [])
    s.api.patch("ExtendedJob", "proof", {"spec": {"template": {"metadata": {
        "annotations": {BEHAVIOUR: None}}}}}, s.namespace)
    s.change_spec({"updateStrategy": {"postUpgrade": {"deadlineSeconds": None}}}, NAME)
    s.says("retry")
    s.wait_until_served(2)
    made = [one["metadata"]["name"] for one in jobs(s)]
    assert len(made) == 2 and all(one.startswith(f"{NAME}-v2-post-") for one in made)
    told = s.api.get("ExtendedJob", "proof", s.namespace)["status"]
    assert told.get("runs", 0) == 0, "these are not among its runs"


@STORIES.add
def one_that_runs_is_shown_and_can_be_given_up(s: Extended) -> None:
    let_jobs_run(s)
    s.begin(1, {"preUpgrade": job(UNENDING)})
    s.change_image(IMAGE_B)
    told = s.wait_for_reason("JobRunning")
    name = told["upgradeJob"]["name"]
    assert name in told["message"]
    shown = s.says("explain")
    assert name in shown and "sluice abort" in shown, shown
    stays("the version before", lambda: list(s.sets()), lambda seen: seen == [f"{NAME}-v1"])
    wait_for("the Job", lambda: [one["metadata"]["name"] for one in jobs(s)],
             lambda seen: seen == [name])
    s.says("abort")
    wait_until_rolled_back(s)
    assert s.images(1) == [IMAGE_A]
    assert len(jobs(s)) == 1


@STORIES.add
def a_stolen_token_runs_no_other_jobs(s: Extended) -> None:
    let_jobs_run(s)
    s.begin(1)
    owner = s.sets()[f"{NAME}-v1"]["metadata"]["ownerReferences"][0]
    body = {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "mine", "namespace": s.namespace}, "spec": job()}
    thief = s.world.operator_api()
    with pytest.raises(ApiError, match="only Jobs that an ExtendedJob"):
        thief.create(body)
    body["metadata"]["ownerReferences"] = [owner]
    with pytest.raises(ApiError, match="only Jobs that an ExtendedJob"):
        thief.create(body)
    with pytest.raises(ApiError, match="cannot list resource"):
        thief.list("Job", s.namespace)


@pytest.mark.parametrize("strategy, path", [
    ({"preUpgrade": {}}, "must name an extendedJob or have a template"),
    ({"postUpgrade": {**job(), "extendedJob": "backup"}}, "must name an extendedJob or have"),
    ({"preUpgrade": {"template": {"spec": {"containers": [{"name": "a"}]}}}}, "restartPolicy"),
    ({"preUpgrade": {"extendedJob": "backup", "deadlineSeconds": 0}}, "deadlineSeconds"),
])
def test_what_can_never_run_is_refused(world, strategy: Object, path: str) -> None:  # noqa: F811
    with pytest.raises(ApiError, match=path):
        world.api.create(extended("default", 1, strategy))


@pytest.mark.parametrize("story", STORIES)
def test_story(running: dict[str, Future], story: str) -> None:  # noqa: F811
    running[story].result()
