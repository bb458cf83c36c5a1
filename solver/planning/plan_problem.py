"""Make the cases of a plan from its file: names resolved, bounds in SI, start and end states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import Inputs
from ..simulation.simulation import Simulation
from ..studies.run_measures import in_shown_unit
from ..studies.study_settings import Limit
from .collocation import Case, Grid, Watched
from .cost_terms import ROUNDING, PositivePower, Square, drive_signals
from .model_points import ModelPoints, UnknownSignal, timed_blocks, unknown_signal
from .nearest_state import nearest_state
from .plan_file import PlanTask
from .plan_settings import REST, Bounds, Weights, bounds_of
from .transcription import Transcription

BEYOND = 1e-9  # share of a quantity's size by which a start may lie beyond its limit, which is rounding


@dataclass
class PlanProblem:
    """Cases, controls with bounds and sizes, duration and weights of a plan, in SI units."""

    cases: list[Case]
    controls: list[str]
    lower: np.ndarray
    upper: np.ndarray
    reference: np.ndarray  # by which effort measures a control
    duration: tuple[float, float]
    guess: float | None
    time_weight: float
    cost_unit: str
    linear: bool
    intervals: int
    tolerance: float
    end_points: list[np.ndarray] = field(default_factory=list)  # [x, u] guessed at the end, by case
    end_found: list[bool] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    flights: list[Case] = field(default_factory=list)  # models on which the motion is only flown

    @property
    def unit(self) -> dict[str, str]:
        """Units of the states, controls and signals by name."""
        case = self.cases[0]
        return {**case.points.sim.units, **case.points.units, **_input_units(case.simulation)}

    def transcribed(
        self, grid: Grid, arcs: tuple[np.ndarray, np.ndarray] | None = None, elastic: bool = False
    ) -> Transcription:
        """Nonlinear program on a grid, with bounds of its arcs' durations [s]; an elastic one counts no time."""
        return Transcription(
            self.cases, grid, self.linear, (self.lower, self.upper), self.duration,
            0.0 if elastic else self.time_weight, elastic, arcs,
        )  # fmt: skip

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Bounds of the controls and of the limited signals."""
        made = dict(
            zip(self.controls, zip(self.lower.tolist(), self.upper.tolist(), strict=True), strict=True)
        )
        return made | {one.name: (float(one.lower), float(one.upper)) for one in self.cases[0].limits}


def make_problem(task: PlanTask) -> PlanProblem:
    """Cases of a plan and all that they share; mistakes have their places in the file."""
    settings = task.settings
    sims = [task.simulation(changes) for changes in task.cases.values()]
    inputs = _input_units(sims[0])
    for name in settings.controls:
        if name not in inputs:
            fix = did_you_mean(name, inputs) if inputs else "declare it in `inputs:` of the netlist"
            raise LuffError(Problem("the netlist has no such input", f"plan.controls.{name}", fix))
    for name in settings.parameters:
        if name not in inputs or name in settings.controls:
            why = "it is a control" if name in settings.controls else did_you_mean(name, inputs)
            if name in sims[0].diagram.parameters or "." in name:
                # masses and lengths are packed when the model is made, and have no derivative here
                why = "only inputs are chosen; compare values of a number by plans of their own, or luff optimise"
            raise LuffError(
                Problem("the netlist has no such input to choose", f"plan.parameters.{name}", why)
            )
    names = [*settings.controls]
    made = [_case(task, case, sim, names) for case, sim in zip(task.cases, sims, strict=True)]
    points = made[0].points
    lower, upper = _control_bounds(task, points, inputs)
    larger = np.maximum(abs(lower), abs(upper))
    reference = np.where(np.isfinite(larger) & (larger > 0.0), larger, 1.0)
    least, duration = settings.least, settings.duration
    low, high, guess = (
        (duration, duration, duration)
        if isinstance(duration, float)
        else (None, None, None)
        if duration is None
        else (duration.lower, duration.upper, duration.guess)
    )
    word = settings.interpolation
    problem = PlanProblem(
        made, points.control_names, lower, upper, reference,
        (low or 0.0, high or np.inf), guess, least.time, cost_unit(least),
        word == "linear" if word else not least.time, settings.intervals, settings.tolerance,
    )  # fmt: skip
    for case in made:
        _start(task, case)
        _refuse_limits(case)
        _end(case, problem)
        _point_scales(case, problem)
        if least.effort:
            n = case.n
            case.costs += [Square((n + k,), least.effort / r**2) for k, r in enumerate(reference)]
    problem.flights = [*_flights(task, names, made[0])]
    problem.remarks = [*_omission_remarks(made[0])]
    return problem


def _flights(task: PlanTask, controls: list[str], planned: Case) -> Iterable[Case]:
    """Cases that are flown alone, each from its own start; their states have the sizes of the planned ones."""
    sizes = dict(zip(planned.points.state_names, planned.scale, strict=False))
    for name, changes in (task.settings.flights or {}).items():
        try:
            case = _case(task, name, task.simulation({**_first(task), **changes}), controls)
            _start(task, case)
        except LuffError as error:
            raise LuffError(problem.at(path=f"plan.flights.{name}") for problem in error.problems) from None
        case.scale = np.array([sizes.get(state, 1.0) for state in case.points.state_names])
        yield case


def _first(task: PlanTask) -> Mapping[str, object]:
    """Changes of the first case, which the flights are compared with."""
    return next(iter(task.cases.values()))


def cost_unit(least: Weights) -> str:
    """Unit of the cost; empty for a weighted sum."""
    if least.effort or any(least.squares.values()):
        return ""
    return {(1.0, 0.0): "s", (0.0, 1.0): "J"}.get((least.time, least.energy), "")


def _input_units(sim: Simulation) -> dict[str, str]:
    """Units of the inputs by name."""
    block = sim.program.flat.blocks.get(INPUTS)
    return {name: entry.unit for name, entry in block.free.items()} if isinstance(block, Inputs) else {}


def _case(task: PlanTask, name: str, sim: Simulation, controls: list[str]) -> Case:
    """One case with its points, ends, limits and squares."""
    settings = task.settings
    ends = {key: value for key, value in settings.end.items() if key != REST}
    starts = {key: value for key, value in settings.start.items() if key != REST}
    least = settings.least
    drives = drive_signals(sim.program.flat) if least.energy else []
    if least.energy and not drives:
        raise LuffError(Problem("the model has no drives, whose energy could be least", "plan.least"))
    half_way = {key: value for key, value in settings.guess.items() if key != REST}
    distances = {f"{block}.distance": entry.by for block, entry in task.distances.items()}
    names = [*ends, *starts, *half_way, *distances, *settings.limits, *least.squares]
    names += [name for pair in drives for name in pair]
    known = {*sim.state_names}
    for one in dict.fromkeys(names):
        inner = one.removeprefix(f"{INPUTS}.").partition("[")[0]
        if inner in controls or inner in settings.parameters:
            known.add(one)
    wanted = [*dict.fromkeys(one for one in names if one not in known)]
    try:
        points = ModelPoints(sim, controls, wanted, [*settings.parameters])
    except UnknownSignal as error:
        missing = str(error)
        sections = {
            "end": ends,
            "start": starts,
            "guess": half_way,
            "limits": settings.limits,
            "least.squares": settings.least.squares,
        }
        section = next(key for key, entries in sections.items() if missing in entries)
        raise unknown_signal(sim, missing, f"plan.{section}.{missing}") from None
    case = Case(name, points, points.x0[: points.n].copy())
    places = _point_places(points)
    units = {**points.sim.units, **points.units, **_input_units(sim)}
    for key, value in ends.items():
        number = _number(value, units.get(key, ""), f"plan.end.{key}")
        case.end.append(Watched(key, places[key], number, number))
    for k, element in enumerate(points.parameter_names):
        bounds = settings.parameters[element.partition("[")[0]]
        low, high = _si_bounds(bounds, units.get(element.partition("[")[0], ""), f"plan.parameters.{element}")
        case.free.append(Watched(element, points.native + k, low, high))
        case.x0[points.native + k] = np.clip(case.x0[points.native + k], low, high)
    case.rest = bool(settings.end.get(REST, False))
    for key, entry in settings.limits.items():
        low, high = _si_bounds(entry, units.get(key, ""), f"plan.limits.{key}")
        case.limits.append(Watched(key, places[key], low, high))
    case.limits += [Watched(key, places[key], least_distance) for key, least_distance in distances.items()]
    for key, value in half_way.items():
        number = _number(value, units.get(key, ""), f"plan.guess.{key}")
        case.half_way.append(Watched(key, places[key], number, number))
    case.costs += [Square((places[key],), weight) for key, weight in least.squares.items() if weight]
    case.costs += [PositivePower((places[a], places[b]), least.energy) for a, b in drives]
    timed = [label for label in timed_blocks(points.program) if label]
    if timed:
        message = f"{timed[0]} depends on the time, and a plan's laws do not"
        raise LuffError(Problem(message, "model", "give it by an input, or take it out (disabled: true)"))
    return case


def _point_places(points: ModelPoints) -> dict[str, int]:
    """Places of names in [x, u, y]; a state's name stands for the state."""
    n, m = points.n, points.m
    found = {name: n + m + k for k, name in enumerate(points.signals)}
    for k, name in enumerate(points.control_names):
        found[name] = found[f"{INPUTS}.{name}"] = n + k
    return found | {name: k for k, name in enumerate(points.state_names)}


