"""The command lines of the control plane's programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

_ISSUER = "https://kubernetes.default.svc"

# kwok keeps no heartbeats under load; a node controller would then mark every pod unready for
# good. Without it nothing removes the not-ready taint, so none may be put on in the first place.
_CONTROLLERS = "*,-node-lifecycle-controller"
_ADMISSION_OFF = "TaintNodesByCondition"

_CLIENT_LIMITS = ["--kube-api-qps=2000", "--kube-api-burst=4000"]


@dataclass(frozen=True)
class Layout:
    """The folder and the ports of one control plane."""

    folder: Path
    etcd_port: int
    etcd_peer_port: int
    api_port: int
    service_account_admission: bool
    apiserver_flags: tuple[str, ...]

    @property
    def pki(self) -> Path:
        return self.folder / "pki"

    @property
    def kwok_config(self) -> Path:
        return self.folder / "kwok.yaml"

    def kubeconfig(self, identity: str) -> Path:
        return self.pki / f"{identity}.kubeconfig"


def _etcd(layout: Layout) -> list[str]:
    client = f"http://127.0.0.1:{layout.etcd_port}"
    peer = f"http://127.0.0.1:{layout.etcd_peer_port}"
    return [
        f"--data-dir={layout.folder / 'etcd'}",
        "--unsafe-no-fsync",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--log-level=warn",
    ]


def _apiserver(layout: Layout) -> list[str]:
    off = _ADMISSION_OFF + ("" if layout.service_account_admission else ",ServiceAccount")
    return [
        f"--etcd-servers=http://127.0.0.1:{layout.etcd_port}",
        "--bind-address=127.0.0.1",
        f"--secure-port={layout.api_port}",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.0.0.0/16",
        f"--tls-cert-file={layout.pki / 'kube-apiserver.crt'}",
        f"--tls-private-key-file={layout.pki / 'kube-apiserver.key'}",
        f"--token-auth-file={layout.pki / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        f"--service-account-issuer={_ISSUER}",
        f"--service-account-signing-key-file={layout.pki / 'service-accounts.key'}",
        f"--service-account-key-file={layout.pki / 'service-accounts.pub'}",
        f"--disable-admission-plugins={off}",
        "--shutdown-watch-termination-grace-period=1s",
        "--max-requests-inflight=2000",
        "--max-mutating-requests-inflight=1000",
        *layout.apiserver_flags,
    ]


def _controller_manager(layout: Layout) -> list[str]:
    return [
        f"--kubeconfig={layout.kubeconfig('controller-manager')}",
        "--leader-elect=false",
        "--secure-port=0",
        f"--controllers={_CONTROLLERS}",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={layout.pki / 'service-accounts.key'}",
        f"--root-ca-file={layout.pki / 'ca.crt'}",
        *_CLIENT_LIMITS,
        "--concurrent-statefulset-syncs=20",
        "--concurrent-gc-syncs=20",
        "--concurrent-namespace-syncs=20",
    ]


def _scheduler(layout: Layout) -> list[str]:
    return [f"--kubeconfig={layout.kubeconfig('scheduler')}", "--leader-elect=false",
            "--secure-port=0", *_CLIENT_LIMITS]


# Pods get loopback addresses, so that a test can answer for them.
POD_ADDRESSES = "127.96.0.0/16"


def _kwok(layout: Layout) -> list[str]:
    return [f"--kubeconfig={layout.kubeconfig('kwok')}", f"--config={layout.kwok_config}",
            "--manage-all-nodes", "--node-lease-duration-seconds=0", f"--cidr={POD_ADDRESSES}"]


ARGUMENTS: dict[str, Callable[[Layout], list[str]]] = {
    "etcd": _etcd,
    "kube-apiserver": _apiserver,
    "kube-controller-manager": _controller_manager,
    "kube-scheduler": _scheduler,
    "kwok": _kwok,
}
