"""Folders that are kept out of the memory."""

from pathlib import Path

import pytest

from truerecall.agents.exclusion import excluded

HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [
        ("/srv/secret", "/srv/secret"),
        ("/srv/secret", "/srv/secret/api/src"),
        ("/srv/secret/", "/srv/secret/api"),
        ("~/private", "/home/ada/private/notes"),
        ("~", "/home/ada/anything"),
        ("/srv/*-secret", "/srv/acme-secret/api"),
        ("/srv/**/vault", "/srv/vault"),
        ("/srv/**/vault", "/srv/a/b/vault/c"),
        ("/srv/**", "/srv"),
        ("/srv/v?", "/srv/v2"),
        ("vault", "/anywhere/vault/inside"),
        ("/", "/anywhere"),
        ("/srv/a b#1%2 我", "/srv/a b#1%2 我/x"),
        ("/srv/secret", "/srv/open/../secret"),
    ],
)
def test_a_folder_and_all_below_it_is_kept_out(pattern: str, folder: str) -> None:
    assert excluded(folder, ("/elsewhere", pattern), HOME) == pattern


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [
        ("/srv/secret", "/srv/secrets"),
        ("/srv/secret", "/srv"),
        ("/srv/*", "/srv"),
        ("/srv/*/vault", "/srv/a/b/vault"),
        ("/srv/se.ret", "/srv/secret"),
        ("~ada", "/home/ada"),
        ("vault", "/srv/vaults"),
    ],
)
def test_another_folder_is_not(pattern: str, folder: str) -> None:
    assert excluded(folder, (pattern,), HOME) is None


def test_a_link_to_a_folder_that_is_kept_out_is_kept_out_as_well(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "secret")

    assert excluded(tmp_path / "link", (str(tmp_path / "secret"),), HOME) is not None
    assert excluded(tmp_path / "link", (str(tmp_path / "link"),), HOME) is not None
