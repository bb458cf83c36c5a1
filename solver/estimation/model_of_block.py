"""Model of a block that runs another netlist, and units of what the block says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ...blocks.errors import LuffError, Problem
from ...blocks.external_block import ExternalPartner, ModelBlock
from ...blocks.foreign.observer import Dimensioned
from ...blocks.params import Struct
from ...blocks.text.quantity import compatible, unit
from ..analysis.analysis_units import unit_of
from ..flatten.diagram import load
from ..simulation.compile_diagram import compile
from ..simulation.simulation import Simulation

Partner = TypeVar("Partner", bound=ExternalPartner)


def model_of(block: ModelBlock, make: Callable[[Simulation], Partner]) -> Partner:
    """Partner made of the compiled model; errors name the block."""
    try:
        return make(compile(load(block.model_path(), block.allow_code, block.files)))
    except LuffError as error:
        raise LuffError(
            Problem(one.message, f"{block.name}.{one.path}".rstrip("."), one.fix) for one in error.problems
        ) from None


def check_units(sim: Simulation, entries: Mapping[str, tuple[str, Sequence[Struct]]]) -> None:
    """LuffError for a number whose unit is not that of its signal, state, parameter or input.

    By the name of a parameter of the block: the key that names the signal, and the groups.
    """
    scope = sim.diagram.scope()
    units = dict(zip(sim.state_names, sim.program.state_units, strict=True))
    for key, (naming, groups) in entries.items():
        for k, group in enumerate(groups):
            name = getattr(group, naming)
            expected = units.get(name, "") or unit_of(sim, scope, name)
            for word, value in vars(group).items():
                if not isinstance(value, Dimensioned) or value.dimension is None or not expected:
                    continue
                if not compatible(value.dimension, unit(expected).dimension):
                    mistake = f"found a unit other than that of {name}, {expected}"
                    raise LuffError(Problem(mistake, f"{key}[{k}].{word}"))
