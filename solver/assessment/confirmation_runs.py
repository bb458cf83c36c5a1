"""Confirmation runs at 1.02 and 0.98 of the rated loads of a chart, with the same checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError
from ..analysis.confirmation import Confirmation
from ..batch.study_lanes import LaneResults
from ..results.recorded_run import Floats, RecordedRun
from ..results.result import Result
from ..simulation.parameters import started_by_form
from ..simulation.simulation import Simulation
from ..studies.value_ranges import unit_scale
from .assessment_file import Assessment, watched
from .feet_slip import LEFT, feet_slip
from .load_capacity import ChartPoint, LoadOutcome, limit_excess, seen

SHARES = (0.98, 1.02)
LEAST, FALL = 1.0, 10.0  # [s] at least: of a run that begins at rest, and of one that has no rest to begin at
SETTLED = 0.2  # last share of such a run, in which it is judged


class RatedLoads(Protocol):
    """A load chart (`chart_table.Chart`), as far as runs beside its loads ask for it."""

    load: str
    axes: dict[str, list[object]]
    rated: NDArray[np.float64]
    limits: NDArray[np.str_]
    kinds: NDArray[np.str_]
    margin: float
    dynamic: bool
    unit: str
    gust: float

    def places(self) -> Iterable[tuple[tuple[int, ...], tuple[object, ...]]]:
        """Index and axis values of each place."""
        ...


def confirmations(chart: RatedLoads, assessment: Assessment) -> Iterator[Confirmation]:
    """Two runs beside each load that was found, and one of the least load where none is borne."""
    diagram = assessment.study.diagram()
    for k, at in chart.places():
        kind, raw = str(chart.kinds[k]), float(chart.rated[k]) * chart.margin * chart.gust
        if kind not in ("rated", "range"):
            continue
        place = dict(zip(chart.axes, at, strict=True))
        point = ChartPoint(assessment, diagram, chart.load, place, chart.dynamic, LaneResults(0))
        for share in SHARES if kind == "rated" else SHARES[:1]:
            load = share * raw
            one = point(load) if chart.dynamic else flown(point, load)
            words = one.falls or one.unknown or (f"{one.broken} is beyond its limit" if one.broken else "")
            agrees = None if one.unknown else one.holds == (share < 1.0)
            where = ", ".join(f"{name} {value}" for name, value in place.items())
            value = f"{load / unit_scale(chart.unit):.5g} {chart.unit}".strip()
            expected = "holds" if share < 1.0 else f"{chart.limits[k]} is beyond its limit"
            yield Confirmation(where, value, expected, words or "holds", agrees)


def flown(point: ChartPoint, load: float) -> LoadOutcome:
    """A run under a load, judged by the point's checks: from rest, over all of it; where no rest is found, from the
    model's own start until it has fallen or come to rest, over the last of it.

    Such a start shakes the feet: what slips then is a fall only if a foot has left its place (`feet_slip.AWAY`).
    """
    try:
        sim, least, last = point.still(load), LEAST, 1.0
    except LuffError:
        sim, least, last = None, FALL, SETTLED
    try:
        if sim is None:
            sim = Simulation(
                point.diagram, {**point.changes(load), "initial.solve": "assemble"}, started_by_form
            )
        every = sim.settings.output_step or sim.settings.step
        stop = max(sim.settings.stop, every * round(least / every))
        result = sim.record(sim.start(stop=stop, watched=watched(point.assessment)))
        kept = later(result, (1.0 - last) * float(result.time[-1]))
        one = seen(limit_excess(point.assessment, "", kept))
        slip = feet_slip(point.assessment, kept) if last < 1.0 and one.holds else None
        return LoadOutcome(falls=LEFT) if slip is not None and slip.left else one
    except LuffError as error:
        return LoadOutcome(unknown="; ".join(problem.message for problem in error.problems))


def later(result: Result, start: float) -> Result:
    """The rows, and the steps, from a time on."""

    def cut(one: RecordedRun) -> tuple[Floats, Sequence[str], Floats, Mapping[str, str]]:
        rows = one.time >= start
        return one.time[rows], one.columns, one.table[rows], one.units

    return Result(*cut(result), traces=[RecordedRun(*cut(trace)) for trace in result.traces])
