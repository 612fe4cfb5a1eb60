"""What of a long text goes into a block."""

from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.recall.excerpt import GAP, excerpt
from truerecall.memory.recall.query import understand

FILLER = "\n\n".join(f"Paragraph {n} is about the weather, and about nothing else at all." for n in range(60))
ANSWER = "We settled on a threshold of 0.9 for compaction, since the model forgets beyond it."


def terms(query: str) -> tuple[str, ...]:
    return understand(query).terms


def test_a_short_text_is_given_back_whole() -> None:
    assert excerpt("a short text", terms("threshold"), 900) == "a short text"


def test_the_paragraph_that_answers_is_found_wherever_it_stands() -> None:
    for text in (f"{ANSWER}\n\n{FILLER}", f"{FILLER}\n\n{ANSWER}", f"{FILLER}\n\n{ANSWER}\n\n{FILLER}"):
        assert ANSWER in excerpt(text, terms("which compaction thresholds did we settle?"), 900)


def test_what_is_left_out_shows() -> None:
    shown = excerpt(f"{FILLER}\n\n{ANSWER}\n\n{FILLER}", terms("compaction threshold"), 900)

    assert shown.startswith(GAP.lstrip()) and shown.endswith(GAP.rstrip())


def test_the_heading_above_a_passage_comes_with_it() -> None:
    text = f"{FILLER}\n\n## Compaction\n\n{ANSWER}\n\n{FILLER}"

    assert "## Compaction" in excerpt(text, terms("threshold settled"), 900)


def test_two_passages_that_hold_different_words_of_the_query_beat_two_that_hold_the_same() -> None:
    one, two = "The threshold is 0.9.", "It reaches the binary by an environment variable."
    again = "The threshold was discussed. " * 20
    text = "\n\n".join([again, FILLER, one, FILLER, two])

    assert two in excerpt(text, terms("threshold and variable"), 900)


def test_a_list_gives_its_items_one_by_one() -> None:
    items = "\n".join(f"- item {n}: {'threshold' if n == 77 else 'nothing'} here" for n in range(200))

    assert "- item 77: threshold here" in excerpt(items, terms("threshold"), 900)


def test_a_paragraph_without_a_break_is_cut_and_no_word_of_it_is_lost_for_good() -> None:
    text = "x" * 5_000 + " threshold " + "y" * 5_000

    assert "threshold" in excerpt(text, terms("threshold"), 900)


def test_chinese_is_found_by_its_characters() -> None:
    text = "\n\n".join([*(f"第{n}段讲的是天气。" for n in range(300)), "我们决定使用缓存。", "结束。" * 200])

    assert "我们决定使用缓存。" in excerpt(text, terms("缓存"), 900)


def test_without_a_word_of_the_query_it_is_the_beginning() -> None:
    assert excerpt(FILLER, terms("zebra"), 900).startswith("Paragraph 0 is about")


@given(
    st.text(alphabet=st.sampled_from("abc de.\n-#*|1 决定é"), max_size=3_000),
    st.text(max_size=60),
    st.integers(850, 2_000),
)
def test_an_excerpt_is_made_of_pieces_of_the_text_in_their_order_and_is_not_too_long(
    text: str, query: str, most: int
) -> None:
    shown = excerpt(text, terms(query), most)

    assert len(shown) <= most or shown == text
    place = 0
    for piece in shown.split(GAP.strip()):
        for line in filter(None, map(str.strip, piece.split("\n"))):
            place = text.find(line, place)
            assert place >= 0, f"{line!r} is not in the text, or not in its place"
            place += len(line)


@given(st.text(max_size=400), st.text(max_size=60), st.integers(0, 3_000))
def test_any_text_and_query_give_an_excerpt(text: str, query: str, most: int) -> None:
    assert excerpt(text * 20, terms(query), most) == excerpt(text * 20, terms(query), most)
