"""How far the counter ``bound-1`` counts over, by kind of text; ``--rebuild`` writes its list of tokens anew.

Needs the extra ``tokens``. Prints a Markdown table; every text is made here or is source code of Python.
"""

import argparse
import base64
import json
import random
import re
import sysconfig
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from rs_bpe.bpe import openai

from truerecall.models import token_bound
from truerecall.models.tokens import BoundCounter, ExactCounter

LIST = Path(token_bound.__file__).with_name("bound-1.txt")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rebuild", action="store_true", help="write the list of tokens anew")
    if parser.parse_args().rebuild:
        rebuild()
    counter, exact = BoundCounter(), [ExactCounter("cl100k_base"), ExactCounter("o200k_base")]
    print("| text | characters | bound-1 ÷ cl100k | ÷ o200k | ÷ the larger | characters/4 ÷ the larger |")
    print("|---|---|---|---|---|---|")
    characters = seconds = 0.0
    for name, text in texts():
        start = time.perf_counter()
        count = counter.count(text)
        seconds += time.perf_counter() - start
        characters += len(text)
        first, second = (each.count(text) for each in exact)
        most = max(first, second)
        print(
            f"| {name} | {len(text):,} | {count / first:.2f} | {count / second:.2f} "
            f"| {count / most:.2f} | {len(text) / 4 / most:.2f} |"
        )
    print(f"\n{characters / seconds / 1e6:.1f} million characters a second over all of them.")


if __name__ == "__main__":
    main()
