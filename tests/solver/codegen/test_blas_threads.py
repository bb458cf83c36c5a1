"""Threads of the linear algebra while a model is compiled."""

from __future__ import annotations

import pytest

import luff
from luff.solver.codegen.blas_threads import one_blas_thread, thread_functions
from luff.solver.program.started_program import Started, started
from luff.tests.shared.loop_cases import FOUR_BAR


def test_a_model_is_compiled_with_one_thread_and_the_number_before_restored() -> None:
    functions = thread_functions()
    if functions is None:
        pytest.skip("numpy has another library than OpenBLAS")
    count, limit = functions
    before, seen = count(), []

    def begin(flat: object) -> Started:
        with one_blas_thread():  # as what it calls may ask again
            seen.append(count())
        seen.append(count())
        return started(flat)  # type: ignore[arg-type]

    limit(2)
    try:
        luff.Simulation(luff.loads(FOUR_BAR), begin=begin)
        assert seen == [1, 1]
        assert count() == 2
    finally:
        limit(before)
