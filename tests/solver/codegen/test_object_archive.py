"""Compiled code that came in one file: found there, copied, and not believed where it is damaged."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luff.solver.codegen import object_archive, object_store, prebuilt_objects
from luff.solver.codegen.jit import EntryPoint
from luff.solver.codegen.transforms.entry_point_variants import ValuesOnly, dual, in_lanes

PLAIN = EntryPoint(lambda: None, (), "luff_of_this_test")
ENTRY: EntryPoint = in_lanes(PLAIN)
CODE = (["sqrt"], b"code of lanes\nwith a line")


@given(pieces=st.dictionaries(st.text(), st.binary(), max_size=5))
def test_what_is_written_is_read(pieces: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    one, other = (tmp_path_factory.mktemp("packs") / "a.pack" for _ in range(2))
    object_archive.write_archive(one, pieces)
    object_archive.write_archive(other, dict(reversed(pieces.items())))
    assert object_archive.read_archive(one) == pieces
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b"", lambda b: b[:40] + b"\0\0\0\0" + b[44:]])
def test_nothing_is_read_of_a_damaged_file(damage: object, tmp_path: Path) -> None:
    assert callable(damage)
    pack = tmp_path / "a.pack"
    object_archive.write_archive(pack, {"name": bytes(range(256))})
    pack.write_bytes(damage(pack.read_bytes()))
    assert object_archive.read_archive(pack) == {}


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The user's own, which is empty; and that of the package, with code of one entry point in lanes."""
    own, beside = tmp_path / "own", tmp_path / "beside"
    for folder in (own, beside):
        folder.mkdir()
    object_archive.write_archive(
        beside / ENTRY.pack,
        {object_store.name_of(ENTRY): object_store.packed(*CODE, object_store.name_of(ENTRY))},
    )
    monkeypatch.setattr(object_store, "folder", lambda: own)
    monkeypatch.setattr(prebuilt_objects, "folder", lambda: beside)
    return own, beside


def test_code_of_a_pack_is_copied_to_the_users_own_folder(folders: tuple[Path, Path]) -> None:
    own, beside = folders
    assert object_store.read_object(ENTRY) == CODE
    object_archive.read_archive.cache_clear()
    (beside / ENTRY.pack).unlink()
    assert object_store.read_object(ENTRY) == CODE
    assert [path.name for path in own.iterdir()] == [object_store.name_of(ENTRY)]


def test_code_of_a_pack_is_used_where_it_cannot_be_copied(folders: tuple[Path, Path]) -> None:
    own, _ = folders
    own.rmdir()  # as if it could not be written
    assert object_store.read_object(ENTRY) == CODE


def test_code_of_other_sources_is_not_found(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(ENTRY), "digest", "of other sources")
    assert object_store.read_object(ENTRY) is None


def test_code_that_was_changed_within_a_pack_is_not_used(folders: tuple[Path, Path]) -> None:
    _, beside = folders
    whole = object_store.packed(*CODE, object_store.name_of(ENTRY))
    object_archive.write_archive(beside / ENTRY.pack, {object_store.name_of(ENTRY): whole[:-1] + b"!"})
    object_archive.read_archive.cache_clear()
    assert object_store.read_object(ENTRY) is None


def test_each_kind_of_number_has_a_pack_of_its_own() -> None:
    """What a batch needs is not decompressed for a linear model."""
    kinds = [PLAIN, ENTRY, dual(PLAIN)]
    assert len({entry.pack for entry in kinds}) == len(kinds)
    assert ValuesOnly(PLAIN).pack == dual(PLAIN).pack  # needed together


def test_python_without_lzma_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then all is compiled, as without a pack."""
    object_archive.write_archive(tmp_path / "a.pack", {"name": b"code"})
    monkeypatch.setitem(sys.modules, "lzma", None)
    assert object_archive.read_archive(tmp_path / "a.pack") == {}


def test_code_under_the_name_of_another_is_not_used(tmp_path: Path) -> None:
    """A file that somebody has copied, or renamed, is as if it were not there."""
    object_store.write_object(ENTRY, *CODE, tmp_path)
    other = object_store.BitcodeObject("luff_other", "0" * 32)
    object_store.path_of(ENTRY, tmp_path).rename(object_store.path_of(other, tmp_path))
    assert object_store.read_object(ENTRY, tmp_path) is None
    assert object_store.read_object(other, tmp_path) is None
