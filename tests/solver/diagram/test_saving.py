"""Saving a diagram: whole or not at all, byte for byte, through links and on full disks."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from luff.blocks import NetlistError, RunError
from luff.solver.flatten.diagram import Diagram, load, loads
from luff.solver.netlist import same_data
from luff.tests.shared.netlists import COMMENTED_CRANE


@pytest.fixture
def diagram() -> Diagram:
    return loads(COMMENTED_CRANE)


def test_save_and_load_again(diagram: Diagram, tmp_path: Path) -> None:
    path = tmp_path / "crane.yaml"
    diagram.set_value("king.mass", 5)
    diagram.save(path)
    assert not diagram.modified
    assert diagram.base == tmp_path
    again = load(path)
    assert again.path == path
    assert same_data(again.data, diagram.data)
    # what was edited before the save can still be undone to the letter
    diagram.set_value("king.mass", "10 t")
    assert diagram.modified
    diagram.save()
    assert path.read_text() == COMMENTED_CRANE


def test_save_keeps_bytes_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "crane.yaml"
    content = ("\ufeff" + COMMENTED_CRANE.replace("\n", "\r\n")).encode()
    path.write_bytes(content)
    path.chmod(0o640)
    diagram = load(path)
    diagram.save()
    assert path.read_bytes() == content
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_save_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    path, link = tmp_path / "crane.yaml", tmp_path / "link.yaml"
    path.write_text(COMMENTED_CRANE)
    link.symlink_to(path)
    diagram = load(link)
    diagram.set_section("name", "other")
    diagram.save()
    assert link.is_symlink()
    assert "name: other" in path.read_text()


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_save_on_a_full_disk_leaves_the_old_file(
    diagram: Diagram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tmp_path / "crane.yaml"
    path.write_text("old")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, where, full)
    with pytest.raises(RunError, match=r"No space left.*old file is untouched"):
        diagram.save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    assert diagram.modified or diagram.path is None


def test_save_needs_a_name_and_a_folder(diagram: Diagram, tmp_path: Path) -> None:
    with pytest.raises(NetlistError, match="no file yet"):
        diagram.save()
    with pytest.raises(RunError, match="cannot write"):
        diagram.save(tmp_path / "none" / "crane.yaml")
