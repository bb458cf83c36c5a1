"""Summaries of `luff check` and `luff static`: counts, names, equilibrium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from ...blocks.geometry.rotations import angles_of_quaternion
from ..initial.static_report import StaticReport
from ..kernels import model_data as f
from ..program.start_signals import left_out_of_statics, signal_forces
from ..program.started_program import Started


class Summary(TypedDict):
    """Counts of a model."""

    name: str
    blocks: int
    degrees_of_freedom: int
    coordinates: int
    states: int
    mechanical_states: int
    constraints: int
    redundant: list[str]
    internal: list[str]
    bodies: int
    signals: int


class StaticSummary(TypedDict):
    """Equilibrium: coordinates, efforts of held coordinates, forces of supports [N] by output, free coordinates."""

    positions: dict[str, float]
    units: dict[str, str]
    iterations: int
    residual: float
    held: dict[str, float]
    supports: dict[str, list[float]]
    neutral: list[str]
    unstable: list[str]
    undecided: list[str]
    left: list[str]
    at_start: list[str]
    left_out: list[str]


def summary_of(program: Started) -> Summary:
    """Counts of a program."""
    report = program.report
    velocities = sum(1 for kind, *_ in program.model.state if kind == f.V_STATE)
    return {
        "name": program.flat.name,
        "blocks": len(program.flat.blocks),
        "degrees_of_freedom": report.free - report.rank if report else velocities,
        "coordinates": report.free if report else velocities,
        "states": len(program.state_names),
        "mechanical_states": program.mechanical,
        "constraints": report.constraints if report else 0,
        "redundant": report.redundant if report else [],
        "internal": report.internal if report else [],
        "bodies": len(program.mechanism.bodies),
        "signals": len(program.columns),
    }


def static_summary_of(program: Started) -> StaticSummary:
    """Equilibrium that a program with `solve: static` begins in."""
    report = program.static or StaticReport()
    placed = list(_positions(program))
    return {
        "positions": {name: value for name, value, _ in placed},
        "units": {name: unit for name, _, unit in placed},
        "iterations": report.iterations,
        "residual": report.residual,
        "held": report.held,
        "supports": report.supports,
        "neutral": report.neutral,
        "unstable": report.unstable,
        "undecided": report.undecided,
        "left": report.left,
        "at_start": signal_forces(program),
        "left_out": left_out_of_statics(program),
    }


def _positions(program: Started) -> Iterator[tuple[str, float, str]]:
    """Name, value and unit of each coordinate; of a quaternion its angles psi, theta, phi."""
    mechanism, model, data = program.mechanism, program.model, program.data
    for k, (name, row) in enumerate(zip(mechanism.coordinate_names(), mechanism.rows, strict=True)):
        if row.coordinate is not None:
            modal, slides = row.coordinate.modal, row.coordinate.prismatic
            yield name, float(data.q[k]), "kg^0.5*m" if modal else "m" if slides else "rad"
        elif row.quat >= 0 and row.quat_axis == 0:
            angles = angles_of_quaternion(data.quat[int(model.topo[k, f.QUAT])])
            block = mechanism.joints[row.joint].block
            yield from (
                (f"{block}.{angle}", value, "rad")
                for angle, value in zip(("psi", "theta", "phi"), angles, strict=True)
            )
