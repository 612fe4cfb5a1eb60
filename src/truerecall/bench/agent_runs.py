"""The record of ``make test-agents``: which real command lines were driven, and what came of each test."""

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from truerecall.bench.manifest import Record
from truerecall.errors import RunError


class AgentRun(Record):
    """One test."""

    test: str
    outcome: str = Field(description="passed, failed or skipped.")
    seconds: float = Field(description="Wall time, on a machine that did other things as well.")
    block_characters: int | None = Field(default=None, description="Of the block that reached the model.")
    seconds_each: list[float] | None = Field(default=None, description="Wall time of each prompt.")
    calls: int | None = Field(default=None, description="Of the solver's model, over all runs of a study.")
    denied: list[str] | None = Field(default=None, description="Ways to read outside that were denied.")
    opencode_reads: dict[str, bool] | None = Field(
        default=None, description="Ways to read outside, and whether OpenCode let them through."
    )
    codex_namespace: bool | None = Field(
        default=None, description="Whether this machine gives Codex a namespace that hides what is outside."
    )


class AgentRuns(Record):
    """All of them."""

    kind: Literal["agent-runs"]
    commit: str | None
    dirty: bool | None
    command: str
    platform: str
    python: str
    commands: dict[str, str] = Field(description="What each command line says its version is.")
    interfaces: list[str] = Field(description="Network interfaces that there were: loopback alone.")
    tests: list[AgentRun]


def read_agent_runs(path: Path) -> AgentRuns:
    """The record in a file; ``RunError`` if it is not one of this version."""
    try:
        return AgentRuns.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        raise RunError(
            "the record of the agents' command lines is not one of this version",
            where=path.name,
            remedy=f"Write it anew: make test-agents ARGS='--record benchmarks/manifests/{path.name}'.",
        ) from None
