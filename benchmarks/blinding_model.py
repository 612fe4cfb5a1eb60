"""Makes the weights with which ``study/blind/learned.py`` tells a source from a claim; ``--write`` keeps them.

It learns from ``benchmarks/blinding_bank``: ways to name a source, each put around claims, and claims that only sound
like one. Of each sentence all pieces that may be cut are weighed against each other and against cutting nothing (a
conditional log-linear model with a ridge, found by L-BFGS). ``--validate`` learns from one half of the bank and says
what it makes of the other, which nobody looked at; the halves are told by a hash of the line.
"""

import argparse
import hashlib
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from truerecall.study.blind import learned
from truerecall.study.blind.features import BUCKETS, of_segment, of_words
from truerecall.study.blind.learned import SCALE, WEIGHTS
from truerecall.study.blind.lexicon import Part, Word, words
from truerecall.study.blind.parts import sentences, view
from truerecall.study.blind.rules import BRACKETS, FOOTNOTE, NOTHING, plain, whole_line
from truerecall.study.blind.segments import Segment, segments

ROOT = Path(__file__).resolve().parents[1]
BANK = ROOT / "benchmarks" / "blinding_bank"
SEED = 20261201
RIDGE = 1.0
STEPS = 120
CLAIM = 2.0
"""How much a claim weighs that must stay whole, beside a source that must go."""
SAMPLES = 3
"""Ways in which the slots of a pattern are filled."""
_FINITE = re.compile(
    r" (?:is|are|was|has|have|does|do|must|can|may|will|keeps|returns|needs|takes|holds|stays|reads|writes) "
)
_FILLS = re.compile(
    r"(?!.*…)(?:The|A|An|Each|Every|No|All|Both|Only|It|There|One|Two|Any|If|When|After|Before|In|On|By default)\b"
    r"|`|(?!Those|This|Its|Sources)[A-Z][a-z]+s (?:are|may|must|have|do|can) "
)
"""How a claim begins that reads well after any beginning."""
_SLOT = re.compile(r"\{(\w+)\}")
_INSERTED = re.compile(r"^… *([,\u2014\u2013(-].*)$")
_LEADING = re.compile(r"^((?:As|According|Per|From|Going|Judging|In|By|To|Based|After|Having) .*), …$")
_ENDING = re.compile(
    r"^… *(?:,|[\u2014\u2013-]|\() *((?:as|according|per|from|going|judging|by|based|in|after) .*?)[.)]*$"
)
_OPEN, _BAD, _GOOD, _PART = range(4)


