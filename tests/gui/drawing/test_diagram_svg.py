"""Pictures of diagrams: every block and wire is there, no wire runs through a block, and no Qt is needed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

import luff

LIBRARY = Path(luff.__file__).resolve().parent / "library"
SVG = "{http://www.w3.org/2000/svg}"


def numbers(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_picture_has_every_block_and_wire(path: Path) -> None:
    diagram = luff.load(path)
    picture = luff.draw(diagram)
    root = ElementTree.fromstring(picture.svg)
    cards = root.findall(f"{SVG}rect")
    assert len(cards) - len(diagram.blocks) in (0, 1, 2)  # the world and the inputs need no entry
    symbols = [group for group in root.findall(f"{SVG}g") if group.get("class") in ("symbol", "chart")]
    assert len(symbols) == len(cards)
    for symbol, card in zip(symbols, cards, strict=True):
        x, y = numbers((symbol.get("transform") or "").partition(")")[0].removeprefix("translate("))[0]
        left, top, width, height = (float(card.get(name) or 0.0) for name in ("x", "y", "width", "height"))
        assert left < x < left + width
        assert top <= y < top + height
        drawn = "path" if symbol.get("class") == "symbol" else "rect"
        assert symbol.findall(f"{SVG}{drawn}"), "an empty symbol"
    wires = root.findall(f"{SVG}polyline")
    labelled = [group for group in root.findall(f"{SVG}g") if group.get("class") == "labels"]
    assert all(len(group.findall(f"{SVG}text")) == 2 for group in labelled)
    assert len(wires) + len(labelled) == len(set(diagram.connections))
    boxes = [[float(card.get(name) or 0.0) for name in ("x", "y", "width", "height")] for card in cards]
    for wire in wires:
        points = numbers(wire.get("points") or "")
        for (x1, y1), (x2, y2) in pairwise(points):
            for x, y, width, height in boxes:
                inside = max(min(x1, x2), x + 1) < min(max(x1, x2), x + width - 1) + (x1 == x2)
                across = max(min(y1, y2), y + 1) < min(max(y1, y2), y + height - 1) + (y1 == y2)
                assert not (inside and across), (path.stem, points)


def test_blocks_have_their_own_symbols() -> None:
    text = """
    luff: 1
    blocks:
      a: {type: revolute, axis: y}
      b: {type: prismatic, axis: x}
      c: {type: revolute, axis: z}
      d: {type: boom_with_cylinder}
    """
    root = ElementTree.fromstring(luff.draw(luff.loads(textwrap.dedent(text))).svg)
    titles = [(card.findtext(f"{SVG}title") or "").partition(":")[0] for card in root.findall(f"{SVG}rect")]
    groups = [group for group in root.findall(f"{SVG}g") if group.get("class") in ("symbol", "chart")]
    paths = {
        title: tuple(path.get("d") for path in group.findall(f"{SVG}path"))
        for title, group in zip(titles, groups, strict=True)
    }
    assert paths["a"] == paths["c"]
    assert len({paths["a"], paths["b"], paths["d"]}) == 3


def test_a_picture_needs_no_qt_and_is_saved(tmp_path: Path) -> None:
    code = (
        "import luff, sys\n"
        "made = luff.draw(luff.load(sys.argv[1]))\n"
        "made.save('crane.svg')\n"
        "assert 'PySide6' not in sys.modules\n"
        "print(made)\n"
    )
    words = [sys.executable, "-c", code, str(LIBRARY / "crane_demo.yaml")]
    told = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert told.startswith('<Drawing of Diagram "telescopic crane"')
    assert ElementTree.parse(tmp_path / "crane.svg").getroot().tag == f"{SVG}svg"
