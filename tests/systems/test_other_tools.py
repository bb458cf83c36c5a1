"""The models of the pages for users of other tools: each runs in its tool, and luff's own gives the same motion."""

from __future__ import annotations

import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks.registry import registered
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
MODELS = Path(luff.__file__).resolve().parent / "docs" / "models"
COORDINATES = {
    "pendulum": ["pin.position"],
    "small_crane": ["slew.position", "luff.position", "sling.alpha", "sling.beta"],
}


@cache
def by_luff(name: str) -> np.ndarray:
    """Its coordinates, every 10 ms."""
    result = luff.compile(MODELS / f"{name}.yaml").run()
    return np.column_stack([result[column] for column in COORDINATES[name]])


@pytest.mark.parametrize("name", COORDINATES)
def test_mujoco_gives_the_same_motion(name: str) -> None:
    """RK4 of the same step in both: what is left is rounding, 1e-16 a step."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    expected = by_luff(name)
    rows = [data.qpos.copy()]
    while len(rows) < len(expected):
        mujoco.mj_step(model, data, nstep=10)
        rows.append(data.qpos.copy())
    assert abs(expected).max() > 0.5  # it moved
    assert np.array(rows) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", COORDINATES)
def test_exudyn_gives_the_same_motion(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generalised alpha of second order at 1 ms, on redundant coordinates: off by some 1e-5 of what swings."""
    pytest.importorskip("exudyn")
    monkeypatch.chdir(tmp_path)  # where it may write
    found: dict[str, Any] = runpy.run_path(str(MODELS / f"{name}_exudyn.py"))
    hook = np.column_stack([found[axis] for axis in "xyz"])
    expected = np.array([PLACES[name](*row) for row in by_luff(name)])
    assert len(hook) == len(expected)
    assert np.ptp(expected, axis=0).max() > 0.5
    assert hook == pytest.approx(expected, abs=1e-5)


def turn(axis: int, angle: float) -> np.ndarray:
    """About one of x, y, z."""
    c, s = np.cos(angle), np.sin(angle)
    one, two = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[[one, one, two, two], [one, two, one, two]] = c, -s, s, c
    return R


def end_of_rod(q: float) -> np.ndarray:
    return turn(1, q) @ [0, 0, -1]


def hook_of_crane(slew: float, tilt: float, alpha: float, beta: float) -> np.ndarray:
    """The middle of the load in world axes, along the chain of joints."""
    load = turn(1, alpha) @ turn(0, beta) @ [0, 0, -6]
    boom = turn(1, -tilt) @ np.add([10, 0, 0], load)
    return turn(2, slew) @ np.add([0, 0, 3], boom)


PLACES = {"pendulum": end_of_rod, "small_crane": hook_of_crane}


@pytest.mark.parametrize("page", sorted((MODELS.parent).glob("from_*.md")), ids=lambda page: page.stem)
def test_pages_name_what_luff_has(page: Path) -> None:
    """Blocks, parameters and ports in the column of luff; the few others are no blocks'."""
    others = {"record", "Diagram", "dop853", "radau", "r", "r_CM"}
    known = set(registered()) | others
    for cls in registered().values():
        known |= {*cls.params, *cls.class_ports}
    rows = [line.split("|")[2] for line in page.read_text().splitlines() if line.startswith("| ")]
    named = {word for cell in rows for word in re.findall(r"`(\w+)`", cell)}
    assert len(named) > 20
    assert named <= known
