"""Stresses as colours: along a link, over time, on demand, in films."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

import luff
from luff.gui.run.run_history import History
from luff.gui.view3d.link_gauges import gauges_of
from luff.gui.view3d.painter import SCALE
from luff.gui.view3d.scene_model import scene_of
from luff.gui.view3d.shades import colour_named
from luff.gui.view3d.stress_colours import OVER, UNSTRESSED, Stresses, colour_at
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.gui.view3d.shown_run import show_run
from luff.tests.process import call


def test_links_take_the_colours_of_their_stresses() -> None:
    """Along a link as its sensors say, evenly between them; beyond what is allowable as nothing else is."""
    text = (
        "luff: 1\nblocks:\n"
        "  boom: {type: rigid_link, mass: 10, com: [1, 0, 0], frame_b: {at: [2, 0, 0]}}\n"
        + "".join(
            f"  {name}: {{type: section_sensor, of: boom, at: {at}, allowable: 1 MPa,"
            " section: {shape: box, width: 0.1, height: 0.1, thickness: 0.01}}\n"
            for name, at in (("root", 0), ("tip", 2))
        )
        + "  bare: {type: rigid_link, mass: 1, frame_b: {at: [0, 0, 1]}}\n"
        + "connect: [world.frame -- boom.frame_a, boom.frame_b -- bare.frame_a]\n"
    )
    scene = scene_of(luff.compile(luff.loads(text)))
    shares = History(["root.utilisation", "tip.utilisation"])
    shares.append(np.array([0.0, 1.0]), np.array([[1.0, 0.0], [1.5, 1.5]]))
    seen = Stresses(scene, shares)
    middles = scene.mesh.vertices(scene.start).reshape(-1, 4, 3).mean(axis=1)[:, 0]
    assert len(set(middles.round(3))) > 3
    own = [block == "boom" for block in scene.mesh.blocks]
    assert 0 < sum(own) < len(own)
    pairs = list(zip(middles, own, strict=True))
    assert seen.colours(0.0) == [colour_at(1.0 - x / 2.0) if known else UNSTRESSED for x, known in pairs]
    assert seen.colours(1.0) == [OVER if known else UNSTRESSED for known in own]
    absolute = History(["root.von_mises"])
    absolute.append(np.array([0.0, 1.0]), np.array([[2e6], [1e6]]))
    one = Stresses(scene, absolute)
    assert set(one.colours(0.0)) == {colour_at(1.0), UNSTRESSED}
    assert set(one.colours(1.0)) == {colour_at(0.5), UNSTRESSED}  # the scale is that of the largest so far
    assert one.scale is not None
    assert one.scale.ticks == ((0.0, "0"), (0.5, "1"), (1.0, "2"))
    none = Stresses(scene, History(["t"]))
    assert none.scale is None
    assert none.colours(0.0) == scene.mesh.colours


BENT = """luff: 1
blocks:
  boom:
    type: rfem_link
    length: 2 m
    section: {shape: box, width: 80 mm, height: 120 mm, thickness: 6 mm}
    section_b: {shape: box, width: 60 mm, height: 80 mm, thickness: 6 mm}
    divisions: 4
    twist: TWIST
    damping: 1 ms
    frame_b: {at: [2 m, 0, 0]}
  load: {type: rigid_link, mass: 1 t, com: [0, 0.3 m, 0], inertia: [10, 10, 10]}
  pull: {type: constant, value: [3 kN, 1 kN, 0]}
  push: {type: applied_force}
