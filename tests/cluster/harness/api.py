"""A small JSON client of the Kubernetes API, and kubectl for what users do with kubectl."""

from __future__ import annotations

import http.client
import json
import select
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any, Mapping
from urllib.parse import quote, urlencode

import yaml

from .failure import HarnessError

Object = dict[str, Any]

_REQUEST_TIMEOUT = 30.0
_DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


def has_condition(obj: Object, condition: str) -> bool:
    """Whether the object's status says that this condition is True."""
    return any(c["type"] == condition and c["status"] == "True"
               for c in obj.get("status", {}).get("conditions") or [])


class ApiError(OSError):
    """An answer other than 2xx; the Status object's reason and message, if there is one."""

    def __init__(self, method: str, path: str, status: int, body: bytes) -> None:
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}
        if not isinstance(answer, dict):
            answer = {}
        self.status = status
        self.reason = str(answer.get("reason", ""))
        self.message = str(answer.get("message", body[:500].decode(errors="replace")))
        super().__init__(f"{method} {path}: {status} {self.reason}: {self.message}")


class Api:
    """Speaks as one identity. Kinds are named as in manifests: "StatefulSet", "PhasedRollout"."""

    def __init__(self, port: int, authority: Path, token: str, kubectl: str,
                 kubeconfig: Path) -> None:
        self._port = port
        self._token = token
        self._kubectl = kubectl
        self.kubeconfig = kubeconfig
        self._tls = ssl.create_default_context(cafile=str(authority))
        self._local = threading.local()
        self._paths: dict[str, tuple[str, str, bool]] = {}

    def get(self, kind: str, name: str, namespace: str | None = None) -> Object:
        return self.request("GET", self._path(kind, namespace, name))

    def find(self, kind: str, name: str, namespace: str | None = None) -> Object | None:
        try:
            return self.get(kind, name, namespace)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind: str, namespace: str | None = None,
             labels: Mapping[str, str] | str | None = None) -> list[Object]:
        query = {}
        if labels:
            query["labelSelector"] = labels if isinstance(labels, str) else ",".join(
                f"{key}={value}" for key, value in labels.items())
        return self.request("GET", self._path(kind, namespace), query=query)["items"]

    def create(self, obj: Object, dry_run: bool = False) -> Object:
        path = self._path(obj["kind"], obj["metadata"].get("namespace"))
        return self.request("POST", path, obj, query={"dryRun": "All"} if dry_run else None)

    def replace(self, obj: Object, subresource: str | None = None) -> Object:
        meta = obj["metadata"]
        path = self._path(obj["kind"], meta.get("namespace"), meta["name"], subresource)
        return self.request("PUT", path, obj)

    def patch(self, kind: str, name: str, body: Any, namespace: str | None = None,
              patch_type: str = "merge", subresource: str | None = None,
              field_manager: str | None = None, dry_run: bool = False) -> Object:
        query = {}
        if field_manager:
            query["fieldManager"] = field_manager
        if patch_type == "apply":
            query["force"] = "true"
        if dry_run:
            query["dryRun"] = "All"
        return self.request("PATCH", self._path(kind, namespace, name, subresource), body,
                            content_type=_PATCH_TYPES[patch_type], query=query)

    def delete(self, kind: str, name: str, namespace: str | None = None,
               propagation: str = "Background", grace: int | None = None,
               uid: str | None = None) -> None:
        """Deleting what is not there is no error."""
        options: Object = {"propagationPolicy": propagation}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        try:
            self.request("DELETE", self._path(kind, namespace, name), options)
        except ApiError as error:
            if error.status != 404:
                raise

    def annotate(self, kind: str, name: str, namespace: str | None,
                 annotations: Mapping[str, str | None]) -> Object:
        """None as a value removes the annotation."""
        body = {"metadata": {"annotations": dict(annotations)}}
        return self.patch(kind, name, body, namespace)

    def events(self, namespace: str, name: str) -> list[Object]:
        """The Events about one object, oldest first."""
        about = [event for event in self.list("Event", namespace)
                 if event["involvedObject"].get("name") == name]
        return sorted(about, key=lambda event: event["metadata"]["creationTimestamp"])

    def apply(self, manifest: str | Object | list[Object], *flags: str) -> str:
        """`kubectl apply` of a YAML text or of objects."""
        if isinstance(manifest, dict):
            manifest = [manifest]
        text = manifest if isinstance(manifest, str) else yaml.safe_dump_all(manifest)
        return self.kubectl("apply", *flags, "-f", "-", stdin=text)

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            [self._kubectl, "--kubeconfig", str(self.kubeconfig),
             "--cache-dir", str(self.kubeconfig.parent / "kubectl-cache"), *arguments],
            input=stdin, capture_output=True, text=True)
        if done.returncode != 0:
            raise HarnessError(f"kubectl {' '.join(arguments)} failed: {done.stderr.strip()}")
        return done.stdout

    def request(self, method: str, path: str, body: Any = None,
                content_type: str = "application/json", accept: str = "application/json",
                query: Mapping[str, str] | None = None) -> Any:
        target = f"{path}?{urlencode(query)}" if query else path
        headers = {"Authorization": f"Bearer {self._token}", "Accept": accept}
        payload = None
        if body is not None:
            payload = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = content_type
        status, answer = self._exchange(method, target, payload, headers)
        if not 200 <= status < 300:
            raise ApiError(method, target, status, answer)
        try:
            return json.loads(answer)
        except ValueError:
            return answer.decode(errors="replace")

    def stream(self, path: str, query: Mapping[str, str]
               ) -> tuple[http.client.HTTPSConnection, http.client.HTTPResponse]:
        """A connection of its own with an open answer on it, for watches."""
        connection = self._connect()
        connection.request("GET", f"{path}?{urlencode(query)}",
                           headers={"Authorization": f"Bearer {self._token}"})
        response = connection.getresponse()
        if response.status != 200:
            raise ApiError("GET", path, response.status, response.read())
        connection.sock.settimeout(None)
        return connection, response

    def collection(self, kind: str, namespace: str | None = None) -> str:
        return self._path(kind, namespace)

    def _exchange(self, method: str, target: str, payload: bytes | None,
                  headers: dict[str, str]) -> tuple[int, bytes]:
        connection = self._kept_connection() or self._connect()
        self._local.connection = None
        try:
            connection.request(method, target, payload, headers)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionError(f"{method} {target}: {error!r}") from error
        self._local.connection = connection
        return response.status, answer

    def _kept_connection(self) -> http.client.HTTPSConnection | None:
        kept = getattr(self._local, "connection", None)
        if kept is None or kept.sock is None:
            return None
        closed_by_peer, _, _ = select.select([kept.sock], [], [], 0)
        return None if closed_by_peer else kept

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self._port, context=self._tls,
                                           timeout=_REQUEST_TIMEOUT)

    def _path(self, kind: str, namespace: str | None, name: str | None = None,
              subresource: str | None = None) -> str:
        if kind not in self._paths:
            self._discover()
        if kind not in self._paths:
            raise ApiError("GET", "/apis", 404, f"no kind {kind} is served".encode())
        prefix, plural, namespaced = self._paths[kind]
        parts = [prefix]
        if namespaced and namespace:
            parts += ["namespaces", namespace]
        parts.append(plural)
        parts += [quote(part) for part in (name, subresource) if part]
        return "/".join(parts)

    def _discover(self) -> None:
        for root in ("/apis", "/api"):
            for group in self.request("GET", root, accept=_DISCOVERY)["items"]:
                self._learn(root, group)

    def _learn(self, root: str, group: Object) -> None:
        """Core kinds are learnt last and preferred versions first, so that "Event" is v1's."""
        name = group["metadata"].get("name", "")
        for version in reversed(group["versions"]):
            prefix = "/".join(part for part in (root, name, version["version"]) if part)
            for resource in version["resources"]:
                kind = resource.get("responseKind", {}).get("kind", "")
                self._paths[kind] = (prefix, resource["resource"],
                                     resource["scope"] == "Namespaced")
