"""What the tests of analyses share: templates, Jobs as measurements, and the right to make them."""

from __future__ import annotations

from typing import Any, Sequence

import yaml

from canary_world import Canary
from harness.api import Api, Object
from harness.places import REPOSITORY

RUN = "AnalysisRun"
SERVED = {"sluice.dev/serve": "true"}  # a run that no RolloutPlugin has is for Sluice
_BINDING = REPOSITORY / "deploy" / "optional" / "analysis-jobs-binding.yaml"


def job(behaviour: str | None = None) -> Object:
    annotations = {"sluice.test/behaviour": behaviour} if behaviour else {}
    return {"job": {"spec": {"backoffLimit": 0, "template": {
        "metadata": {"annotations": annotations},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "test", "image": "test"}]}}}}}


def allow_jobs(api: Api, namespace: str) -> None:
    binding = yaml.safe_load(_BINDING.read_text())
    binding["metadata"]["namespace"] = namespace
    api.create(binding)


class Analysed(Canary):
    """A RolloutPlugin whose steps hang on analyses."""

    def create_template(self, name: str, provider: Object, args: Sequence[Object] = (),
                        cluster_scope: bool = False, **metric: Any) -> None:
        kind = "ClusterAnalysisTemplate" if cluster_scope else "AnalysisTemplate"
        home = {} if cluster_scope else {"namespace": self.namespace}
        self.api.create({"apiVersion": "argoproj.io/v1alpha1", "kind": kind,
                         "metadata": {"name": name, **home},
                         "spec": {"args": list(args),
                                  "metrics": [{"name": name, "provider": provider, **metric}]}})

    def runs(self) -> list[Object]:
        return self.api.list(RUN, self.namespace)

    def jobs(self) -> list[Object]:
        return self.api.list("Job", self.namespace)
