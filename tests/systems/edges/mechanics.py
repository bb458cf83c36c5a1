"""Forces, supports, contacts and flexible links at the edges of their laws."""

from __future__ import annotations

import math

import numpy as np

from .edge import edge
from .joints import Answers, G, R, rails


@edge(
    "line_spring",
    rails(
        zero="initial: {position: 0.5}",
        pull="initial: {position: 1.5}",
        dash="initial: {position: 1, velocity: -3}",
    )[0]
    + """
  a: {type: line_spring, stiffness: 200, free_length: 0}
  b: {type: line_spring, stiffness: 200, free_length: 1}
  c: {type: line_spring, stiffness: 0, damping: 4}
""",
    rails(zero="", pull="", dash="")[1]
    + ", world.frame -- a.frame_a, zero_body.frame_a -- a.frame_b, world.frame -- b.frame_a,"
    " pull_body.frame_a -- b.frame_b,"
    " world.frame -- c.frame_a, dash_body.frame_a -- c.frame_b",
    step=2e-3,
)
def springs_of_no_length_and_dampers_alone(r: R) -> Answers:
    t = r.time
    yield "through zero", r["zero.position"], 0.5 * np.cos(10 * t), 1e-6
    yield "pushes and pulls", r["pull.position"], 1 + 0.5 * np.cos(10 * t), 1e-6
    yield "a damper past zero", r["dash.position"], 1 - 1.5 * (1 - np.exp(-2 * t)), 1e-7


@edge(
    "bushing applied_force applied_torque",
    """
  world: {gravity: [0, 0, 0]}
  f: {type: free}
  body: {type: rigid_link, mass: 2, inertia: [0.5, 0.5, 0.5]}
  it: {type: bushing, stiffness: [200, 0, 800], damping: [0, 4, 0], rotational_stiffness: [0, 0, 50],
       rotational_damping: [2, 0, 0]}
  push: {type: constant, value: [2, 4, -8]}
  force: {type: applied_force}
  turn: {type: constant, value: [0.1, 0, 0]}
  torque: {type: applied_torque}
""",
    "world.frame -- f.frame_a, f.frame_b -- body.frame_a, world.frame -- it.frame_a, body.frame_a -- it.frame_b,"
    " push.y -> force.force, body.frame_a -- force.frame_b, turn.y -> torque.torque, body.frame_a -- torque.frame_b",
    step=2e-3,
)
def bushings_without_stiffness_along_an_axis(r: R) -> Answers:
    t = r.time
    yield "x", r["f.position[0]"], 0.01 * (1 - np.cos(10 * t)), 1e-7
    yield "y", r["f.velocity[1]"], 1 - np.exp(-2 * t), 1e-8
    yield "z", r["f.position[2]"], -0.01 * (1 - np.cos(20 * t)), 1e-6
    yield (
        "about x",
        r["it.torque[0]"][1:],
        -0.1 * (1 - np.exp(-4 * t[1:])),
        1e-5,
    )  # axes turn with the body by 0.04 rad


DEPTHS = {"linear": (1.0, 1e5), "hertz": (1.5, 1e7), "square": (2.0, 1e8)}


@edge(
    "contact",
    rails(
        "z",
        **dict.fromkeys(DEPTHS, "initial: {position: 0.1}"),
        none="initial: {position: 0.1}",
        high="initial: {position: 1.1}",
    )[0]
    + "".join(
        f"\n  c_{n}: {{type: contact, radius: 0.1, law: {{stiffness: {k}, exponent: {e}, dissipation: 2}}}}"
        for n, (e, k) in DEPTHS.items()
    )
    + """
  c_none: {type: contact, radius: 0.1, law: {stiffness: 0}}
  c_high: {type: contact, radius: 0.1, law: {stiffness: 1e6, dissipation: 0}}
""",
    rails(**dict.fromkeys([*DEPTHS, "none", "high"], ""))[1]
    + "".join(
        f", world.frame -- c_{n}.plane, {n}_body.frame_a -- c_{n}.of" for n in [*DEPTHS, "none", "high"]
    ),
    step=1e-4,
    rows=1e-2,
    stop=3.0,
)
def spheres_at_rest_and_that_bounce_for_ever(r: R) -> Answers:
    late = r.time > 2.5
    for n, (e, k) in DEPTHS.items():
        depth = (2 * G / k) ** (1 / e)
        yield (
            n,
            r[f"c_{n}.depth"][late],
            depth,
            0.02 * depth,
        )  # it still swings, as its damper is small in the small
    yield "without stiffness", r["none.velocity"], -G * r.time, 1e-9
    # its impacts take 4 ms: implicit loses 4e-4 of it at each of them with these steps
    energy = (
        2 * G * r["high.position"] + r["high.velocity"] ** 2 + 5e5 * np.maximum(r["c_high.depth"], 0) ** 2
    )
    yield "without loss: energy", energy, 2 * G * 1.1, 0.03


