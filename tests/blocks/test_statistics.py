"""Running root mean square against closed forms."""

import numpy as np
import pytest

import luff
from luff.blocks.signals.running_statistics import Rms
from luff.tests.blocks.bench import Bench, make

A, W, MEAN = 2.0, 3.0, 0.7


@pytest.mark.parametrize("start", [0.0, 0.5])
def test_rms_of_a_sine_about_a_mean(start: float) -> None:
    """Outputs every 1 s of a sine of 2 s: samples would tell nothing."""
    found = luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  u: {{type: sine, amplitude: {A}, frequency: {W}, offset: {MEAN}, start: -10, unit: m}}
  rms: {{type: rms, start: {start}, unit: m}}
connect: [u.y -> rms.u]
simulation: {{stop: 5 s, step: 5 ms, output_step: 1 s}}
""")
    ).run()
    assert {found.units[f"rms.{name}"] for name in ("y", "mean", "deviation")} == {"m"}
    t = found.time[found.time > start]
    x = lambda time: W * (time + 10.0)  # noqa: E731
    total = MEAN * (t - start) - A / W * (np.cos(x(t)) - np.cos(x(start)))
    squares = (
        MEAN**2 * (t - start)
        - 2 * MEAN * A / W * (np.cos(x(t)) - np.cos(x(start)))
        + 0.5 * A**2 * ((t - start) - (np.sin(2 * x(t)) - np.sin(2 * x(start))) / (2 * W))
    )
    rms, mean = np.sqrt(squares / (t - start)), total / (t - start)
    late = found.time > start
    # Simpson's rule at 5 ms: (W h)^4 / 2880 and less
    np.testing.assert_allclose(found["rms.y"][late], rms, rtol=1e-9)
    np.testing.assert_allclose(found["rms.mean"][late], mean, rtol=1e-9)
    np.testing.assert_allclose(found["rms.deviation"][late], np.sqrt(rms**2 - mean**2), rtol=1e-9)
    early = ~late
    np.testing.assert_allclose(found["rms.y"][early], np.abs(found["u.y"][early]))
    assert not found["rms.deviation"][early].any()


def test_elements_have_their_own() -> None:
    bench = Bench(make(Rms), step=0.01, width=2)
    bench.run(1.0, lambda t: {"u": [1.0, -3.0]})
    np.testing.assert_allclose(bench.out(1.01, u=[1.0, -3.0])["y"], [1.0, 3.0])
