"""Numbers of the vertical axis leave room for its title."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from luff.gui.plots.pane import PlotPane
from luff.gui.plots.spec import PlotSpec
from luff.gui.plots.values import LONGEST, short


@pytest.mark.parametrize(
    ("value", "spacing", "words"),
    [
        (450000.0, 50000.0, "4.5e5"), (400000.0, 100000.0, "4e5"), (-1250000.0, 250000.0, "-1.25e6"), (0.0, 1e5, "0"),
        (5000.0, 5000.0, "5000"), (2.5e-5, 5e-6, "2.5e-5"), (1e-9 * 1e5, 1e5, "0"), (300000.2, 0.1, "3.000002e5"),
    ],
)  # fmt: skip
def test_a_long_number_is_written_with_its_power(value: float, spacing: float, words: str) -> None:
    assert short(value, spacing) == words
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
