"""Operations of impacts: rows that a release locks by what its block has decided; edges that tolerance bands meet.

They run behind all decisions of an instant, and change the rates in the state vector (`kernels/plastic_impact.py`,
`bands.py`).
"""

from __future__ import annotations

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.multibody_parts import InverseDynamics
from ..codegen.jit import EntryPoint
from ..kernels import model_data as f
from ..kernels.kernel_selection import banded_kernels, impact_kernel
from ..kernels.model_data import Model
from ..mechanism.mechanism import Mechanism, TreeJoint
from .evaluation_stages import DYNAMICS, KINEMATICS, stage_key
from .mechanism_operations import MechanismOperations
from .operations import ADD, Operation
from .scalar_places import Key
from .signal_operations import SignalEmitter
from .work_space import ENERGIES

MEMORY = "held"  # of the block, which it decides
LEDGER = ((0, f.IMPACT_WORK), (1, f.IMPACT_LOSS))  # energies of drives and of dissipation


def releases(mechanism: Mechanism) -> list[TreeJoint]:
    """Joints whose freedoms a block locks."""
    return [joint for joint in mechanism.joints if joint.part.hold]


def add_impacts(mechanics: MechanismOperations, model: Model, emitter: SignalEmitter) -> None:
    """Append the impacts of a component to the decisions of a step."""
    if mechanics.banded:
        needs = [mechanics.key(DYNAMICS), *(key for made in emitter.decisions for key in made.makes)]
        emitter.decisions += impact_operations(mechanics, banded_kernels()["decide"], needs)
    joints = releases(mechanics.mechanism)
    if not joints:
        return
    check_releases(mechanics.mechanism, joints, model)
    needs = [mechanics.key(KINEMATICS)]
    # the kernel leaves no evaluation behind that a decision could read
    needs += [key for made in emitter.decisions for key in made.makes]
    made = []
    for joint in joints:
        first, _ = emitter.memory.at[f"{joint.block}.{MEMORY}"]
        step = stage_key("locked", joint.first)
        made.append(mechanics.lock(step, joint, ("mem", first), ((joint.block, "@decide", 0, 0),)))
        needs.append(mechanics.key(step))
    emitter.decisions += [*made, *impact_operations(mechanics, impact_kernel(), needs)]


def impact_operations(mechanics: MechanismOperations, code: EntryPoint, needs: list[Key]) -> list[Operation]:
    """A kernel that may change rates, and its work and loss in the energies of drives and of dissipation."""
    impact, number = mechanics.key(stage_key("impact")), mechanics.number
    made = [Operation((impact,), tuple(needs), code, label=mechanics.name, component=number)]
    booked: list[Key] = []
    for energy, column in LEDGER:
        key, place = mechanics.key(stage_key("impact energy", energy)), (ENERGIES, energy)
        entries = (place, place, mechanics.cell("scalar", column))
        # components add to the same energy, one after the other
        made.append(Operation((key,), (impact,), ADD, entries, label=mechanics.name))
        booked.append(key)
    made.append(Operation(((mechanics.name, "@decide", number, 0),), tuple(booked), label=mechanics.name))
    return made


def check_releases(mechanism: Mechanism, joints: list[TreeJoint], model: Model) -> None:
    """CompileError for releases in mechanisms whose impact is not defined by the rates of their tree alone."""
    for joint in joints:
        if np.any(model.way[:, joint.first : joint.last + 1]):
            mistake = (
                "a loop or a constraint goes through this release, which can only hold a branch of the tree"
            )
            fix = "hold the load by one release; let a `bushing` or a rope take part in a loop"
            raise CompileError(Problem(mistake, joint.block, fix))
        if model.option[f.O_SERVO]:
            mistake = "a servo constraint in the same mechanism: its drives give no impulse"
            raise CompileError(Problem(mistake, joint.block, "realise the constraint by `ideal`"))
        for placed in mechanism.others_of(InverseDynamics):
            if placed.part.law == "track":
                mistake = f"{placed.block} takes the freedoms of this release as free, also while it holds"
                fix = "use gravity_compensation, or pd"
                raise CompileError(Problem(mistake, joint.block, fix))
