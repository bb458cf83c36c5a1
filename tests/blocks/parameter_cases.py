"""Netlists in which parameters do something that do nothing in the example of their block."""

from __future__ import annotations

from typing import Any

from luff.tests.blocks.parameter_sweep import merged

Netlist = dict[str, Any]


def it(**values: Any) -> Netlist:
    """The example with other values of its block."""
    return {"blocks": {"it": values}}


SLIDE = ["world.frame -- it.frame_a", "it.frame_b -- body.frame_a"]
BODY = {"type": "rigid_link", "mass": 2, "com": [0.2, 0.1, -0.5], "inertia": [0.2, 0.2, 0.1]}
FRICTION: list[Netlist] = [
    it(friction={"model": "lugre"}),
    it(friction={"model": "dahl", "gamma": 1.5}),
    it(friction={"model": "lugre", "load": 50.0}),
]
JOURNAL = it(friction={"model": "lugre", "load": 50.0, "diameter": 0.2})
LIMITS = it(limits={"lower": -0.05, "upper": 0.01, "stiffness": 1e4, "damping": 10.0})
SHAPE = {"kind": "box", "size": [0.1, 0.2, 0.3], "at": [0.1, 0.0, 0.0], "density": 1000.0}
SHAPES = it(mass=None, com=None, inertia=None, shapes={"one": SHAPE})
INERTIA_BY_MATRIX = it(
    mass=None,
    com=None,
    inertia=None,
    pseudo_inertia=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 2]],
)
# a mechanism whose body has something on its frames
ARM: Netlist = {
    "blocks": {"tip": {"type": "rigid_link", "mass": 3.0, "com": [0.0, 0.2, 0.0]}},
    "connect": ["it.frame_b -- tip.frame_a"],
}


def frames(x: float = 0.1) -> Netlist:
    return {
        "blocks": {
            "it": {"frames": {"side": {"at": [x, 0.2, 0.3]}}},
            "tip": {"type": "rigid_link", "mass": 3.0, "com": [0.1, 0.0, 0.2]},
        },
        "connect": ["it.side -- tip.frame_a"],
    }


MOTOR = it(model="curve", curve=[[0, 2], [10, 1.5], [100, 0.1]])
COMMAND = {"blocks": {"voltage": {"height": 0.5}}}
DRUM_EMPTIES = it(wound=0.9, rope_diameter=0.02, turns=5.0)
# waves of both directions against the hull, away from the origin
SEA = it(
    Hs=0.2,
    Tp=4.0,
    position=[3.0, 4.0],
    depth=5.0,
    excitation=[[w, a, 3, 5e4 * w + 1e4 * a, 0.1] for w in (0.5, 8.0) for a in (-2.0, 2.0)],
)
SHALLOW = it(depth=5.0, position=[3.0, 4.0])
WAIST = {"shape": "box", "width": 0.08, "height": 0.07, "thickness": 0.003}
SECTION_BY_NUMBERS = it(
    section={
        "shape": None,
        "width": None,
        "height": None,
        "thickness": None,
        "A": 2e-3,
        "I_y": 1e-6,
        "I_z": 2e-6,
        "J": 2e-6,
    }
)
SIDE_LOAD: Netlist = {"blocks": {"load": {"com": [0.1, 0.3, 0.2], "inertia": [1.0, 1.0, 1.0]}}}

