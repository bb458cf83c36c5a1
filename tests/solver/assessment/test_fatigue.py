"""What all cases of a life come to, against counts by hand: bending of ropes, their wear, starts of drives."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.solver.assessment.assessment_settings import Feyrer, Sheave
from luff.solver.assessment.rope_life import bending_cycles, feyrer_life

PLACES = np.arange(0.5, 25.0)
# 10 m of 20 m are wound in and out again
IN_AND_OUT = np.concatenate([np.linspace(20, 10, 101), np.linspace(10, 20, 101)[1:]])


def sheave(**values: object) -> Sheave:
    return Sheave(convert_all(Sheave.params, values, Scope(), "", "sheave"), frozenset(values))


def cycles(length: np.ndarray, *sheaves: Sheave, drum: float = 0.5) -> np.ndarray:
    return bending_cycles(length, PLACES, sheaves, drum).sum_by_place(np.ones(len(length)), len(PLACES))


def test_bending_over_drum_and_sheave() -> None:
    """Each metre that is wound bends once on the drum in all, and twice over a sheave 3 m from it."""
    on_drum = ((PLACES > 10) & (PLACES < 20)) * 2 * 0.5
    over_sheave = ((PLACES > 7) & (PLACES < 17)) * 2.0
    np.testing.assert_array_equal(cycles(IN_AND_OUT, sheave(at="3 m")), on_drum + over_sheave)


def test_the_sheave_of_a_hook_moves_with_half_the_rope() -> None:
    """Two falls: 3.2 m from the drum to the upper sheave, the rest in two equal parts to the hook and back.

    The hook's sheave stands (length - 3.2 m)/2 from the rope's end: at 8.4 m with 20 m off the drum, 3.4 m with 10 m.
    """
    hook = sheave(at="1.6 m", share=0.5)
    wanted = ((PLACES > 3.4) & (PLACES < 8.4)) * 2.0
    np.testing.assert_array_equal(cycles(IN_AND_OUT, hook, drum=0.0), wanted)


def test_a_rope_at_rest_does_not_bend() -> None:
    assert not cycles(np.full(50, 12.0), sheave(at="3 m")).any()


def test_small_strokes_bend_one_place_often() -> None:
    """20 cm to and fro about 12.5 m, 7 times: the metre around it bends 14 half times on the drum, no other does."""
    to_and_fro = 12.5 + 0.1 * np.where(np.arange(15) % 2, 1.0, -1.0)
    wanted = np.where(PLACES == 12.5, 14 * 0.5, 0.0)
    np.testing.assert_array_equal(cycles(to_and_fro), wanted)


VALUES = {"b0": -2.076, "b1": 1.159, "b2": 6.024, "b3": -2.0, "sheave": "0.5 m"}


def feyrer(**values: object) -> Feyrer:
    values = VALUES | values
    return Feyrer(convert_all(Feyrer.params, values, Scope(), "", "feyrer"), frozenset(values))


def test_feyrer_in_newtons_and_millimetres() -> None:
    lg = -2.076 + (1.159 - 2.0 * math.log10(25)) * math.log10(40e3 / 400) + 6.024 * math.log10(25)
    life = feyrer_life(feyrer(), np.array([40e3, 20e3, 0.0, -1.0]), 0.02)
    assert life[0] == pytest.approx(10**lg, rel=1e-12)
    assert life[1] > life[0]
    assert np.isinf(life[2:]).all()  # no tension, no wear
    stronger = feyrer_life(feyrer(grade="1960 MPa", factor=1.5), np.array([40e3]), 0.02)[0]
    # the load counts as less by (1770/1960)^0.4
    ratio = (1770 / 1960) ** (0.4 * (1.159 - 2.0 * math.log10(25)))
    assert stronger == pytest.approx(1.5 * life[0] * ratio, rel=1e-12)


# a winch lets 5 m of rope out and takes them in again, with 1 t on it and, in the other case, with 2 t
HOIST = """
luff: 1
name: hoist
parameters: {load: 1 t}
blocks:
  top: {type: fixed, at: [0, 0, 30]}
  slide: {type: prismatic, axis: z, damping: 50 N*s/m, initial: {position: 22 m}}
  body: {type: rigid_link, mass: =load}
  drum: {type: table, data: [[0, 0], [1, 0], [2, 1], [6, 1], [7, 0], [9, 0], [10, -1], [14, -1], [15, 0]], beyond: hold}
  shaft: {type: gain, k: -2}
  winch: {type: winch, radius: 0.5}
  rope: {type: rope, EA: 20 MN, damping: 20 ms, length: 8}
connect:
  - world.frame -- top.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - drum.y -> shaft.u
  - shaft.y -> winch.velocity
  - rope.tension -> winch.tension
  - winch.take_up -> rope.take_up
  - top.frame_b -- rope.frame_a
  - body.frame_b -- rope.frame_b
initial: {solve: static}
simulation: {stop: 16 s, step: 0.5 ms, output_step: 10 ms}
"""
DESK = """
luff: 1
name: hoist
model: ./hoist.yaml
cases:
  light: {repeats: 1e4}
  heavy: {set: {load: 2 t}, repeats: 1e3}
  once: {set: {load: 2 t}}
ropes:
  rope:
    tension: rope.tension
    breaking: 160 kN
    diameter: 14 mm
    length: rope.natural_length
    sheaves: [{at: 2 m}]
    feyrer: {b0: -1, b1: 0, b2: 5, b3: -1, sheave: 0.35 m, source: chosen here}
drives:
  hoist: {speed: drum.y, rest: 0.01, most: 2e4}
"""


def test_the_life_of_a_hoist(tmp_path: Path) -> None:
    """Twice over the sheave and twice half on the drum for each metre of 5 m, where both meet; Miner over two loads."""
    (tmp_path / "hoist.yaml").write_text(HOIST)
    (tmp_path / "desk.yaml").write_text(DESK)
    page = tmp_path / "desk.html"
    made = luff.assess(tmp_path / "desk.yaml", tmp_path / "desk.h5", report=page)
    (rope,) = made.ropes
    # off the drum are 8 to 13 m: the drum bends the metres 8 to 13 from the end, the sheave those 6 to 11
    assert 8.0 < rope.at < 11.0
    assert rope.by_case == pytest.approx({"light": 3e4, "heavy": 3e3})
    assert rope.cycles == pytest.approx(33e3)
    life = feyrer_life(feyrer(b0=-1, b1=0, b2=5, b3=-1, sheave="0.35 m"), 9.81e3 * np.array([1, 2]), 0.014)
    # the tension in a passage differs from the weight by what speeds the load up, below a tenth at 1 m/s^2
    assert rope.share == pytest.approx(3e4 / life[0] + 3e3 / life[1], rel=0.1)
    assert rope.greatest == pytest.approx(2 * 9.81e3, rel=0.25)
    (duty,) = made.duties
    # out and in: two starts in each run
    assert (duty.starts, duty.per_cycle) == (22e3, 2.0)
    assert not duty.holds
    assert not made.holds
    # 10 m in all, and 12 s in motion less what is below rest
    assert duty.travel == pytest.approx(11e3 * 10.0, rel=1e-6)
    assert duty.hours == pytest.approx(11e3 * 12.0 / 3600.0, rel=0.01)
    text = page.read_text()
    assert "Bending of ropes over the life" in text
    assert "Starts of drives over the life" in text
    assert made.as_dict()["drives"][0]["starts"] == 22e3  # type: ignore[index]