SENSORS
connect: [world.frame -- boom.frame_a, boom.frame_b -- load.frame_a, push.frame_b -- boom.frame_b, pull.y -> push.force]
simulation: {stop: 0.02, step: 2e-4, method: implicit}
"""


@pytest.mark.parametrize("twist", ["middle", "papers"])
def test_a_flexible_link_has_the_stresses_that_sensors_would_have(twist: str) -> None:
    """At its springs and both ends; the beam weighs little, and its ends carry what springs do."""
    places = {"s0": 0.0, **{f"s{k}": 0.5 * k - 0.25 for k in (1, 2, 3, 4)}, "s5": 2.0}
    text = BENT.replace("TWIST", twist)
    sensors = "".join(
        f"  {name}: {{type: section_sensor, of: boom, at: {at}}}\n" for name, at in places.items()
    )
    gauges = gauges_of(luff.compile(luff.loads(text.replace("SENSORS", ""))).program.flat.blocks)["boom"]
    assert [gauge.at for gauge in gauges] == [*places.values()]
    result = luff.compile(luff.loads(text.replace("SENSORS", sensors))).run()
    for gauge, name in zip(gauges, places, strict=True):
        own = [gauge.stress(lambda signal, k=k: float(result[signal][k])) for k in (60, -1)]
        # at the ends without half an element, 4 kg beside a load of 1 t
        allowed = 1e-2 if gauge.beyond else 1e-3
        np.testing.assert_allclose(own, result[f"{name}.von_mises"][[60, -1]], rtol=allowed, err_msg=name)


def colours_in(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_a_switch_shows_stresses_in_the_picture(make_view) -> None:
    panel = make_view(luff.compile(LIBRARY / "tower_crane.yaml"))
    scene = panel.canvas.scene
    assert scene is not None
    columns = [name for own in scene.gauges.values() for gauge in own for name in gauge.signals]
    show_run(panel, columns, [[1e6] * len(columns), [2e6] * len(columns)])
    braces = {colour_named(line.colour).name() for line in scene.lines if line.block in scene.gauges}
    plain = panel.canvas.grab().toImage()
    assert braces & colours_in(plain)
    panel.shown_beside["stresses"].trigger()
    stressed = panel.canvas.grab().toImage()
    assert stressed != plain
    assert not braces & colours_in(stressed)  # the paint of bracing would pass for a stress
    assert UNSTRESSED in colours_in(stressed)
    # all of it stands above the scale
    lowest = panel.canvas.project(scene.points_at(panel.canvas.pose))[:, 1].max()
    assert panel.canvas.height() - 2 * SCALE < lowest < panel.canvas.height() - SCALE
    first = list(panel.canvas.look.colours)
    panel.slider.setValue(0)
    assert list(panel.canvas.look.colours) != first
    panel.shown_beside["stresses"].trigger()
    assert not panel.canvas.look.colours


def test_a_film_in_the_colours_of_a_result(tmp_path: Path) -> None:
    """And each way that gives none is told."""
    command = ("animate", "a.h5", "--stresses", "-o", "a.gif", "--size", "160x90", "--fps", "1")
    call("run", LIBRARY / "tower_crane.yaml", "--set", "simulation.stop=0.2", "-o", "a.h5", cwd=tmp_path)
    call(*command, "--folder", LIBRARY, cwd=tmp_path)
    coloured = (tmp_path / "a.gif").read_bytes()
    call(*(word for word in command if word != "--stresses"), "--folder", LIBRARY, cwd=tmp_path)
    assert (tmp_path / "a.gif").read_bytes() != coloured
    (tmp_path / "bare.yaml").write_text(
        "luff: 1\nblocks: {rod: {type: rigid_link, mass: 1, frame_b: {at: [1, 0, 0]}}}\n"
        "connect: [world.frame -- rod.frame_a]\nsimulation: {stop: 0.1, step: 0.1}\n"
    )
    call("run", "bare.yaml", "-o", "bare.h5", cwd=tmp_path)
    for words, told in (
        ("bare.h5 --stresses -o b.gif", "add a section_sensor"),
        ("bare.yaml --stresses -o b.gif", "need a result"),
        ("bare.h5 --stresses -o b.html", "go into .mp4 and .gif"),
    ):
        assert (
            told
            in call(
                "animate", *words.split(), cwd=tmp_path, code=2 if "need" in told or "go" in told else 1
            ).stderr
        )
