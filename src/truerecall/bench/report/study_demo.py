"""The generated block of docs/study.md: what a demo takes."""

from truerecall.bench.report.design import UNMEASURED
from truerecall.bench.report.figures import counted, number
from truerecall.bench.report.rendering import escape_markdown
from truerecall.bench.study_demo import StudyDemo

STUDY_DEMO = "study-demo"
"""The manifest, and the block."""


def study_demo_block(file: str, made: StudyDemo | None) -> str:
    """The table of the manifest ``file`` in the folder of manifests."""
    if made is None:
        return UNMEASURED
    calls = ", ".join(f"{calls:,} of the {role}" for role, calls in made.grading_calls.items())
    together = "not seen" if made.together_mb is None else f"{made.together_mb:,.0f} MB"
    rows = (
        ("wall time, to the finished report", f"{made.seconds:,.0f} s"),
        ("most memory of one process", f"{made.largest_mb:,.0f} MB"),
        ("most memory of all processes at once", together),
        (
            "runs",
            f"{made.runs}: {counted(made.questions, 'question')} and {counted(made.controls, 'control')}, "
            f"{counted(made.sides, 'side')}, {counted(made.repeats, 'repeat')}",
        ),
        ("attempts thrown out or broken off", f"{made.discarded}"),
        (f"calls of the model by {made.solver}", f"{made.solver_calls:,} with {made.solver_tokens:,} tokens"),
        ("calls that graded", calls or "none"),
    )
    lines = [f"| {escape_markdown(name)} | {escape_markdown(told)} |" for name, told in rows]
    state = " with uncommitted changes" if made.making.dirty else ""
    commit = f", made at commit {made.making.commit[:12]}{state}" if made.making.commit else ""
    load = number(made.making.load, 1)
    machine = f"On {made.making.machine.get('cores')} cores (load average before: {load}). "
    source = f"{machine}{made.method} Manifest: [{file}](../benchmarks/manifests/{file}){commit}."
    return "\n".join(["| what | one demo |", "| --- | ---: |", *lines, "", source, ""])
