"""The window: files, recovery, composites, runs and plots, on the offscreen platform."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QMessageBox

import luff
from luff.blocks.errors import Problem
from luff.gui import history, session
from luff.gui.catalog import examples
from luff.gui.open_failed import OpenFailed
from luff.gui.plots.export import export_pane
from luff.gui.templates import templates
from luff.gui.window import Window
from luff.solver.diagram import Diagram
from luff.tests.gui.driver import ARM, LONG
from luff.tests.gui.fake_run import FakeSim


def test_empty_window_offers_three_ways_in_and_a_template_fills_it(make_window) -> None:
    window = make_window()
    assert window.welcome.isVisible()
    window.files.open_template("two_link_arm")
    assert not window.welcome.isVisible()
    assert "elbow" in window.view.canvas.blocks
    assert len(Window.open_windows) == 1


@pytest.mark.parametrize("key", sorted(templates()))
def test_templates_have_no_mistakes(key: str) -> None:
    assert Diagram.from_yaml(templates()[key]).check() == []


LIBRARY = Path(luff.__file__).parent / "library"
# studies speak about models: they are none
MODELS = sorted(path for path in LIBRARY.rglob("*.yaml") if "\nmodel:" not in path.read_text("utf-8"))


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
    assert all(wire.points for wire in canvas.wires.values())
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
    "sections of other kinds": ("luff: 1\nblocks: 3\nconnect: {}\nlayout: 3\n", "expected"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_file_is_explained_and_the_window_keeps_its_model(
    kind: str, make_window, tmp_path: Path
) -> None:
    window = make_window(ARM, tmp_path / "good.yaml")
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


def test_missing_file_is_explained(make_window, tmp_path: Path) -> None:
    window = make_window()
    assert not window.files.open_path(tmp_path / "none.yaml")
    dialog = window.findChild(OpenFailed)
    assert dialog is not None
    assert dialog.list.topLevelItemCount() == 1


def test_unsaved_changes_are_asked_about(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(ARM, tmp_path / "arm.yaml")
    window.document.add_block("gain", 0, 600)
    assert window.isWindowModified()
    asked: list[str] = []

    def answer(button: QMessageBox.StandardButton):
        def run(box: QMessageBox) -> QMessageBox.StandardButton:
            asked.append(box.text())
            return button

        return run

    buttons = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "exec", answer(buttons.Cancel))
    assert not window.close()
    assert window.isVisible()
    monkeypatch.setattr(QMessageBox, "exec", answer(buttons.Save))
    assert window.close()
    assert asked == ["Save the changes to arm.yaml?"] * 2
    assert "gain" in (tmp_path / "arm.yaml").read_text()


def test_undo_back_to_the_saved_state_is_unmodified(make_window, tmp_path: Path) -> None:
    window = make_window(ARM, tmp_path / "arm.yaml")
    window.document.move({"fore": (50, 0)})
    assert window.isWindowModified()
    window.editing.on_undo()
    assert not window.isWindowModified()


def test_crash_leaves_a_copy_that_is_recovered(make_window, tmp_path: Path) -> None:
    window = make_window(ARM, tmp_path / "arm.yaml")
    window.document.add_block("gain", 0, 600)
    autosave = window.level.autosave
    autosave.write()
    # a copy as a dead process would have left it; pid numbers end below this one
    orphan = autosave.file.with_name("99999999-dead.yaml")
    autosave.file.rename(orphan)
    autosave.file.with_suffix(".json").rename(orphan.with_suffix(".json"))
    left = session.left_behind()
    assert [entry.origin for entry in left] == [tmp_path / "arm.yaml"]
    window.document.undo.undo()
    window.files.recover(left[0])
    recovered = next(w for w in Window.open_windows if w is not window)
    assert "gain" in recovered.document.diagram.blocks
    assert recovered.document.modified
    assert recovered.document.path == tmp_path / "arm.yaml"
    assert session.left_behind() == []
    assert (tmp_path / "arm.yaml").read_text() == ARM
    recovered.document.save()
    assert "gain" in (tmp_path / "arm.yaml").read_text()


def test_recent_files_are_remembered_newest_first(make_window, tmp_path: Path) -> None:
    window = make_window()
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(ARM)
        assert window.files.open_path(tmp_path / f"{name}.yaml")
    assert [path.stem for path in session.recent_files()] == ["b", "a"]


def test_copy_paste_between_windows(make_window) -> None:
    first, second = make_window(ARM), make_window()
    first.view.canvas.select(["shoulder", "upper"])
    first.editing.on_copy()
    second.editing.on_paste()
    assert list(second.document.diagram.blocks) == ["shoulder", "upper"]
    assert second.document.diagram.connections == ["shoulder.frame_b -- upper.frame_a"]
    second.editing.on_paste()
    assert "shoulder2.frame_b -- upper2.frame_a" in second.document.diagram.connections
    second.document.undo.undo()
    second.document.undo.undo()
    assert second.document.diagram.blocks == {}


def test_paste_of_other_text_says_so(make_window) -> None:
    window = make_window(ARM)
    QApplication.clipboard().setText("hello: [")
    window.editing.on_paste()
    assert "no blocks" in window.message_label.text()
    assert not window.document.undo.canUndo()


def test_group_makes_a_composite_that_opens_and_undoes(make_window, tmp_path: Path) -> None:
    window = make_window(ARM + "plots: [{y: [elbow.position, shoulder.position]}]\n", tmp_path / "arm.yaml")
    before = window.document.diagram.to_yaml()
    window.editing.group(["upper", "elbow"], tmp_path / "limb.yaml")
    diagram = window.document.diagram
    assert diagram.blocks["limb"] == {"type": "./limb.yaml", "l1": "=l1"}
    assert "shoulder.frame_b -- limb.frame_a" in diagram.connections
    assert "limb.frame_b -- fore.frame_a" in diagram.connections
    assert diagram.plots == [{"y": ["limb.elbow.position", "shoulder.position"]}]
    assert [p for p in diagram.check() if p.severity == "error"] == []
    window.view.canvas.sync()
    assert set(window.view.canvas.blocks["limb"].block_ports) == {"frame_a", "frame_b"}
    window.editing.open_block("limb")
    assert len(window.levels) == 2
    assert set(window.view.canvas.blocks) >= {"upper", "elbow"}
    assert window.crumbs.isVisible()
    QTest.keyClick(window.view, Qt.Key.Key_Escape)
    assert len(window.levels) == 1
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == before


def test_port_becomes_a_port_of_the_diagram_by_its_menu(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ARM.replace("connect:", "ports:\n  hand: fore.frame_b    # where tools go\nconnect:", 1)
    window = make_window(text, tmp_path / "arm.yaml")

    def choose(reference: str, action: str) -> None:
        menu = window.editing.port_menu(reference)
        next(found for found in menu.actions() if found.text() == action).trigger()
        menu.close()

    monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: (f"{text}_in", True))
    choose("elbow.effort", "Make It a Port of the Diagram...")
    edited = window.document.diagram.to_yaml()
    assert window.document.diagram.ports == {"hand": "fore.frame_b", "effort_in": "elbow.effort"}
    assert "# where tools go" in edited
    choose("elbow.effort", "Rename the Diagram's Port...")
    assert window.document.diagram.ports == {"hand": "fore.frame_b", "effort_in_in": "elbow.effort"}
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, text: ("hand", True))
    choose("elbow.effort", "Rename the Diagram's Port...")
    assert "taken" in window.message_label.text()
    choose("elbow.effort", "No Port of the Diagram")
    assert window.document.diagram.ports == {"hand": "fore.frame_b"}
    choose("shoulder.position", "Plot")
    assert window.document.diagram.plots == [{"y": ["shoulder.position"]}]
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert window.document.diagram.to_yaml() == text


def test_long_sentences_of_a_problem_are_not_cut(make_window) -> None:
    window = make_window()
    window.tabs.setCurrentWidget(window.problems)
    words = "the loop from here over there and back cannot be closed, because " * 4
    window.problems.show_problems([Problem("short", "a"), Problem(words, "b", fix="do less")])
    tree = window.problems.tree
    tree.doItemsLayout()
    short, long = (tree.visualItemRect(tree.topLevelItem(k)).height() for k in (0, 1))
    lines = QFontMetrics(tree.font()).horizontalAdvance(words) / tree.columnWidth(1)
    assert long >= short + (int(lines) - 1) * QFontMetrics(tree.font()).height()


def test_problem_leads_to_its_block(make_window) -> None:
    window = make_window(ARM.replace("mass: 2 kg", "mass: -2 kg"))
    window.document.check()
    assert window.view.canvas.blocks["upper"].problem == "error"
    item = window.problems.tree.topLevelItem(0)
    assert item is not None
    assert "upper.mass" in item.text(0)
    window.problems._click(item)
    assert window.view.canvas.selected_blocks() == ["upper"]
    assert "error" in window.running.badge.text()


# ---------------------------------------------------------------------- properties


def field(window: Window, key: str) -> QLineEdit:
    row = next(row for row in window.properties.rows if row.keys[-1] == key)
    found = row.findChild(QLineEdit)
    assert found is not None
    return found


def test_property_is_edited_in_the_unit_chosen_and_undone(make_window) -> None:
    window = make_window(ARM)
    window.view.canvas.select(["upper"])
    mass = field(window, "mass")
    assert mass.text() == "2"
    mass.setText("3.5")
    QTest.keyClick(mass, Qt.Key.Key_Return)
    assert window.document.diagram.value("upper.mass") == "3.5 kg"
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    row.editor._convert("t")
    assert window.document.diagram.value("upper.mass") == "0.0035 t"
    window.document.undo.undo()
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == ARM


def test_property_shows_its_mistake_below_and_resets(make_window) -> None:
    window = make_window(ARM)
    window.view.canvas.select(["upper"])
    mass = field(window, "mass")
    mass.setText("-1 kg")
    QTest.keyClick(mass, Qt.Key.Key_Return)
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    assert ">= 0" in row.error.text()
    row.reset.click()
    assert window.document.diagram.value("upper.mass") is None
    assert row.error.text() == ""


def test_nested_parameters_are_edited_in_place(make_window) -> None:
    window = make_window(ARM)
    window.view.canvas.select(["elbow"])
    group = next(row for row in window.properties.rows if row.keys == ("friction",))
    mu = next(row for row in group.rows if row.keys[-1] == "mu_s")
    line = mu.findChild(QLineEdit)
    assert line is not None
    line.setText("0.3")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert window.document.diagram.value("elbow.friction") == {"mu_s": 0.3}
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == ARM


def test_rename_in_the_panel_follows_through(make_window) -> None:
    window = make_window(ARM)
    window.view.canvas.select(["elbow"])
    name = window.properties.name_field
    assert name is not None
    name.setText("wrist")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert "upper.frame_b -- wrist.frame_a" in window.document.diagram.connections
    name = window.properties.name_field
    assert name is not None
    assert name.text() == "wrist"
    name.setText("fore")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert "taken" in window.properties.name_error.text()
    assert "wrist" in window.document.diagram.blocks


# ---------------------------------------------------------------------- runs


def run_to_end(window: Window, qtbot, sim: FakeSim) -> None:
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    window.deck.tick(force=True)  # what the next tick of the window would draw


def test_run_fills_plots_signals_and_result(make_window, qtbot, tmp_path: Path) -> None:
    window = make_window(ARM + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    window.deck.tick(force=True)
    pane = window.deck.panes[0]
    x, y = pane.curves["shoulder.position"].getData()
    assert x[-1] == pytest.approx(2.0)
    np.testing.assert_allclose(
        y, np.sin(x), atol=5e-3
    )  # min-max thinning shifts a sample by less than its group
    assert window.signal_tree.names == ["shoulder.position", "elbow.position"]
    export_pane(pane, window.deck.history, tmp_path / "plot.csv")
    lines = (tmp_path / "plot.csv").read_text().splitlines()
    assert lines[0] == "time [s],shoulder.position [rad]"
    assert len(lines) == 2002
    for suffix in ("png", "svg"):
        export_pane(pane, window.deck.history, tmp_path / f"plot.{suffix}")
        assert (tmp_path / f"plot.{suffix}").stat().st_size > 500
    said = window.files.save_result(window.runner.result_path, tmp_path / "run.csv")
    assert "Saved" in said
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    assert len(pane.earlier) == 1


def test_csv_of_a_long_run_has_every_row(
    make_window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST_ROWS", 400)
    window = make_window(ARM + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position"]))
    deck = window.deck
    assert deck.history is not None
    assert not deck.history.complete
    export_pane(deck.panes[0], deck.history, tmp_path / "plot.csv", deck.complete_rows())
    table = np.loadtxt(tmp_path / "plot.csv", delimiter=",", skiprows=1)
    assert len(table) == 2001
    np.testing.assert_allclose(table[:, 1], np.sin(table[:, 0]), atol=1e-9)


def test_zoom_into_a_plot_shows_all_rows_there_and_fit_follows_again(make_window, qtbot) -> None:
    window = make_window(ARM + "plots: [{y: [shoulder.position]}, {y: [elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    first, second = window.deck.panes
    first.box.setXRange(0.5, 0.6, padding=0)
    first.box.sigRangeChangedManually.emit([True, True])
    time, values = first.curves["shoulder.position"].getData()
    inside = (time > 0.5) & (time < 0.6)
    assert inside.sum() >= 99  # steps of a millisecond
    np.testing.assert_allclose(values[inside], np.sin(time[inside]), atol=1e-9)
    assert second.box.viewRange()[0] == pytest.approx([0.5, 0.6])
    window.deck.fit()
    assert first.box.viewRange()[0] == pytest.approx([0.0, 2.0])


def test_cursor_says_values_and_a_click_on_a_name_hides_its_curve(make_window, qtbot) -> None:
    window = make_window(ARM + "plots: [{title: Joints, y: [shoulder.position, elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    pane = window.deck.panes[0]
    window.deck.cursor_action.setChecked(True)
    pane.line.setValue(1.25)
    assert pane.caption.moment == "t = 1.25 s"
    said = [float(entry.value) for entry in pane.caption.entries]
    np.testing.assert_allclose(said, [np.sin(1.25), np.sin(2.25)], rtol=1e-4)
    window.deck.cursor_action.setChecked(False)
    assert [entry.value for entry in pane.caption.entries] == ["", ""]
    box = next(box for box, k, _ in pane.caption._boxes() if k == 1)
    place = pane.mapFromScene(pane.caption.mapToScene(box.center()))
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert not pane.curves["elbow.position"].isVisible()
    assert pane.curves["shoulder.position"].isVisible()


def test_signals_dropped_on_a_plot_are_kept_in_the_file(make_window) -> None:
    window = make_window(ARM)
    window.deck.add_signals(["shoulder.position", "elbow.position"])
    window.deck.add_pane(["elbow.velocity"])
    window.deck._set_x(0, "shoulder.position")
    assert window.document.diagram.plots == [
        {"x": "shoulder.position", "y": ["elbow.position"]},
        {"y": ["elbow.velocity"]},
    ]
    assert window.deck.panes[0].xy
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert window.document.diagram.to_yaml() == ARM


def test_pause_step_set_and_stop(make_window, qtbot) -> None:
    window = make_window(ARM)
    sim = FakeSim(["shoulder.position"], stop=1e6)
    window.runner.compiler = lambda diagram: sim
    window.running.on_step()
    qtbot.waitUntil(lambda: window.runner.state == "paused", timeout=LONG)
    window.running.on_step()
    qtbot.waitUntil(
        lambda: window.runner.history is not None and window.runner.history.rows >= 2, timeout=LONG
    )
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.time > 1.0, timeout=LONG)
    window.document.set_value("shoulder.damping", 4.0)
    qtbot.waitUntil(lambda: sim.sets == [("shoulder.damping", 4.0)], timeout=LONG)
    assert not window.running.note.text()
    window.document.set_value("elbow.axis", "z")
    window.document.add_block("gain", 0, 600)
    assert "next run" in window.running.note.text()
    window.running.on_stop()
    assert window.runner.state == "finished"


def test_speed_factor_keeps_pace_with_the_clock(make_window, qtbot) -> None:
    import time

    window = make_window(ARM)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"], stop=1e6)
    window.runner.speed = 0.5
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.time > 0.02, timeout=LONG)
    began, at = time.perf_counter(), window.runner.time
    qtbot.waitUntil(lambda: window.runner.time > at + 0.2, timeout=LONG)
    # never ahead of the clock; how far behind it is a matter of the machine
    assert window.runner.time - at <= 0.5 * (time.perf_counter() - began) + 0.1
    window.running.on_stop()


def test_failed_compile_shows_its_problem(make_window, qtbot) -> None:
    from luff.blocks import CompileError

    def refuse(diagram: Diagram):
        raise CompileError("two worlds collide", path="blocks.elbow")

    window = make_window(ARM)
    window.runner.compiler = refuse
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "failed", timeout=LONG)
    qtbot.waitUntil(lambda: window.problems.tree.topLevelItemCount() > 0, timeout=LONG)
    assert "two worlds collide" in window.log.toPlainText()


def test_slider_changes_the_parameter_as_one_step(make_window) -> None:
    window = make_window(ARM)
    window.views.add_slider("upper.mass")
    row = window.controls.rows["upper.mass"]
    for position in (100, 300, 700):
        row.slider.setValue(position)
    assert window.document.diagram.value("upper.mass") == "2.8 kg"
    assert window.document.undo.count() == 1
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == ARM


def test_dark_theme_and_back(make_window) -> None:
    window = make_window(ARM)
    window.views.on_dark(True)
    assert window.view.backgroundBrush().color().lightness() < 60
    window.views.on_dark(False)
    assert window.view.backgroundBrush().color().lightness() > 200


def test_algebraic_loop_is_drawn_on_its_wires(make_window, qtbot) -> None:
    text = """luff: 1
