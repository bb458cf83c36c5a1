"""Runs beside a static equilibrium: kicked to either side, with damping, they come back to it or leave it.

The model itself is flown, by the kernels of runs, which a search for rest does not use. Every coordinate is damped; what
`hold` holds stands on stiff springs that carry what it carried; what is driven and what signals give acts as in a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ..machine import fields as f
from ..start.statics import NoEquilibrium
from ..run.closed import led
from .confirm import Confirmation

if TYPE_CHECKING:
    from ..run.session import Session
    from ..run.simulation import Simulation
    from ..start.statics import StaticReport, Way

KICK = 1e-4  # [rad or m] to which the slowest motion swings, on the coordinate that it moves most
DAMPED = 0.5  # damping ratio that is added
PERIODS = 4.0  # of the slowest motion: how long a run lasts; growth is 1e10-fold in them
LONGEST = 200_000  # steps
LOOKS = 60
STIFF = 300.0  # [rad/s] of what is held
RESTS, LEAVES = "comes back", "moves away"
BACK = 0.1  # of the swing: below this it has come back; above all of it, it has left


def by_runs(sim: Simulation) -> list[Confirmation]:
    """Kick the equilibrium of `sim` (a simulation that begins there) to both sides along its slowest motion."""
    report = sim.program.static
    if report is None or report.slowest is None:
        return []
    expected = LEAVES if report.unstable else RESTS
    runs = []
    for size in (KICK, -KICK):
        seen, agrees = _flown(sim, report, report.slowest, size, expected)
        runs.append(Confirmation(f"kick of {report.slowest.name}", f"{size:+g}", expected, seen, agrees))
    return runs


def _flown(
    sim: Simulation, report: StaticReport, way: Way, size: float, expected: str
) -> tuple[str, bool | None]:
    """What one run does, and whether that is what the answer says; None where the run is driven as statics are not."""
    pace, h = max(way.rate, 1e-3), sim.settings.step
    stop = h * min(LONGEST, max(LOOKS, round(2.0 * np.pi * PERIODS / pace / h)))
    try:
        session = sim.start(stop=stop, output_step=stop)
        rest = _prepare(sim, session, report, way, size * pace)
        far = _distances(session, rest, way)
    except LuffError as error:
        return f"no run: {error.problems[0].message}", None
    swing, end = max(float(np.max(far[: max(2, len(far) // 4)], initial=0.0)), abs(size)), far[-1]
    lost = session.status == "failed" or not np.isfinite(far).all()
    seen = LEAVES if lost or end > swing else RESTS if end <= BACK * swing else ""
    if not seen:
        return f"is still {end / swing:.2g} of its swing away", None
    if seen != expected and (sim.program.driven or led(sim.program)):
        return f"{seen}; the run is driven", None
    return seen, seen == expected


def _prepare(sim: Simulation, session: Session, report: StaticReport, way: Way, speed: float) -> np.ndarray:
    """Damp all coordinates, hold what is held, kick the rest; returns where everything stood."""
    run = session.instance
    model, names = run.model, sim.program.mechanism.coordinate_names()
    run.rates(0.0, session.x)
    rest = run.data.q.copy()
    law = model.row[:, f.COORDINATE : f.COORDINATE + f.ARMATURE]
    free = model.topo[:, f.MODE] == f.FREE
    law[free, f.DAMPING] += 2.0 * DAMPED * way.rate * way.inertia[free]
    for name, effort in report.held.items():
        i = names.index(name)
        stiffness = STIFF**2 * way.inertia[i] + law[i, f.STIFFNESS]
        if free[i] and stiffness > 0.0:
            off = rest[i] - law[i, f.REST]
            effort = effort - (law[i, f.STIFFNESS] + law[i, f.CUBIC] * off * off) * off
            law[i, f.STIFFNESS], law[i, f.CUBIC], law[i, f.REST] = stiffness, 0.0, rest[i] + effort / stiffness
            law[i, f.DAMPING] += 2.0 * STIFF * way.inertia[i]
    for k, (kind, row, _) in enumerate(model.state):
        if kind == f.V_STATE:
            session.x[k] += speed * way.rows[row]
    return rest


def _distances(session: Session, rest: np.ndarray, way: Way) -> np.ndarray:
    """How far the coordinates are from where they rested, along the run: the largest of all, in its own unit."""
    run, far = session.instance, []
    while session.status == "running":
        session.advance(steps=max(1, session.steps // LOOKS))
        run.rates(session.time, session.x)
        far.append(float(np.max(abs(run.data.q - rest)[way.counted], initial=0.0)))
    return np.array(far)


def none_found(error: LuffError) -> str:
    """Verdict of a search that found no equilibrium: tips, loose or unknown."""
    return error.verdict if isinstance(error, NoEquilibrium) else "unknown"