def _number(value: Limit.Value, unit: str, path: str, bound: bool = False) -> float:
    """SI value of an entry, its unit checked where the signal's is known; only a bound may be infinite."""
    try:
        number = in_shown_unit(value, unit) if unit else value.value
    except LuffError as error:
        raise LuffError(problem.at(path=path) for problem in error.problems) from None
    if np.isnan(number) or not (bound or np.isfinite(number)):
        raise LuffError(Problem(f"found {number:g}, expected a finite number", path))
    return number


def _si_bounds(entry: Bounds, unit: str, path: str) -> tuple[float, float]:
    """Lower and upper bound of an entry in SI; infinite where one is not given."""
    given = {
        word: _number(value, unit, f"{path}.{word}", bound=True) for word, value in bounds_of(entry).items()
    }
    return given.get("lower", -np.inf), given.get("upper", np.inf)


def _control_bounds(
    task: PlanTask, points: ModelPoints, units: Mapping[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the elements of the controls."""
    lower, upper = np.full(points.m, -np.inf), np.full(points.m, np.inf)
    for k, element in enumerate(points.control_names):
        name = element.partition("[")[0]
        lower[k], upper[k] = _si_bounds(task.settings.controls[name], units[name], f"plan.controls.{name}")
    return lower, upper


def _start(task: PlanTask, case: Case) -> None:
    """Start state: the model's, moved to the nearest one that has the wanted values."""
    settings, points = task.settings, case.points
    units, places = {**points.sim.units, **points.units}, _point_places(points)
    wanted = []
    for key, value in settings.start.items():
        if key == REST:
            continue
        number = _number(value, units.get(key, ""), f"plan.start.{key}")
        wanted.append(Watched(key, places[key], number, number))
    rest = bool(settings.start.get(REST, False))
    if wanted or rest:
        z, found = start_state(points, wanted, rest)
        if not found:
            raise LuffError(
                Problem("no start with these values was found near the model's own", "plan.start")
            )
        case.x0 = z[: points.n]
    rates = points.values(np.concatenate([case.x0, points.x0[points.n :]])[None], False)[0]
    if not np.all(np.isfinite(rates)):
        name = points.state_names[int(np.flatnonzero(~np.isfinite(rates))[0])]
        raise LuffError(Problem("the rate of this state is not finite at the start", name))


def start_state(points: ModelPoints, wanted: list[Watched], rest: bool) -> tuple[np.ndarray, bool]:
    """[x, u] with the wanted values; at rest by the controls alone if they can hold it, else nearby."""
    n, q = points.n, points.n + points.m
    z, found = nearest_state(points, points.x0, wanted, False, np.arange(points.native))
    if not rest:
        return z, found
    held, at_rest = nearest_state(points, z, [], True, np.arange(n, q))
    return (held, found) if at_rest else nearest_state(points, z, wanted, True, _movable(points))


def _movable(points: ModelPoints) -> np.ndarray:
    """Places of the model's own states and of the controls."""
    return np.concatenate([np.arange(points.native), points.n + np.arange(points.m)])


def _refuse_limits(case: Case) -> None:
    """Refuse limits that the start or the end already breaks."""
    points = case.points
    z = np.concatenate([case.x0, points.x0[points.n :]])[None]
    f = points.values(z, bool(points.signals))
    wanted = {one.place: one.lower for one in case.end}
    problems = []
    for one in case.limits:
        at_start = float(_value(points, z, f, one.place)) if not _is_control(points, one.place) else np.nan
        for where, value in (("start", at_start), ("end", wanted.get(one.place, np.nan))):
            room = BEYOND * max(abs(one.lower if np.isfinite(one.lower) else one.upper), 1.0)
            for word, bound, over in (
                ("lower", one.lower, one.lower - value),
                ("upper", one.upper, value - one.upper),
            ):
                if over > room:
                    place = f"in the case {case.name}, " if case.name else ""
                    problems.append(
                        Problem(
                            f"{place}the {where} is {value:.6g}, beyond the {word} limit of {bound:.6g}",
                            f"plan.limits.{one.name}",
                        )
                    )
    if problems:
        raise LuffError(problems)


def _is_control(points: ModelPoints, place: int) -> bool:
    return points.n <= place < points.n + points.m


def _value(points: ModelPoints, z: np.ndarray, f: np.ndarray, place: int) -> float:
    q = points.n + points.m
    return z[0, place] if place < q else f[0, points.n + place - q]


def _end(case: Case, problem: PlanProblem) -> None:
    """Guess of the end: the nearest state that has the wanted values."""
    points = case.points
    z0 = np.concatenate([case.x0, points.x0[points.n :]])
    z, found = nearest_state(points, z0, case.end, case.rest, _movable(points))
    z[points.n :] = np.clip(z[points.n :], problem.lower, problem.upper)
    problem.end_points.append(z)
    problem.end_found.append(found)


def _point_scales(case: Case, problem: PlanProblem) -> None:
    """Sizes of [x, u, y] by which variables and rows are scaled."""
    points = case.points
    n, q = points.n, points.n + points.m
    z0 = np.concatenate([case.x0, points.x0[n:]])
    z1 = problem.end_points[-1]
    signals = bool(points.signals)
    rows = [points.values(z[None], signals)[0, n:] for z in (z0, z1)]
    sizes = np.concatenate(
        [np.maximum(abs(z0), abs(z1)), np.nan_to_num(np.maximum(abs(rows[0]), abs(rows[1])), posinf=0.0)]
    )
    for one in (*case.limits, *case.end, *case.free):
        for bound in (one.lower, one.upper):
            if np.isfinite(bound):
                sizes[one.place] = max(sizes[one.place], abs(bound))
    sizes[n:q] = np.maximum(sizes[n:q], problem.reference)
    case.scale = np.where(sizes > 1e-6, sizes, 1.0)
    for term in case.costs:
        if isinstance(term, PositivePower):
            term.rounding = ROUNDING * float(np.prod(case.scale[[*term.places]]))


def _omission_remarks(case: Case) -> Iterable[str]:
    """Remarks on what the plan's model leaves out of the netlist."""
    program = case.points.program
    for sampled in program.sampled:
        yield f"{sampled.block}: its memory is constant in the plan"
    rounded = [term.rounding for term in case.costs if isinstance(term, PositivePower)]
    if rounded:
        # (P + sqrt(P^2 + r^2)) / 2 exceeds max(P, 0) by r / 2 at most
        most = 0.5 * sum(rounded)
        yield f"energy: each drive's power is rounded at zero, which counts at most {most:.3g} W too much"
    for name in dict.fromkeys(switch.block for switch in program.switches):
        yield f"{name}: it switches; the search takes the derivative of one side"
