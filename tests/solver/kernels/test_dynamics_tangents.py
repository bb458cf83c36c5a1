"""Tangents of a tree's accelerations, of which none is taken of articulated inertias, against differences."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import luff
from luff.solver.codegen.transforms.entry_point_variants import DIRECTIONS
from luff.solver.kernels import model_data as f
from luff.solver.kernels.dynamics_tangents import accelerations_at_fixed_qdd, correction_pass, residual_pass
from luff.solver.simulation.jacobian import ModelJacobian
from luff.tests.conftest import about_compiling
from luff.tests.shared.difference_derivatives import judge
from luff.tests.shared.random_trees import Limb, netlist, trees


@about_compiling
@settings(max_examples=10, deadline=None)
@given(limbs=trees(light=False), seed=st.integers(0, 2**32 - 1))
def test_random_trees(limbs: list[Limb], seed: int) -> None:
    """Rates and accelerations of bodies in eight ways, in each of which all states and all numbers of the mechanism
    move; values have the bits of a single run."""
    rng = np.random.default_rng(seed)
    sim = luff.compile(netlist(limbs, rng.uniform(-10, 10, 3)))
    instance, x = sim.instance, sim.x0
    assume(len(x) > 0)
    sim.derivative(0.0, x)
    own, row, constant = instance.data.row, instance.model.row, instance.model.constant
    row[:, f.COORDINATE + f.ARMATURE] = rng.uniform(0.0, 1.0, len(row))
    # limits that are not there are infinite
    sizes = [np.ones(len(x)), *(0.1 * np.where(np.isfinite(each), each, 0.0) for each in (row, constant))]
    ways = [size * rng.normal(size=(DIRECTIONS, *size.shape)) for size in sizes]
    here = row.copy(), constant.copy()

    def moved(z: np.ndarray) -> np.ndarray:
        along = [sum(each * one for each, one in zip(z, way, strict=True)) for way in ways]
        for array, old, by in zip((row, constant), here, along[1:], strict=True):
            array[...] = old + by
        made = instance.many(0.0, (x + along[0])[None])[0]
        return np.append(made, own[:, f.ACC : f.ACC + 6])

    expected, doubt = judge(moved, np.zeros(DIRECTIONS))
    value = moved(np.zeros(DIRECTIONS))
    instance.move_numbers()
    slopes = ModelJacobian(instance)
    _, values = slopes.jacobians(0.0, x[None])
    np.testing.assert_array_equal(values[0], value[: len(x)])
    for array, way in zip((row, constant), ways[1:], strict=True):
        slopes.wide.numbers(array)[..., 1:] = np.moveaxis(way, 0, -1)
    rates = slopes._along(x[None], ways[0].T, ())[0].T
    bodies = slopes.wide.numbers(own)[:, f.ACC : f.ACC + 6, 1:].reshape(-1, DIRECTIONS)
    found = np.concatenate([rates, bodies])
    scale = abs(expected).max(axis=1, initial=1.0, keepdims=True)
    # 1e-16 times the condition of the mass matrix, of which 1e-10 leaves room for 1e6
    assert np.all(abs(found - expected) <= 8.0 * doubt + 1e-10 * scale)
    assert np.mean(doubt < 1e-9 * scale) > 0.6  # so that it has said something


@settings(max_examples=10, deadline=None)
@given(limbs=trees(light=False), seed=st.integers(0, 2**32 - 1))
def test_nothing_is_left_over_where_the_accelerations_are_right(limbs: list[Limb], seed: int) -> None:
    """As plain Python: what bodies need at their accelerations is what is there, but for rounding."""
    rng = np.random.default_rng(seed)
    instance = luff.compile(netlist(limbs, rng.uniform(-10, 10, 3))).instance
    m, d = instance.model, instance.data
    instance.rates(0.0, instance.program.x0)
    right, free = d.row.copy(), m.topo[:, f.MODE] == f.FREE
    scale = abs(right[:, f.QDD]).max(initial=1.0) * max(1.0, 1.0 / right[free, f.D_INV].min(initial=1.0))
    for sweep in (accelerations_at_fixed_qdd, residual_pass, correction_pass):
        getattr(sweep, "__wrapped__", sweep)(m, d)
    np.testing.assert_array_equal(d.row[:, f.QDD], right[:, f.QDD])
    # efforts are inertias (1 / INV_D) times accelerations, and each is rounded at 1e-16 times the condition
    assert abs(d.row[free, f.u]).max(initial=0.0) < 1e-9 * scale
