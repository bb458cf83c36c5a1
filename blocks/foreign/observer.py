"""The block `observer`: a Kalman filter over states and parameters of a model, which is another netlist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from ..errors import Problem
from ..external_block import ModelBlock
from ..params import Choice, Names, Param, Scope, Struct, SubList, Text
from ..ports import In, Out, Port, with_widths
from ..text.quantity import Dimension
from ..text.raw_types import RawMap


class Dimensioned(float):
    """A number in SI that knows the dimension it was given in; None for a plain number."""

    dimension: Dimension | None = None


class ModelNumber(Param):
    """A number in the unit of a signal of the model, which is known only when that is compiled."""

    def _number(self, raw: object, scope: Scope) -> float:
        value, dimension = scope.quantity(raw)
        number = Dimensioned(value)
        number.dimension = dimension
        return number


class MeasuredSignal(Struct):
    """A measured signal."""

    signal = Text(doc="signal of the model")
    noise = ModelNumber(gt=0, doc="standard deviation of its noise")


class EstimatedState(Struct):
    """Initial estimate of a state, and its drift from the model."""

    state = Text(doc="state of the model")
    start = ModelNumber(None, doc="estimate at the start; that of the model when not given")
    deviation = ModelNumber(0.0, ge=0, doc="standard deviation at the start")
    drift = ModelNumber(0.0, ge=0, doc="standard deviation of a random walk beside the model, after 1 s")


class EstimatedParameter(Struct):
    """A parameter of the model that is estimated."""

    name = Text(doc="number of the model, as in `set`: rope, or load.mass")
    start = ModelNumber(doc="estimate at the start")
    deviation = ModelNumber(ge=0, doc="standard deviation at the start")
    drift = ModelNumber(0.0, ge=0, doc="standard deviation of a random walk after 1 s")
    lower = ModelNumber(None, doc="least estimate; none when not given")
    upper = ModelNumber(None, doc="greatest estimate; none when not given")


class InputNoise(Struct):
    """Noise at an input of the model, held over a sample."""

    input = Text(doc="input of the model, one of width 1")
    deviation = ModelNumber(gt=0, doc="standard deviation")


class Observer(ModelBlock):
    """Kalman filter over the states and chosen parameters of a model, sampled every `step`, extended or unscented.

    At each sample the prediction x- is corrected, x = x- + P- H^T S^-1 (y - h(x-, u)) with S = H P- H^T + R, and then
    carried to the next sample by the model with u held (Runge-Kutta steps no longer than the model's own), P- = F P F^T
    + Q. In the extended filter F and H are exact derivatives of the model by its states and inputs, central differences
    by its parameters. The unscented one takes means and covariances of two points for each direction of spread, which
    the model moves: bends within the spread count, and no derivatives are needed.
    Outputs are predictions for the present sample, from what was measured up to the last one.
    """

    family = "control"
    partner = "estimation.observer_partner"
    example: ClassVar[RawMap] = {"measured": [{"signal": "pin.position", "noise": "1 deg"}]}
    filter = Choice(
        "extended", ("extended", "unscented"), doc="derivatives at the estimate, or points about it"
    )
    measured = SubList(MeasuredSignal, doc="measured signals, in the order of the port y: [{signal, noise}]")
    uncertain = SubList(
        EstimatedState,
        doc="states that are not known: [{state, start, deviation, drift}]; exact if not named",
    )
    parameters = SubList(
        EstimatedParameter,
        doc="parameters that are estimated: [{name, start, deviation, drift, lower, upper}]",
    )
    noise = SubList(InputNoise, doc="noise that drives the model: [{input, deviation}]")
    estimate = Names(
        None,
        follows=False,
        doc="states, parameters and signals to put out; parameters and measured ones if left out",
    )
    y = In(doc="measured signals")
    u = In(doc="inputs of the model, in the order of `inputs`")
    estimates = Out(doc="of what `estimate` names")
    deviations = Out(doc="standard deviations of the estimates")
    innovation = Out(doc="y - h(x-, u) of the last sample")
    normalised = Out(
        unit="", doc="innovation^T S^-1 innovation of the last sample: chi-square, of as many as measured"
    )

    def names(self) -> list[str]:
        """Names of the estimates that are put out."""
        if self.estimate is not None:
            return [*self.estimate]
        own = [*(one.name for one in self.parameters), *(one.signal for one in self.measured)]
        return list(dict.fromkeys(own))

    def ports(self) -> dict[str, Port]:
        p, m, count = max(len(self.measured), 1), len(self.inputs), max(len(self.names()), 1)
        widths = {"y": p, "u": m, "estimates": count, "deviations": count, "innovation": p}
        return with_widths(super().ports(), widths)

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        if not self.measured:
            yield Problem(
                "found no measured signals", ".measured", "name one: [{signal: pin.position, noise: 1 deg}]"
            )
        if not self.names():
            yield Problem("found nothing to estimate", ".estimate", "leave it out for what is measured")
        groups: dict[str, Sequence[str]] = {
            "measured": [one.signal for one in self.measured],
            "uncertain": [one.state for one in self.uncertain],
            "parameters": [one.name for one in self.parameters],
            "noise": [one.input for one in self.noise],
        }
        for key, names in groups.items():
            for k, name in enumerate(names):
                if name in names[:k]:
                    yield Problem(f"found {name} twice", f".{key}[{k}]", "name it once")
        for k, one in enumerate(self.parameters):
            low, high = one.lower, one.upper
            if not (low is None or low <= one.start) or not (high is None or one.start <= high):
                yield Problem("found a start beyond its bounds", f".parameters[{k}].start")
