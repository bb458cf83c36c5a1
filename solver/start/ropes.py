"""Ropes in a search for rest: the natural length of the start, and no friction in sheaves, for nothing runs."""

from __future__ import annotations

import numpy as np

from ...blocks.mechanics.ropes import damped_strain
from ..kernels.forces import segment_pull
from ..machine import fields as f
from ..machine.fields import Data, Model

SLACK = 1e-12  # strain below which a rope that is taut at rest would have to push


class Ropes:
    """Those that are taut pull, and in a search push as well; `changed` looks anew which are."""

    def __init__(self, model: Model):
        self.segments = np.flatnonzero(model.element[:, f.E_KIND] == f.SEGMENT)
        self.values = model.element_value
        self.slack: set[int] = set()  # first segments

    def first(self, e: int) -> int:
        return e - int(self.values[e, f.R_NUMBER])

    def strain(self, d: Data, e: int) -> float:
        """As the rope's own equations have it, at rest."""
        stretched = float(d.element_out[self.first(e), f.ROPE_LENGTH])
        return damped_strain(float(self.values[e, f.R_LENGTH]), stretched, 0.0, 0.0, 0.0)

    def pull(self, m: Model, d: Data) -> None:
        """Forces of all ropes; their lengths are known."""
        for e in self.segments.tolist():
            taut = self.first(e) not in self.slack
            pull = self.values[e, f.R_FALLS] * self.values[e, f.R_EA] * self.strain(d, e) if taut else 0.0
            d.inputs[m.element[e, f.E_INPUT] + int(self.values[e, f.R_PULL])] = pull
            segment_pull(m, d, e)

    def changed(self, d: Data) -> bool:
        """Whether ropes came to be slack or taut since they were looked at last."""
        firsts = {self.first(e) for e in self.segments.tolist()}
        slack = {e for e in firsts if self.strain(d, e) < -SLACK}
        changed = slack != self.slack
        self.slack = slack
        return changed
