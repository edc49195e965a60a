"""A case: a function that sends requests through a Talk, which writes every answer down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

from harness.api import Object
from harness.waiting import wait_for

from .server import ADMIN, Answer, Server

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

_PREFIXES = {
    "statefulsets": "/apis/apps/v1", "controllerrevisions": "/apis/apps/v1",
    "deployments": "/apis/apps/v1", "jobs": "/apis/batch/v1",
    "leases": "/apis/coordination.k8s.io/v1",
}

Case = Callable[["Talk"], None]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    """Enters a function into the table under its own name."""
    name = function.__name__.replace("_", " ")
    assert name not in CASES, name
    CASES[name] = function
    return function


@dataclass
class Talk:
    """One case on one server, in a namespace of its own."""

    server: Server
    namespace: str
    answers: list[tuple[str, Answer]] = field(default_factory=list)

    def send(self, method: str, what: str, body: Any = None, *, user: str = ADMIN,
             content_type: str = "application/json", accept: str = "application/json",
             **query: str) -> Any:
        """`what` is a path, or "configmaps/one" for one in the namespace of the case."""
        answer = self.server.exchange(method, self.path(what), body, content_type=content_type,
                                      query=query, user=user, accept=accept)
        shown = {key: value for key, value in query.items() if key != "continue"}
        self.answers.append((f"{method} {what} {shown or ''}".strip(), answer))
        if method in ("POST", "PUT", "PATCH") and answer.status < 300 and "dryRun" not in query:
            self._wait_for_cache(method, what, answer.body)
        return answer.body

    def get(self, what: str, **query: str) -> Any:
        return self.send("GET", what, **query)

    def post(self, what: str, body: Any, **more: str) -> Any:
        return self.send("POST", what, body, **more)

    def put(self, what: str, body: Any, **more: str) -> Any:
        return self.send("PUT", what, body, **more)

    def delete(self, what: str, body: Any = None, **query: str) -> Any:
        return self.send("DELETE", what, body, **query)

    def patch(self, what: str, body: Any, content_type: str = MERGE_PATCH, **query: str) -> Any:
        return self.send("PATCH", what, body, content_type=content_type, **query)

    def apply(self, what: str, body: Object, manager: str, **query: str) -> Any:
        return self.patch(what, body, APPLY, fieldManager=manager, **query)

    def watch(self, what: str, count: int, accept: str = "application/json", **query: str) -> Any:
        answer = self.server.watch(self.path(what), query, count, accept=accept)
        self.answers.append((f"WATCH {what}", answer))
        return answer.body

    def _wait_for_cache(self, method: str, what: str, written: Object) -> None:
        """A write is first tried on what the cache of the server has, and leaves its warnings."""
        meta = written["metadata"]
        end = -2 if method != "POST" and what.endswith(("/status", "/scale")) else -1
        collection = self.path(what) if method == "POST" else "/".join(
            self.path(what).split("/")[:end])
        wait_for("the cache to catch up",
                 lambda: self.server.exchange("GET", f"{collection}/{meta['name']}",
                                              query={"resourceVersion": "0"}),
                 lambda seen: seen.status == 404 or int(
                     seen.body["metadata"]["resourceVersion"]) >= int(meta["resourceVersion"]))

    def path(self, what: str) -> str:
        if what.startswith("/"):
            return what
        prefix = _PREFIXES.get(what.split("/")[0], "/api/v1")
        return f"{prefix}/namespaces/{self.namespace}/{what}"
