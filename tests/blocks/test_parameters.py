"""A number of a block does something: in its example, or under a condition that the reference tells.

Each number of each block is changed in the block's example, and the run compared by its bits.
"""

from __future__ import annotations

import pytest

from luff.solver.diagram.block_reference import describe_block
from luff.tests.blocks.parameter_cases import CONDITIONS, NEVER, VARIANTS
from luff.tests.blocks.parameter_sweep import kinds, sweep


@pytest.mark.parametrize("kind", kinds())
def test_each_number_changes_the_run_or_its_reference_says_when(kind: str) -> None:
    plain = sweep(kind, {})
    dead = {name for name, alive in plain.items() if not alive}
    known = {name for name in CONDITIONS if name.partition(".")[0] == kind}
    assert dead <= known, "these change no bit: mend them, or say in their `doc` when they do, and here"
    alive = {name for name, changes in plain.items() if changes}
    assert not alive & known, "these do something in the example: take them out of the table"
    for variant in VARIANTS.get(kind, []):
        alive |= {name for name, changes in sweep(kind, variant, alive).items() if changes}
    assert not (dead | known) - alive - NEVER, "no variant shows that these do something"


@pytest.mark.parametrize("name", CONDITIONS)
def test_reference_says_the_condition(name: str) -> None:
    text = " ".join(str(describe_block(name.partition(".")[0])).replace("\\n", " ").split())
    assert CONDITIONS[name].lower() in text.lower()
