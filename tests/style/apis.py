"""The APIs as the checks of this folder and tests/deletion know them: where each of them lives, by
which words it is known, and who still names one from outside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where each API has its rows.
REGISTRIES = ("src/api/registry.cpp", "src/sim/apis/registry.cpp")
KNOWN = ROOT / "tests/style/api_names.txt"


@dataclass(frozen=True)
class Api:
    folder: str  # src/api/<folder>, src/sim/apis/<folder>
    scenarios: str  # tests/scenarios/<scenarios>
    words: str  # a pattern of its names, in any case
    needs: tuple[str, ...] = ()  # folders of other APIs that it is built upon
    group: str = ""  # a pattern of its API group, where another API is of the same one

    def folders(self) -> list[str]:
        return [f"src/api/{self.folder}/", f"src/sim/apis/{self.folder}/"]

    def is_named_in(self, text: str) -> bool:
        return re.search(self.words, text, re.IGNORECASE) is not None

    def is_included_in(self, text: str) -> bool:
        return re.search(rf'#include "(api|sim/apis)/{self.folder}/', text) is not None


# Reasons that people read, such as AnalysisRunFailed, are of the engine's gate and not of the API.
ANALYSIS = (r"argoproj|analysis[ _]?run(?!ning|Successful|Failed|Error|Inconclusive)"
            r"|analysis[ _]?template|\bapi(::|/)analysis\b|(?-i:\banalysis::)"
            r"|namespace analysis\b")
FISSILE = "fissile|cloudfoundry"
APIS = (
    Api("pilot", "pilot", r"pilot"),
    Api("phased_rollout", "phasedrollout", r"phased[ _]?rollout|sts\.plus"),
    Api("rollout_plugin", "rolloutplugin", r"rollout[ _]?plugin|argo-rollouts-config",
        needs=("analysis",)),
    Api("analysis", "analysisrun", ANALYSIS),
    Api("stateful_cluster", "statefulcluster", r"stateful[ _]?cluster|enge\.me"),
    Api("extended_stateful_set", "extendedstatefulset", r"extended[ _]?stateful[ _]?set",
        needs=("extended_job", "analysis"), group=FISSILE),
    Api("extended_job", "extendedjob", r"extended[ _]?job", group=FISSILE),
)


def goes_with(api: Api) -> list[Api]:
    """What has to be deleted with it: itself, and whatever is built upon it."""
    return [one for one in APIS if one == api or api.folder in one.needs]


def outsiders(sources: list[Path], is_there) -> dict[str, set[str]]:  # type: ignore[no-untyped-def]
    """The files in which `is_there(api, text)` of an API that they have no business with."""
    found: dict[str, set[str]] = {}
    for path in sources:
        name = str(path.relative_to(ROOT))
        if name in REGISTRIES:
            continue
        text = path.read_text()
        for api in APIS:
            at_home = any(name.startswith(folder) for one in goes_with(api)
                          for folder in one.folders())
            if not at_home and is_there(api, text):
                found.setdefault(name, set()).add(api.folder)
    return found


def groups_outside(sources: list[Path]) -> set[str]:
    """The files in which a group is named that several APIs are of, and that are in no folder of
    these."""
    found = set()
    for path in sources:
        name = str(path.relative_to(ROOT))
        for group in {api.group for api in APIS if api.group}:
            at_home = any(name.startswith(folder) for api in APIS if api.group == group
                          for folder in api.folders())
            if not at_home and re.search(group, path.read_text(), re.IGNORECASE):
                found.add(name)
    return found


def known(section: str) -> dict[str, set[str]]:
    """The outsiders of api_names.txt: those that name an API, or those that include it."""
    rows: dict[str, set[str]] = {}
    at = ""
    for line in KNOWN.read_text().splitlines():
        if line.startswith("["):
            at = line.strip("[]")
        elif line and not line.startswith("#") and at == section:
            name, apis = line.split(":")
            rows[name.strip()] = set(apis.split())
    return rows
