"""Pods, Jobs, claims and Services: defaults, what may not change, and what is wrong."""

from __future__ import annotations

from .objects import changed, claim, job, pod, service
from .talk import Talk, case


@case
def a_pod_with_resources(talk: Talk) -> None:
    both = {"cpu": "100m", "memory": "64Mi"}
    for name, resources in (("burstable", {"requests": both}), ("limited", {"limits": both}),
                            ("guaranteed", {"limits": both, "requests": both})):
        one = pod(name)
        one["spec"]["containers"][0]["resources"] = resources
        talk.post("pods", one)


@case
def what_may_change_in_a_pod(talk: Talk) -> None:
    talk.post("pods", pod())
    talk.patch("pods/one", {"spec": {"containers": [{"name": "app", "image": "app:b"}]}},
               "application/strategic-merge-patch+json")
    talk.patch("pods/one", {"spec": {"terminationGracePeriodSeconds": 5}})
    talk.patch("pods/one", {"spec": {"activeDeadlineSeconds": 5}})
    talk.patch("pods/one", {"spec": {"nodeName": "node-1"}})
    talk.patch("pods/one", {"spec": {"hostname": "x"}})
    talk.patch("pods/one", {"metadata": {"labels": {"app": "y"}}})


@case
def pods_that_are_wrong(talk: Talk) -> None:
    for path, value in (("spec/containers", []), ("spec/containers/0/image", None),
                        ("spec/containers/0/name", None), ("spec/restartPolicy", "Perhaps"),
                        ("spec", None), ("spec/terminationGracePeriodSeconds", -1)):
        talk.post("pods", changed(pod(), path, value))


@case
def the_status_of_a_pod(talk: Talk) -> None:
    talk.post("pods", {**pod(), "status": {"phase": "Running"}})
    talk.patch("pods/one/status", {"status": {"phase": "Running", "conditions": [
        {"type": "Ready", "status": "True"}]}})
    talk.patch("pods/one", {"status": {"phase": "Failed"}})
    talk.get("pods/one/status")


@case
def a_pod_without_a_node_goes_at_once(talk: Talk) -> None:
    talk.post("pods", pod())
    talk.delete("pods/one")
    talk.get("pods/one")


@case
def a_pod_on_a_node_is_given_time(talk: Talk) -> None:
    talk.post("pods", pod(nodeName="node-0", terminationGracePeriodSeconds=20))
    talk.delete("pods/one")
    talk.get("pods/one")
    talk.delete("pods/one", {"gracePeriodSeconds": 50})
    talk.delete("pods/one", {"gracePeriodSeconds": 5})
    talk.delete("pods/one", gracePeriodSeconds="0")
    talk.get("pods/one")


@case
def grace_periods(talk: Talk) -> None:
    talk.post("pods", pod("one", nodeName="node-0"))
    talk.delete("pods/one", {"gracePeriodSeconds": 3})
    talk.post("pods", pod("two", nodeName="node-0", terminationGracePeriodSeconds=0))
    talk.delete("pods/two")
    talk.get("pods/two")
    talk.post("pods", pod("three", nodeName="node-0"))
    talk.delete("pods/three", {"gracePeriodSeconds": -1})
    talk.post("pods", pod("four", nodeName="node-0"))
    talk.patch("pods/four/status", {"status": {"phase": "Succeeded"}})
    talk.delete("pods/four")
    talk.get("pods/four")


@case
def jobs_with_everything_left_out(talk: Talk) -> None:
    talk.post("jobs", job())
    talk.post("jobs", job("two", completions=3, parallelism=2, backoffLimit=0,
                          activeDeadlineSeconds=9, ttlSecondsAfterFinished=1))


@case
def jobs_that_are_wrong(talk: Talk) -> None:
    for path in ("spec/parallelism", "spec/completions", "spec/backoffLimit",
                 "spec/ttlSecondsAfterFinished"):
        talk.post("jobs", changed(job(), path, -1))
    talk.post("jobs", changed(job(), "spec/template/spec/restartPolicy", None))
    talk.post("jobs", changed(job(), "spec/template/spec/restartPolicy", "Always"))
    talk.post("jobs", changed(job(), "spec/template/spec/containers", []))
    talk.post("jobs", changed(job(), "spec/selector", {"matchLabels": {"a": "b"}}))


@case
def what_may_not_change_in_a_job(talk: Talk) -> None:
    talk.post("jobs", job())
    talk.patch("jobs/one", {"spec": {"parallelism": 2, "suspend": True}})
    talk.patch("jobs/one", {"spec": {"completions": 5}})
    talk.patch("jobs/one", {"spec": {"backoffLimit": 1}})


@case
def claims_that_are_wrong(talk: Talk) -> None:
    talk.post("persistentvolumeclaims", changed(claim(), "spec/accessModes", []))
    talk.post("persistentvolumeclaims", changed(claim(), "spec/accessModes", ["Sometimes"]))
    talk.post("persistentvolumeclaims", changed(claim(), "spec/resources", None))
    talk.post("persistentvolumeclaims", changed(claim(), "spec/resources/requests/storage", "x"))
    talk.post("persistentvolumeclaims", changed(claim(), "spec/resources/requests/storage",
                                                "-1Gi"))


@case
def what_may_not_change_in_a_claim(talk: Talk) -> None:
    talk.post("persistentvolumeclaims", claim())
    talk.patch("persistentvolumeclaims/data", {"spec": {"accessModes": ["ReadWriteMany"]}})
    talk.patch("persistentvolumeclaims/data", {"spec": {"resources": {"requests": {
        "storage": "2Gi"}}}})


@case
def services_of_some_types(talk: Talk) -> None:
    talk.post("services", service("named", ports=[{"name": "a", "port": 1}, {
        "name": "b", "port": 2, "targetPort": "web"}]))
    talk.post("services", service("twice", ports=[{"port": 1}, {"port": 2}]))
    talk.post("services", service("none", ports=[]))
    talk.post("services", service("wrong", type="Sometimes"))
