"""The tour of the first minute, and the pictures of templates."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from luff.gui.document.starter_models import templates
from luff.gui.window.tour import STOPS, Tour


def shown(window) -> list[Tour]:
    return [each for each in window.findChildren(Tour) if each.isVisible()]


def test_the_tour_is_offered_once_and_comes_back_from_help(make_window) -> None:
    window = make_window()
    window.views.offer_tour()
    (tour,) = shown(window)
    QTest.keyClick(tour, Qt.Key.Key_Escape)
    assert not shown(window)
    assert not tour.mark.isVisible()
    window.views.offer_tour()
    assert not shown(window)  # remembered
    window.actions_["tour"].trigger()
    titles = []
    while shown(window):
        titles.append(tour.title.text())
        QApplication.processEvents()
        assert window.rect().contains(QRect(tour.pos(), tour.size()))
        assert STOPS[tour.at].part(window).isVisible()
        assert tour.mark.size().width() > 0
        QTest.mouseClick(tour.next, Qt.MouseButton.LeftButton)
    assert titles == [stop.title for stop in STOPS]


def test_templates_show_what_they_are(make_window) -> None:
    window = make_window()
    buttons = {each.text(): each for each in window.welcome.findChildren(QPushButton)}
    pictures = [buttons[key.replace("_", " ")].icon().pixmap(96, 48).toImage() for key in templates()]
    for image in pictures:
        assert image.width() > 0
    assert len({bytes(image.constBits()) for image in pictures}) == len(pictures)
