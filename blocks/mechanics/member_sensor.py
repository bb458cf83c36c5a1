"""Forces and stresses in the members of a flexible body that was reduced from a frame of beams."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..errors import Problem
from ..multibody_parts import MemberLoads, Part
from ..params import Choice, Param, Struct, Sub
from ..ports import Out, Port
from ..reduction import reduced_body as columns
from ..reduction.reduced_body import ReducedBody
from ..text.raw_types import RawMap
from .strength_sensor import StrengthSensor

IMPERFECTION = {"a0": 0.13, "a": 0.21, "b": 0.34, "c": 0.49, "d": 0.76}  # EN 1993-1-1, table 6.1


class Buckling(Struct):
    """Reduction of the strength of members in compression, by EN 1993-1-1, 6.3.1."""

    curve = Choice(
        "a", list(IMPERFECTION), doc="buckling curve: a of hot-finished tubes, c of cold-formed ones"
    )
    yield_stress = Param(unit="Pa", gt=0, doc="yield stress")
    length = Param(1.0, gt=0, doc="buckling length over the member's length")


class MemberSensor(StrengthSensor):
    """Strength of the members of a `flexible_body` that was reduced from a frame, at both ends of each.

    A member's stress is |N|/A + |M_y| z/I_y + |M_z| y/I_z, at the worse of its ends; of tubes and circles both moments
    add as vectors. With `buckling` the area of a member in compression is reduced by chi = 1/(f + sqrt(f^2 - l^2)),
    f = (1 + alpha (l - 0.2) + l^2)/2, with the slenderness l = sqrt(A f_y/N_cr), N_cr = pi^2 E I/(k L)^2 of its weaker
    axis; without, buckling is left out. Shear and torsion always are. Forces are those of the frame as the modes deform
    it: exact in statics under loads at interfaces and, if the body was reduced with `stiffening`, under weight.
    """

    example: ClassVar[RawMap] = {"of": "boom"}
    single = "axial"
    axial = Out(unit="N", doc="axial force of each member, positive in tension")
    member_stress = Out(unit="Pa", doc="stress of each member")
    governing = Out(doc="number in the frame of the member whose stress is the greatest, from 0")
    members = Param(None, shape=(None,), ge=0, doc="numbers of members in the frame, from 0; all if left out")
    buckling = Sub(Buckling, None, doc="of members in compression {curve, yield_stress, length}")

    @cached_property
    def table(self) -> np.ndarray:
        """Members of the body; none where it is not known."""
        table = self.body.whole[0].members if self.body is not None else None
        return np.zeros((0, columns.MEMBER_COLUMNS)) if table is None else table

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the members that it watches."""
        return tuple(range(len(self.table))) if self.members is None else tuple(int(k) for k in self.members)

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        count = len(self.numbers)
        return {
            name: replace(port, width=count) if name in ("axial", "member_stress") else port
            for name, port in own.items()
        }

    def forget(self) -> None:
        vars(self).pop("table", None)

    def problems_of(self, reduced: ReducedBody) -> Iterable[Problem]:
        table = self.table
        if not len(table):
            yield Problem(f"{self.of} holds no members", ".of", "reduce it anew, from a frame of beams")
            return
        if not self.numbers:
            yield Problem("found no members", ".members", "leave it out for all, or give their numbers")
            return
        wrong = [k for k in self.members or () if k != int(k) or not k < len(table)]
        if wrong:
            yield Problem(f"found the member {wrong[0]:g}, expected 0 to {len(table) - 1}", ".members")
            return
        bare = [k for k in self.numbers if not np.all(np.isfinite(table[k]))]
        if bare:
            yield Problem(
                f"the section of member {bare[0]} does not say how far its fibres are from the axes",
                ".of",
                "reduce it with {shape: tube, diameter, thickness}, or with y and z beside A",
            )

    def parts(self) -> list[Part]:
        return [MemberLoads(self.of, self.numbers, tuple(self.factors(k) for k in self.numbers))]

    def words_of_governing(self, number: int) -> str:
        """Which member governs, and what was left out of its stress."""
        first, last = (int(node) for node in self.table[number, [columns.FIRST, columns.LAST]])
        left_out = "" if self.buckling is not None else ", without buckling"
        return f"stress of member {number} of {self.of}, from node {first} to {last}{left_out}"

    def factors(self, number: int) -> tuple[float, float, float, float, float]:
        """Stress per tension and compression [1/m^2] and per moment about y and z [1/m^3]; 1 if circular."""
        row = self.table[number].tolist()
        area, second_y, second_z = row[columns.AREA], row[columns.SECOND_Y], row[columns.SECOND_Z]
        bending = row[columns.FIBRE_Z] / second_y, row[columns.FIBRE_Y] / second_z
        return 1.0 / area, 1.0 / (self.reduction(number) * area), *bending, row[columns.CIRCULAR]

    def reduction(self, number: int) -> float:
        """Factor chi of a member in compression; 1 without `buckling`."""
        if self.buckling is None:
            return 1.0
        row = self.table[number].tolist()
        second = min(row[columns.SECOND_Y], row[columns.SECOND_Z])
        critical = (
            math.pi**2 * row[columns.MODULUS] * second / (self.buckling.length * row[columns.LENGTH]) ** 2
        )
        slenderness = math.sqrt(row[columns.AREA] * self.buckling.yield_stress / critical)
        f = 0.5 * (1.0 + IMPERFECTION[self.buckling.curve] * (slenderness - 0.2) + slenderness**2)
        return min(1.0, 1.0 / (f + math.sqrt(f * f - slenderness**2))) if slenderness > 0.2 else 1.0
