"""The library's hoist with its drive: steady tensions and torques by pencil, and an account of all its energies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff

LIBRARY = Path(luff.__file__).resolve().parent / "library"
G, MASS, FALLS, GEAR, RATIO = 9.81, 8000.0, 4, 0.9, 60.0


@pytest.mark.parametrize("efficiency", [0.95, 1.0])
def test_steady_hoisting_holding_and_lowering_by_pencil(efficiency: float) -> None:
    found = luff.compile(LIBRARY / "hoist_drive.yaml", efficiency=efficiency).run()

    def at(time: float, name: str) -> float:
        return float(np.interp(time, found.time, found[name]))

    for time, way, gear in ((7.5, 1.0, 1.0 / GEAR), (17.5, -1.0, 2.0 - 1.0 / GEAR)):
        tension = MASS * G / sum(efficiency ** (way * k) for k in range(FALLS))
        # the drum's radius grows by 0.5 mm a metre: a change of speed of 5e-4 of g or less
        assert at(time, "rope.tension") == pytest.approx(tension, rel=1e-4)
        torque = tension * at(time, "winch.layer_radius") / RATIO * gear + 0.01 * at(time, "rotor.speed")
        assert at(time, "motor.torque") == pytest.approx(torque, rel=5e-4)
        speed = at(time, "rotor.speed") / RATIO * at(time, "winch.layer_radius") / FALLS
        assert at(time, "free.velocity[2]") == pytest.approx(speed, rel=1e-3)
        volts = 0.2 * at(time, "motor.current") + 1.5 * at(time, "rotor.speed")
        assert volts == pytest.approx(200.0 if way > 0.0 else -150.0, rel=1e-4)
    # held: the brake bears it all, and nothing creeps
    held = (found.time > 11.5) & (found.time < 12.5)
    assert np.ptp(found["free.position[2]"][held]) < 1e-6
    assert at(12.0, "rope.tension") == pytest.approx(MASS * G / FALLS, rel=1e-4)
    # at rest the friction of the teeth holds a share of the load, up to what it takes as they slide
    share = at(12.0, "brake.effort") / (MASS * G / FALLS * at(12.0, "winch.layer_radius") / RATIO)
    assert 2.0 - 1.0 / GEAR < share < 1.0 / GEAR


METERS = """  work: {type: integrator}
  lost: {type: integrator}
  heat: {type: sum, signs: ++++}
  on: {type: expression, inputs: [T, v], constants: {EA: 30e6}, expr: T*T/(2*EA)*v/(1 + T/EA)}
  stored: {type: integrator}
connect:
  - motor.power -> work.u
  - brake.loss -> heat.u1
  - gearbox.loss -> heat.u2
  - rope.loss -> heat.u3
  - rotor.loss -> heat.u4
  - heat.y -> lost.u
  - rope.tension -> on.T
  - winch.take_up -> on.v
  - on.y -> stored.u
"""


def test_account_of_motor_brake_gearbox_drum_rope_and_load_closes() -> None:
    """Work of the motor = what moves, hangs and bends + what the drum stores + what rubs, up, held and down again."""
    text = (LIBRARY / "hoist_drive.yaml").read_text(encoding="utf-8").replace("connect:\n", METERS)
    # undamped, so that the strain on the drum is that of the tension
    found = luff.compile(luff.loads(text), **{"rope.damping": 0.0, "simulation.step": "0.5 ms"}).run()
    v, z = found["free.velocity"][:, 2], found["free.position"][:, 2]
    load = 0.5 * MASS * v**2 + MASS * G * (z - z[0])
    parts = sum(found[f"{name}.energy"] for name in ("rope", "drum", "gearbox", "rotor"))
    residual = found["work.y"] - load - (parts - parts[0]) - found["stored.y"] - found["lost.y"]
    assert load.max() > 70e3
    assert found["lost.y"][-1] > 0.1 * load.max()
    assert np.abs(residual).max() < 1e-8 * np.abs(found["work.y"]).max()
