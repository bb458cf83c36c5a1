"""Comparison of two designs: utilisations, damage and mass of their assessments, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..results.verdict import Verdict
from ..simulation.simulation import Simulation
from .findings import Findings
from .findings_tables import Rows, scaled_unit, shown_number, worst_first

NONE = "-"  # what one design does not have


def comparison(made: Findings, other: Findings) -> Rows:
    """Table of both: all that either checks, nearest to its limit first; the change is that to the first design."""
    names = [made.assessment.name, other.assessment.name]
    if names[0] == names[1]:
        names = [f"{name} ({word})" for name, word in zip(names, ("this", "the other"), strict=True)]
    rows = [["what", *names, "change"]]
    this, that = (dict(_numbers(one)) for one in (made, other))
    for title in dict.fromkeys([*this, *that]):
        texts = [one[title][0] if title in one else NONE for one in (this, that)]
        change = NONE
        if title in this and title in that:
            new, old = this[title][1], that[title][1]
            change = "unknown" if math.isnan(new - old) else f"{new - old:+.4g}"
        rows.append([title, *texts, change])
    return rows


def _numbers(made: Findings) -> Iterator[tuple[str, tuple[str, float]]]:
    """Title, text and number of each line."""
    for check in worst_first(made.checks):
        value, _, unit = scaled_unit(check.value, check.limit, check.unit)
        use = "unknown" if check.verdict is Verdict.UNKNOWN else f"{check.utilisation:.3f}"
        told = f"{use} ({f'{value} {unit}'.strip()}, {check.run}){_fails(check.verdict)}"
        yield f"utilisation of {check.title}", (told, check.utilisation)
    for life in made.lives:
        told = f"{shown_number(life.damage)}{_fails(life.verdict)}"
        yield f"damage of {life.title} over the life", (told, life.damage)
    for rope in made.ropes:
        if rope.share is not None:
            yield (
                f"share of the life of {rope.title}",
                (f"{rope.share:.3f}{_fails(rope.verdict)}", rope.share),
            )
    mass = mass_of(made)
    yield "mass of all bodies [kg]", (f"{mass:.6g}", mass)


def _fails(verdict: Verdict) -> str:
    return ", FAILS" if verdict is Verdict.FAILS else ""


def mass_of(made: Findings) -> float:
    """Mass of all bodies of the model as it is set for all cases [kg]."""
    assessment = made.assessment
    sim = Simulation(assessment.study.diagram(), assessment.common)
    return float(sum(body.mass for _, body, _, _ in sim.program.mechanism.bodies))


def as_dict(rows: Rows) -> list[dict[str, str]]:
    """Lines of the comparison for JSON."""
    return [dict(zip(("what", "this", "other", "change"), row, strict=True)) for row in rows[1:]]
