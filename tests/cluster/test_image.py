"""The image that `make image` packs: complete, small, without a shell, the same bytes each time."""

from __future__ import annotations

import json
import subprocess
import tarfile

import pytest

from harness.places import REPOSITORY


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
