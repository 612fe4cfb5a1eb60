"""Token vectors are stored with the dense ones, read for a few entries, and never mixed with those of another kind."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from whole_store import Opener, count, damage, dump, files_of

from truerecall import ManualClock
from truerecall.core.config import StoreSettings
from truerecall.core.entry import Scope, Trust
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.protocols import TokenEmbedder, token_identity
from truerecall.models.quantised import Int8Rows
from truerecall.models.scripted import ScriptedTokenEmbedder

HELD = "SELECT count(*) FROM token_vector"
TEXTS = ["the Heron came back", "the weir is closed", "!?", "heron heron"]
SPLIT = [["the", "heron", "came", "back"], ["the", "weir", "is", "closed"], [], ["heron", "heron"]]

Words = Callable[..., list[list[str]]]


class OtherProjection(ScriptedTokenEmbedder):
    projection = "2"


class CutAtBars(ScriptedTokenEmbedder):
    def chunks(self, text: str) -> list[str]:
        return text.split("|")


def scripted(
    kind: type[ScriptedTokenEmbedder] = ScriptedTokenEmbedder, fails_on: tuple[str, ...] = ()
) -> ScriptedTokenEmbedder:
    return kind({"heron": [1, 0]}, default=[0, 1], fails_on=fails_on)


@pytest.fixture
def words(store: Path, clock: ManualClock) -> Iterator[Words]:
    """Reads, as a lane does, whose words' vectors the entries at some places have (all, where none are named)."""
    opened: list[SqliteStore] = []

    def read(embedder: TokenEmbedder, *places: int) -> list[list[str]]:
        names = (
            "the",
            "heron",
            "came",
            "back",
            "weir",
            "is",
            "closed",
            "one",
            "two",
            "three",
            "four",
            "five",
        )
        known = {Int8Rows.of(embedder.query_tokens(word)).values.tobytes(): word for word in names}
        opened.append(
            SqliteStore.open(store, StoreSettings(), clock, embedder.identity, token_identity(embedder))
        )
        with opened[-1].view(Scope("local", "default", "me"), clock(), list(Trust)) as view:
            found = view.token_vectors(places or range(len(view.rowids)))
        assert (found.values.shape, found.scales.shape) == ((found.offsets[-1], 64), (found.offsets[-1],))
        spans = zip(found.offsets, found.offsets[1:], strict=False)
        return [[known[row.tobytes()] for row in found.values[start:end]] for start, end in spans]

    yield read
    for one in opened:
        one.close()


def test_each_entry_has_a_row_for_each_of_its_words_in_their_order(opened: Opener, words: Words) -> None:
    opened(embedder=scripted()).remember(TEXTS)

    assert words(scripted()) == SPLIT
    assert words(scripted(), 3, 0, 2, 3) == [SPLIT[3], SPLIT[0], [], SPLIT[3]]


def test_an_embedder_without_token_vectors_has_none(store: Path, opened: Opener) -> None:
    opened(embedder=HashingEmbedder(64)).remember(TEXTS)

    assert count(store, HELD) == 0
    assert opened(embedder=HashingEmbedder(64)).doctor().healthy


def test_of_a_long_text_the_first_four_pieces_have_token_vectors(opened: Opener, words: Words) -> None:
    memory = opened(embedder=scripted(CutAtBars))
    memory.remember("one|two|three|four|five|one")

    assert words(scripted(CutAtBars)) == [["one", "two", "three", "four"]]
    assert memory.doctor().healthy


def test_a_text_on_which_the_model_fails_spoils_no_other(opened: Opener, words: Words) -> None:
    memory = opened(embedder=scripted(fails_on=("the weir is closed",)))
    results = memory.remember(TEXTS)

    assert [result.status for result in results] == ["stored", "pending vector", "stored", "stored"]
    assert words(scripted()) == [SPLIT[0], [], [], SPLIT[3]]
    assert opened(embedder=scripted()).doctor(repair=True).repaired == ("embedded 1 entries",)
    assert words(scripted()) == SPLIT


