"""No two nets share a corner, an end or a piece of their way: who reads a diagram sees what is wired to what."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

import luff
from luff.gui.canvas import rest_routing
from luff.gui.canvas.block_item import VALUE_FROM
from luff.gui.canvas.scene import ROUTED_ANEW
from luff.gui.canvas.wire_item import LETTERS, TIP, box_of
from luff.gui.document import clipboard
from luff.gui.drawing.wire_nets import net_of_each, spread_ends
from luff.gui.theme.active_theme import canvas_font
from luff.gui.window.main_window import Window
from luff.tests.gui.canvas.painted import painted_words, what_values_meet
from luff.tests.gui.canvas_faults import shared_nets, without_way
from luff.tests.gui.driver import LONG, Canvas

LIBRARY = Path(luff.__file__).parent / "library"
MODELS = sorted(path.stem for path in LIBRARY.glob("*.yaml"))


CANVAS = (1035, 537)  # px of the canvas on a screen of 1600x1000, see the test below
READABLE = 0.7  # zoom


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_library_can_be_read(
    name: str, make_canvas: Callable[..., Canvas], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a screen of 1600x1000, with lines for all wires but those that say otherwise."""
    path = LIBRARY / f"{name}.yaml"
    canvas = make_canvas(path.read_text(), path.parent)
    assert shared_nets(canvas) == []
    assert without_way(canvas) == 0
    view = canvas.view
    view.resize(QSize(*CANVAS) + view.size() - view.viewport().size())
    view.fit()
    assert view.zoom() >= READABLE
    # nothing is cut at an edge, and the words of each tag fit into it
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    for item in (*canvas.scene.blocks.values(), *canvas.scene.wires.values()):
        assert seen.contains(item.mapRectToScene(item.boundingRect())), item
    letters = QFontMetricsF(canvas_font(LETTERS))
    for label in (label for wire in canvas.scene.wires.values() for label in wire.labels):
        assert seen.contains(box_of(label)), label.text
        assert letters.horizontalAdvance(label.text) <= max(box_of(label).size().toTuple()) - TIP, label.text
    # values lie in their blocks, beside all other words
    for zoom, ratio in ((1.05 * VALUE_FROM, 2.0), (1.0, 1.0)):
        values, others, cards = painted_words(canvas, zoom, ratio, monkeypatch)
        told = [item for item in canvas.scene.blocks.values() if item.text_tops(zoom)[1] is not None]
        assert len(values) == len(told)
        assert len(others) >= len(cards)
        assert what_values_meet(values, others, cards) == []


def test_canvas_of_a_window_is_as_large_as_reading_asks_for(make_window: Callable[..., Window]) -> None:
    window = make_window((LIBRARY / "column.yaml").read_text())
    window.panels.arrange(QRect(0, 0, 1592, 960))  # what its frame leaves of the screen
    for _ in range(5):
        QApplication.processEvents()
    size = window.view.viewport().size()
    assert size.width() >= CANVAS[0]
    assert size.height() >= CANVAS[1]


@pytest.mark.parametrize("name", ["crane_knuckle_boom", "crane_overhead"])
def test_nets_stay_apart_where_blocks_are_moved(name: str, make_canvas: Callable[..., Canvas]) -> None:
    path, draw = LIBRARY / f"{name}.yaml", random.Random(7)
    canvas = make_canvas(path.read_text(), path.parent)
    for _ in range(25):
        block = draw.choice(sorted(canvas.scene.blocks))
        canvas.document.move({block: (10.0 * draw.randint(-6, 6), 10.0 * draw.randint(-6, 6))})
        assert shared_nets(canvas) == []


def test_wires_know_their_net_where_it_falls_apart(make_canvas: Callable[..., Canvas]) -> None:
    """Else each would keep clear of its own lines, and not of those that it was joined with."""
    links = "".join(f"  {name}: {{type: rigid_link}}\n" for name in ("hub", "far", "near", "side"))
    wires = ["hub.frame_b -- far.frame_a", "far.frame_a -- near.frame_a", "near.frame_a -- side.frame_a"]
    canvas = make_canvas(f"luff: 1\nblocks:\n{links}connect: [{', '.join(wires)}]\n")
    canvas.document.remove([], [wires[1]])
    canvas.scene.sync()
    left = [canvas.scene.wires[text] for text in (wires[0], wires[2])]
    assert left[0].net != left[1].net
    for wire in left:
        assert not canvas.scene.router.shares(wire.points, wire.net)


def test_elements_of_one_output_are_nets_of_their_own() -> None:
    wires = ["pd.out[0] -> a.effort", "pd.out[1] -> b.effort", "pd.out[1] -> c.u", "x.port -- y.port"]
    nets = net_of_each(wires)
    assert nets[wires[0]] != nets[wires[1]] == nets[wires[2]]


def test_wires_of_elements_end_beside_each_other() -> None:
    ends = spread_ends(["a.y -> pd.u[0]", "b.y -> pd.u[1]", "c.y -> pd.u[10]", "d.y -> pd.v"])
    assert ends == {"pd.u[0]": -5.0, "pd.u[1]": 0.0, "pd.u[10]": 5.0}
    # a wire of the whole port is a net of its own, and has a place of its own
    assert spread_ends(["pd.y[0] -> a.u", "pd.y -> b.u", "pd.y -> c.u"]) == {"pd.y": -2.5, "pd.y[0]": 2.5}


