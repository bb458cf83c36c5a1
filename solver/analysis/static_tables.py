"""Tables of a model at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .analysis_units import Shown

if TYPE_CHECKING:
    from ..diagnostics.model_summary import StaticSummary


def describe_static(at_rest: StaticSummary, shown: Shown) -> list[str]:
    """Positions, efforts of what is held, forces of supports, and what nothing holds."""
    units = at_rest["units"]
    lines = [
        "no body moves in this model; states of signals have no part in statics"
        if not at_rest["positions"]
        else "balanced, and not stable"
        if at_rest["unstable"]
        else "balanced; whether it is stable is not known"
        if at_rest["undecided"]
        else "at rest"
    ]
    lines += [f"left out: {words}" for words in at_rest["left_out"]]
    if at_rest["at_start"]:
        lines.append(f"forces as signals give them at t = 0: {', '.join(at_rest['at_start'])}")
    for name, value in at_rest["positions"].items():
        unit, factor = shown(name)
        lines.append(f"  {name} = {factor * value:.6g} {unit or units[name]}".rstrip())
    if at_rest["held"]:
        lines += ["held, with an effort of"]
        effort = {"m": "N", "rad": "N m"}
        lines += [
            f"  {name}: {value + 0.0:.6g} {effort[units[name]]}" for name, value in at_rest["held"].items()
        ]
    if at_rest["supports"]:
        lines += ["carried, with forces of"]
        for name, force in at_rest["supports"].items():
            lines.append(f"  {name}: [{', '.join(f'{value + 0.0:.6g}' for value in force)}] N")
    if at_rest["neutral"]:
        lines.append("held by nothing, and moved by nothing: " + ", ".join(at_rest["neutral"]))
    if at_rest["undecided"]:
        lines.append(
            "without stiffness within its error, though forces grow beside it: "
            + ", ".join(at_rest["undecided"])
        )
    if at_rest["unstable"]:
        lines.append("balanced, but the least push moves it away: " + ", ".join(at_rest["unstable"]))
    lines.append(
        f"largest force or moment left: {at_rest['residual']:.2g} (after {at_rest['iterations']} iterations)"
    )
    return lines
