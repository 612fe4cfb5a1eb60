"""What the gate says: a line a figure, and one verdict over all."""

from typing import Literal

from pydantic import Field

from truerecall.bench.gate.margins import Dimension
from truerecall.bench.manifest import Record
from truerecall.measure.noninferiority import Verdict


class Line(Record):
    """One figure, before and now."""

    dimension: Dimension
    dataset: str
    row: str
    before: float | None
    now: float | None
    change: float | None = Field(
        description="Now less before, of retrieval and accuracy; else as a share of before."
    )
    low: float | None
    high: float | None
    margin: float
    verdict: Verdict
    n: int | None = Field(default=None, description="Pairs of questions, or repeats of a latency.")
    needed: int | None = Field(default=None, description="About as many as could tell, where n cannot.")
    why: str = ""


class GateReport(Record):
    """All lines."""

    kind: Literal["gate report"] = "gate report"
    system: str
    wiring_proof: bool
    lines: list[Line] = Field(min_length=1)
    notes: list[str]

    @property
    def verdict(self) -> Verdict:
        """Regressed where one line is; pass where all do."""
        found = {line.verdict for line in self.lines}
        if "regressed" in found:
            return "regressed"
        return "pass" if found == {"pass"} else "cannot tell"

    def exit_code(self, strict: bool) -> int:
        """1 where something regressed; under ``strict`` also where something cannot be told."""
        return int(self.verdict == "regressed" or (strict and self.verdict != "pass"))


def report_text(report: GateReport) -> str:
    """A table for a terminal, and what cannot be told with what could."""
    lines = [
        f"The gate: {report.system} now against its baseline.",
        *(["Wiring proof, not a result."] if report.wiring_proof else []),
        "",
        f"{'verdict':<12} {'figure':<36} {'before':>10} {'now':>10} {'change':>9}  {'interval':<21} margin",
    ]
    at = ""
    for line in report.lines:
        if (place := f"{line.dimension} {line.dataset}") != at:
            at = place
            lines.append(place)
        lines.append(_row(line))
        if line.why and line.verdict != "pass":
            lines.append(f"{'':<12} {line.why}")
    counts = {verdict: sum(one.verdict == verdict for one in report.lines) for verdict in _ORDER}
    lines += ["", *report.notes, ", ".join(f"{count} {verdict}" for verdict, count in counts.items())]
    return "\n".join(line.rstrip() for line in lines) + f"; the gate: {report.verdict}"


_ORDER: tuple[Verdict, ...] = ("pass", "regressed", "cannot tell")


def _row(line: Line) -> str:
    relative = line.dimension in ("latency", "cost", "size")
    bounds = ""
    if line.low is not None and line.high is not None and line.low != line.high:
        bounds = f"{_change(line.low, relative)} to {_change(line.high, relative)}"
    sign = "+" if relative else "-"
    return (
        f"{line.verdict:<12} {line.row:<36} {_figure(line.before):>10} {_figure(line.now):>10} "
        f"{_change(line.change, relative):>9}  {bounds:<21} {_change(line.margin, relative).replace('+', sign)}"
    )


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.4g}"


def _change(value: float | None, relative: bool) -> str:
    if value is None:
        return "-"
    return f"{100 * value:+.1f}%" if relative else f"{value:+.3f}"
