"""The entries of a plan file, declared like a block's parameters."""

from __future__ import annotations

from collections.abc import Mapping

from ...blocks.params import Choice, Either, Flag, Integer, Names, Param, Scope, Struct, Sub, SubList, Text
from ..studies.sections import MapOf, records
from ..studies.study_settings import Limit, changes, named_changes

KEPT_CLEAR = "keep_clear_"  # and a number: names of the blocks that measure distances which are kept
REST = "at_rest"
INTERVALS = 40
TOLERANCE = 1e-9  # of optimality, scaled
COSTS = ("time", "energy", "effort")
INTERPOLATIONS = ("constant", "linear")


class Bounds(Struct):
    """Lower and upper limit of a signal; one of them may be left out."""

    lower = Limit(None, doc="lower limit; none if left out")
    upper = Limit(None, doc="upper limit; none if left out")


class Shapes(Names):
    """Names of blocks with shapes: one, or a list."""

    def convert(self, raw: object, scope: Scope, path: str) -> tuple[str, ...]:
        return super().convert([raw] if isinstance(raw, str) else raw, scope, path)


class KeepClear(Struct):
    """Least distance between shapes over the whole motion."""

    of = Shapes(doc="blocks with shapes that move, or block.shape; patterns with * count")
    vars()["from"] = Shapes(doc="those that they keep clear of")  # a word of Python
    by = Param(0.0, "m", ge=0, doc="least distance")


class Duration(Struct):
    """Bounds of a free duration T."""

    lower = Param(None, "s", gt=0, doc="shortest duration")
    upper = Param(None, "s", gt=0, doc="longest duration")
    guess = Param(None, "s", gt=0, doc="duration at which the search begins")


class FixedOrFree(Either):
    """Duration T: one value, or bounds."""

    def __init__(self, doc: str):
        super().__init__(None, Param(unit="s", gt=0), Sub(Duration), doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        return self.options[1 if isinstance(raw, dict) else 0].convert(raw, scope, path)

    def expected(self) -> str:
        return "a duration, 12 s, or {lower, upper}"


class Ends(MapOf):
    """Values of signals or states at an end of the motion, and `at_rest`."""

    def __init__(self, doc: str):
        super().__init__(
            _end_entry, "a mapping from signals to values, {slew.position: 120 deg}", {}, doc=doc
        )


def _end_entry(raw: object, scope: Scope, path: str) -> object:
    param = Flag() if path.endswith(f".{REST}") else Limit()
    return param.convert(raw, scope, path)


class Weights(Struct):
    """Weighted sum of costs."""

    time = Param(0.0, ge=0, doc="weight of the duration [1/s]")
    energy = Param(0.0, ge=0, doc="weight of the work of the drives, each where its power is positive [1/J]")
    effort = Param(
        0.0, ge=0, doc="weight of the integral of the controls' squares over their larger bounds [1/s]"
    )
    squares = MapOf(
        lambda raw, scope, path: Param(ge=0).convert(raw, scope, path),
        "a mapping from signals to weights of the integrals of their squares",
        {},
        doc="weights of the integrals of squared signals, by signal [SI]",
    )

    @property
    def running(self) -> bool:
        """True if something beside the duration counts."""
        return bool(self.effort or self.energy or any(self.squares.values()))


class Least(Param):
    """Cost: `time`, `energy`, `effort`, or a weighted sum."""

    kind = "cost"

    def convert(self, raw: object, scope: Scope, path: str) -> Weights:
        if isinstance(raw, str):
            word = Choice(COSTS[0], COSTS).convert(raw, scope, path)
            return Sub(Weights).group({str(word): 1}, scope, path)
        return Sub(Weights).group(raw, scope, path)

    def expected(self) -> str:
        return "time, energy, effort or {time, energy, effort, squares}"


class RunStart(Struct):
    """Run at which a search begins."""

    run = Text(doc="a netlist, which is run by its own settings, or a file of results")
    set = changes({}, doc="changes of that netlist")
    vars()["from"] = Param(
        0.0, "s", ge=0, doc="time of the run at which the motion begins"
    )  # a word of Python
    to = Param(None, "s", gt=0, doc="time of the run at which the motion ends; its end if left out")
    controls = MapOf(
        lambda raw, scope, path: Text().convert(raw, scope, path),
        "a mapping from controls to signals of the run, {force: drive.effort}",
        {},
        doc="signals of the run that are the controls, by control; those of their names if left out",
    )


class WarmStart(Param):
    """Initial guess of a search: a file of an earlier plan, or a run."""

    kind = "warm start"

    def convert(self, raw: object, scope: Scope, path: str) -> str | RunStart:
        if isinstance(raw, dict):
            return Sub(RunStart).group(raw, scope, path)
        return str(Text("").convert(raw, scope, path))

    def expected(self) -> str:
        return "a file of an earlier plan (.json), or {run, from, to, controls}"


class PlanSettings(Struct):
    """`plan:`"""

    controls = records(Bounds, empty=False, doc="inputs of the netlist that are chosen, with their bounds")
    parameters = records(
        Bounds, {}, doc="inputs of the netlist that are constant over the motion, and chosen too"
    )
    interpolation = Choice(
        None, INTERPOLATIONS, doc="controls between the grid's times; constant for least time, else linear"
    )
    intervals = Integer(INTERVALS, ge=2, le=1000, doc="number of intervals of the grid")
    duration = FixedOrFree(doc="duration of the motion, or its bounds; free if left out")
    start = Ends(doc="signals or states that differ from the model's start")
    end = Ends(doc="values of signals or states at the end; at_rest: true for all rates zero")
    limits = records(Bounds, {}, doc="limits of signals or states over the whole motion")
    keep_clear = SubList(KeepClear, doc="least distances between shapes: {of, from, by}")
    guess = Ends(
        doc="values that the first guess has half-way: round an obstacle, say; the plan need not have them"
    )
    least = Least(
        "time", doc="cost: time, energy, effort, or {time, energy, effort, squares: {signal: weight}}"
    )
    cases = named_changes(None, doc="changes of the model by name: one motion for all of them")
    warm_start = WarmStart(
        "", doc="where the search begins: a file of an earlier plan (.json), or a run: {run, controls}"
    )
    iterations = Integer(1000, ge=1, doc="most iterations of one solve")
    tolerance = Param(
        TOLERANCE,
        gt=0,
        le=1e-3,
        doc="error of the optimality conditions, over the sizes of cost and variables, at which it ends",
    )
    flights = named_changes(
        None, doc="changes of the model by name: the motion is flown there too, and the difference is told"
    )


class PlanFile(Struct):
    """A whole plan file."""

    luff = Integer(ge=1, le=1, doc="version of the format")
    name = Text("", doc="heading")
    doc = Text("", doc="purpose of the motion")
    model = Text(doc="a netlist: a file, ./crane.yaml, or the name of one in the library")
    set = changes({}, doc="changes of the model")
    plan = Sub(PlanSettings, None, doc="the best motion")


def bounds_of(entry: Bounds) -> Mapping[str, Limit.Value]:
    """Given bounds of an entry by the words `lower` and `upper`."""
    return {word: value for word in ("lower", "upper") if (value := getattr(entry, word)) is not None}
