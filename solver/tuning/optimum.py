"""What a search has found, and its file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

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
        return at_most(self.excess, 0.0)

    @property
    def holds(self) -> bool | None:
        return self.verdict.holds


class DemandFile(TypedDict):
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


@dataclass
class Optimum(Answer):
    """What `optimise` returns."""

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

    @property
    def holds(self) -> bool:
        return all(demand.holds for demand in self.requirements)

    def as_dict(self) -> dict[str, object]:
        demands = [{**vars(demand), "holds": demand.holds} for demand in self.requirements]
        apart = ("digest", "requirements", "runs", "alone", "units")
        kept = {key: value for key, value in vars(self).items() if key not in apart}
        return {"task": self.digest, **kept, "requirements": demands}

    @classmethod
    def from_dict(cls, data: OptimumFile) -> Optimum:
        """What `as_dict` has told."""
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
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        return f"<Optimum {self.status}: {self.title} {self.value:.6g} {self.unit} at {values}>"
