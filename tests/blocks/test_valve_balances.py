"""Valves between drawn pressures of both signs: they keep the oil, and throttle: no power comes out of them."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.tests.shared.oil_equations import netlist

EDGES = (
    "{supply_a: [[0.1, 0], [1, 30 mm^2]], b_tank: [[0, 0], [1, 20 mm^2]],"
    " bypass: [[-0.5, 0], [0, 25 mm^2], [0.5, 0]]}"
)
CASES = {
    "orifice": ("area: 10 mm^2", "ab"),
    "relief_valve": ("pressure: 50 bar", "ab"),
    "check_valve": ("leakage: 0.02", "ab"),
    "counterbalance_valve": ("pressure: 80 bar, leakage: 0.01", "ab|pilot"),
    "hose_rupture_valve": ("closing_flow: 1.5e-3, leakage: 0.01", "ab"),
    "proportional_valve": ("leakage: 0.01", "supply|tank|a|b"),
    "spool_valve": (f"edges: {EDGES}", "supply|tank|a|b|bypass"),
    "pressure_compensator": ("backwards: 0.3", "ab"),
    "shuttle": ("band: 20 bar", "a|b|outlet"),
}


@pytest.mark.parametrize("kind", CASES)
def test_valves_keep_oil_and_only_lose_power(kind: str) -> None:
    more, written = CASES[kind]
    ports = [port for part in written.split("|") for port in (part if part == "ab" else [part])]
    blocks = f"  it: {{type: {kind}, {more}}}\n"
    blocks += "".join(f"  p_{port}: {{type: volume, size: 1, bulk_modulus: 1e9, air: 0}}\n" for port in ports)
    wires = ", ".join(f"p_{port}.port -- it.{port}" for port in ports)
    signal = {"proportional_valve": "u", "spool_valve": "u", "pressure_compensator": "load"}.get(kind)
    if signal:
        blocks += "  zero: {type: constant, value: 0}\n"
        wires += f", zero.y -> it.{signal}"
    sim = luff.compile(luff.loads(netlist(blocks, wires)))
    nodes = [sim.state_names.index(f"p_{port}.p") for port in ports]
    rng = np.random.default_rng(3)
    largest = passed = 0.0
    for _ in range(300):
        # positions of spools beyond their ends too, as an overshoot has them
        x = rng.uniform(-1.2, 1.2, len(sim.state_names))
        # from suction to 250 bar, some of them equal; without gas the state is the pressure
        pressures = rng.choice([-0.9e5, 0.0, 30e5, *rng.uniform(-1e5, 250e5, 4)], len(ports))
        x[nodes] = pressures
        into = sim.derivative(0.0, x)[nodes] / 1e9
        largest = max(largest, abs(into).max())
        assert abs(into.sum()) <= 4e-16 * abs(into).sum() * len(ports)
        lost = -(into @ pressures)
        assert lost >= -1e-15 * (abs(into) @ abs(pressures))
        passed = max(passed, lost)
    assert largest > 1e-4
    assert passed > 1e3