def test_wires_to_ports_that_are_gone_stay_apart(make_canvas: Callable[..., Canvas]) -> None:
    wires = [f"boom.{name} -- {name}_end.frame_a" for name in ("p", "q", "r")]
    blocks = ", ".join(f"{name}_end: {{type: fixed}}" for name in ("p", "q", "r"))
    text = f"luff: 1\nblocks: {{boom: {{type: rigid_link, mass: 2 kg}}, {blocks}}}\nconnect: [{', '.join(wires)}]\n"
    canvas = make_canvas(text)
    assert canvas.scene.blocks["boom"].missing_ports() == ["p", "q", "r"]
    assert shared_nets(canvas) == []
    # and where one of them goes the others keep places of their own
    canvas.document.remove([], [wires[0]])
    canvas.scene.sync()
    assert canvas.scene.blocks["boom"].missing_ports() == ["q", "r"]
    assert shared_nets(canvas) == []
    for text, wire in canvas.scene.wires.items():
        assert (wire.points[0] in wire_ends_of(canvas, text)) == bool(wire.points)


def wire_ends_of(canvas: Canvas, text: str) -> list[tuple[float, float]]:
    return [(end.x, end.y) for end in canvas.scene.wire_ends(text) or ()]


def test_wires_run_as_they_do_when_the_file_is_opened_again(make_canvas: Callable[..., Canvas]) -> None:
    canvas = make_canvas()
    ways = lambda one: {text: wire.points for text, wire in one.scene.wires.items()}  # noqa: E731
    first = ways(canvas)
    for name, by in (
        ("controller", (-140, 60)),
        ("elbow", (0, 130)),
        ("controller", (170, -250)),
        ("reference", (90, 0)),
    ):
        place = canvas.middle(name)
        canvas.drag(place, (place[0] + by[0], place[1] + by[1]))
        assert ways(canvas) == ways(make_canvas(canvas.document.diagram.to_yaml()))
    canvas.document.remove(["elbow"])
    canvas.scene.sync()
    assert ways(canvas) == ways(make_canvas(canvas.document.diagram.to_yaml()))
    while canvas.document.undo.canUndo():
        canvas.document.undo.undo()
    canvas.scene.sync()
    assert ways(canvas) == first


@pytest.mark.parametrize("copies", [1, 2])
def test_a_hundred_wires_run_as_they_do_when_the_file_is_opened_again(
    make_canvas: Callable[..., Canvas], qtbot, copies: int
) -> None:
    """At once, or when many of them have come to rest."""
    path = LIBRARY / "benchmarks" / "stewart.yaml"
    canvas = make_canvas(path.read_text(), path.parent)
    document, rest = canvas.document, canvas.scene.rest
    taken = clipboard.fragment(document, list(document.diagram.blocks))
    for k in range(copies):
        clipboard.paste(document, taken, (0.0, 1500.0 * (k + 1)))
    canvas.scene.sync()
    assert len(canvas.scene.wires) > 100
    pick = random.Random(1)
    for name in pick.sample(list(document.diagram.blocks), 6):
        document.move({name: (10.0 * pick.randint(-20, 20), 10.0 * pick.randint(-20, 20))})
        canvas.scene.sync()
    assert rest.waiting == (len(canvas.scene.wires) > ROUTED_ANEW)
    qtbot.waitUntil(lambda: not rest.waiting, timeout=LONG)
    again = make_canvas(document.diagram.to_yaml(), path.parent)
    assert not again.scene.rest.waiting
    ways, anew = ({text: wire.points for text, wire in one.scene.wires.items()} for one in (canvas, again))
    assert ways == anew
    crossings = [[wire.jumps for wire in one.scene.wires.values()] for one in (canvas, again)]
    assert crossings[0] == crossings[1]


def test_no_wire_moves_under_the_hand(make_canvas: Callable[..., Canvas], qtbot, monkeypatch) -> None:
    """Nor does an edit wait for wires that were still to be routed."""
    path = LIBRARY / "benchmarks" / "stewart.yaml"
    canvas = make_canvas(path.read_text(), path.parent)
    document, rest = canvas.document, canvas.scene.rest
    taken = clipboard.fragment(document, list(document.diagram.blocks))
    for k in range(2):
        clipboard.paste(document, taken, (0.0, 1500.0 * (k + 1)))
    canvas.scene.sync()
    held = []
    monkeypatch.setattr(rest_routing, "REST", 0)
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: held.append(1) or Qt.MouseButton.LeftButton)
    rest.begin()
    qtbot.waitUntil(lambda: len(held) > 3, timeout=LONG)
    assert rest.waiting
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: Qt.MouseButton.NoButton)
    name = next(iter(document.diagram.blocks))
    for _ in range(3):  # each edit begins it anew, from wherever it was
        QApplication.processEvents()
        document.move({name: (0.0, -200.0)})
        canvas.scene.sync()
        assert rest.waiting
    qtbot.waitUntil(lambda: not rest.waiting, timeout=LONG)
    again = make_canvas(document.diagram.to_yaml(), path.parent)
    ways, anew = ({text: wire.points for text, wire in one.scene.wires.items()} for one in (canvas, again))
    assert ways == anew


def test_jumps_keep_off_ports(make_canvas: Callable[..., Canvas]) -> None:
    """A diagram in which a wire crosses another one 7 px before that one's port: it crosses there without a jump."""
    name = "crane_knuckle_boom_vessel"
    wires = make_canvas((LIBRARY / f"{name}.yaml").read_text(), LIBRARY).scene.wires.values()
    ports = [place for wire in wires for place in (*wire.points[:1], *wire.points[-1:])]
    jumps = [(x, wire.points[k][1]) for wire in wires for k, places in wire.jumps.items() for x in places]
    assert len(jumps) > 30
    # half of a jump and half of a port's glyph, both drawn 4 px to each side
    assert all(max(abs(x - a), abs(y - b)) >= 8.0 for x, y in jumps for a, b in ports)
