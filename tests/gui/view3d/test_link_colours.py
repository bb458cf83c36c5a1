"""Bodies told apart by colour; round parts that look round; joints no larger than what they join, and in sight."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.gui.theme.active_theme import holder
from luff.gui.theme.colours import THEMES
from luff.gui.view3d.camera import Camera
from luff.gui.view3d.face_arrays import Mesh
from luff.gui.view3d.film import Film
from luff.gui.view3d.html_replay import page_data
from luff.gui.view3d.link_colours import numbered
from luff.gui.view3d.scene_model import Scene, scene_of
from luff.gui.view3d.shades import colour_named
from luff.gui.view3d.solid_faces import CHORD, FEWEST, MOST, sides_of

LIBRARY = Path(luff.__file__).parent / "library"


@pytest.fixture(scope="module")
def gripper() -> Scene:
    return scene_of(luff.compile(LIBRARY / "gripper.yaml"))


def colours(scene: Scene) -> dict[str, str]:
    return {skin.block: skin.colour for skin in scene.skins}


def test_bodies_beside_each_other_differ_and_like_ones_are_alike(gripper: Scene) -> None:
    own = colours(gripper)
    assert own["palm"] == "bodies 0"
    assert own["left_jaw"] == own["right_jaw"] == "bodies 1"


def test_a_colour_of_the_netlist_is_kept(gripper: Scene) -> None:
    assert colours(gripper)["block"].startswith("#")


@pytest.mark.parametrize("model", ["excavator", "crane_knuckle_boom", "manipulator_olkc", "mechanism_rpsup"])
def test_no_two_bodies_that_a_joint_connects_are_alike(model: str) -> None:
    sim = luff.compile(LIBRARY / f"{model}.yaml")
    own = colours(scene_of(sim))
    of = {
        (bond.a.block, bond.a.port): bond.b.block for bond in sim.program.flat.bonds if bond.kind == "frame"
    } | {(bond.b.block, bond.b.port): bond.a.block for bond in sim.program.flat.bonds if bond.kind == "frame"}
    pairs = [
        (of[name, "frame_a"], of[name, "frame_b"])
        for name, block in sim.program.flat.blocks.items()
        if block.type_name == "revolute" and {(name, "frame_a"), (name, "frame_b")} <= of.keys()
    ]
    bodies = [pair for pair in pairs if all(own.get(name, "").startswith("bodies ") for name in pair)]
    assert bodies
    assert all(own[a] != own[b] for a, b in bodies)


def test_with_all_colours_taken_the_rarest_is_given() -> None:
    names = [f"b{k}" for k in range(9)]
    numbers = numbered(names, {name: set(names) - {name} for name in names})
    count = len(THEMES["light"].links)
    assert [numbers[name] for name in names] == [k % count for k in range(9)]


def luminance(red: float, green: float, blue: float) -> float:
    """Relative luminance (WCAG 2.1)."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)
    ]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("theme", THEMES)
def test_each_colour_stands_out_from_the_background(theme: str) -> None:
    """By 3:1, as graphical objects have to (WCAG 2.1, 1.4.11)."""
    with holder.lent(theme):
        for k in range(len(THEMES[theme].links)):
            own = luminance(*colour_named(f"bodies {k}").getRgbF()[:3])
            for ground in ("canvas", "window"):
                other = luminance(*colour_named(getattr(THEMES[theme], ground)).getRgbF()[:3])
                assert (max(own, other) + 0.05) / (min(own, other) + 0.05) > 3.0


@pytest.mark.parametrize("theme", THEMES)
def test_the_first_colour_of_links_is_that_of_the_family(theme: str) -> None:
    assert THEMES[theme].links[0] == THEMES[theme].families["bodies"]


def test_round_parts_have_sides_by_their_size() -> None:
    """No side is further from its arc than that share of the width of thin parts, but for very large ones."""
    for radius in (0.1, 0.4, 1.0, 3.0, 12.0):
        count = sides_of(radius, 1.0)
        assert count % 4 == 0
        assert FEWEST <= count <= MOST
        assert radius * (1.0 - np.cos(np.pi / count)) <= CHORD
    assert sides_of(1e3, 1.0) == MOST


BALLS = """luff: 1
blocks:
  small: {type: fixture, shape: {kind: sphere, size: 0.02, at: [5, 0, 0]}}
  large: {type: fixture, shape: {kind: cylinder, size: [4, 1]}}
"""


def test_a_large_shape_has_more_sides_than_a_small_one() -> None:
    scene = scene_of(luff.compile(luff.loads(BALLS)))
    faces = {skin.block: skin.faces for skin in scene.skins}
    assert len(faces["small"]) == FEWEST * FEWEST // 2
    assert len(faces["large"]) > 40


def test_pages_draw_edges_where_a_surface_bends_alone() -> None:
    """Two rings of a cylinder; none along its wall, nor on a ball."""
    scene = scene_of(luff.compile(luff.loads(BALLS)))
    data = page_data(Film("balls", scene, np.zeros(1), scene.start[None]))
    bits = np.array([bin(number).count("1") for number in data["edges"]])  # type: ignore[attr-defined]
    of = np.array(scene.mesh.blocks)
    assert bits[of == "small"].sum() == 0
    (large,) = (skin for skin in scene.skins if skin.block == "large")
    # parts of its wall, of which each end of a strip has one side in a ring
    upright = (of == "large") & (np.ptp(scene.mesh.local.reshape(-1, 4, 3)[..., 2], axis=1) > 0.1)
    assert bits[upright].sum() == 2 * sum(np.ptp(face[:, 2]) > 0.5 for face in large.faces)


def test_a_joint_between_frames_close_together_is_small() -> None:
    shown = scene_of(
        luff.compile(
            luff.loads("""luff: 1
blocks:
  near: {type: revolute, axis: y}
  far: {type: revolute, axis: y}
  short: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [0.1, 0, 0]}}
  long: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [8, 0, 0]}}
  end: {type: revolute, axis: y}
  last: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [4, 0, 0]}}
connect:
  - world.frame -- near.frame_a
  - near.frame_b -- short.frame_a
  - short.frame_b -- far.frame_a
  - far.frame_b -- long.frame_a
  - long.frame_b -- end.frame_a
  - end.frame_b -- last.frame_a
""")
        )
    )
    heights = {
        skin.block: np.ptp(Mesh([skin]).vertices(shown.start)[:, 2])
        for skin in shown.skins
        if skin.colour == "joints"
    }
    assert heights["near"] == pytest.approx(heights["far"])
    assert heights["near"] < 0.6 * heights["end"]


def test_the_first_joint_of_a_mechanism_without_extent_has_room_about_it() -> None:
    """A third of the picture, neither a dot nor a barrel that fills it."""
    shown = scene_of(
        luff.compile(
            luff.loads("""luff: 1
blocks:
  pin: {type: revolute, axis: y}
  link: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- link.frame_a]
""")
        )
    )
    camera = Camera()
    camera.fit(shown.points_at(shown.start), 640.0, 420.0)
    seen = camera.project(shown.drawn_at(shown.start), 640.0, 420.0)[:, :2]
    assert 0.2 < np.ptp(seen[:, 1]) / 420.0 < 0.5
