"""Motions of three cranes by `luff.plan` beside those of motion laws and stable inversion within the same limits.

    python -m luff.bench.crane_plans [overhead] [flexible] [knuckle]

Prints the tables of docs/best_motions.md: time, what still moves after the end, peak efforts, distance from obstacles.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import luff
from luff.blocks.geometry.touching_solids import ROUNDING

AFTER = 3.0  # s after the end, in which what still moves is measured
PILLAR, SIZE = np.array([0.6, 0.25]), 0.075 + 0.07 * 0.8  # m: axis; radii of pillar and load
CORNER = [0.45, 0.40]  # m: of two lines that pass the pillar at 5 cm
POST = np.array([1.5, -1.5, 2.0])  # m: top of the axis of the post beside the flexible crane
HIGH_POST, HIGH_RADII = np.array([-6.5, 8.0, 5.6]), (0.5, 0.3)  # m: radii of post and sphere


def planned(name: str) -> tuple[luff.Plan, str]:
    """Plan of the library; status, iterations and processor time of its search, flights and corrections in words."""
    began = time.process_time()
    made = luff.plan(f"library/plans/{name}.yaml")
    return (
        made,
        f"{made.status}, {made.iterations} iterations, {time.process_time() - began:.0f} s of processor",
    )


def played(model: str, made: luff.Plan, seconds: float) -> luff.Result:
    """Run of a model under a plan's controls, and on under those after its end."""
    after = np.append(made.rows, made.rows[-1:], axis=0)  # the last row has the controls at rest
    after[-1, 0] += seconds + 1.0
    inputs = {name: (after[:, 0], after[:, 1 + k]) for k, name in enumerate(made.controls)}
    return luff.compile(f"library/{model}.yaml").run(
        stop=made.duration + seconds, inputs=inputs, method="dop853"
    )


def tip_of(result: luff.Result, name: str = "tip") -> np.ndarray:
    return np.stack([np.asarray(result[f"{name}.position[{k}]"]) for k in range(3)])


def clearance(tip: np.ndarray, top: np.ndarray, post: float, sphere: float) -> str:
    """Least distance of a sphere about a point from an upright post with a rounded edge [m]."""
    edge = ROUNDING * 2.0 * post  # a cylinder that gives no `round`, higher than it is wide
    aside = np.maximum(np.hypot(*(tip[:2] - top[:2, None])) - (post - edge), 0.0)
    above = np.maximum(tip[2] - (top[2] - edge), 0.0)
    least = float(np.min(np.hypot(aside, above)) - edge - sphere)
    return f"{least:.3f} m" if least > 0.0 else "goes through"


def heading(words: str) -> tuple[str, str]:
    return f"| {words} |", "|---" * (words.count("|") + 1) + "|"


def overhead() -> Iterator[str]:
    yield from heading(
        "overhead crane | time | largest sway | sway left | peak forces | distance from the pillar"
    )

    def row(name: str, T: float, result: luff.Result, forces: list[Any], note: str = "") -> str:
        angles = np.hypot(result["crane.sway.alpha"], result["crane.sway.beta"])
        rates = np.hypot(result["crane.sway.alpha_rate"], result["crane.sway.beta_rate"])
        after = np.asarray(result.time) >= T
        left = float(np.hypot(angles, rates / np.sqrt(9.81 / 0.8))[after][0])
        peaks = ", ".join(f"{np.max(abs(np.asarray(one))):.2f} N" for one in forces)
        off = np.hypot(*(tip_of(result, "load")[:2] - PILLAR[:, None])).min() - SIZE
        apart = f"{off:.3f} m" if off > 0.0 else "goes through"
        return f"| {name} | {T:.3f} s | {np.max(angles):.3f} rad | {left:.1g} rad | {peaks} | {apart} |{note}"

    line: dict[str, Any] = {"path.start": "0 s", "start_x": 0.0}
    for words, shape, points, T, legs in (
        ("stable inversion, straight", "line", [[0, 0], [1.2, 0.6]], 4.0, 1),
        ("stable inversion, two lines round the pillar", "polyline", [[0, 0], CORNER, [1.2, 0.6]], 5.2, 2),
    ):
        given: dict[str, Any] = {"path.shape": shape, "path.points": points, "duration": T, "legs": legs}
        sim = luff.compile("library/crane_overhead.yaml", set={**line, **given})
        result = sim.run(stop=T + AFTER, step=1e-3)
        yield row(words, T, result, [result[f"drive.effort[{k}]"] for k in range(2)])
    for words, name in (
        ("plan, straight", "crane_overhead"),
        ("plan, round the pillar", "crane_overhead_pillar"),
    ):
        made, note = planned(name)
        result = played("crane_overhead_drives", made, AFTER)
        yield row(words, made.duration, result, [*made.controls.values()], note)


