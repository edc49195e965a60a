"""The operator's question to a real Prometheus: what it asks, shows and makes of the answers."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Callable, Iterator

import pytest

from harness import hookserver
from harness.hookserver import Answer, HookServer, Request
from harness.operator import service_account_kubeconfig
from harness.places import REPOSITORY
from harness.prometheus import PASSWORD, USER, Prometheus

PROGRAM = REPOSITORY / "build/release/tests/cluster/ask_prometheus"
HOSTS = "sluice.dev/allowed-hosts"
TOKEN = "canary-5f1d-token"
TWINS = ('(label_replace(vector(1), "a", "x", "", "") or '
         'label_replace(vector(1), "a", "y", "", ""))')

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    yield from _running(Prometheus(tmp_path_factory.mktemp("prometheus")))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    yield from _running(Prometheus(tmp_path_factory.mktemp("guarded"), login=True))


@pytest.fixture(scope="module")
def secure(cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    certificate = cluster.authority.issue("prometheus")
    yield from _running(Prometheus(tmp_path_factory.mktemp("secure"), certificate=certificate))


def _running(one: Prometheus) -> Iterator[Prometheus]:
    yield one
    one.stop()
    assert not one.process.is_running()


@pytest.fixture
def ask(cluster, api, namespace) -> Ask:
    """ask(url, expr, ...) gives the reading as the operator sees it."""
    assert PROGRAM.exists(), f"{PROGRAM} is missing: run `tools/build release all`"
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": {"name": "asker", "namespace": namespace},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": "cluster-admin"},
                "subjects": [{"kind": "ServiceAccount", "name": "asker",
                              "namespace": namespace}]})
    kubeconfig = service_account_kubeconfig(cluster, namespace, "asker")

    def once(url: str, expr: str = "vector(1)", **more: Any) -> dict[str, Any]:
        question = {"namespace": namespace, "url": url, "expr": expr, **more}
        done = subprocess.run([str(PROGRAM), json.dumps(question)], capture_output=True, text=True,
                              timeout=300,
                              env={**os.environ, "SLUICE_TEST_KUBECONFIG": str(kubeconfig)})
        assert done.returncode == 0, done.stdout + done.stderr
        for secret in (TOKEN, PASSWORD):
            assert secret not in done.stdout + done.stderr
        return json.loads(done.stdout)

    return once


@pytest.fixture
def put_secret(api, namespace) -> Callable[..., str]:
    def create(name: str, annotations: dict[str, str] | None = None, **texts: str) -> str:
        if annotations is None:
            annotations = {HOSTS: "http://127.0.0.1, https://127.0.0.1"}
        api.create({"apiVersion": "v1", "kind": "Secret", "stringData": texts,
                    "metadata": {"name": name, "namespace": namespace,
                                 "annotations": annotations}})
        return name

    return create


def unknown(reading: dict[str, Any]) -> str:
    assert reading["kind"] == "Unknown", reading
    return reading["message"]


@pytest.mark.parametrize("expr, kind, series, value", [
    ('max_over_time(up{job="self"}[1h]) == 1', "Data", 1, "1.000000"),
    ('up{job="self"} == 42', "NoData", 0, None),
    ("there_is_no_such_metric", "NoData", 0, None),
    ("there_is_no_such_metric[5m]", "NoData", 0, None),
    ("absent(there_is_no_such_metric)", "Data", 1, "1.000000"),
    ("1 + 2", "Data", 1, "3.000000"),
    ("scalar(there_is_no_such_metric)", "Data", 1, "nan"),
    ("vector(7)[5m:1m]", "Data", 1, "7.000000"),
    (TWINS, "Data", 2, "1.000000"),
    ("vector(0) / 0", "Data", 1, "nan"),
    ("vector(1) / 0", "Data", 1, "inf"),
    ("-vector(1) / 0", "Data", 1, "-inf"),
    ("vector(1e-7) # a comment (\n * 1e300", "Data", 1, None),
    ('label_replace(vector(5), "a", "ü&=+%\\n", "", "")', "Data", 1, "5.000000"),
])
def test_results_are_data_or_no_data(ask: Ask, prometheus: Prometheus, expr: str, kind: str,
                                     series: int, value: str | None) -> None:
    reading = ask(prometheus.url, expr)
    assert (reading["kind"], reading["series"], reading["message"]) == (kind, series, "")
    if value is not None:
        assert reading["value"].lstrip("-") == value.lstrip("-")


def test_queries_that_prometheus_refuses_are_unknown(ask: Ask, prometheus: Prometheus) -> None:
    assert unknown(ask(prometheus.url, "sum by by (up)")) == (
        "Prometheus answered HTTP 400: bad_data, it does not accept the query")
    assert unknown(ask(prometheus.url, f"{TWINS} * on() {TWINS}")) == (
        "Prometheus answered HTTP 422: execution, the query failed")
    assert unknown(ask(prometheus.url, '"text"')) == (
        "Prometheus's answer is a string, which is neither data nor no data")


def test_the_bare_address_of_the_document_works(ask: Ask, prometheus: Prometheus) -> None:
    assert ask(prometheus.address)["kind"] == "Data"
    assert ask(prometheus.url + "//")["kind"] == "Data"
    assert "HTTP 404" in unknown(ask(prometheus.address + "/elsewhere"))


def test_basic_authentication(ask: Ask, put_secret, guarded: Prometheus) -> None:
    right = put_secret("right", username=USER, password=PASSWORD + "\n")
    wrong = put_secret("wrong", username=USER, password="close sesame")
    assert ask(guarded.url, secret=right)["kind"] == "Data"
    refused = "Prometheus answered HTTP 401; it wants other credentials"
    assert unknown(ask(guarded.url, secret=wrong)) == refused
    assert unknown(ask(guarded.url)) == refused


def test_a_bearer_token(ask: Ask, put_secret, hook: HookServer, prometheus: Prometheus) -> None:
    def door(request: Request) -> Answer:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return hookserver.status(401, TOKEN.encode())
        return prometheus.forward(request)

    hook.answer(door)
    right = put_secret("right", token=TOKEN)
    wrong = put_secret("wrong", token="another")
    all_three = put_secret("all-three", token=TOKEN, username=USER, password=PASSWORD)
    assert ask(hook.url, secret=right)["kind"] == "Data"
    assert ask(hook.url, secret=all_three)["kind"] == "Data"
    assert "HTTP 401" in unknown(ask(hook.url, secret=wrong))
    assert "HTTP 401" in unknown(ask(hook.url))


def test_secrets_that_cannot_be_used(ask: Ask, put_secret, namespace: str,
                                     hook: HookServer) -> None:
    half = put_secret("half", username=USER)
    assert unknown(ask(hook.url, secret="absent")) == f"Secret {namespace}/absent does not exist"
    assert unknown(ask(hook.url, secret=half)) == (
        f"Secret {namespace}/half: has no key password")
    assert hook.requests == []


def test_a_secret_goes_only_to_the_hosts_that_it_lists(ask: Ask, put_secret, hook: HookServer,
                                                       prometheus: Prometheus) -> None:
    hook.answer(prometheus.forward)
    here = put_secret("here", {HOSTS: f"prom.example.com, http://127.0.0.1:{hook.port}"},
                      token=TOKEN)
    there = put_secret("there", {HOSTS: "*.example.com"}, token=TOKEN)
    silent = put_secret("silent", {}, token=TOKEN)
    secure = put_secret("secure", {HOSTS: f"127.0.0.1:{hook.port}"}, token=TOKEN)
    assert ask(hook.url, secret=here)["kind"] == "Data"
    assert len(hook.requests) == 1
    for secret in (there, silent, secure):
        refused = unknown(ask(hook.url, secret=secret))
        assert f"may not be sent to {hook.url}. To allow it: kubectl -n " in refused
        assert f"or start the operator with --allowed-metric-hosts={hook.url}" in refused
    assert ask(hook.url, secret=silent, allowedHosts=hook.url)["kind"] == "Data"
    assert len(hook.requests) == 2
    assert "may not be sent" in unknown(ask(hook.url, secret=silent, allowedHosts="127.0.0.1"))
    assert "may ask" in unknown(ask(hook.url, allowedHosts="*.example.com"))
    assert len(hook.requests) == 2
    assert ask(hook.url, allowedHosts="127.0.0.1")["kind"] == "Data"


def test_tls_is_verified_against_the_authority(ask: Ask, put_secret, cluster,
                                               secure: Prometheus) -> None:
    ca = put_secret("ca", **{"ca.crt": cluster.authority.certificate.read_text()})
    assert ask(secure.url, caSecret=ca)["kind"] == "Data"
    assert "certificate" in unknown(ask(secure.url))
    assert ask(secure.url, insecureSkipVerify=True)["kind"] == "Data"
    assert unknown(ask(f"http://{secure.address}")) == "Prometheus answered HTTP 400"


def test_a_proxy_that_lets_only_get_through(ask: Ask, hook: HookServer,
                                            prometheus: Prometheus) -> None:
    def door(request: Request) -> Answer:
        return hookserver.status(405) if request.method == "POST" else prometheus.forward(request)

    hook.answer(door)
    assert ask(hook.url, 'vector(1) == 1 or vector(2)')["kind"] == "Data"
    assert [request.method for request in hook.requests] == ["POST", "GET"]


def test_a_redirect_is_not_followed(ask: Ask, hook: HookServer, prometheus: Prometheus) -> None:
    for code in (301, 302, 307, 308):
        hook.answer(hookserver.redirect(prometheus.url + "/api/v1/query", code))
        assert unknown(ask(hook.url)) == (
            f"Prometheus answered HTTP {code}; redirects are not followed")
    assert len(hook.requests) == 4


def test_answers_that_do_not_come_or_do_not_end(ask: Ask, hook: HookServer) -> None:
    hook.answer(hookserver.hang())
    assert "1s" in unknown(ask(hook.url, timeoutSeconds=1))
    hook.answer(hookserver.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"status\":"))
    unknown(ask(hook.url))
    hook.answer(hookserver.huge(2 << 20, b'{"status":"success"}'))
    unknown(ask(hook.url))
    hook.answer(hookserver.huge(4096, b"<html>"))
    assert unknown(ask(hook.url)) == "Prometheus's answer is not JSON"


def test_a_prometheus_that_is_gone_is_unknown(ask: Ask, tmp_path) -> None:
    gone = Prometheus(tmp_path)
    assert ask(gone.url)["kind"] == "Data"
    gone.stop()
    assert unknown(ask(gone.url)).startswith(f"cannot reach {gone.address}")
