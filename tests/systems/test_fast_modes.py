"""Steps of the slow motion where a flexible body has fast modes: implicit ones, and mass scaled beyond a frequency."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.analysis.step_advice import state_matrix
from luff.solver.kernels import model_data as f
from luff.tests.conftest import hours_as_plain_python
from luff.tests.shared.flexible_models import LINK, beam, double_pendulum, model


@hours_as_plain_python
def test_implicit_steps_follow_the_slow_motion(tmp_path: Path) -> None:
    """Steps of 1 ms, where the stiffest mode (3.5e4 rad/s) allows `rk4` 80 us: solved by sweeps without stiffening. The
    error falls by more than half with the step.
    """
    beam(tmp_path / "link.npz", 1.5, LINK, 30, modes=4)
    kind = {"type": "flexible_body", "file": "link.npz", "stiffening": False}
    sim = model(tmp_path, *double_pendulum(kind, "tip"), simulation={"stop": "0.1 s", "output_step": "10 ms"})
    assert sim.instance.model.option[f.O_SWEPT] == 1
    with warnings.catch_warnings():  # fast modes are not followed, and it says so
        warnings.simplefilter("ignore", luff.ModelWarning)
        runs = [
            sim.run(step=h, method=method)
            for h, method in ((1e-3, "implicit"), (5e-4, "implicit"), (2e-5, "rk4"))
        ]
    coarse, fine, exact = (np.asarray(run["tip.position"]) for run in runs)
    assert abs(coarse - exact).max() < 2e-6
    assert abs(fine - exact).max() < 0.5 * abs(coarse - exact).max()


def test_scaled_mass_bounds_frequencies_and_leaves_statics(tmp_path: Path) -> None:
    """M + K / W^2 in place of M: 1 / w'^2 = 1 / w^2 + 1 / W^2 for every mode of a hinged body whose stiffness is all
    there is, to the 1e-7 of numerical derivatives; and K is what it was.
    """
    beam(tmp_path / "rod.npz", modes=6)
    blocks = {
        "world": {"gravity": [0, 0, 0]},
        "pin": {"type": "spherical"},
        "rod": {"type": "flexible_body", "file": "rod.npz", "stiffening": False},
    }
    found = {}
    for limit in (2000.0, 1e12, None):
        rod = blocks["rod"] | ({"frequency_limit": limit} if limit else {})
        sim = model(
            tmp_path, blocks | {"rod": rod}, ["world.frame -- pin.frame_a", "pin.frame_b -- rod.frame_a"]
        )
        roots = np.sort(abs(np.linalg.eigvals(state_matrix(sim)).imag))[::2]
        found[limit] = roots[roots > 1.0]
    w = found[None]
    assert found[2000.0] == pytest.approx(w / np.sqrt(1 + (w / 2000) ** 2), rel=1e-6)
    assert found[2000.0].max() < 2000.0 < w.max()
    assert found[1e12] == pytest.approx(w, rel=1e-6)
    tips = []
    for limit in (50.0, None):  # below its first frequency, of which the model warns
        rod = {"type": "flexible_body", "file": "rod.npz"} | ({"frequency_limit": limit} if limit else {})
        wires = ["world.frame -- rod.frame_a", "rod.tip -- tip.frame_b"]
        sim = model(
            tmp_path, {"rod": rod, "tip": {"type": "frame_sensor"}}, wires, initial={"solve": "static"}
        )
        tips.append(sim.evaluate(0.0, sim.x0)["tip.position[2]"])
        warned = [one for one in sim.diagram.check() if one.severity == "warning"]
        assert [one.path for one in warned] == (["blocks.rod.frequency_limit"] if limit else [])
    assert tips[0] == pytest.approx(tips[1], rel=1e-9)
    assert tips[1] < -1e-4


@hours_as_plain_python
def test_scaled_mass_takes_steps_of_the_slow_motion(tmp_path: Path) -> None:
    """Steps of 0.5 ms with `rk4`, which without it needs 80 us for 3.5e4 rad/s. Energy to 1e-8 of what is exchanged;
    the motion is off as the square of frequency over limit says: 4 times less for a limit of twice the size.
    """
    beam(tmp_path / "link.npz", 1.5, LINK, 30, modes=4)
    wires: dict[str, Any] = {"simulation": {"stop": "0.5 s", "output_step": "10 ms"}}
    tips = []
    for limit, step in ((1000.0, 5e-4), (2000.0, 5e-4), (None, 2e-5)):
        kind = {"type": "flexible_body", "file": "link.npz"} | ({"frequency_limit": limit} if limit else {})
        run = model(tmp_path, *double_pendulum(kind, "tip"), **wires).run(step=step, method="rk4")
        energy = run.quality["energy"]
        assert abs(energy["residual"]) < 1e-8 * energy["end"]["kinetic"]
        tips.append(np.asarray(run["tip.position"]))
    wide, near = (abs(tip - tips[2]).max() for tip in tips[:2])
    assert wide < 1e-4  # m, of 1.5 m links that fall by as much
    assert 2.0 < wide / near < 6.0
