"""Advice before a run: the fastest motion of a model, the largest step for which RK4 is stable, divisions of links."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.geometry.beam_chain import bending_frequencies, natural_modes, plane_mass
from ...blocks.geometry.beam_properties import Beam
from ...blocks.geometry.cross_sections import Section
from ...blocks.mechanics.flexible_links import RfemLink
from ..diagnostics.step_error import eigendecomposition
from ..integrators.method_table import METHODS
from ..simulation.gas_compressibility import gas_softness
from .eigenvalues import eigenvalues, nearest

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

DIFFERENCE = (
    1e-6  # of a state, to either side: rounding and curvature both stay below 1e-8 of ordinary entries
)
ERROR = 1e-8  # relative, of an entry
# divisions of a link's frequencies with and without shear: within 0.2 % of Timoshenko's in six modes at a length of
# five heights (`tests/systems/test_short_beams.py`); advice on a share above 1 % rests on them, no verdict
SHEARED = 24
FINE = 48  # divisions at which the error of a link's frequencies has settled to C / n^2


@dataclass(frozen=True)
class LinkAdvice:
    """Accuracy of a flexible link's divisions, and the number that is enough."""

    divisions: int
    error: float  # relative, of the worst of the first bending frequencies
    enough: int
    # share by which shear, left out, would lower one of these frequencies; None if it is there
    shear: float | None
    shear_known: bool  # False: a lower bound, as the section has no shear coefficients
    # damping ratios of the first bending modes, clamped; empty if not by stiffness alone
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class Advice:
    """Highest frequency and largest stable step of the model about its initial state."""

    frequency: float  # highest natural circular frequency [rad/s]; 0 when nothing oscillates
    state: str  # that takes the largest part in it
    largest_step: float  # for which RK4 is stable [s]; infinite when nothing decays or oscillates
    fastest: str  # state that limits the step
    links: dict[str, LinkAdvice]


def advise(sim: Simulation, accuracy: float = 0.01, modes: int = 2) -> Advice:
    """Look at a compiled model; `accuracy` is wished for the first bending frequencies of each flexible link.

    Of a model without states, or whose rates are not finite about its start, only its links are known.
    """
    links = {
        name: _link_advice(block, accuracy, modes)
        for name, block in sim.program.flat.blocks.items()
        if isinstance(block, RfemLink) and not block.rigid
    }
    A = state_matrix(sim) / gas_softness(sim.program, sim.x0)
    if not len(A) or not np.all(np.isfinite(A)):
        return Advice(0.0, "", math.inf, "", links)
    values, vectors = eigendecomposition(A)
    known = eigenvalues(A, ERROR * abs(A))
    # a double zero is moved by the root of what differences leave, and is no frequency
    bounds = known.bounds[nearest(values, known.values)]
    values = np.where(abs(values) <= bounds, 0.0, values).astype(complex)
    steps = [METHODS["rk4"].largest_step(value) for value in values]
    frequencies = np.abs(np.imag(values))

    def leading(k: int) -> str:
        return sim.state_names[int(np.argmax(np.abs(vectors[:, k])))]

    high, fast = int(np.argmax(frequencies)), int(np.argmin(steps))
    return Advice(
        frequency=float(frequencies[high]),
        state=leading(high) if frequencies[high] > 0.0 else "",
        largest_step=float(steps[fast]),
        fastest=leading(fast) if math.isfinite(steps[fast]) else "",
        links=links,
    )


def _link_advice(link: RfemLink, accuracy: float, modes: int) -> LinkAdvice:
    """Advice on one flexible link, by the modes of it alone, clamped at frame_a."""
    shear, known = shear_left_out(link.beam, modes) if not link.shear else (None, True)
    time, ratios = link.damping_time, ()
    if time > 0.0:
        planes = [bending_frequencies(link.beam, link.divisions, axis, bool(link.shear)) for axis in (1, 2)]
        softer = min(planes, key=lambda each: each[0])
        ratios = tuple(0.5 * time * w for w in softer[:3].tolist())
    error, enough = _error(modes) / link.divisions**2, divisions_for(accuracy, modes)
    return LinkAdvice(link.divisions, error, enough, shear, known, ratios)


def shear_left_out(beam: Beam, modes: int) -> tuple[float, bool]:
    """Largest share by which shear lowers one of the first bending frequencies; False: at least that.

    Shear coefficients that a section does not tell are taken as 1: none is larger.
    """
    known = not any(math.isnan(kappa) for _, each in beam.stations for kappa in beam.shear_of(each))
    if not known:
        stations = (
            (x, Section({**vars(each), "shear_y": 1.0, "shear_z": 1.0}, each.given))
            for x, each in beam.stations
        )
        beam = beam._replace(stations=tuple(stations))
    lowered = 0.0
    for axis in (1, 2):
        with_shear, without = (
            bending_frequencies(beam, SHEARED, axis, shear)[:modes] for shear in (True, False)
        )
        lowered = max(lowered, float(np.max(1.0 - with_shear / without)))
    return lowered, known


def state_matrix(sim: Simulation, x: np.ndarray | None = None) -> np.ndarray:
    """d(dx/dt)/dx by plain central differences: quick, where `linearise` is careful."""
    x = np.array(sim.x0 if x is None else x, float)
    A = np.zeros((len(x), len(x)))
    for j in range(len(x)):
        step = DIFFERENCE * max(1.0, abs(x[j]))
        ahead, behind = x.copy(), x.copy()
        ahead[j] += step
        behind[j] -= step
        A[:, j] = (sim.derivative(0.0, ahead) - sim.derivative(0.0, behind)) / (ahead[j] - behind[j])
    return A


def divisions_for(accuracy: float, modes: int = 2) -> int:
    """Divisions after which the first bending frequencies of a link clamped at one end are that accurate.

    With both ends free they converge much faster (with n^-4).
    """
    return max(1, math.ceil(math.sqrt(_error(modes) / accuracy)))


@cache
def _error(modes: int) -> float:
    """C in error = C / n^2: of the worst of the first modes."""
    wanted = np.array([_root(mode) ** 2 for mode in range(1, modes + 1)])
    return float(np.max(np.abs(_frequencies(FINE)[:modes] / wanted - 1.0))) * FINE**2


def _root(mode: int) -> float:
    """The mode-th root of cos(b) cosh(b) = -1, by Newton."""
    b = (mode - 0.5) * math.pi
    for _ in range(20):
        b -= (math.cos(b) + 1.0 / math.cosh(b)) / (-math.sin(b) - math.tanh(b) / math.cosh(b))
    return b


def _frequencies(n: int) -> np.ndarray:
    """Bending frequencies of a slender clamped link of length, mass and E I one, with n divisions, in one plane."""
    springs = ((np.arange(1, n + 1) - 0.5) / n).tolist()
    ends = pairwise([0.0, *springs, 1.0])
    pieces = [(b - a, 0.5 * (a + b), (b - a) ** 3 / 12.0) for a, b in ends]
    return natural_modes(plane_mass(pieces, springs), [float(n)] * n)[0]
