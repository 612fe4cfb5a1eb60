"""How far the counter ``bound-1`` counts over, by kind of text; ``--rebuild`` writes its list of tokens anew.

Needs the extra ``tokens``. ``--write`` keeps the figures as a manifest. Every text is made here or is source code
of Python, but for the turns of a data folder that is named.
"""

import argparse
import base64
import json
import random
import re
import sys
import sysconfig
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rs_bpe.bpe import openai

from truerecall.bench.datasets.reading import read
from truerecall.bench.measured import Column, Figures, FiguresRow, FiguresTable, making, record_json
from truerecall.core.clock import system_clock
from truerecall.models import token_bound
from truerecall.models.tokens import BoundCounter, ExactCounter

LIST = Path(token_bound.__file__).with_name("bound-1.txt")
RECORD = Path(__file__).resolve().parent / "manifests" / "token-counter.json"
Counting = Callable[[str], int]
SIZES = {"cl100k_base": 100_256, "o200k_base": 199_998}
WORDS = 20_000
HEADER = """\
# Tokens that bound-1 looks up; written by benchmarks/token_counter.py --rebuild from the vocabularies
# cl100k_base and o200k_base (published by OpenAI under the MIT licence). "+": both have it. "-": of two or
# three bytes, one has it. Bytes in Python's unicode_escape.
"""


def vocabulary(encoding: str) -> list[bytes]:
    """Every ordinary token of the encoding, the most frequent first."""
    pairs = getattr(openai, encoding)().bpe()
    return [pairs.decode_tokens([token]) for token in range(SIZES[encoding])]


def rebuild() -> None:
    cl100k, o200k = (vocabulary(name) for name in SIZES)
    in_cl100k = set(cl100k)
    both = [token for token in o200k if token in in_cl100k]
    words = [token for token in both if len(token) > 4 and re.fullmatch(rb" ?[A-Za-z]+", token)]
    chosen = {token for token in both if 2 <= len(token) <= 4} | set(words[:WORDS])
    chosen |= {token for token in both if len(token) > 4 and not re.search(rb"[A-Za-z0-9\x80-\xff]", token)}
    either = {token for token in {*cl100k, *o200k} if 2 <= len(token) <= 3} - chosen
    lines = [
        mark + token.decode("latin-1").encode("unicode_escape").decode("ascii")
        for mark, tokens in (("+", chosen), ("-", either))
        for token in sorted(tokens)
    ]
    LIST.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")


PROSE = """\
Yesterday we walked along the harbour until the rain began, and then we hid under the roof of the old fish
market. My sister said that she had applied for the job in Lisbon after all, and that she would hear from
them before the end of the month. I was pleased, though a little sad. We ate soup, counted the boats, and
talked about the summer when our grandfather taught us how to row.
"""
DIALOGUE = """\
Ana: Hey! How was the pottery class last night? Did you finally finish that blue bowl?
Ben: I did! It's a bit crooked, but I'm really proud of it. The teacher says we'll glaze them next week.
Ana: That's awesome, can't wait to see it! By the way, I've booked the cabin for the 14th of October.
Ben: Perfect. Let's bring the board games this time, and don't forget Milo's leash!
"""
# ruff: noqa: RUF001  (other scripts are the point)
SCRIPTS = {
    "German": "Gestern bin ich mit einem Freund ins neue Restaurant gegangen, und das Essen war köstlich.",
    "French": "Hier, je suis allée au marché avec ma sœur ; nous avons acheté des pêches et du fromage.",
    "Russian": "Вчера мы с другом ходили в новый ресторан, и мы решили пойти туда ещё раз через месяц.",
    "Greek": "Χθες πήγα με έναν φίλο σε ένα καινούργιο εστιατόριο και το φαγητό ήταν πολύ νόστιμο.",
    "Hebrew": "אתמול הלכתי עם חבר למסעדה חדשה והאוכל היה טעים מאוד, נחזור לשם בחודש הבא.",
    "Arabic": "ذهبت أمس مع صديقي إلى مطعم جديد وكان الطعام لذيذا جدا، وسنعود إليه في الشهر القادم.",
    "Hindi": "कल मैं अपने दोस्त के साथ एक नए रेस्तरां में गया और खाना बहुत स्वादिष्ट था।",
    "Thai": "เมื่อวานนี้ฉันไปกินข้าวกับเพื่อนที่ร้านอาหารใหม่ อร่อยมาก เราจะไปอีกครั้งเดือนหน้า",
    "Chinese": "我昨天和朋友一起去了一家新餐厅吃饭，味道非常好，我们决定下个月再去一次。",
    "Japanese": "昨日、友達と一緒に新しいレストランに行きました。来月また行くことにしました。",
    "Korean": "어제 친구와 함께 새로운 식당에 갔습니다. 음식이 아주 맛있어서 다음 달에 다시 가기로 했습니다.",
    "emoji": "🎉🎉 great news 👨‍👩‍👧‍👦 ❤️ 😂😂😂 see you 👋🏽 🇵🇹",
}


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of each kind."""
    chance = random.Random(7)
    library = Path(sysconfig.get_paths()["stdlib"])
    yield "English prose", PROSE
    yield "English dialogue", DIALOGUE
    yield (
        "Python",
        "".join((library / name).read_text("utf-8") for name in ("argparse.py", "ast.py", "cmd.py")),
    )
    rows = [{"id": n, "user": f"u{n}", "score": chance.random(), "tags": ["a", "b"]} for n in range(300)]
    yield "JSON", json.dumps(rows)
    yield "JSON, indented", json.dumps(rows, indent=2)
    yield (
        "log lines",
        "".join(
            f"2024-03-{n % 28 + 1:02} 11:{n % 60:02}:07,{chance.randrange(1000):03} WARN [worker-{n % 7}] "
            f"/srv/app/job.py:{n} timed out after {chance.randrange(9000)} ms\n"
            for n in range(300)
        ),
    )
    yield (
        "URLs",
        "".join(f"https://example.org/a/{chance.randrange(10**9)}?q=x%20y&p={n}\n" for n in range(300)),
    )
    yield "ids", "\n".join(str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(300))
    yield "hex", chance.randbytes(8000).hex()
    yield "base64", base64.b64encode(chance.randbytes(12_000)).decode("ascii")
    yield (
        "Markdown rules",
        "\n".join(f"{'#' * (n % 5 + 1)} Part {n}\n{'-' * n}\n| a | b |" for n in range(1, 90)),
    )
    yield from SCRIPTS.items()
    yield (
        "random Unicode",
        "".join(chr(chance.choice((chance.randrange(32, 0x3000), 0x1F600 + n % 60))) for n in range(3000)),
    )


def ratios(name: str, text: Sequence[str], counts: Mapping[str, Counting]) -> FiguresRow:
    """Characters, and how far each way of counting is over; of several texts, their sums."""
    bound, first, second = (sum(counting(each) for each in text) for counting in counts.values())
    most = sum(max(counts["cl100k"](each), counts["o200k"](each)) for each in text)
    characters = sum(len(each) for each in text)
    figures = [bound / first, bound / second, bound / most, characters / 4 / most]
    return FiguresRow(name=name, figures=[characters, *(round(figure, 4) for figure in figures)])


def turns(data: Path) -> list[str]:
    """Every turn of LoCoMo's development split."""
    return [
        turn.text
        for dataset in read(data, split="dev")
        if dataset.name.casefold() == "locomo"
        for conversation in dataset.conversations
        for session in conversation.sessions
        for turn in session.turns
    ]


