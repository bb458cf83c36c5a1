"""Search of a load chart: the rated capacity over radius, slewing or any parameters, in processes side by side."""

from __future__ import annotations

import itertools
import json
import math
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...blocks.errors import LuffError, NetlistError, Problem, RunError
from ...blocks.expression_scope import Scope
from ...blocks.mechanics.elastic_supports import BaseSupport
from ...blocks.mechanics.section_sensor import SectionSensor
from ...blocks.mechanics.strength_sensor import StrengthSensor
from ..batch.study_lanes import LaneResults
from ..codegen.python_subprocess import python_words, single_threaded_environment
from ..codegen.target_cpu import processors
from ..flatten.diagram import Diagram
from ..flatten.flatten import flatten
from ..flatten.unit_checks import unit_of
from ..netlist import read_value, read_whole
from ..netlist.library_paths import library_path
from ..simulation.script_values import parameter_changes
from ..studies.study_file import find_model
from .assessment_file import Assessment, build_assessment, raw_value
from .chart_table import Chart
from .confirmation_runs import confirmations
from .load_capacity import TRIES, ChartPoint, capacity, effects_left_out
from .seeded_capacity import SeedSample, capacities, seeds_of

MOST = 10_000  # places of a chart: a larger one is refused
LIMIT = re.compile(r"\s*([\w.\[\]]+)\s*([<>])\s*(.+)")


class Answer(NamedTuple):
    """Capacity at a place, and with seeds the ends of its confidence interval."""

    load: float
    limit: str
    evaluations: int
    kind: str
    reason: str
    low: float
    high: float


def limit_from(text: str, path: str = "") -> dict[str, object]:
    """`rope.tension<80kN` as an entry of `limits:`."""
    parts = LIMIT.fullmatch(text)
    if parts is None:
        raise LuffError(Problem(f'found "{text}", expected signal<value', path, "rope.tension<80kN"))
    side, metric = ("below", "maximum") if parts[2] == "<" else ("above", "minimum")
    return {"title": text, "of": parts[1], "metric": metric, side: read_value(parts[3])}


def checks_from(
    path: str | Path,
    changes: Mapping[str, object] | None = None,
    limits: Sequence[Mapping[str, object]] = (),
    allow_code: bool = False,
    files: Iterable[str | Path] = (),
) -> Assessment:
    """The checks of an assessment file; of a netlist, all sensors of stress with an allowable one, and its pads."""
    path = library_path(path)
    document = read_whole(path) if path.suffix in (".yaml", ".yml") else None
    raw = document.data if document is not None else None
    if document is not None and isinstance(raw, dict) and "model" in raw and "blocks" not in raw:
        raw = {"cases": {"as it is": {}}, **raw}
        raw["limits"] = [*raw.get("limits", []), *limits]
        return build_assessment(raw, document, path, changes, allow_code, files)
    model = path if document is not None else find_model(str(path), Path())
    document = document or read_whole(model)
    flat = flatten(Diagram.load(model, allow_code, tuple(map(Path, files))), dict(changes or {}))
    # of several that stand on pads, each tips by itself: one is what `tipping` of an assessment names
    entries: dict[str, object] = {
        "luff": 1,
        "model": f"./{model.name}",
        "cases": {"as it is": {}},
        "limits": [*limits],
        "sections": {
            name: {"sensor": name}
            for name, block in flat.blocks.items()
            if isinstance(block, SectionSensor | StrengthSensor) and block.allowable is not None
        },
    }
    bases = [
        name for name, block in flat.blocks.items() if isinstance(block, BaseSupport) and block.one_sided
    ]
    if bases:
        entries["tipping"] = {"base": bases[0]}
    return build_assessment(entries, document, model, changes, allow_code, files)


