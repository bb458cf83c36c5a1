"""Test bench: one block by itself, for tests of blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ...blocks import Block
from ...blocks.text.raw_types import Raw
from ..flatten.diagram import Diagram
from ..results.result import Result
from .compile_diagram import compile
from .simulation import warn_remarks

Given = float | Sequence[float] | str


def alone(
    block: type[Block] | str,
    inputs: Mapping[str, Given] | None = None,
    stop: float = 1.0,
    step: float = 1e-3,
    **parameters: object,
) -> Result:
    """Run one block by itself, to test it.

    The block is called `it`: its output y is `result["it.y"]`. A block with a `frame_a` is attached to the world.

    Parameters
    ----------
    block : type of Block or str
        The class of the block, or its type name.
    inputs : mapping, optional
        By input port: a number, a list of numbers, or an expression of the time t, "sin(3*t)".
    stop : float, optional
        End of the run [s].
    step : float, optional
        Step [s].
    **parameters : object
        Parameters of the block, as a netlist has them.

    Returns
    -------
    Result
        The recorded signals.

    Raises
    ------
    LuffError
        A parameter or an input is wrong, or the run failed.

    Examples
    --------
    >>> import luff
    >>> result = luff.alone("gain", {"u": 2.0}, k=3, stop=0.01)
    >>> float(result["it.y"][-1])
    6.0
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
