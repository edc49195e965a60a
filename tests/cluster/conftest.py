"""Fixtures: one control plane per session, one namespace per test, operators that end with it.

Files with the mark `abuse` do to a control plane what others could not stand: they kill its
servers, take policies away, or need one of their own kind. They run in a session of their own.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator

import pytest

from harness.api import Api
from harness.controlplane import ControlPlane
from harness.hookserver import HookServer
from harness.operator import Operator, install as install_component, service_account_kubeconfig

_times = pytest.StashKey[Counter[str]]()
_logs = pytest.StashKey[str]()
_failed = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Iterator[ControlPlane]:
    plane = ControlPlane()
    pytestconfig.stash[_logs] = str(plane.logs)
    plane.start()
    yield plane
    plane.stop(keep_logs=pytestconfig.stash.get(_failed, False))


@pytest.fixture(scope="module")
def bare_cluster(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """A control plane of the file's own, with nothing of ours in it."""
    plane = ControlPlane(service_account_admission=True)
    plane.start()
    yield plane
    plane.stop(keep_logs=request.session.testsfailed > 0)


@pytest.fixture(scope="session")
def api(cluster: ControlPlane) -> Api:
    return cluster.api


@pytest.fixture
def namespace(api: Api, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace of the test's own. Its deletion goes on while the next test runs."""
    words = request.node.name.split("[")[0].removeprefix("test_").replace("_", "-")
    name = f"{words[:40].strip('-')}-{secrets.token_hex(3)}"
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    api.delete("Namespace", name)


@pytest.fixture(scope="session")
def install(api: Api) -> Callable[[str], None]:
    """install("rbac") applies what `sluice manifests rbac` prints, once per run."""
    done: set[str] = set()

    def once(component: str) -> None:
        if component not in done:
            install_component(api, component)
            done.add(component)

    return once


@pytest.fixture
def operator(cluster: ControlPlane,
             install: Callable[[str], None]) -> Iterator[Callable[..., Operator]]:
    """operator("--flag", ...) starts one more operator and waits until it is ready.

    ready=False returns at once; kubeconfig=path runs it with another identity.
    """
    started: list[Operator] = []

    def start(*flags: str, ready: bool = True, kubeconfig=None) -> Operator:
        install("rbac")
        name = f"operator-{secrets.token_hex(3)}"
        one = Operator(cluster, kubeconfig or service_account_kubeconfig(cluster), name, flags,
                       ready=False)
        started.append(one)
        if ready:
            one.wait_until_ready()
        return one

    yield start
    for one in started:
        one.kill9()


@pytest.fixture
def hook() -> Iterator[HookServer]:
    """An HTTP hook server that allows everything until it is told otherwise."""
    with HookServer() as server:
        yield server


@pytest.fixture
def https_hook(cluster: ControlPlane) -> Iterator[HookServer]:
    """The same over TLS, with a certificate that cluster.authority signed."""
    with HookServer(cluster.authority.issue("hook")) as server:
        yield server


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    outcome = yield
    report = outcome.get_result()
    spent = item.config.stash.setdefault(_times, Counter())
    spent[item.path.name] += report.duration
    if report.failed:
        item.config.stash[_failed] = True
        logs = item.config.stash.get(_logs, None)
        if logs:
            report.sections.append(("Logs", f"The logs of this run are kept in {logs}"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The seconds of each file, for whoever wants to know where the time goes."""
    wanted = os.environ.get("SLUICE_FILE_TIMES")
    if wanted:
        times = session.config.stash.get(_times, Counter())
        Path(wanted).write_text("".join(f"{name}\t{seconds:.1f}\n"
                                        for name, seconds in times.most_common()))
