"""A plot without curves: it has no lines of times, and a menu of the signals that it may show."""

from __future__ import annotations

from pathlib import Path

from luff.tests.gui.driver import run_to_end
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import User
from luff.tests.shared.netlists import TWO_LINKS


def test_an_empty_plot_has_no_lines_of_times_and_a_menu_of_signals(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS + "plots: [{y: [shoulder.position]}, {title: Free, y: []}]\n")
    run_to_end(window, qtbot, FakeSim(["shoulder.position", "elbow.position"]))
    deck, user = window.deck, User(window, None, Path())
    deck.second_action.setChecked(True)
    deck.show_moment(1.0)
    shown = lambda: [  # noqa: E731
        [line.isVisible() for line in (pane.line, pane.second, pane.moment)] for pane in deck.panes
    ]
    assert shown() == [[True] * 3, [False] * 3]
    user.chooses("Add Signal", "elbow", "position")
    user.pane_menu(1)
    assert deck.panes[1].spec.y == ["elbow.position"]
    assert shown() == [[True] * 3, [True] * 3]
    deck.remove_pane(1)
    deck.add_pane()
    assert shown() == [[True] * 3, [False] * 3]
