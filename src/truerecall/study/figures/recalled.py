"""Whether memory reached the model, what it brought, whether it misled, and how far the marks can be relied on."""

from collections import Counter
from collections.abc import Sequence

from truerecall.study.figures.records import Blocks, Claims, Delivery, Grading, Recalled
from truerecall.study.figures.runs import Taken
from truerecall.study.planned import PlannedQuestion, PlannedSide
from truerecall.study.records import Confirmed, RunRow


def deliveries(taken: Taken) -> list[Delivery]:
    """By side, over all finished runs, controls too."""
    return [
        _delivery(side, [row for row in taken.rows if row.side == side.name]) for side in taken.plan.sides
    ]


def _delivery(side: PlannedSide, rows: Sequence[RunRow]) -> Delivery:
    admissions = [row.admission for row in rows]
    return Delivery(
        side=side.name,
        kind=side.kind,
        runs=len(rows),
        delivered=sum(one.delivered for one in admissions),
        nothing_found=sum(one.nothing_found for one in admissions),
        per_protocol=sum(one.per_protocol for one in admissions),
        tool_calls=sum(one.tool_calls for one in admissions),
        reasons=dict(sorted(Counter(one.reason for one in admissions if not one.per_protocol).items())),
    )


def blocks(taken: Taken) -> list[Blocks]:
    """Of each question and memory side into which something was injected."""
    found = []
    for question in taken.plan.questions:
        for side in taken.sides("memory"):
            hashes = [
                row.admission.block_sha256
                for row in taken.of(question.id, side.name)
                if row.admission.block_sha256
            ]
            if hashes:
                found.append(
                    Blocks(question=question.id, side=side.name, runs=len(hashes), different=len(set(hashes)))
                )
    return found


def recalled(taken: Taken) -> list[Recalled]:
    """By side."""
    return [_recalled(taken, side) for side in taken.plan.sides]


def _recalled(taken: Taken, side: PlannedSide) -> Recalled:
    pairs = [
        (question, row)
        for question in taken.questions
        for row in taken.of(question.id, side.name)
        if row.outcome in ("correct", "wrong") and row.answers
    ]
    wrong = [row for question, row in pairs if any(fact.wrong for fact in question.session_key)]
    first = [
        (len(question.session_key), row.answers[0].session_hits)
        for question, row in pairs
        if question.session_key
    ]
    known = [(facts, hits) for facts, hits in first if hits is not None]
    block_hits, block_facts, block_unknown = _on_block(pairs) if side.kind == "memory" else (0, 0, 0)
    return Recalled(
        side=side.name,
        kind=side.kind,
        runs=len(pairs),
        block_hits=block_hits,
        block_facts=block_facts,
        block_unknown=block_unknown,
        answer_hits=sum(hits for _, hits in known),
        answer_facts=sum(facts for facts, _ in known),
        answer_unknown=len(first) - len(known),
        first_truth_hits=sum(row.answers[0].truth_hits for _, row in pairs),
        last_truth_hits=sum(row.answers[-1].truth_hits for _, row in pairs),
        truth_facts=sum(len(question.truth_key) for question, _ in pairs),
        misled=sum(any(answer.misled for answer in row.answers) for row in wrong),
        misled_of=len(wrong),
    )


def _on_block(pairs: Sequence[tuple[PlannedQuestion, RunRow]]) -> tuple[int, int, int]:
    """Hits, facts, and runs without marks that hold; a run into which nothing was injected has no hit."""
    hits = facts = unknown = 0
    for question, row in pairs:
        if row.block is not None and row.block.state == "invalid":
            unknown += 1
        else:
            facts += len(question.session_key)
            hits += 0 if row.block is None else row.block.hits
    return hits, facts, unknown


def claims(taken: Taken, confirmed: Sequence[Confirmed]) -> list[Claims]:
    """By side; a suspect of which no person has said anything is unconfirmed."""
    said = {(one.question, one.side, one.repeat, one.followups, one.quote): one.verdict for one in confirmed}
    finished = {(row.question, row.side, row.repeat) for row in taken.rows}
    found = []
    for side in taken.plan.sides:
        suspects = sum(
            answer.suspects for row in taken.rows if row.side == side.name for answer in row.answers
        )
        verdicts = [verdict for key, verdict in said.items() if key[1] == side.name and key[:3] in finished]
        wrong, not_wrong = verdicts.count("wrong"), verdicts.count("not wrong")
        found.append(
            Claims(
                side=side.name,
                kind=side.kind,
                suspects=suspects,
                wrong=wrong,
                not_wrong=not_wrong,
                unconfirmed=max(0, suspects - wrong - not_wrong),
            )
        )
    return found


def grading(taken: Taken) -> list[Grading]:
    """By side, over all answers, those of controls too."""
    facts = {question.id: len(question.truth_key) for question in taken.plan.questions}
    found = []
    for side in taken.plan.sides:
        answers = [
            (row.question, answer) for row in taken.rows if row.side == side.name for answer in row.answers
        ]
        twice = [(question, answer.flips) for question, answer in answers if answer.flips is not None]
        found.append(
            Grading(
                side=side.name,
                kind=side.kind,
                answers=len(answers),
                blind_marked=sum(answer.blind == "marked" for _, answer in answers),
                twice=len(twice),
                marks=sum(facts[question] for question, _ in twice),
                flips=sum(flips for _, flips in twice),
            )
        )
    return found
