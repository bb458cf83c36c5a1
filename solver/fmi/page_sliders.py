"""Sliders of a page, and the effect of each on the model.

A page cannot compile, assemble or solve for an equilibrium. A parameter is live where all that follows from it does so
in a straight line, over the whole range of its slider: it acts at once, as in an FMU. Where the start follows, or a
number that is no straight line, the model is compiled for some values of the range, and each of them is a start that
the page may choose. What changes the structure is fixed, and says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.params import Param
from ...blocks.text.quantity import in_unit, quantity, unit, written_unit
from ..program.started_program import Started
from ..simulation.simulation import Simulation
from .exported_model import ExportedModel
from .fmu_inputs import Input
from .fmu_variables import AffineTarget, Parameter, affine_targets, nonlinear_places

INPUT, LIVE, START, FIXED = "input", "live", "start", "fixed"
SPAN = 0.5  # of a value, to each side, where no range is asked for
STARTS = 4  # compiled values to each side of the given one
TRIES = 4  # halves of a range that holds values which are refused
INSIDE = 0.37  # of the range: where a straight line is looked at once more


@dataclass
class SliderStart:
    """A run that begins with another value: words of the image that differ."""

    value: float
    sim: Simulation
    at: np.ndarray
    words: np.ndarray


@dataclass
class Slider:
    """Numbers are in the unit that is shown; `factor` makes them SI."""

    name: str
    unit: str
    factor: float
    value: float
    low: float
    high: float
    kind: str = FIXED
    why: str = ""  # it is fixed
    doc: str = ""
    reaches: list[AffineTarget] = field(default_factory=list)
    ends: list[Simulation] = field(default_factory=list)  # the model at the ends of the range
    starts: list[SliderStart] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)  # live ones that go back while this one is moved
    whole: bool = False  # a number of something, or of a row of chance

    @property
    def parameter(self) -> Parameter:
        low, high = sorted((self.low * self.factor, self.high * self.factor))
        param = Param(unit=self.unit, ge=low, le=high, doc=self.doc)
        return Parameter(self.name, self.value * self.factor, param, self.reaches)

    def written(self, value: float) -> str:
        return str(round(value)) if self.whole else f"{value!r} {self.unit}".strip()


Ends = tuple[str, str] | None


def named_ranges(asked: Sequence[str]) -> dict[str, Ends]:
    """Ranges by name, of NAME or NAME=LOW..HIGH."""
    return dict(_range(one) for one in asked)


def sliders(sim: Simulation, ranges: Mapping[str, Ends]) -> list[Slider]:
    """Sliders of the numbers in `parameters:`, and of the parameters that `ranges` names."""
    names = [name for name, raw in sim.diagram.parameters.items() if name in ranges or _plain(raw)]
    others = [name for name in ranges if name not in names]
    sliders = [_slider(sim, name, ranges.get(name)) for name in [*names, *others]]
    for one in sliders:
        _classify(sim, one, asked=one.name in ranges)
    _fix_products(sim, [one for one in sliders if one.kind == LIVE])
    return sliders


def input_sliders(inputs: Sequence[Input], ranges: Mapping[str, Ends]) -> list[Slider]:
    sliders = []
    for one in inputs:
        low, high = _range_about(one.default)
        if text := ranges.get(one.name):
            low, high = (in_unit(quantity(end), one.unit, end) for end in text)
        sliders.append(Slider(one.name, one.unit, 1.0, one.default, low, high, INPUT, doc=one.doc))
    return sliders


# --- ranges ----------------------------------------------------------------------------------------------------------


def _plain(raw: object) -> bool:
    """A number, not an expression."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return False
    return not (isinstance(raw, str) and raw.strip().startswith("="))


def _range(text: str) -> tuple[str, Ends]:
    name, sign, rest = (part.strip() for part in text.partition("="))
    if not sign:
        return name, None
    low, dots, high = (part.strip() for part in rest.partition(".."))
    if not dots or not low or not high:
        raise LuffError(f'found "{rest}", expected LOW..HIGH', path=f"--slider {name}", fix=f"{name}=1..5")
    return name, (low, high)


def _range_about(value: float) -> tuple[float, float]:
    if value == 0.0:
        return -1.0, 1.0
    low, high = sorted(((1 - SPAN) * value, (1 + SPAN) * value))
    return low, high


