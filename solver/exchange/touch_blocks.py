"""Blocks `touch` of an imported model: collision geometry by surfaces, with the stiffness of its source."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from ...blocks.text.raw_types import Raw, RawMap
from .robot_tree import WORLD, Robot, Surface, VisualShape

EARTH = 9.81  # m/s^2, by which the stiffness is found of what has no weight
DAMPED = 1.0 / 3.0  # share of critical damping where a body rests: more is stiff in an impact
GROUNDS = ("plane", "height_field")  # stand in `against`


def touching(looks: Iterable[VisualShape]) -> list[VisualShape]:
    """Shapes that touch."""
    return [look for look in looks if look.surface is not None]


def touch_names(looks: Sequence[VisualShape]) -> dict[int, str]:
    """Names in `shapes` of those of a body that touch, by their numbers; none where all of them do, on one surface, and
    none is a plane or height field beside others.
    """
    forms = {(look.surface, look.kind in GROUNDS) for look in looks}
    if len(forms) <= 1:
        return {}
    return {k: f"touch_{k + 1}" for k, look in enumerate(looks) if look.surface is not None}


class TouchBlocks:
    """Pairs of surfaces of a model as blocks `touch`; `blocks` are the names of its bodies in the netlist."""

    def __init__(self, robot: Robot, blocks: dict[int, str]):
        self.robot, self.blocks = robot, blocks
        self.looks = {k: body.looks for k, body in enumerate(robot.bodies)} | {WORLD: robot.grounded}
        self.groups = {k: self._group(k) for k in self.looks}

    def _group(self, k: int) -> int:
        """First of the bodies that are welded together with body k."""
        while k != WORLD and all(joint.kind == "fixed" for joint in self.robot.bodies[k].joints):
            k = self.robot.bodies[k].parent
        return k

    def made(self) -> Iterator[RawMap]:
        """Entries of each block."""
        surfaces = dict.fromkeys(look.surface for looks in self.looks.values() for look in touching(looks))
        for a, b in itertools.combinations_with_replacement([one for one in surfaces if one], 2):
            if not a.meets(b):
                continue
            met, apart = self._pairs(a, b)
            if not met:
                continue
            left_out: dict[str, list[Raw]] = {}
            for j, k in apart:
                left_out.setdefault(self.blocks[j], []).append(self.blocks[k])
            without: list[Raw] = [{"of": [one], "against": others} for one, others in left_out.items()]
            further = {"without": without} if without else {}
            weight, pair = math.hypot(*self.robot.gravity) or EARTH, a.paired(b)
            sink = pair.sink(weight)
            if not math.isfinite(sink):
                names = f"{self.blocks[met[0][0]]} and {self.blocks[met[0][1]]}"
                self.robot.note("collision geometry", "solref gives it no stiffness", names)
                continue
            law = self._law(pair, {k for both in met for k in both}, weight, sink)
            for shapes in self._sides(a, b):
                yield {"type": "touch", **shapes, **further, **law}

    def _sides(self, a: Surface, b: Surface) -> Iterator[RawMap]:
        """Names of what touches: grounds stand in `against` alone, or among others."""
        first, second = self._names(a, False), self._names(b, False)
        grounds, further = self._names(a, True), self._names(b, True)
        if a is b:
            yield {"among": [*first, *grounds]}
            return
        if second:
            yield {"of": [*second], "against": [*first, *grounds]}
        if first and further:
            yield {"of": [*first], "against": [*further]}

    def _names(self, surface: Surface, grounds: bool) -> list[str]:
        """Names of the shapes of a surface that are grounds, or are none."""
        names = []
        for k, looks in self.looks.items():
            own, form = touch_names(looks), (surface, grounds)
            if not own and looks and (looks[0].surface, looks[0].kind in GROUNDS) == form:
                names.append(self.blocks[k])
            names += [
                f"{self.blocks[k]}.{name}"
                for j, name in own.items()
                if (looks[j].surface, looks[j].kind in GROUNDS) == form
            ]
        return names

    def _bodies(self, surface: Surface) -> list[int]:
        return [k for k, looks in self.looks.items() if any(look.surface == surface for look in looks)]

    def _meet(self, j: int, k: int) -> bool:
        """True if two bodies may touch: neither welded together, nor parent and child, nor excluded by the source."""
        a, b = self.groups[j], self.groups[k]
        if a == b:
            return False
        for child, other in ((a, b), (b, a)):
            parent = self.robot.bodies[child].parent if child != WORLD else WORLD
            if (
                parent != WORLD
                and self.groups[parent] == other
                and (other != WORLD or not self.robot.meets_base)
            ):
                return False
        names = {self.robot.bodies[one].name if one != WORLD else "world" for one in (j, k)}
        return names not in self.robot.apart

    def _pairs(self, a: Surface, b: Surface) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Pairs of bodies with these surfaces: those that touch, and those that do not."""
        first, second = self._bodies(a), self._bodies(b)
        both = itertools.combinations(first, 2) if a is b else itertools.product(first, second)
        met: list[tuple[int, int]] = []
        apart: list[tuple[int, int]] = []
        for j, k in both:
            if j == k:  # one body's shapes never touch
                continue
            (met if self._meet(j, k) else apart).append((j, k))
        return met, apart

    def _law(self, pair: Surface, met: Iterable[int], weight: float, sink: float) -> RawMap:
        """Law by which the lightest of the bodies `met` sinks in by `sink` [m] in free fall `weight` [m/s^2]."""
        moving = [self.robot.bodies[k] for k in met if self.groups[k] != WORLD]
        free = [one for one in moving if one.joints and one.joints[0].kind == "free"]
        mass = min((one.inertia.mass for one in free or moving if one.inertia.mass > 0.0), default=1.0)
        stiffness = mass * weight / sink
        dissipation = 2.0 * DAMPED / math.sqrt(weight * sink)
        mu = pair.mu if pair.condim > 1 else 0.0
        rolling = pair.rolling if pair.condim > 4 else 0.0
        friction: RawMap = {
            "mu": _short(mu),
            **({"rolling": f"{_short(rolling)} m"} if rolling > 0.0 else {}),
        }
        law: RawMap = {"stiffness": f"{_short(stiffness)} N/m", "dissipation": f"{_short(dissipation)} s/m"}
        return {"law": law, **({"friction": friction} if mu > 0.0 else {})}


def _short(value: float) -> float | int:
    """Three digits."""
    value = float(f"{value:.3g}")
    return int(value) if value == int(value) else value
