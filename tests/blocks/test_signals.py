"""Arithmetic, routing, tables, expressions and sampled blocks, each by what its name promises."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from luff.blocks import CompileError, LuffError
from luff.blocks.signals import arithmetic, expression_block, lookup_table, memory_blocks, signal_routing
from luff.blocks.signals.piecewise_polynomials import evaluate_piecewise, fit_spline
from luff.tests.blocks.bench import Bench, make, mistakes


def y(cls: Any, inputs: dict[str, Any], /, width: int = 1, t: float = 0.0, **values: Any) -> list[float]:
    return Bench(make(cls, **values), width=width).y(t, **inputs).tolist()


def test_arithmetic() -> None:
    assert y(arithmetic.Gain, {"u": (1, 2)}, 2, k=[3, 4]) == [3, 8]
    assert y(arithmetic.Sum, {"u1": (5, 1), "u2": (2, 2), "u3": 1}, 2, signs="-+-") == [-4, 0]
    assert y(arithmetic.Product, {"u1": 6, "u2": 4, "u3": 2}, operations="*/*") == [3]
    assert y(arithmetic.Product, {"u1": 4}, operations="/") == [0.25]
    assert mistakes(arithmetic.Sum, signs="+x") == [".signs"]
    assert mistakes(arithmetic.Sum, signs="") == [".signs"]
    assert list(make(arithmetic.Sum, signs="++-").ports()) == ["u1", "u2", "u3", "y"]


def test_saturation_dead_zone_and_switch() -> None:
    for u, limited, beyond in [(-3, -1, -2), (0.5, 0.5, 0), (5, 2, 3)]:
        assert y(arithmetic.Saturation, {"u": u}, lower=-1, upper=2) == [limited]
        assert y(arithmetic.DeadZone, {"u": u}, lower=-1, upper=2) == [beyond]
    assert y(arithmetic.Saturation, {"u": -1e9}, lower=None) == [-1e9]
    assert y(arithmetic.Switch, {"u1": (1, 2), "u2": (3, 4), "control": 1}, 2) == [1, 2]
    assert y(arithmetic.Switch, {"u1": (1, 2), "u2": (3, 4), "control": 0.5}, 2) == [3, 4]
    assert mistakes(arithmetic.Saturation, lower=[0, 3], upper=[1, 2]) == [".lower"]
    with pytest.raises(
        LuffError, match='found 2 numbers in "lower" and 3 in "upper", expected equal lengths'
    ):
        make(arithmetic.Saturation, lower=[0, 1], upper=[1, 2, 3]).width()


def test_mux_and_demux_undo_each_other() -> None:
    assert y(signal_routing.Mux, {"u1": (1, 2), "u2": 3, "u3": (4, 5)}, sizes=[2, 1, 2]) == [1, 2, 3, 4, 5]
    found = Bench(make(signal_routing.Demux, sizes=[2, 1, 2])).out(0.0, u=(1, 2, 3, 4, 5))
    assert {name: value.tolist() for name, value in found.items()} == {"y1": [1, 2], "y2": [3], "y3": [4, 5]}
    both = Bench(make(signal_routing.Mux, kind="trajectory")).y(0.0, u1=[(1, 2, 3)], u2=[(4, 5, 6)])
    assert both.tolist() == [[1, 2, 3], [4, 5, 6]]
    apart = Bench(make(signal_routing.Demux, kind="trajectory")).out(0.0, u=both)
    assert [apart[name].tolist() for name in ("y1", "y2")] == [[1, 2, 3], [4, 5, 6]]
    mux, demux = make(signal_routing.Mux, sizes=[2, 1]), make(signal_routing.Demux, sizes=[2, 1])
    assert [[mux.feedthrough("y", row, "u2", 0)] for row in range(3)] == [[False], [False], [True]]
    assert [demux.feedthrough("y1", 0, "u", column) for column in range(3)] == [True, False, False]
    assert mistakes(signal_routing.Mux, sizes=[1.5, 1]) == [".sizes[0]"]


def test_trajectories_are_made_and_split() -> None:
    made = Bench(make(signal_routing.MakeTrajectory), width=2).y(0.0, value=(1, 2), rate=3)
    assert made.tolist() == [[1, 3, 0], [2, 3, 0]]
    split = Bench(make(signal_routing.SplitTrajectory)).out(0.0, u=[(1, 2, 3)])
    assert [split[name][0] for name in ("value", "rate", "acceleration")] == [1, 2, 3]


def test_expression_computes_with_inputs_time_and_constants() -> None:
    values = {"inputs": ["a", "b"], "expr": "k*a^2 + sin(t)*b/pi - hypot(a, b, 2)", "constants": {"k": "3 m"}}
    for a, b, t in [(1.0, 2.0, 0.5), (-2.0, 0.1, 2.0)]:
        expected = 3 * a**2 + math.sin(t) * b / math.pi - math.sqrt(a * a + b * b + 4)
        assert y(expression_block.Expression, {"a": a, "b": b}, t=t, **values) == pytest.approx(
            [expected], rel=1e-14
        )
    assert y(expression_block.Expression, {"a": (1, 2)}, 2, inputs=["a"], expr="max(a, 1.5) + log(8, 2)") == [
        4.5,
        5,
    ]
    assert y(expression_block.Expression, {"a": -2}, inputs=["a"], expr="-a^2 + 2^-1 + floor(a/4)") == [-4.5]


def test_expression_finds_mistakes() -> None:
    cls = expression_block.Expression
    assert mistakes(cls, expr="sin(q)") == [".expr"]
    assert mistakes(cls, expr="__import__('os')") == [".expr"]
    assert mistakes(cls, inputs=["t", "if"], expr="t") == [".inputs", ".inputs"]
    assert mistakes(cls, inputs=["a"], constants={"a": 1}, expr="a") == [".inputs", ".constants"]


@pytest.mark.parametrize("periodic", [False, True])
def test_cubic_spline_is_scipys(periodic: bool) -> None:
    x = np.array([0.0, 0.4, 1.1, 1.5, 2.2, 3.0])
    rows = np.column_stack([np.sin(2 * x), x**2 * 0 + np.cos(x)])
    rows[-1] = rows[0] if periodic else rows[-1]
    coefficients = np.array(fit_spline(tuple(x), rows.tolist(), "cubic", periodic))
    for column in range(2):
        peer = CubicSpline(x, rows[:, column], bc_type="periodic" if periodic else "not-a-knot")
        for t in np.linspace(0, 3, 31):
            found = evaluate_piecewise(x, coefficients, 2, column, t, t)
            np.testing.assert_allclose(found[:2], [peer(t), peer(t, 1)], atol=1e-12)
            if np.abs(x[1:-1] - t).min() > 1e-9:  # of two sides of a knot either is right
                np.testing.assert_allclose(found[2], peer(t, 2), atol=1e-11)


def test_quintic_spline_reproduces_fifth_degree() -> None:
    polynomial = np.polynomial.Polynomial([1, -2, 0.5, 3, -1, 0.25])
    x = np.array([-1.0, -0.5, 0.3, 0.7, 1.0, 1.8, 2.5])
    coefficients = np.array(fit_spline(tuple(x), [[value] for value in polynomial(x)], "quintic"))
    for t in np.linspace(-1, 2.5, 29):
        expected = [polynomial(t), polynomial.deriv()(t), polynomial.deriv(2)(t)]
        np.testing.assert_allclose(
            evaluate_piecewise(x, coefficients, 1, 0, t, t), expected, rtol=1e-10, atol=1e-10
        )


@pytest.mark.parametrize(
    ("beyond", "before", "after"), [("hold", 0.0, 1.0), ("linear", -2.0, 0.5), ("periodic", 2.0, 1.0)]
)
def test_table_beyond_its_ends(beyond: str, before: float, after: float) -> None:
    rows = [[0, 0], [1, 2], [3, 1]]
    bench = Bench(make(lookup_table.Table, data=rows, beyond=beyond))
    assert [bench.y(t)[0] for t in (0.5, 1, 2, 3)] == [1, 2, 1.5, 1]
    assert bench.y(-1.0)[0] == pytest.approx(before if beyond != "periodic" else 1.5)
    assert bench.y(4.0)[0] == pytest.approx(after if beyond != "periodic" else 2.0)
    assert bench.out(2.0)["trajectory"][0].tolist() == [1.5, -0.5, 0]


def test_table_over_an_input_and_from_a_file(tmp_path: Any) -> None:
    assert y(lookup_table.Table, {"u": 0.5}, data=[[0, 0, 1], [1, 2, 3]], over="input") == [1, 2]
    block = make(lookup_table.Table, data=[[0, 0], [1, 1]])
    (tmp_path / "some.csv").write_text("time;force\n0;1\n2;5\n")
    vars(block).update(folder=tmp_path, file="some.csv")
    assert Bench(block).y(1.0).tolist() == [3]
    (tmp_path / "some.csv").write_text("0;1\n2;five\n")
    assert [problem.path for problem in block.check()] == [".file"]


def test_table_finds_mistakes() -> None:
    assert mistakes(lookup_table.Table) == [".data"]
    assert mistakes(lookup_table.Table, data=[[0, 1]]) == [".data"]
    assert mistakes(lookup_table.Table, data=[[0, 1], [0, 2]]) == [".data[1]"]
    assert mistakes(lookup_table.Table, data=[[0, 1], [1, 2, 3]]) == [".data[1]"]


def test_delay_is_exact_for_ramps_and_close_for_sines() -> None:
    # a delay that is no multiple of the step
    t, ramp = Bench(make(memory_blocks.Delay, delay=0.0333, initial=-1.0), step=0.01).run(
        1.0, lambda t: {"u": 2 + 3 * t}
    )
    known = t >= 0.0333
    np.testing.assert_allclose(ramp[known, 0], 2 + 3 * (t[known] - 0.0333), rtol=1e-12)
    assert set(ramp[~known, 0]) == {-1.0}
    t, sine = Bench(make(memory_blocks.Delay, delay=0.0333), step=0.01).run(
        1.0, lambda t: {"u": math.sin(5 * t)}
    )
    # linear interpolation: (5 * 0.01)^2 / 8
    np.testing.assert_allclose(sine[known, 0], np.sin(5 * (t[known] - 0.0333)), atol=3.2e-4)


def test_delay_of_one_step_works_and_less_does_not() -> None:
    t, found = Bench(make(memory_blocks.Delay, delay=0.1, initial=7.0), step=0.1).run(1.0, lambda t: {"u": t})
    np.testing.assert_allclose(found[:, 0], [7.0, *t[:-1]], atol=1e-12)
    with pytest.raises(CompileError, match=r"shorter than the step of 0\.2 s"):
        Bench(make(memory_blocks.Delay, delay=0.1), step=0.2)


def test_delay_between_steps_sees_only_the_past() -> None:
    bench = Bench(make(memory_blocks.Delay, delay=0.1), step=0.1)
    for k in range(5):
        bench.update(0.1 * k, u=float(k))
        for stage in (0.0, 0.05, 0.1):
            # the last stage of the first step reaches the very first value
            expected = k - 1 + stage / 0.1
            assert bench.y(0.1 * k + stage)[0] == pytest.approx(max(expected, 0.0), abs=1e-9)


def test_zero_order_hold_holds() -> None:
    t, found = Bench(make(memory_blocks.ZeroOrderHold, sample_time=0.25), step=0.05).run(
        1.0, lambda t: {"u": t}
    )
    np.testing.assert_allclose(found[:, 0], np.floor(t / 0.25 + 1e-9) * 0.25, atol=1e-12)


def test_zero_order_hold_of_a_trajectory() -> None:
    bench = Bench(make(memory_blocks.ZeroOrderHold, kind="trajectory", sample_time=0.25), step=0.05)
    t, found = bench.run(1.0, lambda t: {"u": [(t, 1.0, 0.5)]})
    np.testing.assert_allclose(found[:, 0, 0], np.floor(t / 0.25 + 1e-9) * 0.25, atol=1e-12)
    assert found[7, 0, 1:].tolist() == [1.0, 0.5]


def test_rate_limit_follows_no_faster_than_allowed() -> None:
    bench = Bench(make(memory_blocks.RateLimit, rising=2, falling=1), step=0.01)
    t, found = bench.run(3.0, lambda t: {"u": 1.0 if 0.5 <= t < 1.5 else 0.0})
    expected = np.clip(np.where(t < 1.5, 2 * (t - 0.49), 1 - (t - 1.49)), 0, 1)
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-9)
    t, same = Bench(make(memory_blocks.RateLimit, rising=2), step=0.01).run(1.0, lambda t: {"u": math.sin(t)})
    np.testing.assert_allclose(same[:, 0], np.sin(t), atol=1e-15)
