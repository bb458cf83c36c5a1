"""Findings as tables of text, for a terminal and for the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..results.verdict import Verdict
from .findings import Findings
from .limit_checks import Check

SCALES = {"Pa": (1e6, "MPa"), "N": (1e3, "kN"), "N*m": (1e3, "kN*m")}
Rows = list[list[str]]


def shown_number(value: float) -> str:
    return "NaN" if math.isnan(value) else f"{value:.4g}"


def summary(made: Findings, *, whole: bool = False) -> Mapping[str, Rows]:
    """Tables by their headings, the first row that of heads; `whole` says too what was measured."""
    bare = [[run, pad, f"{time:.3f} s"] for run, pads in made.lifted.items() for pad, time in pads]
    tables = {
        "Checks": checks(worst_first(made.checks), whole=whole),
        "Dynamic factors": _factors(made, whole),
        "Damage over the life": _damage(made),
        "Bending of ropes over the life": _ropes(made),
        "Starts of drives over the life": _drives(made),
        "Pads that lift": [["run", "pad", "first at"], *bare],
        "Runs that failed": [["run", "why"], *([name, why] for name, why in made.failed.items())],
    }
    return {heading: rows for heading, rows in tables.items() if len(rows) > 1}


def worst_first(every: Sequence[Check]) -> list[Check]:
    """Sort checks by utilisation, unknown ones first."""
    return sorted(every, key=lambda one: -math.inf if math.isnan(one.utilisation) else -one.utilisation)


def checks(every: Sequence[Check], *, whole: bool = False) -> Rows:
    rows = [["check", "what", "value", "limit", "utilisation", "governing run", "at", ""]]
    for one in every:
        value, bound, unit = scaled_unit(one.value, one.limit, one.unit)
        time = "" if math.isnan(one.time) else f"{one.time:.3f} s"
        use = Verdict.UNKNOWN.value if math.isnan(one.utilisation) else f"{one.utilisation:.3f}"
        value, limit = f"{value} {unit}".strip(), f"{one.side} {bound} {unit}".strip()
        rows.append([one.title, one.what, value, limit, use, one.run, time, one.verdict.shown])
    return rows if whole else [[row[0], *row[2:]] for row in rows]


def _factors(made: Findings, whole: bool) -> Rows:
    rows = [["dynamic factor", "case", "what", "simulated", "by the code", "ratio", "source"]]
    for one in made.factors:
        code = "" if one.code is None else shown_number(one.code)
        ratio = "" if one.code is None else f"{one.simulated / one.code:.3f}"
        rows.append([one.title, one.case, one.what, shown_number(one.simulated), code, ratio, one.source])
    return rows if whole else [[*row[:2], *row[3:]] for row in rows]


def _damage(made: Findings) -> Rows:
    rows = [["section", "damage", "limit", "worst point", "cycles", "greatest range", "s_m", "class", ""]]
    for life in made.lives:
        past = life.history
        numbers = shown_number(life.damage), shown_number(life.limit), life.point, shown_number(past.cycles)
        spectrum = f"{past.largest / 1e6:.4g} MPa", shown_number(past.s_m), past.stress_class
        rows.append([life.title, *numbers, *spectrum, life.verdict.shown])
    return rows


def _ropes(made: Findings) -> Rows:
    rows = [["rope", "bending cycles", "where [m]", "greatest tension there", "endured", "share", ""]]
    for rope in made.ropes:
        endured = "" if rope.endured is None else shown_number(rope.endured)
        share = "" if rope.share is None else f"{rope.share:.3f}"
        told = "" if rope.share is None else rope.verdict.shown
        place, tension = f"{rope.at:g}", f"{rope.greatest / 1e3:.4g} kN"
        rows.append([rope.title, shown_number(rope.cycles), place, tension, endured, share, told])
    return rows


def _drives(made: Findings) -> Rows:
    rows = [["drive", "starts", "at most", "for each case", "travel", "time in motion", ""]]
    for duty in made.duties:
        most = "" if duty.limit is None else shown_number(duty.limit)
        told = "" if duty.limit is None else duty.verdict.shown
        travel = f"{shown_number(duty.travel)} {duty.unit.removesuffix('/s') if duty.unit else ''}".strip()
        each = shown_number(duty.per_cycle)
        rows.append([duty.title, shown_number(duty.starts), most, each, travel, f"{duty.hours:.4g} h", told])
    return rows


def scaled_unit(value: float, limit: float, unit: str) -> tuple[str, str, str]:
    """Stresses in MPa, forces in kN."""
    factor, shown = SCALES.get(unit, (1.0, unit))
    return shown_number(value / factor), shown_number(limit / factor), shown
