"""Prose of agents becomes sentences and items, each with where it stands; code says nothing but its commands."""

from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.facts.sentences import LONGEST, Sentence, sentences

MARKS = st.sampled_from(
    [
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "# ",
        "**",
        "`",
        "```",
        "```bash\n",
        "|",
        "|---|---|\n",
        "> ",
        ". ",
        ": ",
        "<b>",
        "✅ ",
        "中。",
        "[x](y)",
    ]
)
PROSE = st.lists(st.one_of(MARKS, st.text(max_size=12)), max_size=60).map("".join)


def said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_a_paragraph_is_cut_at_its_stops_and_nowhere_else() -> None:
    text = "We use Node 20.11, e.g. in CI. It is pinned (see `a.b. c`). Fine!"
    assert said(text) == ["We use Node 20.11, e.g. in CI.", "It is pinned (see `a.b. c`).", "Fine!"]


def test_a_sentence_knows_its_place_its_section_and_the_one_before_it() -> None:
    text = "# Top\n\n## Storage 🗄️\n\nIt is **fast**. It is *small*."
    first, second = sentences(text)
    assert first == Sentence("It is fast.", text.index("It is **"), "sentence", ("Top", "Storage"))
    assert second == Sentence(
        "It is small.", text.index("It is *s"), "sentence", ("Top", "Storage"), before="It is fast."
    )


def test_items_know_the_line_above_their_list_also_when_they_are_nested() -> None:
    text = (
        "Next steps:\n- wire it up\n- **Paths** (all of them):\n  - Home: `~/.foo`\n- [ ] open\n- [x] ticked"
    )
    found = [(one.shape, one.lead, one.text) for one in sentences(text)]
    assert found == [
        ("item", "Next steps", "wire it up"),
        ("item", "Next steps", "Paths (all of them):"),
        ("item", "Paths (all of them)", "Home: `~/.foo`"),
        ("task", "Next steps", "open"),
        ("done", "Next steps", "ticked"),
    ]


def test_code_says_nothing_but_the_lines_of_a_shell() -> None:
    shell = "Run:\n```bash\n$ make test # all\n# a remark\n```\n"
    text = f"{shell}```python\nwe decided = 1\n```\n    indented code. Yes.\nDone."
    assert [(one.shape, one.text) for one in sentences(text)] == [
        ("command", "make test"),
        ("sentence", "Done."),
    ]


def test_a_block_that_is_never_closed_hides_the_rest_and_a_quotation_says_nothing() -> None:
    assert said("Kept.\n> We decided nothing.\n```text\nWe decided all.") == ["Kept."]


def test_what_a_program_put_into_a_turn_is_left_out() -> None:
    text = "Before.\n<system-reminder>\nWe decided X.\n</system-reminder>\nAfter.\n<local-command-stdout>open. Still."
    assert said(text) == ["Before.", "After.", "open.", "Still."]


def test_a_table_gives_its_rows_without_its_head() -> None:
    text = "| Tool | Version |\n|------|---------|\n| Node | `20` |\n| a\\|b | c |"
    assert [(one.shape, one.text) for one in sentences(text)] == [("row", "Node: `20`"), ("row", "a|b: c")]


def test_a_line_that_was_folded_at_a_margin_goes_on() -> None:
    text = "The parser was written by hand since the generator of the\ngrammar is not maintained any more.\nA new line."
    assert said(text) == [
        "The parser was written by hand since the generator of the grammar is not maintained any more.",
        "A new line.",
    ]


def test_who_types_may_begin_a_sentence_with_a_small_letter() -> None:
    text = "it must be full. no todos"
    assert said(text) == [text]
    assert [one.text for one in sentences(text, typed=True)] == ["it must be full.", "no todos"]


def test_chinese_needs_no_space_after_a_stop() -> None:
    assert said("我们决定使用 SQLite。测试通过了！") == ["我们决定使用 SQLite。", "测试通过了！"]


@given(PROSE)
def test_any_text_gives_sentences_within_it(text: str) -> None:
    places = []
    for sentence in sentences(text):
        assert 0 <= sentence.at <= len(text)
        assert sentence.text.strip()
        assert len(sentence.text) <= LONGEST
        assert "\n" not in sentence.text
        places.append(sentence.at)
    assert places == sorted(places)
    assert list(sentences(text)) == list(sentences(text))


def test_a_megabyte_of_anything_gives_no_more_than_it_holds() -> None:
    for piece in (
        "a",
        "`",
        "*",
        "<a-b>",
        "- x\n",
        "|",
        "[",
        "(",
        "# ",
        ". ",
        "a. ",
        "**a** ",
        "我。",
        "\n    ",
        "<x-y",
        "_",
    ):
        text = piece * (1_000_000 // len(piece))
        assert sum(len(sentence.text) for sentence in sentences(text)) <= len(text)
