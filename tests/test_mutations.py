"""The list of `tests/run_mutations.py` fits the sources: a change that finds no line would be counted by nobody."""

from __future__ import annotations

from pathlib import Path

import luff
from luff.tests.run_mutations import MUTATIONS, change

ROOT = Path(luff.__file__).parent


def test_each_mutation_finds_its_line_and_its_tests() -> None:
    texts = {file: (ROOT / file).read_text("utf-8") for file in {mutation.file for mutation in MUTATIONS}}
    stale = [
        (number, mutation.file, mutation.old)
        for number, mutation in enumerate(MUTATIONS, 1)
        if change(texts[mutation.file], mutation) in ("", texts[mutation.file])
    ]
    assert stale == []
    named = {test.split()[0].partition("::")[0] for mutation in MUTATIONS for test in mutation.tests}
    assert [file for file in sorted(named) if not (ROOT / file).is_file()] == []
