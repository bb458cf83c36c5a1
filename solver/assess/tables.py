"""Findings as tables of text, for a terminal and for the report."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .findings import Findings


def shown_number(value: float) -> str:
    if math.isnan(value):
        return ""
    return "inf" if math.isinf(value) else f"{value:.4g}"


def summary(made: Findings) -> Mapping[str, list[list[str]]]:
    """Tables by their headings, the first row that of heads."""
    found: dict[str, list[list[str]]] = {}
    if made.checks:
        rows = [["check", "value", "limit", "unit", "utilisation", "governing run", "at", ""]]
        for one in sorted(made.checks, key=lambda one: -one.utilisation):
            value, bound, unit = scaled_unit(one.value, one.limit, one.unit)
            time = f"{one.time:.3f} s" if not math.isnan(one.time) else ""
            verdict = "holds" if one.holds else "FAILS"
            rows.append([one.title, value, bound, unit, f"{one.utilisation:.3f}", one.run, time, verdict])
        found["Checks"] = rows
    if made.factors:
        rows = [["dynamic factor", "case", "simulated", "by the code", "source"]]
        rows += [
            [
                one.title,
                one.case,
                shown_number(one.simulated),
                "" if one.code is None else shown_number(one.code),
                one.source,
            ]
            for one in made.factors
        ]
        found["Dynamic factors"] = rows
    if made.lives:
        rows = [["section", "damage", "limit", "worst point", "cycles", "greatest range", "s_m", "class", ""]]
        for life in made.lives:
            past = life.history
            verdict = "holds" if life.holds else "FAILS"
            rows.append(
                [life.title, shown_number(life.damage), shown_number(life.limit), life.point, shown_number(past.cycles),
                 f"{past.largest / 1e6:.4g} MPa", shown_number(past.s_m), past.stress_class, verdict]
            )  # fmt: skip
        found["Damage over the life"] = rows
    if made.ropes:
        rows = [["rope", "bending cycles", "at", "greatest tension", "endured", "share", ""]]
        for rope in made.ropes:
            endured = "" if rope.endured is None else shown_number(rope.endured)
            share = "" if rope.share is None else f"{rope.share:.3f}"
            verdict = "" if rope.share is None else "holds" if rope.holds else "FAILS"
            rows.append(
                [
                    rope.title,
                    shown_number(rope.cycles),
                    f"{rope.at:g} m",
                    f"{rope.greatest / 1e3:.4g} kN",
                    endured,
                    share,
                    verdict,
                ]
            )
        found["Bending of ropes over the life"] = rows
    bare = [[run, pad, f"{time:.3f} s"] for run, pads in made.lifted.items() for pad, time in pads]
    if bare:
        found["Pads that lift"] = [["run", "pad", "first at"], *bare]
    if made.failed:
        found["Runs that failed"] = [["run", "why"], *([name, why] for name, why in made.failed.items())]
    return found


def scaled_unit(value: float, limit: float, unit: str) -> tuple[str, str, str]:
    """Stresses in MPa, forces in kN."""
    factor, shown = {"Pa": (1e6, "MPa"), "N": (1e3, "kN"), "N*m": (1e3, "kN*m")}.get(unit, (1.0, unit))
    return shown_number(value / factor), shown_number(limit / factor), shown
