"""Stresses at points of bodies reduced from solid meshes: against beams in closed form, in runs, reports and cycles."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest

import luff
from luff.blocks.reduction.reduced_body import read_body
from luff.tests.process import call

# corners of the six tetrahedra around the diagonal of a brick, in the order of meshio's hexahedron
SIXTH = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
LENGTH, WIDTH, HEIGHT = 1.0, 0.06, 0.1
I_Y, I_Z, AREA = WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT
MATERIAL = {"E": 2.1e11, "nu": 0.0, "rho": 7850.0}  # without cross contraction the clamp disturbs nothing
EXAMPLE = Path(luff.__file__).parent / "docs" / "examples" / "stress_sensor.npz"
TOP, SIDE = [0.5, 0.0, 0.05], [0.5, 0.03, 0.05]


def bar(path: Path, tetrahedra: bool = False) -> None:
    """Bar along x with node sets ROOT and TIP at its ends, as an Abaqus file."""
    x = np.linspace(0, LENGTH, 11)
    y, z = (np.linspace(-0.5 * side, 0.5 * side, 3) for side in (WIDTH, HEIGHT))
    points = np.array([(a, b, c) for c in z for b in y for a in x])
    at = lambda i, j, k: (k * len(y) + j) * len(x) + i  # noqa: E731
    around = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = np.array(
        [
            [at(i + a, j + b, k + c) for a, b, c in around]
            for i in range(10)
            for j in range(2)
            for k in range(2)
        ]
    )
    kind = "hexahedron"
    if tetrahedra:
        kind, cells = "tetra", np.concatenate([cells[:, own] for own in SIXTH])
    ends = {"ROOT": np.flatnonzero(points[:, 0] == 0), "TIP": np.flatnonzero(points[:, 0] == LENGTH)}
    meshio.Mesh(points, [(kind, cells)], point_sets=ends).write(path)


def reduced(folder: Path, tetrahedra: bool = False) -> None:
    bar(folder / "bar.inp", tetrahedra)
    ends = {"frame_a": "ROOT", "tip": "TIP"}
    luff.reduce(folder / "bar.inp", folder / "bar.npz", interfaces=ends, material=MATERIAL, modes=2)


MODEL = """
luff: 1
name: bar
blocks:
  world: {gravity: [0, 0, 0]}
  bar: {type: flexible_body, file: bar.npz, damping: {ratio: 0.02}, stiffening: false}
  pull: {type: applied_force}
  load: {type: constant, value: FORCE, unit: N}
  gauges:
    {type: stress_sensor, of: bar, points: [[0.5, 0, 0.05], [0.5, 0.03, 0.05], [0.2, 0, -0.05]], allowable: 100 MPa}
