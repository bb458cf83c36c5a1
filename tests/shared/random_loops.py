"""Random closed mechanisms: a random tree, and joints fitted between its bodies where these happen to stand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

import luff
from luff.blocks.geometry import rotations
from luff.solver.kernels.model_data import R_WB, p_WB
from luff.tests.shared.compile_text import plain
from luff.tests.shared.random_trees import AXES, SIZE, Limb, netlist, physical_inertia, random_placed, unit

TREE_KINDS = ("revolute", "revolute", "prismatic", "universal", "spherical", "fixed")
CLOSURES = ("spherical", "spherical", "universal", "revolute", "prismatic", "fixed")
METHODS = ("reduced", "baumgarte", "projected")
RESOLVES = ("b", "b", "a", "world")


@dataclass
class LoopModel:
    text: str
    efforts: dict[str, float]  # of the drives of one-coordinate joints


def pose(sim: luff.Simulation, block: str, port: str = "frame_a") -> tuple[np.ndarray, np.ndarray]:
    """Axes and origin of a frame in the world, at the last evaluation."""
    row, place = sim.program.mechanism.frames[sim.program.mechanism.frame_index[(block, port)]]
    if row < 0:
        return place.R, place.p
    A, p = (
        sim.instance.data.row[row, R_WB:p_WB].reshape(3, 3),
        sim.instance.data.row[row, p_WB : p_WB + 3],
    )
    return A @ place.R, p + A @ place.p


def as_turns(R: np.ndarray) -> list[list[Any]]:
    psi, theta, phi = (
        np.arctan2(R[1, 0], R[0, 0]),
        -np.arcsin(np.clip(R[2, 0], -1, 1)),
        np.arctan2(R[2, 1], R[2, 2]),
    )
    return [["z", float(psi)], ["y", float(theta)], ["x", float(phi)]]


def turned(rng: np.random.Generator, reach: float) -> np.ndarray:
    return rotations.rotation_of_turns([(AXES[axis], rng.uniform(-reach, reach)) for axis in "zyx"])


def limb(rng: np.random.Generator, number: int) -> Limb:
    kind, mass = str(rng.choice(TREE_KINDS)), float(rng.uniform(0.5, 3.0))
    first = unit(rng)
    second = np.cross(first, unit(rng))
    axes = {"universal": [first, second / np.linalg.norm(second)], "spherical": [AXES[k] for k in "zyx"]}
    one = SIZE[kind] == 1
    return Limb(
        kind, number - 1 if rng.random() < 0.6 else int(rng.integers(-1, number)), "frame_b",
        str(rng.choice(["frame_a", "hook"])), bool(rng.random() < 0.4), mass, rng.uniform(-0.3, 0.3, 3),
        physical_inertia(rng, mass), {name: random_placed(rng) for name in ("frame_b", "hook")},
        axes.get(kind, [first]), random_placed(rng), rng.uniform(-1.2, 1.2, max(SIZE[kind], 1)),
        np.zeros(max(SIZE[kind], 1)), [], rng.uniform(-20, 20), rng.uniform(0, 50) * one, rng.uniform(0, 5) * one,
        rng.uniform(-1, 1), number,
    )  # fmt: skip


def random_loops(rng: np.random.Generator) -> LoopModel:
    limbs = [limb(rng, number) for number in range(int(rng.integers(2, 8)))]
    raw = yaml.safe_load(netlist(limbs, rng.uniform(-10, 10, 3)).to_yaml())
    sim = plain(json.dumps(raw))
    sim.evaluate()
    blocks, connect = raw["blocks"], raw["connect"]
    for each in limbs:
        own = blocks[each.name]
        # places are those of the tree; rates are left open
        start = {
            name: value
            for name, value in own.pop("initial", {}).items()
            if not name.endswith(("rate", "velocity"))
        }
        if start:
            own["guess" if SIZE[each.kind] == 1 else "initial"] = start
    for k in range(int(rng.integers(1, 4))):
        a, b = int(rng.integers(-1, len(limbs))), int(rng.integers(0, len(limbs)))
        if a != b:
            close(rng, sim, blocks, connect, a, b, k)
    for own in blocks.values():
        if own.get("type") in (*TREE_KINDS, *CLOSURES):
            own["resolve"] = str(rng.choice(RESOLVES))
    raw["simulation"] = {"constraints": {"method": str(rng.choice(METHODS))}}
    return LoopModel(json.dumps(raw), {each.name: each.effort for each in limbs if SIZE[each.kind] == 1})


def close(
    rng: np.random.Generator,
    sim: luff.Simulation,
    blocks: dict[str, Any],
    connect: list[str],
    a: int,
    b: int,
    k: int,
) -> None:
    """A joint between two bodies (-1: the world), in a position of its own that fits them as they stand."""
    R_a, p_a = pose(sim, f"b{a}") if a >= 0 else (np.eye(3), np.zeros(3))
    R_b, p_b = pose(sim, f"b{b}")
    at, R = p_b + R_b @ rng.uniform(-0.5, 0.5, 3), turned(rng, 3)
    kind = str(rng.choice(CLOSURES))
    joint: dict[str, Any] = {"type": kind, "cut": bool(rng.random() < 0.5)}
    near, far = at, R
    if kind in ("revolute", "prismatic"):
        axis, q = unit(rng), float(rng.uniform(-0.5, 0.5))
        joint |= {"axis": axis.tolist(), "guess": {"position": q}}
        if rng.random() < 0.3:
            joint |= {"stiffness": float(rng.uniform(0, 50)), "damping": float(rng.uniform(0, 5))}
        if kind == "revolute":
            far = R @ rotations.rotation_of_turns([(axis, q)])
        else:
            near = at - R @ axis * q
    elif kind == "spherical":
        far = R @ turned(rng, 1)
    elif kind == "universal":
        u = unit(rng)
        w = np.cross(u, unit(rng))
        w /= np.linalg.norm(w)
        joint |= {"axis_a": u.tolist(), "axis_b": w.tolist()}
        far = R @ rotations.rotation_of_turns([(u, rng.uniform(-1.2, 1.2)), (w, rng.uniform(-1.2, 1.2))])
    place_a = {"at": (R_a.T @ (near - p_a)).tolist(), "rotate": as_turns(R_a.T @ R)}
    place_b = {"at": (R_b.T @ (at - p_b)).tolist(), "rotate": as_turns(R_b.T @ far)}
    blocks[f"b{b}"]["frames"][f"far{k}"] = place_b
    blocks[f"close{k}"] = joint
    if a >= 0:
        blocks[f"b{a}"]["frames"][f"near{k}"] = place_a
        connect.append(f"b{a}.near{k} -- close{k}.frame_a")
    else:
        blocks[f"ground{k}"] = {"type": "fixed", **place_a}
        connect += [f"world.frame -- ground{k}.frame_a", f"ground{k}.frame_b -- close{k}.frame_a"]
    connect.append(f"close{k}.frame_b -- b{b}.far{k}")