def _slider(sim: Simulation, name: str, ends: Ends) -> Slider:
    raw, dimension, doc = _raw_value(sim, name)
    shown = written_unit(raw) if isinstance(raw, str) else ""
    if ends:
        shown = written_unit(ends[1]) or written_unit(ends[0]) or shown or dimension
    factor = float(unit(shown).factor) if shown else 1.0
    scope = Scope(sim.diagram.parameters)
    try:
        told = isinstance(raw, str) and written_unit(raw) == shown
        value = scope.number(raw, shown) if told else scope.quantity(raw).value / factor
        value = float(f"{value:.12g}")  # 30 deg, not 29.999999999999996
        low, high = _range_about(value)
        if ends:
            low, high = ((scope.number(end, shown) if written_unit(end) else float(end)) for end in ends)
    except (LuffError, ValueError) as error:
        raise LuffError(str(error), path=f"--slider {name}") from None
    if not low <= value <= high or low == high:
        mistake = f"found the range {low:g}..{high:g}, which does not hold {value:g}, the value of the model"
        raise LuffError(mistake, path=f"--slider {name}")
    return Slider(name, shown, factor, value, low, high, doc=doc)


def _raw_value(sim: Simulation, name: str) -> tuple[object, str, str]:
    """Value as it is given, SI unit, what it is."""
    if name in sim.overrides:
        return sim.overrides[name], "", ""
    if name in sim.diagram.parameters:
        return sim.diagram.parameters[name], "", _comment(sim.diagram.to_yaml(), name)
    owner, _, key = name.rpartition(".")
    blocks = sim.program.flat.blocks
    block = blocks.get(owner)
    if block is None:
        fix = did_you_mean(name, [*sim.diagram.parameters, *sim.inputs, *blocks])
        raise LuffError("there is no such parameter or input", path=f"--slider {name}", fix=fix)
    param, value = block.params.get(key), block.values.get(key)
    if param is None or isinstance(value, bool) or not isinstance(value, int | float):
        fix = did_you_mean(key, [k for k, v in block.values.items() if isinstance(v, float)], listed=True)
        raise LuffError(f'{owner} has no number "{key}"', path=f"--slider {name}", fix=fix)
    return f"{value!r} {param.unit}".strip(), param.unit, param.doc


def _comment(text: str, name: str) -> str:
    """Comment behind a parameter in the netlist."""
    section = re.search(r"^parameters:.*\n((?:[ \t].*\n|\n|#.*\n)*)", text, re.MULTILINE)
    line = (
        re.search(rf"^[ \t]+{re.escape(name)}:[^#\n]*#[ \t]*(.*)$", section[1], re.MULTILINE)
        if section
        else None
    )
    return line[1].strip() if line else ""


# --- what a change does ----------------------------------------------------------------------------------------------


def _with_changes(sim: Simulation, changes: Mapping[str, object]) -> Simulation:
    return Simulation(sim.diagram, {**sim.overrides, **changes})


def _classify(sim: Simulation, one: Slider, asked: bool) -> None:
    ends, told = _models_at_ends(sim, one, asked)
    if len(ends) < 2 and not asked and not one.unit and one.value.is_integer():
        one.whole, one.low, one.high = True, one.value - STARTS, one.value + STARTS
        ends, _ = _models_at_ends(sim, one, asked)
    if len(ends) < 2:
        one.why = told or "a change of it is refused"
        return
    if not all(sim.program.like(end.program) for end in ends.values()):
        one.why = "a change of it is a change of the model's structure"
        return
    moved = dict(ends)
    inside = one.low + INSIDE * (one.high - one.low)
    middle = "" if one.whole else _model_with(sim, one, inside)
    if isinstance(middle, Simulation):
        moved = {inside: middle, **ends}
        si = {value * one.factor: made.program for value, made in moved.items() if value != one.value}
        one.reaches = affine_targets(sim.program, one.value * one.factor, si)
    if not one.reaches and all(_same(sim.program, made.program) for made in moved.values()):
        one.why = "no result of this model depends on it"
        return
    one.kind, one.ends = (LIVE if one.reaches else START), list(ends.values())


def _models_at_ends(sim: Simulation, one: Slider, asked: bool) -> tuple[dict[float, Simulation], str]:
    """The model at both ends of the range, moved inwards as far as they are refused; and what was said to that."""
    ends, told = {}, ""
    for end in ("low", "high"):
        wanted = getattr(one, end)
        for k in range(1 if asked else TRIES):
            value = one.value + (wanted - one.value) * 0.5**k
            value = float(round(value)) if one.whole else value
            made = _model_with(sim, one, value)
            if isinstance(made, Simulation):
                setattr(one, end, value)
                ends[value] = made
                break
            told = told or made
            if asked:
                raise LuffError(made, path=f"--slider {one.name}")
    return ends, told


