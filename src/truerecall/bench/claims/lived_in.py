"""A memory that was lived in: what every lane, factor and stage of recall can go by is in it."""

from datetime import datetime, timedelta

from truerecall.bench.claims.grounds import Fixture
from truerecall.core.clock import ManualClock
from truerecall.core.config import Settings
from truerecall.core.entry import Draft, EventTime, Source, Statement, Trust
from truerecall.memory.memory import Memory


class LivedIn:
    """About thirty entries over half a year: turns, statements, a profile, repetitions, causes, feedback."""

    def __init__(self, made: Fixture, settings: Settings, used: bool = True) -> None:
        """``used`` is whether causes were linked and feedback was given: both are events, and no entry."""
        self.ann, self.bob, self.cid = made.person, made.person, made.person
        self.here, self.there = made.town, made.town
        self.thing, self.other = made.thing, made.thing
        self.place = made.place
        self._made = made
        self._clock = ManualClock(made.start)
        self.memory: Memory = made.open(settings, embedder="hashing", clock=self._clock)
        self._talk()
        self._know()
        if used:
            self._use()
        self._clock.advance(timedelta(days=40))

    @property
    def now(self) -> datetime:
        """Of its clock."""
        return self._clock.now

    @property
    def queries(self) -> tuple[str, ...]:
        """One for each intent, one with an abbreviation, one that names a time, one that finds nothing."""
        return (
            f"When did {self.ann} go to {self.there}?",
            f"What does {self.bob} like best?",
            f"List all that is known of the {self.thing}.",
            f"Where does {self.ann} live?",
            "What is wrong with the auth and the db?",
            f"What did {self.bob} do two months ago?",
            "qzxv",
        )

    def _talk(self) -> None:
        """Three conversations, weeks apart."""
        ann, bob, cid = self.ann, self.bob, self.cid
        sessions = (
            (
                (ann, f"I went to {self.there} by train and saw the {self.thing} there."),
                (bob, f"I like the {self.other} best, and {cid} prefers the {self.thing}."),
                (ann, f"{cid} keeps the {self.other} in the {self.place}."),
                (bob, "The database is slow because the index was dropped."),
                (ann, "Yes."),
            ),
            (
                (bob, f"{ann} told me about {self.there} and the long way home."),
                (cid, f"We {self._made.deed} the {self.thing} together with {ann}."),
                (bob, "The authentication fails since the repository moved."),
                (cid, f"I moved to {self.there} last week, near {bob}."),
                (bob, "Yes."),
            ),
            (
                (cid, f"The {self.thing} broke in the {self.place}, so {bob} bought another."),
                (ann, f"I like the {self.thing} more than the {self.other}."),
                (bob, f"Yesterday {ann} went to {self.here} again."),
                (cid, "The database is slow because the index was dropped."),
                (ann, f"All of us go to {self.there} in May."),
            ),
        )
        for number, turns in enumerate(sessions):
            self._clock.advance(timedelta(days=35))
            day = EventTime(self._clock.now - timedelta(days=2))
            self.memory.remember(
                [
                    Draft(
                        text,
                        source=Source(speaker=who, session=f"s{number}", position=place),
                        happened_at=day,
                    )
                    for place, (who, text) in enumerate(turns)
                ]
            )

    def _know(self) -> None:
        """Statements, one of them twice; an observation; a pinned rule; a text from outside."""
        self._clock.advance(timedelta(days=10))
        says = (
            (self.ann, "lives_in", self.here, "a"),
            (self.ann, "lives_in", self.here, "b"),
            (self.bob, "knows", self.cid, "a"),
            (self.cid, "owns", self.thing, "a"),
            (self.bob, "likes", self.other, "a"),
        )
        self.memory.remember(
            [
                Draft(
                    f"{subject} {predicate.replace('_', ' ')} {thing}.",
                    kind="fact",
                    decay_class="semantic",
                    source=Source(session=f"facts {which}"),
                    statement=Statement(subject, predicate, thing),
                )
                for subject, predicate, thing, which in says
            ]
        )
        self.memory.remember(
            [
                Draft(
                    f"{self.ann} often goes to {self.there}.",
                    kind="observation",
                    proof_count=9,
                    confidence=0.9,
                ),
                Draft(f"Call {self.ann} by her first name.", trust=Trust.SYSTEM, pinned=True),
                Draft(f"The {self.thing} of {self.there} is famous.", kind="document", trust=Trust.SYSTEM),
            ]
        )

    def _use(self) -> None:
        """Link a cause to its effect, and say what two recalls were good for."""
        entries = {entry.text: entry.id for entry in self.memory.list()}
        trip = next(i for text, i in entries.items() if text.startswith("I went to"))
        told = next(i for text, i in entries.items() if "told me about" in text)
        broke = next(i for text, i in entries.items() if " broke in " in text)
        self.memory.link(trip, told, 0.9)
        self.memory.link(broke, told, 0.4)
        for query in self.queries[:4]:
            recalled = self.memory.recall(query)
            self.memory.feedback(recalled, cited=[recalled.hits[-1].id])
