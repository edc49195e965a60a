"""`sluice cluster` as a process of a test, and kubectl on it."""

from __future__ import annotations

import base64
import secrets
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from .api import Api
from .failure import HarnessError
from .places import control_plane_files, sluice_binary
from .process import Process
from .waiting import wait_for


class Embedded:
    """An embedded cluster that answers. Times in it pass `speed` times as fast as outside."""

    def __init__(self, folder: Path, *flags: str, speed: float = 10,
                 kubectl: Path | None = None) -> None:
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        self.process = Process(
            "sluice cluster",
            [str(sluice_binary()), "cluster", f"--kubeconfig-out={self.kubeconfig}",
             f"--speed={speed:g}", *flags],
            folder / f"cluster-{secrets.token_hex(3)}.log")
        wait_for("the embedded cluster to say where it is", self._greeting,
                 lambda text: "Ctrl-C ends it" in text)
        config = yaml.safe_load(self.kubeconfig.read_text())
        server = config["clusters"][0]["cluster"]
        self.authority = folder / "ca.crt"
        self.authority.write_bytes(base64.b64decode(server["certificate-authority-data"]))
        self.port = urlsplit(server["server"]).port or 443
        self.token = config["users"][0]["user"]["token"]
        self._kubectl = str(kubectl or control_plane_files().binary("kubectl"))
        self.api = self.as_user(self.token)

    def _greeting(self) -> str:
        self.process.require_running()
        return self.process.log.read_text(errors="replace")

    def as_user(self, token: str) -> Api:
        return Api(self.port, self.authority, token, self._kubectl, self.kubeconfig)

    def start_kubectl(self, *arguments: str) -> Process:
        """For commands that go on, such as watches; what it prints is in its log."""
        return Process("kubectl", [*self._command(), *arguments],
                       self.folder / f"kubectl-{secrets.token_hex(3)}.log")

    def _command(self) -> list[str]:
        return [self._kubectl, "--kubeconfig", str(self.kubeconfig),
                "--cache-dir", str(self.folder / "kubectl-cache")]

    def try_kubectl(self, *arguments: str, stdin: str | None = None,
                    timeout: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self._command(), *arguments], input=stdin, capture_output=True,
                              text=True, timeout=timeout)

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        done = self.try_kubectl(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise HarnessError(f"kubectl {' '.join(arguments)} failed: {done.stderr.strip()}")
        return done.stdout

    def children(self) -> list[int]:
        """The processes that it has started and that are still there."""
        file = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(word) for word in file.read_text().split()]
