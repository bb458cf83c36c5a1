"""The page on the source papers names what there is, and the check of its data finds what there is not."""

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from luff.docs import papers

Change = Callable[[dict[str, Any]], object]


def test_command_finds_all_that_the_page_names() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "luff.docs.papers"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("146 items")


def test_page_has_a_row_for_each_item() -> None:
    rows = [line for line in papers.page().splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, 147))
    assert all(row.count("|") == 6 for row in rows)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda item: item.update(tests=["systems/test_papers.py::test_nothing"]), "no such test"),
        (lambda item: item.update(tests=["systems/test_none.py::"]), "no such test"),
        (lambda item: item.update(studies=["none"]), "library/studies/none.yaml"),
        (lambda item: item.update(models=["none"]), "library/none.yaml"),
        (lambda item: item.update(pages=["none.md"]), "docs/none.md"),
        (lambda item: item.update(blocks=["none"]), "no such block"),
        (lambda item: item.update(commands=["none"]), "luff none"),
        (lambda item: item.update(parameters=["pd.none"]), "no such parameter"),
        (lambda item: item.update(parameters=["simulation.constraints.none"]), "no such parameter"),
        (lambda item: item.update(signals={"crane_vessel": ["slew.none"]}), "no signal slew.none"),
        (lambda item: item.update(state="fine"), "found state fine"),
        (lambda item: item.update(state="missing"), "no reason"),
        (lambda item: (item.clear(), item.update(n=1, what="x", state="agrees")), "nothing says where"),
        (lambda item: (item.pop("tests"), item.update(agreement="1e-9")), "no test or study"),
        (lambda item: item.update(more=1), "no such key: more"),
    ],
)
def test_what_is_not_there_is_told(change: Change, told: str) -> None:
    item = copy.deepcopy(next(iter(papers.items())))
    assert not list(papers.mistakes([item]))
    change(item)
    [mistake] = papers.mistakes([item])
    assert mistake.startswith("1: ")
    assert told in mistake