blocks:
  a: {type: gain, k: 2}
  b: {type: gain, k: 3}
  c: {type: gain, k: 1}
connect: [a.y -> b.u, b.y -> a.u, a.y -> c.u]
"""
    window = make_window(text)
    wires = window.view.canvas.wires
    qtbot.waitUntil(lambda: wires["a.y -> b.u"].problem == "error", timeout=LONG)
    assert wires["b.y -> a.u"].problem == "error"
    assert wires["a.y -> c.u"].problem == ""
    assert "error" in window.running.badge.text()


def test_badge_counts_freedoms_and_states(make_window, qtbot) -> None:
    window = make_window(templates()["two_link_arm"])
    qtbot.waitUntil(lambda: "DOF" in window.running.badge.text(), timeout=LONG)
    assert window.running.badge.text() == "2 DOF, 4 states"
    assert window.view3d.canvas.scene is not None


def test_badge_counts_constraints() -> None:
    from luff.gui.running import summary_text

    summary = {"degrees_of_freedom": 1, "bodies": 3, "states": 2, "constraints": 5}
    assert summary_text(summary) == "1 DOF, 2 states, 5 constraints"


def test_file_dropped_on_the_window_opens(make_window, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM)
    window = make_window()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(50, 50),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)
    assert window.document.path == path
    assert "elbow" in window.view.canvas.blocks


def test_file_changed_by_another_program_is_not_overwritten_unasked(
    make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.yaml"
    window = make_window(ARM, path)
    window.document.add_block("gain", 0, 600)
    path.write_text(ARM + "# from another program\n")
    asked: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.text()))
    window.files.on_save()
    assert asked == ["Another program has changed arm.yaml."]
    assert path.read_text().endswith("# from another program\n")
    assert window.isWindowModified()


def test_no_display_is_said_and_not_an_abort(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    command = [sys.executable, "-c", "import sys; from luff.gui.app import main; sys.exit(main())"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "no display" in done.stderr
