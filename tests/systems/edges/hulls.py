"""Hulls in water at the edges of their law: without water, without radiation, turned round, in waves of one sign."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .edge import edge
from .joints import Answers, G, R

# way that each hull heads
HEADS = {"turned": 90, "back": 180}
KINDS = {
    # slide, and what water does along it: mass 1000 kg, added mass 600 kg
    "bobs": ("axis: z, initial: {position: 0.3}", "volume: 1, restoring: [[3, 3, 1.6e4]]"),
    "sinks": ("axis: z", "volume: 0"),
    "rises": ("axis: z", "volume: 2"),
    "drags": ("axis: x, initial: {velocity: -2}", "damping: [[1, 1, 800]]"),
    "rubs": ("axis: x, initial: {velocity: -2}", "quadratic: [800, 0, 0, 0, 0, 0]"),
    "turned": (
        "axis: y, initial: {position: 1.5}",
        "position: [0, 1], mooring: [[1, 1, 1.6e4], [2, 2, 1e9]]",
    ),
    "back": (
        "axis: x, initial: {position: 0.5}",
        "level: 3, mooring: [[1, 1, 1.6e4], [3, 3, 1e9]]",
    ),
}


def hull(name: str, slide: str, water: str, heading: float = 0.0) -> str:
    """Hull of 1000 kg on a rail, which heads elsewhere."""
    turn = f"{{rotate: [[z, {heading} deg]]}}"
    return f"""
  {name}: {{type: prismatic, {slide}}}
  {name}_hull: {{type: rigid_link, mass: 1000, frame_b: {turn}}}
  w_{name}: {{type: floating_body, water: 1000, heading: {heading} deg, {water}}}"""


def wires(names: Iterable[str]) -> str:
    """Wires of hulls on their rails."""
    return ", ".join(
        f"world.frame -- {n}.frame_a, {n}.frame_b -- {n}_hull.frame_a, {n}_hull.frame_b -- w_{n}.frame_b"
        for n in names
    )


@edge(
    "floating_body",
    "".join(
        hull(n, slide, f"infinite: [[1, 1, 600], [3, 3, 600]], {water}", HEADS.get(n, 0.0))
        for n, (slide, water) in KINDS.items()
    ),
    wires(KINDS),
    step=5e-3,
    stop=2.0,
)
def hulls_along_one_axis_in_calm_water(r: R) -> Answers:
    t, m = r.time, 1600.0
    w = np.sqrt(1.6e4 / m)
    # implicit is of third order: (w h)^3 = 4e-6 of the way, and less
    yield "bobs", r["bobs.position"], 0.3 * np.cos(w * t), 1e-6
    yield "without a volume, with its added mass", r["sinks.velocity"], -1000 * G / m * t, 1e-9
    yield "with twice its volume", r["rises.velocity"], 1000 * G / m * t, 1e-9
    yield "linear damping alone", r["drags.velocity"], -2 * np.exp(-800 / m * t), 1e-9
    yield "quadratic damping alone, backwards", r["rubs.velocity"], -2 / (1 + 2 * 800 / m * t), 1e-7
    yield "across, about its own place", r["turned.position"], 1 + 0.5 * np.cos(w * t), 1e-6
    yield "its surge", r["w_turned.displacement[0]"], 0.5 * np.cos(w * t), 1e-6
    yield "backwards", r["w_back.displacement[0]"], -0.5 * np.cos(w * t), 1e-6
    yield "pulled home", r["back.position"], 0.5 * np.cos(w * t), 1e-6
    yield "below its level", r["w_back.displacement[2]"], -3.0, 1e-12
    for n in KINDS:
        yield f"{n}: nothing radiates", r[f"w_{n}.radiation_energy"], 0.0, 0.0
        yield f"{n}: calm", r[f"w_{n}.elevation"], 0.0, 0.0


WAVES = "Hs: 1, Tp: 6, seed: 3"
PUSHED = {
    "up": "excitation: [[0.1, 0, 3, 500, 0], [9, 0, 3, 500, 0]]",
    "down": "excitation: [[0.1, 0, 3, 500, 3.141592653589793], [9, 0, 3, 500, 3.141592653589793]]",
    "still": "excitation: [[0.1, 0, 3, 0, 0], [9, 0, 3, 0, 0]]",
    "side": "excitation: [[0.1, 0, 1, 500, 0], [9, 0, 1, 500, 0]]",
    "from_calm": "fade_in: 1000, excitation: [[0.1, 0, 3, 500, 0], [9, 0, 3, 500, 0]]",
}


@edge(
    "floating_body waves",
    f"""
  sea: {{type: waves, {WAVES}}}
  late: {{type: waves, {WAVES}, fade_in: 1000}}"""
    + "".join(hull(n, "axis: z", f"volume: 1, {WAVES}, {water}") for n, water in PUSHED.items()),
    wires(PUSHED),
    step=0.02,
    stop=20.0,
)
def hulls_in_waves_of_one_phase_and_of_none(r: R) -> Answers:
    lift, sea = 1000 * G, r["sea.elevation"]
    # sums of 100 harmonics of one metre, rounded
    yield "with the crest", r["w_up.load[2]"], lift + 500 * sea, 1e-9
    yield "against it", r["w_down.load[2]"], lift - 500 * sea, 1e-9
    yield "and so their ways", r["down.position"], -r["up.position"], 1e-9
    yield "waves without a force", r["still.position"], 0.0, 1e-12
    yield "of another axis", r["side.position"], 0.0, 1e-12
    yield "surge is what they push", r["w_side.load[0]"], 500 * sea, 1e-9
    yield "from calm", r["w_from_calm.load[2]"], lift + 500 * r["late.elevation"], 1e-9
