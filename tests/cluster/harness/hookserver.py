"""A web server that plays a hook, a metrics source or any other HTTP peer of the operator.

It records every request in order and answers as it is told; it never decides anything itself.
"""

from __future__ import annotations

import json
import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Mapping, NamedTuple

from .certificates import ServerCertificate
from .waiting import DEADLINE, wait_for

_CHUNK = 64 * 1024


class Request(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    padding_bytes: int = 0
    raw: bytes | None = None
    hangs: bool = False


def allow() -> Answer:
    return json_answer({"allowed": True})


def refuse(message: str) -> Answer:
    return json_answer({"allowed": False, "message": message})


def json_answer(content: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(content).encode(), {"Content-Type": "application/json"})


def status(code: int, body: bytes = b"") -> Answer:
    return Answer(code, body)


def raw(content: bytes) -> Answer:
    """These bytes instead of an HTTP answer; then the connection is closed."""
    return Answer(raw=content)


def hang() -> Answer:
    """No answer, until the server stops or the peer gives up."""
    return Answer(hangs=True)


def huge(size: int, prefix: bytes = b"") -> Answer:
    """A body of that many bytes, sent in chunks and never held in memory."""
    return Answer(200, prefix, {"Content-Type": "application/json"}, size - len(prefix))


def redirect(location: str, code: int = 302) -> Answer:
    return Answer(code, headers={"Location": location})


class HookServer:
    """Serves on a free loopback port from construction until stop().

    answer(x) sets what every request gets from now on; answer_next(x, y) queues answers that are
    used once each, before that. x may also be a function from Request to Answer.
    """

    def __init__(self, certificate: ServerCertificate | None = None) -> None:
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._once: list[Answer | Callable[[Request], Answer]] = []
        self._always: Answer | Callable[[Request], Answer] = allow()
        self._stopped = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self._scheme = "http"
        if certificate is not None:
            self._scheme = "https"
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate.certificate, certificate.key)
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True,
                                                  do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[Request]:
        with self._lock:
            return list(self._requests)

    @property
    def bodies(self) -> list[Any]:
        return [request.json for request in self.requests]

    def answer(self, answer: Answer | Callable[[Request], Answer]) -> None:
        with self._lock:
            self._always = answer
            self._once.clear()

    def answer_next(self, *answers: Answer | Callable[[Request], Answer]) -> None:
        with self._lock:
            self._once += answers

    def wait_for_requests(self, count: int, deadline: float = DEADLINE) -> list[Request]:
        return wait_for(f"{count} requests to the hook", lambda: self.requests,
                        lambda seen: len(seen) >= count, deadline)

    def stop(self) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> "HookServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _take(self, request: Request) -> Answer:
        with self._lock:
            self._requests.append(request)
            chosen = self._once.pop(0) if self._once else self._always
        return chosen(request) if callable(chosen) else chosen

    def _hang(self) -> None:
        self._stopped.wait()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A peer that goes away in the middle of an answer is part of the tests."""


def _handler_of(hook: HookServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(self.command, self.path, dict(self.headers.items()),
                              self.rfile.read(length))
            answer = hook._take(request)
            if answer.hangs:
                hook._hang()
            elif answer.raw is not None:
                self.wfile.write(answer.raw)
            else:
                self._send(answer)
                return
            self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body) + answer.padding_bytes))
            self.end_headers()
            self.wfile.write(answer.body)
            left = answer.padding_bytes
            while left > 0:
                self.wfile.write(b" " * min(left, _CHUNK))
                left -= _CHUNK

        def log_message(self, *_: Any) -> None:
            """Requests are recorded, not printed."""

    return Handler
