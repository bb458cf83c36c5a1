"""Description of a compiled diagram in words and counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, TypedDict

from ..diagnostics.model_summary import Summary
from ..program.implicit_solution import solution_in_words
from .step_advice import Advice, advise
from .touch_advice import AT_ONCE, TouchAdvice, touch_advice

if TYPE_CHECKING:
    from ..mechanism.mechanism import Mechanism
    from ..simulation.simulation import Simulation


class RunReport(TypedDict):
    stop: float
    step: float
    method: str
    output_step: float


class StateReport(TypedDict):
    name: str
    unit: str
    initial: float


class SignalReport(TypedDict):
    name: str
    unit: str


class LinkReport(TypedDict):
    divisions: int
    error: float
    enough: int
    shear: float | None
    shear_known: bool
    ratios: list[float]


class TouchReport(TypedDict):
    pair: str
    rate: float
    largest_rk4_step: float | None
    light_rk4_step: float | None
    others: int  # that a body may touch at the same time for these steps
    speed: float | None


class AdviceReport(TypedDict):
    frequency: float
    frequency_state: str
    largest_rk4_step: float | None
    fastest_state: str
    links: dict[str, LinkReport]
    touches: dict[str, TouchReport]


class Description(Summary):
    """Data of `luff info`."""

    doc: str
    simulation: RunReport
    tree: list[str]
    state_list: list[StateReport]
    signal_list: list[SignalReport]
    advice: AdviceReport
    implicit_steps: str


def describe(sim: Simulation) -> Description:
    """Counts, states, signals and the spanning tree, as plain data."""
    program = sim.program
    initial = program.x0.tolist()
    states = zip(program.state_names, program.state_units, initial, strict=True)
    settings = sim.settings
    return {
        **sim.summary,
        "doc": program.flat.doc,
        "simulation": {
            "stop": settings.stop,
            "step": settings.step,
            "method": settings.method,
            "output_step": settings.output_step,
        },
        "tree": tree_lines(program.mechanism),
        "state_list": [{"name": name, "unit": unit, "initial": value} for name, unit, value in states],
        "signal_list": [{"name": column.name, "unit": column.unit} for column in program.columns],
        "advice": advice_data(advise(sim), touch_advice(sim)),
        "implicit_steps": solution_in_words(
            program.ordered["rates"],
            [one.model for one in program.components],
            len(program.x0) - program.mechanical,
        ),
    }


def advice_data(advice: Advice, touching: Mapping[str, TouchAdvice]) -> AdviceReport:
    """The fastest motion about the start, the largest step of RK4 (None: any), divisions of links, contacts."""
    links: dict[str, LinkReport] = {
        name: {
            "divisions": link.divisions,
            "error": link.error,
            "enough": link.enough,
            "shear": link.shear,
            "shear_known": link.shear_known,
            "ratios": [*link.ratios],
        }
        for name, link in advice.links.items()
    }
    return {
        "frequency": advice.frequency,
        "frequency_state": advice.state,
        "largest_rk4_step": advice.largest_step if isfinite(advice.largest_step) else None,
        "fastest_state": advice.fastest,
        "links": links,
        "touches": {
            name: {
                "pair": one.pair,
                "rate": one.rate,
                "largest_rk4_step": one.largest_step if isfinite(one.largest_step) else None,
                "light_rk4_step": one.light_step if isfinite(one.light_step) else None,
                "others": AT_ONCE,
                "speed": one.speed if isfinite(one.speed) else None,
            }
            for name, one in touching.items()
        },
    }


def tree_lines(mechanism: Mechanism) -> list[str]:
    """The spanning tree, one joint a line: `slew (revolute) carries column`; then the joints that close loops."""
    if not mechanism.joints and not mechanism.cuts:
        return []
    children: dict[int, list[int]] = defaultdict(list)
    for number, joint in enumerate(mechanism.joints):
        parent = mechanism.rows[joint.first].parent
        children[mechanism.rows[parent].joint if parent >= 0 else -1].append(number)
    bodies: dict[int, list[str]] = defaultdict(list)
    for block, _, row, _ in mechanism.bodies:
        if row >= 0:
            bodies[mechanism.rows[row].joint].append(block)

    lines = ["world"]
    stack = [(number, 1) for number in reversed(children[-1])]
    while stack:
        number, depth = stack.pop()
        joint = mechanism.joints[number]
        carried = f" carries {', '.join(dict.fromkeys(bodies[number]))}" if bodies[number] else ""
        lines.append(f"{'  ' * depth}{joint.block} ({joint.part.kind}){carried}")
        stack += [(child, depth + 1) for child in reversed(children[number])]
    lines += [f"loop closed by {cut.block} ({cut.part.kind})" for cut in mechanism.cuts]
    return lines
