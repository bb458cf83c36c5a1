"""What the header of a library says of the work in a step, against counts that follow from the method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.fmi.operation_counts import counted
from luff.tests.conftest import about_compiling
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.netlists import SWINGING_ROD


@pytest.mark.parametrize(("method", "stages"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_a_step_evaluates_once_a_stage_and_once_for_its_outputs(method: str, stages: int) -> None:
    counts = counted(luff.compile(luff.loads(SWINGING_ROD), **{"simulation.method": method}), 50)
    assert counts.shape == (50, 2)
    np.testing.assert_array_equal(counts, [[stages + 1, 0]] * 50)


def test_each_evaluation_of_a_loop_takes_a_round_of_newton_at_least() -> None:
    """A correction is made in each, be it below rounding; a step that is longer takes more of them."""
    fine, coarse = (
        counted(luff.compile(luff.loads(FOUR_BAR), **{"simulation.step": step}), 50) for step in (1e-4, 1e-2)
    )
    assert np.all(fine[:, 0] == 5)
    assert np.all(fine[:, 1] >= fine[:, 0])
    assert coarse[:, 1].sum() > fine[:, 1].sum()


def test_counting_leaves_a_run_as_it_is() -> None:
    sim = luff.compile(luff.loads(FOUR_BAR))
    before = sim.run(stop=0.1)
    counted(sim, 20)
    after = sim.run(stop=0.1)
    assert [name for name in before.names if not np.array_equal(before[name], after[name])] == []


@about_compiling
def test_the_header_says_what_was_measured(tmp_path: Path) -> None:
    luff.export_library(luff.loads(FOUR_BAR), tmp_path / "made.a", parameters=())
    header = " ".join((tmp_path / "made.h").read_text().split())
    steps = len(counted(luff.compile(luff.loads(FOUR_BAR))))
    assert f"Measured over {steps} steps of the model's own run" in header
    assert "evaluations of the mechanism: 5 in the mean, 5 at most" in header
    assert "30 in an evaluation are the limit. Other inputs and states may take more." in header.replace(
        "limit Other", "limit. Other"
    )
