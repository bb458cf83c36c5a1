"""Resolved-rate control: rates of drives for a wanted velocity of a frame, by damped least squares."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import ClassVar

from ..block import Block, Equation
from ..errors import Problem
from ..multibody_parts import Part, TipJacobian
from ..params import Names, Param
from ..ports import Frame, In, Out, Port
from ..signal_params import Elements, PerElement
from ..text.generated_functions import function_from
from ..text.raw_types import RawMap

AXES = ("x", "y", "z")


def smallest_eigenvalue(a, b, c, d, e, f):
    """Smallest eigenvalue of [[a, d, e], [d, b, f], [e, f, c]] by its angle (Smith 1961)."""
    mean = (a + b + c) / 3.0
    x, y, z = a - mean, b - mean, c - mean
    spread = math.sqrt((x * x + y * y + z * z + 2.0 * (d * d + e * e + f * f)) / 6.0)
    if spread == 0.0:
        return mean
    half = (x * (y * z - f * f) - d * (d * z - f * e) + e * (d * f - y * e)) / (2.0 * spread**3)
    angle = math.acos(min(max(half, -1.0), 1.0)) / 3.0
    return mean + 2.0 * spread * math.cos(angle + 2.0 * math.pi / 3.0)


def damped_step(jacobian, target, prefer, weight, greatest, chosen, near, damping):
    """Multipliers y = (J W J^T + l^2)^-1 (v - J r0) of the velocity's components, and the scale that limits ask for."""
    a = b = c = d = e = f = 0.0
    u, v, w = chosen[0] * target[0], chosen[1] * target[1], chosen[2] * target[2]
    n = len(weight)
    for k in range(n):
        x, y, z = chosen[0] * jacobian[k], chosen[1] * jacobian[n + k], chosen[2] * jacobian[2 * n + k]
        a, b, c = a + weight[k] * x * x, b + weight[k] * y * y, c + weight[k] * z * z
        d, e, f = d + weight[k] * x * y, e + weight[k] * x * z, f + weight[k] * y * z
        u, v, w = u - x * prefer[k], v - y * prefer[k], w - z * prefer[k]
    # components that do not count are never the weakest
    most = a + b + c + near * near
    a, b, c = a + (1.0 - chosen[0]) * most, b + (1.0 - chosen[1]) * most, c + (1.0 - chosen[2]) * most
    least = max(smallest_eigenvalue(a, b, c, d, e, f), 0.0)
    if least < near * near:
        more = (1.0 - least / (near * near)) * damping * damping
        a, b, c = a + more, b + more, c + more
    # L D L^T
    l, m = d / a, e / a
    q = b - l * d
    o = (f - l * e) / q
    v = v - l * u
    w = (w - m * u - o * v) / (c - m * e - o * o * q)
    v = v / q - o * w
    u = u / a - l * v - m * w
    scale = 1.0
    for k in range(n):
        rate = abs(drive_rate(jacobian, prefer, weight, chosen, u, v, w, k))
        if rate * scale > greatest[k]:
            scale = greatest[k] / rate
    return u, v, w, scale


def drive_rate(jacobian, prefer, weight, chosen, u, v, w, k):
    """Rate of drive k before limits: r0 + W J^T y."""
    n = len(weight)
    along = (
        chosen[0] * u * jacobian[k] + chosen[1] * v * jacobian[n + k] + chosen[2] * w * jacobian[2 * n + k]
    )
    return prefer[k] + weight[k] * along


def frame_speed(jacobian, rates, row):
    """Component `row` of the velocity at given rates of the drives."""
    speed = 0.0
    for k in range(len(rates)):
        speed += jacobian[len(rates) * row + k] * rates[k]
    return speed


HELPERS = (smallest_eigenvalue, damped_step, drive_rate, frame_speed)
INPUTS = "jacobian, target, prefer, weight, greatest, chosen, near, damping"


