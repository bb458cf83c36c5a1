"""Plots of a run: curves, exports, zoom, cursor, and what of them the file keeps."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

import luff
from luff.blocks import LuffError
from luff.gui.plots.name_cuts import short_names
from luff.gui.plots.pane_menu import PaneMenu
from luff.gui.plots.plot_caption import FOLDED
from luff.gui.plots.plot_export import export_pane, picture_size
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.plots.readings import Asked
from luff.gui.run import run_history
from luff.gui.run.run_history import History
from luff.gui.study.study_plots import VariantBars
from luff.gui.theme import active_theme
from luff.gui.theme.active_theme import WHITE
from luff.gui.theme.colours import PLOT_COLOURS
from luff.tests.gui.driver import LONG, run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS


def test_run_fills_plots_signals_and_result(make_window, qtbot, tmp_path: Path, monkeypatch) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
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
    _, (values,) = window.deck.history.read(["shoulder.position"])
    assert [float(line.split(",")[1]) for line in lines[1:]] == values.tolist()  # every bit
    for suffix in ("png", "svg"):
        export_pane(pane, window.deck.history, tmp_path / f"plot.{suffix}")
        assert (tmp_path / f"plot.{suffix}").stat().st_size > 500
    asked: list[Path] = []
    save_to = lambda *words: asked.append(Path(words[2])) or (str(tmp_path / "run.csv"), "")  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getSaveFileName", save_to)
    window.actions_["save_result"].trigger()
    assert "Saved" in window.message_label.text()
    assert (tmp_path / "run.csv").is_file()
    assert asked[0].name == "arm.h5"  # named after the model
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    assert len(pane.behind.curves["shoulder.position"]) == 1


def test_csv_of_a_long_run_has_every_row(
    make_window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_history, "MOST_ROWS", 400)
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position"]))
    deck = window.deck
    assert deck.history is not None
    assert not deck.history.complete
    export_pane(deck.panes[0], deck.history, tmp_path / "plot.csv", deck.complete_rows())
    table = np.loadtxt(tmp_path / "plot.csv", delimiter=",", skiprows=1)
    assert len(table) == 2001
    np.testing.assert_allclose(table[:, 1], np.sin(table[:, 0]), atol=1e-9)


def test_zoom_into_a_plot_shows_all_rows_there_and_fit_follows_again(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}, {y: [elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    first, second = window.deck.panes
    first.box.setXRange(0.5, 0.6, padding=0)
    first.box.moved.emit(True)
    time, values = first.curves["shoulder.position"].getData()
    inside = (time > 0.5) & (time < 0.6)
    assert inside.sum() >= 99  # steps of a millisecond
    np.testing.assert_allclose(values[inside], np.sin(time[inside]), atol=1e-9)
    assert second.box.viewRange()[0] == pytest.approx([0.5, 0.6])
    window.deck.fit()
    assert first.box.viewRange()[0] == pytest.approx([0.0, 2.0])


def test_cursor_says_values_and_a_click_on_a_name_hides_its_curve(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{title: Joints, y: [shoulder.position, elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    pane = window.deck.panes[0]
    window.deck.cursor_action.setChecked(True)
    pane.line.setValue(1.25)
    table = window.deck.split.table
    assert table.titles == ["Signal", "Unit", "at 1.25 s"]
    np.testing.assert_allclose(
        [float(row.numbers[0]) for row in table.rows], [np.sin(1.25), np.sin(2.25)], rtol=1e-4
    )
    assert {row.unit for row in table.rows} == {"rad"}
    window.deck.cursor_action.setChecked(False)
    assert table.isHidden()
    box = next(box for box, k, _ in pane.caption._boxes() if k == 1)
    place = pane.mapFromScene(pane.caption.mapToScene(box.center()))
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert not pane.curves["elbow.position"].isVisible()
    assert pane.curves["shoulder.position"].isVisible()


def test_a_plot_that_is_added_shows_the_cursors_and_measures_of_the_others(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    deck = window.deck

    def click(tip: str) -> None:
        action = next(action for action in deck._tools.actions() if action.toolTip() == tip)
        QTest.mouseClick(deck._tools.widgetForAction(action), Qt.MouseButton.LeftButton)

    click(deck.measures_action.toolTip())
    click("Add a plot")
    assert not deck.panes[1].line.isVisible()
    measured = deck.panes[0].cursors.asked()
    assert deck.panes[1].cursors.asked() == measured != Asked()
    click(deck.second_action.toolTip())  # and the first with it
    deck.panes[0].line.setValue(1.25)
    deck.panes[0].second.setValue(1.5)
    click("Add a plot")
    deck.add_signals(["elbow.position"])
    first, added = deck.panes[0], deck.panes[2]
    assert added.line.isVisible()
    assert added.second.isVisible()
    assert added.cursors.asked() == first.cursors.asked() == Asked((1.25, 1.5), measured.stretch)
    assert float(added.cursors.rows()[0].numbers[0]) == pytest.approx(np.sin(2.25), rel=1e-4)
    for action in (deck.cursor_action, deck.measures_action):
        click(action.toolTip())
    click("Add a plot")
    assert not any(line.isVisible() for line in (deck.panes[3].line, deck.panes[3].second))
    assert deck.panes[3].cursors.asked() == Asked()


def test_many_names_leave_the_plot_to_its_curves_and_the_others_to_the_table(
    make_window, qtbot, qapp
) -> None:
    names = [f"boom.psi[{k + 1}]" for k in range(60)]
    window = make_window(TWO_LINKS + f"plots: [{{title: Boom, y: {names}}}]\n")
    run_to_end(window, qtbot, FakeSim(names))
    pane = window.deck.panes[0]

    def told() -> dict[str, QRectF]:
        qapp.processEvents()
        return {text: box for box, _, text in pane.caption._boxes()}

    def clicks(text: str) -> None:
        place = pane.mapFromScene(pane.caption.mapToScene(told()[text].center()))
        QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    for width in (330, 700):
        pane.setFixedSize(width, 260)
        few = told()
        assert pane.caption.boundingRect().height() <= FOLDED * pane.height()
        assert pane.box.height() >= 0.5 * pane.height()
        shown = len(few) - 2  # beside the title and the last word
        assert list(few) == ["Boom", *short_names(names)[:shown], f"+{60 - shown}"]
    clicks(f"+{60 - shown}")
    assert list(told()) == list(few)
    table = window.deck.split.table
    assert table.isVisible()
    assert [row.source.name for row in table.rows] == names
    table.setCurrentItem(table.topLevelItem(59))
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert not pane.curves[names[59]].isVisible()
    assert pane.curves[names[58]].isVisible()


def test_signals_dropped_on_a_plot_are_kept_in_the_file(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.deck.add_signals(["shoulder.position", "elbow.position"])
    window.deck.add_pane(["elbow.velocity"])
    PaneMenu(window.deck, window.deck, 0).set_x("shoulder.position")
    assert window.document.diagram.plots == [
        {"x": "shoulder.position", "y": ["elbow.position"]},
        {"y": ["elbow.velocity"]},
    ]
    assert window.deck.panes[0].xy
    while window.document.undo.canUndo():
        window.document.undo.undo()
    assert window.document.diagram.to_yaml() == TWO_LINKS


class Spiky(FakeSim):
    """One sample in a hundred thousand stands out, each way."""

    def values(self, times: np.ndarray) -> np.ndarray:
        found = super().values(times)
        found[np.isclose(times, 33.333, atol=1e-6)] = 40.0
        found[np.isclose(times, 77.777, atol=1e-6)] = -60.0
        return found


@pytest.mark.parametrize("capacity", [400, 60_000, 200_000])  # rows thinned twice, once, and all there
def test_single_sample_that_stands_out_is_drawn(
    make_window, qtbot, monkeypatch: pytest.MonkeyPatch, capacity: int
) -> None:
    monkeypatch.setattr(run_history, "MOST_ROWS", capacity)
    monkeypatch.setattr(run_history, "LEAST_ROWS", min(capacity, run_history.LEAST_ROWS))
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, Spiky(["shoulder.position"], stop=100.0))
    pane = window.deck.panes[0]
    x, y = pane.curves["shoulder.position"].getData()
    assert len(x) < 6 * pane.box.width()
    assert (y.max(), y.min()) == (40.0, -60.0)
    # each where it was, to the groups of the outline where not all rows are kept
    room = 1e-9 if capacity == 200_000 else 3 * 100.0 / (capacity / 2)
    assert x[y.argmax()] == pytest.approx(33.333, abs=room)
    assert x[y.argmin()] == pytest.approx(77.777, abs=room)
    bottom, top = pane.box.viewRange()[1]
    assert bottom < -60 < 40 < top


def test_last_stretch_of_time_is_shown_and_all_plots_share_it(make_window, qtbot) -> None:
    names = ["shoulder.position", "elbow.position"]
    plots = ", ".join(f"{{y: [{name}]}}" for name in names * 3)
    window = make_window(TWO_LINKS + f"plots: [{plots}, {{x: {names[0]}, y: [{names[1]}]}}]\n")
    run_to_end(window, qtbot, FakeSim(names, stop=20.0))
    *timed, path = window.deck.panes
    assert [pane.box.viewRange()[0] for pane in timed] == [pytest.approx([0, 20])] * 6
    window.deck.window_box.setCurrentText("Last 5 s")
    assert [pane.box.viewRange()[0] for pane in timed] == [pytest.approx([15, 20])] * 6
    # a path shows the same stretch, one row beyond included
    x, y = path.curves[names[1]].getData()
    times = np.arange(14.999, 20.0005, 1e-3)[-len(x) :]
    assert len(x) in (5001, 5002)
    np.testing.assert_allclose(x, np.sin(times), atol=1e-9)
    np.testing.assert_allclose(y, np.sin(times + 1), atol=1e-9)
    window.deck.window_box.setCurrentText("Whole run")
    timed[4].box.setXRange(3, 4, padding=0)
    timed[4].box.moved.emit(True)
    assert [pane.box.viewRange()[0] for pane in timed] == [pytest.approx([3, 4])] * 6


def test_path_ends_where_the_run_ends(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{x: shoulder.position, y: [elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"], stop=12.3456, step=1e-3))
    x, y = window.deck.panes[0].curves["elbow.position"].getData()
    end = window.runner.time
    assert (x[-1], y[-1]) == (pytest.approx(np.sin(end)), pytest.approx(np.sin(end + 1)))
    assert (x[0], y[0]) == (0.0, pytest.approx(np.sin(1)))
    # values of one moment: every point lies on the ellipse of two sines a radian apart
    np.testing.assert_allclose(x**2 + y**2 - 2 * x * y * np.cos(1), np.sin(1) ** 2, atol=1e-9)


def test_signals_dragged_from_the_list_are_dropped_on_the_plot_under_the_mouse(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}, {y: [elbow.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position", "elbow.velocity"]))
    tree = window.signal_tree
    qtbot.waitUntil(lambda: "elbow.velocity" in tree._items, timeout=LONG)
    mime = tree.tree.mimeData([tree._items[name] for name in ("elbow.velocity", "elbow.position")])
    pane = window.deck.panes[1]
    actions, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(pane.rect().center(), actions, mime, button, Qt.KeyboardModifier.NoModifier)
    pane.dragEnterEvent(enter)
    assert enter.isAccepted()
    place = QPointF(pane.rect().center())
    pane.dropEvent(QDropEvent(place, actions, mime, button, Qt.KeyboardModifier.NoModifier))
    assert [spec["y"] for spec in window.document.diagram.plots] == [
        ["shoulder.position"],
        ["elbow.position", "elbow.velocity"],
    ]
    # drawn at once from the run that is there
    x, y = window.deck.panes[1].curves["elbow.velocity"].getData()
    np.testing.assert_allclose(y, np.sin(x + 2), atol=5e-3)
    text = QMimeData()  # an event does not keep its data
    other = QDragEnterEvent(pane.rect().center(), actions, text, button, Qt.KeyboardModifier.NoModifier)
    pane.dragEnterEvent(other)
    assert not other.isAccepted()


def test_signals_of_the_list_are_plotted_from_their_menu(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{title: Joints, y: [shoulder.position]}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position", "elbow.velocity"]))
    tree = window.signal_tree
    qtbot.waitUntil(lambda: "elbow.velocity" in tree._items, timeout=LONG)
    tree._items["elbow.velocity"].setSelected(True)

    def choose(text: str) -> None:
        menu = QMenu()
        tree.fill_menu(menu)
        next(action for action in menu.actions() if action.text() == text).trigger()

    choose("Plot")
    assert window.message_label.text() == 'elbow.velocity in the plot "Joints"'
    choose("Plot in a New Plot")
    assert [spec["y"] for spec in window.document.diagram.plots] == [
        ["shoulder.position", "elbow.velocity"],
        ["elbow.velocity"],
    ]
    choose("Copy Name")
    assert QApplication.clipboard().text() == "elbow.velocity"


def test_earlier_runs_stay_behind_five_of_them_and_follow_the_axis(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position, elbow.position]}]\n")
    pane = window.deck.panes[0]
    for k in range(8):
        sim = FakeSim(["shoulder.position", "elbow.position"])
        sim.gain = float(k + 1)
        run_to_end(window, qtbot, sim)
    # the run before the last one is the youngest of those behind
    tops = [float(curve.getData()[1].max()) for curve in pane.behind.curves["shoulder.position"]]
    np.testing.assert_allclose(tops, [3, 4, 5, 6, 7], rtol=1e-3)
    assert (
        max(c.zValue() for c in pane.behind.curves["elbow.position"]) < pane.curves["elbow.position"].zValue()
    )
    PaneMenu(window.deck, window.deck, 0).remove_signal("elbow.position")
    assert list(pane.behind.curves) == ["shoulder.position"]
    window.document.undo.undo()
    PaneMenu(window.deck, window.deck, 0).set_x("elbow.position")
    (name,) = pane.behind.curves
    assert name == "shoulder.position"
    x, y = pane.behind.curves[name][0].getData()
    t = np.linspace(0.0, 2.0, len(x))
    np.testing.assert_allclose(x, 3.0 * np.sin(t + 1.0), atol=1e-2)
    np.testing.assert_allclose(y, 3.0 * np.sin(t), atol=1e-2)
    drawn = [item for item in pane.item.items if isinstance(item, pg.PlotDataItem)]
    assert len(drawn) == 1 + 5


def test_pictures_show_the_curves_and_name_them(make_window, qtbot, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS + "plots: [{title: Angles, y: [shoulder.position, elbow.position]}]\n")
    window.tabs.resize(1200, 800)
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    pane = window.deck.panes[0]
    export_pane(pane, window.deck.history, tmp_path / "plot.png")
    image = QImage(str(tmp_path / "plot.png"))
    assert image.size() == 2 * picture_size(pane)
    colours = {
        image.pixelColor(i, j).name() for i in range(0, image.width(), 2) for j in range(image.height())
    }
    assert {WHITE.paper, *(QColor(colour).name() for colour in PLOT_COLOURS[:2])} <= colours
    export_pane(pane, window.deck.history, tmp_path / "plot.svg")
    drawing = ElementTree.parse(tmp_path / "plot.svg")
    words = "".join(text.text or "" for text in drawing.iter("{http://www.w3.org/2000/svg}text"))
    for word in ("Angles", "shoulder.position", "elbow.position", "time [s]"):
        assert word in words
    lines = [line.get("points", "") for line in drawing.iter("{http://www.w3.org/2000/svg}polyline")]
    paths = [path.get("d", "") for path in drawing.iter("{http://www.w3.org/2000/svg}path")]
    assert max(len(text) for text in (*lines, *paths)) > 2000  # a curve of many points


def test_csv_of_a_signal_over_itself_and_of_nothing(make_window, qtbot, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS + "plots: [{x: shoulder.position, y: [shoulder.position]}]\n")
    with pytest.raises(LuffError, match="no run to export"):
        export_pane(window.deck.panes[0], window.deck.history, tmp_path / "plot.csv")
    run_to_end(window, qtbot, FakeSim(["shoulder.position"]))
    export_pane(window.deck.panes[0], window.deck.history, tmp_path / "plot.csv")
    assert (tmp_path / "plot.csv").read_text().splitlines()[0] == "time [s],shoulder.position [rad]"


def test_all_plots_catch_up_when_a_run_is_paused(make_window, qtbot) -> None:
    names = ["shoulder.position", "elbow.position"]
    window = make_window(
        TWO_LINKS + "plots: [{y: [shoulder.position]}, {y: [elbow.position]}, {y: [shoulder.position]}]\n"
    )
    window.runner.compiler = lambda diagram: FakeSim(names, stop=1e6)
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.time > 1, timeout=LONG)
    window.running.on_pause()

    def ends() -> list[float]:
        curves = [curve.getData()[0] for pane in window.deck.panes for curve in pane.curves.values()]
        return [float(x[-1]) for x in curves if x is not None and len(x)]

    qtbot.waitUntil(lambda: ends() == 3 * [window.runner.history.span()[1]], timeout=LONG)
    window.running.on_stop()


def test_closed_plots_do_not_follow_the_theme(qapp) -> None:
    plots = [PlotPane(PlotSpec.of({"y": ["a.y"]})), VariantBars()]
    for plot in plots:
        plot.close()
    active_theme.holder.use("dark")
    active_theme.holder.use("light")
    assert all(plot.closed for plot in plots)


class Growing(run_history.History):
    """A run that goes on while plots are drawn: a second of rows for each time that somebody reads."""

    def read_window(self, names, start, end, points):
        first = self.span()[1]
        times = first + np.linspace(0.01, 1.0, 100)
        self.append(times, np.column_stack([np.sin(times), np.cos(times)]))
        return super().read_window(names, start, end, points)


def test_plots_beside_each_other_are_as_wide_and_end_at_one_height(make_window, qtbot) -> None:
    """However long their captions are, and whichever of them says what is along its axis."""
    long = "crane.superstructure.luffing_cylinder.position"
    plots = f"plots: [{{y: [{long}, b, c, d]}}, {{y: [b]}}, {{y: [c]}}, {{x: b, y: [c]}}]\n"
    window = make_window(TWO_LINKS + plots)
    window.deck.resize(820, 320)
    made = run_history.History([long, "b", "c", "d"], {})
    made.append(np.linspace(0.0, 1.0, 11), np.linspace(4 * (0.0,), 4 * (1.0,), 11))
    window.deck.loaded = made
    window.deck.show()
    window.deck.tick(force=True)
    panes = window.deck.panes
    bottoms = lambda row: [round(pane.box.sceneBoundingRect().bottom()) for pane in row]  # noqa: E731
    qtbot.waitUntil(
        lambda: len({pane.x() for pane in panes}) == 2 and len({*bottoms(panes[:2])}) == 1, timeout=LONG
    )
    assert abs(panes[0].width() - panes[1].width()) <= 1
    assert len({*bottoms(panes[2:])}) == 1


def test_the_plan_of_a_point_is_drawn_behind_what_it_does(qapp) -> None:
    diagram = luff.load("library/manipulator_olkc.yaml")
    history = History.of(luff.compile(diagram).run(stop=1e-4))
    pane = PlotPane(PlotSpec.of(diagram.plots[0]))
    pane.refresh(history, (0.0, 1e-4), live=False)
    [item] = pane._plans
    z, y = item.getData()
    assert (min(z), max(z), min(y), max(y)) == pytest.approx((-0.1, 0.1, 0.25, 0.45))
    assert pane.spec.raw()["plan"] == "program"
    pane.show_spec(PlotSpec())
    assert pane._plans == []


def test_all_plots_of_a_run_end_at_the_same_time(make_window) -> None:
    """However fast the run, and however long each plot takes to draw."""
    plots = "plots: [{y: [a]}, {y: [b]}, {y: [a, b]}, {y: [b], title: again}]\n"
    window = make_window(TWO_LINKS + plots)
    grown = Growing(["a", "b"])
    grown.append(np.zeros(1), np.array([[0.0, 1.0]]))
    window.deck.loaded = grown
    for _ in range(3):
        window.deck.tick()
        ends = {float(curve.getData()[0][-1]) for pane in window.deck.panes for curve in pane.curves.values()}
        assert len(ends) == 1, ends
