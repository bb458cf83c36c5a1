"""Face of a composite: port names inside its card, and a picture of what is inside."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

import luff
from luff.gui.canvas.block_item import TEXT_FROM
from luff.gui.canvas.composite_painting import NAMES_FROM
from luff.gui.drawing.composite_face import LETTERS, LONGEST, Face
from luff.gui.theme.active_theme import canvas_font, theme
from luff.gui.theme.symbols.symbol_table import SYMBOLS
from luff.tests.gui.canvas.painted import painted_words
from luff.tests.gui.driver import Canvas

LIBRARY = Path(luff.__file__).parent / "library"
NESTED = """luff: 1
name: nested
blocks:
  slew: {type: revolute, axis: z}
  arm:
    type:
      parameters: {m: 3 kg}
      blocks:
        rod: {type: rigid_link, mass: =m}
        elbow: {type: revolute, axis: y}
      connect: [rod.frame_b -- elbow.frame_a]
      ports: {root: rod.frame_a, tip: elbow.frame_b, torque: elbow.effort, angle: elbow.position}
      layout: {rod: [0, 0], elbow: [160, 0]}
    m: 5 kg
connect: [world.frame -- slew.frame_a, slew.frame_b -- arm.root]
"""


def many(count: int) -> str:
    """A composite with so many outputs below."""
    ports = ", ".join(f"output_{k}: pin_{k}.position" for k in range(count))
    blocks = ", ".join(f"pin_{k}: {{type: revolute, axis: z}}" for k in range(count))
    return f"luff: 1\nblocks: {{box: {{type: {{blocks: {{{blocks}}}, ports: {{a: pin_0.frame_a, {ports}}}}}}}}}\n"


def face_of(canvas: Canvas, name: str) -> Face:
    face = canvas.scene.blocks[name].block_shape.face
    assert face is not None
    return face


def boxes(face: Face) -> list[QRectF]:
    return [QRectF(n.left, n.top, n.right - n.left, n.bottom - n.top) for n in face.names]


def made(canvas: Canvas) -> None:
    for name in canvas.scene.blocks:
        canvas.scene.show_picture(name)


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("count", [2, 9])
def test_names_lie_in_the_card_and_on_nothing(make_canvas, count: int, turned: int) -> None:
    canvas = make_canvas(many(count) + f"layout: {{box: [0, 0, {turned}]}}\n")
    item, face = canvas.scene.blocks["box"], face_of(canvas, "box")
    assert {name.port for name in face.names} == set(item.block_ports)
    places = boxes(face)
    assert all(item.card().contains(place) for place in places)
    assert not any(one.intersects(other) for one, other in combinations(places, 2))
    top, value = item.text_tops(1.0)
    assert value is None
    width = item._name_text(1.0)[0].size().width()
    own = QRectF((item.block_shape.width - width) / 2, top, width, item._name_text(1.0)[0].size().height())
    room = item.picture_room(face, 1.0)
    assert room.width() > 40
    assert room.height() > 20
    for place in places:
        assert not place.intersects(own)
        assert not place.intersects(room)
    for name in face.names:  # beside its own port
        anchor = item.block_shape.anchors[name.port]
        near = QRectF(name.left - 8, name.top - 8, name.right - name.left + 16, name.bottom - name.top + 16)
        assert near.contains(anchor.x, anchor.y), name


@pytest.mark.parametrize("model", ["excavator", "crane_overhead", "crane_knuckle_boom_hydraulic"])
def test_names_of_the_library_are_written_whole(
    make_canvas, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = LIBRARY / f"{model}.yaml"
    canvas = make_canvas(path.read_text(), path.parent)
    wanted = {
        n.port for item in canvas.scene.blocks.values() for n in getattr(item.block_shape.face, "names", ())
    }
    letters = QFontMetricsF(canvas_font(LETTERS))
    short = {name for name in wanted if letters.horizontalAdvance(name) <= LONGEST}
    assert short
    _, words, _ = painted_words(canvas, 1.0, 1.0, monkeypatch)
    assert short <= {word for word, _ in words}


def test_the_picture_shows_blocks_and_wires_inside(make_canvas) -> None:
    canvas = make_canvas(NESTED)
    made(canvas)
    picture = canvas.scene.blocks["arm"].picture
    assert picture is not None
    assert [(card.type_name, card.family) for card in picture.cards] == [
        ("rigid_link", "bodies"),
        ("revolute", "joints"),
    ]
    rod, elbow = (card.rect for card in picture.cards)
    assert elbow[0] - rod[0] == 160  # as its layout has them
    (line,) = picture.wires["frame"]
    assert line[0][0] == rod[2]
    assert line[-1][0] == elbow[0]
    assert canvas.scene.blocks["slew"].picture is None


def test_the_picture_follows_edits_inside_and_undo(make_window) -> None:
    window = make_window(NESTED)
    outside = window.view.canvas

    def cards() -> list[float]:
        outside.sync()
        outside.show_picture("arm")
        picture = outside.blocks["arm"].picture
        assert picture is not None
        return [card.rect[0] - picture.cards[0].rect[0] for card in picture.cards]

    assert cards() == [0, 160]
    window.editing.open_block("arm")
    inside = window.document
    inside.move({"elbow": (140.0, 0.0)})
    assert cards() == [0, 300]
    inside.add_block("fixed", 500.0, 0.0)
    assert len(cards()) == 3
    inside.undo.undo()
    inside.undo.undo()
    assert cards() == [0, 160]


@pytest.mark.parametrize(
    ("icon", "symbol"),
    [("hydraulic_cylinder", SYMBOLS["hydraulic_cylinder"].lines), ("M 0 0 L 9 9", "M 0 0 L 9 9")],
)
def test_a_netlist_names_its_own_symbol(make_canvas, icon: str, symbol: str) -> None:
    canvas = make_canvas(NESTED.replace("      blocks:\n", f"      icon: {icon}\n      blocks:\n", 1))
    assert [p for p in canvas.document.diagram.check() if "icon" in p.path] == []
    made(canvas)
    picture = canvas.scene.blocks["arm"].picture
    assert picture is not None
    assert picture.symbol is not None
    assert picture.symbol.lines == symbol


def test_a_symbol_that_cannot_be_drawn_is_told(make_canvas) -> None:
    for icon in ("cilinder", "M 0", "Q 1 2", "M nan 0 L 4 4", "O 0 0 inf"):
        canvas = make_canvas(NESTED.replace("      blocks:\n", f"      icon: {icon}\n      blocks:\n", 1))
        (problem,) = [p for p in canvas.document.diagram.check() if "icon" in p.path]
        assert "expected a block type" in problem.message
        made(canvas)
        picture = canvas.scene.blocks["arm"].picture
        assert picture is not None
        assert picture.cards


def inked(canvas: Canvas, zoom: float) -> set[str]:
    """Colours in the middle of the card of the subsystem."""
    item = canvas.scene.blocks["arm"]
    made(canvas)
    image = QImage(200, 160, QImage.Format.Format_RGB32)
    image.fill(theme().colour("card"))
    painter = QPainter(image)
    painter.translate(20, 20)
    painter.scale(zoom, zoom)
    face = item.block_shape.face
    assert face is not None
    item._paint_face(painter, face, QColor(theme().families["composites"]), zoom)
    painter.end()
    return {image.pixelColor(QPoint(x, y)).name() for x in range(200) for y in range(160)}


def test_detail_gives_way_when_there_are_no_pixels_for_it(make_canvas) -> None:
    """Names and inner cards only where they can be read; the plain symbol of a composite instead."""
    canvas = make_canvas(NESTED)
    joint = theme().families["joints"]
    assert joint in inked(canvas, 2.0)
    far = inked(canvas, (TEXT_FROM + NAMES_FROM) / 2)
    assert joint not in far
    assert len(far) > 1


def test_composites_of_one_file_share_their_picture(make_canvas) -> None:
    path = LIBRARY / "excavator.yaml"
    canvas = make_canvas(path.read_text(), path.parent)
    made(canvas)
    sections = [canvas.scene.blocks[f"{name}_section"].picture for name in ("boom", "stick", "bucket")]
    assert sections[0] is not None
    assert sections[0] is sections[1] is sections[2]


def test_words_beside_ports_are_not_cut_by_their_boxes(make_canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that is lower than the font cuts underscores off where its edge falls between two pixels of a screen."""
    wire = "pin.position -> g.u"
    canvas = make_canvas(
        "luff: 1\nblocks: {rod: {type: rigid_link}, pin: {type: revolute, axis: z}, g: {type: gain}}\n"
        f"connect: [{wire}]\nlayout: {{wires: {{{wire}: labels}}}}\n"
    )
    canvas.scene.select(["rod"])
    cut: list[str] = []
    told: list[str] = []
    paint = QPainter.drawText

    def note(painter: QPainter, box: QRectF, flags: Qt.AlignmentFlag | int, text: str) -> None:
        told.append(text)
        lines = QFontMetricsF(painter.font()).height()
        if not int(flags) & Qt.TextFlag.TextDontClip.value and box.height() < lines:
            cut.append(text)
        paint(painter, box, flags, text)

    monkeypatch.setattr(QPainter, "drawText", note)
    canvas.view.viewport().grab()
    assert {"frame_a", "frame_b", "pin.position"} <= set(told)
    assert cut == []
