"""The entries of a study file, declared like a block's parameters."""

from __future__ import annotations

from typing import Any

from ...blocks.errors import LuffError
from ...blocks.params import (
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
    shown,
)

METRICS = (
    "final", "initial", "maximum", "minimum", "mean", "peak", "range", "rms", "decay_rate",
    "tracking_rms", "tracking_peak", "contour_rms", "contour_peak", "quality",
)  # fmt: skip
TRACKING = tuple(name for name in METRICS if name.startswith(("tracking", "contour")))
DISTRIBUTIONS = ("uniform", "log_uniform", "normal", "choice")


class Changes(Param):
    """What a variant changes: raw values by path, `{king.mass: 9 t}`, as `--set` takes them."""

    kind = "changes"

    def convert(self, raw: Any, scope: Scope, path: str) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise fail(path, f"found {shown(raw)}, expected {self.expected()}")
        return raw

    def expected(self) -> str:
        return "a mapping from paths to values, {king.mass: 9 t}"


class Axes(Param):
    """The axes of a grid: values of one path, or named changes."""

    kind = "axes"

    def convert(self, raw: Any, scope: Scope, path: str) -> dict[str, Any]:
        if not isinstance(raw, dict) or not raw:
            raise fail(path, f"found {shown(raw)}, expected {self.expected()}")
        for name, axis in raw.items():
            if not isinstance(axis, dict | list) or not axis:
                found = f"{path}.{name}"
                raise fail(
                    found, f"found {shown(axis)}, expected a list of values, or a mapping of named changes"
                )
            if isinstance(axis, dict):
                for key, changes in axis.items():
                    Changes().convert(changes, scope, f"{path}.{name}.{key}")
        return raw

    def expected(self) -> str:
        return "a mapping from axes to their values"


class NamedChanges(Param):
    """Variants one by one: their names, and what each changes."""

    kind = "named changes"

    def convert(self, raw: Any, scope: Scope, path: str) -> dict[str, Any]:
        if not isinstance(raw, dict) or not raw:
            raise fail(path, f"found {shown(raw)}, expected {self.expected()}")
        return {name: Changes().convert(changes, scope, f"{path}.{name}") for name, changes in raw.items()}

    def expected(self) -> str:
        return "a mapping from names of variants to their changes"


class Draws(Param):
    """Random values: a path, and the distribution that its value comes from."""

    kind = "draws"

    def convert(self, raw: Any, scope: Scope, path: str) -> dict[str, Any]:
        if not isinstance(raw, dict) or not raw:
            raise fail(path, f"found {shown(raw)}, expected {self.expected()}")
        return {name: self._draw(entry, scope, f"{path}.{name}") for name, entry in raw.items()}

    def _draw(self, raw: Any, scope: Scope, path: str) -> tuple[str, Any]:
        known = ", ".join(DISTRIBUTIONS)
        if not isinstance(raw, dict) or len(raw) != 1 or next(iter(raw)) not in DISTRIBUTIONS:
            raise fail(
                path, f"found {shown(raw)}, expected one of {known}", "for example {uniform: [80 kg, 120 kg]}"
            )
        ((law, values),) = raw.items()
        if not isinstance(values, list) or not values or (law != "choice" and len(values) != 2):
            many = "a list" if law == "choice" else "two numbers"
            raise fail(path, f"found {shown(values)}, expected {many}")
        if law == "choice":
            return law, values
        try:
            low, high = (scope.quantity(value) for value in values)
        except LuffError as error:
            raise LuffError(problem.at(path=path) for problem in error.problems) from None
        if None not in (low.dimension, high.dimension) and low.dimension != high.dimension:
            raise fail(path, f"found {shown(values)}, expected two numbers of one unit")
        if law == "log_uniform" and min(low.value, high.value) <= 0.0:
            raise fail(path, f"found {shown(values)}, expected two positive numbers")
        if law == "normal" and high.value < 0.0:
            raise fail(
                path, f"found {shown(values)}, expected a mean and a standard deviation that is not negative"
            )
        return law, (low.value, high.value)

    def expected(self) -> str:
        return "a mapping from paths to {uniform: [low, high]}, {normal: [mean, deviation]}, ..."


