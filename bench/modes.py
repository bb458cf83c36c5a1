"""Time of one evaluation of a tree of 18 rows with a flexible body in its middle, over that of the rigid tree.

    python -m luff.bench.modes [--modes 5 10 20 40 60] [--turns 21]

An evaluation is one of the four of an RK4 step. All trees take turns in one process: medians of ratios. Bars show
what the body adds to the rigid tree.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml

import luff

from .report import keep
from .timing import machine_words, race, ratio

ROWS = 18
SECTION = {
    "A": 4e-4, "I_y": 1.3e-8, "I_z": 2.6e-8, "J": 2.2e-8, "E": 2.1e11, "G": 8.1e10, "rho": 7850.0,
    "shear_y": 0.85, "shear_z": 0.85,
}  # fmt: skip
BAR, BARS = "█", 10  # bars of a tree's time
STEP = 1e-9  # far inside the stable region of every mode: time per step does not depend on it


def boom(path: Path, modes: int) -> None:
    """L-shaped boom of Timoshenko beams, 2 m along x and 1 m down, with interfaces at both ends."""
    nodes = [[0.25 * k, 0, 0] for k in range(9)] + [[2, 0, -0.25 * k] for k in range(1, 5)]
    frame = {"nodes": nodes, "members": [[k, k + 1] for k in range(12)], "section": SECTION}
    luff.reduce(frame, path, interfaces={"frame_a": [0], "tip": [12]}, modes=modes)


def tree(folder: Path, modes: int, stiffening: bool) -> luff.Simulation:
    """Chain of revolute joints and links; the link in its middle is the boom if it has modes."""
    blocks: dict[str, dict[str, object]] = {}
    connect, at = [], "world.frame"
    for k in range(ROWS):
        link = f"l{k}"
        blocks[f"j{k}"] = {"type": "revolute", "axis": "zyx"[k % 3]}
        connect += [f"{at} -- j{k}.frame_a", f"j{k}.frame_b -- {link}.frame_a"]
        if k == ROWS // 2 and modes:
            boom(folder / "boom.npz", modes)
            blocks[link] = {
                "type": "flexible_body",
                "file": "boom.npz",
                "modes": modes,
                "stiffening": stiffening,
            }
            at = f"{link}.tip"
        else:
            blocks[link] = {
                "type": "rigid_link", "mass": 2, "com": [0.2, 0.01, 0.03], "inertia": [0.1, 0.2, 0.3],
                "frame_b": {"at": [0.4, 0, 0.1]},
            }  # fmt: skip
            at = f"{link}.frame_b"
    path = folder / "tree.yaml"
    path.write_text(yaml.safe_dump({"luff": 1, "blocks": blocks, "connect": connect}))
    return luff.compile(path)


def steps(sim: luff.Simulation) -> Callable[[int], object]:
    session = sim.start(stop=1.0, step=STEP, method="rk4", output_step=1.0)
    return lambda count: session.advance(steps=count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", type=int, nargs="+", default=[5, 10, 20, 40, 60])
    parser.add_argument("--turns", type=int, default=21)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        works = {"rigid": steps(tree(Path(folder), 0, False))}
        for modes in options.modes:
            for stiffening in (False, True):
                works[f"{modes} {stiffening}"] = steps(tree(Path(folder), modes, stiffening))
        times = race(works, options.turns)
    over = {name: ratio(times, name, "rigid") for name in works}
    us = {name: f"{1e6 * min(each) / 4:.2f}" for name, each in times.items()}
    lines = [
        "| modes | us | over the rigid tree | with stiffening: us | over the rigid tree | what they add |",
        "|--:|--:|--:|--:|--:|:--|",
        f"| none | {us['rigid']} | 1 | | | |",
    ]
    for modes in options.modes:
        plain, stiff = f"{modes} False", f"{modes} True"
        bar = BAR * round(BARS * (over[plain] - 1.0))
        lines.append(
            f"| {modes} | {us[plain]} | {over[plain]:.2f} | {us[stiff]} | {over[stiff]:.2f} | {bar} |"
        )
    keep("modes.md", [f"Times per evaluation; {machine_words('processor', 'numba')}.", "", *lines])


if __name__ == "__main__":
    main()
