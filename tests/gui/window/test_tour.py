"""The tour of the first minute, and the pictures of templates."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from luff.gui.document.starter_models import templates
from luff.gui.recovery.autosave import remember
from luff.gui.window.tour import STOPS, Tour
from luff.gui.window.welcome import THUMB
from luff.tests.gui.driver import LONG
from luff.tests.shared.netlists import TWO_LINKS


def shown(window) -> list[Tour]:
    return [each for each in window.tabs.findChildren(Tour) if each.isVisible()]


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
        assert window.tabs.rect().contains(QRect(tour.pos(), tour.size()))
        assert STOPS[tour.at].part(window).isVisible()
        assert tour.mark.size().width() > 0
        QTest.mouseClick(tour.next, Qt.MouseButton.LeftButton)
    assert titles == [stop.title for stop in STOPS]


def test_the_tour_stays_in_a_small_window(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.tabs.resize(640, 360)
    QApplication.processEvents()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)
    for k in range(len(STOPS)):
        tour.show_stop(k)
        QApplication.processEvents()
        assert window.tabs.rect().contains(tour.geometry())
    tour.end()


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)])
def test_the_tour_begins_beside_the_first_page(make_window, size: tuple[int, int]) -> None:
    window = make_window()
    window.tabs.resize(*size)
    QApplication.processEvents()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)
    QApplication.processEvents()
    page = window.welcome
    assert page.isVisible()
    there = QRect(page.mapTo(window.tabs, page.rect().topLeft()), page.size())
    assert tour.mark.geometry() == there
    assert not tour.geometry().intersects(there)
    search = window.palette_.field  # and the tabs above it
    assert tour.y() > search.mapTo(window.tabs, search.rect().bottomLeft()).y()
    assert window.tabs.rect().contains(tour.geometry())
    tour.end()


def test_return_leads_through_the_tour(make_window, qtbot) -> None:
    window = make_window()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)
    for k in range(len(STOPS)):
        assert tour.at == k
        QApplication.processEvents()
        assert window.tabs.focusWidget() is tour.next
        QTest.keyClick(tour.next, Qt.Key.Key_Return)
    assert not shown(window)
    window.running.on_stop()
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)


def test_the_outline_follows_its_part_when_panels_are_laid_out_after_it(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.tabs.resize(1920, 1080)
    QApplication.processEvents()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)

    def outlined() -> bool:
        QApplication.processEvents()
        part, outer = STOPS[tour.at].part(window), window.tabs
        return (
            tour.mark.geometry()
            == QRect(part.mapTo(outer, part.rect().topLeft()), part.size()) & outer.rect()
        )

    assert outlined()
    before = tour.mark.width()
    for key in ("Palette", "Properties"):
        window.panels.docks[key].hide()
    assert outlined()
    assert tour.mark.width() > before
    tour.end()


def test_the_tour_leaves_the_dock_as_it_was(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.tabs.resize(1920, 1080)
    window.panels.show("Signals")
    QApplication.processEvents()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)
    view = window.view
    assert QRect(view.mapTo(window.tabs, view.rect().topLeft()), view.size()).contains(tour.geometry())
    while shown(window):
        QTest.keyClick(tour.next, Qt.Key.Key_Return)
        QApplication.processEvents()
    assert STOPS[-2].panel == "Problems"  # which was in front
    assert window.panels.is_visible("Signals")


def test_the_tour_runs_a_crane_while_it_talks(make_window, qtbot) -> None:
    window = make_window()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)
    QTest.keyClick(tour.next, Qt.Key.Key_Return)
    assert tour.at == 1
    assert "telescope" in window.top.diagram.blocks
    assert window.top.path is None  # a copy
    while STOPS[tour.at].act is None:
        QTest.keyClick(tour.next, Qt.Key.Key_Return)
    assert window.runner.active
    assert window.running.speed.currentText() == "Real time"
    QTest.keyClick(tour, Qt.Key.Key_Escape)
    window.running.on_stop()
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)


def test_the_tour_leaves_a_model_alone(make_window) -> None:
    window = make_window(TWO_LINKS)
    text = window.top.diagram.to_yaml()
    window.actions_["tour"].trigger()
    (tour,) = shown(window)
    for _ in STOPS:
        QTest.keyClick(tour.next, Qt.Key.Key_Return)
    assert not shown(window)
    assert window.top.diagram.to_yaml() == text
    assert not window.runner.active


def test_the_first_page_lists_recent_files(make_window, tmp_path) -> None:
    paths = [tmp_path / f"{name}.yaml" for name in ("arm", "crane")]
    for path in paths:
        path.write_text(TWO_LINKS)
        remember(path)
    window = make_window()
    links = [each for each in window.welcome.findChildren(QPushButton) if each.text().endswith(".yaml")]
    assert [each.text() for each in links] == ["crane.yaml", "arm.yaml"]
    links[1].setFocus()
    QTest.keyClick(links[1], Qt.Key.Key_Return)
    assert window.top.path == paths[0]


def test_templates_show_what_they_are(make_window) -> None:
    window = make_window()
    buttons = {each.text(): each for each in window.welcome.findChildren(QPushButton)}
    pictures = [
        buttons[key.replace("_", " ").capitalize()].icon().pixmap(THUMB).toImage() for key in templates()
    ]
    for image in pictures:
        assert image.width() > 0
    assert len({bytes(image.constBits()) for image in pictures}) == len(pictures)
