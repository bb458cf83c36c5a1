"""Names of the places in a run's arrays: two places with one name would be written over each other."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from luff.solver.integrators import run_data
from luff.solver.kernels import data_columns, model_columns


@pytest.mark.parametrize("module", [run_data, data_columns, model_columns])
def test_no_two_places_have_one_name(module) -> None:
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    targets = [
        target for statement in tree.body if isinstance(statement, ast.Assign) for target in statement.targets
    ]
    names = Counter(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
    assert names["CROWDED" if module is run_data else next(iter(names))]  # it was read
    assert not [name for name, count in names.items() if count > 1 and name.isupper()]
