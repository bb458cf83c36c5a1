"""No two nets share a corner, an end or a piece of their way: who reads a diagram sees what is wired to what."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import luff
from luff.gui.drawing.nets import net_of_each, spread_ends
from luff.gui.drawing.svg import split
from luff.tests.gui.driver import Canvas
from luff.tests.gui.random_edits import shared_nets

LIBRARY = Path(luff.__file__).parent / "library"
MODELS = sorted(path.stem for path in LIBRARY.glob("*.yaml"))


@pytest.mark.parametrize("name", MODELS)
def test_nets_of_the_library_stay_apart(name: str, make_canvas: Callable[..., Canvas]) -> None:
    path = LIBRARY / f"{name}.yaml"
    assert shared_nets(make_canvas(path.read_text(), path.parent)) == []


@pytest.mark.parametrize("name", ["crane_knuckle_boom", "crane_overhead"])
def test_nets_stay_apart_where_blocks_are_moved(name: str, make_canvas: Callable[..., Canvas]) -> None:
    path, draw = LIBRARY / f"{name}.yaml", random.Random(7)
    canvas = make_canvas(path.read_text(), path.parent)
    for _ in range(25):
        block = draw.choice(sorted(canvas.scene.blocks))
        canvas.document.move({block: (10.0 * draw.randint(-6, 6), 10.0 * draw.randint(-6, 6))})
        assert shared_nets(canvas) == []


def test_elements_of_one_output_are_nets_of_their_own() -> None:
    wires = ["pd.out[0] -> a.effort", "pd.out[1] -> b.effort", "pd.out[1] -> c.u", "x.port -- y.port"]
    nets = net_of_each(wires, split)
    assert nets[wires[0]] != nets[wires[1]] == nets[wires[2]]


def test_wires_of_elements_end_beside_each_other() -> None:
    ends = spread_ends(["a.y -> pd.u[0]", "b.y -> pd.u[1]", "c.y -> pd.u[10]", "d.y -> pd.v"], split)
    assert ends == {"pd.u[0]": -5.0, "pd.u[1]": 0.0, "pd.u[10]": 5.0}
