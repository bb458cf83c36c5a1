"""Numbers, poses and formulas as a netlist has them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...blocks.geometry import rotations
from ...blocks.geometry.mass_properties import Inertia, Pose
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import yaml_writer as yaml
from .robot_tree import Bounds, Drive

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


def number(value: float) -> float | int:
    """Fifteen digits: what a source wrote comes back, and a sum shows no rounding."""
    value = float(f"{value:.15g}")
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def vector(values: npt.ArrayLike) -> list[Raw]:
    entries = np.asarray(values, float)
    largest = np.abs(entries).max()
    return [number(0.0 if abs(value) < 1e-15 * largest else value) for value in entries]


def quantity(value: float, unit: str) -> str:
    text = yaml.flow(number(value))
    return f"{text} {unit}"


def angle(value: float) -> str:
    """Text of an angle [rad]; in degrees if that is a short number of the very same angle."""
    degrees = round(math.degrees(value), 4)
    short = abs(math.radians(degrees) - value) <= 3e-16 * abs(value)
    return quantity(degrees, "deg") if short else quantity(value, "rad")


def axis(direction: tuple[float, ...]) -> Raw:
    for name, unit in AXES.items():
        if tuple(direction) == unit:
            return name
    return vector(direction)


def placement(pose: Pose) -> RawMap:
    entries: RawMap = {}
    if pose.at.any():
        entries["at"] = vector(pose.at)
    if pose.turned:
        turns = pose.turns or _axis_angle(pose.R)
        if turns:
            entries["rotate"] = [[axis(about), angle(turn)] for about, turn in turns]
    return entries


def _axis_angle(R: np.ndarray) -> list[tuple[tuple[float, ...], float]]:
    """Axis and angle of a rotation; none where it is rounding of the products that it is made of."""
    q = rotations.quaternion(R)
    size = float(np.linalg.norm(q[1:]))
    if size < 1e-15:
        return []
    about = q[1:] / size
    about[np.abs(about) < 1e-15] = 0.0
    return [(tuple(about / np.linalg.norm(about)), 2.0 * math.atan2(size, q[0]))]


def mass_properties(inertia: Inertia) -> RawMap:
    J = inertia.about_com
    if inertia.mass == 0.0 and not J.any():
        return {}
    entries: RawMap = {"mass": quantity(inertia.mass, "kg")}
    if inertia.com.any() and inertia.mass:
        entries["com"] = vector(inertia.com)
    six = vector([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    if any(six):
        entries["inertia"] = six if any(six[3:]) else six[:3]
    return entries


def formula(coefficients: tuple[float, ...]) -> str:
    """`x - 0.3 - 2*y`: zero where x is the polynomial of y."""
    text = "x"
    for k, factor in enumerate(coefficients):
        if factor:
            size = "" if abs(factor) == 1.0 and k else f"{number(abs(factor))!r}"
            power = ("", "y", f"y^{k}")[min(k, 2)]
            text += f" {'-' if factor > 0.0 else '+'} {'*'.join(part for part in (size, power) if part)}"
    return text


def clipped(text: str, bounds: Bounds) -> str:
    return text if bounds is None else f"min(max({text}, {number(bounds[0])!r}), {number(bounds[1])!r})"


def ports(letter: str, count: int) -> list[str]:
    """Names of inputs: u, u2, u3, ..."""
    return [letter, *(f"{letter}{k}" for k in range(2, count + 1))][:count]


def force(drive: Drive, u: str) -> str:
    """`gain*u + b0 + b1*q + b2*v` of a drive within its bounds, with q and v of each of its joints."""
    terms, text = [(drive.gain, clipped(u, drive.of_input)), (drive.bias[0], "")], ""
    for factor, letter in zip(drive.bias[1:], "qv", strict=True):
        names = ports(letter, len(drive.arms))
        terms += [(factor * arm, name) for arm, name in zip(drive.arms.values(), names, strict=True)]
    for k, (factor, of) in enumerate(terms):
        if factor or k == 0:
            size = "" if abs(factor) == 1.0 and of else f"{number(abs(factor))!r}"
            sign = "-" if factor < 0.0 else "+"
            text += f" {sign} " if text else sign.strip("+")
            text += "*".join(part for part in (size, of) if part)
    return clipped(text, drive.of_force)


def effort(drive: Drive, joint: str, of: str) -> str:
    """`arm*force` of a drive on a joint, with its bounds."""
    arm = number(drive.arms[joint])
    text = of if arm == 1 else f"{arm!r}*{of}" if of.isalnum() else f"{arm!r}*({of})"
    return clipped(text, drive.of_effort.get(joint))
