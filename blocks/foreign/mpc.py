"""The block `mpc`: model predictive control of a model that is another netlist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..errors import Problem
from ..external_block import ModelBlock
from ..params import Integer, Names, Param, Struct, SubList, Text
from ..ports import SIGNAL, In, Out, Port, with_widths
from ..text.raw_types import RawMap
from .observer import ModelNumber


class CommandedInput(Struct):
    """An input of the model that is commanded."""

    input = Text(doc="input of the model, one of width 1")
    deviation = ModelNumber(gt=0, doc="largest acceptable deviation from its default: its weight in the cost")
    lower = ModelNumber(None, doc="least value; none when not given")
    upper = ModelNumber(None, doc="greatest value; none when not given")
    rate = Param(None, gt=0, doc="greatest change a second, SI; none when not given")


class FollowedSignal(Struct):
    """A signal of the model that follows a target."""

    signal = Text(doc="signal of the model")
    deviation = ModelNumber(gt=0, doc="largest acceptable deviation: its weight in the cost")


class LimitedSignal(Struct):
    """A signal of the model that is kept within limits, which are soft: to exceed them costs much."""

    signal = Text(doc="signal of the model")
    lower = ModelNumber(None, doc="least value; none when not given")
    upper = ModelNumber(None, doc="greatest value; none when not given")


class Mpc(ModelBlock):
    """Model predictive control: at each sample the inputs of a model over a horizon that cost least.

    The cost is the integral of the squares of signals less their targets and of inputs, each over its largest
    acceptable deviation. Inputs are constant in each of the `intervals`, within bounds. Each sample takes one step of
    Gauss and Newton from the last solution (real-time iteration: Diehl, Bock and Schloder 2005; the first sample takes
    twenty), with exact derivatives of the model at the nodes, and at most `iterations` interior-point steps for its
    quadratic program. The input that is found
    for the next sample counts from the state that the model predicts for it.
    """

    family = "control"
    partner = "estimation.mpc_partner"
    example: ClassVar[RawMap] = {
        "order": ["pin.position"],
        "commands": [{"input": "force", "deviation": 1}],
        "follow": [{"signal": "pin.position", "deviation": 1}],
    }
    inputs = None
    order = Names((), follows=False, doc="states of the model, all of them, in the order of the port state")
    commands = SubList(
        CommandedInput, doc="inputs that are commanded: [{input, deviation, lower, upper, rate}]"
    )
    follow = SubList(
        FollowedSignal, doc="signals with a target, as the port target has them: [{signal, deviation}]"
    )
    limits = SubList(LimitedSignal, doc="signals within soft limits: [{signal, lower, upper}]")
    horizon = Param(2.0, "s", gt=0, live=False, doc="time that is looked ahead")
    intervals = Integer(20, ge=1, le=500, doc="intervals of the horizon in which inputs are constant")
    final = Param(1.0, ge=0, live=False, doc="weight of the deviations at the end, as a time in s")
    iterations = Integer(12, ge=1, le=100, doc="interior-point steps a sample")
    state = In(doc="state of the model, measured or estimated, in the order of `order`")
    target = In(default=0.0, doc="where the followed signals are to be")
    u = Out(doc="inputs, in the order of `commands`")
    slack = Out(
        doc="how far limits are exceeded in the plan, over their size (larger bound); 0 where they are kept"
    )
    gap = Out(
        doc="largest distance between the plan's intervals, over the states' size: small where it has converged"
    )
    duration = Port(
        SIGNAL, "out", unit="s", doc="wall time of the last sample; recorded if named", inner=True
    )

    def ports(self) -> dict[str, Port]:
        widths = {"state": self.order, "target": self.follow, "u": self.commands}
        return with_widths(super().ports(), {name: max(len(of), 1) for name, of in widths.items()})

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        for name, fix in (
            ("order", "name all states of the model"),
            ("commands", "name an input: [{input: force, deviation: 1 kN}]"),
            ("follow", "name a signal: [{signal: pin.position, deviation: 2 deg}]"),
        ):
            if not self.values[name]:
                yield Problem(f"found no {name}, expected one at least", f".{name}", fix)
        for key in ("commands", "limits"):
            for k, one in enumerate(self.values[key]):  # type: ignore[call-overload]
                if one.lower is not None and one.upper is not None and one.lower >= one.upper:
                    yield Problem("found bounds that leave nothing", f".{key}[{k}]", "lower below upper")
        names = [one.input for one in self.commands]
        if len({*names}) < len(names):
            yield Problem("found an input twice", ".commands", "name it once")
