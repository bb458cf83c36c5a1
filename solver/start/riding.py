"""What rides on bodies and is held by forces that signals give, in a search for rest."""

from __future__ import annotations

from ...blocks.parts import AtRest
from ..kernels.frames import push
from ..machine.fields import Data, Model
from ..mechanism.cylinders import world_frame
from ..mechanism.mechanism import Mechanism


class Riding:
    """The forces at rest of all blocks that declare them."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.laws = [
            ([mechanism.frame_index[placed.block, frame] for frame in placed.part.frames], placed.part.law)
            for placed in mechanism.others_of(AtRest)
        ]

    def push(self, m: Model, d: Data) -> None:
        """Add them to the external wrenches; where bodies stand is known."""
        for frames, law in self.laws:
            axes = [world_frame(self.mechanism, d, frame) for frame in frames]
            places = [(p, R) for R, p in axes]
            for frame, (p, _), (force, torque) in zip(frames, places, law(places), strict=True):
                push(m, d, frame, *p, *torque, *force, 1.0)