class RandomSettings(Struct):
    """`variants: {random: ...}`"""

    count: int = Integer(ge=1, le=100_000, doc="how many variants")  # type: ignore
    seed: int = Integer(0, ge=0, doc="the same seed draws the same numbers, whatever the count")  # type: ignore
    draw: dict[str, Any] = Draws(doc="distributions by path; plain numbers are SI")  # type: ignore


class VariantSettings(Struct):
    """`variants:`"""

    grid: dict[str, Any] | None = Axes(None, doc="every combination of the values of its axes")  # type: ignore
    list: dict[str, Any] | None = NamedChanges(None, doc="variants by name")  # type: ignore
    random: RandomSettings | None = Sub(RandomSettings, None, doc="variants with random values")  # type: ignore


class Measure(Struct):
    """One number of a run: a column of a table, or a bar."""

    title: str = Text("", doc="heading; metric and signal if left out")  # type: ignore
    metric: str = Choice("rms", METRICS, doc="what is measured")  # type: ignore
    of: str = Text(doc="a signal, of a vector its magnitude; or an entry of the quality report")  # type: ignore
    target: str = Text("", doc="tracking and contour errors: where it should be")  # type: ignore
    component: int | None = Integer(None, ge=0, doc="of a tracking error; its magnitude if left out")  # type: ignore
    start: float = Param(0.0, "s", doc="measured from here")  # type: ignore
    stop: float | None = Param(None, "s", doc="to here")  # type: ignore
    unit: str = Text("", doc="unit to show")  # type: ignore


class TableSettings(Struct):
    """One entry of `tables:`; a row for each variant."""

    title: str = Text(doc="heading")  # type: ignore
    variants: tuple[str, ...] = Names(("*",), doc="names or globs of variants")  # type: ignore
    columns: tuple[Measure, ...] = SubList(Measure, doc="what is measured")  # type: ignore


class BarSettings(TableSettings):
    """One entry of `bars:`; a group of bars for each column, a bar for each variant."""

    log: bool = Flag(False, doc="logarithmic axis")  # type: ignore


class ReferenceSettings(Struct):
    """`reference:` of a plot"""

    x: str = Text("time", doc="signal along the horizontal axis")  # type: ignore
    y: tuple[str, ...] = Names(doc="signals; globs too")  # type: ignore


class OverlaySettings(Struct):
    """One entry of `plots:`; a line for each variant and signal."""

    title: str = Text(doc="heading")  # type: ignore
    variants: tuple[str, ...] = Names(("*",), doc="names or globs of variants")  # type: ignore
    x: str = Text("time", doc="signal along the horizontal axis")  # type: ignore
    y: tuple[str, ...] = Names(doc="signals; globs too")  # type: ignore
    reference: ReferenceSettings | None = Sub(  # type: ignore
        ReferenceSettings, None, doc="what is the same in all variants, drawn once"
    )
    magnitude: bool = Flag(False, doc="of vectors, draw the magnitude")  # type: ignore
    log: bool = Flag(False, doc="logarithmic axis")  # type: ignore
    start: float | None = Param(None, "s", doc="drawn from here")  # type: ignore
    stop: float | None = Param(None, "s", doc="to here")  # type: ignore


class StudySettings(Struct):
    """A whole study file."""

    luff: int = Integer(ge=1, le=1, doc="version of the format")  # type: ignore
    name: str = Text("", doc="heading")  # type: ignore
    doc: str = Text("", doc="what is studied, for its report")  # type: ignore
    model: str = Text(doc="a netlist: a file, ./crane.yaml, or the name of one in the library")  # type: ignore
    set: dict[str, Any] = Changes({}, doc="changes for all variants")  # type: ignore
    variants: VariantSettings = Sub(VariantSettings, {}, doc="grid, list, random")  # type: ignore
    record: tuple[str, ...] = Names(("*",), doc="signals that are kept of each run")  # type: ignore
    tables: tuple[TableSettings, ...] = SubList(TableSettings, doc="numbers by variant")  # type: ignore
    plots: tuple[OverlaySettings, ...] = SubList(OverlaySettings, doc="curves of several variants")  # type: ignore
    bars: tuple[BarSettings, ...] = SubList(BarSettings, doc="bar charts")  # type: ignore
