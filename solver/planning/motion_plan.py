"""Plan found by `luff plan`: controls over time, what holds them back, and the run that flew them again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..flatten.diagram import Diagram
from ..results.result import Result
from ..results.result_files import atomic_replace
from .active_limits import ActiveLimit
from .flight import Flown
from .plan_data import PlanData
from .plan_settings import KEPT_CLEAR

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "plan"


class Plan(PlanData):
    """Best motion of a model: controls over time, with the limits that hold it back and the run that flew it again.

    `time` [s] are the ends of the grid's intervals; `controls[name]` has a value for each interval (`interpolation`
    constant) or for each time (linear), in SI units, and `rest[name]` the one after the end; `parameters` have the
    values of free parameters. `status` is finished, acceptable (a looser tolerance is met), unconfirmed (its run misses
    an end, a limit or rest, or was not made), or interrupted or unfinished (the best motion so far). `multipliers` have
    the decrease of the cost for one SI unit by which a bound is looser.
    `result` is the plan flown again, `flown` that of each case, `flights` on the models of `flights:`.

    Examples
    --------
    See `luff.plan`.
    """

    def __repr__(self) -> str:
        return f"<Plan {self.status}: {self.name}, {self.duration:.6g} s, {', '.join(self.controls)}>"

    @property
    def multipliers(self) -> dict[str, float]:
        """Decrease of the cost for one SI unit of a looser bound, by signal, side and case."""
        return {
            f"{one.name}.{one.side}{f' ({one.case})' if one.case else ''}": one.multiplier
            for one in self.limits
        }

    @property
    def result(self) -> Result | None:
        """Run that flew the plan; of several cases the first. None if it could not be flown."""
        return self.flown[0].result if self.flown else None

    def table(self) -> list[str]:
        """Report in lines: duration, limits that hold the motion back, the flight, remarks.

        Returns
        -------
        list of str
            The lines.
        """
        cost = f", cost {self.cost:.9g}" if costs_more_than_time(self) else ""
        lines = [f"{self.name}: {self.duration:.6f} s{cost} ({self.status}, {self.iterations} iterations)"]
        if len(self.switches):
            lines.append("switches at " + ", ".join(f"{t:.6f}" for t in self.switches) + " s")
        for name, value in self.parameters.items():
            lines.append(f"{name} = {value:.6g} {self.units.get(name.partition('[')[0], '')}".rstrip())
        lines += [f"limited by {one.words(self.cost_unit)}" for one in self.limits]
        for one in self.flown:
            lines += _flight_lines(one, self.units)
        for one in self.flights:
            lines += [*_flight_lines(one, self.units), *_end_lines(one, self.units)]
        lines += spread_lines(self)
        return [*lines, *(f"note: {remark}" for remark in self.remarks)]

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data, as the file holds it.

        Returns
        -------
        dict
            Controls, states, limits, flights and remarks.
        """
        return {
            FORMAT: 1, "name": self.name, "status": self.status, "duration": self.duration, "cost": self.cost,
            "cost_unit": self.cost_unit, "interpolation": self.interpolation, "iterations": self.iterations,
            "time": self.time.tolist(), "controls": _lists(self.controls), "rest": self.rest, "units": self.units,
            "parameters": self.parameters,
            "bounds": {name: list(both) for name, both in self.bounds.items()},
            "switches": self.switches.tolist(),
            "limits": [{**vars(one), "words": one.words(self.cost_unit)} for one in self.limits],
            "flown": [_flight_data(one) for one in self.flown],
            "flights": [_flight_data(one) for one in self.flights], "remarks": self.remarks,
            "points": self.points.tolist(),
            "rows": self.rows.tolist(), "states": {case: _lists(x) for case, x in self.states.items()},
        }  # fmt: skip

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Make a plan of plain data; it holds neither the runs that flew it nor the model.

        Parameters
        ----------
        data : dict
            Data of `as_dict`.

        Returns
        -------
        Plan
            The plan.
        """
        number = lambda value: np.nan if value is None else float(value)  # noqa: E731
        limits = [
            ActiveLimit(**{key: value for key, value in one.items() if key != "words"})
            for one in data["limits"]
        ]
        for one in limits:
            one.spans = [(a, b) for a, b in one.spans]
        flown, flights = (
            [Flown(**{**one, "result": None}) for one in data.get(key, [])] for key in ("flown", "flights")
        )
        for one in (*flown, *flights):
            for name in ("deviation", "share", "rate", "rate_share"):
                setattr(one, name, number(getattr(one, name)))
            for name in ("end", "peaks"):
                setattr(
                    one, name, {key: tuple(map(number, both)) for key, both in getattr(one, name).items()}
                )
            one.over = {key: number(value) for key, value in one.over.items()}
        limitless = (-np.inf, np.inf)
        return cls(
            name=data["name"], status=data["status"], cost=data["cost"], cost_unit=data["cost_unit"],
            time=np.array(data["time"]), controls=_arrays(data["controls"]), rest=data["rest"],
            interpolation=data["interpolation"], units=data["units"], parameters=data["parameters"],
            bounds={
                name: (limitless[0] if a is None else a, limitless[1] if b is None else b)
                for name, (a, b) in data["bounds"].items()
            },
            limits=limits, flown=flown, flights=flights, remarks=data["remarks"],
            states={case: _arrays(x) for case, x in data["states"].items()}, points=np.array(data["points"]),
            switches=np.array(data["switches"]), iterations=data["iterations"], rows=np.array(data["rows"]),
        )  # fmt: skip

    def plot(self) -> Figure:
        """Draw controls and limited signals over time, with their bounds and the times at which these hold back.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from .plan_figure import figure

        return figure(self)

    def save(self, path: str | Path) -> None:
        """Write the plan: .json holds all of it, .csv the table that `luff run --input` plays.

        Parameters
        ----------
        path : str or Path
            The file; one that was there is replaced.

        Raises
        ------
        LuffError
            The file cannot be written.
        """
        path = Path(path)
        with atomic_replace(path, "the plan") as part:
            if path.suffix.lower() == ".csv":
                heads = [f"{name} [{self.units.get(name.partition('[')[0], '')}]" for name in self.controls]
                rows = [",".join(map(repr, row)) for row in self.rows.tolist()]
                text = "\n".join([",".join(["time [s]", *heads]), *rows])
                part.write_text(text + "\n", encoding="utf-8")
            else:
                text = json.dumps(_without_nan(self.as_dict()), indent=1, allow_nan=False)
                part.write_text(text + "\n", encoding="utf-8")

    def to_netlist(self) -> Diagram:
        """Make a copy of the model in which tables play the controls.

        Returns
        -------
        Diagram
            The netlist; a block `NAME_plan` stands in the place of each input.

        Raises
        ------
        LuffError
            The plan was read from a file, which does not hold the model.
        """
        from .played_netlist import netlist_of_plan

        return netlist_of_plan(self)


