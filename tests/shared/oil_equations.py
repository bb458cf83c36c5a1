"""Laws of oil in a form of their own, for runs against SciPy's Radau."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy.integrate import solve_ivp

import luff

RHO, C, LAMINAR, K, P0 = 870.0, 0.65, 1e4, 1.2e9, 101325.0


def through(drop: float, area: float) -> float:
    """Orifice with its laminar range: Q^4 = gain^4 drop^4 / (drop^2 + laminar^2)."""
    return valve(drop, C * area * math.sqrt(2 / RHO), 1.0)


def valve(drop: float, flow: float, at: float) -> float:
    """A valve that passes a flow at a drop, with the same laminar range."""
    return math.copysign((flow**4 / at**2 * drop**4 / (drop**2 + LAMINAR**2)) ** 0.25, drop)


def smooth(value: float, band: float) -> float:
    """3 u^2 - 2 u^3 over a band, from 0 to 1."""
    u = float(np.clip(value / band, 0, 1))
    return u * u * (3 - 2 * u)


def content(p: float, air: float, n: float = 1.4) -> float:
    """Liquid that a volume of one holds at a pressure: liquid and gas side by side."""
    return 1 / (1 / (1 + p / K) + air / (1 - air) * (P0 / (P0 + p)) ** (1 / n))


def yields(p: float, air: float, n: float = 1.4) -> float:
    """Slope of `content` over the pressure [1/Pa]."""
    gas = air / (1 - air) * (P0 / (P0 + p)) ** (1 / n)
    return content(p, air, n) ** 2 * (1 / (K * (1 + p / K) ** 2) + gas / (n * (P0 + p)))


def filled(p: float, air: float) -> float:
    """Share of oil in what a pump draws."""
    return min((p + P0) / (p + P0 - air * p), 1.0)


END = "simulation: {stop: 1 s, step: 10 us, output_step: 10 ms}\n"


def netlist(blocks: str, wires: str, end: str = END) -> str:
    """A netlist of blocks and wires between commas."""
    lines = "".join(f"  - {wire.strip()}\n" for wire in wires.split(","))
    return f"luff: 1\nblocks:\n{blocks}connect:\n{lines}{end}"


def between(block: str, a: float, b: float, more: str = "", wires: str = "") -> str:
    """A block between two pressures that nothing changes."""
    ends = f"  one: {{type: supply, pressure: {a!r}}}\n  two: {{type: supply, pressure: {b!r}}}\n"
    return (
        f"luff: 1\nblocks:\n  it: {block}\n{ends}{more}connect:\n  - one.port -- it.a\n  - it.b -- two.port\n{wires}"
        "simulation: {stop: 1 s, step: 0.1 ms, output_step: 10 ms}\n"
    )


def solution(
    equations: Callable[[float, np.ndarray], list[float]],
    start: list[float],
    scale: list[float],
    times: np.ndarray,
    rtol: float = 1e-9,
) -> np.ndarray:
    """States at the times by Radau's method, one row a state."""
    span = (float(times[0]), float(times[-1]))
    solved = solve_ivp(
        equations, span, start, "Radau", times, rtol=rtol, atol=rtol * np.array(scale), max_step=2e-3
    )
    assert solved.success
    return solved.y


def assert_equal(result: luff.Result, own: Mapping[str, np.ndarray], part: float = 1e-6) -> None:
    """Each signal within a part of its range."""
    for signal, values in own.items():
        np.testing.assert_allclose(result[signal], values, atol=part * np.ptp(values), rtol=0, err_msg=signal)
