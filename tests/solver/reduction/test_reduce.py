"""Reductions of meshes and frames, as a command, from Python, and against the full model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

import luff
from luff.blocks.reduction.reduced_body import read_body
from luff.tests.process import call

STEEL = {"A": 4e-4, "I_y": 1.3e-8, "I_z": 2.6e-8, "J": 2.2e-8}
# corners of the six tetrahedra around the diagonal of a brick, in the order of meshio's hexahedron
SIXTH = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]


def plate(path: Path, tetrahedra: bool = False, scale: float = 1.0) -> None:
    """1 m x 0.3 m x 20 mm, with node sets ROOT and TIP at both ends, as an Abaqus file."""
    x, y, z = np.linspace(0, 1, 9), np.linspace(0, 0.3, 4), [0, 0.02]
    points = np.array([(a, b, c) for c in z for b in y for a in x])
    at = lambda i, j, k: (k * len(y) + j) * len(x) + i  # noqa: E731
    around = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = np.array([[at(i + a, j + b, c) for a, b, c in around] for i in range(8) for j in range(3)])
    kind = "hexahedron"
    if tetrahedra:
        kind, cells = "tetra", np.concatenate([cells[:, own] for own in SIXTH])
    ends = {"ROOT": np.flatnonzero(points[:, 0] == 0), "TIP": np.flatnonzero(points[:, 0] == 1)}
    meshio.Mesh(points / scale, [(kind, cells)], point_sets=ends).write(path)


@pytest.mark.parametrize("tetrahedra", [False, True])
def test_plate_has_the_frequencies_of_the_full_model_and_of_a_beam(tmp_path: Path, tetrahedra: bool) -> None:
    """As a process. Six frequencies, free and clamped, within 0.5 % of the full model with the same interfaces."""
    plate(tmp_path / "plate.inp", tetrahedra, scale=1e-3)
    told = call(
        "reduce", "plate.inp", "--interface", "frame_a=ROOT", "--interface", "tip=TIP", "--scale", "0.001", "--json",
        cwd=tmp_path,
    ).stdout  # fmt: skip
    answer = json.loads(told)
    report = answer["report"]
    assert answer["mass"] == pytest.approx(1 * 0.3 * 0.02 * 7850, rel=1e-12)
    assert report["frequency_error"] <= 0.005
    assert min(report[f"mac_{k}"] for k in range(1, 7)) > 0.999
    assert report["rigid_energy"] < 1e-12
    # Euler and Bernoulli with free edges: a wide plate of which one end keeps its shape is 2 % stiffer
    EI, mass = 2.1e11 * 0.3 * 0.02**3 / 12, 7850 * 0.3 * 0.02
    assert report["clamped_1"] == pytest.approx(1.87510407**2 * np.sqrt(EI / mass), rel=0.04)
    body = read_body(tmp_path, "plate.npz").value
    assert body.names == ("frame_a", "tip")
    assert np.allclose(body.at, [[0, 0, 0], [1, 0, 0]], atol=1e-12)
    # triangles of the surface look outwards: volume by Gauss' theorem
    a, b, c = body.points[body.triangles].transpose(1, 0, 2)
    assert np.einsum("nk,nk->", a, np.cross(b, c)) / 6 == pytest.approx(1 * 0.3 * 0.02, rel=1e-12)


GMSH = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
2 2 "ROOT"
2 3 "TIP"
3 1 "steel"
$EndPhysicalNames
$Entities
0 0 2 1
11 0 0 0 0 1 1 1 2 0
22 1 0 0 1 1 1 1 3 0
1 0 0 0 1 1 1 1 1 2 11 22
$EndEntities
$Nodes
1 8 1 8
3 1 0 8
1
2
3
4
5
6
7
8
0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
$EndNodes
$Elements
3 3 1 3
2 11 3 1
1 1 4 8 5
2 22 3 1
2 2 3 7 6
3 1 5 1
3 1 2 3 4 5 6 7 8
$EndElements
"""


def test_physical_groups_of_gmsh_are_interfaces(tmp_path: Path) -> None:
    """A cube as Gmsh 4.1 writes it: its surfaces bear larger numbers than there are cells."""
    (tmp_path / "cube.msh").write_text(GMSH)
    body = luff.reduce(tmp_path / "cube.msh", interfaces={"frame_a": "ROOT", "tip": "TIP"}, modes=1)
    assert body.mass == pytest.approx(7850, rel=1e-12)
    assert np.allclose(body.at, [[0, 0, 0], [1, 0, 0]], atol=1e-12)


def frame(divisions: int = 12, **settings: Any) -> Any:
    nodes = [[k / divisions, 0, 0.3 * (k / divisions) ** 2] for k in range(divisions + 1)]
    source = {"nodes": nodes, "members": [[k, k + 1] for k in range(divisions)], "section": STEEL}
    interfaces = {"frame_a": [0], "tip": [divisions], "way": [divisions // 2]}
    return luff.reduce(source, interfaces=interfaces, **settings)


def test_another_root_has_the_same_free_body(tmp_path: Path) -> None:
    """Free frequencies and inertia do not depend on where it is clamped; back at the first root all is as it was."""
    body = frame(modes=6)
    turned = body.clamped_at("tip")
    assert not [*turned.problems()]
    assert np.allclose(turned.free_frequencies(), body.free_frequencies(), rtol=1e-9)
    com = body.moment / body.mass
    assert np.allclose(turned.moment / turned.mass, com - body.at[1], atol=1e-12)
    back = turned.clamped_at("frame_a")
    assert np.allclose(back.frequencies, body.frequencies, rtol=1e-6)
    assert np.allclose(back.inertia, body.inertia, rtol=1e-12)
    body.save(tmp_path / "body.npz")
    again = read_body(tmp_path, "body.npz").value
    assert np.array_equal(again.pairs, body.pairs)
    assert again.report == body.report


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interfaces": {}}, "found no interfaces"),
        ({"interfaces": {"frame_a": [99]}}, "names a node that is not there"),
        ({"interfaces": {"frame_a": "ROOT"}}, "names no nodes"),
        ({"interfaces": {"frame_a": [0], "tip": [0]}}, "share the node 0"),
        ({"interfaces": {"frame_a": {"nodes": [0], "averaged": True}}}, "the first interface"),
    ],
)
def test_wrong_interfaces_are_told(settings: dict[str, Any], message: str) -> None:
    source = {"nodes": [[0, 0, 0], [1, 0, 0]], "members": [[0, 1]], "section": STEEL}
    with pytest.raises(luff.LuffError, match=message):
        luff.reduce(source, **settings)


def test_meshes_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "none.inp").write_text("*NODE\nnothing\n")
    with pytest.raises(luff.LuffError, match=r"cannot read .*none\.inp as a mesh"):
        luff.reduce(tmp_path / "none.inp", interfaces={"frame_a": "ROOT"})
    plate(tmp_path / "plate.inp")
    with pytest.raises(luff.LuffError, match='the mesh has no set "ROT"'):
        luff.reduce(tmp_path / "plate.inp", interfaces={"frame_a": "ROT"})
