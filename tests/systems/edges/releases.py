"""Releases at the edges of their law: that let go at once, never, and catch in flight."""

from __future__ import annotations

import numpy as np

from .edge import edge
from .joints import Answers, G, R

KINDS = {
    "never": "",
    "strong": "force: 19.63",  # it carries 19.62 N
    "weak": "force: 19.61",
    "first": "time: 0",
    "later": "time: 0.3",
    "late": "time: 5",
    "flies": "initial: {held: false, position: [0, 0, 1], velocity: [1, 0, 3]}",
    "once": "",
    "catches": "again: true",
    "grips": "again: true, initial: {held: false, velocity: [1, 0, 0]}",
    "clamps": "force: 1e9, again: true, initial: {held: false, velocity: [1, 0, 0]}",
}


@edge(
    "release",
    "".join(
        f"\n  {n}: {{type: release, {text}}}\n  {n}_load: {{type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.1]}}"
        for n, text in KINDS.items()
    )
    + "\n  open: {type: pulse, start: 0.2, duration: 0.4}",
    ", ".join(f"world.frame -- {n}.frame_a, {n}.frame_b -- {n}_load.frame_a" for n in KINDS)
    + ", open.y -> once.open, open.y -> catches.open, open.y -> grips.open, open.y -> clamps.open",
    step=5e-3,
)
def loads_let_go_at_once_and_never_and_caught_in_flight(r: R) -> Answers:
    t, h = r.time, r.time[1]
    fall = lambda since: -G / 2 * np.maximum(t - since, 0) ** 2  # noqa: E731
    for n in ("never", "strong", "late"):
        yield f"{n}: stays", r[f"{n}.position"], 0.0, 0.0
        yield f"{n}: carries", r[f"{n}.total_force[2]"], 2 * G, 1e-9
    # decided where a step begins
    yield "below its load: at once", r["weak.position[2]"], fall(0.0), G * h
    yield "at the start", r["first.position[2]"], fall(0.0), 1e-12
    yield "at a time", r["later.position[2]"], fall(0.3), 1e-9
    yield "carries nothing then", r["later.total_force[2]"][t > 0.31], 0.0, 0.0
    yield "thrown", r["flies.position[2]"], 1 + 3 * t - G / 2 * t**2, 1e-12
    yield "forwards", r["flies.position[0]"], t, 1e-12
    yield "does not catch", r["once.position[2]"], fall(0.2), 1e-9
    caught = -G / 2 * 0.4**2
    yield "caught", r["catches.position[2]"], np.maximum(fall(0.2), caught), 1e-9
    yield "stands at once", r["catches.velocity[2]"][t > 0.61], 0.0, 1e-12
    yield "carries again", r["catches.total_force[2]"][t > 0.61], 2 * G, 1e-9
    # what was open from the start holds where `open` has been true and becomes false
    for n in ("grips", "clamps"):
        yield f"{n}: forwards", r[f"{n}.position[0]"], np.minimum(t, 0.6), 1e-9
        yield f"{n}: down", r[f"{n}.position[2]"], -G / 2 * np.minimum(t, 0.6) ** 2, 1e-9
