"""Equalities of MJCF close loops: accelerations against MuJoCo's matrices and closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.bench.robots import mujoco
from luff.solver.exchange import read_model
from luff.tests.solver.exchange.mjcf_models import compiled, written

pytestmark = pytest.mark.usefixtures("own_folder")

FOUR_BAR = """<mujoco><option gravity="2 0 -9.81"/><worldbody>
  <body name="crank"><joint name="a" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
    <body name="coupler" pos="0 0 0.3"><joint name="b" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.8 0 0.2" size="0.02"/></body></body>
  <body name="rocker" pos="0.8 0 0"><joint name="c" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/></body>
  </worldbody><equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.8 0 0.2"/></equality>
</mujoco>"""


def test_connect_closes_a_loop_as_multipliers_do(tmp_path: Path) -> None:
    """At rest, MuJoCo's tree under its own constraint Jacobian, made hard: M a + J^T l = h, J a = 0."""
    sim = luff.compile(luff.import_model(written(tmp_path, FOUR_BAR)))
    found = sim.evaluate()
    model = compiled(FOUR_BAR)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.array([_column(model, data, k) for k in range(3)])
    J = np.array(data.efc_J).reshape(-1, 3)[:3]
    K = np.block([[M, J.T], [J, np.zeros((3, 3))]])
    a = np.linalg.lstsq(K, np.concatenate([-data.qfrc_bias, np.zeros(3)]), rcond=1e-12)[0][:3]
    ours = [found[f"{name}.acceleration"] for name in "abc"]
    assert np.abs(a).max() > 1.0
    np.testing.assert_allclose(ours, a, rtol=1e-9, atol=1e-9)


def _column(model: Any, data: Any, k: int) -> np.ndarray:
    column = np.zeros(3)
    mujoco.mj_mulM(model, data, column, np.eye(3)[k])
    return column


def test_weld_and_sites_close_loops(tmp_path: Path) -> None:
    text = """<mujoco><worldbody>
      <body name="a" pos="0 0 1"><joint type="free" damping="1"/>
        <geom size="0.1"/><site name="s" pos="0.1 0 0"/></body>
      <body name="b" pos="0 2 1" euler="0 0 90"><joint type="free" damping="1"/>
        <geom size="0.1"/><site name="t" pos="0 0.3 0"/></body>
      <body name="c" mocap="true"/>
      </worldbody><equality>
      <weld name="w" body1="a" body2="b"/>
      <connect name="p" site1="s" site2="t"/>
      <weld name="m" body1="a" body2="c"/>
      <connect name="off" body1="a" body2="b" anchor="0 0 0" active="false"/>
      </equality></mujoco>"""
    found = read_model(written(tmp_path, text))
    blocks = luff.loads(found.text).blocks
    assert blocks["w"] == {"type": "fixed", "cut": True}
    assert blocks["p"] == {"type": "spherical", "cut": True}
    assert blocks["a"]["frames"]["w_a"] == {"at": [0, 2, 0], "rotate": [["z", "90 deg"]]}
    assert blocks["a"]["frames"]["p_a"] == {"at": [0.1, 0, 0]}
    assert blocks["b"]["frame_b"] == {"at": [0, 0.3, 0]}
    for words in (
        "weld to a mocap body (m)",
        "connect equality (off): it is not active",
    ):
        assert any(line.startswith(words) for line in found.note_lines), words


def test_a_free_body_hangs_on_what_holds_it(tmp_path: Path) -> None:
    """A level rod on a pin: its angular acceleration is m g l / (J + m l^2), in seven states instead of thirteen."""
    text = """<mujoco><worldbody><body name="rod" pos="0 0 1"><freejoint name="fly"/>
      <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.2 0.2"/></body></worldbody>
      <equality><connect name="pin" body1="rod" body2="world" anchor="0 0 0"/></equality></mujoco>"""
    path = written(tmp_path, text)
    assert read_model(path).note_lines == [
        "free joint (fly): pin carries the body instead, with the same motion"
    ]
    sim = luff.compile(luff.import_model(path))
    assert len(sim.state_names) == 4 + 3
    assert sim.evaluate()["pin.theta_rate"] == 0.0
    rates = dict(zip(sim.state_names, sim.derivative(0.0, sim.x0), strict=True))
    assert rates["pin.angular_velocity[1]"] == pytest.approx(2 * 9.81 * 0.5 / (0.2 + 2 * 0.5**2), rel=1e-12)


def test_a_platform_on_loops_has_the_freedoms_that_remain(tmp_path: Path) -> None:
    """A delta robot as MJCF has it, its platform with a free joint and six connects: three freedoms, and arms that fall
    alike.
    """

    def rod(k: int, j: int) -> str:
        return f"""<body name="rod{k}{j}" pos="0.3 {(-0.04, 0.04)[j]} 0"><joint name="u{k}{j}" axis="0 1 0"/>
          <joint name="w{k}{j}" axis="1 0 0"/><geom type="capsule" size="0.008" fromto="0 0 0 -0.2435 0 -0.6563"/>
          </body>"""

    corners = ((0.2, 0, 0), (-0.1, 0.17320508075688776, 120), (-0.1, -0.17320508075688767, 240))
    arms = "".join(
        f'''<body pos="{x} {y} 0" euler="0 0 {turn}"><body name="arm{k}" euler="0 17 0">
        <joint name="q{k}" axis="0 1 0" armature="0.02"/><geom type="capsule" size="0.015" fromto="0 0 0 0.3 0 0"/>
        {rod(k, 0)}{rod(k, 1)}</body></body>'''
        for k, (x, y, turn) in enumerate(corners)
    )
    pins = "".join(
        f'<connect body1="rod{k}{j}" body2="platform" anchor="-0.2435 0 -0.6563"/>'
        for k in range(3)
        for j in (0, 1)
    )
    motors = "".join(f'<motor joint="q{k}" ctrlrange="-20 20"/>' for k in range(3))
    text = f"""<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
      <body name="platform" pos="0 0 -0.644"><freejoint name="fly"/><geom type="cylinder" size="0.06 0.01"/></body>
      {arms}</worldbody><equality>{pins}</equality><actuator>{motors}</actuator></mujoco>"""
    sim = luff.compile(luff.import_model(written(tmp_path, text)))
    assert len(sim.state_names) == 6
    values = sim.evaluate()
    falls = [float(values[f"q{k}.acceleration"]) for k in range(3)]
    assert falls == pytest.approx([falls[0]] * 3, rel=1e-9)  # three arms alike
    assert falls[0] > 1.0
    assert {"q0_motor", "q1_motor", "q2_motor"} == set(sim.diagram.data["inputs"])
