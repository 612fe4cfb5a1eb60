"""What a judge is asked: the rubric of the question first, then question, gold, answer and date, all as data."""

from datetime import datetime

from truerecall.bench.qa.prompting import dated, fenced, prompt
from truerecall.bench.qa.records import Message
from truerecall.bench.qa.rubrics import Rubric
from truerecall.bench.qa.verdict import without_thinking


def judge_messages(
    rubric: Rubric, question: str, asked_at: datetime, gold: str, answer: str
) -> tuple[Message, ...]:
    """The rubric with the rules of judging, then what is to be judged.

    Thinking that the answering model showed before its answer is no part of it, and is left out.
    """
    parts = (
        fenced("question", question),
        fenced("gold", gold),
        fenced("answer", without_thinking(answer)),
        f"The question was asked on {dated(asked_at)}.",
    )
    return (
        Message(role="system", content=f"{rubric.text}\n\n{prompt('judge')}"),
        Message(role="user", content="\n\n".join(parts)),
    )