def _arrays(lists: Mapping[str, list[float]]) -> dict[str, np.ndarray]:
    return {name: np.array(values, float) for name, values in lists.items()}


def _without_nan(value: object) -> object:
    """Data for JSON, which has no NaN and no infinity: null instead."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def _lists(arrays: Mapping[str, np.ndarray]) -> dict[str, object]:
    return {name: np.asarray(array).tolist() for name, array in arrays.items()}


def _flight_data(one: Flown) -> dict[str, object]:
    return {name: value for name, value in vars(one).items() if name not in ("result", "states")}


def _end_lines(one: Flown, units: Mapping[str, str]) -> Iterator[str]:
    """Wanted ends of a flight on another model, in words."""
    for name, (wanted, value) in one.end.items():
        unit = f" {units[name]}" if units.get(name) else ""
        yield f"{one.case}: {name} ends at {value:.6g}{unit}, {value - wanted:.2g} from {wanted:.6g}{unit}"


def costs_more_than_time(made: Plan) -> bool:
    """True if the cost is another number than the duration, to a nanosecond."""
    return made.cost_unit != "s" or abs(made.cost - made.duration) > 1e-9


def spread_lines(made: Plan) -> Iterator[str]:
    """Ranges of the flown ends over several models, in words."""
    known = [one for one in (*made.flown, *made.flights) if one.end]
    for name in known[0].end if len(known) > 1 else ():
        values = [one.end[name][1] for one in known if name in one.end]
        unit = f" {made.units[name]}" if made.units.get(name) else ""
        low, high = float(np.min(values)), float(np.max(values))  # a NaN stays one
        yield f"over {len(values)} models {name} ends between {low:.6g} and {high:.6g}{unit}"


def _flight_lines(one: Flown, units: Mapping[str, str]) -> list[str]:
    """Flight of a case in words."""
    case = f"{one.case}: " if one.case else ""
    if one.problem:
        return [f"{case}could not be simulated: {one.problem}"]
    unit = lambda name: f" {units[name]}" if units.get(name) else ""  # noqa: E731
    ends = f"{one.state} ends {one.deviation:.2g}{unit(one.state)} from the plan"
    lines = [f"{case}simulated: {ends if one.state else 'no state is one of the plan'}"]
    if one.rate_state:
        rate = f"{one.rate:.2g}{unit(one.rate_state)} a second"
        lines[0] += f"; at rest {one.rate_state} still changes by {rate}"
    for name, (least, _) in one.peaks.items():
        if name.startswith(KEPT_CLEAR):
            rows = f" of {len(one.result.time)} rows" if one.result is not None else ""
            lines.append(f"{case}{name} comes down to {least:.4g}{unit(name)}, the least{rows} of the run")
    for name, over in one.over.items():
        lines.append(f"{case}{name} is {over:.2g}{unit(name)} beyond its limit between points of the grid")
    return lines
