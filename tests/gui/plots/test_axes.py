"""Numbers of the vertical axis leave room for its title."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QPainter, QPicture
from PySide6.QtWidgets import QApplication

from luff.gui.plots.plot_base import LONGEST, short_number
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.run.run_history import History


@pytest.mark.parametrize(
    ("value", "spacing", "words"),
    [
        (450000.0, 50000.0, "4.5e5"), (400000.0, 100000.0, "4e5"), (-1250000.0, 250000.0, "-1.25e6"), (0.0, 1e5, "0"),
        (5000.0, 5000.0, "5000"), (2.5e-5, 5e-6, "2.5e-5"), (1e-9 * 1e5, 1e5, "0"), (300000.2, 0.1, "3.000002e5"),
    ],
)  # fmt: skip
def test_a_long_number_is_written_with_its_power(value: float, spacing: float, words: str) -> None:
    assert short_number(value, spacing) == words
    assert float(words) == pytest.approx(value, abs=1e-3 * spacing)


@pytest.mark.parametrize("size", [1.0, 480000.0, -3.2e7, 2e-6])
def test_no_number_lies_on_the_title(qapp: QApplication, size: float) -> None:
    pane = PlotPane(PlotSpec())
    pane.resize(400, 260)
    pane.show()
    axis = pane.item.getAxis("left")
    pane.side.show_text("luff_drive.effort [N*m]", "#000000")
    pane.item.plot(np.array([0.0, 1.0]), np.array([0.7 * size, size]))
    pane.autoRange()
    qapp.processEvents()
    levels = axis.tickValues(*sorted(pane.box.viewRange()[1]), axis.boundingRect().height())  # type: ignore[attr-defined]
    texts = [text for spacing, values in levels[:2] for text in axis.tickStrings(list(values), 1.0, spacing)]
    assert texts
    title = axis.label.boundingRect().height()  # it stands upright
    metrics = QFontMetricsF(qapp.font())
    wide = max(metrics.horizontalAdvance(text) for text in texts)
    assert wide + title <= axis.width() + 10  # tick and margins of the label
    assert max(map(len, texts)) <= LONGEST + 3
    pane.close()


LONG = "crane.superstructure.luffing_cylinder.position"


def filled() -> History:
    history = History([LONG, "b"], {LONG: "m", "b": "N"})
    time = np.linspace(0.0, 10.0, 101)
    history.append(time, np.column_stack([time, 1e4 * time]))
    return history


@pytest.mark.parametrize(("x", "size"), [("time", (420, 160)), (LONG, (420, 160)), (LONG, (260, 150))])
def test_title_below_a_plot_is_whole_and_clear_of_the_numbers(
    qapp: QApplication, x: str, size: tuple[int, int]
) -> None:
    pane = PlotPane(PlotSpec("", ["b"], x))
    pane.resize(*size)
    pane.show_time_label(True)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    qapp.processEvents()
    axis = pane.item.getAxis("bottom")
    label = axis.label
    assert label.isVisible()
    metrics = QFontMetricsF(label.font())
    title = label.mapRectToScene(label.boundingRect())
    high = metrics.ascent() + metrics.descent()  # without the margins that a label has
    low = title.center().y() + high / 2
    assert low <= pane.height() - 1
    assert title.left() >= 0
    assert title.right() <= pane.width() + 4  # its margin
    numbers = axis.mapRectToScene(axis.boundingRect()).top() + QFontMetricsF(axis.font()).height()
    assert title.center().y() - high / 2 >= numbers
    assert ("time [s]" if x == "time" else "[m]") in label.toPlainText()
    pane.close()


def test_the_first_and_the_last_number_stand_at_the_ends_of_the_time(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.resize(420, 200)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    qapp.processEvents()
    axis, picture = pane.item.getAxis("bottom"), QPicture()
    painter = QPainter(picture)
    _, _, texts = axis.generateDrawSpecs(painter)  # type: ignore[attr-defined]
    painter.end()
    ends = {text: axis.mapRectToScene(box) for box, _, text in texts if text in ("0", "10")}
    assert set(ends) == {"0", "10"}
    assert ends["0"].left() >= 0
    assert ends["10"].right() <= pane.width()
    pane.close()


def test_the_numbers_at_the_ends_of_an_upright_axis_are_drawn(qapp: QApplication) -> None:
    """In a low plot too, where half a number stands out over its axis."""
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.resize(420, 150)
    pane.show()
    pane.refresh(filled(), (0.0, 10.0), live=False)
    pane.item.setYRange(0.0, 6.0, padding=0)
    qapp.processEvents()
    axis, picture = pane.item.getAxis("left"), QPicture()
    painter = QPainter(picture)
    _, _, texts = axis.generateDrawSpecs(painter)  # type: ignore[attr-defined]
    painter.end()
    assert {"0", "6"} <= {text for _, _, text in texts} or {"0", "5"} <= {text for _, _, text in texts}
    pane.close()


@pytest.mark.parametrize(
    ("span", "step"), [((-200.0, 20.0), 90.0), ((-100.0, 0.0), 45.0), ((-8.0, 2.0), 2.0)]
)
def test_angles_are_written_in_parts_of_a_turn(
    qapp: QApplication, span: tuple[float, float], step: float
) -> None:
    pane = PlotPane(PlotSpec())
    axis = pane.item.getAxis("left")
    axis.degrees = True
    spacing = axis.tickSpacing(*span, 150.0)[0][0]
    assert spacing == step if step >= 5.0 else spacing <= 5.0
    assert len(axis.tickValues(*span, 150.0)[0][1]) >= 2
    pane.close()


def test_decades_are_written_alike(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec())
    axis = pane.item.getAxis("left")
    assert axis.logTickStrings([-4.0, 2.0, 5.0, 10.0], 1.0, 1.0) == ["1e-4", "100", "1e5", "1e10"]
    pane.close()


def test_an_axis_writes_all_its_numbers_alike(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec())
    axis = pane.item.getAxis("left")
    pane.item.setYRange(0.0, 1e5)
    coarse = axis.tickStrings([0.0, 5e4, 1e5], 1.0, 5e4)
    fine = axis.tickStrings([1e4, 2e4], 1.0, 1e4)
    assert (coarse, fine) == (["0", "5e4", "1e5"], ["1e4", "2e4"])
    pane.close()


def test_a_plot_without_curves_has_no_numbers(qapp: QApplication) -> None:
    pane = PlotPane(PlotSpec("", ["b"]))
    pane.resize(420, 200)
    pane.show()
    qapp.processEvents()
    axes = [pane.item.getAxis(side) for side in ("left", "bottom")]
    assert not any(axis.style["showValues"] for axis in axes)  # type: ignore[attr-defined]
    assert "Run" in pane.empty.text  # type: ignore[attr-defined]
    painter = QPainter(picture := QPicture())
    assert axes[0].generateDrawSpecs(painter)[1:] == ([], [])  # type: ignore[attr-defined]
    painter.end()
    assert picture
    pane.refresh(filled(), (0.0, 10.0), live=False)
    assert all(axis.style["showValues"] for axis in axes)  # type: ignore[attr-defined]
    assert pane.empty.text == ""  # type: ignore[attr-defined]
    pane.show_spec(PlotSpec())
    assert "Drop" in pane.empty.text  # type: ignore[attr-defined]
    assert not any(axis.style["showValues"] for axis in axes)  # type: ignore[attr-defined]
    pane.close()