def _same(a: Started, b: Started) -> bool:
    return (
        bool(np.array_equal(a.work_space, b.work_space, equal_nan=True))
        and np.array_equal(a.x0, b.x0)
        and all(
            np.array_equal(getattr(a.model, name), getattr(b.model, name), equal_nan=True)
            if getattr(a.model, name).dtype == np.float64
            else np.array_equal(getattr(a.model, name), getattr(b.model, name))
            for name in a.model._fields
        )
    )


def _model_with(sim: Simulation, one: Slider, value: float) -> Simulation | str:
    """The model with another value, or why there is none."""
    try:
        return _with_changes(sim, {one.name: one.written(value)})
    except LuffError as error:
        return error.problems[0].message


def _fix_products(sim: Simulation, live: list[Slider]) -> None:
    """Live ones that act together other than in a sum: the first of them stays live, the others begin a run anew."""
    while [one for one in live if one.kind == LIVE]:
        now = [one for one in live if one.kind == LIVE]
        values = {one.name: one.high if one.high != one.value else one.low for one in now}
        try:
            moved = _with_changes(sim, {one.name: one.written(values[one.name]) for one in now}).program
            si = {one.name: values[one.name] * one.factor for one in now}
            wrong = nonlinear_places(sim.program, moved, [one.parameter for one in now], si)
        except LuffError:
            wrong = None
        if wrong == []:
            return
        last = now[1:]
        if wrong:
            last = [one for key in wrong for one in now if key in {(r.array, r.place) for r in one.reaches}][
                1:
            ]
        if not last:
            return
        last[-1].kind, last[-1].reaches = START, []


# --- starts ----------------------------------------------------------------------------------------------------------


def add_slider_starts(model: ExportedModel, sliders: Sequence[Slider]) -> None:
    """Add the images of the model at some values of each slider that needs a start of its own."""
    live = [one for one in sliders if one.kind == LIVE]
    for one in sliders:
        if one.kind != START:
            continue
        for value in _values(one):
            made = _model_with(model.sim, one, value)
            start = _start(model, value, made) if isinstance(made, Simulation) else None
            if start is not None:
                one.starts.append(start)
        if not one.starts:
            one.kind, one.why = FIXED, "a change of it is a change of the model's structure"
            continue
        one.low = min(one.value, *(start.value for start in one.starts))
        one.high = max(one.value, *(start.value for start in one.starts))
        one.ends = [_with_changes(model.sim, {one.name: one.written(end)}) for end in (one.low, one.high)]
        one.apart = _interacting_sliders(model, one, live)


def _values(one: Slider) -> list[float]:
    if one.whole:
        return [value for value in np.arange(one.low, one.high + 1.0).tolist() if value != one.value]
    sides = [np.linspace(one.value, end, STARTS + 1)[1:] for end in (one.low, one.high) if end != one.value]
    values = np.unique(np.concatenate(sides))
    step = 10.0 ** np.floor(np.log10((one.high - one.low) / (4 * STARTS)))
    return sorted({float(f"{round(value / step) * step:.12g}") for value in values} - {one.value})


def _start(model: ExportedModel, value: float, sim: Simulation) -> SliderStart | None:
    other = ExportedModel(model.diagram, sim.overrides, model.given, lambda _: model.parameters)
    if not model.image.fits(other.image):
        return None
    here, there = model.image.plain, other.image.plain
    at = np.flatnonzero(here != there)
    return SliderStart(value, sim, at, there[at])


def _interacting_sliders(model: ExportedModel, one: Slider, live: Sequence[Slider]) -> list[str]:
    """Live sliders whose words are not what they were made of, with this one moved."""
    if not live:
        return []
    touched = {int(at) for start in one.starts for at in start.at}
    shared = [
        other.name
        for other in live
        if touched & {model.word(reach.array, reach.place) for reach in other.reaches}
    ]
    rest = [other for other in live if other.name not in shared]
    if not rest:
        return shared
    start = one.starts[-1]
    values = {other.name: other.high if other.high != other.value else other.low for other in rest}
    try:
        moved = _with_changes(start.sim, {other.name: other.written(values[other.name]) for other in rest})
        si = {other.name: values[other.name] * other.factor for other in rest}
        wrong = nonlinear_places(start.sim.program, moved.program, [other.parameter for other in rest], si)
    except LuffError:
        wrong = None
    return shared if wrong == [] else [other.name for other in live]
