"""Strength of the members of frames: closed forms, tables of the code, a crane assessed against its whole frame."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

import luff
from luff.solver.codegen.source_functions import plain
from luff.solver.program.member_strength import WORST
from luff.solver.reduction.lattice import lattice
from luff.tests.process import call
from luff.tests.shared.flexible_models import jib_forces, model

TUBE = {"shape": "tube", "diameter": 0.1, "thickness": 0.01}
AREA = math.pi * (0.05**2 - 0.04**2)
SECOND = math.pi / 4.0 * (0.05**4 - 0.04**4)
CHORD = {"shape": "tube", "diameter": 0.09, "thickness": 0.006}
BRACE = {"shape": "tube", "diameter": 0.045, "thickness": 0.0035}
JIB = {
    "length": 34.0, "width": 1.2, "height": 1.0, "bays": 17, "chord": CHORD, "brace": BRACE, "taper": [1.0, 0.7],
}  # fmt: skip


def strut(folder: Path, pull: list[float], **sensor: object) -> dict[str, float]:
    """Tube of 4 m in two members, clamped, with a force at its end; without weight."""
    source = {"nodes": [[0, 0, 0], [2, 0, 0], [4, 0, 0]], "members": [[0, 1], [1, 2]], "section": TUBE}
    luff.reduce(source, folder / "strut.npz", interfaces={"frame_a": [0], "tip": [2]}, modes=2)
    blocks = {
        "world": {"gravity": [0, 0, 0]},
        "strut": {"type": "flexible_body", "file": "strut.npz", "stiffening": False},
        "F": {"type": "constant", "value": pull},
        "push": {"type": "applied_force"},
        "members": {"type": "member_sensor", "of": "strut", **sensor},
    }
    wires = ["world.frame -- strut.frame_a", "strut.tip -- push.frame_b", "F.y -> push.force"]
    sim = model(folder, blocks, wires, initial={"solve": "static"})
    return sim.evaluate(0.0, sim.x0)


def test_a_tube_has_the_stress_of_its_force_and_of_both_moments_together(tmp_path: Path) -> None:
    values = strut(tmp_path, [2e4, 300.0, 400.0], allowable="100 MPa")
    bending = 500.0 * 0.05 / SECOND  # of the resultant of both side forces, per metre from the end
    wanted = [2e4 / AREA + bending * arm for arm in (4.0, 2.0)]
    found = [values[f"members.member_stress[{k}]"] for k in range(2)]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)
    assert values["members.axial[1]"] == pytest.approx(2e4, rel=1e-9)
    assert values["members.stress"] == found[0]
    assert values["members.governing"] == 0.0
    assert values["members.utilisation"] == pytest.approx(wanted[0] / 100e6, rel=1e-7)


@pytest.mark.parametrize(
    ("curve", "chi"), [("a0", 0.7253), ("a", 0.6656), ("b", 0.5970), ("c", 0.5399), ("d", 0.4671)]
)
def test_compression_is_reduced_as_the_code_has_it(tmp_path: Path, curve: str, chi: float) -> None:
    """Tables of EN 1993-1-1 (ECCS): chi at a slenderness of one, to the digits printed; pulled, nothing is reduced."""
    # sqrt(A f_y / N_cr) = 1 of members of 2 m
    strength = math.pi**2 * 2.1e11 * SECOND / 4.0 / AREA
    buckling = {"curve": curve, "yield_stress": strength}
    pressed, pulled = (
        strut(tmp_path, [force, 0.0, 0.0], buckling=buckling, members=[1]) for force in (-1e4, 1e4)
    )
    assert pressed["members.stress"] == pytest.approx(1e4 / AREA / chi, rel=1e-4)
    assert pulled["members.stress"] == pytest.approx(1e4 / AREA, rel=1e-9)
    assert pressed["members.governing"] == 1.0


@pytest.mark.parametrize(
    ("stresses", "governing"),
    [
        ([1.0, 3.0, 2.0], 12),
        ([math.nan, 3.0, 2.0], 11),
        ([1.0, math.nan, 2.0], 12),
        ([1.0, 1.0, 1.0], 11),
    ],
)
def test_a_stress_that_is_no_number_governs(stresses: list[float], governing: int) -> None:
    w, a = np.array([0.0, 0.0, *stresses]), [1, 0, 1, 3, 2, 11, 3, 12, 4, 13]
    plain(WORST.source, WORST.label)(w, a)
    assert w[1] == governing
    assert np.array_equal(w[0], stresses[governing - 11], equal_nan=True)


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(luff.LuffError, match=r"found the member 7, expected 0 to 1"):
        strut(tmp_path, [1.0, 0.0, 0.0], members=[7])
    with pytest.raises(luff.LuffError, match="found no members"):
        strut(tmp_path, [1.0, 0.0, 0.0], members=[])
    bare = {"nodes": [[0, 0, 0], [2, 0, 0]], "members": [[0, 1]],
            "section": {"A": 1e-3, "I_y": 1e-6, "I_z": 1e-6, "J": 1e-6}}  # fmt: skip
    luff.reduce(bare, tmp_path / "bare.npz", interfaces={"frame_a": [0], "tip": [1]}, modes=2)
    blocks = {"b": {"type": "flexible_body", "file": "bare.npz"}, "m": {"type": "member_sensor", "of": "b"}}
    with pytest.raises(luff.LuffError, match="does not say how far its fibres are"):
        model(tmp_path, blocks, ["world.frame -- b.frame_a"])
    with pytest.raises(luff.LuffError, match=r'the section has the shape "tub" .did you mean "tube"'):
        luff.reduce({**bare, "section": {**TUBE, "shape": "tub"}}, interfaces={"frame_a": [0]})


def stress_of(forces: np.ndarray, section: dict[str, object]) -> float:
    d, t = float(section["diameter"]), float(section["thickness"])  # type: ignore[arg-type]
    area = math.pi / 4.0 * (d * d - (d - 2 * t) ** 2)
    second = math.pi / 64.0 * (d**4 - (d - 2 * t) ** 4)
    moments = max(math.hypot(forces[4], forces[5]), math.hypot(forces[10], forces[11]))
    return abs(forces[6]) / area + moments * 0.5 * d / second


def test_a_tower_crane_with_a_lattice_jib_is_assessed(tmp_path: Path) -> None:
    """204 members: forces are those of the whole frame, and the report names the member that governs.

    The load hangs on a ball joint, its centre of mass 12 m below, whose inertia is nearly singular for the jib.
    """
    expected = jib_forces(JIB, [0.0, 0.0, -9.81 * 500.0])
    worst = [stress_of(row, CHORD if k % 12 < 4 else BRACE) for k, row in enumerate(expected)]
    (tmp_path / "jib.yaml").write_text(
        yaml.safe_dump({"lattice": JIB, "interfaces": {"frame_a": "foot", "tip": "head"}})
    )
    call("reduce", "jib.yaml", "-o", "jib.npz", "--modes", "4", cwd=tmp_path)
    (tmp_path / "crane.yaml").write_text("""
