"""Random netlists of several mechanisms that share nothing, and each of these as a netlist of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import luff
from luff.tests.shared.loop_cases import FOUR_BAR, SLIDER_CRANK

Raw = dict[str, Any]
LAWS = ("viscous", "dahl", "lugre", "elastoplastic")
LOOPS = (FOUR_BAR, SLIDER_CRANK)


def link(rng: np.random.Generator, reach: float = 0.5) -> Raw:
    mass = float(rng.uniform(0.5, 3.0))
    inertia = [0.1 * mass, 0.2 * mass, 0.2 * mass]
    at = [float(rng.uniform(0.5, 1.0) * reach), 0.0, 0.0]
    return {
        "type": "rigid_link",
        "mass": mass,
        "com": [0.3, 0.0, 0.1],
        "inertia": inertia,
        "frame_b": {"at": at},
    }


def chain(rng: np.random.Generator) -> Raw:
    """Joints in a row with springs and friction, one of them pushed."""
    blocks: Raw = {}
    connect: list[str] = []
    before = "world.frame"
    for k in range(int(rng.integers(1, 4))):
        joint: Raw = {
            "type": str(rng.choice(["revolute", "revolute", "prismatic"])), "axis": str(rng.choice(list("xyz"))),
            "damping": float(rng.uniform(0, 2)), "stiffness": float(rng.choice([0.0, 40.0])),
            "initial": {"position": float(rng.uniform(-0.3, 0.3)), "velocity": float(rng.uniform(-1, 1))},
        }  # fmt: skip
        if rng.random() < 0.4 and joint["type"] == "revolute":
            joint["friction"] = {
                "model": str(rng.choice(LAWS)),
                "load": 20.0,
                "mu_k": 0.2,
                "mu_s": 0.3,
                "diameter": 0.1,
            }
        blocks |= {f"j{k}": joint, f"b{k}": link(rng)}
        connect += [f"{before} -- j{k}.frame_a", f"j{k}.frame_b -- b{k}.frame_a"]
        before = f"b{k}.frame_b"
    blocks["push"] = {"type": "sine", "amplitude": float(rng.uniform(0, 5)), "frequency": 1.5}
    connect.append("push.y -> j0.effort")
    return {"blocks": blocks, "connect": connect}


def loop(rng: np.random.Generator) -> Raw:
    """A planar loop of joints in space, which hold it more than once."""
    raw = luff.loads(str(rng.choice(LOOPS))).data
    blocks = {name: dict(block) for name, block in raw["blocks"].items() if name != "world"}
    for block in blocks.values():
        if block["type"] == "rigid_link":
            block["mass"] = float(rng.uniform(1.0, 3.0))
    if rng.random() < 0.5:
        # one that is held no more than once
        blocks["C"] = {"type": "spherical"}
    return {"blocks": blocks, "connect": list(raw["connect"])}


def body(rng: np.random.Generator) -> Raw:
    """One that flies, on a spring to the ground."""
    spin, speed = rng.uniform(-1, 1, (2, 3)).tolist()
    fly = {"type": "free", "initial": {"angular_velocity": spin, "velocity": speed}}
    spring = {
        "type": "line_spring",
        "stiffness": float(rng.uniform(10, 90)),
        "damping": 0.5,
        "free_length": 0.3,
    }
    return {
        "blocks": {"fly": fly, "body": link(rng), "spring": spring},
        "connect": [
            "world.frame -- fly.frame_a", "fly.frame_b -- body.frame_a",
            "world.frame -- spring.frame_a", "body.frame_b -- spring.frame_b",
        ],
    }  # fmt: skip


def driven(rng: np.random.Generator) -> Raw:
    """A joint that follows a law of motion, and one behind it that swings."""
    law = {
        "type": "motion_law",
        "law": "poly7",
        "duration": 0.1,
        "end_value": float(rng.uniform(-1, 1)),
        "unit": "rad",
    }
    return {
        "blocks": {
            "law": law, "turn": {"type": "revolute", "axis": "z", "driven": True}, "arm": link(rng),
            "swing": {"type": "revolute", "axis": "y", "damping": 0.1}, "load": link(rng),
        },
        "connect": [
            "world.frame -- turn.frame_a", "turn.frame_b -- arm.frame_a", "arm.frame_b -- swing.frame_a",
            "swing.frame_b -- load.frame_a", "law.y -> turn.follow",
        ],
    }  # fmt: skip


def led(rng: np.random.Generator) -> Raw:
    """An arm whose tip is led along a circle by its own drives."""
    return {
        "blocks": {
            "r1": {"type": "revolute", "axis": "y", "guess": {"position": "-40 deg"}},
            "ra": {**link(rng), "frame_b": {"at": [0.5, 0, 0]}},
            "r2": {"type": "revolute", "axis": "y", "guess": {"position": "80 deg"}},
            "rb": {**link(rng), "frame_b": {"at": [0.4, 0, 0]}},
            "path": {
                "type": "path", "shape": "circle", "center": [0.55, 0.1], "radius": float(rng.uniform(0.05, 0.1)),
                "duration": "1 s", "law": "poly7",
            },
            "prog": {"type": "programmed_constraint", "components": ["x", "z"], "realised_by": ["r1", "r2"]},
        },
        "connect": [
            "world.frame -- r1.frame_a", "r1.frame_b -- ra.frame_a", "ra.frame_b -- r2.frame_a",
            "r2.frame_b -- rb.frame_a", "rb.frame_b -- prog.frame", "path.y -> prog.target",
        ],
    }  # fmt: skip


def hung(rng: np.random.Generator) -> Raw:
    """A load on a swinging rail, on a rope and on the ground."""
    return {
        "blocks": {
            "swing": {"type": "revolute", "axis": "x", "initial": {"position": float(rng.uniform(-0.3, 0.3))}},
            "frame": {**link(rng), "frame_b": {"at": [0.0, 0.0, 0.0]}},
            "rail": {"type": "prismatic", "axis": "z", "initial": {"position": float(rng.uniform(-1.1, -0.9))}},
            "load": link(rng),
            "rope": {"type": "rope", "length": "1 m", "EA": 2e4, "damping": "5 ms"},
            "floor": {"type": "contact", "radius": 0.1, "law": {"stiffness": 1e4, "dissipation": 0.5}},
            "low": {"type": "fixed", "at": [0.0, 0.0, float(rng.uniform(-1.3, -0.9))]},
        },
        "connect": [
            "world.frame -- swing.frame_a", "swing.frame_b -- frame.frame_a", "frame.frame_b -- rail.frame_a",
            "rail.frame_b -- load.frame_a", "world.frame -- rope.frame_a", "load.frame_a -- rope.frame_b",
            "world.frame -- low.frame_a", "low.frame_b -- floor.plane", "load.frame_a -- floor.of",
        ],
    }  # fmt: skip


def bent(rng: np.random.Generator) -> Raw:
    """A beam of rigid parts with a load, on a joint whose end stops it may meet."""
    joint = {
        "type": "revolute", "axis": "y", "damping": 1.0, "initial": {"velocity": float(rng.uniform(-1, 1))},
        "limits": {"lower": -0.01, "upper": 0.01, "stiffness": 3e3},
    }  # fmt: skip
    beam = {
        "type": "rfem_link", "length": "3 m", "E": "30 MPa", "G": "10 MPa", "damping": "0.1 ms",
        "divisions": int(rng.integers(1, 4)),
        "section": {"shape": "box", "width": "60 mm", "height": "90 mm", "thickness": "4 mm"},
    }  # fmt: skip
    return {
        "blocks": {"turn": joint, "beam": beam, "load": link(rng)},
        "connect": [
            "world.frame -- turn.frame_a", "turn.frame_b -- beam.frame_a", "beam.frame_b -- load.frame_a",
        ],
    }  # fmt: skip


def rubbing(rng: np.random.Generator) -> Raw:
    """A pendulum whose friction follows the reaction in its own joint, and a controller that samples it."""
    friction = {"model": "lugre", "mu_k": 0.2, "mu_s": 0.3, "diameter": 0.1}
    return {
        "blocks": {
            "turn": {"type": "revolute", "axis": "y", "friction": friction, "initial": {"velocity": 1.0}},
            "arm": link(rng),
            "hold": {"type": "zero_order_hold", "sample_time": "4 ms"},
            "pull": {"type": "gain", "k": float(rng.uniform(-5, 0))},
        },
        "connect": [
            "world.frame -- turn.frame_a", "turn.frame_b -- arm.frame_a",
            "turn.position -> hold.u", "hold.y -> pull.u", "pull.y -> turn.effort",
        ],
    }  # fmt: skip


PARTS: tuple[Callable[[np.random.Generator], Raw], ...] = (
    chain, loop, body, driven, led, hung, bent, rubbing, chain, loop,
)  # fmt: skip

BENDING = {hung, bent}  # with forces that bend: contacts, slack ropes, end stops


def named(raw: Raw, prefix: str) -> Raw:
    """The same with a prefix before the names of its blocks."""
    names = set(raw["blocks"])

    def other(end: str) -> str:
        block, dot, port = end.partition(".")
        return f"{prefix}{block}{dot}{port}" if block in names else end

    connect = []
    for line in raw["connect"]:
        sign = "->" if "->" in line else "--"
        connect.append(f" {sign} ".join(other(end.strip()) for end in line.split(sign)))
    blocks = {}
    for name, block in raw["blocks"].items():
        block = dict(block)
        if "realised_by" in block:
            block["realised_by"] = [f"{prefix}{each}" for each in block["realised_by"]]
        blocks[f"{prefix}{name}"] = block
    return {"blocks": blocks, "connect": connect}


def shuffled(rng: np.random.Generator, lists: list[list[Any]]) -> list[Any]:
    """One list of all entries, each list in its own order."""
    turns = rng.permutation([k for k, each in enumerate(lists) for _ in each])
    given = [iter(each) for each in lists]
    return [next(given[k]) for k in turns]


def netlists(rng: np.random.Generator, method: str = "rk4") -> tuple[str, list[str]]:
    """One of two to six mechanisms, and these alone."""
    count = int(rng.integers(2, 7))
    drawn = [PARTS[int(rng.integers(len(PARTS)))] for _ in range(count)]
    parts = [named(part(rng), f"m{k}_") for k, part in enumerate(drawn)]
    # rk4 divides a step with a bend of a force, for all mechanisms
    method = "heun" if method == "rk4" and not BENDING.isdisjoint(drawn) else method
    frame = {
        "luff": 1,
        "simulation": {"stop": 0.1, "step": 0.001, "output_step": 0.01, "method": method},
    }
    world = {"world": {"gravity": rng.uniform(-10, 10, 3).tolist()}}
    alone = [{**frame, "blocks": {**world, **part["blocks"]}, "connect": part["connect"]} for part in parts]
    blocks = dict(shuffled(rng, [[*part["blocks"].items()] for part in parts]))
    connect = shuffled(rng, [part["connect"] for part in parts])
    together = {**frame, "blocks": {**world, **blocks}, "connect": connect}
    return json.dumps(together), [json.dumps(each) for each in alone]
