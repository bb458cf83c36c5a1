"""Motion of a vessel in a sea by its response amplitude operators (RAO)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..errors import Problem
from ..params import Choice, Names
from ..ports import TRAJECTORY, Out
from ..signal_params import Rows
from ..signals.table_data import Tabulated, knot_order_problem
from .random_harmonics import angle_of, four_angles_moderate, product_of_motions, smooth_ramp
from .response_table import DOUBTED, Responses, doubt_message
from .sea_spectrum import Sea

SLIDES, TURNS = ("surge", "sway", "heave"), ("roll", "pitch", "yaw")
MOTIONS = (*SLIDES, *TURNS)
OUTSIDE = 0.01  # share of the energy beyond the table's ends that is told


def add_response_harmonic(motion, w, c, s, response, at):
    """Motion with the next harmonic added: the real part of (p + i q) (c + i s)."""
    p, q = response[at], response[at + 1]
    value = p * c - q * s
    return motion[0] + value, motion[1] - w * (p * s + q * c), motion[2] - w * w * value


def with_wave(so_far, tones, response, k, c, s):
    """Elevation and six motions with the next harmonic added."""
    elevation, surge, sway, heave, roll, pitch, yaw = so_far
    w, at = tones[k], 4 * k
    return (
        elevation + tones[k + 1] * c,
        add_response_harmonic(surge, w, c, s, response, at),
        add_response_harmonic(sway, w, c, s, response, at + 2),
        add_response_harmonic(heave, w, c, s, response, at + 4),
        add_response_harmonic(roll, w, c, s, response, at + 6),
        add_response_harmonic(pitch, w, c, s, response, at + 8),
        add_response_harmonic(yaw, w, c, s, response, at + 10),
    )


class VesselMotion(Sea, Tabulated):
    """Six motions of a vessel in a sea: each harmonic, times the amplitude and by the phase of the table (RAO).

    Of equal numbers as `waves` has it is the same sea. Responses between the rows are interpolated as complex numbers;
    beyond the ends they stay. The table is that of one heading; its origin is what moves, at `position`.
    """

    example = {"rao": [[0.2, 1.0, 0.0], [2.0, 0.1, 1.0]], "axes": ["heave"], "highest": 2.5}
    table = "rao"
    rao = Rows(
        doc="rows [frequency, amplitude, phase, amplitude, phase, ...] for the axes; rad/s, m/m, rad/m, rad"
    )
    axes = Names(
        list(MOTIONS), choices=list(MOTIONS), doc="axes of the table, in its order; others stand still"
    )
    phases = Choice(
        "lead", ["lead", "lag"], doc="phases say how far a motion leads, or lags, the crest at its origin"
    )
    angles = Choice(
        "rad", ["rad", "deg"], doc="unit of a file's phases and turns: rad and rad/m, or deg and deg/m"
    )
    elevation = Out(unit="m", doc="of the sea at the vessel's mean position")
    surge = Out(unit="m", kind=TRAJECTORY, doc="along x")
    sway = Out(unit="m", kind=TRAJECTORY, doc="along y")
    heave = Out(unit="m", kind=TRAJECTORY, doc="along z")
    roll = Out(unit="rad", kind=TRAJECTORY, doc="about x")
    pitch = Out(unit="rad", kind=TRAJECTORY, doc="about y")
    yaw = Out(unit="rad", kind=TRAJECTORY, doc="about z")
    derived_names = ("tones", "response")

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        columns = 1 + 2 * len(self.axes)
        problems = list(self.table_problems(2, range(columns, columns + 1)))
        problems = problems or list(knot_order_problem([row[0] for row in self.rows()], self.table_place()))
        yield from problems
        if problems:
            return
        first, last = self.rows()[0][0], self.rows()[-1][0]
        if first < 0.0:
            yield Problem(f"found a frequency of {first:g} rad/s, expected >= 0", f"{self.table_place()}[0]")
        beyond = self.energy_share_outside(first, last)
        if beyond > OUTSIDE:
            message = (
                f"found rows from {first:g} to {last:g} rad/s, beyond which lie {100.0 * beyond:.0f} % of the sea's "
                "energy: the response stays there as at the ends"
            )
            yield Problem(message, self.table_place(), "add rows", severity="warning")
        w, a, _ = self.waves()
        share = self.responses(w).doubt(a)
        if not share <= DOUBTED:
            message = doubt_message(share, "motions")
            yield Problem(message, self.table_place(), "add rows between them", severity="warning")

    def responses(self, w: np.ndarray) -> Responses:
        """Complex amplitudes of the six motions at these frequencies, for a wave of 1 m: (n, 6)."""
        table = np.array(self.rows(), float)
        in_degrees = self.file is not None and self.angles == "deg"
        unit = math.radians(1.0) if in_degrees else 1.0
        sense = -unit if self.phases == "lag" else unit
        H, arc = np.zeros((len(w), len(MOTIONS)), complex), np.zeros((len(w), len(MOTIONS)))
        for k, name in enumerate(self.axes):
            size = table[:, 1 + 2 * k] * (unit if name in TURNS else 1.0)
            rows = size * np.exp(1j * sense * table[:, 2 + 2 * k])
            j = MOTIONS.index(name)
            H[:, j] = np.interp(w, table[:, 0], rows)
            arc[:, j] = np.interp(w, table[:, 0], np.abs(rows))
        return Responses(H, arc)

    def derived(self) -> dict[str, tuple[float, ...]]:
        w, a, phase = self.waves()
        moved = a[:, None] * self.responses(w).H
        response = np.stack([np.real(moved), np.imag(moved)], axis=-1)
        tones = np.stack([w, a, phase], axis=-1)
        return {"tones": tuple(tones.ravel().tolist()), "response": tuple(response.ravel().tolist())}

    def out(t, tones, response, fade_in):
        still = (0.0, 0.0, 0.0)
        so_far, k = (0.0, still, still, still, still, still, still), 0
        while k < len(tones):
            if k + 12 <= len(tones) and four_angles_moderate(t, tones, k):
                a, b = angle_of(t, tones, k), angle_of(t, tones, k + 3)
                c, d = angle_of(t, tones, k + 6), angle_of(t, tones, k + 9)
                so_far = with_wave(so_far, tones, response, k, math.cos(a), math.sin(a))
                so_far = with_wave(so_far, tones, response, k + 3, math.cos(b), math.sin(b))
                so_far = with_wave(so_far, tones, response, k + 6, math.cos(c), math.sin(c))
                so_far = with_wave(so_far, tones, response, k + 9, math.cos(d), math.sin(d))
                k += 12
            else:
                a = angle_of(t, tones, k)
                so_far = with_wave(so_far, tones, response, k, math.cos(a), math.sin(a))
                k += 3
        elevation, surge, sway, heave, roll, pitch, yaw = so_far
        r = smooth_ramp(t, fade_in)
        return (
            r[0] * elevation,
            product_of_motions(surge, r),
            product_of_motions(sway, r),
            product_of_motions(heave, r),
            product_of_motions(roll, r),
            product_of_motions(pitch, r),
            product_of_motions(yaw, r),
        )
