"""`luff bode`, and responses of linear models: a damped pendulum against its transfer function, and python-control."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import control
import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.tests.cli.test_analysis_commands import ZETA, W
from luff.tests.cli.test_commands import call
from luff.tests.shared.netlists import SHAPED_PENDULUM

INERTIA = 2 * 0.7**2


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pendulum.yaml").write_text(SHAPED_PENDULUM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_bode_is_the_transfer_function(here: Path) -> None:
    words = ("bode", "pendulum.yaml", "--from", "pin.effort", "--to", "pin.position")
    told = json.loads(call(*words, "--json").stdout)
    assert told["stability"] == "stable"
    s = 1j * np.array(told["frequency"])
    exact = 1 / (INERTIA * (s**2 + 2 * ZETA * W * s + W**2))
    # derivatives of the model have ten digits, and the peak divides by the damping
    np.testing.assert_allclose(told["magnitude"][0][0], abs(exact), rtol=1e-6)
    np.testing.assert_allclose(told["phase"][0][0], np.angle(exact), atol=1e-6)
    # the grid finds the top of the resonance, 1 / (2 zeta sqrt(1 - zeta^2)) above the static answer
    peak = 1 / (2 * ZETA * (1 - ZETA**2) ** 0.5) / (INERTIA * W**2)
    assert max(told["magnitude"][0][0]) == pytest.approx(peak, rel=1e-4)
    found = call(*words)
    assert f"greatest gain {peak:.3g}"[:-1] in found.stdout
    assert "luff: the equilibrium at pin.position = " in found.output
    assert "is stable: everything decays" in found.output
    assert (here / "pendulum-bode.png").stat().st_size > 1000


def test_frequencies_have_a_range_and_a_unit(here: Path) -> None:
    words = ("bode", "pendulum.yaml", "--from", "pin.effort", "--to", "pin.position")
    told = json.loads(call(*words, "--range", "0.5..2", "--unit", "Hz", "--json").stdout)
    assert (told["frequency"][0], told["frequency"][-1]) == pytest.approx((np.pi, 4 * np.pi), rel=1e-12)
    peak = W * (1 - 2 * ZETA**2) ** 0.5 / (2 * np.pi)
    found = call(*words, "--range", "0.1..", "--unit", "Hz").stdout
    (at,) = (line.split(" at ")[1] for line in found.splitlines() if "greatest gain" in line)
    assert float(at.removesuffix(" Hz")) == pytest.approx(peak, rel=1e-2)  # at a grid of 400 points
    for wrong in ("1", "2..1", "0..1", "..", "a..b", "1..inf"):
        assert "expected LOW..HIGH" in call(*words, "--range", wrong, code=2).output
    for given in (("--range", "1..2"), ("--unit", "Hz")):
        assert "expected neither for a step response" in call(*words, "--kind", "step", *given, code=2).output


def test_step_and_nyquist_are_drawn(here: Path) -> None:
    words = ("bode", "pendulum.yaml", "--from", "pin.effort", "--to", "pin.position", "--kind")
    told = json.loads(call(*words, "step", "--json").stdout)
    t, y = np.array(told["time"]), np.array(told["values"][0][0])
    wd = W * (1 - ZETA**2) ** 0.5
    exact = 1 - np.exp(-ZETA * W * t) * (np.cos(wd * t) + ZETA * W / wd * np.sin(wd * t))
    np.testing.assert_allclose(y, exact / (INERTIA * W**2), atol=1e-7 / (INERTIA * W**2))
    for kind in ("step", "nyquist"):
        call(*words, kind, "-o", f"{kind}.svg")
        assert (here / f"{kind}.svg").stat().st_size > 1000


def test_upright_pendulum_is_an_unstable_equilibrium(here: Path) -> None:
    words = ("linearize", "pendulum.yaml", "--set", "pin.initial.position=179 deg", "--quiet")
    assert "luff: the equilibrium at pin.position = 3.142 is unstable" in call(*words).stderr
    without = call("linearize", "pendulum.yaml", "--set", "pin.damping=0", "--quiet")
    assert "is indifferent: pin.position neither decays nor grows" in without.stderr


def test_control_takes_the_model(here: Path) -> None:
    sim = luff.compile(here / "pendulum.yaml")
    lin = luff.linearise(sim, x="equilibrium", inputs=["pin.effort"], outputs=["pin.position"])
    system = lin.to_control()
    assert (system.input_labels, system.output_labels) == (["pin_effort"], ["pin_position"])
    w = np.array([0.5, W, 20.0])
    np.testing.assert_allclose(lin.bode(w).values[:, 0, 0], control.evalfr(system, 1j * w), rtol=1e-9)
    y = control.step_response(system, lin.step(3.0).time).outputs
    np.testing.assert_allclose(lin.step(3.0).values[:, 0, 0], y, atol=1e-9)


def test_mistake_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "expected both" in call("bode", "pendulum.yaml", code=2).stderr
    lin = luff.linearise(luff.compile(here / "pendulum.yaml"))
    with pytest.raises(LuffError, match="a response needs an input"):
        lin.bode()
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(LuffError, match=r"control, which is not installed \(pip install 'luff\[control\]'\)"):
        lin.to_control()
