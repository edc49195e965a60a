"""Records every change of a kind in a namespace, so that a test can judge the whole history."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from typing import NamedTuple

from .api import Api, Object
from .failure import HarnessError
from .waiting import wait_for


class Change(NamedTuple):
    type: str
    object: Object


class Recorder:
    """A watch in a thread, from the moment of construction until stop() or the end of `with`.

    stop() returns all changes that had happened when it was called. It is an error if the server
    ended the watch before, since changes may then be missing.
    """

    def __init__(self, api: Api, kind: str, namespace: str) -> None:
        self._api = api
        self._path = api.collection(kind, namespace)
        start = api.request("GET", self._path)
        self._known = {_uid(obj): _version(obj) for obj in start["items"]}
        self._changes: list[Change] = []
        self._connection, self._response = api.stream(self._path, {
            "watch": "true", "timeoutSeconds": "3600",
            "resourceVersion": start["metadata"]["resourceVersion"]})
        self._thread = threading.Thread(target=self._record, daemon=True)
        self._thread.start()

    @property
    def changes(self) -> list[Change]:
        return list(self._changes)

    def stop(self) -> list[Change]:
        try:
            self._catch_up()
        finally:
            self._close()
        return self.changes

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        if failure is None:
            self.stop()
        else:
            self._close()

    def _catch_up(self) -> None:
        present = self._api.request("GET", self._path)
        versions = {_uid(obj): _version(obj) for obj in present["items"]}
        now = _version(present)

        def lagging() -> list[str]:
            if not self._thread.is_alive():
                raise HarnessError(f"The watch of {self._path} was cut; changes may be missing.")
            known = dict(self._known)
            missed = [uid for uid, version in versions.items() if known.get(uid, 0) < version]
            gone = [uid for uid, version in known.items() if uid not in versions and version <= now]
            return missed + gone

        wait_for("the recorder to have seen the last change", lagging, lambda uids: not uids)

    def _close(self) -> None:
        # Wakes the reading thread; SSLSocket's own shutdown would pull the TLS state from under it.
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._connection.sock, socket.SHUT_RDWR)
        self._thread.join(timeout=10)

    def _record(self) -> None:
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            for line in self._response:
                event = json.loads(line)
                self._note(Change(event["type"], event["object"]))

    def _note(self, change: Change) -> None:
        self._changes.append(change)
        if change.type == "DELETED":
            self._known.pop(_uid(change.object), None)
        else:
            self._known[_uid(change.object)] = _version(change.object)


def _uid(obj: Object) -> str:
    return obj["metadata"]["uid"]


def _version(obj: Object) -> int:
    return int(obj["metadata"]["resourceVersion"])
