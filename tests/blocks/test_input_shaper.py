"""Input shapers against the vibration they are there to remove."""

import cmath
import math

import numpy as np
import pytest

from luff.blocks import CompileError
from luff.blocks.planning.input_shaper import InputShaper, quintic_hermite
from luff.blocks.planning.motion_law import MotionLaw
from luff.tests.blocks.bench import Bench, make, mistakes

GAUSS = [(0.5 - math.sqrt(0.15), 5 / 18), (0.5, 8 / 18), (0.5 + math.sqrt(0.15), 5 / 18)]


def residuals(shaper: str, w: float, zeta: float, step: float, **options: float) -> tuple[complex, complex]:
    """What a mode x'' + 2 zeta w x' + w^2 x = -y'' keeps of the plain and of the shaped command.

    After the command its amplitude is that of the integral of y'' exp(p t), with p = zeta w + i wd. Both are
    integrated by Gauss's rule, step by step.
    """
    law = Bench(make(MotionLaw, end_value=2.0, start=0.1, duration=0.7, law="poly5"))
    bench = Bench(make(InputShaper, shaper=shaper, frequency=w, damping=zeta, **options), step)
    p = complex(zeta * w, w * math.sqrt(1 - zeta**2))
    plain = shaped = 0j
    for k in range(round(2.5 / step)):
        bench.update(k * step, u=law.y(k * step))
        for share, weight in GAUSS:
            t = (k + share) * step
            u = law.y(t)
            plain += weight * step * u[0, 2] * cmath.exp(p * t)
            shaped += weight * step * bench.y(t, u=u)[0, 2] * cmath.exp(p * t)
    return plain, shaped


@pytest.mark.parametrize("shaper", ["zv", "zvd"])
@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.2])
def test_shaper_leaves_its_mode_at_rest(shaper: str, zeta: float) -> None:
    plain, shaped = residuals(shaper, 8.0, zeta, 2e-3)
    assert abs(shaped) < 1e-6 * abs(plain)


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.2])
def test_ei_lets_its_tolerance_through(zeta: float) -> None:
    plain, shaped = residuals("ei", 8.0, zeta, 2e-3, tolerance=0.05)
    # by then the plain command's own vibration has decayed as well
    assert abs(shaped / plain) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.1, 0.2, 0.3])
def test_ei_keeps_its_tolerance_over_a_band(zeta: float) -> None:
    """Of what one impulse starts no more than 5 % is left, where the frequency is wrong by up to a fifth."""
    impulses = make(InputShaper, shaper="ei", frequency=1.0, damping=zeta).derived()["impulses"]
    times, shares = np.array(impulses[::2]), np.array(impulses[1::2])
    ratios = np.linspace(0.801, 1.199, 400)[:, None]
    s = ratios * complex(-zeta, math.sqrt(1 - zeta**2))
    left = np.abs((shares * np.exp(s * (times[-1] - times))).sum(axis=1))
    assert left.max() < 0.0502


@pytest.mark.parametrize(("shaper", "width"), [("zv", 0.065), ("zvd", 0.286), ("ei", 0.398)])
def test_shaper_is_as_forgiving_as_published(shaper: str, width: float) -> None:
    """5 % insensitivity of undamped shapers: the width of the band, over the frequency, with less vibration."""
    impulses = make(InputShaper, shaper=shaper, frequency=1.0).derived()["impulses"]
    ratios = np.linspace(0.5, 1.5, 20001)
    left = np.abs(
        sum(
            share * np.exp(1j * ratios * time)
            for time, share in zip(impulses[::2], impulses[1::2], strict=True)
        )
    )
    found = ratios[left <= 0.05 + 1e-9]
    # the published values have three digits
    assert found[-1] - found[0] == pytest.approx(width, abs=1.5e-3)


def test_shaped_command_arrives() -> None:
    it = Bench(make(InputShaper, shaper="zvd", frequency="1 Hz", damping=0.1), step=0.01)
    law = Bench(make(MotionLaw, start_value=1.0, end_value=3.0, duration=0.5))
    t, y = it.run(2.0, lambda t: {"u": law.y(t)})
    np.testing.assert_allclose(y[0, 0], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(y[t > 1.6][:, 0, 0], 3, atol=1e-12)
    np.testing.assert_allclose(y[t > 1.6][:, 0, 1:], 0, atol=1e-12)


def test_interpolation_of_the_past_has_its_orders() -> None:
    errors = []
    for h in (0.1, 0.05):
        ends = [
            f(3 * t) * 3**k for t in (0.4, 0.4 + h) for k, f in enumerate((math.sin, math.cos, minus_sin))
        ]
        found = np.array([quintic_hermite(x, h, *ends) for x in np.linspace(0, 1, 201)])
        t = 0.4 + h * np.linspace(0, 1, 201)
        exact = np.column_stack([np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)])
        errors.append(np.abs(found - exact).max(axis=0))
    # the next order blurs the slopes by about 3 h
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), [6, 5, 4], atol=0.3)


def minus_sin(x: float) -> float:
    return -math.sin(x)


def test_past_is_met_between_steps() -> None:
    it = Bench(make(InputShaper, shaper="zv", frequency=math.pi / 0.777), 0.05)  # half a period of 0.777 s
    wave = lambda t: [(math.sin(3 * t), 3 * math.cos(3 * t), -9 * math.sin(3 * t))]  # noqa: E731
    t, y = it.run(4.0, lambda t: {"u": wave(t)})
    exact = np.array([(np.array(wave(now)) + np.array(wave(now - 0.777))) / 2 for now in t])
    late = t > 0.777
    # h^6 / 46080, h^5 and h^4 / 384 of (3 * 0.05): 2e-10, 5e-7 / 3, 1e-5 / 2
    np.testing.assert_array_less(np.abs(y - exact)[late].max(axis=(0, 1)), [1e-9, 2e-7, 1e-5])


def test_shaper_needs_impulses_a_step_apart() -> None:
    with pytest.raises(CompileError, match="shorter than the step"):
        Bench(make(InputShaper, frequency=100.0), step=0.1)
    assert mistakes(InputShaper, shaper="ei", damping=0.7) == []
