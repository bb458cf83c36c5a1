"""The clock of a run gives up words before numbers; plots and the 3-D view say that a run is compiling."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from luff.gui.plots.plot_pane import AWAITS, COMPILING
from luff.gui.window.run_bar import Clock
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import User
from luff.tests.shared.netlists import TWO_LINKS


def test_the_clock_keeps_the_factor_where_there_is_little_room(qapp: QApplication) -> None:
    clock = Clock()
    clock.show_time(11.916, "0.98 x", "")
    seen = []
    for width in range(400, 0, -1):
        clock.resize(width, 20)
        if clock.shown() not in seen:
            seen.append(clock.shown())
        if clock.shown() == "12 s   0.98 x":
            break
    assert seen == [
        "t = 11.916 s   0.98 x",
        "11.916 s   0.98 x",
        "11.92 s   0.98 x",
        "11.9 s   0.98 x",
        "12 s   0.98 x",
    ]
    clock.setText("Making its equations")
    clock.resize(400, 20)
    assert clock.shown() == "Making its equations"


def test_plots_say_that_a_run_compiles(user: User, qtbot) -> None:
    window = user.window
    window.document.set_section("plots", [{"y": ["shoulder.position"]}])
    pane = window.deck.panes[0]
    assert pane.empty.text == AWAITS
    window.runner.state_changed.emit("compiling")
    assert pane.empty.text == COMPILING
    window.runner.state_changed.emit("running")
    assert pane.empty.text == AWAITS


def test_an_empty_3d_view_says_so_in_the_same_word(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"])
    window.runner.state = "compiling"
    window.running._show_empty_text()
    assert window.view3d.canvas.awaits == COMPILING
    window.runner.state = "idle"
    window.running._show_empty_text()
    assert window.view3d.canvas.awaits != COMPILING
