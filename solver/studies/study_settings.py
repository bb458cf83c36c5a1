"""The entries of a study file, declared like a block's parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...blocks.errors import LuffError
from ...blocks.params import (
    REQUIRED,
    Choice,
    Flag,
    Integer,
    Names,
    Param,
    Scope,
    Struct,
    Sub,
    SubList,
    Text,
    fail,
    shown_value,
)
from ...blocks.signals.rainflow import Woehler
from ...blocks.text.quantity import Dimension
from .distributions import read_distribution
from .sections import MapOf
from .value_ranges import WAYS, is_range, values_of

METRICS = (
    "final", "initial", "maximum", "minimum", "mean", "peak", "range", "rms", "decay_rate",
    "tracking_rms", "tracking_peak", "contour_rms", "contour_peak", "quality",
    "ratio", "count", "time_above", "first_time", "change", "damage", "rainflow_equivalent",
    "overshoot", "rise_time", "settling_time", "steady_error", "band", "path",
    "vibration_rms", "vibration_peak",
)  # fmt: skip
TRACKING = tuple(name for name in METRICS if name.startswith(("tracking", "contour")))
LEVELS = ("count", "time_above", "first_time")  # those that ask when a signal is above a level
STEPS = ("overshoot", "rise_time", "settling_time", "steady_error", "band")  # of a step response
CYCLES = ("damage", "rainflow_equivalent")
VIBRATIONS = ("vibration_rms", "vibration_peak")  # of what is faster than a frequency
# those that what happens between two rows may change, and that come from every step
EXTREMES = ("maximum", "minimum", "peak", "range", *LEVELS, *STEPS, *CYCLES)
PLAIN = ("final", "initial", "maximum", "minimum", "mean", "peak", "range", "rms")
SAMPLINGS = ("random", "latin_hypercube", "sobol", "saltelli")


CHANGED = "a mapping from paths to values, {king.mass: 9 t}"


def _raw_entry(raw: object, scope: Scope, path: str) -> object:
    return raw


def changes(default: object = REQUIRED, *, doc: str = "") -> MapOf:
    """Changes of a variant: raw values by path, `{king.mass: 9 t}`, as `--set` takes them."""
    return MapOf(_raw_entry, CHANGED, default, doc=doc)


def _axis(axis: object, scope: Scope, path: str) -> object:
    """Values of one path, a range or one by one, or named changes."""
    if isinstance(axis, str) and is_range(axis):
        return values_of(axis, path)
    if not isinstance(axis, dict | list) or not axis:
        expected = f"a list of values, {WAYS}, or a mapping of named changes"
        raise fail(path, f"found {shown_value(axis)}, expected {expected}")
    if isinstance(axis, dict):
        named_changes().convert(axis, scope, path)
    return axis


def named_changes(default: object = REQUIRED, *, doc: str = "") -> MapOf:
    """Variants one by one: their names, and what each changes."""
    words = "a mapping from names of variants to their changes"
    return MapOf(changes().convert, words, default, empty=False, doc=doc)


class CorrelationSettings(Struct):
    """Entry of `correlate:`."""

    of = Names(doc="two paths that are drawn by normal or lognormal")
    coefficient = Param(0.0, ge=-1.0, le=1.0, doc="correlation; of lognormal draws, that of their logarithms")


class RandomSettings(Struct):
    """`variants: {random: ...}`"""

    count = Integer(ge=1, le=100_000, doc="how many variants; of saltelli, how many points")
    seed = Integer(0, ge=0, doc="the same seed draws the same numbers")
    sampling = Choice(
        "random",
        SAMPLINGS,
        doc="independent draws, stratified ones, a Sobol sequence, or pairs of points for sensitivity indices",
    )
    draw = MapOf(
        read_distribution,
        "a mapping from paths to {uniform: [low, high]}, {normal: [mean, deviation]}, ...",
        empty=False,
        doc="distributions by path; plain numbers are SI",
    )
    correlate = SubList(CorrelationSettings, doc="correlations of pairs")


class VariantSettings(Struct):
    """`variants:`"""

    grid = MapOf(
        _axis,
        "a mapping from axes to their values",
        None,
        empty=False,
        doc="every combination of the values of its axes",
    )
    list = named_changes(None, doc="variants by name")
    random = Sub(RandomSettings, None, doc="variants with random values")


class Limit(Param):
    """A bound of a requirement: a quantity, or a number in the unit that the measure shows."""

    kind = "limit"

    class Value(NamedTuple):
        value: float
        dimension: Dimension | None
        text: str

    def convert(self, raw: object, scope: Scope, path: str) -> Limit.Value:
        try:
            quantity = scope.quantity(raw)
        except LuffError as error:
            raise LuffError(problem.at(path=path) for problem in error.problems) from None
        return Limit.Value(quantity.value, quantity.dimension, str(raw))

    def expected(self) -> str:
        return "a quantity, 5 deg"


class Denominator(Struct):
    """Measure that a `ratio` is divided by."""

    metric = Choice("initial", PLAIN, doc="what is measured")
    of = Text("", doc="a signal; that of the measure if left out")
    start = Param(0.0, "s", doc="measured from here")
    stop = Param(None, "s", doc="to here")


class Measure(Struct):
    """Measure: a number of a run, as a column of a table or a bar."""

    title = Text("", doc="heading; metric and signal if left out")
    metric = Choice("rms", METRICS, doc="what is measured")
    of = Text(doc="a signal, of a vector its magnitude; or an entry of the quality report")
    target = Text("", doc="tracking and contour errors: where it should be")
    component = Integer(None, ge=0, doc="of a tracking error; its magnitude if left out")
    start = Param(0.0, "s", doc="measured from here")
    stop = Param(None, "s", doc="to here")
    unit = Text("", doc="unit to show")
    by = Choice("maximum", PLAIN, doc="of a ratio: what is measured of the signal")
    over = Sub(Denominator, None, doc="of a ratio: what that is divided by {metric, of, start, stop}")
    level = Limit(None, doc="of count, time_above and first_time: above this, 0 if left out")
    goal = Limit(None, doc="of a step response: where it should end; its last value if left out")
    within = Param(
        2.0, "%", gt=0, lt=100, doc="of settling_time: share of the step that it stays within from then on"
    )
    after_fall = Flag(False, doc="of count: rises count once the signal has been above and fallen")
    fatigue = Sub(Woehler, {}, doc="of damage and rainflow_equivalent: Woehler's line {strength, slope, ...}")
    repeats = Param(
        1.0, gt=0, doc="of damage: how often the run comes; of rainflow_equivalent: in so many cycles"
    )
    faster_than = Param(1.0, "Hz", gt=0, doc="of vibration_rms and vibration_peak: the slowest that counts")

    def further(self) -> list[object]:
        """Values that belong to the measure beside metric, signal and window, as its metric needs them."""
        if self.metric == "ratio":
            over = self.over
            return [self.by, *([over.metric, over.of, over.start, over.stop] if over else [])]
        if self.metric in LEVELS:
            return [self.level and self.level.text, self.after_fall]
        if self.metric in STEPS:
            return [self.goal and self.goal.text, self.within]
        if self.metric in VIBRATIONS:
            return [self.faster_than]
        return [*self.fatigue.law(), self.repeats] if self.metric in CYCLES else []


class TableSettings(Struct):
    """Entry of `tables:`; a row for each variant."""

    title = Text(doc="heading")
    variants = Names(("*",), doc="names or globs of variants")
    columns = SubList(Measure, doc="what is measured")


class BarSettings(TableSettings):
    """Entry of `bars:`; a group of bars for each column, a bar for each variant."""

    log = Flag(False, doc="logarithmic axis")


class ReferenceSettings(Struct):
    """`reference:` of a plot"""

    x = Text("time", doc="signal along the horizontal axis")
    y = Names(doc="signals; globs too")


class OverlaySettings(Struct):
    """Entry of `plots:`; a line for each variant and signal."""

    title = Text(doc="heading")
    variants = Names(("*",), doc="names or globs of variants")
    x = Text("time", doc="signal along the horizontal axis")
    y = Names(doc="signals; globs too")
    reference = Sub(ReferenceSettings, None, doc="what is the same in all variants, drawn once")
    magnitude = Flag(False, doc="of vectors, draw the magnitude")
    log = Flag(False, doc="logarithmic axis")
    start = Param(None, "s", doc="drawn from here")
    stop = Param(None, "s", doc="to here")


class StatisticsSettings(TableSettings):
    """Entry of `statistics:`; a row for each column, over all variants."""

    percentiles = Param((5.0, 50.0, 95.0), "%", shape=(None,), ge=0.0, le=100.0, doc="columns of the table")
    confidence = Param(95.0, "%", gt=0.0, lt=100.0, doc="of the intervals in brackets")


class SensitivitySettings(TableSettings):
    """Entry of `sensitivity:`; first-order and total Sobol indices, of `sampling: saltelli`."""

    confidence = Param(95.0, "%", gt=0.0, lt=100.0, doc="of the intervals in brackets")


class HistogramSettings(TableSettings):
    """Entry of `histograms:`."""

    bins = Integer(None, ge=1, le=1000, doc="by the values if left out")


class PathOrMeasure(Param):
    """Parameter: the path of a changed parameter, or a measure of each run."""

    kind = "path or measure"

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        return (
            Sub(Measure).convert(raw, scope, path)
            if isinstance(raw, dict)
            else Text().convert(raw, scope, path)
        )

    def expected(self) -> str:
        return "a path that the variants change, load_mass, or a measure, {metric: peak, of: sling.alpha}"


class ScatterSettings(TableSettings):
    """Entry of `scatters:`; a point for each variant and column."""

    x = PathOrMeasure(doc="a path that the variants change, or a measure")


class FanSettings(Struct):
    """Entry of `fans:`; percentiles of a signal over time."""

    title = Text(doc="heading")
    variants = Names(("*",), doc="names or globs of variants")
    y = Text(doc="a scalar signal")
    percentiles = Param(
        (5.0, 25.0, 50.0, 75.0, 95.0), "%", shape=(None,), ge=0.0, le=100.0, doc="edges of the bands"
    )
    start = Param(None, "s", doc="drawn from here")
    stop = Param(None, "s", doc="to here")


class Requirement(Measure):
    """Entry of `require:`; the study fails where too few variants meet it."""

    variants = Names(("*",), doc="names or globs of variants")
    below = Limit(None, doc="the number has to be below this")
    above = Limit(None, doc="the number has to be above this")
    share = Param(100.0, "%", ge=0.0, le=100.0, doc="how many of the variants have to meet it")
    confidence = Param(95.0, "%", gt=0.0, lt=100.0, doc="of the interval of the pass rate")


class StudySettings(Struct):
    """A whole study file."""

    luff = Integer(ge=1, le=1, doc="version of the format")
    name = Text("", doc="heading")
    doc = Text("", doc="what is studied, for its report")
    model = Text(doc="a netlist: a file, ./crane.yaml, or the name of one in the library")
    set = changes({}, doc="changes for all variants")
    replay = Text(
        "", doc="what an operator did, as luff run --keep wrote it, beside this file: done again in each run"
    )
    variants = Sub(VariantSettings, {}, doc="grid, list, random")
    record = Names(("*",), doc="signals that are kept of each run")
    require = SubList(Requirement, doc="what numbers of the variants have to be")
    tables = SubList(TableSettings, doc="numbers by variant")
    statistics = SubList(
        StatisticsSettings, doc="means, deviations, percentiles of numbers over all variants"
    )
    sensitivity = SubList(SensitivitySettings, doc="Sobol indices: which input makes a number vary")
    plots = SubList(OverlaySettings, doc="curves of several variants")
    fans = SubList(FanSettings, doc="percentiles of curves over time")
    bars = SubList(BarSettings, doc="bar charts")
    histograms = SubList(HistogramSettings, doc="how often a number has which value")
    scatters = SubList(ScatterSettings, doc="numbers against inputs, or against each other")

    def measures(self) -> list[Measure]:
        """Measures of each run."""
        return [measure for _, measure in self.placed_measures()]

    def placed_measures(self) -> Iterator[tuple[str, Measure]]:
        """Yield the measures with their places in the file."""
        for k, entry in enumerate(self.require):
            yield f"require[{k}]", entry
        for section in ("tables", "statistics", "sensitivity", "bars", "histograms", "scatters"):
            for k, entry in enumerate(getattr(self, section)):
                for j, column in enumerate(entry.columns):
                    yield f"{section}[{k}].columns[{j}]", column
        for k, entry in enumerate(self.scatters):
            if isinstance(entry.x, Measure):
                yield f"scatters[{k}].x", entry.x
