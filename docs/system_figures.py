"""Figures of the pages on systems, each from runs of the library's models."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from matplotlib.figure import Figure

import luff
from luff.solver.results.run_metrics import vibration
from luff.solver.studies import load
from luff.tests.systems import crane_cases

from .drawing import COLOURS, figure, panels

LIBRARY = Path(luff.__file__).resolve().parent / "library"
CRANE_JOINTS = {"column_joint": "column", "boom_joint": "link 2", "jib_joint": "link 3"}
MODELS = {"none": "no friction", "dahl": "Dahl", "lugre": "LuGre"}
XYZ = ("x", "y", "z")


def rigid_or_flexible(flexible: bool) -> str:
    return "flexible link 2" if flexible else "rigid links"


@cache
def gpme(flexible: bool, model: str, stiffness: str = "1e7 N/m") -> luff.Result:
    frictions = {f"{joint}.friction.model": model for joint in CRANE_JOINTS}
    given = {"boom.rigid": not flexible, "s_z": stiffness, **frictions}
    return luff.compile(LIBRARY / "crane_gpme.yaml", **given).run()


@cache
def run(name: str) -> luff.Result:
    return luff.compile(LIBRARY / f"{name}.yaml").run()


def off_ellipse(result: luff.Result) -> Any:
    x, y, _ = result["tip.position"].T
    return np.abs((x / 3) ** 2 + (y / 2) ** 2 - 1)


@figure
def gpme_path() -> Figure:
    drawn, (above, height, off) = panels(
        ["E from above [m]", "Height of E [m]", "Off the ellipse [-]"], columns=3, width=8.4, height=2.7
    )
    turn = np.linspace(0, 2 * np.pi, 200)
    above.plot(3 * np.cos(turn), 2 * np.sin(turn), color="#b0b7bf", lw=1, label="ellipse")
    for flexible in (False, True):
        result = gpme(flexible, "lugre")
        label = rigid_or_flexible(flexible)
        x, y, z = result["tip.position"].T
        above.plot(x, y, label=label)
        height.plot(result.time, z, label=label)
        off.semilogy(result.time, off_ellipse(result), label=label)
    above.plot(*gpme(False, "lugre")["tip.position"][0, :2], "ko", ms=4)
    slow = -110 + np.sqrt(110**2 - 20**2)
    off.semilogy([0.5, 4], 0.2 * np.exp(slow * np.array([0, 3.5])), "k:", lw=1, label="exp(-1.83 t)")
    above.set_aspect("equal", "datalim")
    for axes in (above, off):
        axes.legend()
    for axes in (height, off):
        axes.set_xlabel("time [s]")
    return drawn


@figure
def gpme_friction() -> Figure:
    titles = [f"{part} [deg]" for part in CRANE_JOINTS.values()]
    drawn, grid = panels([*titles, *(f"{title}, less without friction" for title in titles)], 3, 8.4, 2.1)
    for axes, change, joint in zip(grid[:3], grid[3:], CRANE_JOINTS, strict=True):
        for flexible in (False, True):
            result = gpme(flexible, "lugre")
            axes.plot(result.time, np.rad2deg(result[f"{joint}.position"]), label=rigid_or_flexible(flexible))
        free = gpme(False, "none")[f"{joint}.position"]
        for model in ("dahl", "lugre"):
            result = gpme(False, model)
            change.plot(
                result.time, np.rad2deg(result[f"{joint}.position"] - free), label=f"{MODELS[model]}, rigid"
            )
        change.set_xlabel("time [s]")
    grid[0].legend()
    grid[3].legend()
    return drawn


@figure
def gpme_supports() -> Figure:
    drawn, grid = panels(
        ["Base: z [mm]", "Base: pitch theta [deg]", "Base: roll phi [deg]"], columns=3, width=8.4
    )
    for colour, stiffness in zip(COLOURS, ("1e7", "1e6", "1e5"), strict=False):
        result = gpme(False, "lugre", f"{stiffness} N/m")
        for axes, name, factor in zip(grid, ("z", "theta", "phi"), (1e3, 57.29578, 57.29578), strict=True):
            value = factor * result[f"base.{name}"]
            axes.plot(result.time, value - value[0], color=colour, label=f"{stiffness} N/m")
            axes.set_xlabel("time [s]")
    grid[1].legend(title="s_z")
    return drawn


@figure
def gpme_forces() -> Figure:
    drawn, (axes, bars) = panels(
        ["Force in the joint of link 2 [N]", "RMS of the normal forces [N]"], columns=2
    )
    for k, flexible in enumerate((False, True)):
        result = gpme(flexible, "lugre")
        label = rigid_or_flexible(flexible)
        size = np.linalg.norm(result["boom_joint.total_force"], axis=1)
        axes.plot(result.time, size, lw=0.9, zorder=2 - k, label=label)
        bars.bar(np.arange(3) + 0.36 * (k - 0.5), result["normal_rms.y"][-1], 0.34, label=label)
    axes.set_xlabel("time [s]")
    axes.set_ylim(0, 3000)  # the first jerk, of 12 kN, is left out
    axes.legend()
    bars.set_xticks(range(3), list(CRANE_JOINTS.values()))
    return drawn


@figure
def gpme_assumptions() -> Figure:
    """Without damping, from a base at zero and a boom that is not deformed, and without the load."""
    drawn, (speed, change) = panels(
        ["Link 2 above 5 Hz, no load at E [deg/s]", "Change by LuGre friction [% of what the joint turns]"],
        2,
        8.4,
    )
    given = {"initial.solve": "none", "damp": 0.0, "boom.damping": 0.0, "simulation.output_step": "1 ms"}
    runs = {}
    for mass in ("0 kg", "100 kg"):
        for model in ("none", "lugre"):
            frictions = {f"{joint}.friction.model": model for joint in CRANE_JOINTS}
            load = {"load.mass": mass, **({"load.inertia": [0.0, 0.0, 0.0]} if mass == "0 kg" else {})}
            changes: dict[str, Any] = {**given, **frictions, **load, "boom.rigid": mass == "100 kg"}
            runs[mass, model] = luff.compile(LIBRARY / "crane_gpme.yaml", **changes).run()
    for model in ("none", "lugre"):
        result = runs["0 kg", model]
        fast = vibration(result.time, np.rad2deg(result["boom_joint.velocity"]), 5.0)
        late = (result.time > 0.25) & (result.time < 3.75)  # where the filter ends
        speed.plot(result.time[late], fast[late], lw=0.5, label=MODELS[model])
    for joint, label in CRANE_JOINTS.items():
        free, braked = (runs["100 kg", model][f"{joint}.position"] for model in ("none", "lugre"))
        change.plot(runs["100 kg", "none"].time, 100 * np.abs(braked - free) / np.ptp(free), label=label)
    for axes in (speed, change):
        axes.set_xlabel("time [s]")
        axes.legend()
    return drawn


def components(axes: Any, result: luff.Result, name: str, scale: float) -> None:
    for k, label in enumerate(XYZ):
        axes.plot(result.time, scale * result[name][:, k], label=label)


@figure
def knuckle_motion() -> Figure:
    drawn, (angle, reach, force, torque) = panels(
        ["Slewing angle [deg]", "Extensions [m]", "Piston forces [kN]", "Slewing torque [kN m]"], columns=2
    )
    result = run("crane_knuckle_boom")
    angle.plot(result.time, np.rad2deg(result["king.slew.position"]))
    for k, name in enumerate(("inner", "outer")):
        reach.plot(result.time, result[f"{name}.cylinder.position"], label=name)
        force.plot(result.time, result["pd.effort"][:, k + 1] / 1e3, label=name)
    torque.plot(result.time, result["pd.effort"][:, 0] / 1e3)
    reach.legend()
    force.legend()
    for axes in (force, torque):
        axes.set_xlabel("time [s]")
    return drawn


@figure
def knuckle_reactions() -> Figure:
    joints = {"king.slew": "joint 1", "inner.hinge": "joint 2", "outer.hinge": "joint 3"}
    titles = [f"{what} in {label}" for label in joints.values() for what in ("Force [kN]", "Moment [kN m]")]
    drawn, grid = panels(titles, columns=2, height=2.0)
    result = run("crane_knuckle_boom")
    cells = [(joint, part) for joint in joints for part in ("constraint_force", "constraint_torque")]
    for axes, (joint, part) in zip(grid, cells, strict=True):
        components(axes, result, f"{joint}.{part}", 1e-3)
    grid[0].legend(ncols=3)
    for axes in grid[-2:]:
        axes.set_xlabel("time [s]")
    return drawn


@figure
def knuckle_valves() -> Figure:
    drawn, grid = panels(
        ["Errors of the extensions [mm]", "Pressures, inner cylinder [bar]", "Spools [-]"],
        columns=3,
        width=8.4,
    )
    result = run("crane_knuckle_boom_hydraulic")
    for k, name in enumerate(("inner", "outer")):
        error = result[f"{name}.cylinder.position"] - result["motion.y"][:, k]
        grid[0].plot(result.time, 1e3 * error, label=name)
        grid[2].plot(result.time, result[f"{name}.valve.spool"], label=name)
    for side in ("cap", "rod"):
        grid[1].plot(result.time, result[f"inner.cylinder.{side}_pressure"] / 1e5, label=side)
    for axes in grid:
        axes.legend()
        axes.set_xlabel("time [s]")
    return drawn


@figure
def overhead_paths() -> Figure:
    drawn, grid = panels([f"{case} [m]" for case in crane_cases.CASES], columns=4, width=9, height=2.5)
    for axes, case in zip(grid, crane_cases.CASES, strict=True):
        for method, colour in zip(reversed(crane_cases.METHODS), ("#b0b7bf", *COLOURS[1::-1]), strict=True):
            result = crane_cases.crane(case, method).run()
            axes.plot(*result["load.position"][:, :2].T, color=colour, label=method)
        axes.set_aspect("equal")
        axes.set_xlim(-0.32, 0.32)
        axes.set_ylim(-0.32, 0.32)
    handles, labels = grid[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=3)
    return drawn


@figure
def vessel_fatigue() -> Figure:
    drawn, (force, torque) = panels(
        ["Force on the pin of the inner boom [kN]", "Torque across the slewing bearing [kN m]"], 2, 8.4
    )
    study = load(LIBRARY / "studies" / "crane_vessel_fatigue.yaml")
    diagram = luff.load(study.model)
    for variant in reversed(study.variants):
        if variant.name.startswith("on the ground"):
            changes: dict[str, Any] = {**study.overrides(variant)}
            result = luff.compile(diagram, **changes).run()
            label = variant.name.partition(", ")[2]
            for axes, signal in ((force, "inner_luff.constraint_force"), (torque, "slew.constraint_torque")):
                axes.semilogy(result.time, 1e-3 * np.linalg.norm(result[signal], axis=1), lw=0.9, label=label)
    for axes in (force, torque):
        axes.set_xlabel("time [s]")
    force.legend()
    return drawn


@figure
def vessel_motion() -> Figure:
    drawn, (crane, vessel) = panels(["Crane [deg]", "Vessel [deg]"], columns=2)
    result = run("crane_vessel")
    for name, label in (("slew", "slewing"), ("inner_luff", "inner boom"), ("outer_luff", "outer boom")):
        crane.plot(result.time, np.rad2deg(result[f"{name}.position"]), label=label)
    for name, label in (("phi", "roll"), ("theta", "pitch"), ("psi", "yaw")):
        vessel.plot(result.time, np.rad2deg(result[f"vessel.{name}"]), label=label)
    for axes in (crane, vessel):
        axes.legend(loc="lower left")
        axes.set_xlabel("time [s]")
    return drawn


@figure
def vessel_forces() -> Figure:
    kinds = [(whose, what) for whose in ("vessel's", "king's") for what in ("Force [N]", "Moment [N m]")]
    drawn, grid = panels([f"{what}, {whose} axes" for whose, what in kinds], columns=2, height=2.0)
    result = run("crane_vessel")
    c, s = np.cos(result["slew.position"]), np.sin(result["slew.position"])
    for k, part in enumerate(("force", "torque")):
        own = result[f"slew.constraint_{part}"]
        x, y, z = own.T
        turned = np.column_stack([c * x - s * y, s * x + c * y, z])
        for axes, value in ((grid[k], turned), (grid[2 + k], own)):
            for i, label in enumerate(XYZ if part == "force" else XYZ[:2]):
                axes.plot(result.time, value[:, i], lw=0.9, label=label)
    grid[0].legend(ncols=3)
    for axes in grid[-2:]:
        axes.set_xlabel("time [s]")
    return drawn


@figure
def sea_and_wind() -> Figure:
    """Densities from the harmonics themselves, in bands of ten; and what they add up to."""
    drawn, (density, series, gusts) = panels(
        ["Density of the sea [m^2 s]", "Elevation [m]", "Wind [m/s]"], columns=3, width=8.4, height=2.6
    )
    for gamma in (1, 3.3, 7):
        block = {"type": "waves", "gamma": gamma, "components": 1000, "highest": 2.5}
        sim = luff.compile(luff.loads(yaml.safe_dump({"luff": 1, "blocks": {"sea": block}})))
        w, a, _ = np.array(sim.program.flat.blocks["sea"].derived()["tones"]).reshape(-1, 100, 10, 3)[0].T
        edges = w[0]
        energy = 0.5 * np.sum(a[:, :-1] ** 2, axis=0)
        density.step(edges[:-1], energy / np.diff(edges), where="post", lw=1.0, label=f"gamma {gamma:g}")
    text = {"sea": {"type": "waves", "seed": 2}, "wind": {"type": "wind", "speed": 14.0, "seed": 2}}
    result = luff.compile(luff.loads(yaml.safe_dump({"luff": 1, "blocks": text}))).run(stop=300.0, step=0.1)
    series.plot(result.time, result["sea.elevation"], lw=0.9)
    series.set_xlim(0.0, 120.0)
    gusts.plot(result.time, result["wind.along"], lw=0.9)
    density.set_xlabel("frequency [rad/s]")
    density.legend()
    for axes in (series, gusts):
        axes.set_xlabel("time [s]")
    return drawn


@figure
def offshore_compensation() -> Figure:
    drawn, (height, tension) = panels(
        ["Height of the load [m]", "Tension [kN]"], columns=2, width=8.4, height=2.6
    )
    for share, label in ((0, "winch still"), (1, "compensating")):
        result = luff.compile(LIBRARY / "crane_offshore.yaml", compensation=share).run()
        height.plot(result.time, result["depth_sensor.position[2]"], lw=0.9, label=label)
        tension.plot(result.time, 1e-3 * result["rope.tension"], lw=0.9, label=label)
    height.set_ylim(bottom=-64.3)
    height.legend(loc="lower left", ncols=2)
    for axes in (height, tension):
        axes.set_xlabel("time [s]")
    return drawn


MANIPULATOR_JOINTS = ("swivel", "shoulder", "elbow", "slide", "feed")
MECHANISM_JOINTS = ("crank_joint", "slider_joint", "yoke", "rail_joint")
CASES: dict[str, tuple[bool, bool, str]] = {  # locked base, rigid link, friction
    f"{support}, {link}, {joints}": (support == "S_r", link == "L_r", "none" if joints == "J_nf" else "lugre")
    for support in ("S_r", "S_fl")
    for link in ("L_r", "L_fl")
    for joints in ("J_nf", "J_f")
}
# of the rigid mechanism, which three components over-constrain
TWO_COMPONENTS = {"program.components": ["y", "z"], "rectangle.center": [0, 0.06], "rectangle.rotate": []}


@cache
def chain(name: str, case: str) -> luff.Result:
    locked, rigid, friction = CASES[case]
    link, joints = (
        ("arm", MANIPULATOR_JOINTS) if name == "manipulator_olkc" else ("coupler", MECHANISM_JOINTS)
    )
    given: dict[str, Any] = {"base.body.locked": locked, f"{link}.rigid": rigid}
    given |= {f"{joint}.friction.model": friction for joint in joints}
    if name == "mechanism_rpsup" and locked and rigid:
        given |= TWO_COMPONENTS
    return luff.compile(LIBRARY / f"{name}.yaml", **given).run()


def violation(result: luff.Result) -> Any:
    value = np.asarray(result["program.violation"]).reshape(len(result.time), -1)
    return np.maximum(np.linalg.norm(value, axis=1), 1e-16)


def cases_figure(
    name: str,
    joints: tuple[str, ...],
    path: tuple[str, int, str, int],
    title: str,
    unit: str,
    rms: tuple[str, str],
) -> Figure:
    """Path, violation, one coordinate and the RMS of the normal forces of the source's eight cases."""
    signal, words = rms
    titles = [f"{title} [m]", "Violation [m]", f"{joints[1]} [{unit}]", f"{words} [N]"]
    drawn, (drawing, off, coordinate, bars) = panels(titles, columns=2, height=2.5)
    for k, case in enumerate(CASES):
        result = chain(name, case)
        a, i, b, j = path
        drawing.plot(result[a][:, i], result[b][:, j], label=case)
        off.semilogy(result.time, violation(result), lw=1.0)
        coordinate.plot(result.time, result[f"{joints[1]}.position"])
        values = result[signal][-1][: len(joints)]  # of the run, by integration
        bars.bar(np.arange(len(joints)) + 0.1 * (k - 3.5), values, 0.09)
    bars.set_yscale("log")
    bars.set_xticks(range(len(joints)), [joint.removesuffix("_joint") for joint in joints])
    for axes in (off, coordinate):
        axes.set_xlabel("time [s]")
    drawn.legend(loc="outside lower center", ncols=4)
    return drawn


