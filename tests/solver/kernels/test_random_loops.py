"""Random closed mechanisms against bodies of six freedoms: accelerations, reactions in all axes, and the balance."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.diagnostics.energy_balance import worst_balance
from luff.solver.kernels.model_data import ST_ROW, V_STATE
from luff.solver.simulation.equations_of_motion import jacobian_of_rows
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.maximal_coordinates import Twin, luff_accelerations
from luff.tests.shared.random_loops import pose, random_loops


def moving(sim: luff.Simulation, rng: np.random.Generator) -> np.ndarray:
    """The start with random rates that the constraints allow."""
    x = sim.x0.copy()
    places = [k for k, (kind, *_) in enumerate(sim.instance.model.state) if kind == V_STATE]
    rates = rng.uniform(-1, 1, len(places))
    if sim.settings.constraints.method != "reduced" and sim.program.closed:
        J = jacobian_of_rows(sim.instance)[:, [sim.instance.model.state[k, ST_ROW] for k in places]]
        rates -= np.linalg.pinv(J, rcond=1e-9) @ (J @ rates)
    x[places] = rates
    return x


@pytest.mark.parametrize("seed", range(25))
def test_random_loops_agree_with_bodies_of_six_freedoms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_loops(rng)
    sim = plain(model.text)
    x = moving(sim, rng)
    values = sim.evaluate(0.0, x)
    efforts = {}
    for name, block in sim.program.flat.blocks.items():
        if block.type_name in ("revolute", "prismatic") and f"{name}.position" in values:
            q, v = values[f"{name}.position"], values[f"{name}.velocity"]
            efforts[name] = (
                model.efforts.get(name, 0.0) - block.stiffness * (q - block.rest) - block.damping * v
            )
    twin = Twin(sim)
    found = luff_accelerations(sim)
    answer = twin.solve(efforts)
    assert answer.mobility == sim.summary["degrees_of_freedom"]
    for mine, wanted in zip(found, (answer.spin, answer.point), strict=True):
        scale = max(1.0, *(abs(a).max() for a in wanted.values()))
        for body, a in mine.items():
            # the twin solves for all bodies and joints at once, and loses some digits
            np.testing.assert_allclose(a, wanted[body], rtol=0, atol=1e-9 * scale, err_msg=body)
    if not sim.summary["redundant"]:
        scale = max(1.0, *(abs(wrench).max() for wrench in answer.total.values()))
        for joint, total in answer.total.items():
            axes = sim.program.flat.blocks[joint].resolve
            R = np.eye(3) if axes == "world" else pose(sim, joint, f"frame_{axes}")[0]
            R = R.T @ pose(sim, joint, "frame_b")[0]
            for kind, wrench in (("total", total), ("constraint", answer.constraint.get(joint, np.zeros(6)))):
                for part, wanted in (("force", R @ wrench[:3]), ("torque", R @ wrench[3:])):
                    mine = outputs(values, f"{joint}.{kind}_{part}")
                    np.testing.assert_allclose(
                        mine, wanted, rtol=0, atol=1e-9 * scale, err_msg=f"{joint} {kind}"
                    )
    sim.instance.kernel("reactions")
    assert worst_balance(sim.instance).residual < 1e-11
