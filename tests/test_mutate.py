"""The mutator of `make search` changes what it says, and its table names files that are there."""

from __future__ import annotations

import ast
import tomllib

from luff.tests.run_mutations import ROOT, mutations


def test_each_module_of_the_table_and_its_tests_are_there() -> None:
    table = tomllib.loads((ROOT / "tests" / "mutated.toml").read_text("utf-8"))
    named = [
        *table,
        *(test.partition(" -k ")[0].partition("::")[0] for tests in table.values() for test in tests),
    ]
    assert [file for file in named if not (ROOT / file).is_file()] == []
    assert [file for file in table if not mutations(file)] == []


def test_a_mutation_is_one_change_that_python_reads() -> None:
    file = "solver/kernels/dense_linear_algebra.py"
    text = (ROOT / file).read_bytes()
    whole = ast.dump(ast.parse(text))
    changed = [ast.dump(ast.parse(one.apply(text))) for one in mutations(file)]
    assert len(changed) > 50
    assert whole not in changed
    assert len({*changed}) == len(changed)
