"""Conditions that end a run, at the end of a step: `stop_when` of `simulation:`, and the lines of `assert:`."""

from __future__ import annotations

import re
from typing import NamedTuple

from .block import Block
from .block_states import Memory
from .errors import LuffError, Problem
from .light_dataclass import record
from .params import Param
from .ports import ANY, In

NAME = "conditions'"  # of the block in a flat netlist: no netlist can name one so
FORM = "block.port above 3 m, or below"
_TEXT = re.compile(r"\s*(\S+)\s+(above|below)\s+(\S.*?)\s*")


class ParsedCondition(NamedTuple):
    """A condition as it is written: a signal, on which side of it, and the level."""

    signal: str
    side: str
    level: str


@record
class Condition:
    """Condition that ends a run: its text, its place, and whether the run has then finished or failed."""

    text: str
    path: str
    asserted: bool
    side: float  # 1 above, -1 below
    level: float


def parse_condition(text: str) -> ParsedCondition:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise LuffError(Problem(f'found "{text}", expected a condition', fix=f"write {FORM}"))
    return ParsedCondition(*match.groups())


class Conditions(Block, abstract=True):
    """Conditions of a netlist: met = 1 once u is on the wanted side of its level, or an asserted one is not."""

    u = In(ANY)
    side = Param(shape=(None,), doc="1 above, -1 below")
    level = Param(shape=(None,), doc="what u is compared with")
    wanted = Param(shape=(None,), doc="1 where the run ends once it holds, 0 where once it does not")
    met = Memory(doc="1 once the run is to end")

    def __init__(self, conditions: list[Condition]):
        self.conditions = conditions
        values = {
            "side": tuple(one.side for one in conditions),
            "level": tuple(one.level for one in conditions),
            "wanted": tuple(0.0 if one.asserted else 1.0 for one in conditions),
        }
        super().__init__(NAME, {**values})

    def update(u, side, level, wanted, met):
        holds = 1.0 if side * (u - level) > 0.0 else 0.0
        met[0] = 1.0 if holds == wanted else 0.0