@figure
def manipulator_cases() -> Figure:
    where = ("effector.position", 2, "effector.position", 1)
    rms = ("late_rms.y", "RMS of normal forces from 50 ms on")
    return cases_figure("manipulator_olkc", MANIPULATOR_JOINTS, where, "E from the front", "rad", rms)


@figure
def mechanism_cases() -> Figure:
    where = ("plane.position", 1, "plane.position", 2)
    rms = ("normal_rms.y", "RMS of normal forces")
    return cases_figure("mechanism_rpsup", MECHANISM_JOINTS, where, "E in the plane", "m", rms)


@figure
def tower_crane() -> Figure:
    drawn, grid = panels(
        ["Gusts [m/s]", "Torque of the slewing drive [kN m]", "Stress at the root of the jib [MPa]"],
        columns=3,
        width=9,
    )
    of_all, of_places = (
        luff.compile(LIBRARY / "tower_crane.yaml", **{"speed": "14 m/s", "wind.decay": decay}).run()
        for decay in (0, 10)
    )
    for place in ("inner", "middle", "outer"):
        grid[0].plot(of_places.time, of_places[f"wind.{place}[1]"], lw=0.9, label=f"{place} third")
    for result, label in ((of_all, "one gust"), (of_places, "three gusts")):
        grid[1].plot(result.time, 1e-3 * result["slew.required_effort"], label=label)
        grid[2].plot(result.time, 1e-6 * result["jib_root.von_mises"], label=label)
    grid[2].set_ylim(bottom=0.0)
    for axes in grid:
        axes.legend()
        axes.set_xlabel("time [s]")
    return drawn