@edge(
    "contact",
    """
  slope: {type: fixed, rotate: [[y, 10 deg]]}
  s: {type: free, initial: {position: [0, 0, 0]}}
  stick: {type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.1]}
  c: {type: contact, law: {stiffness: 1e5, dissipation: 5}, friction: {mu: 0.2}}
  q: {type: free, initial: {position: [0, 1, 0]}}
  slide: {type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.1]}
  d: {type: contact, law: {stiffness: 1e5, dissipation: 5}, friction: {mu: 0.1}}
  o: {type: free, initial: {position: [0, 2, 0]}}
  ice: {type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.1]}
  e: {type: contact, law: {stiffness: 1e5, dissipation: 5}}
""",
    "world.frame -- slope.frame_a, "
    + ", ".join(
        f"world.frame -- {f}.frame_a, {f}.frame_b -- {b}.frame_a, slope.frame_b -- {c}.plane, {b}.frame_a -- {c}.of"
        for f, b, c in (("s", "stick", "c"), ("q", "slide", "d"), ("o", "ice", "e"))
    ),
    step=2e-4,
    rows=1e-2,
    stop=2.0,
)
def points_on_a_slope_by_their_friction(r: R) -> Answers:
    a, t = np.radians(10), r.time
    along = lambda f: r[f"{f}.position[0]"] * np.cos(a) - r[f"{f}.position[2]"] * np.sin(a)  # noqa: E731
    late = t > 1.0
    # friction acts in the plane, 0.2 mm above the point: what nothing else holds rolls on that, by 1.3e-6 m/s^2
    yield "sticks", np.ptp(along("s")[late]), 0.0, 4e-6
    yield (
        "slides",
        along("q"),
        0.5 * G * (np.sin(a) - 0.1 * np.cos(a)) * t**2,
        5e-3,
    )  # its load swings at first
    yield "without friction", along("o"), 0.5 * G * np.sin(a) * t**2, 1e-6


@edge(
    "base_support",
    """
  stand: {type: base_support, mass: 100, inertia: [5, 5, 5], coordinates: [z],
          supports: [{at: [1, 0, 0], stiffness: [1e4, 1e4, 3e4], damping: [0, 0, 900]},
                     {at: [-1, 0, 0], stiffness: [1e4, 1e4, 1e4], damping: [0, 0, 300]}]}
  throw: {type: base_support, mass: 100, inertia: [5, 5, 5], coordinates: [z], one_sided: true,
          initial: {z: 0, z_rate: 5},
          supports: [{at: [0, 0, 0], stiffness: [1e4, 1e4, 4e4], damping: [0, 0, 0]}]}
  locked: {type: base_support, mass: 100, inertia: [5, 5, 5], locked: true,
          supports: [{at: [0, 0, 0], stiffness: [1e4, 1e4, 4e4]}]}
""",
    "world.frame -- stand.frame_a, world.frame -- throw.frame_a, world.frame -- locked.frame_a",
    step=1e-3,
    stop=3.0,
)
def bases_that_sink_and_that_are_thrown(r: R) -> Answers:
    yield "sinks", r["stand.z"][-1], -100 * G / 4e4, 1e-7
    fly = r.time < 2 * 5 / G
    yield "flies", r["throw.z"][fly], (5 * r.time - G / 2 * r.time**2)[fly], 1e-9
    energy = 50 * r["throw.z_rate"] ** 2 + 100 * G * r["throw.z"] + 2e4 * np.minimum(r["throw.z"], 0) ** 2
    yield "keeps its energy", energy, 50 * 25, 0.1  # two impacts
    yield "locked", r["locked.z"], 0.0, 0.0


