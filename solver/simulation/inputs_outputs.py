"""Inputs and outputs of a compiled diagram in a fixed order, and its transport to other processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Self, TypedDict

import numpy as np

from ...blocks.light_dataclass import record
from ...blocks.netlist_inputs import NAME, Inputs
from ..program.started_program import Started
from .compiled_model import Compiled
from .parameters import started_by_form

if TYPE_CHECKING:
    from ..flatten.diagram import Diagram
    from ..flatten.flatten import Flat
    from ..program.operations import Key


@record
class Signals:
    """Inputs and outputs by element: `wind`, or `wind[0]` and `wind[1]`."""

    inputs: list[str]
    outputs: list[str]
    slots: dict[str, int | slice]  # slots of inputs in the memories, by name of an element and of the whole
    places: np.ndarray  # places of outputs in the work space
    columns: list[int]  # columns of outputs among the recorded ones
    units: dict[str, str]


def io_signals(program: Started) -> Signals:
    """Inputs and outputs of a program, cached."""
    signals = program.__dict__.get("signals")
    if signals is None:
        signals = program.__dict__["signals"] = _signals(program)
    return signals


def chart_state_names(flat: Flat, key: Key) -> list[str]:
    """Names of a state machine's states for the column of its active state; empty for other columns."""
    block = flat.blocks.get(key[0])
    if block is None or block.type_name != "state_machine" or key[1] != "state":
        return []
    from ...blocks.signals.state_machine import StateMachine  # whose charts most models have nothing of

    return list(block.steps) if isinstance(block, StateMachine) else []


def _signals(program: Started) -> Signals:
    """Inputs and outputs of a program."""
    inputs, slots, units = [], {}, {}
    block = program.flat.blocks.get(NAME)
    if isinstance(block, Inputs):
        for name, entry in block.free.items():
            first, width = len(inputs), entry.width
            inputs += [name] if width == 1 else [f"{name}[{k}]" for k in range(width)]
            slots |= {inputs[k]: k for k in range(first, len(inputs))} | {name: slice(first, first + width)}
            units |= dict.fromkeys(inputs[first:], entry.unit)
    # signals of `outputs:`, or all recorded ones, each once
    listed = program.flat.outputs
    chosen = [
        k
        for k, column in enumerate(program.columns)
        if (column.top and column.name.partition("[")[0] in listed if listed else not column.top)
    ]
    outputs = [program.columns[k].name for k in chosen]
    units |= {name: program.columns[k].unit for name, k in zip(outputs, chosen, strict=True)}
    return Signals(inputs, outputs, slots, program.record[chosen], chosen, units)


class PickledExtras(TypedDict):
    """Part of a pickled simulation beside its netlist."""

    diagram: Diagram
    overrides: dict[str, object]


def _revived(cls: type[Interface], state: PickledExtras, flat: bytes) -> Interface:
    """Simulation from its pickled form, started anew: milliseconds, and the same numbers."""
    if state["diagram"].allow_code:
        state["diagram"].run_code()
    made = object.__new__(cls)
    made.__dict__.update(state)
    made.adopt(started_by_form(pickle.loads(flat)))
    return made


class PickledSimulation:
    """Pickled form of a simulation, or of a netlist that is compiled only where it arrives."""

    def __init__(self, cls: type[Interface], diagram: Diagram, overrides: dict[str, object], flat: Flat):
        self.cls, self.flat = cls, flat
        self.state: PickledExtras = {"diagram": diagram, "overrides": overrides}

    def __reduce__(self) -> tuple[Callable[..., Interface], tuple[object, ...]]:
        # the flat netlist needs no files; its blocks are read after the code that defines them has run
        return _revived, (self.cls, self.state, pickle.dumps(self.flat))


class Interface(Compiled):
    """Inputs and outputs of a `Simulation`, and its pickling."""

    diagram: Diagram
    overrides: dict[str, object]

    def twin(self, program: Started | None = None) -> Self:
        """Make another simulation of the same program; what is set in either does not reach the other.

        Parameters
        ----------
        program : Started, optional
            A program in place of this simulation's.

        Returns
        -------
        Simulation
            A simulation without runs.
        """
        made = object.__new__(type(self))
        with self.lock:
            made.diagram, made.overrides = self.diagram, dict(self.overrides)
            made.adopt(program or self.program)
        return made

    def __reduce__(self) -> tuple[Callable[..., Interface], tuple[object, ...]]:
        return PickledSimulation(type(self), self.diagram, self.overrides, self.program.flat).__reduce__()

    @property
    def inputs(self) -> list[str]:
        """Names of the signals of `inputs:`, element by element: the order in which `session.step` takes them."""
        return [*io_signals(self.program).inputs]

    @property
    def outputs(self) -> list[str]:
        """Names of the signals of `outputs:`, or all recorded ones: the order in which `session.step` returns them."""
        return [*io_signals(self.program).outputs]