@dataclass(frozen=True, slots=True)
class Text:
    """A text that was put together, with the places of its claims."""

    text: str
    claims: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Rows:
    """What is learnt from: the pieces of all texts; a group is one sentence, heading, footnote or pair of brackets."""

    features: list[list[int]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    """Of each piece: holds a claim, is a whole source, or is a part of one."""
    weights: list[float] = field(default_factory=list)
    """Of each group."""

    def add(
        self, told: Sequence[Word], found: Sequence[Segment], claimed: Sequence[bool], weight: float
    ) -> None:
        """The pieces of one group; nothing where all that it says is neither."""
        rows = of_words(told)
        runs = _runs(told, claimed)
        for one in found:
            spoken = [at for at in range(one.start, one.end) if not told[at].part & Part.SIGN]
            whole = sum(runs.count(run) for run in {runs[at] for at in spoken})
            mark = (
                _BAD
                if not spoken or any(claimed[at] for at in spoken)
                else _GOOD
                if len(spoken) == whole
                else _PART
            )
            self.features.append(
                [at for row in rows[one.start : one.end] for at in row] + of_segment(told, one)
            )
            self.groups.append(len(self.weights))
            self.marks.append(mark)
        self.weights.append(weight)


def _runs(told: Sequence[Word], claimed: Sequence[bool]) -> list[int]:
    """The number of the run of words without a claim that each word stands in; 0 in a claim and for a sign."""
    found, run, inside = [], 0, False
    for word, claim in zip(told, claimed, strict=True):
        sign = bool(word.part & Part.SIGN)
        if not sign:
            run += not claim and not inside
            inside = not claim
        found.append(0 if sign or claim else run)
    return found


def lines(name: str) -> list[str]:
    """The lines of a file of the bank, without its remarks."""
    read = (BANK / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return list(dict.fromkeys(line for line in read if line.strip() and not line.startswith("# ")))


def filled(pattern: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    """A pattern with a word in each of its slots."""

    def put(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in slots:
            return filled(chance.choice(slots[name]), slots, chance)
        made = filled(chance.choice(slots[name[0].lower() + name[1:]]), slots, chance)
        return made[:1].upper() + made[1:]

    return re.sub(r"(?<=\w) +(?= |$)", "", _SLOT.sub(put, pattern))


def patterns(name: str, chance: random.Random) -> list[str]:
    """The patterns of a file, each filled a few times."""
    slots = {}
    for line in lines("slots"):
        slot, _, given = line.partition(" = ")
        slots[slot] = [one.strip() for one in given.split("|")]
    made = [filled(line, slots, chance) for line in lines(name) for _ in range(SAMPLES if "{" in line else 1)]
    return list(dict.fromkeys(made))


def around(way: str, claim: str, chance: random.Random) -> Text:
    """A way to name a source around a claim, or by itself."""
    way, claim = re.sub(r"… +(?=[,;.])", "…", way.replace("\\n", "\n")), claim.rstrip(".")
    before, found, after = way.partition("…")
    if not found:
        return Text(way, ())
    within = bool(re.search(r"[\w,:;\u2014\u2013\"“-] *$", before)) and not re.search(
        r"[.!?][\"”)]*\s*$|\n\s*$", before
    )
    keeps = before.rstrip().endswith(":") and chance.random() < 0.5
    said = lowered(claim) if within and not keeps else claim
    text = (before + said + after).rstrip()
    text += "" if re.search(r"[.!?:…][\"”)\]*_}]*$", text) else "."
    return Text(text, ((len(before), len(before) + len(said)),))


def inserted(way: str, claim: str, chance: random.Random) -> Text | None:
    """The same within the claim, where it can stand there."""
    claim = claim.rstrip(".")
    verb, ending, leading = _FINITE.search(claim), _INSERTED.match(way), _LEADING.match(way)
    if verb is None or not (ending or leading):
        return None
    said = ending.group(1).rstrip(".") if ending else lowered(leading.group(1) if leading else "")
    if said[0] in ",(":
        said = f"{said}," if said[0] == "," else f" {said}"
    elif said[0] in "\u2014\u2013-":
        said = f" {said} {said[0]}"
    else:
        said = f", {said}," if chance.random() < 0.7 else f" \u2014 {said} \u2014"
    at = verb.start()
    text = f"{claim[:at]}{said}{claim[at:]}."
    return Text(text, ((0, at), (at + len(said), len(text))))


def variants(way: str) -> Iterator[str]:
    """The same words in other places: before a claim, after it, in brackets, as a sentence."""
    if found := _LEADING.match(way):
        said = lowered(found.group(1))
        yield from (f"… , {said}", f"… ({said})", f"… \u2014 {said}")
    elif found := _ENDING.match(way):
        said = found.group(1)
        yield from (f"{said[0].upper()}{said[1:]}, …", f"… ({said})", f"… \u2014 {said}")
    elif found := re.match(r"^([^#>*…]+) that …$", way):
        yield f"{found.group(1)}: …"
    elif found := re.match(r"^([A-Z][^#>*…:]+)\.$", way):
        said = lowered(found.group(1))
        yield from (f"… ({said})", f"… \u2014 {said}", f"… ; {said}")


def lowered(text: str) -> str:
    """As it stands within a sentence: names and code keep their capitals."""
    plain = re.match(r"(?:A|[A-Z][a-z]+(?:[-'][a-z]+)?)(?=[ ,])", text)
    return text[0].lower() + text[1:] if plain else text


def groups(made: Text) -> Iterator[tuple[tuple[Word, ...], list[Segment], list[bool]]]:
    """What the rules look at one by one: brackets, headings, footnotes and sentences."""
    text, seen = made.text, view(made.text)

    def told(start: int, end: int) -> tuple[tuple[Word, ...], list[bool]]:
        found = words(text[start:end], seen[start:end])
        return found, [any(a <= start + one.start < b for a, b in made.claims) for one in found]

    gone: list[tuple[int, int]] = []
    for found in BRACKETS.finditer(seen):
        inner, claimed = told(found.start(1) + 1, found.end(1) - 1)
        yield inner, [Segment("bracket", 0, len(inner), "")] if inner else [], claimed
        gone += [] if any(claimed) else [found.span()]
    for found in FOOTNOTE.finditer(seen):
        inner, claimed = told(*found.span(2))
        yield inner, [Segment("note", 0, len(inner), "")], claimed
        gone.append(found.span())
    for one in sentences(seen):
        if any(a < one.end and one.start < b for a, b in gone):
            continue
        inner, claimed = told(one.start, one.end)
        if whole_line(seen, one):
            yield inner, [Segment("heading", 0, len(inner), "")], claimed
        if one.kind == "prose" or (one.kind == "heading" and made.claims):
            yield inner, list(segments(inner)), claimed


def gathered(ways: Sequence[str], claims: Sequence[str], seed: int, rounds: int) -> Rows:
    """All ways to name a source around claims, and the claims themselves."""
    chance, rows = random.Random(seed), Rows()
    whole = [one for one in claims if _FILLS.match(one)]
    made: list[tuple[Text, float]] = []
    others = [chance.choice(found) for way in ways if (found := list(variants(way)))]
    for way in [*ways, *others]:
        if "…" in way:
            made += [(around(way, chance.choice(whole), chance), 1.0) for _ in range(rounds)]
            made += [(one, 1.0) for one in (inserted(way, chance.choice(whole), chance),) if one]
        else:
            made.append((Text(way.replace("\\n", "\n"), ()), 1.5))
    for claim in claims:
        for _ in range(2 if "…" in claim else 1):
            text = around(claim, chance.choice(whole), chance).text if "…" in claim else claim
            made.append((Text(text, ((0, len(text)),)), CLAIM))
    for one, weight in made:
        for told, found, claimed in groups(one):
            if found:
                rows.add(told, found, claimed, weight)
    return rows


def learnt(rows: Rows) -> NDArray[np.float64]:
    """The weights of all features."""
    held = matrix(rows)
    turned = csr_matrix(held.T)
    group, mark, weight = np.array(rows.groups), np.array(rows.marks), np.array(rows.weights)
    count = len(weight)
    good = mark == _GOOD
    any_good = np.bincount(group, good, count) > 0
    used = (mark != _PART) | any_good[group]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        score = np.where(used, held @ weights.astype(np.float32), -1e9).astype(np.float64)
        top = np.zeros(count)
        np.maximum.at(top, group, score)
        odds, nothing = np.exp(score - top[group]), np.exp(-top)
        total = nothing + np.bincount(group, odds, count)
        wanted = np.where(any_good, np.bincount(group, odds * good, count), nothing)
        wanted = np.maximum(wanted, 1e-300)
        value = (weight * (np.log(total) - np.log(wanted))).sum()
        step = odds / total[group] - np.where(good, odds / wanted[group], 0.0)
        slope = turned @ (weight[group] * step).astype(np.float32)
        return float(value + RIDGE / 2 * weights @ weights), slope.astype(np.float64) + RIDGE * weights

    found = minimize(
        loss, np.zeros(BUCKETS), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 8}
    )
    made: NDArray[np.float64] = found.x
    return made


def matrix(rows: Rows) -> csr_matrix:
    """The features of all pieces, a row each."""
    flat = np.concatenate([np.array(row, dtype=np.int32) for row in rows.features])
    ends = np.cumsum([0, *(len(row) for row in rows.features)])
    made = csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape=(len(rows.features), BUCKETS))
    made.sum_duplicates()
    return made


def first_half(line: str) -> bool:
    """Whether a line is learnt from in a validation."""
    return int(hashlib.sha256(line.encode()).hexdigest(), 16) % 2 == 0


def corpus(half: bool) -> tuple[list[str], list[str]]:
    """All ways and all claims, or the half of the bank that is learnt from in a validation."""
    chance = random.Random(SEED)
    bank = [one for name in ("memory", "investigation") for one in lines(name)]
    claims = lines("claims")
    if half:
        bank, claims = [one for one in bank if first_half(one)], [one for one in claims if first_half(one)]
    # More claims around those that tests pin.
    ways = bank + lines("in_view") * 3
    ways += patterns("memory_patterns", chance) + patterns("investigation_patterns", chance)
    return ways, claims + lines("technical") + patterns("claim_patterns", chance)


def quantised(weights: NDArray[np.float64]) -> NDArray[np.int8]:
    """As they are kept."""
    return np.clip(np.rint(weights * SCALE), -127, 127).astype(np.int8)


def validated(weights: NDArray[np.int8]) -> str:
    """What the rules make, with these weights, of the half of the bank that was not learnt from.

    Says how many ways leave the claim and nothing else, how many take something of it, and how many claims by
    themselves are changed.
    """
    with TemporaryDirectory() as folder:
        learned.WEIGHTS = Path(folder) / "weights.npy"
        np.save(learned.WEIGHTS, weights)
        chance = random.Random(SEED)
        claims = [one for one in lines("claims") if not first_half(one)]
        whole = [one for one in claims if _FILLS.match(one)]
        ways = [one for name in ("memory", "investigation") for one in lines(name) if not first_half(one)]
        exact = taken = 0
        for way in ways:
            made = around(way, chance.choice(whole), chance)
            said = " ".join(_said("".join(made.text[start:end] for start, end in made.claims)))
            left = _said("" if plain(made.text) == NOTHING else plain(made.text))
            exact += " ".join(left) == said
            taken += not set(said.split()) <= set(left)
        changed = [one for one in claims if "…" not in one and plain(one) != one]
    print(*changed, sep="\n")
    return (
        f"{len(ways)} ways: {exact} leave the claim alone, {taken} take of it; "
        f"{len(changed)} of {len(claims)} claims changed"
    )


def _said(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, and with ``--write`` keep the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--validate", action="store_true", help="learn from one half of the bank alone")
    parser.add_argument("--write", type=Path, nargs="?", const=WEIGHTS, help="write the weights")
    options = parser.parse_args(arguments)
    rows = gathered(*corpus(options.validate), SEED, 2)
    weights = quantised(learnt(rows))
    print(f"{len(rows.weights)} groups, {len(rows.features)} pieces, {np.count_nonzero(weights)} weights")
    if options.validate:
        print(validated(weights))
    if options.write:
        np.save(options.write, weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
