"""The manifests of a checkout that are published, by the names of their files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.bench.ablation import Ablation, read_ablation
from truerecall.bench.budgets import Budgets, read_budgets
from truerecall.bench.claims.manifest import ClaimsManifest, read_claims
from truerecall.bench.compare import CompareReport
from truerecall.bench.headtohead.manifest import HeadToHead, read_head_to_head
from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.measured import Figures, Sweep, read_figures, read_sweep
from truerecall.bench.qa.folder import read_qa_manifest
from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.report.against import PREFIX, read_comparison
from truerecall.bench.report.agents_measured import AgentsMeasured, agents_measured
from truerecall.bench.report.claims import CLAIMS, SUITE
from truerecall.bench.report.published import PUBLISHED, Published, read_published
from truerecall.bench.report.study_demo import STUDY_DEMO
from truerecall.bench.report.switches import SWITCHES
from truerecall.bench.run import read_manifest
from truerecall.bench.speed import Speed, read_speed
from truerecall.bench.study_demo import StudyDemo, read_study_demo
from truerecall.bench.suite.manifest import SuiteManifest, read_suite
from truerecall.bench.switches import Switches, read_switches

FOLDER = Path("benchmarks", "manifests")
"""Where manifests are committed, below the root of the repository."""

DEFAULT = "locomo-dev"
"""The manifest of the memory as `pip install truerecall` gives it."""
LOCAL = "locomo-dev-local"
"""The manifest of the memory with the models of the extra `local`."""

SWEEP = "sweep-"
"""How the files of sweeps begin."""
FIGURES = ("token-counter", "local-models", "text-analysis", "full-size", "blinding")
"""The manifests of the scripts in benchmarks/ that measure our own speed and sizes."""
SPEED = ("speed", "ingestion", "concurrency", "every-lane")
"""Those of the scripts that hold bars."""
ABLATION = "ablation"
"""What each part of recall is worth."""

ACCURACY = "qa-"
"""How the files of accuracy runs begin."""
HEAD_TO_HEAD = "head-to-head"
"""How the files of head-to-heads begin."""

_RETRIEVAL = ("locomo-", "longmemeval-")


@dataclass(frozen=True, slots=True)
class Committed:
    """The manifests of a checkout that are published."""

    retrieval: Mapping[str, RetrievalManifest] = field(default_factory=dict)
    """By the name of their file, without its ending."""
    budgets: Budgets | None = None
    comparisons: Mapping[str, CompareReport] = field(default_factory=dict)
    """With plain BM25, by the name of the compared run's manifest."""
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    """By the name of their file."""
    figures: Mapping[str, Figures] = field(default_factory=dict)
    """By the name of their file."""
    speed: Mapping[str, Speed] = field(default_factory=dict)
    """By the name of their file."""
    ablation: Ablation | None = None
    switches: Switches | None = None
    claims: ClaimsManifest | None = None
    suite: SuiteManifest | None = None
    accuracy: Mapping[str, QaManifest] = field(default_factory=dict)
    """By the name of their file."""
    head_to_heads: Mapping[str, HeadToHead] = field(default_factory=dict)
    """By the name of their file."""
    published: Published | None = None
    study_demo: StudyDemo | None = None
    agents: AgentsMeasured = field(default_factory=AgentsMeasured)


def committed(folder: Path) -> Committed:
    """Read the published manifests of ``folder``; files of other names are left alone.

    Raises:
        RunError: one of them is not a manifest of this version.
    """
    files = sorted(folder.glob("*.json"), key=lambda path: path.stem)
    path, ablated = folder / "budgets.json", folder / f"{ABLATION}.json"
    switched = folder / f"{SWITCHES}.json"
    claimed, tried = folder / f"{CLAIMS}.json", folder / f"{SUITE}.json"
    told, shown = folder / f"{PUBLISHED}.json", folder / f"{STUDY_DEMO}.json"
    return Committed(
        retrieval={path.stem: read_manifest(path) for path in files if path.stem.startswith(_RETRIEVAL)},
        budgets=read_budgets(path) if path.is_file() else None,
        comparisons={
            path.stem.removeprefix(PREFIX): read_comparison(path)
            for path in files
            if path.stem.startswith(PREFIX)
        },
        sweeps={path.stem: read_sweep(path) for path in files if path.stem.startswith(SWEEP)},
        figures={path.stem: read_figures(path) for path in files if path.stem in FIGURES},
        speed={path.stem: read_speed(path) for path in files if path.stem in SPEED},
        ablation=read_ablation(ablated) if ablated.is_file() else None,
        switches=read_switches(switched) if switched.is_file() else None,
        claims=read_claims(claimed) if claimed.is_file() else None,
        suite=read_suite(tried) if tried.is_file() else None,
        accuracy={path.stem: read_qa_manifest(path) for path in files if path.stem.startswith(ACCURACY)},
        head_to_heads={
            path.stem: read_head_to_head(path) for path in files if path.stem.startswith(HEAD_TO_HEAD)
        },
        published=read_published(told) if told.is_file() else None,
        study_demo=read_study_demo(shown) if shown.is_file() else None,
        agents=agents_measured(folder),
    )
