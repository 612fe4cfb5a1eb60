"""The committed manifests of what was measured of the coding agents' memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.bench.agent_runs import AgentRuns, read_agent_runs
from truerecall.bench.carry.manifest import CarryManifest, read_carried
from truerecall.bench.facts.manifest import FactsManifest, read_facts_manifest
from truerecall.bench.hook_times import HookTimes, read_hook_times

_CARRY = "carry"
"""How the files of carry rates begin."""


@dataclass(frozen=True, slots=True)
class AgentsMeasured:
    """Each None, or empty, where its manifest is not committed."""

    carry: Mapping[str, CarryManifest] = field(default_factory=dict)
    """By the name of their file, without its ending."""
    facts: FactsManifest | None = None
    hook: HookTimes | None = None
    runs: AgentRuns | None = None


def agents_measured(folder: Path) -> AgentsMeasured:
    """Read them from the folder of manifests.

    Raises:
        RunError: one of them is not a manifest of this version.
    """
    facts, hook, runs = (folder / f"{name}.json" for name in ("facts", "hook", "agent-runs"))
    return AgentsMeasured(
        carry={path.stem: read_carried(path) for path in sorted(folder.glob(f"{_CARRY}*.json"))},
        facts=read_facts_manifest(facts) if facts.is_file() else None,
        hook=read_hook_times(hook) if hook.is_file() else None,
        runs=read_agent_runs(runs) if runs.is_file() else None,
    )