@edge(
    "pad",
    rails(
        "z",
        again="initial: {position: -0.03}",
        beyond="initial: {position: -0.2}",
        thrown="initial: {position: 0, velocity: 6}",
    )[0]
    + """
  p_again: {type: pad, soil: {area: 1, curve: [[0.02, 20], [0.1, 40]]}}
  p_beyond: {type: pad, soil: {area: 0.5, curve: [[0, 0], [0.02, 40], [0.1, 60]]}}
  p_thrown: {type: pad, grip: 0, soil: {area: 1, curve: [[0.02, 20], [0.1, 20]]}}
""",
    rails(again="", beyond="", thrown="")[1]
    + "".join(
        f", world.frame -- p_{n}.frame_a, {n}_body.frame_a -- p_{n}.frame_b"
        for n in ("again", "beyond", "thrown")
    ),
    step=2e-3,
)
def pads_that_are_loaded_again_and_beyond_their_curves(r: R) -> Answers:
    t, w = r.time, math.sqrt(1000 / 2)  # 1000 N/m of the first part, 2 kg
    for name, start, force in (("again", -0.03, 22.5), ("beyond", -0.2, 30.0)):
        rise = (force - 2 * G) / 1000
        # implicit: (w h)^2 / 12 of a phase of w t
        yield (
            f"{name}: swings on its line",
            r[f"{name}.position"],
            start + rise * (1 - np.cos(w * t)),
            3e-3 * rise * 2,
        )
        yield f"{name}: settles no more", r[f"p_{name}.settlement"], -start - force / 1000, 1e-4 * rise
    yield "flies off", r["thrown.position"], 6 * t - G / 2 * t**2, 1e-9
    yield "leaves its soil", r["p_thrown.settlement"], 0.0, 1e-12
    yield "lifts", r["p_thrown.lifted"][1:], 1.0, 0.0


@edge(
    "rail_wheel guide_roller",
    rails(
        "y",
        unloaded="initial: {velocity: 1}",
        flanged="initial: {velocity: 0.5}",
        between="initial: {velocity: 1}",
        beyond="initial: {position: 1.2, velocity: 0}",
    )[0]
    + rails("z", stood="initial: {position: -0.15}", thrown="initial: {position: 0, velocity: 6}")[0]
    + rails("x", askew="initial: {velocity: 3}")[0]
    + """
  low: {type: fixed, at: [0, 0, -0.1]}
  w_unloaded: {type: rail_wheel}
  w_flanged: {type: rail_wheel, flange: {play: 0, stiffness: 200}}
  w_between: {type: guide_roller, play: 5, stiffness: 200}
  w_beyond: {type: guide_roller, play: 0.2, stiffness: 200}
  w_stood: {type: rail_wheel, stiffness: 200}
  w_thrown: {type: rail_wheel, stiffness: 200, damping: 1e4}
  w_askew: {type: rail_wheel, stiffness: 200, skew: 0.1, creep: {law: linear, stiffness: 1e4}}
""",
    rails(unloaded="", flanged="", between="", beyond="", stood="", thrown="", askew="")[1]
    + ", askew_body.frame_a -- low.frame_a, world.frame -- w_askew.frame_a, low.frame_b -- w_askew.frame_b"
    + "".join(
        f", world.frame -- w_{n}.frame_a, {n}_body.frame_a -- w_{n}.frame_b"
        for n in ("unloaded", "flanged", "between", "beyond", "stood", "thrown")
    ),
    step=2e-3,
)
def wheels_without_load_between_and_beyond_their_guides_and_at_their_grip(r: R) -> Answers:
    t = r.time
    yield "no load, no creep", r["unloaded.position"], t, 1e-9
    yield "flanges without play", r["flanged.position"], 0.05 * np.sin(10 * t), 1e-6
    yield "within its play", r["between.position"], t, 1e-9
    yield "leaves its roller", r["beyond.position"][t < 0.15], 0.2 + np.cos(10 * t[t < 0.15]), 1e-6
    rest = -2 * G / 200
    yield "stands as on a spring", r["stood.position"], rest + (-0.15 - rest) * np.cos(10 * t), 1e-6
    yield "flies, and no damper pulls", r["thrown.position"], 6 * t - G / 2 * t**2, 1e-9
    yield "lifts", r["w_thrown.lifted"][1:], 1.0, 0.0
    # slides at 0.3 m/s and rolls at 3: beyond xi_0 by far, cut at mu N = 6 N; strained after 2 ms
    yield "at its grip", r["askew.position"], 3 * t - 6 * math.sin(0.1) / 4 * t**2, 1e-3


