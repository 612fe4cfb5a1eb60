import pytest

from truerecall.errors import InvalidInput
from truerecall.measure.evidence import answer_words, carries_all, carries_answer, is_extractive


def test_a_block_carries_the_evidence_only_with_every_gold_item_in_it() -> None:
    assert carries_all(("h1", "h2", "h3"), {"h1", "h3"})
    assert not carries_all(("h1", "h2"), {"h1", "h3"})
    assert not carries_all((), {"h1"})


def test_a_gold_item_that_was_refused_is_a_miss() -> None:
    assert not carries_all(("h1",), ["h1", None])


def test_evidence_of_a_question_without_gold_is_refused() -> None:
    with pytest.raises(InvalidInput, match="without gold"):
        carries_all(("h1",), ())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("The Blue Kite", ["blue", "kite"]),
        ("a pair of an owl's feathers", ["pair", "of", "owl", "feathers"]),
        ("Nora\u2019s 1,200 marbles, didn't they?", ["nora", "1200", "marbles", "didnt", "they"]),
        ("3.5 litres at 7.30", ["3.5", "litres", "at", "7.30"]),
        ("1,20 and 12,345,678", ["1", "20", "and", "12345678"]),
        ("ＦＵＬＬ width ﬁne STRASSE straße", ["full", "width", "fine", "strasse", "strasse"]),
        ("snake_case e-mail", ["snake", "case", "e", "mail"]),
        ("हिन्दी", ["हिन्दी"]),
        ("北京 1990年", ["北", "京", "1990", "年"]),
        ("Äpfel", ["äpfel"]),
        ("The.", []),
        ("!?", []),
    ],
)
def test_words_are_normalised(answer: str, words: list[str]) -> None:
    assert answer_words(answer) == words


def test_an_answer_is_extractive_if_the_gold_turns_together_hold_its_words() -> None:
    turns = ["Mira: we planted tulips", "Mira: on Tuesday, by the gate"]
    assert is_extractive("Tulips by the gate", turns)
    assert not is_extractive("Tulips by the fence", turns)
    assert not is_extractive("The", turns)
    assert not is_extractive("tulips", [])


def test_a_word_inside_another_word_does_not_count() -> None:
    assert not carries_answer("art", "They started a party.")


def test_a_block_carries_an_answer_in_any_order_and_case() -> None:
    assert carries_answer("the RED canoe", "Paddling a canoe, painted red")
    assert not carries_answer("red canoe", "a canoe")
    assert not carries_answer("the", "the canoe")
    assert not carries_answer("red", "")
