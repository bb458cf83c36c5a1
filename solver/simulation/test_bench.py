"""Test bench: one block by itself, for tests of blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ...blocks import Block
from ...blocks.text.raw_types import Raw
from ..flatten.diagram import Diagram
from ..results.result import Result
from .simulation import compile, warn_remarks

Given = float | Sequence[float] | str


def alone(
    block: type[Block] | str,
    inputs: Mapping[str, Given] | None = None,
    stop: float = 1.0,
    step: float = 1e-3,
    **parameters: object,
) -> Result:
    """Run one block by itself, named by its class or type; it is called `it`: `result["it.y"]`.

    Inputs are numbers, lists of them, or expressions of time ("sin(3*t)"); parameters are as in a netlist. A block with
    a `frame_a` hangs on the world.
    """
    diagram = Diagram()
    raw = cast("dict[str, Raw]", parameters)
    diagram.add_block("it", {"type": block if isinstance(block, str) else block.type_name, **raw})
    for name, value in (inputs or {}).items():
        source = f"given_{name}"
        if isinstance(value, str):
            diagram.add_block(source, {"type": "expression", "expr": value})
        else:
            plain: Raw = value if isinstance(value, float | int) else [*value]
            diagram.add_block(source, {"type": "constant", "value": plain})
        diagram.connect(f"{source}.y", f"it.{name}")
    if "frame_a" in diagram.block_ports("it"):
        diagram.connect("world.frame", "it.frame_a")
    sim = compile(diagram)
    result = sim.record(sim.start(stop, step))
    warn_remarks(result)
    return result