IMPLICIT: Netlist = {"simulation": {"method": "implicit"}}
NO_VOLTAGE = {"connect": ["voltage.y -> it.command"]}
POINTS = {"one": {"at": [0.1, 0.15], "shear": [0.1, 0.2, 0.3]}}
RIGID_BOOM: Netlist = {
    "blocks": {
        "boom": {"type": "rigid_link", "mass": 100, "frame_b": {"at": [6, 0, 0]}}
        | dict.fromkeys(("section", "damping", "length", "divisions")),
        "load": {"com": [0.1, 0.3, 0.2]},
        "pin": {"type": "revolute", "axis": "y"},
    },
    "connect": ["pin.frame_b -- boom.frame_a"],
    "rewire": ["world.frame -- boom.frame_a", "world.frame -- pin.frame_a"],
}
SOIL = {"area": 0.1, "curve": [[0.005, 1e4], [0.05, 4e4]], "reloading": 4e6, "settling": 0.05, "bearing": 2e4}
VARIANTS: dict[str, list[Netlist]] = {
    "base_support": [
        it(
            one_sided=True,
            coordinates=["x", "z"],
            initial={"x_rate": 1.0, "z": -0.01},
            supports=[{"at": [0, 0, 0], "stiffness": [1e5, 1e5, 2e5], "damping": [800, 800, 1500]}],
        ),
        it(
            one_sided=True,
            coordinates=["x", "z"],
            initial={"x_rate": 1.0, "z": -0.01, "z_rate": -1.0},
            supports=[
                {"at": [0, 0, 0], "stiffness": [1e5, 1e5, 0], "damping": [800, 800, 1500], "soil": SOIL}
            ],
        ),
        it(
            rotational={"law": "cubic", "stiffness": [1e4, 1e4, 1e4], "damping": [10.0, 10.0, 10.0]},
            initial={
                "psi": 0.1,
                "theta": 0.1,
                "phi": 0.1,
                "psi_rate": 0.1,
                "x": 0.01,
                "y": 0.01,
                "z": 0.01,
                "x_rate": 0.1,
                "y_rate": 0.1,
                "z_rate": 0.1,
                "theta_rate": 0.1,
                "phi_rate": 0.1,
            },
        ),
        INERTIA_BY_MATRIX | IMPLICIT,
        SHAPES | IMPLICIT,
        ARM,
        frames(),
    ],
    "brake": [it(sticking=1.5)],
    "clutch": [it(sticking=1.5)],
    "shaft_brake": [it(sticking=1.5)],
    "contact": [
        {
            "blocks": {
                "it": {"friction": {"mu": 0.3}},
                "free": {"initial": {"velocity": [1, 0, 0], "position": [0, 0, 0.1]}},
            }
        },
    ],
    "counterbalance_valve": [{"blocks": {"load": {"initial": "0 bar"}, "tank": {"pressure": "5 bar"}}}],
    "pressure_compensator": [{"blocks": {"user": {"pressure": "120 bar"}}}],
    "flow_source": [{"blocks": {"sump": {"type": "volume", "size": 1e-6}}, "connect": ["sump.port -- it.a"]}],
    "input_shaper": [it(shaper="ei")],
    "integrator": [{"blocks": {"it": {"lower": -0.05}, "source": {"amplitude": -1.0}}}],
    "rail_wheel": [
        {
            "blocks": {"it": {"driven": True}, "rotor": {"type": "shaft_inertia", "inertia": 10}},
            "connect": ["rotor.shaft -- it.shaft"],
        }
    ],
    "motion_law": [
        it(law="trapezoidal"),
        it(law="s_curve"),
        it(legs=[{"to": 1, "duration": 0.5, "dwell": 0.1}, {"to": 0}], duration=0.5, dwell=0.2, repeat=2),
    ],
    "motor": [
        {
            "blocks": {**MOTOR["blocks"], **COMMAND["blocks"]},
            "rewire": ["voltage.y -> it.voltage", "voltage.y -> it.command"],
        }
    ],
    "shaft_motor": [
        {
            "blocks": {**MOTOR["blocks"], **COMMAND["blocks"]},
            "rewire": ["voltage.y -> it.voltage", "voltage.y -> it.command"],
        }
    ],
    "path": [
        it(law="trapezoidal"),
        it(law="s_curve"),
        it(leg_durations=[2, 2, 2, 2], duration=None),
        it(shape="circle", size=None, radius=1.0, start_angle=0.3),
        it(shape="spiral", size=None, radius=1.0, end_radius=0.5),
        it(shape="table", size=None, points=[[0, 0], [1, 0], [1, 1], [0, 2], [-1, 1], [-2, 0], [-2, 2]]),
    ],
    "pid": [it(upper=20.0, lower=-20.0)],
    "floating_body": [SEA, it(weight=8200.0, weight_at=[0.1, 0.2, 0.3])],
    "percentile": [it(smallest=1e-3, largest=1.0)],
    "shaft_inertia": [it(with_angle=True)],
    "tip_velocity": [it(near=5.0, damping=0.5)],
    # longer than it may come out
    "observer": [it(parameters=[{"name": "length", "start": 3.2, "deviation": 0.5, "lower": 2.65}])],
    "friction_compensation": [
        it(model="dahl", gamma=1.5),
        {
            "blocks": {"it": {"gain": 1.0}, "off": {"type": "constant", "value": 0.01}},
            "connect": ["off.y -> it.error"],
        },
    ],
    "programmed_constraint": [{"blocks": {"it": {"plane": {"at": [0.1, 0.0, 0.2]}}}}],
    "platform": [{"connect": ["heave.trajectory -> it.pitch"]}],
    "prismatic": [
        *FRICTION,
        LIMITS,
        merged(LIMITS, it(initial={"velocity": 2.0})),
        it(axis=[0.6, 0.0, 0.8]),
        it(initial={"position": 0.1, "velocity": 0.2}),
    ],
    "state_machine": [
        it(
            transitions=[
                {"from": "rest", "to": "up", "when": "go and lifts < 2", "priority": 2},
                {"from": "rest", "to": "down", "when": "go and lifts < 1", "priority": 1},
                {"from": "up", "to": "wait", "when": "height >= 1"},
                {"from": "wait", "to": "down", "after": 0.5},
                {"from": "down", "to": "rest", "when": "height <= 0"},
            ]
        )
    ],
    "revolute": [
        *FRICTION,
        JOURNAL,
        LIMITS,
        merged(LIMITS, it(initial={"velocity": -1.0})),
        it(stiffness=5.0, rest=0.1),
        it(initial={"position": 0.1, "velocity": 0.2}),
    ],
    "hydraulic_cylinder": [
        *FRICTION,
        it(limits={"lower": 0.55, "upper": 0.65, "stiffness": 1e4, "damping": 10.0}),
        it(
            fluid={
                "bore": 0.06,
                "rod": 0.04,
                "stroke": 2.0,
                "initial": {"cap": 2e6, "rod": 1e6},
                "leakage": 1e-13,
            },
            stiffness=None,
            damping=None,
        )
        | {"rewire": ["force.y -> it.effort", ""], "blocks": {}},
    ],
    "pump": [
        {
            "blocks": {"sump": {"type": "volume", "size": 1e-5}},
            "rewire": ["tank.port -- it.a", "sump.port -- it.a"],
        },
        it(pressure=1e7)
        | {
            "blocks": {"it": {"pressure": 1e7}, "load": {"type": "volume", "initial": 3e6}},
            "connect": ["load.pressure -> it.load"],
        },
    ],
    "rainflow": [
        {
            "blocks": {
                "it": {"depth": 4},
                "day": {
                    "type": "expression",
                    "expr": "5e7*(exp(0.6*(t - 5)) + exp(-0.6*(t - 5)))*sin(10*t)",
                    "unit": "Pa",
                    "amplitude": None,
                    "frequency": None,
                },
                "gusts": {"amplitude": 0.0},
            }
        },
        it(fatigue={"strength": 71e6, "slope": 3, "knee": 1e6, "beyond": 5.0}),
        merged(it(fatigue={"correction": "goodman", "ultimate": 4e8}), {"blocks": {"day": {"offset": 1e8}}}),
    ],
    "rfem_link": [
        merged(SECTION_BY_NUMBERS, SIDE_LOAD) | IMPLICIT,
        SIDE_LOAD | IMPLICIT,
        it(section={"shape": "circle", "width": None, "height": None, "thickness": None, "diameter": 0.05}),
        it(section={"shape": "i", "width": 0.1, "height": 0.1, "thickness": 0.005, "flange": 0.008})
        | IMPLICIT,
        it(frame_b={"at": [1.9, 0.1, 0.0]}) | IMPLICIT,
        it(damping={"ratio": 0.02}),
        it(
            damping={"ratio": [0.02, 0.05]},
            extensible=True,
            stations={"middle": {"at": 1.0, "section": WAIST}},
        )
        | IMPLICIT,
        merged(
            merged(SECTION_BY_NUMBERS, it(shear=True, section={"shear_y": 0.4, "shear_z": 0.5})), SIDE_LOAD
        )
        | IMPLICIT,
        frames(1.5) | IMPLICIT,
        it(
            initial={
                "psi": [0.01] * 4,
                "theta": [0.01] * 4,
                "phi": [0.01] * 5,
                "psi_rate": [0.1] * 4,
                "theta_rate": [0.1] * 4,
                "phi_rate": [0.1] * 5,
            }
        )
        | IMPLICIT,
    ],
    "rigid_link": [INERTIA_BY_MATRIX, SHAPES, frames()],
    "rope": [
        {
            "blocks": {
                "it": {"through": 1, "efficiency": 0.9, "length": 2.0},
                "arm": {"type": "fixed", "at": [0.5, 0, 0.5]},
                "drive": {"type": "sine", "amplitude": 0.3},
            },
            "connect": ["world.frame -- arm.frame_a", "arm.frame_b -- it.sheave_1", "drive.y -> it.take_up"],
        },
        it(length=0.2, shortest=0.3, EA=2e3),
        {
            "blocks": {
                "it": {"shortest": 0.3, "stop_stiffness": 1e4},
                "rail": {"initial": {"position": -0.5, "velocity": 3.0}},
            }
        },
    ],
    "section_sensor": [
        it(points={"one": {"at": [0.1, 0.15], "shear": [0.1, 0.2, 0.3]}}, allowable=235e6),
        *(
            merged(RIGID_BOOM, it(section=section, points=POINTS))
            for section in (
                {"shape": "i", "width": 0.1, "height": 0.2, "thickness": 0.01, "flange": 0.02},
                {"shape": "tube", "diameter": 0.2, "thickness": 0.01},
                {"A": 2e-3, "I_y": 1e-6, "I_z": 2e-6, "J": 2e-6},
            )
        ),
        merged(
            RIGID_BOOM, it(allowable=None, beyond={"mass": 40.0, "com": [3, 0.1, 0.2], "inertia": [1, 1, 1]})
        ),
    ],
    "winch": [DRUM_EMPTIES | {"blocks": {**DRUM_EMPTIES["blocks"], "speed": {"slope": -2}}}],
    "shaft_winch": [DRUM_EMPTIES | {"blocks": {**DRUM_EMPTIES["blocks"], "push": {"value": 100}}}],
    "spherical": [
        it(
            initial={
                "psi": 0.1,
                "theta": 0.1,
                "phi": 0.1,
                "psi_rate": 0.1,
                "theta_rate": 0.1,
                "phi_rate": 0.1,
            }
        ),
        it(coordinates="quaternion", damping=0.1, initial={"theta": 0.1, "theta_rate": 0.1}),
    ],
    "universal": [it(initial={"alpha": 0.1, "beta": 0.1, "alpha_rate": 0.1, "beta_rate": 0.1})],
    "vessel_motion": [
        it(position=[3.0, 4.0], depth=5.0),
    ],
    "waves": [SHALLOW],
    "wind": [it(places={"near": {"at": [0, 0, 0]}, "far": {"at": [40, 0, 0]}})],
    "wind_drag": [it(exponent=0.14), it(exponent=0.14, ground=-20.0), it(axis="x")],
}

