"""Flexible bodies in pictures: where their interfaces are, how they bend, and their stresses as colours."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.gui.run.run_history import History
from luff.gui.view3d.film import Film, film_of_run
from luff.gui.view3d.html_replay import page_data
from luff.gui.view3d.row_poses import recorded_poses
from luff.gui.view3d.scene_model import frame_at, scene_of
from luff.gui.view3d.stress_colours import Stresses, colour_at
from luff.solver.simulation.run_state import poses as evaluated
from luff.solver.simulation.session import Session
from luff.tests.shared.flexible_models import STEEL, beam, link, model

ROUND = {**STEEL, "y": 0.02, "z": 0.03}  # m: how far the outermost fibres are from the axes
PULL = [30.0, 40.0, -20.0]  # N


def bent_boom(folder: Path, allowable: str = "100 MPa", near: str = "frame_a") -> luff.Simulation:
    """Cantilever of beams on a slewing joint, pulled at its far end, where a link hangs; and its member_sensor."""
    far = "tip" if near == "frame_a" else "frame_a"
    beam(folder / "boom.npz", section=ROUND, divisions=4)
    blocks = {
        "slew": {"type": "revolute", "axis": "z", "initial": {"velocity": "2 rad/s"}},
        "boom": {"type": "flexible_body", "file": "boom.npz", "damping": {"ratio": 0.1}},
        "end": link(2.0, [0.1, 0, 0], [0.01, 0.01, 0.01], [0.2, 0, 0]),
        "pull": {"type": "applied_force"},
        "load": {"type": "constant", "value": PULL, "unit": "N"},
        "members": {"type": "member_sensor", "of": "boom", "allowable": allowable},
    }
    connect = [
        "world.frame -- slew.frame_a", f"slew.frame_b -- boom.{near}", f"boom.{far} -- end.frame_a",
        f"boom.{far} -- pull.frame_b", "load.y -> pull.force",
    ]  # fmt: skip
    return model(
        folder, blocks, connect, simulation={"stop": "40 ms", "step": "10 us", "output_step": "10 ms"},
        record=["*"],
    )  # fmt: skip


def film(folder: Path) -> Film:
    """Film of the boom, at rest at first."""

    def advance(session: Session) -> None:
        while session.status == "running":
            session.advance()

    return film_of_run(bent_boom(folder), advance)


def test_recorded_poses_are_those_of_the_evaluation(tmp_path: Path) -> None:
    """Interfaces turn and move with the modes, and what hangs on them; MODAL rows hold the modal coordinates."""
    sim = bent_boom(tmp_path)
    result = sim.run()
    session = sim.start()
    session.advance(steps=1000)
    while session.status == "running":
        session.advance()
    assert session.time == pytest.approx(result.time[-1])
    last = recorded_poses(sim.program, result, np.array([len(result.time) - 1]))[0]
    row = session.instance.data.row
    here = evaluated(row)
    modal = sim.program.mechanism.flexible[0]
    modes = np.arange(modal.row + 1, modal.row + 1 + modal.reduced.modes)
    others = np.setdiff1d(np.arange(len(here)), modes)
    assert np.abs(here[others] - last[others]).max() < 1e-12  # of metres and cosines near one
    eta = [result[f"boom.mode[{j}]"][-1] for j in range(len(modes))]
    assert np.abs(eta).max() > 1e-4
    assert np.array_equal(last[modes, 9], eta)
    assert np.array_equal(here[modes, 9], eta)


def test_the_end_of_a_bent_frame_is_where_its_interface_is(tmp_path: Path) -> None:
    """The last member's prism ends around the node at which the interface stands, millimetres away from straight."""
    filmed = film(tmp_path)
    scene, pose = filmed.scene, filmed.poses[-1]
    corners = scene.mesh.vertices(pose)[[block == "boom" for block in scene.mesh.blocks for _ in range(4)]]
    _, tip = frame_at(scene, pose, "boom.tip")
    at_end = corners[np.linalg.norm(corners - tip, axis=1) < 1.01 * ROUND["z"]]
    at_end = at_end[np.unique(at_end.round(9), axis=0, return_index=True)[1]]  # sides share their corners
    assert len(at_end) == 4
    assert np.abs(at_end.mean(axis=0) - tip).max() < 1e-12
    R, root = frame_at(scene, pose, "boom.frame_a")
    assert np.linalg.norm(tip - root - R[:, 0]) > 1e-3


@pytest.mark.parametrize("near", ["frame_a", "tip"])
def test_members_have_the_colours_of_their_sensor(tmp_path: Path, near: str) -> None:
    """By its allowable stress the utilisation; the sensor's own sums are another implementation. The first ends of the
    members govern, or their last ones."""
    sim = bent_boom(tmp_path, "20 MPa", near)
    result = sim.run()
    scene, history = scene_of(sim), History.of(result)
    seen = Stresses(scene, history)
    (body,) = seen.bodies
    eta = np.array([result[name][-1] for name in body.modes])
    shown = body.stresses(eta).reshape(4, -1)
    told = np.array([result[f"members.member_stress[{k}]"][-1] for k in range(4)])
    assert told.max() > 1e6
    assert shown == pytest.approx(np.repeat(told[:, None], shown.shape[1], axis=1), rel=1e-12)
    colours = np.array(seen.colours(float(result.time[-1])))[body.faces].reshape(4, -1)
    assert [set(own) for own in colours] == [{colour_at(stress / 20e6)} for stress in told]
    assert seen.scale is not None
    assert seen.scale.title == "share of the allowable stress"
    few = History([name for name in history.columns if name != body.modes[0]])
    assert Stresses(scene, few).empty


BEND = """
const { code, bends, corners, place } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const bending = new Function(code + "; return bending;")();
console.log(JSON.stringify(Array.from(bending(bends, Float32Array.from(corners))(Float64Array.from(place)))));
"""


def test_a_page_bends_bodies_too(tmp_path: Path) -> None:
    """The page's own code moves its corners to where the picture has them, twice alike."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on this machine")
    filmed = film(tmp_path)
    data, pose = page_data(filmed), filmed.poses[-1]
    read = lambda text, kind: np.frombuffer(base64.b64decode(str(text)), kind)  # noqa: E731
    asked = {
        "code": (Path(luff.__file__).parent / "gui" / "view3d" / "drawing.js").read_text("utf-8"),
        "bends": data["bends"],
        "corners": read(data["corners"], "<f4").astype(float).tolist(),
        "place": pose.ravel().tolist(),
    }
    done = subprocess.run(
        [node, "-e", BEND], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    corners, rows = np.array(json.loads(done.stdout)).reshape(-1, 3), read(data["corner_rows"], "<i4")
    table = np.vstack((pose, np.concatenate((np.eye(3).ravel(), np.zeros(3)))))  # row -1 is the world
    R, p = table[rows, :9].reshape(-1, 3, 3), table[rows, 9:]
    # numbers of a page have 24 bits
    assert np.abs(np.einsum("nij,nj->ni", R, corners) + p - filmed.scene.mesh.vertices(pose)).max() < 1e-6
