"""Lattice booms reduced to a few modes: forces of their members against the whole frame by statics."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.shared.flexible_models import jib_forces, model

TUBE = {"A": 1.2e-3, "I_y": 7e-7, "I_z": 7e-7, "J": 1.4e-6, "E": 2.1e11, "G": 8.1e10, "rho": 7850.0}
BRACE = TUBE | {"A": 4e-4, "I_y": 8e-8, "I_z": 8e-8, "J": 1.6e-7}
JIB = {
    "length": 34.0,
    "width": 1.2,
    "height": 1.0,
    "bays": 17,
    "chord": TUBE,
    "brace": BRACE,
    "taper": [1.0, 0.7],
}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"bays": 2.5}, "found 2.5 bays of the lattice, expected a whole number"),
        ({"bays": float("inf")}, "no bays above zero"),
        ({"length": "34 m"}, "no length above zero"),
        ({"taper": 0.7}, "no pair of numbers above zero"),
        ({"taper": [1.0, 0.0]}, "no pair of numbers above zero"),
        ({"taper": [1.0, [0.7]]}, "no pair of numbers above zero"),
        ({"chord": {"A": -1e-3, "I_y": 1e-6, "I_z": 1e-6, "J": 1e-6}}, "no A above zero"),
        (
            {"chord": {"shape": "tube", "diameter": 0.1, "thickness": 0.2}},
            "thickness 0.2 m, expected at most 0.05 m",
        ),
        ({"height": 0}, "the lattice has no height above zero"),
        ({"cord": TUBE}, 'the lattice has no "cord"'),
        ({"tapered": [1.0, 0.7]}, 'the lattice has no "tapered"'),
        ({"chord": 3}, "no section chord"),
    ],
)
def test_wrong_numbers_of_a_lattice_are_refused(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(luff.LuffError, match=re.escape(told)):
        luff.reduce({"lattice": JIB | wrong}, interfaces={"frame_a": "foot"})


def test_members_of_a_lattice_jib_carry_what_the_full_frame_says(tmp_path: Path) -> None:
    """204 members, under weight, a load and a side pull at the tip; the frame with the same rigid ends, solved whole.
    Both are solved to 1e-9 of the largest force: a condition of 1e7 leaves that.
    """
    luff.reduce(
        {"lattice": JIB}, tmp_path / "jib.npz", interfaces={"frame_a": "foot", "tip": "head"}, modes=4
    )
    pull = [0.0, 300.0, -5000.0]
    blocks = {
        "jib": {"type": "flexible_body", "file": "jib.npz", "stiffening": False},
        "F": {"type": "constant", "value": pull},
        "push": {"type": "applied_force"},
    }
    wires = ["world.frame -- jib.frame_a", "jib.tip -- push.frame_b", "F.y -> push.force"]
    sim = model(tmp_path, blocks, wires, initial={"solve": "static"})
    values = sim.evaluate(0.0, sim.x0)
    modes = sum(name.startswith("jib.mode[") for name in values)
    found = luff.member_forces(sim, "jib", np.array([values[f"jib.mode[{k}]"] for k in range(modes)]))

    expected = jib_forces(JIB, pull)
    assert len(expected) == 204
    for part in (slice(0, None, 6), slice(3, None, 6)):  # forces, moments
        assert abs(found[:, part] - expected[:, part]).max() < 1e-6 * abs(expected[:, part]).max()
    # bending moment at the foot over the height of the lattice: tension above, compression below
    chords = found[:4, 6]
    assert (chords[2:] > 0).all()
    assert (chords[:2] < 0).all()
    assert int(abs(found[:, 6]).argmax()) < 4  # the governing member is a chord of the first bay