def chart(
    path: str | Path | Assessment,
    load: str,
    over: Mapping[str, Sequence[object]],
    lower: object = 0.0,
    upper: object = None,
    margin: float = 1.0,
    limits: Sequence[Mapping[str, object]] = (),
    dynamic: bool = False,
    jobs: int | None = None,
    files: Iterable[str | Path] = (),
    progress: Callable[[int, int], object] | None = None,
    confirm: bool = False,
    gust: float = 1.0,
    seeds: int = 0,
    percentile: float = 90.0,
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> Chart:
    """Rated load over radius, slewing angle or other parameters, as `luff chart` finds it.

    The load is raised from `lower` until the first check reaches its limit, and divided by `margin`. The checks are
    those of an assessment file, or those of a netlist: its section_sensors, its pads and `limits`.

    Parameters
    ----------
    path : str or Path
        An assessment file or a netlist.
    load : str
        The parameter that is the load.
    over : mapping of str to sequence
        Values by parameter, raw as in a netlist; every combination is a place of the chart.
    lower, upper : object, optional
        Range of the load; up to 100 times the model's value by default.
    margin : float, optional
        Divisor of the load at the limit.
    limits : sequence of mapping, optional
        Further limits, as an assessment file has them.
    dynamic : bool, optional
        Decide by the runs of all cases; by default statics decide, with the mean of all winds.
    jobs : int, optional
        Number of processes; one for each processor by default.
    files : iterable of str or Path, optional
        Folders, beside the file's own, that may be read.
    progress : callable, optional
        Called with the number of finished places and of all.
    confirm : bool, optional
        Run the model at 1.02 and 0.98 of each load that was found.
    gust : float, optional
        Gust factor of a wind limit: the load is a wind speed, what acts is a gust of so many times the mean, and the
        chart has the mean.
    seeds : int, optional
        Number of seeds of a random sea or wind; the runs of all cases are made with each of them.
    percentile : float, optional
        Share of the seeds that holds at the rated load [%]. The chart has its 95 % confidence interval.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    Chart
        Rated loads with the limit that governs each.

    Raises
    ------
    LuffError
        Nothing limits the load, nothing is varied, or the file or the model is wrong.

    Examples
    --------
    >>> import luff
    >>> over = {"slewing.start_value": ["180 deg"], "reach": ["8 m", "12 m"]}
    >>> table = luff.chart("library/crane_on_outriggers.yaml", "load", over, lower="0 t", upper="60 t", jobs=1)
    >>> table.kinds.tolist()
    [['rated', 'rated']]
    >>> bool(table.rated[0, 0] > table.rated[0, 1])  # [kg], less at the longer reach
    True
    """
    assessment = (
        path
        if isinstance(path, Assessment)
        else checks_from(path, parameter_changes(set, changes), limits, files=files)
    )
    axes = {name: list(values) for name, values in over.items()}
    orders = _places_of(axes)
    size = len(orders)
    _check_limits(assessment)
    sample = SeedSample(seeds, percentile) if seeds else None
    dynamic = dynamic or sample is not None
    _check_combination(gust, dynamic, sample, confirm)
    bounds = _bounds(assessment, load, lower, upper)
    workers = min(jobs or processors(), size if sample is not None else max(1, size // 8))
    shares = [part.tolist() for part in np.array_split(np.arange(size), workers)]
    head = {
        "path": str(assessment.study.path), "model": str(assessment.study.model),
        "limits": [dict(one) for one in limits],
        "changes": dict(assessment.changes), "load": load, "names": list(axes), "dynamic": dynamic,
        "lower": bounds[0], "upper": bounds[1], "files": [str(one) for one in assessment.study.files],
        "allow_code": assessment.study.allow_code, "seeds": seeds, "percentile": percentile,
    }  # fmt: skip
    if workers == 1:
        count = _progress_counter(progress, size)
        answers = [*solve_places(assessment, load, list(axes), orders, bounds, dynamic, count, sample)]
    else:
        answers = _solve_in_processes(head, orders, shares, progress)
    made = _chart_of(answers, load, axes, margin, dynamic, assessment, gust, sample)
    made.left_out = [] if dynamic else effects_left_out(assessment, gust)
    if confirm:
        made.confirmed = [*confirmations(made, assessment)]
    return made


def _places_of(axes: Mapping[str, list[object]]) -> list[tuple[object, ...]]:
    """Values of the axes at each place of the chart, the last axis fastest."""
    if not axes or not all(axes.values()):
        raise LuffError(Problem("found nothing to vary", "over", "give radius=8,12,16"))
    size = math.prod(len(values) for values in axes.values())
    if size > MOST:
        raise LuffError(Problem(f"found {size} places, expected at most {MOST}", "over"))
    return list(itertools.product(*axes.values()))


def _chart_of(
    answers: Sequence[Answer],
    load: str,
    axes: dict[str, list[object]],
    margin: float,
    dynamic: bool,
    assessment: Assessment,
    gust: float,
    sample: SeedSample | None,
) -> Chart:
    """Chart of the answers of all places, in their order."""
    shape = tuple(len(values) for values in axes.values())
    rated, low, high = (
        np.array([getattr(one, name) for one in answers]).reshape(shape) / (margin * gust)
        for name in ("load", "low", "high")
    )
    told, kinds = (
        np.array([getattr(one, name) for one in answers], dtype=np.str_).reshape(shape)
        for name in ("limit", "kind")
    )
    made = Chart(
        load, axes, rated, told, kinds, margin, dynamic, sum(one.evaluations for one in answers),
        assessment.name, _unit_of(assessment, load), gust=gust, sample=sample, low=low, high=high,
    )  # fmt: skip
    made.reasons = {k: answers[n].reason for n, (k, _) in enumerate(made.places()) if answers[n].reason}
    return made


def _check_limits(assessment: Assessment) -> None:
    settings = assessment.settings
    if not (settings.sections or assessment.pads or settings.limits or settings.ropes):
        fix = "give allowable stresses to section_sensors, one-sided supports, or limits"
        raise LuffError(Problem("the model has nothing that limits a load", str(assessment.study.path), fix))


def _check_combination(gust: float, dynamic: bool, sample: SeedSample | None, confirm: bool) -> None:
    if not gust >= 1.0:
        raise LuffError(Problem(f"found {gust:g}, expected a gust factor of 1 or more", "gust"))
    if gust != 1.0 and dynamic:
        mistake = "found a gust factor with runs, whose wind has gusts of its own"
        raise LuffError(Problem(mistake, "gust", "leave it out, or the motion and the seeds"))
    if sample is not None and confirm:
        mistake = "found runs to confirm a percentile, which is found by runs"
        raise LuffError(Problem(mistake, "confirm", "leave it out, or the seeds"))


def _own_load(assessment: Assessment, diagram: Diagram, load: str) -> float:
    """Load of the model as it is [SI]."""
    return float(Scope(diagram.parameters).quantity(_load_words(assessment, diagram, load)).value)


def _bounds(assessment: Assessment, load: str, lower: object, upper: object) -> tuple[float, float]:
    diagram = assessment.study.diagram()
    scope = Scope(diagram.parameters)
    given = _own_load(assessment, diagram, load)
    least = scope.quantity(lower).value
    most = 100.0 * given if upper is None else scope.quantity(upper).value
    if not least < most:
        raise LuffError(Problem(f"found a range from {least:g} to {most:g}", "load", "give upper="))
    return least, most


def _load_words(assessment: Assessment, diagram: Diagram, load: str) -> object:
    return assessment.common[load] if load in assessment.common else raw_value(diagram, load, "load")


def _unit_of(assessment: Assessment, load: str) -> str:
    """The unit in which the model has the load, also behind the name of a parameter."""
    diagram = assessment.study.diagram()
    return unit_of(_load_words(assessment, diagram, load), Scope(diagram.parameters))


def _progress_counter(progress: Callable[[int, int], object] | None, size: int) -> Callable[[], object]:
    done = itertools.count(1)
    return (lambda: progress(next(done), size)) if progress is not None else (lambda: None)


def solve_places(
    assessment: Assessment,
    load: str,
    names: Sequence[str],
    orders: Iterable[Sequence[object]],
    bounds: tuple[float, float],
    dynamic: bool,
    tell: Callable[[], object],
    sample: SeedSample | None = None,
) -> Iterator[Answer]:
    """Greatest load, limit, evaluations, kind and reason, place by place; no place knows of another."""
    diagram = assessment.study.diagram()
    least, most = bounds
    scale = _own_load(assessment, diagram, load)
    places = [dict(zip(names, at, strict=True)) for at in orders]
    drawn = seeds_of(assessment, sample) if sample is not None else [{}]
    lane_results = LaneResults(TRIES // 2 * len(assessment.settings.cases) * len(places) * len(drawn))
    for at in places:
        points = [
            ChartPoint(assessment, diagram, load, {**at, **seed}, dynamic, lane_results) for seed in drawn
        ]
        if sample is None:
            one, low, high = capacity(points[0], least, most, scale), math.nan, math.nan
        else:
            one, low, high = sample.bounds(capacities(points, least, most, scale, lane_results))
        error = points[0].error
        if isinstance(error, NetlistError) and one.kind == "unknown":
            raise error  # the model refuses what is varied, whatever the load
        tell()
        yield Answer(one.load, one.limit, one.evaluations, one.kind, one.reason, low, high)


def _solve_in_processes(
    head: dict[str, object],
    orders: list[tuple[object, ...]],
    shares: list[list[int]],
    progress: Callable[[int, int], object] | None,
) -> list[Answer]:
    """Solve the places in processes, each with its stretch of them."""
    crew = []
    try:
        for share in shares:
            one = subprocess.Popen(
                python_words("luff.solver.assessment.chart_worker"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=single_threaded_environment(), encoding="utf-8",
            )  # fmt: skip
            crew.append(one)
            assert one.stdin is not None
            one.stdin.write(json.dumps({**head, "orders": [orders[k] for k in share]}) + "\n")
            one.stdin.close()
        answers = []
        for one in crew:
            assert one.stdout is not None
            for line in one.stdout:
                answers.append(Answer(*json.loads(line)))
                if progress is not None:
                    progress(len(answers), len(orders))
            if one.wait() != 0:
                raise RunError("a process of the chart died; its output stands above")
        return answers
    finally:
        for one in crew:
            if one.poll() is None:
                one.kill()
                one.wait()
            if one.stdout is not None:
                one.stdout.close()
