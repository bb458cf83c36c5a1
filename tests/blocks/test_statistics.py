"""Running root mean square against closed forms."""

import numpy as np
import pytest

import luff
from luff.blocks.signals.running_statistics import Peak, Percentile, Rms
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


NOISY = """
luff: 1
blocks:
  swing: {type: chirp, first: 0.3 Hz, last: 2.1 Hz, duration: 20 s, amplitude: 3}
  offset: {type: constant, value: -0.4}
  u: {type: sum, signs: ++}
  peak: {type: peak, start: START}
  quantile: {type: percentile, share: SHARE, accuracy: 0.005, start: START}
connect: [swing.y -> u.u1, offset.y -> u.u2, u.y -> peak.u, u.y -> quantile.u]
record: [u.y, "peak.*", "quantile.*"]
simulation: {stop: 20 s, step: 1 ms, output_step: 1 ms}
"""


@pytest.mark.parametrize(("share", "start"), [(0.02, 0.0), (0.5, 0.0), (0.9, 3.0), (0.999, 0.0)])
def test_peak_and_percentile_are_those_of_all_steps(share: float, start: float) -> None:
    text = NOISY.replace("SHARE", str(share)).replace("START", str(start))
    found = luff.compile(luff.loads(text)).run()
    u = found["u.y"][found.time >= start - 1e-9]
    assert found["peak.y"][-1] == u.max()
    assert found["peak.least"][-1] == u.min()
    assert found["peak.magnitude"][-1] == abs(u).max()
    assert found["peak.time"][-1] == pytest.approx(start + 1e-3 * np.argmax(u), abs=1e-9)
    # by definition within the accuracy of the exact one
    exact = np.quantile(u, share, method="inverted_cdf")
    assert abs(found["quantile.y"][-1] - exact) <= 0.005 * abs(exact)
    # rows far apart see the same
    coarse = luff.compile(luff.loads(text)).run(output_step=5.0)
    for name in ("peak.y", "peak.least", "peak.time", "quantile.y"):
        assert coarse[name][-1] == found[name][-1]


def test_peak_and_percentile_begin_anew_and_keep_no_number() -> None:
    for kind, first in ((Peak, 5.0), (Percentile, 1.0)):
        bench = Bench(make(kind, **({} if kind is Peak else {"share": 0.5})), step=0.1)
        values, resets = [5.0, 1.0, 2.0, 2.0, np.nan, 1.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        shown = []
        for k, (u, reset) in enumerate(zip(values, resets, strict=True)):
            bench.update(0.1 * k, u=u, reset=reset)
            shown.append(bench.out(0.1 * k, u=u, reset=reset)["y"].item())
        assert shown[:4] == pytest.approx([5.0, first, 2.0, 2.0], rel=0.01)
        assert np.isnan(shown[4:]).all()