def test_those_of_another_projection_are_passed_over_until_they_are_made_anew(
    store: Path, opened: Opener, words: Words
) -> None:
    opened(embedder=scripted()).remember(TEXTS)
    other = opened(embedder=scripted(OtherProjection))
    (finding,) = [finding for finding in other.doctor().findings if finding.check == "embedding"]
    assert (finding.healthy, finding.detail) == (
        False,
        "4 of 4 entries have a vector of scripted:embedder; 0 have token vectors",
    )
    assert words(scripted(OtherProjection)) == [[], [], [], []]
    other.remember("is closed")
    assert words(scripted(OtherProjection)) == [[], [], [], [], ["is", "closed"]]
    assert words(scripted()) == [*SPLIT, []]

    done = other.reembed()

    assert (done.embedded, done.failed, done.dropped) == (4, 0, 0)
    assert words(scripted(OtherProjection)) == [*SPLIT, ["is", "closed"]]
    assert words(scripted()) == [[], [], [], [], []]
    assert count(store, HELD) == 5
    assert other.doctor().healthy


def test_a_purge_leaves_no_byte_of_them(store: Path, opened: Opener) -> None:
    memory = opened(embedder=scripted())
    secret, _ = memory.remember(["a Zanzibarbecue", "a heron"])
    rows = Int8Rows.of(scripted().query_tokens("Zanzibarbecue")).values.tobytes()
    assert [name for name, content in files_of(store).items() if rows in content]

    memory.purge(str(secret.id))

    assert [name for name, content in files_of(store).items() if rows in content] == []
    assert count(store, HELD) == 1


DAMAGES = {
    "deleted": "DELETE FROM token_vector",
    "cut short": "UPDATE token_vector SET vals = x'00'",
    "without scales": "UPDATE token_vector SET scales = x''",
    "of text": "UPDATE token_vector SET vals = CAST(vals AS TEXT)",
    "of an entry that is gone": "UPDATE token_vector SET entry = entry + 99",
    "of a model that is gone": "UPDATE token_vector SET model = 99",
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_ones_count_as_missing_and_are_made_anew(
    store: Path, opened: Opener, words: Words, kind: str
) -> None:
    opened(embedder=scripted()).remember(TEXTS)
    damage(store, DAMAGES[kind])
    memory = opened(embedder=scripted())

    assert [own for own in words(scripted()) if own] == []
    assert not memory.doctor().healthy
    assert memory.doctor(repair=True).healthy
    assert words(scripted()) == SPLIT


def test_an_export_takes_them_along_exactly(
    tmp_path: Path, store: Path, opened: Opener, words: Words
) -> None:
    elsewhere = opened(tmp_path / "first.db", embedder=scripted())
    elsewhere.remember(TEXTS)
    folder = elsewhere.export(tmp_path / "export")
    model = scripted()
    memory = opened(embedder=model)
    memory.import_(folder)

    assert model.calls == []
    assert words(scripted()) == SPLIT
    again = memory.export(tmp_path / "again")
    assert [(again / name.name).read_bytes() == name.read_bytes() for name in folder.iterdir()] == [True] * 4


def test_an_import_takes_no_token_vectors_of_another_projection(
    tmp_path: Path, opened: Opener, words: Words
) -> None:
    elsewhere = opened(tmp_path / "first.db", embedder=scripted())
    elsewhere.remember(TEXTS)
    folder = elsewhere.export(tmp_path / "export")
    memory = opened(embedder=scripted(OtherProjection))
    memory.import_(folder)

    assert words(scripted(OtherProjection)) == SPLIT
    assert memory.doctor().healthy
    assert dump(memory) == dump(elsewhere)


def test_the_past_keeps_them(opened: Opener, clock: ManualClock, tmp_path: Path) -> None:
    memory = opened(embedder=scripted())
    memory.remember(TEXTS)
    then = clock.advance(timedelta(hours=1))
    memory.remember("later")

    with memory.at(then, tmp_path / "cut.db"):
        assert count(tmp_path / "cut.db", HELD) == 4
