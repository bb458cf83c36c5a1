"""Distances from surroundings that are not convex: triangles, point clouds and buildings, beside other libraries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import luff
from luff.tests.conftest import PLAIN

coal = pytest.importorskip("coal")
POSES = 4 if PLAIN else 60
# two walls and a floor of a corner, of which the hull fills the room
CORNERS = np.array([[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0], [0, 0, 2], [4, 0, 2], [0, 3, 2]], float)
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [0, 5, 1], [0, 4, 5], [0, 3, 6], [0, 6, 4]])
SHAPES = {
    "box": ("{kind: box, size: [0.6, 0.4, 0.3], round: 0.02}", lambda: coal.Box(0.56, 0.36, 0.26), 0.02),
    "capsule": ("{kind: capsule, size: [0.2, 0.5]}", lambda: coal.Capsule(1e-12, 0.5), 0.1),
    "cylinder": ("{kind: cylinder, size: [0.4, 0.5], round: 0.02}", lambda: coal.Cylinder(0.18, 0.46), 0.02),
}


def ply(points: np.ndarray, faces: np.ndarray) -> str:
    head = f"ply\nformat ascii 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz")
    if len(faces):
        head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\n"
    rows = [" ".join(map(repr, row)) for row in points.tolist()]
    rows += ["3 " + " ".join(map(str, row)) for row in faces.tolist()]
    return head + "end_header\n" + "\n".join(rows) + "\n"


def room(folder: Path, shape: str, on: str) -> luff.Simulation:
    text = f"""
luff: 1
blocks:
  free: {{type: free}}
  body: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {shape}}}
  house: {{type: fixture, shape: {on}}}
  room: {{type: clearance, of: [body], against: [house]}}
connect: [world.frame -- free.frame_a, free.frame_b -- body.frame_a]
"""
    return luff.compile(luff.loads(text, base=folder))


def distance(sim: luff.Simulation, p: np.ndarray, turn: Rotation) -> float:
    x = np.array(sim.x0)
    names = sim.state_names
    x[[names.index(f"free.position[{k}]") for k in range(3)]] = p
    x[[names.index(f"free.orientation[{k}]") for k in range(4)]] = turn.as_quat(scalar_first=True)
    columns = [column.name for column in sim.program.columns]
    return float(sim.instance.outputs(0.0, x)[columns.index("room.distance")])


@pytest.mark.parametrize("kind", SHAPES)
def test_distance_from_triangles_is_that_of_another_library(kind: str, tmp_path: Path) -> None:
    """In the corner of a room, where its hull is."""
    pytest.importorskip("meshio")
    (tmp_path / "room.ply").write_text(ply(CORNERS, TRIANGLES))
    shape, made, rounding = SHAPES[kind]
    sim = room(tmp_path, shape, "{kind: surface, file: room.ply}")
    surface = coal.BVHModelOBBRSS()
    surface.beginModel(len(TRIANGLES), len(CORNERS))
    for triangle in CORNERS[TRIANGLES]:
        surface.addTriangle(*triangle)
    surface.endModel()
    rng, apart = np.random.default_rng(6), 0
    for _ in range(POSES):
        p, turn = rng.uniform([-1, -1, -1], [5, 4, 3]), Rotation.random(rng=rng)
        answer = coal.DistanceResult()
        here = coal.Transform3s(np.eye(3), np.zeros(3))
        there = coal.Transform3s(turn.as_matrix(), p)
        gap = coal.distance(surface, here, made(), there, coal.DistanceRequest(), answer)
        apart += gap > 0.0
        # coal's own error; where cores meet, minus the rounding
        assert distance(sim, p, turn) == pytest.approx(max(gap, 0.0) - rounding, abs=1e-5)
    assert apart > 0.5 * POSES


def test_distance_from_a_point_cloud_is_that_of_its_nearest_point(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    rng = np.random.default_rng(9)
    points = rng.uniform(-2.0, 2.0, (40 if PLAIN else 2000, 3)).astype(np.float32).astype(float)
    (tmp_path / "cloud.ply").write_text(ply(points, np.zeros((0, 3), int)))
    sim = room(tmp_path, "{kind: sphere, size: 0.2}", "{kind: surface, file: cloud.ply, round: 5 mm}")
    tree = cKDTree(points)
    for p in rng.uniform(-3.0, 3.0, (POSES, 3)):
        assert distance(sim, p, Rotation.identity()) == pytest.approx(tree.query(p)[0] - 0.105, abs=1e-9)


def test_building_of_an_ifc_model_is_measured(tmp_path: Path) -> None:
    """A wall of 4 m by 0.3 m, 3 m high, that stands a metre up."""
    pytest.importorskip("ifcopenshell")
    (tmp_path / "wall.ifc").write_text(IFC)
    sim = room(tmp_path, "{kind: sphere, size: 0.2}", "{kind: surface, file: wall.ifc}")
    assert distance(sim, np.array([6.0, 0.0, 2.0]), Rotation.identity()) == pytest.approx(4.0 - 0.1, abs=1e-6)
    assert distance(sim, np.array([0.0, 0.0, 5.0]), Rotation.identity()) == pytest.approx(1.0 - 0.1, abs=1e-6)
    assert distance(sim, np.array([0.0, 1.0, 2.0]), Rotation.identity()) == pytest.approx(
        0.85 - 0.1, abs=1e-6
    )


IFC = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('wall.ifc','2024-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('IFC4'));
ENDSEC;
DATA;
#1=IFCPROJECT('0YvctVUKr0kugbFTf53O9L',$,'p',$,$,$,$,(#10),#5);
#5=IFCUNITASSIGNMENT((#6));
#6=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);
#10=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#11,$);
#11=IFCAXIS2PLACEMENT3D(#12,$,$);
#12=IFCCARTESIANPOINT((0.,0.,0.));
#20=IFCLOCALPLACEMENT($,#21);
#21=IFCAXIS2PLACEMENT3D(#22,$,$);
#22=IFCCARTESIANPOINT((0.,0.,1000.));
#30=IFCRECTANGLEPROFILEDEF(.AREA.,$,#31,4000.,300.);
#31=IFCAXIS2PLACEMENT2D(#32,$);
#32=IFCCARTESIANPOINT((0.,0.));
#33=IFCDIRECTION((0.,0.,1.));
#34=IFCEXTRUDEDAREASOLID(#30,#11,#33,3000.);
#35=IFCSHAPEREPRESENTATION(#10,'Body','SweptSolid',(#34));
#36=IFCPRODUCTDEFINITIONSHAPE($,$,(#35));
#40=IFCWALL('1YvctVUKr0kugbFTf53O9L',$,'wall',$,$,#20,#36,$,$);
ENDSEC;
END-ISO-10303-21;
"""


def test_surface_does_not_touch(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    (tmp_path / "room.ply").write_text(ply(CORNERS, TRIANGLES))
    text = """
luff: 1
blocks:
  free: {type: free}
  body: {type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {kind: sphere, size: 1}}
  house: {type: fixture, shape: {kind: surface, file: room.ply}}
  hits: {type: touch, of: [body], against: [house]}
connect: [world.frame -- free.frame_a, free.frame_b -- body.frame_a]
"""
    with pytest.raises(luff.LuffError, match="house is a surface, which only `clearance` measures"):
        luff.compile(luff.loads(text, base=tmp_path))
