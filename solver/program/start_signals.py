"""Signals that the first state of a mechanism needs, and the forces that statics take from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from ...blocks.multibody_parts import AtRest
from ..codegen.source_functions import Function
from ..initial.assembly import given_values
from ..initial.initial_state import InitialState, SignalDemands
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model, new_data
from ..mechanism.friction_parameters import rows_with_bristles
from .evaluation_stages import DYNAMICS, KINEMATICS, SENSE, has_step
from .interpreter import Evaluation, interpret
from .operations import Key, Operation
from .program import Moved, Program
from .schedule import makers, scheduled


class StartSignals:
    """Signals that the first state of a component needs: those that kinematics reads, run once as plain Python,
    with all components that were started before."""

    def __init__(self, program: Program, starts: Sequence[InitialState | None]):
        self.program, self.starts = program, starts
        self.maker = makers([*program.operations, *program.updates])

    @cached_property
    def updates(self) -> list[Key]:
        """Updates of sampled blocks that see no motion."""
        return self._motionless_keys((one.block, "@update", 0, 0) for one in self.program.sampled)

    def _motionless_keys(self, keys: Iterable[Key]) -> list[Key]:
        """Keys whose operations do not depend on the motion."""
        return [key for key in keys if not has_step(self._made(key), KINEMATICS)]

    def _made(self, key: Key) -> set[Key]:
        """Keys of all operations that a key needs, itself included."""
        return made_for(self.maker, key)

    def of(self, number: int) -> SignalDemands:
        """Demands of a component at its first state: inputs, driven coordinates, and the function that fills them."""
        one, numbers = self.program.components[number], self.program.numbers
        # a search for rest feels forces too
        forces = self._motionless_keys(one.forces) if self.program.flat.initial.solve == "static" else []
        ordered = scheduled(self.maker, [*self.updates, *one.given, *forces])

        def fill(model: Model, data: Data) -> None:
            models, each, x = self._present_components(number, model, data, ordered)
            interpret(ordered, numbers, models, each, x)

        follow, placed = self._forces_by_place(one)
        return SignalDemands(
            one.inputs, one.driven, bool(one.given), fill, follow, numbers.owners([*ordered, *placed])
        )

    def _forces_by_place(self, one: Moved) -> tuple[Callable[[Model, Data, float], None], list[Operation]]:
        """Forces that signals give by where bodies are, as the run has them at t = 0 with all at rest: wind, say.

        Signals that hang on accelerations or reactions are left out: at rest nobody knows them yet.
        """
        # blocks that say what they exert at rest are asked for it there (`initial/static_loads.py`)
        told = {placed.block for placed in one.mechanism.others_of(AtRest)}
        felt = (key for key in applied_inputs(one) if self.maker[key].label.rpartition(".")[0] not in told)
        made = {key: self._made(key) for key in felt}
        keys = [key for key in made if has_step(made[key], KINEMATICS) and not has_step(made[key], DYNAMICS)]
        if not keys:
            return (lambda m, d, share: None), []
        # bodies stand where the search has put them: what is left is what sensors see there, and signals
        ordered = [
            each for each in scheduled(self.maker, keys) if has_step(each.makes, SENSE) or not moves(each)
        ]
        places = [key[2] for key in keys]

        present: list[tuple[Data, Evaluation]] = []  # for the data of the present search

        def follow(m: Model, d: Data, share: float) -> None:
            if not present or present[0][0] is not d:
                models, each, x = self._present_components(one.number, m, d, ordered)
                present[:] = [(d, Evaluation(ordered, self.program.numbers, models, each, x, compiled=True))]
            evaluation = present[0][1]
            evaluation.run()
            d.inputs[places] = share * evaluation.data[one.number].inputs[places]

        return follow, ordered

    def _present_components(
        self, number: int, model: Model, data: Data, ordered: Sequence[Operation]
    ) -> tuple[list[Model], list[Data | None], list[float]]:
        """Models and data of the components whose kernels run, or whose numbers are read, and their states, while one
        of them is started."""
        asked = {each.component for each in ordered} | {
            int(entry[0].partition("@")[2] or 0)
            for each in ordered
            for entry in each.entries
            if isinstance(entry, tuple)
        }
        models, each, x = list[Model](), list[Data | None](), list[float]()
        for one, start in zip(self.program.components, self.starts, strict=True):
            if one.number == number:
                models.append(model)
                each.append(data)
            elif one.number not in asked:
                models.append(one.model)
                each.append(None)
            elif start is None:
                models.append(one.model)
                sizes = (len(one.table.targets), 0, one.table.depth, len(one.table.choices))
                each.append(new_data(one.model, one.mechanism.quats, one.inputs, *sizes))
            else:
                state = start.model.state.copy()
                state[:, f.ST_AT] = len(x) + np.arange(len(state))
                models.append(start.model._replace(state=state))
                each.append(Data(*(array.copy() for array in start.data)))
                x += start.states.initial
        return models, each, x


def left_out_of_statics(program: Program) -> list[str]:
    """Forces that a search for rest leaves out: efforts of drives in joints that nothing holds, forces that hang on
    accelerations, friction that sticks.
    """
    mechanism = program.mechanism
    held, names = (
        given_values(mechanism, tuple(program.flat.initial.hold)).positions,
        mechanism.coordinate_names(),
    )
    driven = sorted({names[row] for row in program.driven if not held[row]})
    return [
        *(f"the drive effort on {name} (a joint that is held keeps its position)" for name in driven),
        *(
            f"the force of {name}, which depends on accelerations"
            for name in blocks_with_unknown_forces(program)
        ),
        *(
            f"the friction on {names[row]}, which may hold it elsewhere too"
            for row, _, _ in rows_with_bristles(mechanism)
            if not held[row]
        ),
    ]


def signal_forces(program: Program) -> list[str]:
    """Blocks whose forces follow from signals at a place: a search for rest takes them as at t = 0."""
    maker = makers([*program.operations, *program.updates])
    keys = [key for one in program.components for key in applied_inputs(one)]
    without = blocks_with_unknown_forces(program)
    return [
        name
        for name in dict.fromkeys(maker[key].label.rpartition(".")[0] for key in keys)
        if name not in without
    ]


def blocks_with_unknown_forces(program: Program) -> list[str]:
    """Blocks whose forces hang, by signals, on accelerations or reactions."""
    maker = makers([*program.operations, *program.updates])
    keys = [
        key
        for one in program.components
        for key in applied_inputs(one)
        if has_step(made_for(maker, key), DYNAMICS)
    ]
    return list(dict.fromkeys(maker[key].label.rpartition(".")[0] for key in keys))


def applied_inputs(one: Moved) -> list[Key]:
    """Inputs of elements of a component that are forces or moments as signals give them."""
    elements = one.model.element
    firsts = elements[
        (elements[:, f.E_KIND] >= f.FORCE_WORLD) & (elements[:, f.E_KIND] < f.SEGMENT), f.E_INPUT
    ]
    inputs = {int(first) + k for first in firsts for k in range(3)}
    return [key for key in one.forces if key[2] in inputs]


def made_for(maker: Mapping[Key, Operation], key: Key) -> set[Key]:
    """Keys of all operations that a key needs, itself included."""
    return {made for operation in scheduled(maker, [key]) for made in operation.makes}


def moves(operation: Operation) -> bool:
    """True for a kernel of a whole mechanism."""
    return operation.code is not None and not isinstance(operation.code, Function) and operation.work is None
