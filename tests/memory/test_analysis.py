import json
import random
import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerecall.memory.analysis import (
    ANALYSIS_VERSION,
    STOP_WORDS,
    bigrams,
    content_words,
    dedup_key,
    fold,
    index_text,
    segment,
    tokens,
    words,
)

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=60)
SCRIPTS = {
    "Han": "今天天气很好我们一起去公园散步然后在湖边吃了午饭晚上看了一部老电影",
    "kana": "きょうはとてもいいてんきですねコーヒーをのみながらプログラムをかきました東京タワー",
    "Hangul": "오늘은 날씨가 정말 좋아서 친구와 함께 공원에서 산책하고 점심을 먹었습니다",
    "Thai": "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะแล้วกินข้าวกลางวันด้วยกันน้ำเย็น",
    "emoji": "😂🎉🐱🍕🚀❤⭐🇩🇪🏔👍🎂🌍🐶🔥",
}


def full_text(tokenizer: str) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE f USING fts5(t, tokenize = '{tokenizer}')")
    return db


def matches(db: sqlite3.Connection, terms: list[str]) -> set[int]:
    quoted = " OR ".join(f'"{t[:-1]}"*' if len(t) > 1 and t.endswith("*") else f'"{t}"' for t in terms)
    return {row[0] for row in db.execute("SELECT rowid FROM f WHERE f MATCH ?", (quoted,))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The cat, the DOG", ["the", "cat", "the", "dog"]),
        ("auth_v2.py", ["auth", "v2", "py"]),
        ("她住在 Lisbon", ["她住", "住在", "lisbon"]),
        ("火 and 火", ["火", "and", "火"]),
        ("👍 🎉", []),
        ("", []),
    ],
)
def test_tokens_stand_in_the_order_of_the_text_with_their_repeats(text: str, found: list[str]) -> None:
    assert tokens(text) == found


@given(ANY_TEXT)
def test_tokens_are_the_words_and_the_pairs_but_for_emoji(text: str) -> None:
    without_emoji = index_text(text)

    assert set(tokens(text)) == set(words(text)) | {pair.removesuffix("*") for pair in bigrams(without_emoji)}


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello\x00World", "hello world"),
        ("a\ud800b", "a b"),
        ("Éléve ÅNGSTRÖM", "eleve angstrom"),
        ("Straße İstanbul", "strasse istanbul"),
        ("Ἀθῆναι ΣΟΦΌΣ", "αθηναι σοφοσ"),
        ("Ёлка Йод", "елка иод"),
        ("مُحَمَّد كــتاب", "محمد كتاب"),
        ("Ｆｕｌｌ ｶﾞｷﾞ ①", "full ガギ 1"),
        ("か\u3099 が", "が が"),
        ("हिन्दी", "हिन्दी"),
        ("น้ำ", "น\u0e49\u0e4d\u0e32"),
        ("한국", "한국"),
        ("1️⃣ 👍🏽 👨‍👩‍👧", "1 👍 👨👩👧"),
        ("co\u00adoperate \u200bx", "cooperate x"),
    ],
)
def test_folding_keeps_what_carries_meaning(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(ANY_TEXT)
def test_folding_what_was_folded_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_folding_is_linear_in_runs_of_marks_out_of_order() -> None:
    # Python's own normalisation takes hours for this one.
    assert len(fold("\u0e48\u0e38" * 500_000)) >= 1_000_000
    assert len(fold("\uff9e\u0e48" * 500_000)) >= 1_000_000
    assert fold("Z" + "\u0316\u0301" * 500_000) == "z"


def test_words_split_where_the_index_splits() -> None:
    assert words('don\'t snake_case kebab-case a/b c:d "q" x AND y* x') == (
        ["don", "t", "snake", "case", "kebab", "a", "b", "c", "d", "q", "x", "and", "y"]
    )
    assert words("日本語Python3とRust 😂ok") == ["python3", "rust", "ok"]
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert words(" -*\"'()") == []


@given(ANY_TEXT)
@example("\u19b0\u1cf2")
@example("\u0afaક ક\u0afax")
@example("🌡\U0001f321a")
@example("\ue000a\u0378b")
@settings(max_examples=400, deadline=None)
def test_every_word_of_a_text_hits_the_text(text: str) -> None:
    db = full_text("porter unicode61")
    db.execute("INSERT INTO f(rowid, t) VALUES (1, ?)", (index_text(text),))
    for word in words(text):
        assert matches(db, [word]) == {1}, word


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=60))
@settings(max_examples=200, deadline=None)
def test_the_words_are_the_terms_of_the_index(text: str) -> None:
    db = full_text("unicode61")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')")
    db.execute("INSERT INTO f(t) VALUES (?)", (index_text(text),))
    assert {row[0] for row in db.execute("SELECT term FROM v")} == set(words(text))


