"""`library/...` are the netlists that come with luff, unless the current folder has its own."""

from pathlib import Path

import pytest

import luff
from luff.solver.netlist.library_paths import LIBRARY, library_path


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_netlist_of_the_library_opens_from_an_empty_folder() -> None:
    assert luff.load("library/hoist.yaml").name == luff.load(LIBRARY / "hoist.yaml").name


def test_a_file_of_ones_own_goes_before_that_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "hoist.yaml").write_text("luff: 1\nname: mine\nblocks: {}\n")
    assert luff.load("library/hoist.yaml").name == "mine"


@pytest.mark.parametrize("name", ["library/../README.md", "hoist.yaml", "other/library/hoist.yaml"])
def test_only_names_in_the_library_lead_there(name: str) -> None:
    assert library_path(name) == Path(name)


@pytest.mark.parametrize("name", ["hoist.yaml", "hoist"])
def test_a_name_of_the_library_without_its_folder_is_told(name: str) -> None:
    with pytest.raises(luff.LuffError, match=r"there is no file hoist.*library/hoist\.yaml comes with luff"):
        luff.load(name)


def test_a_misspelt_name_of_the_library_is_told() -> None:
    with pytest.raises(luff.LuffError, match=r"did you mean.*hoist\.yaml"):
        luff.load("library/hoistt.yaml")
