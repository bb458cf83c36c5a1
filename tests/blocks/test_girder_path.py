"""A trolley on a flexible girder against beam theory: deflection at rest, a moving force, a moving mass."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks.geometry.cross_sections import box

from ..conftest import hours_as_plain_python

L, E, RHO = 20.0, 2.1e11, 7850.0
A, I, _, _ = box(0.3, 0.6, 0.008)
LINE = RHO * A  # mass by length
OMEGA = (math.pi / L) ** 2 * math.sqrt(E * I / LINE)
CRITICAL = OMEGA * L / math.pi

# both ends are pinned, one of them rolls; the trolley is pushed down by a force that does not follow its inertia
GIRDER = """
luff: 1
name: girder
parameters: {mass: 2 t, weight: 0, v: 0, begin: 5}
blocks:
  world: {gravity: [0, 0, GRAVITY]}
  left: {type: revolute, axis: y}
  girder: {type: rfem_link, length: 20 m, divisions: DIVISIONS,
    section: {shape: box, width: 300 mm, height: 600 mm, thickness: 8 mm}}
  right: {type: revolute, axis: y}
  roller: {type: prismatic, axis: x}
  column: {type: fixed, at: [20 m, 0, 0]}
  run: {type: ramp, unit: m, slope: =v, offset: =begin}
  place: {type: make_trajectory}
  rate: {type: constant, value: =v, unit: m/s}
  steady: {type: constant, value: 0, unit: m/s^2}
  along: {type: prismatic, axis: x, driven: true}
  lift: {type: prismatic, axis: z}
  trolley: {type: rigid_link, mass: =mass}
  down: {type: constant, value: [0, 0, =-weight], unit: N}
  pull: {type: applied_force}
  path: {type: girder_path, of: girder, stiffness: [0, STIFFNESS]}
connect:
  - world.frame -- left.frame_a
  - left.frame_b -- girder.frame_a
  - girder.frame_b -- right.frame_a
  - world.frame -- column.frame_a
  - column.frame_b -- roller.frame_a
  - roller.frame_b -- right.frame_b
  - world.frame -- along.frame_a
  - run.y -> place.value
  - rate.y -> place.rate
  - steady.y -> place.acceleration
  - place.y -> along.follow
  - along.frame_b -- lift.frame_a
  - lift.frame_b -- trolley.frame_a
  - trolley.frame_a -- path.frame_b
  - trolley.frame_a -- pull.frame_b
  - down.y -> pull.force
initial: {solve: static}
simulation: {stop: 1 s, step: 0.2 ms, output_step: 2 ms}
record: ["*", "path.*"]
"""


def netlist(
    gravity: float = -9.81, divisions: int = 10, stiffness: float = 1e8, of: str = "girder"
) -> luff.Diagram:
    text = GIRDER.replace("GRAVITY", str(gravity)).replace("DIVISIONS", str(divisions))
    return luff.loads(text.replace("STIFFNESS", str(stiffness)).replace("of: girder", f"of: {of}"))


@pytest.fixture(scope="module")
def crossed() -> luff.Result:
    """A trolley of 2 t that crosses the seams between elements at 12 m/s."""
    changes = {"v": 12.0, "begin": 4.0, "simulation.stop": 0.5}
    return luff.compile(netlist(divisions=8), **changes).run()


def at_rest(divisions: int, x: float) -> float:
    """How far the trolley hangs down at x, over the closed form: its own load, and the girder's weight."""
    sim = luff.compile(netlist(divisions=divisions), begin=x)
    values = sim.evaluate()
    P, q, b = 2000 * 9.81, LINE * 9.81, L - x
    wanted = P * x**2 * b**2 / (3 * E * I * L) + q * x * (L**3 - 2 * L * x**2 + x**3) / (24 * E * I)
    assert values["path.load"] == pytest.approx(P, rel=1e-4)  # the path is inclined
    assert values["path.place"] == pytest.approx(x, abs=1e-3)
    return -values["lift.position"] / (wanted + P / 1e8)


@pytest.mark.parametrize("x", [5.0, 7.3, 10.0])
def test_deflection_below_a_trolley_anywhere(x: float) -> None:
    """Between the nodes as on them, and four times nearer to the beam's with twice the divisions."""
    coarse, fine = at_rest(8, x), at_rest(16, x)
    assert fine == pytest.approx(1.0, abs=4e-3)
    assert (1 - coarse) / (1 - fine) == pytest.approx(4.0, rel=0.1)


