"""The crane that is driven by hand: what its assists do, and where the limiter's table comes from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.simulation.simulation import Simulation
from luff.tests.process import call

MODELS = Path(__file__).parents[2] / "docs" / "models"
RELEASED, STILL = 10.0, 30.0  # s: the lever goes back to its middle; from here on the swing is looked at


def residual(sim: Simulation, assist: float) -> tuple[float, float]:
    """Swing in degrees and slewing angle at the end, after the lever was held over for ten seconds."""
    session = sim.start(stop=45)
    session.give({"levers_u": [1, 0, 0], "assist": assist})
    session.advance(steps=round(RELEASED / session.step_size))
    session.give({"levers_u": [0, 0, 0]})
    while session.status == "running":
        session.advance(1.0)
    times, rows = session.take()
    swing = np.degrees(rows[times > STILL, session.columns.index("angle.y")])
    return swing.max(), rows[-1, session.columns.index("slew.position")]


def test_assist_damps_the_swing_that_slewing_leaves() -> None:
    """In a calm sea: x'' + d x' + g/l x = 0 with d = 0.2 /s leaves exp(-d t/2), 0.14 after the 20 s from the lever's
    return; while the lever was held it has damped already, and limits of acceleration hold it back."""
    sim = luff.compile(
        luff.load(MODELS / "crane_stand.yaml"), **{"motion.Hs": "1 mm", "simulation.step": "5 ms"}
    )
    without, usual = residual(sim, 0.0)
    helped, turned = residual(sim, 1.0)
    assert without > 4.0
    assert helped < 0.2 * without
    assert abs(turned - usual) < 0.05  # rad; it gives way to the load, but goes where the lever said


def test_limiter_has_the_table_of_its_chart(tmp_path: Path) -> None:
    """The command of the page, on two places of its grid."""
    call(
        *("chart", MODELS / "crane_stand_chart.yaml", "--load", "load=0t:60t", "--over", "radius=10m,18m"),
        *("--margin", "1.25", "--limit", "pedestal.total_torque[1]>-4.2MN*m", "-o", "coarse.yaml"),
        cwd=tmp_path,
    )
    coarse, kept = (
        dict(luff.load(path).blocks["capacity"]["data"])
        for path in (tmp_path / "coarse.yaml", MODELS / "crane_stand_limiter.yaml")
    )
    assert len(coarse) == 2
    assert coarse == {radius: kept[radius] for radius in coarse}
    # the moment about the pedestal's foot by hand: M = m r - 1 t m of the column, of 30 t, + 0.45 of the boom's, 14 t
    for radius, load in kept.items():
        borne = 4.2e6 / 9.81 + 30e3 - 0.45 * 14e3 * radius
        assert np.isclose(load, min(borne / radius, 60e3) / 1.25, rtol=1e-4), (
            radius
        )  # as the table is rounded
    # what the page says of radii between
    between = np.linspace(6.0, 26.0, 2001)
    allowed = np.minimum((4.2e6 / 9.81 + 30e3) / between - 0.45 * 14e3, 60e3) / 1.25
    lower = dict(luff.load(MODELS / "crane_stand_limiter.yaml").blocks["lower"]["data"])
    over, under = (np.interp(between, [*rows], [*rows.values()]) / allowed - 1.0 for rows in (kept, lower))
    assert over.max() == pytest.approx(0.034, abs=5e-4)
    assert between[over.argmax()] == pytest.approx(12.0, abs=0.1)
    assert under.max() < 1e-6  # of rows that were rounded
