"""A Kubernetes control plane on the loopback interface, made for one test run.

Everything is real but the kubelets, which kwok plays. The programs find each other on free
ports; their logs and data live in one folder, and no program survives stop().
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from pathlib import Path

import yaml

from .api import Api, has_condition
from .certificates import Authority, new_key, public_key
from .failure import HarnessError
from .kubelets import ZONES, node, write_kwok_config
from .places import control_plane_files, free_ports
from .process import Process
from .programs import ARGUMENTS, Layout
from .waiting import wait_for

_START_DEADLINE = 120.0

_IDENTITIES = {
    "admin": ("sluice-test-admin", "system:masters"),
    "controller-manager": ("system:kube-controller-manager", ""),
    "scheduler": ("system:kube-scheduler", ""),
    "kwok": ("kwok", "system:masters"),
}

# As a kubelet does with static pods. The scheduler needs it: of this release it exits when a pod
# is deleted and made again under the same name while its watch is cut (kubernetes#141255).
_KEPT_RUNNING = ("kube-controller-manager", "kube-scheduler", "kwok")
_REVIVAL_PERIOD = 0.2


class ControlPlane:
    """start() and stop() once each; in between, programs can be killed, paused and restarted.

    service_account_admission=True keeps the ServiceAccount admission plugin on, for tests that
    deploy pods with service accounts. apiserver_flags are appended to the API server's own. With
    another `apiserver`, that program and etcd run, and nothing else.
    """

    def __init__(self, service_account_admission: bool = False,
                 apiserver_flags: tuple[str, ...] = (), apiserver: Path | None = None) -> None:
        self._files = control_plane_files()
        self._apiserver = apiserver
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-cluster-"))
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        etcd_port, etcd_peer_port, self.port = free_ports(3)
        self._layout = Layout(self.folder, etcd_port, etcd_peer_port, self.port,
                              service_account_admission, apiserver_flags)
        self._tokens = {name: secrets.token_hex(16) for name in _IDENTITIES}
        self.authority = Authority(self._layout.pki)
        self._write_credentials()
        self.api = Api(self.port, self.authority.certificate, self._tokens["admin"],
                       self.binary("kubectl"), self._layout.kubeconfig("admin"))
        self._processes: dict[str, Process] = {}
        self._changing = threading.Lock()
        self._stopping = threading.Event()
        self._reviver = threading.Thread(target=self._revive_the_dead, daemon=True)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.api.kubeconfig

    @property
    def token(self) -> str:
        """The administrator's."""
        return self._tokens["admin"]

    def binary(self, name: str) -> str:
        if name == "kube-apiserver" and self._apiserver:
            return str(self._apiserver)
        return self._files.binary(name)

    def process(self, name: str) -> Process:
        """One of etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok."""
        return self._processes[name]

    def start(self) -> "ControlPlane":
        try:
            self._run("etcd")
            self.start_apiserver()
            if self._apiserver:
                return self
            self._run("kube-controller-manager")
            self._run("kube-scheduler")
            self._start_nodes()
            self._reviver.start()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self, keep_logs: bool = True) -> None:
        self._stopping.set()
        with self._changing:
            for process in reversed(self._processes.values()):
                process.kill9()
            self._processes.clear()
        shutil.rmtree(self.folder / "etcd", ignore_errors=True)
        if not keep_logs:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start_apiserver(self) -> None:
        self._run("kube-apiserver")
        self.wait_until_ready()
        if "kwok" in self._processes:
            # A kubelet repeats a status write that was cut in the middle; kwok forgets it.
            self.restart("kwok")

    def stop_apiserver(self, kill: bool = False) -> None:
        server = self.process("kube-apiserver")
        if kill:
            server.kill9()
        else:
            server.terminate(deadline=90)

    def restart_apiserver(self, kill: bool = False) -> None:
        """The same address and the same data; every connection and watch is cut."""
        self.stop_apiserver(kill)
        self.start_apiserver()

    def restart(self, name: str) -> None:
        """Kills a program and starts it anew; does not wait for more than that."""
        with self._changing:
            self.process(name).kill9()
            self._run(name)

    def sigstop(self, name: str) -> None:
        self.process(name).sigstop()

    def sigcont(self, name: str) -> None:
        self.process(name).sigcont()

    def wait_until_ready(self) -> None:
        server = self.process("kube-apiserver")

        def readiness() -> str:
            server.require_running()
            return self.api.request("GET", "/readyz", accept="text/plain")

        wait_for("the API server to be ready", readiness, lambda answer: answer == "ok",
                 _START_DEADLINE)

    def write_kubeconfig(self, path: Path, token: str, namespace: str = "default") -> Path:
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "test", "cluster": {
                "server": self.url,
                "certificate-authority": str(self.authority.certificate)}}],
            "users": [{"name": "test", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {
                "cluster": "test", "user": "test", "namespace": namespace}}],
        }))
        path.chmod(0o600)
        return path

    def _write_credentials(self) -> None:
        pki = self._layout.pki
        lines = []
        for identity, (user, groups) in _IDENTITIES.items():
            token = self._tokens[identity]
            lines.append(f'{token},{user},{identity},"{groups}"\n')
            self.write_kubeconfig(self._layout.kubeconfig(identity), token)
        (pki / "tokens.csv").write_text("".join(lines))
        public_key(new_key(pki / "service-accounts.key"), pki / "service-accounts.pub")
        self.authority.issue("kube-apiserver")

    def _run(self, name: str) -> None:
        running = self._processes.get(name)
        if running is not None and running.is_running():
            raise HarnessError(f"{name} is running already.")
        self._processes[name] = Process(name, [self.binary(name), *ARGUMENTS[name](self._layout)],
                                        self.logs / f"{name}.log")

    def _start_nodes(self) -> None:
        for obj in write_kwok_config(self._files.stages, self._layout.kwok_config):
            self.api.create(obj)
        for number, zone in enumerate(ZONES):
            self.api.create(node(f"node-{number}", zone))
        self._run("kwok")
        wait_for("the nodes to be ready", lambda: self.api.list("Node"),
                 lambda nodes: all(has_condition(n, "Ready") for n in nodes), _START_DEADLINE)

    def _revive_the_dead(self) -> None:
        """Runs until stop(), since what it starts ends with the thread that started it."""
        while not self._stopping.wait(_REVIVAL_PERIOD):
            with self._changing:
                for name in _KEPT_RUNNING:
                    if name in self._processes and not self.process(name).is_running():
                        self._run(name)
