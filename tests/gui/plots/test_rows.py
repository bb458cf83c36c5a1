"""Rows of plots: what is in sight is whole, and the lowest plot of a column has the time."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from luff.gui.plots.plot_caption import CURVES
from luff.gui.plots.plot_export import PICTURE, alone, export_pane, picture_size
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_rows import PlotRows
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.run.run_history import History
from luff.tests.gui.driver import LONG, run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

NAMES = ["shoulder.position", "elbow.position"]


def rows_of(qtbot, count: int, size: tuple[int, int], paths: tuple[int, ...] = ()) -> PlotRows:
    rows = PlotRows()
    qtbot.addWidget(rows)
    specs = [PlotSpec(f"Plot {k}", NAMES[:1], NAMES[1] if k in paths else "time") for k in range(count)]
    rows.resize(*size)
    rows.show()
    rows.show_panes([PlotPane(spec) for spec in specs])
    QApplication.processEvents()
    return rows


def history_of(names: list[str]) -> History:
    history = History(names)
    times = np.linspace(0.0, 1.0, 4001)
    history.append(times, np.sin(40.0 * times)[:, None])
    return history


def seen(rows: PlotRows) -> list[int]:
    return [k for k, pane in enumerate(rows.panes) if pane.isVisible()]


def timed(rows: PlotRows) -> list[int]:
    return [k for k in seen(rows) if rows.panes[k].numbered]


def is_whole(rows: PlotRows, pane: PlotPane) -> bool:
    top = pane.mapTo(rows, QPoint(0, 0)).y()
    return top >= 0 and top + pane.height() <= rows.height() and pane.box.height() >= CURVES


@pytest.mark.parametrize(
    ("count", "size", "first", "lowest"),
    [
        (2, (800, 200), [0, 1], [0, 1]),
        (3, (800, 210), [0, 1, 2], [1, 2]),
        (4, (800, 200), [0, 1, 2, 3], [2, 3]),
        (7, (1200, 210), [0, 1, 2, 3, 4, 5], [3, 4, 5]),
        (4, (800, 120), [0, 1], [0, 1]),
        (3, (400, 800), [0, 1, 2], [2]),
    ],
)
def test_rows_share_the_height_and_the_lowest_has_the_time(
    qtbot, count: int, size: tuple[int, int], first: list[int], lowest: list[int]
) -> None:
    rows = rows_of(qtbot, count, size)
    assert seen(rows) == first
    assert timed(rows) == lowest
    assert all(is_whole(rows, rows.panes[k]) for k in first)
    assert rows.bar.isVisible() == (len(first) < count)
    assert not rows.area.verticalScrollBar().isVisible()


@pytest.mark.parametrize("size", [(1200, 210), (800, 185), (420, 150), (800, 520)])
def test_each_plot_is_reached_by_whole_rows(qtbot, size: tuple[int, int]) -> None:
    rows = rows_of(qtbot, 7, size)
    reached = set()
    for first in range(rows.bar.maximum() + 1):
        rows.bar.setValue(first)
        QApplication.processEvents()
        assert all(is_whole(rows, rows.panes[k]) for k in seen(rows))
        columns = {rows.panes[k].x() for k in seen(rows)}
        assert {rows.panes[k].x() for k in timed(rows)} == columns  # each has its time
        reached |= {*seen(rows)}
    assert reached == {*range(7)}
    for k in (0, 6):
        rows.reveal(rows.panes[k])
        assert k in seen(rows)


def test_a_path_has_its_own_numbers_and_ends_the_column_above_it(qtbot) -> None:
    rows = rows_of(qtbot, 4, (800, 330), paths=(2,))
    assert timed(rows) == [0, 1, 2, 3]
    rows = rows_of(qtbot, 4, (800, 330))
    assert timed(rows) == [2, 3]


def test_a_low_window_shows_two_plots_below_each_other_with_their_times(make_window, qtbot) -> None:
    window = make_window(
        TWO_LINKS + f"plots: [{{title: Both, y: {NAMES}}}, {{y: {NAMES}}}, {{y: {NAMES}}}]\n"
    )
    window.tabs.resize(960, 540)
    run_to_end(window, qtbot, FakeSim(NAMES))
    window.panels.show("Plots")
    rows = window.deck.rows
    qtbot.waitUntil(
        lambda: seen(rows) == [0, 1, 2] and all(is_whole(rows, p) for p in rows.panes), timeout=LONG
    )
    window.deck.add_pane()
    window.deck.add_pane()
    assert seen(rows)[-1] == 4  # what was added is in sight


def test_plots_keep_their_places_when_another_one_comes(qtbot) -> None:
    rows = rows_of(qtbot, 4, (1200, 240))

    def places(panes: list[PlotPane]) -> list[tuple[int, int]]:
        return [rows._grid.getItemPosition(rows._grid.indexOf(pane))[:2] for pane in panes]  # type: ignore[misc]

    panes = [*rows.panes]
    before = places(panes)
    assert before == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for new in ((0, 2), (1, 2)):
        panes.append(PlotPane(PlotSpec("more", NAMES[:1])))
        rows.show_panes(panes)
        assert places(panes[:4]) == before
        assert places(panes[-1:]) == [new]
    rows.show_panes(panes[:1])  # alone, in the large view
    rows.show_panes(panes)
    assert places(panes[:4]) == before


def test_a_plot_that_gets_the_window_is_drawn_as_finely_as_it_is_wide(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + f"plots: [{{y: {NAMES[:1]}}}, {{y: {NAMES[:1]}}}, {{y: {NAMES[:1]}}}]\n")
    window.tabs.resize(1280, 720)
    run_to_end(window, qtbot, FakeSim(NAMES))  # of 2001 rows
    window.panels.show("Plots")
    deck = window.deck
    pane = deck.panes[1]

    def points() -> int:
        return len(pane.curves[NAMES[0]].getData()[0])

    deck.current = 1
    QApplication.processEvents()
    assert 0 < points() < 900
    pane.large_wanted.emit()
    QApplication.processEvents()
    QApplication.processEvents()  # the curves follow the layout
    assert points() > pane.box.width() > 900


@pytest.mark.parametrize("number", [0, 3])
def test_a_plot_is_exported_at_a_size_that_can_be_read(qtbot, tmp_path, number: int) -> None:
    rows = rows_of(qtbot, 4, (420, 185))
    pane = rows.panes[number]
    assert pane.isVisible() == (number == 0)
    size = picture_size(pane)
    pane.refresh(history_of(NAMES[:1]), (0.0, 1.0), live=False)
    with alone(pane, 2):
        assert (
            len(pane.curves[NAMES[0]].getData()[0]) > 2 * pane.box.width()
        )  # a point a pixel of the picture
        assert pane.item.size().height() == pytest.approx(size.height(), abs=2)  # the plot fills it
        assert pane.item.size().width() == pytest.approx(size.width(), abs=2)
    before, numbered = pane.size(), pane.numbered
    export_pane(pane, None, tmp_path / "plot.png")
    picture = QImage(str(tmp_path / "plot.png"))
    assert picture.size() == 2 * size
    assert size.width() >= PICTURE.width()
    assert size.height() >= PICTURE.height()
    assert (pane.size(), pane.numbered) == (before, numbered)


def test_room_for_a_right_axis_is_kept_in_its_column_alone(make_window, qapp) -> None:
    plots = "plots: [{y: [torque, share]}, {y: [torque]}, {y: [share]}, {y: [torque], title: again}]\n"
    window = make_window(TWO_LINKS + plots)
    history = History(["torque", "share"], {"torque": "N*m", "share": ""})
    history.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 0.0), (1.0, 2.0), 11))
    deck = window.deck
    deck.loaded = history
    deck.resize(820, 320)
    deck.show()
    qapp.processEvents()
    deck.tick(force=True)
    qapp.processEvents()
    rights = lambda: [round(pane.width() - pane.box.sceneBoundingRect().right()) for pane in deck.panes]  # noqa: E731
    assert deck.rows.columns == 2
    two, one, below, other = rights()
    assert two == below > one == other
    deck.rows.columns = 1  # all of them below each other
    deck.rows.align()
    qapp.processEvents()
    assert len({*rights()}) == 1


def test_the_current_plot_stays_in_sight_when_the_rows_become_others(qtbot) -> None:
    rows = rows_of(qtbot, 4, (800, 200))
    rows.current = rows.panes[3]
    assert seen(rows) == [0, 1, 2, 3]
    rows.resize(600, 200)  # one column
    QApplication.processEvents()
    assert 3 in seen(rows)
    rows.bar.setValue(0)
    assert seen(rows)[0] == 0


def test_a_run_without_time_has_the_axis_of_all_of_it(make_window, monkeypatch) -> None:
    deck = make_window(TWO_LINKS).deck
    history = History(["x"])
    history.append(np.zeros(1), np.zeros((1, 1)))
    with monkeypatch.context() as patch:
        patch.setattr(deck, "runner", SimpleNamespace(active=True, course=SimpleNamespace(stop=60.0)))
        assert deck.span(history) == (0.0, 60.0)
        history.append(np.array([1.0]), np.zeros((1, 1)))
        assert deck.span(history) == (0.0, 1.25)