def moving_force(P: float, v: float, time: np.ndarray) -> np.ndarray:
    """In the middle of the span (Fryba, Vibration of Solids and Structures under Moving Loads, 1999, eq. 1.31)."""
    w, a = math.pi * v / L, v / CRITICAL
    bent = np.zeros_like(time)
    for j in range(1, 40, 2):
        shape = math.sin(0.5 * j * math.pi) / (j**2 * (j**2 - a**2))
        bent += shape * (np.sin(j * w * time) - a / j * np.sin(j**2 * OMEGA * time))
    return 2 * P * L**3 / (math.pi**4 * E * I) * bent


@hours_as_plain_python
@pytest.mark.parametrize("share", [0.25, 0.5])
def test_a_moving_force_deflects_as_its_closed_form(share: float) -> None:
    """The middle of the girder while a force runs over it, at shares of the critical speed."""
    P, v = 20e3, share * CRITICAL
    # the trolley is nearly massless, and its bounce is damped; it stays on the girder
    stop = round(0.98 * L / v, 3)
    changes = {"mass": 10.0, "weight": P, "v": v, "begin": 1e-6, "path.damping": [0.0, 3e3]}
    settings = {"simulation.stop": stop, "simulation.output_step": 1e-3}
    result = luff.compile(netlist(0.0, 16, 1e6), **changes, **settings).run()
    time, middle = result.time, -result["path.position_8[2]"]
    wanted = moving_force(P, v, time)
    # 16 divisions bend 0.3 % less; the dynamic increment, and the whole curve
    assert middle.max() == pytest.approx(wanted.max(), rel=0.01)
    assert np.abs(middle - wanted).max() < 0.015 * wanted.max()


def moving_mass(M: float, v: float, time: np.ndarray, modes: int = 8) -> np.ndarray:
    """The middle under a mass that stays on the beam: F = M (g - d2/dt2 w(v t, t)), by modes and another integrator."""
    from scipy.integrate import solve_ivp

    n = np.arange(1, modes + 1) * math.pi / L
    stiff = (n**2 * math.sqrt(E * I / LINE)) ** 2

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, p = y[:modes], y[modes:]
        s, c = np.sin(n * v * t), np.cos(n * v * t)
        share = 2 * M / (LINE * L)
        inertia = np.eye(modes) + share * np.outer(s, s)
        load = 9.81 - 2 * v * (n * c) @ p + v**2 * (n**2 * s) @ q
        return np.concatenate([p, np.linalg.solve(inertia, share * load * s - stiff * q)])

    told = solve_ivp(rate, (0, time[-1]), np.zeros(2 * modes), "LSODA", time, rtol=1e-8, atol=1e-12)
    return np.sin(n * L / 2) @ told.y[:modes]


@hours_as_plain_python
def test_a_moving_mass_follows_the_curve_of_the_girder() -> None:
    """Half the girder's mass at a fifth of the critical speed: centrifugal and Coriolis terms count for a tenth."""
    M, v = 0.5 * LINE * L, 0.2 * CRITICAL
    stop = round(0.98 * L / v, 3)
    changes = {"mass": M, "weight": 9.81 * M, "v": v, "begin": 1e-6, "simulation.stop": stop}
    # stiff against the girder (6 EI/L^3 of it), and within the step
    result = luff.compile(netlist(0.0, 16, 1e8), **changes, **{"simulation.output_step": 2e-3}).run()
    middle, wanted = -result["path.position_8[2]"], moving_mass(M, v, result.time)
    force = moving_force(9.81 * M, v, result.time)
    assert np.abs(force - wanted).max() > 0.1 * wanted.max()
    assert np.abs(middle - wanted).max() < 0.015 * wanted.max()


