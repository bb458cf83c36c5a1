"""Base of the sensors that tell the strength of a flexible body: what they watch of it, and what governs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from ..block import Block, Equation
from ..errors import LuffError, Problem, wrong_type
from ..params import BlockName, Param
from ..ports import Out, Port
from ..reduction.reduced_body import ReducedBody
from .flexible_body import FlexibleBodyBlock


class StrengthSensor(Block, ABC, abstract=True):
    """Stresses of a `flexible_body` at several places, the greatest of them and the number of its place."""

    family = "sensors"
    stress = Out(unit="Pa", doc="the greatest of all")
    governing = Out(doc="number of the place whose stress is the greatest, from 0")
    utilisation = Out(doc="stress over the allowable stress")
    of = BlockName(doc="the flexible body")
    allowable = Param(None, "Pa", gt=0, doc="allowable stress: yield stress over its safety factor")
    body: FlexibleBodyBlock | None = None
    single = ""  # an output whose cycles `rainflow` counts

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        if self.allowable is None:
            own.pop("utilisation")
        return own

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        """Find the flexible body that `of` names, and the points or members of it that are watched."""
        body = blocks.get(self.of)
        if not isinstance(body, FlexibleBodyBlock):
            yield wrong_type(self.of, blocks, FlexibleBodyBlock, "a flexible_body")
            return
        self.body = body
        body.bound = self.bound = True
        self.forget()
        try:
            reduced = body.whole[0]
        except LuffError:  # the body tells
            return
        yield from self.problems_of(reduced)

    def forget(self) -> None:
        """Drop what was taken from another body."""

    @abstractmethod
    def problems_of(self, reduced: ReducedBody) -> Iterable[Problem]:
        """Problems of what is watched of a body."""

    @abstractmethod
    def words_of_governing(self, number: int) -> str:
        """Which place governs, and what was left out of its stress."""

    def instance_functions(self) -> dict[str, Equation]:
        return {} if self.allowable is None else {"out_utilisation": of_allowable}

    def internal_wires(self) -> dict[str, str]:
        return {"stress": "stress"}


def of_allowable(stress, allowable):
    return stress / allowable
