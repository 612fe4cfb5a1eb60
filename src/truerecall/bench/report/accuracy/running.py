"""The chapter on how the figures came about: models, prompts, calibration, calls, prices."""

from collections.abc import Iterable

from truerecall.bench.qa.manifest import QaManifest, Role
from truerecall.bench.report.accuracy.standing import model_name
from truerecall.bench.report.accuracy.words import NO_CALL
from truerecall.bench.report.figures import MISSING, count
from truerecall.bench.report.setting import scalar, setting_text
from truerecall.bench.report.tables import Section, section, table

_STAGES = ("recall", "answer", "judge", "calibrate")


def models(manifest: QaManifest, names: dict[str, str]) -> Section:
    """Which model played which role, and what was requested of it and really sent."""
    roles = table(
        "Roles",
        ["role", "provider", "model", "answered as"],
        [
            (_role(role, names), role.provider, role.model, ", ".join(role.answered_as) or MISSING)
            for role in manifest.roles
        ],
        words=4,
    )
    parameters = table(
        "Parameters",
        ["role", "parameter", "requested", "sent"],
        [row for role in manifest.roles for row in _parameters(role, names)],
        words=4,
    )
    identity = table(
        "What told models apart: sha256 of name and address, of weights, or of a script",
        ["role", "sha256"],
        [(_role(role, names), role.identity) for role in manifest.roles],
        words=2,
        folded=True,
    )
    return section("models", "Models in their roles", (), [roles, parameters, identity])


def calibration(manifest: QaManifest, names: dict[str, str]) -> Section:
    """How each judge did on answers whose verdict is known."""
    rows = [
        (
            model_name(names, made.judge),
            "passed" if made.passed else "NOT PASSED",
            *map(count, (made.n, made.right, made.false_rejects, made.wrong, made.false_accepts)),
            *map(count, (made.invalid, made.failed)),
        )
        for made in manifest.calibrations
    ]
    columns = [
        "judge", "outcome", "answers", "right ones", "of them refused", "wrong ones", "of them accepted", "invalid",
        "failed",
    ]  # fmt: skip
    by_kind = [
        (model_name(names, made.judge), kind, *(count(ends.get(end, 0)) for end in _ENDS))
        for made in manifest.calibrations
        for kind, ends in made.by_kind.items()
    ]
    hashes = sorted({made.items_sha256 for made in manifest.calibrations})
    told = (
        [
            "Answers of our own writing whose verdict is known. A judge passes with at most 10 % of either error and "
            "at most 2 % invalid verdicts.",
            f"Sha256 of the answers: {', '.join(hashes)}.",
        ]
        if rows
        else ["No judge was calibrated: nothing says how often these judges err."]
    )
    return section(
        "calibration",
        "Calibration of the judges",
        told,
        [
            table("Calibration", columns, rows, words=2),
            table("By kind of answer", ["judge", "kind of answer", *_ENDS], by_kind, words=2, folded=True),
        ],
    )


_ENDS = ("accepted", "refused", "invalid", "failed")


def texts(manifest: QaManifest) -> Section:
    """Sha256 of each prompt, each rubric, the overlay of errata and the rows."""
    known = [("errata overlay", manifest.errata_sha256)] if manifest.errata_sha256 else []
    rows = [*sorted(manifest.prompts.items()), *known, ("rows.jsonl", manifest.rows_sha256 or MISSING)]
    made = table("Prompts, rubrics and rows", ["text", "sha256"], rows, words=2)
    return section("texts", "Prompts and rubrics", (), [made])


def calls(manifest: QaManifest) -> Section:
    """What this process asked, and what it found in the stage store."""
    done = manifest.calls
    stages = list(dict.fromkeys([*_STAGES, *done.made, *done.reused]))
    rows = [
        (stage, count(done.made.get(stage, 0)), count(done.reused.get(stage, 0)))
        for stage in stages
        if stage in done.made or stage in done.reused
    ]
    told = [
        f"Asked again after a failure: {count(done.asked_again)}. Begun by an earlier process and never kept, so they "
        f"may have been paid: {count(done.lost)}.",
        NO_CALL,
    ]
    made = table("Calls of the process that made this manifest", ["stage", "made", "reused"], rows)
    return section("calls", "Calls", told, [made])


def _role(role: Role, names: dict[str, str]) -> str:
    return "answer" if role.role == "answer" else f"judge {model_name(names, role.name)}"


def _parameters(role: Role, names: dict[str, str]) -> Iterable[tuple[str, ...]]:
    for name in dict.fromkeys([*role.requested, *role.sent, *role.not_sent]):
        asked = setting_text(name, role.requested[name]) if name in role.requested else MISSING
        if name in role.not_sent:
            given = "not sent"
        else:
            given = ", ".join(setting_text(name, one) for one in role.sent.get(name, ())) or MISSING
        yield _role(role, names), name, asked or scalar(None), given
