"""The scripts of tools/deploy, against a control plane."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from harness.controlplane import ControlPlane
from harness.places import REPOSITORY, sluice_binary


def run_script(cluster: ControlPlane, name: str, sluice: Path | None = None,
               **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(cluster.folder),
                   "KUBECONFIG": str(cluster.api.kubeconfig),
                   "KUBECTL": cluster.binary("kubectl"),
                   "SLUICE_BINARY": str(sluice or sluice_binary()), **variables}
    return subprocess.run([REPOSITORY / "tools" / "deploy" / name], env=environment,
                          capture_output=True, text=True)