@figure
def reference_and_plant() -> Figure:
    """Angles of the reference and of the plant, and how far the plant's tip is off."""
    drawn, (angles, off) = panels(["Angles [deg]", "Tip off [mm]"], columns=2)
    result = run("reference_and_plant")
    for name, colour in zip(("shoulder", "elbow"), COLOURS, strict=False):
        angles.plot(result.time, np.rad2deg(result[f"{name}_ref.position"]), "--", color=colour)
        angles.plot(result.time, np.rad2deg(result[f"{name}.position"]), color=colour, label=name)
    gap = result["tip.position"] - result["tip_ref.position"]
    off.semilogy(result.time, 1e3 * np.linalg.norm(gap, axis=1))
    angles.legend()
    for axes in (angles, off):
        axes.set_xlabel("time [s]")
    return drawn


@figure
def excavator() -> Figure:
    drawn, (path, pressures, power, errors) = panels(
        ["Path of the teeth [m]", "Pressures [bar]", "Power [kW]", "Cylinders behind their table [mm]"],
        columns=2,
        width=8.4,
        height=5.2,
    )
    dug = run("excavator")
    path.plot(dug["digging.tip.position[0]"], dug["digging.tip.position[2]"])
    path.axhline(0.0, color=COLOURS[1], linewidth=0.8)
    for name, signal in {"gallery": "gallery.pressure", "highest load": "highest.y"}.items():
        pressures.plot(dug.time, dug[signal] / 1e5, label=name)
    power.plot(dug.time, dug["shaft_power.y"] / 1e3, label="shaft of the pump")
    power.plot(dug.time, dug["digging.power.y"] / 1e3, label="into the soil")
    for k, name in enumerate(("boom", "stick", "bucket")):
        errors.plot(dug.time, 1e3 * (dug["cycle.y"][:, k] - dug[f"arm.{name}_cylinder.position"]), label=name)
    for axes in (pressures, power, errors):
        axes.set_xlabel("time [s]")
        axes.legend()
    return drawn