luff: 1
blocks:
  mast: {type: fixed, at: [0, 0, 30]}
  slew: {type: revolute, axis: z}
  brake: {type: rigid_link, mass: 6 t, com: [-8, 0, 0], inertia: [1e5, 1e5, 1e5]}
  jib: {type: flexible_body, file: jib.npz, stiffening: false, frequency_limit: 400 rad/s}
  hook: {type: spherical}
  load: {type: rigid_link, mass: 500, com: [0, 0, -12], inertia: [100, 100, 100]}
  members: {type: member_sensor, of: jib, allowable: 235 MPa}
connect:
  - world.frame -- mast.frame_a
  - mast.frame_b -- slew.frame_a
  - slew.frame_b -- brake.frame_a
  - slew.frame_b -- jib.frame_a
  - jib.tip -- hook.frame_a
  - hook.frame_b -- load.frame_a
initial: {solve: static}
simulation: {stop: 20 ms, step: 5 ms}
""")
    (tmp_path / "check.yaml").write_text("""
luff: 1
model: ./crane.yaml
cases: {at rest: {}}
sections: {members of the jib: {sensor: members}}
""")
    sim = luff.compile(tmp_path / "crane.yaml")
    values = sim.evaluate(0.0, sim.x0)
    axial = np.array([values[f"members.axial[{k}]"] for k in range(204)])
    assert abs(axial - expected[:, 6]).max() < 1e-6 * abs(expected[:, 6]).max()
    stress = np.array([values[f"members.member_stress[{k}]"] for k in range(204)])
    np.testing.assert_allclose(stress, worst, rtol=1e-6, atol=1e-6 * max(worst))
    told = call("assess", "check.yaml", "-o", "a.h5", "--report", "a.html", cwd=tmp_path, code=None)
    assert f"{max(worst) / 1e6:.1f} MPa" in told.stdout
    found = re.search(
        r"stress of member (\d+) of jib, from node (\d+) to (\d+), without buckling",
        (tmp_path / "a.html").read_text(encoding="utf-8"),
    )
    assert found is not None
    number, first, last = map(int, found.groups())
    # both lower chords carry the same, but for rounding
    assert worst[number] == pytest.approx(max(worst), rel=1e-9)
    assert [first, last] == list(lattice(JIB)["members"][number][:2])
