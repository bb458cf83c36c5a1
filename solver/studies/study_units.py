"""Units of a study's measures, checked on the model before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...blocks.errors import LuffError, Problem
from ...blocks.text.quantity import unit as unit_of
from ..flatten.flatten import Flat
from ..results.recorded_run import signal_of
from .run_measures import OWN_UNIT
from .study_settings import Measure, Requirement


def wrong_units(
    measures: Iterable[tuple[str, Measure]], unit_of_signal: Callable[[str], str | None]
) -> Iterator[Problem]:
    """Measures and requirements, by their places, in units that what they measure cannot have."""
    for path, measure in measures:
        has = OWN_UNIT.get(measure.metric, unit_of_signal(measure.of))
        if measure.metric == "quality" or has is None:
            continue
        dimension = unit_of(has).dimension
        if measure.unit and _dimension(measure.unit) not in (dimension, None):
            mistake = f"found the unit {measure.unit} for {measure.of}, which is in {has or 'no unit'}"
            yield Problem(mistake, f"{path}.unit", "leave it out, or take one that measures the same")
        for name in ("below", "above") if isinstance(measure, Requirement) else ():
            limit = getattr(measure, name)
            if limit is not None and limit.dimension not in (None, dimension):
                mistake = f"found {limit.text} for {measure.of}, which is in {has or 'no unit'}"
                yield Problem(mistake, f"{path}.{name}", "a number without a unit is in that of the signal")


def _dimension(text: str) -> object:
    try:
        return unit_of(text).dimension
    except LuffError:
        return None  # told where it is read


def signal_unit(flat: Flat, name: str) -> str | None:
    """The unit of a signal; None where it is not known without compiling."""
    signal = signal_of(name)
    ref = flat.outputs.get(signal)
    block_name, _, port_name = (str(ref) if ref else signal).rpartition(".")
    if not ref and "." not in signal:
        block_name, port_name = "inputs", signal
    block = flat.blocks.get(block_name)
    port = block.ports().get(port_name) if block is not None else None
    if port is None or port.acausal:
        return None
    return port.unit if port.unit is not None else flat.units.get((block_name, port_name))