def flexible() -> Iterator[str]:
    yield from heading(
        "crane with a flexible link | time | tip moves after the end | largest efforts | distance from the post"
    )

    def row(name: str, T: float, result: luff.Result, note: str = "") -> str:
        tip, late = tip_of(result), np.asarray(result.time) >= T
        moves = 1e3 * np.linalg.norm(tip[:, late] - tip[:, late][:, :1], axis=0).max()
        efforts = [f"{np.abs(result[f'{one}_pd.effort']).max():.0f}" for one in ("column", "boom", "jib")]
        apart = clearance(tip, POST, 0.2, 0.2)
        return f"| {name} | {T:.3f} s | {moves:.2f} mm | {', '.join(efforts)} N m | {apart} |{note}"

    laws = luff.compile("library/crane_gpme_laws.yaml").run(stop=4.0)
    t = np.append(np.asarray(laws.time), [4.0 + 1e-4, 9.0])
    names = ("column", "boom", "jib")
    inputs = {
        f"{one}_accel": (t, np.append(np.asarray(laws[f"{one}.y.acceleration"]), [0, 0])) for one in names
    }
    sim = luff.compile("library/crane_gpme_drives.yaml")
    yield row("laws", 4.0, sim.run(stop=4.0 + AFTER, inputs=inputs))
    for words, name in (("plan", "crane_gpme"), ("plan, over the post", "crane_gpme_post")):
        made, note = planned(name)
        yield row(words, made.duration, played("crane_gpme_drives", made, AFTER), note)


def knuckle() -> Iterator[str]:
    yield from heading(
        "knuckle boom crane | time | swing left at the tip | largest slewing torque | distance from the post"
    )

    def row(name: str, T: float, result: luff.Result, tip: np.ndarray, torque: Any, note: str = "") -> str:
        t = np.asarray(result.time)
        late = t >= T
        slow = np.stack([np.polyval(np.polyfit(t[late], one, 2), t[late]) for one in tip[:, late]])
        swing = 1e3 * np.linalg.norm(tip[:, late] - slow, axis=0).max()
        peak = 1e-3 * float(np.max(abs(np.asarray(torque))))
        apart = clearance(tip, HIGH_POST, *HIGH_RADII)
        return f"| {name} | {T:.2f} s | {swing:.2f} mm | {peak:.1f} kN m | {apart} |{note}"

    crane = luff.load("library/crane_knuckle_boom_hydraulic.yaml")
    crane.add_block("tip", {"type": "frame_sensor"})
    crane.set_section("connect", [*crane.connections, "outer.tip -- tip.frame_b"])
    at_once: dict[str, Any] = {
        "motion.legs": [{"to": ["1.2 m", "1.5 m"], "duration": "22 s"}],
        "turn.start": "0 s",
    }
    for words, changes, T in (("laws, one after the other", {}, 56.0), ("laws at once", at_once, 22.0)):
        result = luff.compile(crane, set=changes).run(stop=T + AFTER)
        yield row(words, T, result, tip_of(result), result["slewing.effort"])
    for words, name in (("plan", "crane_knuckle_boom"), ("plan, over the post", "crane_knuckle_boom_post")):
        made, note = planned(name)
        result = played("crane_knuckle_boom_drives", made, AFTER)
        torque = made.controls["slew_torque"]
        yield row(words, made.duration, result, tip_of(result), torque, note)


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "overhead": overhead,
    "flexible": flexible,
    "knuckle": knuckle,
}


def main() -> None:
    """Print the tables that are named, or all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # laws that run into limits are told by their figures
        for name in sys.argv[1:] or TABLES:
            print()
            for line in TABLES[name]():
                print(line, flush=True)  # each row takes its time


if __name__ == "__main__":
    main()
