"""Tables of a model at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .analysis_units import Shown

if TYPE_CHECKING:
    from ..diagnostics.model_summary import StaticSummary


EFFORT = {"m": "N", "rad": "N m"}  # of what is held, by the unit of its coordinate
HELD, CARRIED = "held, with an effort of", "carried, with forces of"


def static_verdict(at_rest: StaticSummary) -> list[str]:
    """Sentences about the equilibrium as a whole, and on what it rests."""
    words = [
        "no body moves in this model; states of signals have no part in statics"
        if not at_rest["positions"]
        else "balanced, and not stable"
        if at_rest["unstable"]
        else "balanced; whether it is stable is not known"
        if at_rest["undecided"]
        else "at rest"
    ]
    words += [f"left out: {left}" for left in at_rest["left_out"]]
    if at_rest["at_start"]:
        words.append(f"forces as signals give them at t = 0: {', '.join(at_rest['at_start'])}")
    return words


def static_numbers(at_rest: StaticSummary, shown: Shown) -> dict[str, list[tuple[str, str, str]]]:
    """Name, value and unit of each position, under an empty heading, of efforts that hold and of forces that carry."""
    numbers: dict[str, list[tuple[str, str, str]]] = {"": [], HELD: [], CARRIED: []}
    for name, value in at_rest["positions"].items():
        unit, factor = shown(name)
        numbers[""].append((name, f"{factor * value:.6g}", unit or at_rest["units"][name]))
    for name, value in at_rest["held"].items():
        numbers[HELD].append((name, f"{value + 0.0:.6g}", EFFORT[at_rest["units"][name]]))
    for name, force in at_rest["supports"].items():
        numbers[CARRIED].append((name, f"[{', '.join(f'{value + 0.0:.6g}' for value in force)}]", "N"))
    return numbers


def static_doubts(at_rest: StaticSummary) -> list[str]:
    """Sentences about what nothing holds, and how far the search has come."""
    words = []
    if at_rest["neutral"]:
        words.append("held by nothing, and moved by nothing: " + ", ".join(at_rest["neutral"]))
    if at_rest["undecided"]:
        words.append(
            "without stiffness within its error, though forces grow beside it: "
            + ", ".join(at_rest["undecided"])
        )
    if at_rest["unstable"]:
        words.append("balanced, but the least push moves it away: " + ", ".join(at_rest["unstable"]))
    words.append(
        f"largest force or moment left: {at_rest['residual']:.2g} (after {at_rest['iterations']} iterations)"
    )
    return words


def describe_static(at_rest: StaticSummary, shown: Shown) -> list[str]:
    """Positions, efforts of what is held, forces of supports, and what nothing holds."""
    lines = static_verdict(at_rest)
    for heading, rows in static_numbers(at_rest, shown).items():
        lines += [heading] if heading and rows else []
        between = ":" if heading else " ="
        lines += [f"  {name}{between} {value} {unit}".rstrip() for name, value, unit in rows]
    return lines + static_doubts(at_rest)
