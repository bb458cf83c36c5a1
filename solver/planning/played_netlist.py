"""The netlist that plays a plan: tables in the place of its inputs."""

from __future__ import annotations

import copy
import re
from typing import cast

import numpy as np

from ...blocks import LuffError
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.text.raw_types import Raw, RawMap
from ..flatten.diagram import Diagram
from ..flatten.flatten import flatten
from .flight import ROWS
from .plan_data import PlanData


def run_settings(diagram: Diagram, duration: float) -> RawMap:
    """Settings of a run to the plan's end; fixed steps would move the switches by up to half a step."""
    step = flatten(diagram).simulation.step
    steps = int(np.ceil(duration / step - 1e-6))
    rows = max(1, steps // ROWS)
    steps = -(-steps // rows) * rows
    ends = {"stop": round(steps * step, 12), "output_step": round(rows * step, 12)}
    return {**diagram.simulation, **ends, "method": "dop853"}


def netlist_of_plan(plan: PlanData) -> Diagram:
    """Copy of the plan's model with a table `NAME_plan` for each control."""
    if plan.diagram is None:
        raise LuffError("the plan was read from a file, which holds no netlist", fix="call luff.plan again")
    made = copy.deepcopy(plan.diagram)
    inputs = dict(made.all_inputs)
    wires = [*made.connections]
    names = [*plan.controls]
    for base in dict.fromkeys(name.partition("[")[0] for name in names):
        columns = [1 + k for k, name in enumerate(names) if name.partition("[")[0] == base]
        block = f"{base}_plan"
        made.add_block(
            block,
            {"type": "table", "data": plan.rows[:, [0, *columns]].tolist(), "unit": plan.units.get(base, "")},
        )
        wires = [re.sub(rf"^\s*{INPUTS}\.{re.escape(base)}(?=[\s\[-])", f"{block}.y", wire) for wire in wires]
        inputs.pop(base, None)
    for name, value in plan.parameters.items():
        base = name.partition("[")[0]
        elements = [number for key, number in plan.parameters.items() if key.partition("[")[0] == base]
        inputs[base] = {
            **cast("RawMap", inputs[base] or {}),
            "default": value if len(elements) == 1 else [*elements],
        }
    made.set_section("connect", cast("Raw", wires))
    made.set_section(INPUTS, inputs or None)
    made.set_section("simulation", run_settings(made, plan.duration))
    return made
