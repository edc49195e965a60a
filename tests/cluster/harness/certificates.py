"""A certificate authority for one test run, made with openssl."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

_SERVER_NAMES = "IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default.svc"


@dataclass(frozen=True)
class ServerCertificate:
    certificate: Path
    key: Path


class Authority:
    """Signs certificates for servers on the loopback interface."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.certificate = folder / "ca.crt"
        self._key = new_key(folder / "ca.key")
        _openssl("req", "-x509", "-new", "-key", self._key, "-out", self.certificate,
                 "-days", "2", "-subj", "/CN=sluice test authority",
                 "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def issue(self, name: str, server_names: str = _SERVER_NAMES) -> ServerCertificate:
        key = new_key(self._folder / f"{name}.key")
        request = self._folder / f"{name}.csr"
        extensions = self._folder / f"{name}.ext"
        certificate = self._folder / f"{name}.crt"
        extensions.write_text(f"subjectAltName={server_names}\n"
                              "basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
        _openssl("req", "-new", "-key", key, "-out", request, "-subj", f"/CN={name}")
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key,
                 "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", certificate)
        return ServerCertificate(certificate, key)


def new_key(path: Path) -> Path:
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
    return path


def public_key(private: Path, path: Path) -> Path:
    _openssl("pkey", "-in", private, "-pubout", "-out", path)
    return path


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
