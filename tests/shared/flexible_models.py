"""Beams reduced to a few modes, and models of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.sparse.linalg import splu

import luff
from luff.blocks.reduction.craig_bampton import Interface, constrained_map
from luff.solver.reduction.lattice import lattice
from luff.solver.reduction.reduce import frame_model

STEEL = {"A": 4e-4, "I_y": 1.3e-8, "I_z": 2.6e-8, "J": 2.2e-8, "E": 2.1e11, "G": 8.1e10, "rho": 7850.0}
LINK = {"E": 7e10, "G": 2.6e10, "rho": 2700.0, "A": 3e-4, "I_y": 2.5e-9, "I_z": 2.25e-8, "J": 7.9e-9}
PENDULUM = ["world.frame -- h1.frame_a", "h1.frame_b -- l1.frame_a", "h2.frame_b -- l2.frame_a"]


def beam(
    path: Path, length: float = 1.0, section: dict[str, float] = STEEL, divisions: int = 20, **settings: Any
):
    """Straight beam along x with interfaces at both ends, in a file."""
    nodes = [[length * k / divisions, 0, 0] for k in range(divisions + 1)]
    source = {"nodes": nodes, "members": [[k, k + 1] for k in range(divisions)], "section": section}
    return luff.reduce(source, path, interfaces={"frame_a": [0], "tip": [divisions]}, **settings)


def model(folder: Path, blocks: dict[str, Any], connect: list[str], **more: Any) -> luff.Simulation:
    path = folder / "model.yaml"
    path.write_text(
        yaml.safe_dump({"luff": 1, "blocks": blocks, "connect": connect, **more}, sort_keys=False)
    )
    return luff.compile(path)


def link(
    mass: float, com: list[float], inertia: list[float], at: list[float] | None = None
) -> dict[str, Any]:
    more = {"frame_b": {"at": at}} if at else {}
    return {"type": "rigid_link", "mass": mass, "com": com, "inertia": inertia, **more}


def double_pendulum(kind: dict[str, Any], end: str) -> tuple[dict[str, Any], list[str]]:
    blocks = {
        "h1": {"type": "revolute", "axis": "y"},
        "l1": kind,
        "h2": {"type": "revolute", "axis": "y"},
        "l2": kind,
        "load": {"type": "rigid_link", "mass": 0.5, "inertia": [1e-3, 1e-3, 1e-3]},
        "tip": {"type": "frame_sensor"},
    }
    ends = [f"l1.{end} -- h2.frame_a", f"l2.{end} -- load.frame_a", f"l2.{end} -- tip.frame_b"]
    return blocks, [*PENDULUM, *ends]


def jib_forces(jib: dict[str, Any], pull: list[float]) -> np.ndarray:
    """End forces (members, 12) of a whole lattice jib under its weight and a pull [N] at its head, solved directly."""
    frame = lattice(jib)
    elements = frame_model({key: frame[key] for key in ("nodes", "members", "sections")})
    nodes, ends = np.array(frame["nodes"]), []
    for name in ("foot", "head"):
        x, y, z = nodes[frame["sets"][name]].mean(axis=0).tolist()
        ends.append(Interface(name, tuple(frame["sets"][name]), (x, y, z)))
    T, columns = constrained_map(elements, ends)
    load = T.T @ (elements.shape.T @ np.outer(elements.weights, [0.0, 0.0, -9.81]).ravel())
    load[columns[1] + 3 : columns[1] + 6] += pull
    K = (T.T @ elements.stiffness @ T).tocsc()
    return (elements.end_forces @ (T @ splu(K).solve(load))).reshape(-1, 12)
