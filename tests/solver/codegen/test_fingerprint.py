"""What makes two variants of a study the same: sources of the solver and what files of tables say are part of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import luff
from luff.solver.flatten.flatten import flatten
from luff.solver.studies import variant_fingerprint

TABLE = """
luff: 1
blocks:
  law: {type: table, file: law.csv}
  x: {type: integrator}
connect: [law.y -> x.u]
simulation: {stop: 1, step: 0.01}
"""


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the sources, which the hash is taken of."""
    for folder in ("blocks", "solver"):
        shutil.copytree(
            variant_fingerprint.PACKAGE / folder,
            tmp_path / folder,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    monkeypatch.setattr(variant_fingerprint, "PACKAGE", tmp_path)
    variant_fingerprint.code_fingerprint.cache_clear()
    yield tmp_path
    variant_fingerprint.code_fingerprint.cache_clear()


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("solver/kernels/dense_linear_algebra.py", True),
        ("solver/integrators/rosenbrock.py", True),
        ("solver/diagram/run_settings.py", True),
        ("blocks/mechanics/joints.py", True),
        ("blocks/signals/arithmetic.py", True),
        ("solver/results/matplotlib_plots.py", False),
        ("solver/studies/study_report.py", False),
    ],
)
def test_a_changed_source_makes_other_results(file: str, counts: bool, copied: Path) -> None:
    before = variant_fingerprint.code_fingerprint()
    variant_fingerprint.code_fingerprint.cache_clear()
    assert variant_fingerprint.code_fingerprint() == before
    place = copied / file
    place.write_text(place.read_text() + "\n")
    variant_fingerprint.code_fingerprint.cache_clear()
    assert (variant_fingerprint.code_fingerprint() != before) == counts


def test_a_source_that_is_renamed_makes_other_results(copied: Path) -> None:
    before = variant_fingerprint.code_fingerprint()
    (copied / "solver" / "initial" / "servo_rank.py").rename(copied / "solver" / "initial" / "servo_rank2.py")
    variant_fingerprint.code_fingerprint.cache_clear()
    assert variant_fingerprint.code_fingerprint() != before


def test_what_a_table_says_counts_and_not_its_name_alone(tmp_path: Path) -> None:
    table = tmp_path / "law.csv"

    def of() -> str:
        return variant_fingerprint.fingerprint(flatten(luff.loads(TABLE, base=tmp_path), {}), ("*",))

    table.write_text("0, 0\n1, 2\n")
    before = of()
    # written again
    table.write_text("0, 0\n1, 2\n")
    assert of() == before
    # as long as before
    table.write_text("0, 0\n1, 3\n")
    assert of() != before
    table.write_text("0, 0\n0.5, 1\n1, 2\n")
    assert of() != before
    # a file counts by what stands in it, so that numbers spelled otherwise are another: variants run once more
    table.write_text("0, 0\n1, 2.0\n")
    assert of() != before
