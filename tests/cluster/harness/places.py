"""Where things are: the repository, the control plane's binaries, the operator's binary."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .failure import HarnessError

REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class ControlPlaneFiles:
    binaries: Path
    stages: Path

    def binary(self, name: str) -> str:
        return str(self.binaries / name)


def control_plane_files() -> ControlPlaneFiles:
    build = REPOSITORY / "tools" / "controlplane" / "build"
    found = subprocess.run([build, "--check"], capture_output=True, text=True)
    if found.returncode != 0:
        raise HarnessError("The control plane is not built; run tools/controlplane/build.")
    binaries = Path(found.stdout.strip())
    return ControlPlaneFiles(binaries=binaries, stages=binaries.parent / "stages")


def older_files() -> Path:
    """The folder with what is older than the control plane, built if it is not there."""
    build = REPOSITORY / "tools" / "controlplane-older" / "build"
    built = subprocess.run([build], check=True, text=True, stdout=subprocess.PIPE)
    return Path(built.stdout.strip())


def sluice_binary() -> Path:
    chosen = os.environ.get("SLUICE_BINARY")
    binary = Path(chosen) if chosen else REPOSITORY / "build" / "release" / "sluice"
    if not os.access(binary, os.X_OK):
        raise HarnessError(f"{binary} is not an executable; run `make build`, "
                           "or name another binary in SLUICE_BINARY.")
    return binary


def free_ports(count: int) -> list[int]:
    """Loopback ports that nothing listens on, all distinct.

    They lie below the kernel's ephemeral range, so that no outgoing connection takes one while
    the server that owns it restarts.
    """
    held: list[socket.socket] = []
    try:
        while len(held) < count:
            candidate = socket.socket()
            try:
                candidate.bind(("127.0.0.1", random.randrange(12000, 32000)))
                held.append(candidate)
            except OSError:
                candidate.close()
        return [s.getsockname()[1] for s in held]
    finally:
        for s in held:
            s.close()
