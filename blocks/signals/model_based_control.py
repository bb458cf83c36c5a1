"""Controllers that know the model: they call its own inverse dynamics in the same evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..block import Block
from ..errors import Problem
from ..multibody_parts import InverseDynamics, Part
from ..params import Names
from ..ports import TRAJECTORY, In, Out, Port
from ..signal_params import PerElement
from ..text.raw_types import RawMap


class ModelController(Block, abstract=True):
    """Base of model-based controllers: the drives, and an effort for each.

    Their model holds masses, springs, dampers and all constraints, closed loops and programmed ones; not friction, end
    stops, forces given by signals and what a `splash_zone` does. Drives that are not named count as giving nothing.
    """

    family = "control"
    effort = Out(doc="of each drive, in the order of drives")
    drives = Names(doc="joints with one coordinate that it commands, such as [slew, lift]")

    def ports(self) -> dict[str, Port]:
        n = max(len(self.drives), 1)
        return {**super().ports(), "effort": Out(n, doc=self.class_ports["effort"].doc).named("effort")}

    def check(self) -> Iterable[Problem]:
        if not self.drives:
            yield Problem("found no drives", ".drives", "name the joints whose efforts it gives")


class GravityCompensation(ModelController):
    """Efforts that carry the mechanism's weight and springs as if it stood still in this position.

    With fewer drives than freedoms the passive coordinates count as held: the efforts are the weight's virtual work
    along the drives' own coordinates. A `contact` or a rail pushes as it does in this position; shapes that touch are
    left out: what they carry it carries as well.
    """

    example: ClassVar[RawMap] = {"drives": ["slew"]}

    def parts(self) -> list[Part]:
        return [InverseDynamics("hold", self.drives)]


class ComputedTorque(ModelController):
    """Efforts that give each drive the acceleration a* + kd (v* - v) + kp (q* - q), by inverse dynamics.

    The error then obeys e'' + kd e' + kp e = 0 whatever the position: kp = w^2 and kd = 2 d w place its poles. With
    fewer drives than freedoms the passive coordinates move as they must (partial feedback linearisation).
    """

    example: ClassVar[RawMap] = {"drives": ["slew"]}
    target = In(unit=None, kind=TRAJECTORY, doc="where each drive is to be, in the order of drives")
    kp = PerElement(100.0, ge=0, doc="gain on the error, 1/s^2: the square of the loop's frequency")
    kd = PerElement(20.0, ge=0, doc="gain on the rate of the error, 1/s")

    def ports(self) -> dict[str, Port]:
        port = self.class_ports["target"]
        target = In(max(len(self.drives), 1), None, None, port.doc, TRAJECTORY).named("target")
        return {**super().ports(), "target": target}

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        for name in ("kp", "kd"):
            value = self.values[name]
            if isinstance(value, tuple) and len(value) not in (1, len(self.drives)):
                mistake = f"found {len(value)} numbers for {len(self.drives)} drives"
                yield Problem(mistake, f".{name}", "give one for all, or one for each")

    def parts(self) -> list[Part]:
        return [InverseDynamics("track", self.drives, "target")]
