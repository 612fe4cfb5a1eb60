"""The sentences of a study's report that hold for every study."""

from collections.abc import Mapping, Sequence

SCRIPTED = (
    "What the solver, the rewriter and the judge say here is written in a file. The command line, the memory, the "
    "hooks, the tools, the audit and the accounting are real: this report proves the wiring, and its figures say "
    "nothing about memory."
)

WHY_NOT_COUNTED: Mapping[str, str] = {
    "outside": "read outside",
    "interrupted": "broken off",
    "failed": "the solver failed",
}
"""Why an attempt does not count, by the reason of its record; the same words wherever it is told."""

MEANINGS = (
    (
        "to the first correct answer",
        "All that a run had used when it first gave every fact of the truth key: the recalled text, every follow-up, "
        "and on the redo side the repeated investigation.",
    ),
    (
        "tokens",
        "Everything sent and received, cached and uncached alike. Not money: a cached token costs a fraction.",
    ),
    (
        "cost",
        "US dollars by the usage of each call and the dated price table. Not the sum that the solver itself tells: "
        "that one is cumulative, and stands beside for comparison alone.",
    ),
    (
        "wall time",
        "Of the solver's processes, hooks included: a memory's side also waits while a finished turn is captured. Of a "
        "script that answers at once little else is left, so a demo shows memory as the slower one.",
    ),
    (
        "median",
        "Over the repeats of a question: as many took more as took less. A run that was never correct took longer than "
        "any that was; where that is half of them, the median is not reached.",
    ),
    (
        "saved",
        "Memory's median against that of the cheaper of none and redo, of those that reached one; below 0 memory took "
        "more. Where memory, or both others, reached none, no saving is printed: success and the cost per correct "
        "answer show those questions.",
    ),
    (
        "cost per correct answer",
        "All that the runs of a side spent, failures too, by its correct runs. Without attempts that were thrown out.",
    ),
    (
        "outcome",
        "Correct: every fact of the truth key. Wrong: every follow-up was used up. Invalid: the judge gave no marks "
        "that hold. Failed: the solver did not answer. Thrown out: it read outside its workspace each time.",
    ),
    (
        "text injected, recalled",
        "By the transcript, a text of a memory (of a placebo: the neutral text) was put before the model. Not that it "
        "was right, or of use.",
    ),
    (
        "per-protocol",
        "Runs that were what their side says: it is proven that a text of the memory reached the model, or, without a "
        "memory, that none did. The headline counts all runs as they were: a plugin that fails is a result.",
    ),
    (
        "truth key, session key",
        "Facts that somebody checked at the commit decide what is correct. What the original session concluded is held "
        "against the recalled text and the answer apart: did recall deliver it?",
    ),
    (
        "wrong claims",
        "What an answer says besides the facts of the key and a person found to be wrong. They do not decide what is "
        "correct.",
    ),
    (
        "intervals",
        "95 %. Of savings: of the mean, by drawing whole questions again and again. Of success: Wilson's, of so many "
        "runs.",
    ),
)


def unfinished(finished: int, planned: int) -> str:
    """What must stand above a report that is made before the end."""
    runs = "run is" if finished == 1 else "runs are"
    return f"Only {finished} of {planned} planned {runs} finished: nothing here is a result yet."


def asked_elsewhere(roles: Sequence[str]) -> str:
    """What must stand above a report of models that somebody else than their provider may have answered for."""
    names = [f"the {role}" for role in roles]
    told = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    own, there = ("was", "its provider's") if len(names) == 1 else ("were", "their providers'")
    return f"{told.capitalize()} {own} asked at another address than {there} own: what answered there may be any model."