connect: [world.frame -- bar.NEAR, bar.FAR -- pull.frame_b, load.y -> pull.force]
initial: {solve: static}
simulation: {stop: 0.02 s, step: 10 us, output_step: 1 ms}
"""


def at_rest(folder: Path, force: list[float], near: str = "frame_a") -> dict[str, float]:
    text = MODEL.replace("FORCE", str(force)).replace("NEAR", near)
    text = text.replace("FAR", "tip" if near == "frame_a" else "frame_a")
    sim = luff.compile(luff.loads(text, base=folder))
    return sim.evaluate(0.0, sim.x0)


@pytest.mark.parametrize("tetrahedra", [False, True])
def test_a_bar_has_the_stresses_of_a_beam(tmp_path: Path, tetrahedra: bool) -> None:
    """M z / I and N / A, half-way and near the wall; quadratic tetrahedra are 3 % off on a mesh this coarse."""
    reduced(tmp_path, tetrahedra)
    close = 0.04 if tetrahedra else 1e-3
    pulled = at_rest(tmp_path, [6000.0, 0, 0])
    for k in range(3):
        assert pulled[f"gauges.tensor[{6 * k}]"] == pytest.approx(6000 / AREA, rel=1e-6)
        assert pulled[f"gauges.signed[{k}]"] == pytest.approx(6000 / AREA, rel=1e-6)
    bent = at_rest(tmp_path, [0, 0, -1000.0])
    stress = 1000 * 0.05 / I_Y * np.array([0.5, 0.5, -0.8])
    for k, expected in enumerate(stress.tolist()):
        assert bent[f"gauges.tensor[{6 * k}]"] == pytest.approx(expected, rel=close)
    assert bent["gauges.signed[2]"] < 0.0 < bent["gauges.von_mises[2]"]
    assert bent["gauges.stress"] == bent["gauges.von_mises[2]"]
    assert bent["gauges.governing"] == 2
    assert bent["gauges.utilisation"] == pytest.approx(bent["gauges.stress"] / 100e6, rel=1e-12)
    both = at_rest(tmp_path, [0, 500.0, -1000.0])
    across = 500 * 0.5 * 0.03 / I_Z
    assert both["gauges.tensor[6]"] == pytest.approx(stress[1] - across, rel=close)


def test_shear_is_told_by_the_tensor(tmp_path: Path) -> None:
    """xz is the fifth entry of a point. Jourawski's parabola has 3 V / 2 A in the middle of the side; the line through
    it at both stations of an element of half the height has 7 V / 4 A there: a mesh of two is that coarse."""
    reduced(tmp_path)
    text = MODEL.replace("[0.5, 0, 0.05], [0.5, 0.03, 0.05], [0.2, 0, -0.05]", "[0.5, 0.03, 0]")
    text = text.replace("FORCE", "[0, 0, -1000]").replace("NEAR", "frame_a").replace("FAR", "tip")
    sim = luff.compile(luff.loads(text, base=tmp_path))
    told = sim.evaluate(0.0, sim.x0)
    assert told["gauges.tensor[4]"] == pytest.approx(-1.75 * 1000 / AREA, rel=1e-3)
    assert abs(told["gauges.tensor[0]"]) < 1e-3 * 1000 * 0.5 * 0.05 / I_Y
    assert told["gauges.von_mises"] == pytest.approx(np.sqrt(3) * abs(told["gauges.tensor[4]"]), rel=1e-3)


def test_the_stress_is_that_of_the_body_whichever_end_is_held(tmp_path: Path) -> None:
    reduced(tmp_path)
    turned = at_rest(tmp_path, [0, 0, -1000.0], near="tip")
    # held at the other end the arms are 0.5 and 0.2 m
    for k, expected in enumerate((1000 * 0.05 / I_Y * np.array([0.5, 0.5, -0.2])).tolist()):
        assert turned[f"gauges.tensor[{6 * k}]"] == pytest.approx(expected, rel=2e-3)


def test_what_a_sensor_cannot_watch_is_told(tmp_path: Path) -> None:
    reduced(tmp_path)
    with pytest.raises(luff.LuffError, match=r"gauges\.points\[1\]: point 1 is 0\.4.* m off the surface"):
        at_rest_of(tmp_path, "[0.5, 0.03, 0.05]", "[0.5, 0.5, 0.05]")
    frame = {
        "nodes": [[0, 0, 0], [1, 0, 0]],
        "members": [[0, 1]],
        "section": {"A": 1e-3, "I_y": 1e-6, "I_z": 1e-6, "J": 1e-6},
    }
    luff.reduce(frame, tmp_path / "bar.npz", interfaces={"frame_a": [0], "tip": [1]})
    with pytest.raises(luff.LuffError, match=r"gauges\.of: bar holds no stresses"):
        at_rest(tmp_path, [0, 0, 0])


def at_rest_of(folder: Path, old: str, new: str) -> None:
    text = (
        MODEL.replace(old, new).replace("FORCE", "[0, 0, 0]").replace("NEAR", "frame_a").replace("FAR", "tip")
    )
    luff.compile(luff.loads(text, base=folder))


CHECK = """
luff: 1
name: bar
model: ./model.yaml
cases: {let go: {}}
sections:
  gauges of the bar: {sensor: gauges}
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda kept: kept["surface"] + 0.5, "surface holds no list of numbers of its 195 points"),
        (lambda kept: kept["surface"] - 1, "surface holds no list"),
        (lambda kept: kept["surface"][None], "surface holds no list"),
        (lambda kept: kept["surface"][:-1], "surface_stress has the shape"),
    ],
)
def test_damaged_stresses_are_refused(tmp_path: Path, change, words: str) -> None:
    with np.load(EXAMPLE) as kept:
        arrays = dict(kept)
    np.savez(tmp_path / "bar.npz", **arrays | {"surface": change(arrays)})
    with pytest.raises(luff.LuffError, match=words):
        read_body(tmp_path, "bar.npz")


def test_mesh_to_report_by_commands_alone(tmp_path: Path) -> None:
    """A load that is put on suddenly: twice the static stress governs; the report names the point."""
    bar(tmp_path / "bar.inp")
    words = [
        "reduce",
        "bar.inp",
        "-o",
        "bar.npz",
        "--interface",
        "frame_a=ROOT",
        "--interface",
        "tip=TIP",
        "--nu",
        "0",
    ]
    call(*words, "--modes", "2", cwd=tmp_path)
    assert read_body(tmp_path, "bar.npz").value.surface_stress is not None
    text = MODEL.replace("FORCE", "[0, 0, -1000]").replace("NEAR", "frame_a").replace("FAR", "tip")
    text = text.replace("initial: {solve: static}", "").replace("ratio: 0.02", "ratio: 0")
    (tmp_path / "model.yaml").write_text(text)
    (tmp_path / "check.yaml").write_text(CHECK)
    told = call("assess", "check.yaml", "-o", "check.h5", "--report", "bar.html", cwd=tmp_path).stdout
    page = (tmp_path / "bar.html").read_text("utf-8")
    assert "stress of von Mises at point 2 of bar, at [0.2, 0, -0.05] m" in page
    use = luff.assess(tmp_path / "check.yaml", tmp_path / "again.h5").checks[0].utilisation
    # the first mode has 97 % of the static deflection; others add and take away
    assert use == pytest.approx(2 * 1000 * 0.8 * 0.05 / I_Y / 100e6, rel=0.1)
    assert told