def test_a_name_glued_to_another_script_is_found() -> None:
    db = full_text("porter unicode61")
    db.execute("INSERT INTO f(rowid, t) VALUES (1, ?)", (index_text("我用Python写auth.py的代码😂great"),))
    for query in ("Python", "auth.py", "great"):
        assert matches(db, words(query)) == {1}


def test_segments_are_pairs_with_a_break_between_runs() -> None:
    assert segment("Hello") == segment("") == ""
    assert segment("猫") == "猫"
    assert segment("ﾃﾞｰﾀ is 東京都!😂👍🏽") == "デー ータ タ 0 東京 京都 都 0 😂👍 👍"


def test_a_query_is_pairs_or_a_prefix() -> None:
    assert bigrams("東京都の東京 猫 x") == ["東京", "京都", "都の", "の東", "猫*"]
    assert bigrams("❤️ love 👨‍👩‍👧") == ["❤*", "👨👩", "👩👧"]
    assert bigrams("plain") == []


def test_any_substring_finds_its_text() -> None:
    random_ = random.Random(7)
    for text in SCRIPTS.values():
        db = full_text("ascii")
        rows = [
            "".join(random_.sample(text.split(" "), k=len(text.split(" ")))),
            text,
            text[::-1],
            "x " + text,
        ]
        for number in range(50):
            start = random_.randrange(len(text))
            rows.append(text[start : start + 12] + str(number) + text[:start])
        db.executemany("INSERT INTO f(rowid, t) VALUES (?, ?)", [(i, segment(r)) for i, r in enumerate(rows)])
        for _ in range(400):
            row = random_.randrange(len(rows))
            start, length = random_.randrange(len(rows[row])), random_.randint(1, 6)
            terms = bigrams(rows[row][start : start + length])
            if terms:
                assert row in matches(db, terms), (rows[row], start, length)


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_no_query_raises_and_a_text_finds_itself_by_its_pairs(text: str) -> None:
    db = full_text("ascii")
    db.execute("INSERT INTO f(rowid, t) VALUES (1, ?)", (segment(text),))
    terms = bigrams(text)
    assert bool(terms) == bool(segment(text))
    assert all(len(term) == 2 for term in terms)
    if terms:
        assert matches(db, terms) == {1}


def test_a_question_of_stop_words_alone_still_searches() -> None:
    assert content_words(words("Who are you?")) == ["who", "are", "you"]
    assert content_words(words("What's Ann's dog called?")) == ["ann", "dog", "called"]
    assert 120 <= len(STOP_WORDS) <= 180
    assert all(words(word) == [word] for word in STOP_WORDS)


def test_texts_that_differ_in_case_width_or_space_are_duplicates() -> None:
    assert dedup_key("  Café\n\tＯＫ ") == dedup_key("cafe ok") == "cafe ok"


def test_the_analysis_has_a_version() -> None:
    # Raise it with any change of what is indexed: stores are then indexed again.
    assert ANALYSIS_VERSION == 1


LOCOMO = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "locomo" / "dev.json"


@pytest.mark.skipif(not LOCOMO.exists(), reason="the development split is not on this machine")
def test_the_plain_bm25_control_stays_where_it_was_measured() -> None:
    asked = any_ = all_ = 0
    for sample in json.loads(LOCOMO.read_text(encoding="utf-8")):
        db, ids = full_text("porter unicode61"), []
        for name, session in sample["conversation"].items():
            for turn in session if re.fullmatch(r"session_\d+", name) else ():
                caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                ids.append(turn["dia_id"])
                text = index_text(f"{turn['speaker']}: {turn['text']}{caption}")
                db.execute("INSERT INTO f(rowid, t) VALUES (?, ?)", (len(ids), text))
        for question in sample["qa"]:
            gold = {
                f"D{int(a)}:{int(b)}"
                for e in question["evidence"]
                for a, b in re.findall(r"D:?(\d+):(\d+)", e)
            }
            gold &= set(ids)
            if question["category"] == 5 or not gold:
                continue
            query = " OR ".join(f'"{word}"' for word in content_words(words(question["question"])))
            sql = "SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid LIMIT 10"
            found = {ids[row[0] - 1] for row in db.execute(sql, (query,))}
            asked, any_, all_ = asked + 1, any_ + bool(found & gold), all_ + (gold <= found)
    assert asked == 760
    assert any_ / asked == pytest.approx(0.678, abs=0.005)
    assert all_ / asked == pytest.approx(0.5645, abs=0.005)
