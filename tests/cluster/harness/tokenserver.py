"""A web server that answers only to whoever has asked it for a token before, by the client
credentials grant of OAuth 2.0."""

from __future__ import annotations

import base64
import urllib.parse
from typing import Callable

from .api import Object
from .hookserver import Answer, HookServer, Request, json_answer

CLIENT = "rollouts"
SCOPES = ["metrics.read", "more"]


class TokenServer(HookServer):
    """Gives tokens at /token to CLIENT, and hands other requests on to `behind` if they carry the
    token that was given last and was not used before.

    `calls` tells what happened, in order: "token", "refused" (a token), "question", "stranger"."""

    password = "canary p:ss/word+5%"

    def __init__(self, behind: Callable[[Request], Answer], in_body: bool = False) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.tokens: list[str] = []
        self._behind = behind
        self._in_body = in_body
        self._is_used = True
        self.answer(self._serve)

    def authentication(self, secret: str) -> Object:
        """What a provider says of it; `secret` is the argument that holds the password."""
        return {"oauth2": {"tokenUrl": f"{self.url}/token", "clientId": CLIENT,
                           "clientSecret": f"{{{{args.{secret}}}}}", "scopes": SCOPES}}

    def _serve(self, request: Request) -> Answer:
        if request.path == "/token":
            return self._give(request)
        expected = "" if self._is_used else f"Bearer {self.tokens[-1]}"
        if request.headers.get("Authorization", "") != expected or not expected:
            self.calls.append("stranger")
            return json_answer({"error": "no such token"}, 401)
        self._is_used = True
        self.calls.append("question")
        return self._behind(request)

    def _give(self, request: Request) -> Answer:
        form = urllib.parse.parse_qs(request.body.decode())
        asks = (form.get("grant_type"), form.get("scope"))
        if asks != (["client_credentials"], [" ".join(SCOPES)]) or (
                self._client(request, form) != (CLIENT, self.password)):
            self.calls.append("refused")
            told = str(request.headers) + request.body.decode()
            return json_answer({"error": "invalid_client", "error_description": told}, 401)
        self.calls.append("token")
        self.tokens.append(f"canary-token-{len(self.tokens)}-{self.port}")
        self._is_used = False
        return json_answer({"access_token": self.tokens[-1], "token_type": "bearer",
                            "expires_in": 3600})

    def _client(self, request: Request, form: dict[str, list[str]]) -> tuple[str, ...]:
        """The client and its password, from where this server looks for them."""
        if self._in_body:
            return tuple("".join(form.get(name, [])) for name in ("client_id", "client_secret"))
        _, _, encoded = request.headers.get("Authorization", "").partition("Basic ")
        pair = base64.b64decode(encoded).decode().split(":")
        return tuple(urllib.parse.unquote_plus(one) for one in pair)
