"""Optimum found by a search, and its file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from ..results.verdict import Verdict, at_most
from .search import Answer
from .search_journal import SearchEnd


@dataclass
class Demand:
    """A requirement, at the optimum."""

    title: str
    value: float
    unit: str
    limits: str
    excess: float  # beyond the limit, in the unit shown; at most 0 where it holds

    @property
    def verdict(self) -> Verdict:
        """Verdict: the excess is at most 0."""
        return at_most(self.excess, 0.0)

    @property
    def holds(self) -> bool | None:
        """True, False, or None if unknown."""
        return self.verdict.holds


class DemandFile(TypedDict):
    """A requirement, as its file holds it."""

    title: str
    value: float
    unit: str
    limits: str
    excess: float
    holds: bool | None


class OptimumFile(TypedDict):
    """An optimum, as its file holds it."""

    task: str
    name: str
    values: dict[str, float]
    title: str
    value: float
    unit: str
    requirements: list[DemandFile]
    searches: list[SearchEnd]
    status: str
    note: str
    before: NotRequired[dict[str, float]]
    value_before: NotRequired[float | None]


@dataclass
class Optimum(Answer):
    """Best parameters that a search has found.

    `values` are in SI units, `value` is the number that was minimised or maximised, in `unit`. `requirements` have
    their value and verdict there. `status` is finished or interrupted. `before` and `value_before` are values of the
    parameters [SI] and the number in the model as it is; None if the run of it fails or has no such number.

    Examples
    --------
    See `luff.optimise`.
    """

    name: str
    values: dict[str, float]
    title: str
    value: float
    unit: str
    requirements: list[Demand]
    searches: list[SearchEnd]
    runs: int
    status: str = "finished"
    digest: str = ""
    note: str = ""
    alone: dict[str, int] = field(default_factory=dict)
    before: dict[str, float] = field(default_factory=dict)
    value_before: float | None = None

    @property
    def holds(self) -> bool:
        """True if all requirements hold."""
        return all(demand.holds for demand in self.requirements)

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data, as the result file holds it.

        Returns
        -------
        dict
            Values, number, requirements and searches.
        """
        demands = [{**vars(demand), "holds": demand.holds} for demand in self.requirements]
        apart = ("digest", "requirements", "runs", "alone", "units", "file")
        kept = {key: value for key, value in vars(self).items() if key not in apart}
        return {"task": self.digest, **kept, "requirements": demands}

    @classmethod
    def from_dict(cls, data: OptimumFile) -> Optimum:
        """Make an optimum of plain data.

        Parameters
        ----------
        data : dict
            Data of `as_dict`.

        Returns
        -------
        Optimum
            The optimum.
        """
        return cls(
            name=data["name"],
            values=data["values"],
            title=data["title"],
            value=data["value"],
            unit=data["unit"],
            requirements=[
                Demand(each["title"], each["value"], each["unit"], each["limits"], each["excess"])
                for each in data["requirements"]
            ],
            searches=data["searches"],
            runs=0,
            status=data["status"],
            digest=data["task"],
            note=data["note"],
            before=data.get("before", {}),
            value_before=data.get("value_before"),
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        return f"<Optimum {self.status}: {self.title} {self.value:.6g} {self.unit} at {values}>"