# numbers that do nothing in the example of their block, and the words of its reference that say when they do something
CONDITIONS: dict[str, str] = {
    **{
        f"floating_body.{name}": "0 is calm, and no other number of the sea counts"
        for name in ("Tp", "gamma", "direction", "highest", "components", "seed", "fade_in")
    },
    "floating_body.depth": "no matter at the origin",
    "floating_body.weight": "taken out again by its place",
    "floating_body.weight_at": "centre of `weight` in frame_b",
    "floating_body.length": "wamit: ULEN",
    "rail_wheel.radius": "r of the wheel, driven",
    "percentile.largest": "magnitude above which all count alike",
    "shaft_inertia.initial_angle": "at the start, with_angle",
    "observer.parameters.lower": "least estimate",
    "tip_velocity.near": "smallest singular value below which it damps",
    "tip_velocity.damping": "l where J is singular",
    "friction_compensation.gamma": "dahl: exponent",
    "friction_compensation.gain": "where an error is wired",
    "base_support.frame_b.at": "on the base",
    "base_support.frame_b.rotate": "on the base",
    "base_support.grip": "of one-sided supports",
    "brake.stribeck": "for sticking above 1",
    "clutch.stribeck": "for sticking above 1",
    "shaft_brake.stribeck": "for sticking above 1",
    "contact.friction.mu": "along the plane it sticks up to mu f",
    "contact.friction.stiffness": "along the plane before it slips",
    "contact.friction.damping": "the same; 1 ms times the stiffness",
    "counterbalance_valve.cracking": "drop from b to a",
    "counterbalance_valve.check_band": "rise of that drop",
    "pressure_compensator.backwards": "opening from b to a",
    "joystick.timeout": "where a device is read",
    "joystick_buttons.timeout": "where a device is read",
    "flow_source.air": "below the pressure of the surroundings its inlet fills with gas",
    "pump.air": "less where its inlet is below the pressure of the surroundings",
    "pump.margin": "with load sensing",
    "pump.standby": "with load sensing",
    "input_shaper.tolerance": "ei: share of the vibration",
    "integrator.lower": "lower limit",
    "motion_law.ramp": "trapezoidal, s_curve:",
    "motion_law.rounding": "s_curve:",
    "motion_law.dwell": "before the next one",
    "motor.lag": "curve: time constant",
    "shaft_motor.lag": "curve: time constant",
    "path.ramp": "trapezoidal, s_curve:",
    "path.rounding": "s_curve:",
    "path.radius": "circle, spiral: radius",
    "path.end_radius": "spiral: radius at its end",
    "path.start_angle": "circle, ellipse, spiral: angle",
    "pid.tracking_time": "return from a limit",
    "prismatic.friction.diameter": "a slide has none",
    "hydraulic_cylinder.friction.diameter": "a slide has none",
    "rainflow.depth": "most open ranges",
    "state_machine.transitions.priority": "where several may be",
    "rainflow.fatigue.ultimate": "for goodman and gerber",
    "revolute.rest": "angle at which the spring is free",
    "rfem_link.G": "for torsion",
    "rope.efficiency": "share of the tension that a sheave leaves",
    "rope.slip_speed": "friction in sheaves",
    "rope.stop_stiffness": "where they meet",
    "rope.stop_dissipation": "where they meet",
    "winch.turns": "for `rope_diameter`",
    "winch.least_turns": "have to stay on the drum",
    "winch.stop_stiffness": "of this stop",
    "winch.stop_dissipation": "of this stop",
    "shaft_winch.turns": "for `rope_diameter`",
    "shaft_winch.least_turns": "have to stay on the drum",
    "shaft_winch.stop_stiffness": "of this stop",
    "shaft_winch.stop_dissipation": "of this stop",
    "vessel_motion.direction": "no matter at the origin",
    "vessel_motion.depth": "no matter at the origin",
    "waves.direction": "no matter at the origin",
    "waves.depth": "no matter at the origin",
    "wind.decay": "with places",
    "wind_drag.reference_height": "for the exponent",
    "wind_drag.ground": "for the exponent",
}
# those that do nothing in any variant: of a pin, of the program that reads a device, and of files that are not there
NEVER = {
    "prismatic.friction.diameter",
    "hydraulic_cylinder.friction.diameter",
    "joystick.timeout",
    "joystick_buttons.timeout",
    "floating_body.length",
}
