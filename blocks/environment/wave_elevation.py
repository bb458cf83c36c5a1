"""The elevation of a sea at a point."""

from __future__ import annotations

import numpy as np

from ..ports import TRAJECTORY, Out
from .random_harmonics import harmonic_sum, product_of_motions, smooth_ramp
from .sea_spectrum import Sea


class Waves(Sea):
    """A sea of long-crested waves at a point: z = sum of a_k cos(w_k t - k_k x + e_k), from a spectrum and a seed.

    Amplitudes carry the energy of their bins, so that the standard deviation is Hs/4 in every seed; frequencies are
    random within the bins, so that nothing repeats early. Waves are linear.
    """

    elevation = Out(unit="m", doc="of the surface")
    trajectory = Out(unit="m", kind=TRAJECTORY, doc="the elevation with its rate and acceleration")
    derived_names = ("tones",)

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"tones": tuple(np.stack(self.waves(), axis=-1).ravel().tolist())}

    def out_elevation(t, tones, fade_in):
        return product_of_motions(harmonic_sum(t, tones, 0, len(tones)), smooth_ramp(t, fade_in))[0]

    def out_trajectory(t, tones, fade_in):
        return product_of_motions(harmonic_sum(t, tones, 0, len(tones)), smooth_ramp(t, fade_in))
