"""The tree kernels against reference data, Pinocchio, and the trace forms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import luff
from luff.solver.kernels.model_data import TAU
from luff.solver.mechanism.mass_matrix import mass_matrix
from luff.tests.shared.compile_text import outputs, plain, rates
from luff.tests.shared.naive_dynamics import trace_form
from luff.tests.shared.random_trees import Twin, netlist, trees

DATA = Path(__file__).parents[2] / "data" / "trees"
SLOW = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
VECTOR = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)
# rounding grows with the conditioning of the mass matrix: 1e-16 times this stays a thousand times below 1e-9
WORST_CONDITION = 1e4


def row_names(sim: luff.Simulation) -> list[str]:
    return [name for name in sim.program.mechanism.rate_names() if name]


def rows_mass_matrix(sim: luff.Simulation) -> tuple[np.ndarray, list[str]]:
    """M of the free rows at the initial state, with their names."""
    sim.derivative(0.0, sim.x0)
    M = mass_matrix(sim.instance.model, sim.instance.data)
    names = sim.program.mechanism.rate_names()
    keep = [i for i, name in enumerate(names) if name]
    return M[np.ix_(keep, keep)], [names[i] for i in keep]


@pytest.mark.parametrize("name", ["tree_1", "tree_2", "tree_3"])
def test_reference_trees_give_the_stated_accelerations_and_wrenches(name: str) -> None:
    values = plain((DATA / f"{name}.yaml").read_text()).evaluate()
    expected = json.loads((DATA / f"{name}.json").read_text())
    assert expected["accelerations"].keys() == expected["total_wrench"].keys()
    for joint, acceleration in expected["accelerations"].items():
        assert values[f"{joint}.acceleration"] == pytest.approx(acceleration, rel=1e-9)
        wrench = [*outputs(values, f"{joint}.total_force"), *outputs(values, f"{joint}.total_torque")]
        # relative to the wrench as a whole: single components may be differences of large ones
        scale = np.abs(expected["total_wrench"][joint]).max()
        np.testing.assert_allclose(wrench, expected["total_wrench"][joint], rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.parametrize("name", ["tree_1", "tree_2", "tree_3"])
def test_an_evaluation_leaves_nothing_behind_for_the_next(name: str) -> None:
    sim = plain((DATA / f"{name}.yaml").read_text())
    first = sim.derivative(0.0, sim.x0)
    sim.derivative(0.0, sim.x0 + 0.3)
    np.testing.assert_array_equal(sim.derivative(0.0, sim.x0), first)


@SLOW
@given(trees(), VECTOR)
def test_random_trees_agree_with_pinocchio(limbs, gravity) -> None:
    twin = Twin(limbs, gravity)
    assume(twin.condition() < WORST_CONDITION)
    twin.solve()
    sim = plain(netlist(limbs, gravity))

    found, expected = rates(sim), twin.accelerations()
    scale = max([1.0, *map(abs, expected.values())])
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9 * scale), name

    values = sim.evaluate()
    for limb in limbs:
        wrench = np.concatenate(
            [outputs(values, f"{limb.name}.total_force"), outputs(values, f"{limb.name}.total_torque")]
        )
        expected_wrench = twin.wrench(limb)
        # forces cancel along massless links: 1e-9 of what accelerates the whole tree
        scale = max(1.0, np.abs(expected_wrench).max(), max(abs(a) for a in twin.a))
        np.testing.assert_allclose(wrench, expected_wrench, rtol=1e-9, atol=1e-9 * scale, err_msg=limb.name)

    M, names = rows_mass_matrix(sim)
    pick = [[twin.names[i] for i in twin.free].index(name) for name in names]
    reference = twin.mass_matrix()[np.ix_(pick, pick)]
    np.testing.assert_allclose(
        M, reference, rtol=1e-9, atol=1e-12 * max(1.0, np.abs(reference).max(initial=0))
    )

    energy = sim.instance.energy(0.0, np.append(sim.x0, np.zeros(4)))
    kinetic, gravity_energy = twin.energies()
    assert energy["kinetic"] == pytest.approx(kinetic, rel=1e-9, abs=1e-12)
    assert energy["gravity"] == pytest.approx(gravity_energy, rel=1e-9, abs=1e-9)
    assert energy["elastic"] == pytest.approx(twin.elastic, rel=1e-9, abs=1e-12)


@SLOW
@given(trees(("revolute", "prismatic", "universal", "spherical"), largest=4), VECTOR)
def test_kernels_agree_with_the_trace_forms(limbs, gravity) -> None:
    try:
        sim = plain(netlist(limbs, gravity))
    except luff.CompileError as error:
        assume("no mass stands between them" not in str(error))
        raise
    sim.derivative(0.0, sim.x0)
    model, data = sim.instance.model, sim.instance.data
    M, h = trace_form(model, data.q, data.v)
    assume(np.linalg.cond(M) < WORST_CONDITION)
    found, _ = rows_mass_matrix(sim)
    np.testing.assert_allclose(found, M, rtol=1e-9, atol=1e-12 * np.abs(M).max())
    qdd = np.linalg.solve(M, h + data.row[:, TAU])
    np.testing.assert_allclose(data.qdd, qdd, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(qdd).max()))


PRINT_DERIVATIVE = """
import json, sys
import luff
sim = luff.compile(luff.load(sys.argv[1]))
x = sim.x0.copy()
x += 0.01  # off the start, where many rates are zero
print(json.dumps([sim.derivative(0.3, x).tolist(), sim.evaluate(0.3, x)]))
"""


def test_derivative_is_the_same_without_the_compiler() -> None:
    file = Path(__file__).parents[2] / "data" / "every_joint.yaml"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", PRINT_DERIVATIVE, str(file)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    plain_rates, plain_values = json.loads(done.stdout)

    sim = luff.compile(luff.load(file))
    x = sim.x0 + 0.01
    # the same operations in the same order; sine and cosine may differ in the last bit
    np.testing.assert_allclose(sim.derivative(0.3, x), plain_rates, rtol=1e-11, atol=1e-11)
    values = sim.evaluate(0.3, x)
    assert values.keys() == plain_values.keys()
    np.testing.assert_allclose(list(values.values()), list(plain_values.values()), rtol=1e-10, atol=1e-10)