@edge(
    "rfem_link section_sensor",
    """
  one: {type: rfem_link, length: 3, divisions: 1, section: {A: 2e-3, I_y: 2e-6, I_z: 1e-6, J: 2e-6}, rho: 1e-3}
  four: {type: rfem_link, length: 3, divisions: 4, section: {A: 2e-3, I_y: 2e-6, I_z: 1e-6, J: 2e-6}, rho: 1e-3}
  a: {type: rigid_link, mass: 10}
  b: {type: rigid_link, mass: 10, frame_b: {at: [0, 0.5, 0]}}
  c: {type: rigid_link, mass: 10}
  root: {type: section_sensor, of: four, at: 0}
  mid: {type: section_sensor, of: four, at: 1.2}
  tip: {type: section_sensor, of: four, at: 3}
""",
    "world.frame -- one.frame_a, one.frame_b -- a.frame_a, world.frame -- four.frame_a, four.frame_b -- b.frame_a,"
    " b.frame_b -- c.frame_a",
    step=1e-3,
    stop=0.01,
    coarse=False,
    methods=("implicit",),
    more="initial: {solve: static}",
)
def beams_of_one_and_of_four_divisions_at_rest(r: R) -> Answers:
    ei = 210e9 * 2e-6
    w = 10 * G * 27 / 3 / ei
    yield "one division", r["one.tip_deflection[2]"][0], -w * 3 / 4, 1e-4 * w
    yield (
        "four",
        r["four.tip_deflection[2]"][0],
        -2 * w * (1 - 1 / 64),
        1e-2 * w,
    )  # the load beside it turns the tip
    yield "moment at the root", abs(r["root.M_y"][0]), 20 * G * 3, 0.3  # its tip is nearer by the bend
    yield "within", abs(r["mid.M_y"][0]), 20 * G * 1.8, 0.3
    yield "at the tip", r["tip.M_y"][0], 0.0, 0.3
    yield "shear", [abs(r[f"{s}.V_z"][0]) for s in ("root", "mid", "tip")], 20 * G, 0.05
    yield "torque", [abs(r[f"{s}.T"][0]) for s in ("root", "mid", "tip")], 10 * G * 0.5, 0.05


@edge(
    "wind_drag wind",
    rails(
        "z",
        falls="initial: {position: 0}",
        rises="initial: {position: 0, velocity: 40}",
    )[0]
    + """
  a: {type: wind_drag, area: 0.5, coefficient: 1.2}
  b: {type: wind_drag, area: 0.5, coefficient: 1.2}
  still: {type: wind, speed: 10, intensity: 0, direction: 180 deg}
  pole: {type: fixed, at: [0, 0, 40]}
  c: {type: wind_drag, area: 2, exponent: 0.5, axis: [1, 0, 0]}
  d: {type: wind_drag, area: 2, axis: [0, 1, 0]}
  mark: {type: rigid_link, mass: 1}
""",
    rails(falls="", rises="")[1]
    + ", falls_body.frame_a -- a.frame_b, rises_body.frame_a -- b.frame_b, world.frame -- pole.frame_a,"
    " pole.frame_b -- mark.frame_a, mark.frame_a -- c.frame_b, still.mean -> c.wind, mark.frame_a -- d.frame_b,"
    " still.mean -> d.wind",
    step=5e-3,
    stop=3.0,
)
def drag_of_what_falls_and_rises(r: R) -> Answers:
    c = 0.5 * 1.225 * 0.5 * 1.2
    v, k = np.sqrt(2 * G / c), np.sqrt(2 * G * c) / 2
    yield "falls", r["falls.velocity"], -v * np.tanh(k * r.time), 1e-6
    top = np.arctan(40 / v) / k
    up = r.time < top
    yield "rises", r["rises.velocity"][up], (v * np.tan(np.arctan(40 / v) - k * r.time))[up], 1e-3
    yield "and turns round", r["rises.velocity"][~up], (-v * np.tanh(k * (r.time - top)))[~up], 1e-4
    yield "wind from behind, at four times the height", r["c.force[0]"], -0.5 * 1.225 * 2 * 400, 1e-6
    yield "wind along a wall", np.abs(r["d.force[0]"]) + np.abs(r["d.force[1]"]), 0.0, 1e-6


