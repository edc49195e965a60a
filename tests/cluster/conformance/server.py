"""One API server of the two, and what a client without any opinion sees of it."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping
from urllib.parse import urlencode

from harness.api import Api, Object

_TIMEOUT = 60.0
ADMIN, OPERATOR = "admin", "operator"


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    warnings: list[str] = field(default_factory=list)


class Server:
    """Its name, the API as its administrator, and the tokens of the identities it knows."""

    def __init__(self, name: str, api: Api, port: int, authority: Path,
                 tokens: Mapping[str, str], words: Mapping[str, str]) -> None:
        """`words`: what goes by another name on each server, with what stands for it."""
        self.name = name
        self.api = api
        self.words = words
        self._port = port
        self._tokens = tokens
        self._tls = ssl.create_default_context(cafile=str(authority))
        self._local = threading.local()

    def exchange(self, method: str, path: str, body: Any = None, *,
                 content_type: str = "application/json", query: Mapping[str, str] | None = None,
                 user: str = ADMIN, accept: str = "application/json") -> Answer:
        headers = self._headers(user, accept)
        payload = None
        if body is not None:
            payload = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = content_type
        connection = self._connection()
        try:
            connection.request(method, _target(path, query), payload, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            self.hang_up()
            raise
        if response.will_close:
            self.hang_up()
        return Answer(response.status, _parsed(text), response.headers.get_all("Warning", []))

    def watch(self, path: str, query: Mapping[str, str], count: int, user: str = ADMIN,
              accept: str = "application/json") -> Answer:
        """The first `count` events of a watch, which is cut then; fewer if it ends earlier."""
        connection = self._connect()
        try:
            connection.request("GET", _target(path, {"watch": "true", "timeoutSeconds": "50",
                                                     **query}),
                               headers=self._headers(user, accept))
            response = connection.getresponse()
            if response.status != 200:
                return Answer(response.status, _parsed(response.read()))
            events: list[Object] = []
            while len(events) < count and (line := response.readline()):
                events.append(json.loads(line))
            return Answer(200, events)
        finally:
            connection.close()

    def hang_up(self) -> None:
        kept = getattr(self._local, "connection", None)
        if kept is not None:
            kept.close()
            self._local.connection = None

    def _headers(self, user: str, accept: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._tokens[user]}", "Accept": accept,
                "User-Agent": "conformance/1.0"}

    def _connection(self) -> http.client.HTTPSConnection:
        kept = getattr(self._local, "connection", None)
        if kept is None:
            kept = self._local.connection = self._connect()
        return kept

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self._port, context=self._tls,
                                           timeout=_TIMEOUT)


def _target(path: str, query: Mapping[str, str] | None) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode(errors="replace")
