"""Speaks the part of Elasticsearch's HTTP that the hook uses, and notes who asks what.

It answers on every loopback address at one port, since fake pods have loopback addresses.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    address: str
    method: str
    path: str
    body: str


class Elasticsearch:
    """green until told otherwise; `modern` has no synced flush; `login` demands basic auth."""

    def __init__(self, login: tuple[str, str] | None = None, modern: bool = False) -> None:
        self.health = "green"
        self.allocation = "all"
        self._modern = modern
        self._login = login
        self._lock = threading.Lock()
        self._asked: list[Asked] = []
        self._server = _Server(("0.0.0.0", 0), _handler_of(self))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def asked(self) -> list[Asked]:
        with self._lock:
            return list(self._asked)

    def __enter__(self) -> "Elasticsearch":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, asked: Asked, authorization: str | None) -> tuple[int, Any]:
        if self._login is not None and authorization != _basic(*self._login):
            return 401, {"error": "security_exception"}
        with self._lock:
            self._asked.append(asked)
        if asked.path == "/_cat/health?format=json":
            return 200, [{"status": self.health}]
        if asked.path == "/_cluster/settings" and asked.method == "PUT":
            settings = json.loads(asked.body)["persistent"]
            self.allocation = settings["cluster.routing.allocation.enable"]
            return 200, {"acknowledged": True}
        if asked.path == "/_flush/synced" and self._modern:
            return 405, {"error": "removed"}
        if asked.path in ("/_flush/synced", "/_flush"):
            return 200, {"_shards": {"failed": 0}}
        return 404, {"error": "unknown"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        # All addresses, but of the loopback device only.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
        super().server_bind()


def _basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def _handler_of(double: Elasticsearch) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            asked = Asked(self.connection.getsockname()[0], self.command, self.path, body)
            status, content = double._answer(asked, self.headers.get("Authorization"))
            payload = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PUT = _serve

        def log_message(self, *_: Any) -> None:
            """Requests are recorded, not printed."""

    return Handler
