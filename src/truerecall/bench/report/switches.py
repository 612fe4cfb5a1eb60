"""The generated blocks of the switches: what is decided, and of each embedder what each row changed."""

from collections.abc import Iterable, Mapping, Sequence

from truerecall.bench.report.design import UNMEASURED, measured_block
from truerecall.bench.report.figures import MISSING, count, counted, number, shown, signed
from truerecall.bench.report.tables import Table, table
from truerecall.bench.report.words import COMPARABILITY
from truerecall.bench.switches import (
    FIRST,
    NAMED,
    Decision,
    SwitchBase,
    Switches,
    SwitchFigure,
    SwitchRow,
    SwitchTable,
)
from truerecall.bench.systems.protocol import Setting

SWITCHES = "switches"
"""The manifest, without its ending, and the block of the figures."""
DECIDED = "decided switches"
"""The block of the verdicts."""


def decided_block(file: str, switches: Switches | None) -> str:
    """What is decided of each switch."""
    if switches is None:
        return UNMEASURED
    heads = [
        "switch",
        "ships as",
        "measured at",
        *(f"changed, {_model(one)}" for one in switches.tables),
        "verdict",
    ]
    rows = [_decided(one, switches) for one in switches.decisions]
    tables = [table(f"What is decided; {_data(switches)}", heads, rows)]
    told = (
        f"{switches.rule} Changed are the questions with another list, of {count(switches.n)}, at the value that "
        f"changed most. Rows looked at: {count(switches.looked_at)}. {_resumed(switches)}"
    )
    return measured_block(file, tables, told.strip(), switches.making)


def switches_block(file: str, switches: Switches | None) -> str:
    """The figures of every row."""
    if switches is None:
        return UNMEASURED
    tables = [made for one in switches.tables for made in _tables(one, switches)]
    return measured_block(file, tables, f"{switches.method} {COMPARABILITY}", switches.making)


def _decided(one: Decision, switches: Switches) -> list[str]:
    rows = [
        [row for row in found.rows if row.switch == one.switch and row.decides] for found in switches.tables
    ]
    # The most that any value changed: the lists of two values may differ at other questions.
    changed = [max((row.n - row.identical_lists for row in own), default=None) for own in rows]
    at = f" at {', '.join(map(_value, one.at))}" if one.at else ""
    return [
        one.switch,
        _value(one.shipped),
        ", ".join(map(_value, one.looked_at)),
        *(MISSING if amount is None else count(amount) for amount in changed),
        f"{one.verdict}{at}",
    ]


def _tables(one: SwitchTable, switches: Switches) -> Iterable[Table]:
    names = [figure.name for figure in one.rows[0].figures]
    yield table(
        f"What rows are held against: {_data(switches)}, {_model(one)}; out-of-fold",
        ["base", *map(_head, names)],
        [(_base(base), *(number(base.means[name]) for name in names)) for base in one.bases],
    )
    yield from _named_tables(one, [_head(name) for name in names if name in NAMED])
    yield from _further_tables(one, names)


def _named_tables(one: SwitchTable, heads: Sequence[str]) -> Iterable[Table]:
    """The named figures of the rows, and of the switches with their value chosen blind."""
    yield table(
        "Differences to the base, with p; * the same sign in every conversation",
        ["row", *heads, "least Holm p", f"same first {FIRST}", "same lists", "by itself"],
        [
            (
                _row(row),
                *(_change(figure) for figure in row.figures if figure.name in NAMED),
                _least(row.figures),
                f"{count(row.identical)} of {count(row.n)}",
                f"{count(row.identical_lists)} of {count(row.n)}",
                row.verdict,
            )
            for row in one.rows
        ],
    )
    yield table(
        "With the value chosen without the conversation that it is measured on, by the others",
        ["switch", *heads, "least Holm p", "chosen"],
        [
            (
                blind.switch,
                *(_change(figure) for figure in blind.figures if figure.name in NAMED),
                _least(blind.figures),
                ", ".join(f"{name}: {_value(value)}" for name, value in blind.chosen.items()),
            )
            for blind in one.blind
        ],
    )


def _further_tables(one: SwitchTable, names: Sequence[str]) -> Iterable[Table]:
    """By type of question, what n could show, and what the lanes gave."""
    sizes = {figure.name: figure.n for figure in one.rows[0].figures}
    moved = [row for row in one.rows if row.identical_lists < row.n]
    typed = [name for name in names if name not in NAMED]
    yield table(
        "The same by type of question, with p not adjusted: reported only",
        ["row", *(f"{_head(name)} (n {count(sizes[name])})" for name in typed)],
        [(_row(row), *(_change(f) for f in row.figures if f.name in typed)) for row in moved],
    )
    yield table(
        "The smallest difference that so many questions could show, by how many of them changed",
        ["row", *map(_head, names)],
        [(_row(row), *(number(f.change.smallest) for f in row.figures)) for row in moved],
    )
    yield table(
        "What the lanes gave: candidates in the mean, and why none",
        ["row", "lane", "candidates", "questions without", "it said"],
        [
            (
                _row(row),
                lane.name,
                number(lane.candidates, 1),
                count(lane.empty),
                "; ".join(f"{note} ({counted(times, 'question')})" for note, times in lane.notes.items())
                or MISSING,
            )
            for row in one.rows
            for lane in row.lanes
            if row.reference and row.decides
        ],
        words=2,
    )


def _data(switches: Switches) -> str:
    return (
        f"{switches.dataset}, {switches.split} split, {counted(switches.n, 'question')} in "
        f"{counted(switches.conversations, 'conversation')}"
    )


def _model(one: SwitchTable) -> str:
    return f"with {one.embedder}" if one.embedder else "no model"


def _resumed(switches: Switches) -> str:
    told = [
        f"{counted(one.count, 'configuration')} had been measured by a run that was stopped, at commit "
        f"{(one.commit or 'unknown')[:12]}{' with uncommitted changes' if one.dirty else ''}."
        for one in switches.resumed
    ]
    return " ".join(told)


def _base(base: SwitchBase) -> str:
    return _settings(base.settings) or "as shipped"


def _row(row: SwitchRow) -> str:
    own = row.switch if row.switch not in row.settings else _settings(row.settings)
    beside = f", beside {_settings(row.base)}" if row.base else ""
    return f"{own}{' (reference)' if row.reference else ''}{beside}"


def _settings(values: Mapping[str, Setting]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in values.items())


def _value(value: Setting) -> str:
    if value is None or isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _head(name: str) -> str:
    """A figure's name as a column's head."""
    level, _, metric = name.rpartition(" ")
    return f"{level[:1].upper()}{level[1:]} {shown(metric)}"


def _change(figure: SwitchFigure) -> str:
    change = figure.change
    return f"{signed(change.difference)}{'*' if change.same_sign else ''} (p {change.p:.2g})"


def _least(figures: Iterable[SwitchFigure]) -> str:
    found = [figure.change.p_holm for figure in figures if figure.change.p_holm is not None]
    return f"{min(found):.2g}" if found else MISSING
