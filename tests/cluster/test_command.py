"""The command line: wrong words get a sentence and exit code 2, and nothing is started."""

from __future__ import annotations

import os
import subprocess

import pytest

from harness.places import sluice_binary


def run(*words, **variables):
    return subprocess.run([str(sluice_binary()), *words], capture_output=True, text=True,
                          timeout=60, env={**os.environ, **variables})


@pytest.mark.parametrize("words, sentence", [
    (["operator", "--hook-retry", "soon"], '"soon" is not a duration such as 30s or 5m'),
    (["operator", "--hook-retry", "10d"], "10d is not between 1s and 1d"),
    (["operator", "--allowed-metric-hosts", "prom,ftp://x"],
     '--allowed-metric-hosts: "ftp://x" is not a host, host:port, *.domain or http://host:port'),
    (["operator", "--allowed-metric-hosts", " "], "--allowed-metric-hosts: names no host"),
    (["operator", "--apis", "pilot,mars"], '"mars" is not an API of this binary'),
    (["operator", "--qps", "0"], "--qps"),
    (["operator", "--log-format", "xml"], "--log-format"),
    (["operator", "--nonsense"], "--nonsense"),
    (["demo", "--api", "mars"],
     '"mars" is not an API of this binary; it serves: phasedrollout, rolloutplugin, analysisrun, '
     'statefulcluster, extendedstatefulset, extendedjob, pilot'),
    (["demo", "--speed", "0"], "--speed"),
    (["manifests", "everything"], "everything"),
    (["manifests", "--kube-version", "latest"], "latest"),
])
def test_wrong_words_are_named(words, sentence):
    done = run(*words)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_every_flag_is_also_a_variable():
    done = run("operator", SLUICE_HOOK_RETRY="soon")
    assert done.returncode == 2
    assert '"soon" is not a duration' in done.stderr
    text = run("operator", "--help").stdout
    flags = [word.split("=")[0].rstrip(",") for word in text.split() if word.startswith("--")]
    for flag in set(flags) - {"--help", "--log-level."}:
        variable = "SLUICE_" + flag.lstrip("-").replace("-", "_").upper()
        assert flag in ("-h,--help", "--log-level") or f"(Env:{variable})" in text, flag


@pytest.mark.parametrize("content, sentence", [
    (None, "cannot be read"),
    ("contexts: [", "kubeconfig"),
    ("apiVersion: v1\nkind: Config\ncurrent-context: nowhere\n", "nowhere"),
])
def test_an_unusable_kubeconfig_ends_the_operator_with_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "config"
    if content is not None:
        path.write_text(content)
    done = run("operator", "--kubeconfig", str(path), "--metrics-address", "127.0.0.1:0",
               "--health-address", "127.0.0.1:0")
    assert done.returncode == 1
    assert str(path) in done.stderr and sentence in done.stderr


def test_an_address_that_is_taken_ends_the_operator_with_a_sentence(cluster):
    done = run("operator", "--kubeconfig", str(cluster.kubeconfig),
               "--metrics-address", f"127.0.0.1:{cluster.port}", "--health-address", "127.0.0.1:0")
    assert done.returncode == 1
    assert str(cluster.port) in done.stderr
