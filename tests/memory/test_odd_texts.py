"""Any text is kept as it was given, and found again by what stands in it."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from whole_store import Opener, texts

from truerecall import ManualClock, Memory

anything = st.text(st.characters(codec=None, exclude_categories=[]), max_size=60)


def stored(memory: Memory, text: str) -> str:
    (result,) = memory.remember(text)
    assert result.status == "stored"
    return memory.get(str(result.id)).text


@pytest.mark.parametrize(
    "text",
    ["before\x00after heron", "\x00\x00heron", "heron\x00", "a\r\nb heron", " heron ", "heron\ufeff", "\u202eheron",
     "{\"name\": \"heron\", \"note\": \"caf\\u00e9\"}", "'; DROP TABLE entry; -- heron", "heron \\ \" ' ` % _ *"],
)  # fmt: skip
def test_a_text_is_stored_as_it_was_given(memory: Memory, text: str) -> None:
    assert stored(memory, text) == text
    assert texts(memory.recall("heron")) == [text]


def test_text_after_a_nul_is_found(memory: Memory) -> None:
    stored(memory, "before\x00the heron after")

    assert texts(memory.recall("heron")) == ["before\x00the heron after"]
    assert texts(memory.recall("her\x00on before")) == ["before\x00the heron after"]


def test_texts_that_differ_only_after_a_nul_are_two(memory: Memory) -> None:
    assert [r.status for r in memory.remember(["a\x00b", "a\x00c", "a"])] == ["stored"] * 3


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("bad \ud800 half", "bad \ufffd half"),
        ("\udfff", "\ufffd"),
        ("\ud83d\ude00 heron", "\U0001f600 heron"),
    ],
)
def test_a_lone_surrogate_is_replaced_and_a_pair_is_joined(
    memory: Memory, given_text: str, kept: str
) -> None:
    assert stored(memory, given_text) == kept


def test_a_lone_surrogate_in_a_name_of_the_source_is_storable(memory: Memory) -> None:
    (result,) = memory.remember("x", session="s\ud800", speaker="\udc00", channel="\ud800")

    assert memory.get(str(result.id)).source.session == "s\ufffd"


def test_a_lone_surrogate_in_a_correction_is_storable(memory: Memory) -> None:
    (result,) = memory.remember("x")

    assert memory.correct(str(result.id), "y \ud800").status == "stored"


@pytest.mark.parametrize("embedder", ["none", "hashing"])
def test_a_turn_of_ten_megabytes_is_kept_whole_and_found_by_its_last_word(
    opened: Opener, embedder: str
) -> None:
    memory = opened(embedder=embedder)
    text = "the quick heron waits " * 480_000 + "zanzibarbecue"
    assert len(text) > 10_000_000
    memory.remember("something else altogether")

    assert stored(memory, text) == text
    recalled = memory.recall("zanzibarbecue", limit=1)
    assert recalled.hits[0].entry.text == text
    assert 0 < recalled.block.tokens <= 2000


def test_a_long_text_is_found_by_the_meaning_of_its_end(opened: Opener) -> None:
    memory = opened(embedder="hashing")
    filler = " ".join(f"filler{number}" for number in range(3000))
    memory.remember([f"{filler} barometers", *(f"unrelated {number}" for number in range(5))])
    hit = memory.recall("barometer").hits[0]

    assert hit.entry.text.endswith("barometers")
    assert hit.lanes["vector"].rank == 1


QUERIES_AND_TEXTS = [
    ("東京", "彼女は東京に住んでいます"),
    ("住ん", "彼女は東京に住んでいます"),
    ("北京", "我去年搬到了北京。"),
    ("京", "我去年搬到了北京。"),
    ("서울", "저는 서울에서 일합니다"),
    ("ภาษา", "ฉันกำลังเรียนภาษาไทยอยู่"),
    ("ខ្មែរ", "ខ្ញុំរៀនភាសាខ្មែរ"),
    ("مدرسة", "ذهبت إلى مدرسة جديدة"),
    ("مَدْرَسَة", "ذهبت إلى مدرسة جديدة"),
    ("ΑΘΗΝΑ", "Μένω στην Αθήνα εδώ και χρόνια"),
    ("москва", "Я живу в городе Москва"),
    ("दिल्ली", "मैं दिल्ली में रहता हूँ"),
    ("שלום", "אמרתי שָׁלוֹם לכולם"),
    ("cafe", "We met at the Café de Flore"),
    ("CAFÉ", "We met at the cafe"),
    ("strasse", "Sie wohnt in der Goethestraße, die Straße ist ruhig"),
    ("👩‍🚀", "my sister is a 👩‍🚀 now"),
    ("👍🏽", "she answered 👍"),
    ("🇯🇵", "back from 🇯🇵 last week"),
    ("parse_config", "関数parse_configを修正した"),
    ("修正", "関数parse_configを修正した"),
    ("v2.3.1", "版本v2.3.1发布了"),
    ("auth.py", "the bug is in auth.py line 7"),
    ("AUTH-1234", "ticket AUTH-1234 is done"),
    ("don't", "they don't know"),
    ("ﬁnal", "the final answer"),
    ("１２３", "room 123"),
]


@pytest.mark.parametrize(("query", "text"), QUERIES_AND_TEXTS)
def test_a_word_of_any_script_is_found(memory: Memory, query: str, text: str) -> None:
    memory.remember([text, "something else in plain English", "quelque chose d'autre"])

    assert texts(memory.recall(query))[:1] == [text]


ODD = [
    "", " ", "\x00", "\ud800", '"', "'", "\\", "*", "^", "(", ")", "()", "-", "--", "+", ":", "text:heron", "{a b}: c",
    "AND", "OR", "NOT", "NEAR", "a AND", "NOT a", "a OR OR b", "NEAR(a b, 2)", "a*", '"a" *', '"unclosed', "a-b", "a/b",
    "what's", "C++", "c#", "don't-know", "rowid:1", "%", "_", "😀", "👩‍👩‍👧‍👦", "\u200d", "\ufeff", "京", "ก", "a\x00b",
    "'; DROP TABLE entry; --", "\u0301" * 100, "\U0010ffff", "\ue000", "\u1cf2", "0", "-1", "NULL",
]  # fmt: skip


@pytest.fixture(scope="module")
def searched() -> Memory:
    clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
    memory = Memory.open(":memory:", embedder="hashing", clock=clock, seed=1)
    memory.remember(["a heron stands AND waits", "b NOT c OR near", "東京 and ภาษา 😀", *ODD[2:]])
    return memory


@pytest.mark.parametrize("query", ODD)
def test_an_odd_string_is_a_legal_query(searched: Memory, query: str) -> None:
    assert len(searched.recall(query, limit=3).hits) <= 3


@settings(max_examples=300)
@given(anything)
@example('"' * 500)
@example("NEAR(" * 50)
@example("heron " * 17_000)
@example("東京" * 25_000)
@example("x" * 100_000)
def test_any_string_is_a_legal_query(searched: Memory, query: str) -> None:
    recalled = searched.recall(query, limit=3)

    assert len(recalled.hits) <= 3
    assert recalled.block.tokens <= 2000


@settings(max_examples=60)
@given(st.lists(anything, min_size=1, max_size=4))
def test_any_text_is_stored_or_refused_and_survives_as_it_is(given_texts: list[str]) -> None:
    with Memory.open(":memory:", embedder="hashing", seed=1) as memory:
        results = memory.remember(given_texts)
        for text, result in zip(given_texts, results, strict=True):
            if result.status == "stored" and not any(0xD800 <= ord(c) < 0xE000 for c in text):
                assert memory.get(str(result.id)).text == text
            assert (result.status == "refused") == (not text.strip())
        assert memory.doctor().healthy
