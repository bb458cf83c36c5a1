"""Summaries of `luff check` and `luff static`: counts, names, equilibrium."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypedDict

import numpy as np

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
    """Equilibrium: coordinates, efforts of held ones and forces of supports [N] by output, each with the bound of its
    error (NaN where none is known), and free coordinates.
    """

    positions: dict[str, float]
    errors: dict[str, float]
    units: dict[str, str]
    iterations: int
    residual: float
    held: dict[str, float]
    held_errors: dict[str, float]
    supports: dict[str, list[float]]
    support_errors: dict[str, list[float]]
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
    placed = list(_positions(program, report.errors))
    return {
        "positions": {name: value for name, value, _, _ in placed},
        "errors": {name: error for name, _, error, _ in placed},
        "units": {name: unit for name, *_, unit in placed},
        "iterations": report.iterations,
        "residual": report.residual,
        "held": report.held,
        "held_errors": report.held_errors,
        "supports": report.supports,
        "support_errors": report.support_errors,
        "neutral": report.neutral,
        "unstable": report.unstable,
        "undecided": report.undecided,
        "left": report.left,
        "at_start": signal_forces(program),
        "left_out": left_out_of_statics(program),
    }


def _positions(program: Started, errors: np.ndarray | None) -> Iterator[tuple[str, float, float, str]]:
    """Name, value, its error and unit of each coordinate; of a quaternion its angles psi, theta, phi."""
    mechanism, model, data = program.mechanism, program.model, program.data
    for k, (name, row) in enumerate(zip(mechanism.coordinate_names(), mechanism.rows, strict=True)):
        if row.coordinate is not None:
            modal, slides = row.coordinate.modal, row.coordinate.prismatic
            error = 0.0 if errors is None else float(errors[k])
            yield name, float(data.q[k]), error, "kg^0.5*m" if modal else "m" if slides else "rad"
        elif row.quat >= 0 and row.quat_axis == 0:
            angles = angles_of_quaternion(data.quat[int(model.topo[k, f.QUAT])])
            block = mechanism.joints[row.joint].block
            turned = 0.0 if errors is None else float(np.linalg.norm(errors[k : k + 3]))
            tilted = turned / abs(math.cos(angles[1]))  # rates of psi and phi are at most omega / cos(theta)
            bounds = tilted, turned, tilted
            for angle, value, error in zip(("psi", "theta", "phi"), angles, bounds, strict=True):
                yield f"{block}.{angle}", value, error, "rad"