def measure(data: Path | None) -> Figures:
    """The ratios by kind of text, and the speed."""
    script = "benchmarks/token_counter.py --write" + (" --data DIR" if data else "")
    machine = making(system_clock, script, ("rs-bpe",))
    bound = BoundCounter()
    kinds = dict(texts())
    pace = speed(bound, kinds)
    exact = (ExactCounter("cl100k_base"), ExactCounter("o200k_base"))
    counts = {"bound": bound.count, "cl100k": exact[0].count, "o200k": exact[1].count}
    rows = [ratios(name, [text], counts) for name, text in kinds.items()]
    under: list[FiguresTable] = []
    if data is not None:
        found = turns(data)
        rows.append(ratios("LoCoMo's development split, turn by turn", found, counts))
        below = sum(bound.count(turn) < max(each.count(turn) for each in exact) for turn in found)
        under.append(
            FiguresTable(
                caption="LoCoMo's development split",
                rows_are="what",
                columns=[Column(name="turns", places=0)],
                rows=[
                    FiguresRow(name="counted", figures=[len(found)]),
                    FiguresRow(name="of them under", figures=[below]),
                ],
            )
        )
    names = ("bound-1 ÷ cl100k", "÷ o200k", "÷ the larger", "characters/4 ÷ the larger")
    table = FiguresTable(
        caption="How far it counts over",
        rows_are="text",
        columns=[Column(name="characters", places=0), *(Column(name=name, places=2) for name in names)],
        rows=rows,
    )
    return Figures(
        method="Ratios are exact; the speed is that of one process, measured once.",
        tables=[table, *under, pace],
        making=machine,
    )


def speed(bound: BoundCounter, kinds: Mapping[str, str]) -> FiguresTable:
    """What loading the list costs, and then each text's first count: a second one finds its words known."""
    taken = []
    for text in ("The list of tokens loads with the first text.", *kinds.values()):
        start = time.perf_counter()
        bound.count(text)
        taken.append(time.perf_counter() - start)
    rows = {
        "loading the list, ms": taken[0] * 1000,
        "first count of all texts above, characters per ms": sum(map(len, kinds.values()))
        / sum(taken[1:])
        / 1000,
    }
    return FiguresTable(
        caption="Speed",
        rows_are="what",
        columns=[Column(name="figure", places=0)],
        rows=[FiguresRow(name=name, figures=[round(figure, 1)]) for name, figure in rows.items()],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rebuild", action="store_true", help="write the list of tokens anew")
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/manifests/{RECORD.name}")
    parser.add_argument("--data", type=Path, help="a folder with LoCoMo's file, for a row on its turns")
    options = parser.parse_args(arguments)
    if options.rebuild:
        rebuild()
    made = measure(options.data)
    for table in made.tables:
        print(" | ".join([table.rows_are, *(column.name for column in table.columns)]))
        for row in table.rows:
            print(" | ".join([row.name, *(f"{figure:,.2f}" for figure in row.figures if figure is not None)]))
    if options.write:
        RECORD.write_text(record_json(made), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
