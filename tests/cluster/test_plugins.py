"""Both example plugins, driven by the operator's own PluginCaller. They need no control plane."""

from __future__ import annotations

import os
import subprocess

from harness.places import REPOSITORY

DRIVER = REPOSITORY / "build/release/tests/cluster/drive_plugins"
WEIGHTS_FILE = REPOSITORY / "build/release/examples/plugins/weights-file"


def queue_consumers() -> str:
    built = subprocess.run([str(REPOSITORY / "tools/plugins/build")], capture_output=True,
                           text=True, timeout=900)
    assert built.returncode == 0, built.stderr[-4000:]
    return built.stdout.strip() + "/queue-consumers"


def test_the_operator_speaks_with_real_plugins() -> None:
    for program in (DRIVER, WEIGHTS_FILE):
        assert program.exists(), f"{program} is missing: run `tools/build release all`"
    done = subprocess.run([str(DRIVER)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "SLUICE_TEST_WEIGHTS_FILE": str(WEIGHTS_FILE),
                               "SLUICE_TEST_QUEUE_CONSUMERS": queue_consumers()})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "[  PASSED  ] 20 tests" in done.stdout


def test_a_plugin_that_a_person_starts_by_hand_says_what_it_is() -> None:
    done = subprocess.run([queue_consumers()], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "plugin" in done.stdout + done.stderr
