"""Pattern of the Jacobian that `implicit` solves with: blocks, colours, and steps that do not depend on them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import yaml

import luff
from luff.solver.integrators.run_data import (
    BLOCK,
    BLOCKS,
    COLOURS,
    COLUMN,
    COUNTS,
    LEFT,
    MATRIX,
    ORDER,
    PLACE,
    SEEN,
)
from luff.solver.integrators.sparsity import bits, coloured, connected, structure
from luff.solver.program.dependencies import StateFlow
from luff.tests.shared.loop_cases import FOUR_BAR

LIBRARY = Path(luff.__file__).resolve().parent / "library"


def masks(matrix: np.ndarray) -> list[int]:
    return [sum(1 << int(j) for j in np.flatnonzero(row)) for row in matrix]


def reached(matrix: np.ndarray) -> np.ndarray:
    """Pairs with a way from one to the other: powers of the matrix, the slow twin."""
    ways = matrix | np.eye(len(matrix), dtype=bool)
    for _ in range(len(matrix)):
        ways = ways | (ways.astype(int) @ ways.astype(int) > 0)
    return ways


def test_blocks_are_the_strongly_connected_states_each_behind_those_it_hangs_on() -> None:
    random = np.random.default_rng(5)
    for _ in range(50):
        n = int(random.integers(1, 12))
        matrix = random.random((n, n)) < random.uniform(0.05, 0.4)
        ways, blocks = reached(matrix), connected(masks(matrix))
        together = {frozenset(int(j) for j in np.flatnonzero(ways[i] & ways[:, i])) for i in range(n)}
        assert {frozenset(block) for block in blocks} == together
        place = {j: k for k, block in enumerate(blocks) for j in block}
        assert all(place[j] <= place[i] for i, row in enumerate(masks(matrix)) for j in bits(row))


def test_no_rate_sees_two_states_of_one_colour() -> None:
    random = np.random.default_rng(6)
    matrix = random.random((40, 40)) < 0.05
    groups = coloured(masks(matrix.T))
    assert sorted(j for group in groups for j in group) == list(range(40))
    assert not any((matrix[:, i] & matrix[:, j]).any() for group in groups for i, j in combinations(group, 2))
    assert len(groups) < 15


def test_stacked_blocks_and_what_is_left_of_them_solve_the_whole_system() -> None:
    """A matrix in the storage of the steps, solved block by block as these do, beside a dense solution."""
    random = np.random.default_rng(8)
    for _ in range(50):
        n = int(random.integers(1, 14))
        A = random.standard_normal((n, n)) * (random.random((n, n)) < random.uniform(0.05, 0.3))
        arrays, entry = structure(masks(A != 0.0), n)
        W, order, place = np.full((arrays[COUNTS, MATRIX], n), np.nan), arrays[ORDER, :n], arrays[PLACE]
        spans = [slice(*arrays[BLOCK, k : k + 2]) for k in range(arrays[COUNTS, BLOCKS])]
        sizes = [span.stop - span.start for span in spans]
        assert arrays[COUNTS, MATRIX] <= n
        for size, span in zip(sizes, spans, strict=True):
            W[:size, span] = 0.0
        for k, j in enumerate(arrays[COLUMN, :n].tolist()):
            for e in range(arrays[SEEN, k], arrays[SEEN, k + 1]):
                W[entry[2, e], entry[3, e]] = A[entry[0, e], j]
        b = random.standard_normal(n)
        x = np.zeros(n)
        for size, span in zip(sizes, spans, strict=True):
            W[:size, span] += 9.0 * np.eye(size)
            right = b[order[span]].copy()
            for p in range(span.start, span.stop):
                for k, e in enumerate(range(arrays[LEFT, p], arrays[LEFT, p + 1])):
                    right[p - span.start] -= W[size + k, p] * x[entry[1, e]]
            x[order[span]] = np.linalg.solve(W[:size, span], right)
        assert sorted(place[:n].tolist()) == list(range(n))
        np.testing.assert_allclose(x, np.linalg.solve(A + 9.0 * np.eye(n), b), rtol=1e-12, atol=1e-13)


def test_a_step_stores_no_more_for_many_mechanisms_than_for_the_largest_of_them() -> None:
    few, many = (luff.compile(luff.loads(copies(FOUR_BAR, count))).start().work for count in (1, 20))
    assert len(many) == len(few) - 4  # rows of four energies, which single columns find for one mechanism


# valves, drives and ropes, controllers and planners, reactions that are fed back, a mechanism that drives another
MODELS = ("luffing_circuit", "crane_gpme", "crane_overhead", "mechanism_rpsup", "reference_and_plant")


@pytest.mark.parametrize("model", MODELS)
def test_pattern_holds_all_that_differences_find(model: str) -> None:
    sim = luff.compile(LIBRARY / f"{model}.yaml")
    instance, random = sim.instance, np.random.default_rng(7)
    needs, n = _needs(sim), len(sim.x0)
    assert len(needs) == n
    for share in (0.0, 1e-3):
        x = sim.x0 + share * random.standard_normal(n) * np.maximum(abs(sim.x0), 1e-2)
        slope = instance.rates(0.0, x)[:n]
        for j in range(n):
            there = x.copy()
            there[j] += 1e-6 * max(abs(x[j]), 1e-3)
            # what Newton's method closes is good for some 1e-14
            moved = abs(instance.rates(0.0, there)[:n] - slope) > 1e-12 * np.maximum(abs(slope), 1e-9)
            assert all(needs[i] >> j & 1 for i in np.flatnonzero(moved)), sim.state_names[j]


def _needs(sim: luff.Simulation) -> list[int]:
    program, models = sim.instance.program, [model for model, _ in sim.instance.mechanisms]
    return StateFlow(program.ordered["rates"], models, len(sim.x0) - program.mechanical).rates()


def copies(text: str, count: int) -> str:
    """A netlist with a mechanism several times, and a filter that sees the first."""
    raw = yaml.safe_load(text)
    blocks = {
        "world": raw["blocks"].get("world", {}),
        "seen": {"type": "transfer_function", "num": [1], "den": [0.1, 1]},
    }
    own, connect = [name for name in raw["blocks"] if name != "world"], ["A0.position -> seen.u"]
    for k in range(count):
        blocks |= {f"{name}{k}": raw["blocks"][name] for name in own}
        for wire in raw["connect"]:
            ends = [end.strip().split(".") for end in wire.split("--")]
            named = [name if name == "world" else f"{name}{k}" for name, _ in ends]
            connect.append(f"{named[0]}.{ends[0][1]} -- {named[1]}.{ends[1][1]}")
    settings = {"stop": "1 s", "step": "10 ms", "method": "implicit"}
    return json.dumps({"luff": 1, "blocks": blocks, "connect": connect, "simulation": settings})


def test_mechanisms_apart_are_blocks_of_their_own_and_share_evaluations() -> None:
    few, many = (luff.compile(luff.loads(copies(FOUR_BAR, count))) for count in (1, 4))
    needs = _needs(many)
    arrays, _ = structure(needs, len(needs) + many.program.trailing)
    assert arrays[COUNTS, BLOCKS] == 5
    assert arrays[COUNTS, COLOURS] == 3  # angle, rate and the filter, which sees one of them
    # the first of four alike moves as it does alone, but for how far Newton's method closes all of them
    one, first = few.run(), many.run()
    for name in ("A0.position", "A0.velocity", "seen.y"):
        np.testing.assert_allclose(first[name], one[name], rtol=0.0, atol=1e-9)
    # energies, whose rates hang on all: balanced as they are for one
    balance = [result.quality["energy"]["relative_residual"] for result in (one, first)]
    assert balance[1] == pytest.approx(balance[0], rel=0.05)
