"""A diagram opens at a zoom at which it can be read; all of it is shown once that is asked for."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from luff.gui.canvas.canvas_protocol import LEGIBLE
from luff.tests.gui.driver import LONG


def seen(view) -> QRectF:
    return view.mapToScene(view.viewport().rect()).boundingRect()


def test_a_diagram_opens_legible_and_is_fitted_whole_on_demand(make_canvas, qtbot) -> None:
    view = make_canvas().view
    view.fit()
    whole = view.zoom()
    view._whole, share = False, 0.6 * LEGIBLE / whole
    view.resize(round(share * view.width()), round(share * view.height()))
    qtbot.waitUntil(lambda: view.zoom() == LEGIBLE, timeout=LONG)
    content = view.canvas.content_rect()
    assert seen(view).contains(content.topLeft())
    assert not seen(view).contains(content)
    view.resize(view.width(), view.height() + 20)  # again, in another size
    QApplication.processEvents()
    assert view.zoom() == LEGIBLE
    view.fit()
    assert view.zoom() < LEGIBLE
    assert seen(view).contains(content)
    view.resize(view.width(), view.height() - 20)
    qtbot.waitUntil(lambda: seen(view).contains(content), timeout=LONG)
    assert view.zoom() < LEGIBLE


def test_a_diagram_with_room_in_one_direction_stands_in_its_middle(make_canvas, qtbot) -> None:
    view = make_canvas().view
    content = view.canvas.content_rect()
    view.fit()
    view._whole = False
    wide = round(1.5 * LEGIBLE * content.width())
    view.resize(wide, round(0.5 * LEGIBLE * content.height()))
    qtbot.waitUntil(lambda: view.zoom() == LEGIBLE, timeout=LONG)
    assert abs(seen(view).center().x() - content.center().x()) < 4.0 / LEGIBLE  # pixels
    assert seen(view).top() <= content.top() <= seen(view).bottom()
