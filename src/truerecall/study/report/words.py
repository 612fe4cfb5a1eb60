"""The sentences of a study's report that hold for every study."""

SCRIPTED = (
    "What the solver, the rewriter and the judge say here is written in a file. The command line, the memory, the "
    "hooks, the tools, the audit and the accounting are real: this report proves the wiring, and its figures say "
    "nothing about memory."
)

MEANINGS = (
    (
        "to the first correct answer",
        "All that a run had used when it first gave every fact of the truth key: the recalled text, every follow-up, "
        "and on the redo side the repeated investigation. Not the grading, which is never a side's cost.",
    ),
    (
        "tokens",
        "Everything sent and received, cached and uncached alike. Not money: a cached token costs a fraction.",
    ),
    (
        "cost",
        "US dollars by usage of each call and the dated price table. Never the sum that the solver itself tells, which "
        "is cumulative. The uncached cost leaves caches out, for those depend on the order of the runs.",
    ),
    (
        "median",
        "Over the repeats of a question. A run that was never correct counts as infinity; where that is half of them, "
        "the median is not reached.",
    ),
    (
        "saved",
        "Memory's median against the cheaper of none and redo, among those whose median is reached. The smaller of two "
        "noisy medians lies too low on average, so savings are biased down. No saving is printed where memory, or both "
        "others, did not get there; success and the cost per correct answer stand beside it because of that.",
    ),
    (
        "cost per correct answer",
        "All that the runs of a side spent, failures too, by its correct runs. Attempts that were thrown out stand "
        "beside.",
    ),
    (
        "per-protocol",
        "Only runs that were what their side says: the recalled block is proven to have reached the model, or, without "
        "memory, that none did. The headline counts all runs as they were: a plugin that fails is a result.",
    ),
    (
        "truth key, session key",
        "Facts that somebody checked at the commit decide what is correct. What the original session concluded is held "
        "against the recalled block and the answer apart: did recall deliver it? Where it is not so and an answer "
        "repeats it, memory misled.",
    ),
    (
        "intervals",
        "Of savings by resampling questions, and none with fewer than six. Of success by Wilson, as if runs were "
        "independent, which repeats of a question are not: they are narrower than they should be.",
    ),
)


def unfinished(finished: int, planned: int) -> str:
    """What must stand above a report that is made before the end."""
    return f"Only {finished} of {planned} planned runs are finished: nothing here is a result yet."
