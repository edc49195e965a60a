"""The real Prometheus, as Debian packages it, on a loopback port of its own."""

from __future__ import annotations

import base64
import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from .certificates import ServerCertificate
from .failure import HarnessError
from .hookserver import Answer, Request, status
from .places import free_ports
from .process import Process
from .waiting import wait_for

BINARY = "/usr/bin/prometheus"
USER = "sluice"
PASSWORD = "open sesame"
_PASSWORD_HASH = "$2b$04$BXUsqIutONUoWDBqEW2J7.hh2LOqsq1kZQPMbjXeZ41RfD4uRZTR6"
_HOP_HEADERS = {"host", "connection", "content-length", "accept-encoding", "authorization"}


class Prometheus:
    """Runs from construction until stop(), and again from start(), with the same address and data.

    It scrapes `targets` (host:port) every second, and itself as job "self", except where `login`
    makes it ask for USER and PASSWORD or `certificate` makes it speak TLS."""

    def __init__(self, folder: Path, login: bool = False,
                 certificate: ServerCertificate | None = None,
                 targets: tuple[str, ...] = ()) -> None:
        if not os.access(BINARY, os.X_OK):
            raise HarnessError(f"{BINARY} is missing; run tools/setup/packages.")
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_ports(1)[0]
        self._scheme = "https" if certificate else "http"
        self._headers = {"Authorization": _basic(USER, PASSWORD)} if login else {}
        self._folder = folder
        self._is_plain = not login and certificate is None
        jobs = {"self": [self.address] if self._is_plain else [], "others": list(targets)}
        scraped = [{"job_name": name, "static_configs": [{"targets": addresses}]}
                   for name, addresses in jobs.items() if addresses]
        (folder / "prometheus.yml").write_text(yaml.safe_dump(
            {"global": {"scrape_interval": "1s"}, "scrape_configs": scraped}))
        web: dict[str, Any] = {}
        if login:
            web["basic_auth_users"] = {USER: _PASSWORD_HASH}
        if certificate:
            web["tls_server_config"] = {"cert_file": str(certificate.certificate),
                                        "key_file": str(certificate.key)}
        (folder / "web.yml").write_text(yaml.safe_dump(web))
        self.start()

    def start(self) -> None:
        folder = self._folder
        self.process = Process(
            "prometheus",
            [BINARY, f"--config.file={folder / 'prometheus.yml'}",
             f"--web.config.file={folder / 'web.yml'}",
             f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={self.address}",
             "--log.level=warn"], folder / "prometheus.log")
        wait_for("Prometheus to be ready", self._is_ready)
        if self._is_plain:
            wait_for("Prometheus to have scraped itself",
                     lambda: self.result('up{job="self"} == 1'))

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self._scheme}://{self.address}"

    def result(self, expr: str) -> list[Any]:
        """What the query gives when Python asks it."""
        query = urllib.parse.urlencode({"query": expr})
        return json.loads(self._fetch("/api/v1/query?" + query))["data"]["result"]

    def forward(self, request: Request) -> Answer:
        """What this Prometheus answers to a request that a proxy lets through."""
        headers = {name: value for name, value in request.headers.items()
                   if name.lower() not in _HOP_HEADERS}
        passed = urllib.request.Request(self.url + request.path, data=request.body or None,
                                        headers=headers, method=request.method)
        try:
            with urllib.request.urlopen(passed, timeout=30) as answer:
                return Answer(answer.status, answer.read(), {"Content-Type": "application/json"})
        except urllib.error.HTTPError as error:
            return status(error.code, error.read())

    def stop(self) -> None:
        if self.process.is_running():
            self.process.terminate()

    def _is_ready(self) -> bool:
        self.process.require_running()
        return bool(self._fetch("/-/ready"))

    def _fetch(self, path: str) -> bytes:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        asked = urllib.request.Request(self.url + path, headers=self._headers)
        with urllib.request.urlopen(asked, timeout=5, context=context) as answer:
            return answer.read()


def _basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
