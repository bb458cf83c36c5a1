"""Opening files: templates, the library, what is no netlist, drops and the list of recent files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

import luff
from luff.gui.canvas.canvas_protocol import BLOCK_MIME
from luff.gui.document.starter_models import templates
from luff.gui.recovery import autosave as session
from luff.gui.theme import active_theme
from luff.gui.theme.block_catalog import examples
from luff.gui.window.dialogs.open_failed_dialog import OpenFailed
from luff.gui.window.main_window import Window
from luff.gui.window.welcome import THUMB, start_examples
from luff.solver.flatten.diagram import Diagram
from luff.tests.shared.netlists import TWO_LINKS


def drop(data: QMimeData, at: QPointF) -> QDropEvent:
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    return QDropEvent(at, Qt.DropAction.CopyAction, data, left, none)


def test_empty_window_offers_three_ways_in_and_a_template_fills_it(make_window) -> None:
    window = make_window()
    assert window.welcome.isVisible()
    window.files.open_template("two_link_arm")
    assert not window.welcome.isVisible()
    assert "elbow" in window.view.canvas.blocks
    assert len(Window.open_windows) == 1


def test_empty_canvas_takes_drops_and_double_clicks_under_its_welcome(make_window) -> None:
    window = make_window()
    middle = window.welcome.mapTo(window.view.viewport(), window.welcome.rect().bottomRight() - QPoint(9, 9))
    under = window.view.viewport().childAt(middle)
    assert window.welcome.isAncestorOf(under)
    at = under.mapFrom(window.view.viewport(), middle)
    QTest.mouseDClick(under, Qt.MouseButton.LeftButton, pos=at)
    assert window.view.quick_insert.isVisible()
    window.view.quick_insert.dismiss()
    data = QMimeData()
    data.setData(BLOCK_MIME, b"revolute")
    # as Qt looks for who takes a drop: upwards from the widget under the cursor
    taker = under
    while not taker.acceptDrops():
        taker = taker.parentWidget()
    assert taker is window.view.viewport()
    window.view.dropEvent(drop(data, QPointF(middle)))
    assert list(window.document.diagram.blocks) == ["revolute"]
    assert not window.welcome.isVisible()
    window.document.undo.undo()
    assert window.welcome.isVisible()


@pytest.mark.parametrize("key", sorted(templates()))
def test_templates_have_no_mistakes(key: str) -> None:
    assert Diagram.from_yaml(templates()[key]).check() == []


LIBRARY = Path(luff.__file__).parent / "library"

# studies speak about models, and files of factors about none
MODELS = sorted(
    path
    for path in LIBRARY.rglob("*.yaml")
    if path.parent.name != "factors" and "\nmodel:" not in path.read_text("utf-8")
)


def test_library_is_found() -> None:
    assert LIBRARY / "crane_demo.yaml" in MODELS
    assert set(examples()) <= set(MODELS)


@pytest.mark.parametrize("path", MODELS, ids=lambda p: str(p.relative_to(LIBRARY).with_suffix("")))
def test_library_model_opens_laid_out_and_saves_byte_identical(
    path: Path, make_window, tmp_path: Path
) -> None:
    # with its neighbours, which it may name as types
    shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__"))
    copy = tmp_path / "library" / path.relative_to(LIBRARY)
    window = make_window()
    assert window.files.open_path(copy)
    window = Window.open_windows[-1]
    canvas, document = window.view.canvas, window.document

    def nothing_overlaps() -> bool:
        rects = [item.card().translated(item.pos()) for item in canvas.blocks.values()]
        return not any(a.intersects(b) for k, a in enumerate(rects) for b in rects[:k])

    assert set(canvas.blocks) >= set(document.diagram.blocks)
    assert nothing_overlaps()
    assert set(canvas.wires) == set(document.diagram.connections)
    assert all(wire.points or wire.labels for wire in canvas.wires.values())
    window.view.fit()
    window.files.on_save()
    assert copy.read_bytes() == path.read_bytes()
    assert not window.isWindowModified()
    # laid out anew, as if it gave no places
    window.editing.on_arrange()
    assert nothing_overlaps()
    document.undo.undo()
    window.files.on_save()
    assert copy.read_bytes() == path.read_bytes()


BROKEN = {
    "half written": ("luff: 1\nblocks:\n  pin: {type: revolute, axis: [", "4:1"),
    "not luff": ("- a\n- list\n", ""),
    "future": ("luff: 99\nblocks: {}\n", "99"),
    "unknown section": ("luff: 1\nblokcs: {}\n", "blokcs"),
    "binary": ("\x00\x01\x02", ""),
    "empty": ("", "empty"),
    "tabs": ("luff: 1\nblocks:\n\tpin: {}\n", "3:1"),
    "twice": ("luff: 1\nblocks: {a: {type: sine}, a: {type: sum}}\n", "twice"),
    "other encoding": (b"luff: 1\nname: caf\xe9\n", "2:10"),
    "results": (b"\x89HDF\r\n\x1a\n\x00", "HDF5"),
    "study": ("luff: 1\nmodel: crane_gpme\nplots: [{y: [a], log: x}]\n", "Study, Open Study"),
    "sections of other kinds": ("luff: 1\nblocks: 3\nconnect: {}\nlayout: 3\n", "expected"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_file_is_explained_and_the_window_keeps_its_model(
    kind: str, make_window, tmp_path: Path
) -> None:
    window = make_window(TWO_LINKS, tmp_path / "good.yaml")
    text, word = BROKEN[kind]
    bad = tmp_path / "bad.yaml"
    raw = text if isinstance(text, bytes) else text.encode()
    bad.write_bytes(raw)
    assert not window.files.open_path(bad)
    dialog = window.findChild(OpenFailed)
    assert dialog is not None
    assert dialog.isVisible()
    rows = [dialog.list.topLevelItem(k) for k in range(dialog.list.topLevelItemCount())]
    said = " ".join(row.text(k) for row in rows for k in range(4) if row)
    assert said.strip()
    assert word in said
    assert "Traceback" not in said
    assert len(Window.open_windows) == 1
    assert "shoulder" in window.view.canvas.blocks
    assert bad.read_bytes() == raw
    dialog.close()


def test_missing_file_is_explained_and_another_chosen(make_window, tmp_path: Path, monkeypatch) -> None:
    window = make_window()
    assert not window.files.open_path(tmp_path / "none.yaml")
    dialog = window.findChild(OpenFailed)
    assert dialog is not None
    assert dialog.list.topLevelItemCount() == 1
    assert not dialog.list.isVisible()  # one sentence says it
    assert next(label.text() for label in dialog.findChildren(QLabel)) == "There is no file none.yaml."
    buttons = {button.text(): button for button in dialog.findChildren(QPushButton)}
    assert "Open as Text" not in buttons
    (tmp_path / "other.yaml").write_text(TWO_LINKS)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(tmp_path / "other.yaml")], ""))
    QTest.mouseClick(buttons["Choose..."], Qt.MouseButton.LeftButton)
    assert window.document.path == tmp_path / "other.yaml"


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_explained_and_never_waited_for(kind: str, make_window, tmp_path: Path) -> None:
    window = make_window()
    path = tmp_path / "some.yaml"
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    assert not window.files.open_path(path)
    dialog = window.findChild(OpenFailed)
    assert dialog is not None
    row = dialog.list.topLevelItem(0)
    assert row is not None
    assert "expected a netlist" in row.text(2)


def test_recent_files_are_remembered_newest_first(make_window, tmp_path: Path) -> None:
    window = make_window()
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(TWO_LINKS)
        assert window.files.open_path(tmp_path / f"{name}.yaml")
    assert [path.stem for path in session.recent_files()] == ["b", "a"]


def test_file_dropped_on_the_window_opens(make_window, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(TWO_LINKS)
    window = make_window()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    window.dropEvent(drop(data, QPointF(50, 50)))
    assert window.document.path == path
    assert "elbow" in window.view.canvas.blocks


@pytest.mark.skipif(os.name != "posix", reason="special files of POSIX")
def test_window_survives_what_is_no_file_and_opens_the_next(make_window, tmp_path: Path) -> None:
    window = make_window()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    (tmp_path / "me.yaml").write_text("luff: 1\nnonsense: 1\nblocks: {a: {type: ./me.yaml}}\n")
    (tmp_path / "long.yaml").write_text("luff: 1\nblocks: {a: {type: constant, value: " + "9" * 5000 + "}}\n")
    (tmp_path / "odd.yaml").write_text(
        'luff: 1\nblocks: {a: {type: "./pipe.yaml"}, b: {type: "./\\0.yaml"}}\n'
    )
    for name in ("pipe", "loop", "device", "me", "long", "n" * 300, "nul\0"):
        assert not window.files.open_path(tmp_path / f"{name}.yaml")
        (dialog,) = window.findChildren(OpenFailed)
        assert dialog.list.topLevelItemCount() >= 1
        dialog.close()
        QTest.qWait(0)
        assert not window.findChildren(OpenFailed)
    for suffix in (".h5", ".npz", ".csv"):
        os.mkfifo(tmp_path / f"pipe{suffix}")
        window.results.show(tmp_path / f"pipe{suffix}")
        assert "is a pipe" in window.message_label.text()
    # the palette looks at what lies beside the document; wrong types are told in the window
    assert window.files.open_path(tmp_path / "odd.yaml")
    window = Window.open_windows[-1]
    assert "is a pipe" in str(window.document.diagram.check()[0])
    (tmp_path / "arm.yaml").write_text(TWO_LINKS)
    assert window.files.open_path(tmp_path / "arm.yaml")


def test_examples_and_templates_show_what_they_are_in_the_colours_of_the_theme(make_window) -> None:
    window = make_window()
    links = {one.text(): one for one in window.welcome.findChildren(QPushButton) if not one.icon().isNull()}
    assert {"Telescopic crane", "Excavator", "Tower crane", "Pendulum"} <= links.keys()
    assert len(links) == len(start_examples()) + len(templates())

    def lightness(name: str) -> float:
        image = links[name].icon().pixmap(THUMB).toImage()
        dots = [
            image.pixelColor(x, y).lightness()
            for x in range(0, THUMB.width(), 2)
            for y in range(0, THUMB.height(), 2)
        ]
        assert max(dots) - min(dots) > 40, f"{name}: an empty picture"
        return sum(dots) / len(dots)

    light = {name: lightness(name) for name in links}
    active_theme.holder.use("dark")
    assert all(lightness(name) < light[name] - 30 for name in links)
    link = next(one for name, one in links.items() if name == "Excavator")
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    assert window.document.diagram.name == "excavator"
    assert window.document.path is None
