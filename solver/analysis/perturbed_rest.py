"""Runs beside a static equilibrium: kicked to either side, with damping, they come back to it or leave it.

The model itself is flown, by the kernels of runs, which a search for rest does not use. Every coordinate is damped;
what `hold` holds stands on stiff springs that carry what it carried; what is driven, and what signals give, acts as in
any run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ..kernels import model_data as f
from ..simulation.constraint_state import is_time_driven
from .confirmation import Confirmation

if TYPE_CHECKING:
    from ..initial.static_report import StaticReport, Way
    from ..simulation.session import Session
    from ..simulation.simulation import Simulation

KICK = 1e-4  # [rad or m] to which the slowest motion swings, on the coordinate that it moves most
DAMPED = 0.5  # damping ratio that is added
PERIODS = 4.0  # of the slowest motion: how long a run lasts; growth is 1e10-fold in them
LONGEST = 200_000  # steps
LOOKS, MORE = 60, 8  # in that time; and how many times as long a damper may take to let it come back
STIFF = 300.0  # [rad/s] of what is held
RESTS, LEAVES = "comes back", "moves away"
BACK, AWAY = 0.1, 10.0  # of the swing: below the first it has come back, above the second it has left


def confirm_rest(sim: Simulation) -> list[Confirmation]:
    """Kick the equilibrium of `sim` (a simulation that begins there) to both sides along its slowest motion."""
    report = sim.program.static
    if report is None or report.slowest is None:
        return []
    expected = LEAVES if report.unstable else RESTS
    runs = []
    for size in (KICK, -KICK):
        seen, agrees = _run_outcome(sim, report, report.slowest, size, expected)
        runs.append(Confirmation(f"kick of {report.slowest.name}", f"{size:+g}", expected, seen, agrees))
    return runs


def _run_outcome(
    sim: Simulation, report: StaticReport, way: Way, size: float, expected: str
) -> tuple[str, bool | None]:
    """Outcome of one run, and whether it agrees with the answer; None where drives make the run differ from statics."""
    pace, h = max(way.rate, 1e-3), sim.settings.step
    period = max(LOOKS, round(2.0 * np.pi * PERIODS / pace / h))
    stop = h * min(LONGEST, MORE * period)
    try:
        session = sim.start(stop=stop, output_step=stop)
        rest = _prepare(sim, session, report, way, size * pace)
        seen, share = _kick_outcome(session, rest, way, max(1, period // LOOKS), abs(size))
    except LuffError as error:
        return f"no run: {error.problems[0].message}", None
    if not seen:
        return f"is still {share:.2g} of its swing away", None
    if seen != expected and (sim.program.driven or is_time_driven(sim.program)):
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
            law[i, f.STIFFNESS], law[i, f.CUBIC], law[i, f.REST] = (
                stiffness,
                0.0,
                rest[i] + effort / stiffness,
            )
            law[i, f.DAMPING] += 2.0 * STIFF * way.inertia[i]
    for k, (kind, row, *_) in enumerate(model.state):
        if kind == f.V_STATE:
            session.x[k] += speed * way.rows[row]
    return rest


def _kick_outcome(
    session: Session, rest: np.ndarray, way: Way, steps: int, least: float
) -> tuple[str, float]:
    """Outcome of a kick and its last share of the swing, observed until it is back or far away.

    The distance is the largest of all coordinates, each in its own unit.
    """
    run, swing, share, run_back = session.instance, least, 1.0, 0
    for look in range(1, MORE * LOOKS + 1):
        if session.status != "running":
            break
        session.advance(steps=steps)
        run.rates(session.time, session.x)
        far = float(np.max(abs(run.data.q - rest)[way.counted], initial=0.0))
        if session.status == "failed" or not far <= AWAY * swing:
            return LEAVES, far / swing
        swing = max(swing, far) if look <= LOOKS // 4 else swing
        share = far / swing
        # a swing passes by where it rests: back is back for a quarter of the time
        run_back = run_back + 1 if share <= BACK else 0
        if run_back == LOOKS // 4:
            return RESTS, share
    return "", share
