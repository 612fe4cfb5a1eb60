"""Which questions are asked: all, or a seeded sample by type that is disclosed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from truerecall.bench.datasets.records import Dataset, Question
from truerecall.bench.qa.contexts import asked_of
from truerecall.bench.qa.manifest import Sample
from truerecall.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Drawing:
    """How many questions are drawn of each data set; all where neither is given."""

    sample: int | None = None
    """This many, by type in proportion."""
    per_type: int | None = None
    """This many of each type, or all where it has fewer."""

    def __post_init__(self) -> None:
        if self.sample is not None and self.per_type is not None:
            raise InvalidInput(
                "a sample is drawn by --sample or by --per-type, not by both", remedy="Leave one out."
            )
        for name, value in (("--sample", self.sample), ("--per-type", self.per_type)):
            if value is not None and value < 1:
                raise InvalidInput(f"{value} questions cannot be drawn", where=name, remedy="Give 1 or more.")


def draw(dataset: Dataset, drawing: Drawing, seed: int) -> tuple[frozenset[str], Sample | None]:
    """Ids of the questions that are asked, and what is to be disclosed of a sample.

    The choice depends on the seed and the questions alone: more questions of another type change nothing.
    """
    by_type: dict[str, list[Question]] = {}
    for conversation in dataset.conversations:
        for question in asked_of(conversation):
            by_type.setdefault(question.type, []).append(question)
    everything = sum(map(len, by_type.values()))
    sizes = {kind: len(questions) for kind, questions in by_type.items()}
    if drawing.per_type is not None:
        sizes = {kind: min(size, drawing.per_type) for kind, size in sizes.items()}
    elif drawing.sample is not None:
        sizes = _shares(sizes, min(drawing.sample, everything))
    drawn = {
        kind: sorted(questions, key=lambda question: _lot(seed, question))[: sizes[kind]]
        for kind, questions in by_type.items()
    }
    chosen = frozenset(_ids(drawn.values()))
    if drawing == Drawing():
        return chosen, None
    return chosen, Sample(
        of=everything,
        drawn=sum(sizes.values()),
        seed=seed,
        by_type={kind: size for kind, size in sorted(sizes.items()) if size},
        questions=sorted(chosen),
    )


def _shares(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """``wanted`` in proportion to the sizes, by largest remainder; a tie goes to the first by name."""
    everything = sum(sizes.values())
    shares = {kind: wanted * size // everything for kind, size in sizes.items()}
    short = wanted - sum(shares.values())
    largest = sorted(sizes, key=lambda kind: (-(wanted * sizes[kind] % everything), kind))
    for kind in largest[:short]:
        shares[kind] += 1
    return shares


def _lot(seed: int, question: Question) -> str:
    return sha256(f"{seed}\0{question.id}".encode("utf-8", "surrogatepass")).hexdigest()


def _ids(groups: Iterable[Iterable[Question]]) -> Iterable[str]:
    return (question.id for group in groups for question in group)
