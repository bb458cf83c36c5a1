"""The entries of a file for `luff fit` or `luff optimise`, declared like a block's parameters."""

from __future__ import annotations

from ...blocks.errors import LuffError
from ...blocks.params import Choice, Flag, Integer, Param, Scope, Struct, Sub, SubList, Text
from ..results.file_formats import listed_suffixes
from ..studies.sections import records
from ..studies.study_settings import METRICS, Measure, Requirement, changes, named_changes

PARAMETER = "parameter"  # the metric that is one of what is searched for


class Magnitude(Param):
    """A number of any unit, in SI; the text stays, so that the model can tell a wrong unit."""

    kind = "quantity"

    def convert(self, raw: object, scope: Scope, path: str) -> tuple[float, object]:
        try:
            return float(scope.quantity(raw).value), raw
        except LuffError as error:
            raise LuffError(problem.at(path=path) for problem in error.problems) from None

    def expected(self) -> str:
        return "a quantity, 3 kN/m"


class TunedParameter(Struct):
    """Parameter that is searched for, with its bounds."""

    lower = Magnitude(doc="lower bound")
    upper = Magnitude(doc="upper bound")
    start = Magnitude(None, doc="where the first search begins; in the middle if left out")
    scale = Choice("linear", ("linear", "log"), doc="log for what may be off by factors")


class Signal(Struct):
    """A measured signal."""

    column = Text(doc="its column in the file")
    unit = Text("", doc="unit of the numbers in the file; SI if left out")
    deviation = Magnitude(
        None, doc="standard deviation of the noise; the same share of each signal if left out"
    )
    weight = Param(1.0, ge=0.0, doc="of its squares, beside what the deviation gives")


class Shift(Struct):
    """Unknown delay of the file's clock."""

    lower = Param(unit="s", doc="lower bound")
    upper = Param(unit="s", doc="upper bound")
    start = Param(0.0, "s", doc="where the search begins")


class Data(Struct):
    """Experiment: a file with measured signals."""

    file = Text(doc=f"measured signals: {listed_suffixes()}")
    time = Text("time", doc="column with the times")
    signals = records(Signal, short="column", empty=False, doc="columns by signal of the model")
    set = changes({}, doc="what was different in this experiment")
    start = Param(None, "s", doc="used from here, by the file's clock")
    stop = Param(None, "s", doc="to here")
    shift = Sub(Shift, None, doc="how much later the file's clock begins; no later if left out")
    validate = Flag(False, doc="held out of the fit, and compared with its answer")


class FitSettings(Struct):
    """`fit:`"""

    parameters = records(TunedParameter, empty=False, doc="what is searched for, by path")
    data = SubList(Data, doc="experiments")
    starts = Integer(1, ge=1, le=1000, doc="searches from different points; the first from `start`")
    seed = Integer(0, ge=0, doc="of these points")
    evaluations = Integer(60, ge=1, doc="most steps of one search")
    profile = Flag(False, doc="also intervals of 95 % by profile likelihood")


class Goal(Measure):
    """Objective: a number of the run, or one of the parameters that are searched for."""

    metric = Choice(
        "rms", (*METRICS, PARAMETER), doc="what is measured; `parameter`: the one that `of` names"
    )


class OptimiseSettings(Struct):
    """`optimise:`"""

    parameters = records(TunedParameter, empty=False, doc="what is searched for, by path")
    minimise = Sub(Goal, None, doc="a number of the run that is to be small, or {metric: parameter, of}")
    maximise = Sub(Goal, None, doc="or one that is to be large")
    require = SubList(Requirement, doc="what other numbers have to be")
    cases = named_changes(None, doc="changes of the model by name: the worst of these runs counts")
    method = Choice(
        "both",
        ("global", "local", "both"),
        doc="differential evolution; by derivatives, or else Nelder and Mead's simplex; one then other",
    )
    starts = Integer(1, ge=1, le=1000, doc="of local searches alone: from different points")
    population = Integer(10, ge=2, le=1000, doc="of the global search: members for each parameter")
    generations = Integer(40, ge=1, doc="of the global search: at most")
    evaluations = Integer(400, ge=1, doc="of a local search: at most")
    seed = Integer(0, ge=0, doc="the same seed searches alike")


class TaskSettings(Struct):
    """A whole file."""

    luff = Integer(ge=1, le=1, doc="version of the format")
    name = Text("", doc="heading")
    doc = Text("", doc="what is searched for")
    model = Text(doc="a netlist: a file, ./crane.yaml, or the name of one in the library")
    set = changes({}, doc="changes of the model")
    fit = Sub(FitSettings, None, doc="parameters from measured signals")
    optimise = Sub(OptimiseSettings, None, doc="parameters for the least of a number")
