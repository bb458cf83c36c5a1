"""A few of the malformed files that `python -m luff.tests.fuzz_files` makes by the thousand: some of each kind."""

from pathlib import Path

import pytest

import luff
from luff.tests import fuzz_files


def test_malformed_files_are_read_or_refused(tmp_path: Path, seed: int) -> None:
    table, failed = fuzz_files.cases(84, seed, tmp_path)
    assert failed == []
    assert all(sum(counts.values()) >= 2 for counts in table.values())
    assert len(table) > 25


def test_names_of_any_length_fit_into_a_message(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    path.write_text(
        f"luff: 1\nblocks: {{{'b' * 5000}: {{type: gain, {'k' * 5000}: 1}}}}\nsimulation: {{{'9' * 5000}: 1}}\n"
    )
    with pytest.raises(luff.LuffError) as told:
        luff.compile(path)
    assert max(len(str(problem)) for problem in told.value.problems) < 1000
