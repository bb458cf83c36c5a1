"""Netlists that chance has changed: each is checked, or refused in sentences with a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from luff.tests.fuzz import cases, models


@pytest.mark.parametrize("of_each", [1, 3])  # `python -m luff.tests.fuzz 20000` checks more
def test_mutated_library_is_checked_without_a_fault(of_each: int, tmp_path: Path, seed: int) -> None:
    count = of_each * len(models())
    done, failed = cases(count, seed, tmp_path)
    assert not failed, "\n".join(f"mutation {k}: {told}" for k, told in failed)
    assert done == count
