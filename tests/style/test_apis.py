"""What belongs to one API stands in its folders and is reached through its row. Files that still
know better are listed in api_names.txt, which is exact: it can only become shorter."""

from __future__ import annotations

import subprocess

import pytest

from apis import APIS, ROOT, Api, goes_with, groups_outside, known, outsiders


def sources() -> list:  # type: ignore[type-arg]
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "src/*.cpp",
                             "src/*.hpp"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def test_no_api_is_named_outside_of_its_folders() -> None:
    assert outsiders(sources(), Api.is_named_in) == known("names")
    assert groups_outside(sources()) == set()


def test_no_api_is_included_outside_of_its_folders() -> None:
    assert outsiders(sources(), Api.is_included_in) == known("includes")


@pytest.mark.parametrize("text", [
    "PhasedRollout", "phased_rollout::decide", "phasedrollouts.sts.plus", "a phased rollout",
    "RolloutPlugin", "rollout_plugin", "argo-rollouts-config", "dd-statefulset-pilot", "the pilot",
    "pilot_label", "AnalysisRun", "analysis_run", "analysisruns.argoproj.io", "AnalysisTemplate",
    "api::analysis::Question", "api/analysis/question.hpp", "StatefulCluster", "enge.me/v1alpha1",
    "stateful_cluster::decide", "a stateful cluster", "ExtendedStatefulSet",
    "extended_stateful_set", "extendedstatefulsets.fissile.cloudfoundry.org", "ExtendedJob"])
def test_every_spelling_of_a_name_is_found(text: str) -> None:
    assert [api.folder for api in APIS if api.is_named_in(text)] != []


@pytest.mark.parametrize("text", [
    "a rollout", "Reason::AnalysisRunning", "AnalysisRunFailed", "Analysis", "an analysis",
    "plugin", "phase", "plugins of rollouts"])
def test_what_is_of_no_api_is_not(text: str) -> None:
    assert [api.folder for api in APIS if api.is_named_in(text)] == []


def test_what_is_built_upon_an_api_goes_with_it() -> None:
    assert [[one.folder for one in goes_with(api)] for api in APIS] == [
        ["pilot"], ["phased_rollout"], ["rollout_plugin"],
        ["rollout_plugin", "analysis", "extended_stateful_set"],
        ["stateful_cluster"], ["extended_stateful_set"],
        ["extended_stateful_set", "extended_job"]]
