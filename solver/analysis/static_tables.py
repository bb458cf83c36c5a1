"""Tables of a model at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .analysis_units import Shown

if TYPE_CHECKING:
    from ..diagnostics.model_summary import StaticSummary

Figures = tuple[str, list[float], str]  # name, values, unit

EFFORT = {"m": "N", "rad": "N*m"}  # of what is held, by the unit of its coordinate
HELD, CARRIED = "held, with an effort of", "carried, with forces of"


NEUTRAL = "in neutral equilibrium, where no stiffness holds it and no force moves it"
OPEN = "of zero stiffness within its error, though forces grow beside it"
FALLS = "in unstable equilibrium, where the least push moves it away"


def static_verdict(at_rest: StaticSummary) -> str:
    """Sentence about the equilibrium as a whole."""
    return (
        "no body moves in this model; states of signals have no part in statics"
        if not at_rest["positions"]
        else "balanced, and not stable"
        if at_rest["unstable"]
        else "balanced; whether it is stable is not known"
        if at_rest["undecided"]
        else "at rest"
    )


def static_scope(at_rest: StaticSummary) -> list[str]:
    """Sentences about what is left out, and on what it rests."""
    words = [f"left out: {left}" for left in at_rest["left_out"]]
    if at_rest["at_start"]:
        words.append(f"forces as signals give them at t = 0: {', '.join(at_rest['at_start'])}")
    return words


def static_numbers(at_rest: StaticSummary, shown: Shown) -> dict[str, list[Figures]]:
    """Name, values and unit of each position, under an empty heading, of efforts that hold and of forces that carry;
    what is not beyond its error is zero.
    """
    numbers: dict[str, list[Figures]] = {"": [], HELD: [], CARRIED: []}
    for name, value in at_rest["positions"].items():
        unit, factor = shown(name)
        known = _beyond(value, at_rest["errors"][name])
        numbers[""].append((name, [factor * known], unit or at_rest["units"][name]))
    for name, value in at_rest["held"].items():
        known = _beyond(value, at_rest["held_errors"][name])
        numbers[HELD].append((name, [known], EFFORT[at_rest["units"][name]]))
    for name, force in at_rest["supports"].items():
        bounds = at_rest["support_errors"][name]
        known = [_beyond(value, bound) for value, bound in zip(force, bounds, strict=True)]
        numbers[CARRIED].append((name, known, "N"))
    return numbers


def _beyond(value: float, error: float) -> float:
    """Value, or zero where it is within the bound of its error; NaN is no bound."""
    return 0.0 if abs(value) <= error else value


def values_text(values: list[float], digits: int = 6) -> str:
    """Text of one value, or of a vector."""
    told = [f"{value + 0.0:.{digits}g}" for value in values]
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def static_doubts(at_rest: StaticSummary) -> dict[str, list[str]]:
    """Coordinates that nothing holds, by what is known of them."""
    doubts = {NEUTRAL: at_rest["neutral"], OPEN: at_rest["undecided"], FALLS: at_rest["unstable"]}
    return {words: [*names] for words, names in doubts.items() if names}


def static_residual(at_rest: StaticSummary) -> str:
    """Sentence about how far the search has come."""
    return (
        f"largest force or moment left: {at_rest['residual']:.2g} (after {at_rest['iterations']} iterations)"
    )


def describe_static(at_rest: StaticSummary, shown: Shown) -> list[str]:
    """Positions, efforts of what is held, forces of supports, and what nothing holds."""
    lines = [static_verdict(at_rest), *static_scope(at_rest)]
    for heading, rows in static_numbers(at_rest, shown).items():
        lines += [heading] if heading and rows else []
        between = ":" if heading else " ="
        lines += [f"  {name}{between} {values_text(values)} {unit}".rstrip() for name, values, unit in rows]
    lines += [f"{words}: {', '.join(names)}" for words, names in static_doubts(at_rest).items()]
    return [*lines, static_residual(at_rest)]