@hours_as_plain_python
def test_the_nodes_feel_all_that_the_trolley_presses(crossed: luff.Result) -> None:
    """Force and moment of all nodes are those of the trolley: nothing is lost at the seams between elements."""
    result = crossed
    nodes = sum(result[f"path.force_{k}"] for k in range(9))
    assert np.abs(nodes + result["path.force"]).max() < 1e-6 * 2000 * 9.81
    levers = sum(
        np.cross(result[f"path.position_{k}"], result[f"path.force_{k}"]) + result[f"path.torque_{k}"]
        for k in range(9)
    )
    own = np.cross(result["path.position"], result["path.force"])
    assert np.abs(levers + own).max() < 1e-6 * 2000 * 9.81 * L
    # central differences over rows of 2 ms
    speed = np.gradient(result["path.place"], result.time)
    assert np.abs(speed - result["path.speed"])[2:-2].max() < 2e-3
    energy = result.quality["energy"]
    assert isinstance(energy, dict)
    assert energy["relative_residual"] < 1e-6


def test_a_wheel_that_is_pulled_up_lifts_off_a_rail_that_only_pushes() -> None:
    diagram = netlist(divisions=8)
    changes = {
        "path.one_sided": True,
        "weight": -3e4,
        "mass": 2000.0,
        "simulation.stop": 0.1,
        "initial.solve": "none",
    }
    result = luff.compile(diagram, **changes).run()
    assert result["path.load"][-1] == 0.0
    assert result["path.gap"][-1, 1] > 0.01
    assert result["path.load"].min() >= 0.0


@pytest.mark.parametrize(
    ("of", "message"),
    [("grder", 'no block.*did you mean "girder"'), ("trolley", "rigid_link, expected an rfem_link")],
)
def test_what_is_no_girder_is_told(of: str, message: str) -> None:
    with pytest.raises(luff.LuffError, match=message):
        luff.compile(netlist(of=of))


@pytest.mark.parametrize(("begin", "v", "end"), [(1.0, -10.0, "frame_a"), (L - 1.0, 10.0, "frame_b")])
def test_a_trolley_that_runs_off_is_told(begin: float, v: float, end: str) -> None:
    """At either end, after a tenth of a second."""
    changes = {"begin": begin, "v": v, "simulation.stop": 0.2}
    with pytest.warns(luff.ModelWarning, match=rf"path: it runs off the girder's {end} at t = 0\.1"):
        luff.compile(netlist(divisions=8), **changes).run()


def test_what_goes_on_at_the_nodes_is_recorded_where_it_is_named() -> None:
    named = set(luff.compile(netlist(divisions=2)).signal_names)
    text = GIRDER.replace("GRAVITY", "0").replace("DIVISIONS", "2").replace("STIFFNESS", "1e8")
    usual = set(luff.compile(luff.loads(text.replace(', "path.*"', ""))).signal_names)
    assert "path.position[2]" in usual
    assert {name.partition("[")[0] for name in named - usual} == {
        "path.contact",
        *(
            f"path.{what}_{k}"
            for what in ("position", "rotation", "velocity", "spin", "force", "torque")
            for k in range(3)
        ),
    }


@pytest.mark.parametrize(("divisions", "at"), [(5, 9.0), (5, 10.0), (8, 10.0), (8, 8.7), (8, 20.0)])
def test_sections_have_moment_and_shear_of_a_load_between_the_nodes(divisions: int, at: float) -> None:
    """P a b / L and the shear's jump at the wheel, wherever it stands in its element; by moments about the ends."""
    text = GIRDER.replace("GRAVITY", "0").replace("DIVISIONS", str(divisions)).replace("STIFFNESS", "1e8")
    cut = f"  cut: {{type: section_sensor, of: girder, at: {at}}}\n  trolley:"
    P = 20e3
    # in mid-element, on a node, and 1 mm to both sides of the section
    for x in (0.7, 5.0, 9.2, 10.0, 17.9, at - 1e-3, min(at + 1e-3, L)):
        sim = luff.compile(luff.loads(text.replace("  trolley:", cut)), mass=10.0, weight=P, begin=x)
        values = sim.evaluate()
        beyond = x >= at
        moment = P * (at * (L - x) if beyond else x * (L - at)) / L
        shear = -P * (L - x) / L if beyond else P * x / L
        # the girder hangs through by 0.2 %, and its end has come nearer by 1e-5 of its length
        assert values["cut.M_y"] == pytest.approx(-moment, abs=1e-4 * P * L / 4)
        assert values["cut.V_z"] == pytest.approx(shear, abs=1e-4 * P)
