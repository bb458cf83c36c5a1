"""Static loads beside springs: ropes, and blocks that declare their force at rest.

Ropes have their free length at the start, and no sheave friction, as nothing runs.
"""

from __future__ import annotations

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.mechanics.ropes import damped_strain
from ...blocks.multibody_parts import AtRest, Band
from ..kernels import model_data as f
from ..kernels.frame_kinematics import apply_wrench
from ..kernels.model_data import Data, Model
from ..mechanism.cylinder_geometry import world_frame
from ..mechanism.mechanism import Mechanism

SLACK = 1e-12  # compressive strain from which on a rope counts as slack


def refuse_bands(mechanism: Mechanism) -> None:
    """CompileError for a tolerance band or an inequality, whose edges act in runs alone."""
    for placed in mechanism.elements:
        if isinstance(placed.part, Band):
            fix = "begin with initial: {solve: assemble}, and let it come to rest in a run"
            mistake = "a tolerance band or an inequality has no part in statics"
            raise CompileError(Problem(mistake, placed.block, fix))


class StaticRopes:
    """Ropes in statics: taut ropes pull, and push too during the search; `changed` updates which are slack."""

    def __init__(self, model: Model):
        self.segments = np.flatnonzero(model.element[:, f.E_KIND] == f.SEGMENT)
        self.values = model.element_value
        self.slack: set[int] = set()  # first segments

    def first(self, e: int) -> int:
        """First segment of the rope of segment e."""
        return e - int(self.values[e, f.R_NUMBER])

    def strain(self, d: Data, e: int) -> float:
        """Strain of the rope of segment e at rest."""
        stretched = float(d.element_out[self.first(e), f.ROPE_LENGTH])
        return damped_strain(float(self.values[e, f.R_LENGTH]), stretched, 0.0, 0.0, 0.0)

    def pull(self, m: Model, d: Data) -> None:
        """Write the tensions of all ropes to `inputs` [N]; their lengths are known."""
        for e in self.segments.tolist():
            taut = self.first(e) not in self.slack
            pull = self.values[e, f.R_FALLS] * self.values[e, f.R_EA] * self.strain(d, e) if taut else 0.0
            d.inputs[m.element[e, f.E_INPUT] + int(self.values[e, f.R_PULL])] = pull

    def changed(self, d: Data) -> bool:
        """True if a rope became slack or taut since the last call."""
        firsts = {self.first(e) for e in self.segments.tolist()}
        slack = {e for e in firsts if self.strain(d, e) < -SLACK}
        changed = slack != self.slack
        self.slack = slack
        return changed


class StaticLoads:
    """Static forces of all blocks that declare them."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.laws = [
            ([mechanism.frame_index[placed.block, frame] for frame in placed.part.frames], placed.part.law)
            for placed in mechanism.others_of(AtRest)
        ]

    def push(self, m: Model, d: Data) -> None:
        """Add the static forces to WRENCH_EXT; poses are known."""
        for frames, law in self.laws:
            axes = [world_frame(self.mechanism, d, frame) for frame in frames]
            places = [(p, R) for R, p in axes]
            for frame, (p, _), (force, torque) in zip(frames, places, law(places), strict=True):
                apply_wrench(m, d, frame, p, torque, force, 1.0)


def may_begin(m: Model, d: Data) -> bool:
    """True if a support, contact, stop or rope may still begin to act."""
    out = d.element_out
    kinds = m.element[:, f.E_KIND]
    ahead = np.isin(kinds, (f.SUPPORT, f.CONTACT, f.TOUCH, f.RAIL)) & ~(
        out[:, f.FORCE_ON_B : f.FORCE_ON_B + 3].any(axis=1)
    )
    return bool(ahead.any() or (m.row[:, f.COORDINATE + f.STOP_STIFFNESS] > 0.0).any())


def stop_ahead(m: Model, d: Data, row: int, force: float) -> bool:
    """True if the force along a row drives it towards an end stop that it has not come to."""
    law, q = m.row[row, f.COORDINATE :], d.row[row, f.Q]
    if not law[f.STOP_STIFFNESS] > 0.0:
        return False
    return bool(q > law[f.LOWER] > -np.inf) if force < 0.0 else bool(q < law[f.UPPER] < np.inf)
