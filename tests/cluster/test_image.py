"""The image that `make image` packs: complete, small, without a shell, the same bytes each time."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import subprocess
import tarfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Callable, Iterator

import pytest

from harness.places import REPOSITORY, free_ports
from harness.process import Process
from harness.waiting import wait_for

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LOGIN = "somebody:open sesame"
LOGIN_KEPT = "somebody:$2b$04$RnegFoov5Vu9RWOQkSsfO.eMHNCwKWA08BkZt4Dh2EZacD3RL5vda"  # by bcrypt


def packed(folder):
    archive = folder / "image.tar"
    done = subprocess.run([REPOSITORY / "tools/image", "sluice:test", archive],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return archive


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    with tarfile.open(packed(folder)) as archive:
        archive.extractall(folder / "outer")
    manifest = json.loads((folder / "outer/manifest.json").read_text())[0]
    with tarfile.open(folder / "outer" / manifest["Layers"][0]) as layer:
        layer.extractall(folder / "root")
    config = json.loads((folder / "outer" / manifest["Config"]).read_text())
    return folder / "root", config, manifest


def test_the_binary_runs_with_nothing_but_what_is_in_the_image(image):
    root, config, _ = image
    done = subprocess.run(["/usr/sbin/chroot", "--userspec", config["config"]["User"], str(root),
                           config["config"]["Entrypoint"][0], "manifests", "rbac"],
                          capture_output=True, text=True, env={"PATH": "/usr/bin"})
    assert done.returncode == 0, done.stderr
    assert "kind: ClusterRole" in done.stdout


def test_it_runs_as_nobody_and_has_no_shell(image):
    root, config, manifest = image
    assert config["config"]["User"] == "65532:65532"
    assert manifest["RepoTags"] == ["sluice:test"]
    assert not [path for path in root.rglob("*") if path.name in ("sh", "bash", "busybox", "apt")]


def test_the_same_binary_gives_the_same_image(tmp_path):
    one, other = tmp_path / "a", tmp_path / "b"
    assert packed(one).read_bytes() == packed(other).read_bytes()


Registry = Callable[..., str]


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    """registry(login=True) starts a real registry, and returns its host and port."""
    started: list[Process] = []

    def start(login: bool = False) -> str:
        (port,) = free_ports(1)
        folder = tmp_path / f"registry-{port}"
        folder.mkdir()
        config = {"version": "0.1", "log": {"level": "warn"},
                  "storage": {"filesystem": {"rootdirectory": str(folder / "blobs")}},
                  "http": {"addr": f"127.0.0.1:{port}"}}
        if login:
            (folder / "users").write_text(LOGIN_KEPT + "\n")
            config["auth"] = {"htpasswd": {"realm": "here", "path": str(folder / "users")}}
        (folder / "config.yml").write_text(json.dumps(config))
        one = Process("registry", ["/usr/bin/docker-registry", "serve",
                                   str(folder / "config.yml")], folder / "log")
        started.append(one)
        wait_for("the registry to answer", lambda: answers(f"http://127.0.0.1:{port}/v2/"))
        return f"127.0.0.1:{port}"

    yield start
    for each in started:
        each.kill9()


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        pass
    return True


def docker(folder: Path, verb: str, name: str, path: str = "/usr/bin:/bin",
           ) -> subprocess.CompletedProcess[str]:
    """tools/docker on a machine without docker, unless a path leads to one."""
    return subprocess.run([REPOSITORY / "tools/docker", verb, name], capture_output=True, text=True,
                          env={"PATH": f"{folder / 'bin'}:{path}", "HOME": str(folder),
                               "DOCKER_HOST": f"unix://{folder}/none",
                               "SLUICE_IMAGE_LAYOUT": str(folder / "layout")})


def fetched(url: str, login: str | None = None) -> bytes:
    request = urllib.request.Request(url, headers={"Accept": MANIFEST})
    if login:
        request.add_header("Authorization",
                           "Basic " + base64.b64encode(login.encode()).decode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def test_without_docker_the_image_goes_to_a_real_registry(registry: Registry,
                                                          tmp_path: Path) -> None:
    host = registry()
    name = f"{host}/team/sluice:1.0"
    early = docker(tmp_path, "push", name)
    assert early.returncode == 1 and f"make docker-build IMG={name}" in early.stderr
    built = docker(tmp_path, "build", name)
    assert built.returncode == 0, built.stderr
    assert f"make docker-push IMG={name}" in built.stdout
    for _ in range(2):
        pushed = docker(tmp_path, "push", name)
        assert pushed.returncode == 0, pushed.stderr
    assert pushed.stdout.count("is there") == 2
    url = f"http://{host}/v2/team/sluice"
    manifest = json.loads(fetched(f"{url}/manifests/1.0"))
    (layer,) = manifest["layers"]
    blob = fetched(f"{url}/blobs/{layer['digest']}")
    assert layer["digest"] == "sha256:" + hashlib.sha256(blob).hexdigest()
    config = json.loads(fetched(f"{url}/blobs/{manifest['config']['digest']}"))
    assert config["rootfs"]["diff_ids"] == [
        "sha256:" + hashlib.sha256(gzip.decompress(blob)).hexdigest()]
    other = docker(tmp_path, "push", f"{host}/team/sluice:2.0")
    assert other.returncode == 1 and f"the image that was built is {name}" in other.stderr


def test_a_registry_that_wants_a_login_gets_that_of_docker(registry: Registry,
                                                           tmp_path: Path) -> None:
    host = registry(login=True)
    name = f"{host}/sluice:1.0"
    assert docker(tmp_path, "build", name).returncode == 0
    refused = docker(tmp_path, "push", name)
    assert refused.returncode == 1 and f"docker login {host}" in refused.stderr
    (tmp_path / ".docker").mkdir()
    kept = base64.b64encode(LOGIN.encode()).decode()
    (tmp_path / ".docker/config.json").write_text(json.dumps({"auths": {host: {"auth": kept}}}))
    pushed = docker(tmp_path, "push", name)
    assert pushed.returncode == 0, pushed.stderr
    assert json.loads(fetched(f"http://{host}/v2/sluice/manifests/1.0", LOGIN))["layers"]


def test_with_docker_it_does_the_work(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    told = tmp_path / "told"
    (tmp_path / "bin/docker").write_text(f'#!/bin/sh\necho "$@" >> {told}\n')
    os.chmod(tmp_path / "bin/docker", 0o755)
    for verb in ("build", "push"):
        assert docker(tmp_path, verb, "registry.example/sluice:1.0").returncode == 0
    load, push = [line for line in told.read_text().splitlines() if line != "version"]
    assert load == f"load -i {REPOSITORY / 'build/sluice-image.tar'}"
    assert push == "push registry.example/sluice:1.0"


@pytest.mark.parametrize("name", ["sluice", "registry.example:5000/sluice", "sluice@sha256:ab"])
def test_a_name_without_a_tag_is_refused(tmp_path: Path, name: str) -> None:
    refused = docker(tmp_path, "build", name)
    assert refused.returncode == 1 and "is not a name with a tag" in refused.stderr
