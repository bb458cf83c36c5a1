"""`dashboard:` of a netlist: levers, knobs and dials in front of the model, bound to inputs, parameters and signals."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ...blocks.block import Block
from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.params import REQUIRED, Choice, Flag, Names, Param, Scope, Struct, SubList, Text
from ...blocks.text.quantity import unit

HANDS = ("lever", "knob", "switch", "button")  # what an operator moves
EYES = ("gauge", "lamp", "load_moment", "trend")  # what he looks at
FARTHEST = 1e6  # px from the middle of the canvas
ELEMENT = re.compile(r"\[\d+\]|\.(rate|acceleration)$")


class Dial(Struct):
    """Entry of `dashboard:`."""

    kind = Choice(REQUIRED, (*HANDS, *EYES), doc="what it is")
    of = Text(doc="an input, levers_u[0], or a parameter, pd.kp, that it moves; or the signal that it shows")
    title = Text("", doc="above it; what it is bound to if left out")
    unit = Text("", doc="unit of its numbers; the SI unit of what it is bound to if left out")
    range = Param(
        None, shape=(2,), doc="ends of its scale, in its unit; 0 and 1 if left out, -1 and 1 of a lever"
    )
    upright = Flag(False, doc="whether a lever goes up and down")
    spring = Flag(True, doc="whether a lever goes back to the middle of its range when it is let go")
    dead_band = Param(
        0.05, ge=0, lt=1, doc="share of the way of a lever, to either side, that counts as the middle"
    )
    keys = Names(
        (),
        doc="two keys that push a lever to its ends, or one that works a switch or button",
    )
    warning = Param(0.9, gt=0, doc="share of the range from which a gauge or a load moment warns")
    above = Param(0.5, doc="a lamp is lit where its signal is greater, in its unit")
    span = Param(20.0, "s", gt=0, doc="time that a trend shows")
    at = Param(
        None,
        shape=(2,),
        ge=-FARTHEST,
        le=FARTHEST,
        doc="[x, y] of its upper left corner on the canvas, in px as in layout; in the panel if left out",
    )

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of its scale, in its unit."""
        if self.range is not None:
            return self.range[0], self.range[1]
        return (-1.0, 1.0) if self.kind == "lever" else (0.0, 1.0)

    @property
    def factor(self) -> float:
        """Factor from its unit to SI."""
        return float(unit(self.unit).factor)


DASHBOARD = SubList(Dial, doc="levers, knobs, gauges and lamps in front of the model")


def dials_of(raw: object, scope: Scope, path: str) -> list[Dial]:
    """The entries of a dashboard, checked one by one."""
    made = DASHBOARD.convert(raw, scope, path)
    return [dial for dial in made if isinstance(dial, Dial)] if isinstance(made, list | tuple) else []


def unbound_dials(
    dials: Iterable[Dial], inputs: Mapping[str, object], signals: Sequence[str], blocks: Mapping[str, Block]
) -> Iterator[Problem]:
    """Yield problems of entries whose name is no input, parameter or signal that they can show."""
    for k, dial in enumerate(dials):
        name = ELEMENT.sub("", dial.of)
        if dial.kind in EYES:
            if name not in signals:
                yield Problem(
                    f'there is no signal "{dial.of}" to show',
                    f"dashboard[{k}].of",
                    did_you_mean(name, signals),
                )
        elif name not in inputs and not is_parameter(dial.of, blocks):
            known: Collection[str] = [
                *inputs,
                *(f"{one}.{key}" for one in blocks for key in blocks[one].params),
            ]
            mistake = f'there is no input or parameter "{dial.of}" to move'
            yield Problem(mistake, f"dashboard[{k}].of", did_you_mean(name, known))
        try:
            unit(dial.unit)
        except LuffError as error:
            yield from (problem.at(path=f"dashboard[{k}].unit") for problem in error.problems)
        least, most = dial.ends
        if not most > least:
            message = f"found a range from {least:g} to {most:g}, expected a greater end"
            yield Problem(message, f"dashboard[{k}].range")


def is_parameter(path: str, blocks: Mapping[str, Block]) -> bool:
    """True if a path is a number of a block that may change in a run."""
    name, _, key = path.rpartition(".")
    param = blocks[name].params.get(key) if name in blocks else None
    return param is not None and param.live and param.kind == "number"