@cache
def tip_functions(n: int) -> dict[str, Equation]:
    """Functions of a block with n drives."""
    wished, comma = ("prefer", "") if n > 1 else ("(prefer,)", ",")
    start = (
        f"({INPUTS}):\n"
        f"    wished = {wished}\n"
        "    u, v, w, scale = damped_step(jacobian, target, wished, weight, greatest, chosen, near, damping)\n"
    )
    rates = ", ".join(f"scale * drive_rate(jacobian, wished, weight, chosen, u, v, w, {k})" for k in range(n))
    speeds = ", ".join(f"frame_speed(jacobian, rates, {row})" for row in range(3))
    texts = {
        "out_rates": f"    return {rates}\n",
        "out_scale": "    return scale\n",
        "out_reached": f"    rates = {rates}{comma}\n    return {speeds}\n",
    }
    return {role: function_from(f"def tip_{role}{start}{text}", *HELPERS) for role, text in texts.items()}


class TipVelocity(Block):
    """Rates of drives that move frame_b as a joystick asks: r = r0 + W J^T (J W J^T + l^2)^-1 (v - J r0).

    J is the velocity of frame_b against frame_a, in the axes of frame_a, at unit rates of the drives; freedoms that no
    drive moves stand still in it. Of more drives than components the weighted least rates are taken, and what is left
    free follows `prefer`. Where the smallest singular value s of J W^(1/2) is below `near`, the square of l is
    damping^2 (1 - (s / near)^2): rates stay finite, and the frame lags (Nakamura and Hanafusa 1986, Chiaverini 1997);
    else l = 0, and it is exact. Where a rate exceeds its limit all are scaled, so that the direction stays.
    """

    family = "control"
    example: ClassVar[RawMap] = {"drives": ["slew"]}
    frame_a = Frame("what the velocity is against, and its axes; the world when not wired")
    frame_b = Frame("the tip, or the hook's block, that is moved")
    drives = Names(doc="joints with one coordinate that it commands, such as [slew, lift]")
    components = Names(
        AXES, choices=AXES, doc="components of the velocity that count; others are as they come"
    )
    limits = PerElement(None, optional=True, gt=0, doc="greatest rate of each drive; none, if not given")
    weights = PerElement(
        1.0, gt=0, doc="W: a drive of four times the weight runs four times as fast for its part"
    )
    near = Param(0.1, "m", gt=0, doc="smallest singular value below which it damps, m for a unit rate")
    damping = Param(0.1, "m", gt=0, doc="l where J is singular")
    target = In(3, "m/s", doc="wanted velocity of frame_b against frame_a, axes of frame_a")
    prefer = In(default=0.0, doc="r0, rates wanted beside: what does not disturb the velocity is done")
    rates = Out(doc="of the drives, in their order")
    reached = Out(3, "m/s", doc="velocity that these rates give")
    scale = Out(doc="1, or by which limits have scaled the rates")
    jacobian = Out(3, doc="J, row by row")
    derived_names = ("weight", "greatest", "chosen")

    def count(self) -> int:
        return max(len(self.drives), 1)

    def ports(self) -> dict[str, Port]:
        known, n = super().ports(), self.count()
        own = {
            "prefer": In(n, default=0.0, doc=known["prefer"].doc),
            "rates": Out(n, doc=known["rates"].doc),
            "jacobian": Out(3 * n, doc=known["jacobian"].doc),
        }
        return known | {name: port.named(name) for name, port in own.items()}

    def internal_wires(self) -> dict[str, str]:
        return {"jacobian": "jacobian"}

    def check(self) -> Iterable[Problem]:
        if not self.drives:
            yield Problem("found no drives", ".drives", "name the joints whose rates it gives")
        if not self.components:
            yield Problem("found no components", ".components", "leave it out for x, y and z")
        for name in ("limits", "weights"):
            value = self.values[name]
            if isinstance(value, tuple) and len(value) not in (1, len(self.drives)):
                mistake = f"found {len(value)} numbers for {len(self.drives)} drives"
                yield Problem(mistake, f".{name}", "give one for all, or one for each")

    def derived(self) -> dict[str, tuple[float, ...]]:
        n = self.count()

        def spread(value: Elements | None) -> tuple[float, ...]:
            values = value if isinstance(value, tuple) else (math.inf if value is None else value,)
            return values * n if len(values) == 1 else values

        chosen = tuple(float(axis in self.components) for axis in AXES)
        return {"weight": spread(self.weights), "greatest": spread(self.limits), "chosen": chosen}

    def instance_functions(self) -> dict[str, Equation]:
        return tip_functions(self.count())

    def parts(self) -> list[Part]:
        return [TipJacobian("frame_a", "frame_b", self.drives)]
