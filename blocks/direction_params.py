"""Parameters that say where to: an axis, and turns about axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .errors import did_you_mean
from .params import REQUIRED, Param, Scope, fail, shown_value

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXES |= {f"-{name}": (-x, -y, -z) for name, (x, y, z) in list(AXES.items())}


class Axis(Param):
    """A direction: x, y, z, -x, -y, -z, or three numbers (scaled to length one)."""

    kind = "axis"

    def __init__(self, default: object = REQUIRED, *, doc: str = ""):
        super().__init__(default, shape=(3,), doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> tuple[float, ...]:
        if isinstance(raw, str) and not raw.startswith("="):
            if raw not in AXES:
                raise self.refused(raw, path, did_you_mean(raw, AXES, listed=True))
            return AXES[raw]
        vector = self._row(raw, scope, path)
        length = math.hypot(*vector)
        if length < 1e-12:
            raise fail(path, f"found {shown_value(raw)}, expected a direction of non-zero length")
        return tuple(x / length for x in vector)

    def expected(self) -> str:
        return "an axis: x, y, z, -x, -y, -z or three numbers"


class Rotations(Param):
    """Turns [[axis, angle], ...], applied in order, each about the axes already turned."""

    kind = "rotations"

    def __init__(self, default: object = (), *, doc: str = ""):
        super().__init__(default, "rad", doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> tuple[tuple[tuple[float, ...], float], ...]:
        if not isinstance(raw, Sequence) or isinstance(raw, str):
            raise self.refused(raw, path, "for example [[z, 90 deg]]")
        axis, turns = Axis(), []
        for k, turn in enumerate(raw):
            if not isinstance(turn, Sequence) or isinstance(turn, str) or len(turn) != 2:
                raise fail(
                    f"{path}[{k}]",
                    f"found {shown_value(turn)}, expected [axis, angle]",
                    "for example [z, 90 deg]",
                )
            direction = axis.convert(turn[0], scope, f"{path}[{k}][0]")
            turns.append((direction, self._scalar(turn[1], scope, f"{path}[{k}][1]")))
        return tuple(turns)

    def expected(self) -> str:
        return "a list of [axis, angle]"