@edge(
    "programmed_constraint",
    """
  x: {type: prismatic, axis: x}
  z: {type: prismatic, axis: z, initial: {velocity: -0.5}}
  bead: {type: rigid_link, mass: 2}
  it: {type: programmed_constraint, relation: "z + x", components: []}
""",
    "world.frame -- x.frame_a, x.frame_b -- z.frame_a, z.frame_b -- bead.frame_a, bead.frame_a -- it.frame",
    step=2e-3,
)
def bead_on_a_wire(r: R) -> Answers:
    t = r.time
    yield "slides", r["x.position"], 0.5 * t + G / 4 * t**2, 1e-8
    yield "stays on it", r["x.position"] + r["z.position"], 0.0, 1e-10


@edge(
    "gravity_compensation computed_torque",
    """
  pin: {type: revolute, axis: y, initial: {position: 0.7}}
  arm: {type: rigid_link, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  it: {type: gravity_compensation, drives: [pin]}
  turn: {type: revolute, axis: y, initial: {position: 1}}
  boom: {type: rigid_link, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  goal: {type: constant, value: 0}
  ct: {type: computed_torque, drives: [turn], kp: 25, kd: 10}
""",
    "world.frame -- pin.frame_a, pin.frame_b -- arm.frame_a, it.effort -> pin.effort, world.frame -- turn.frame_a,"
    " turn.frame_b -- boom.frame_a, goal.trajectory -> ct.target, ct.effort -> turn.effort",
    step=2e-3,
)
def controllers_that_know_the_model(r: R) -> Answers:
    t = r.time
    yield "stands", r["pin.position"], 0.7, 1e-12
    yield "critically damped", r["turn.position"], (1 + 5 * t) * np.exp(-5 * t), 1e-7


@edge(
    "platform",
    """
  heave: {type: sine, amplitude: 0.5, frequency: 4 rad/s, phase: 90 deg}
  deck: {type: platform}
  load: {type: rigid_link, mass: 3}
  pin: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 2}
  tilt: {type: constant, value: 0.2, unit: rad}
""",
    "heave.trajectory -> deck.heave, tilt.trajectory -> deck.pitch, world.frame -- deck.frame_a,"
    " deck.frame_b -- load.frame_a,"
    " deck.frame_b -- pin.frame_a, pin.frame_b -- cart.frame_a",
    step=2e-3,
)
def cart_on_a_deck_that_heaves_and_leans(r: R) -> Answers:
    t = r.time
    # along the deck: (g + z'') sin(tilt)
    yield "slides", r["pin.position"], np.sin(0.2) * (G / 2 * t**2 + 0.5 * (np.cos(4 * t) - 1)), 1e-8


@edge(
    "girder_path",
    """
  girder: {type: rfem_link, length: 8 m, divisions: 4, damping: {ratio: 0.02},
           section: {shape: box, width: 200 mm, height: 300 mm, thickness: 8 mm}}
  left: {type: revolute, axis: y}
  right: {type: revolute, axis: y}
  roller: {type: prismatic, axis: x}
  column: {type: fixed, at: [8 m, 0, 0]}
  slide: {type: prismatic, axis: x}
  lift: {type: prismatic, axis: z}
  trolley: {type: rigid_link, mass: 500}
  it: {type: girder_path, of: girder, stiffness: [0, 2e6], damping: [0, 2e4]}
""",
    "world.frame -- left.frame_a, left.frame_b -- girder.frame_a, girder.frame_b -- right.frame_a,"
    " world.frame -- column.frame_a, column.frame_b -- roller.frame_a, roller.frame_b -- right.frame_b,"
    " world.frame -- slide.frame_a, slide.frame_b -- lift.frame_a, lift.frame_b -- trolley.frame_a,"
    " trolley.frame_a -- it.frame_b",
    step=1e-4,
    rows=1e-2,
    stop=0.1,
    more="initial: {solve: static, hold: [slide]}",
)
def trolley_that_rests_over_a_support(r: R) -> Answers:
    """The end of the path: the support bears all of it, and the girder's own weight alone bends the girder."""
    # the girder's plane there leans by 0.05 rad, as its own weight turns its end
    yield "is borne whole", r["it.load"], 500 * G, 5e-3
    yield "stands on its spring", r["it.position[2]"], -500 * G / 2e6, 1e-7
    yield "at the girder's beginning", r["it.place"], 0.0, 2e-4
