"""Broken netlists: each says, in its first lines, exactly what must be said about it, and where.

`# expect: 7:12: text` is one problem (`{parts}` stands for the folder of nested netlists). All of them must be
reported, and nothing else. With `# stage: compile` it is the compiler that finds them.
"""

import re
from pathlib import Path

import pytest

import luff
from luff.blocks import LuffError

BROKEN = Path(__file__).parent / "broken"
FILES = sorted(BROKEN.glob("*.yaml"))


def expected(path: Path) -> tuple[list[str], bool]:
    header = [line for line in path.read_text().splitlines() if line.startswith("# ")]
    prefix = "# expect: "
    lines = [line.removeprefix(prefix) for line in header if line.startswith(prefix)]
    return lines, "# stage: compile" in header


def found(path: Path, compiled: bool) -> list[str]:
    try:
        diagram = luff.load(path)
        problems = diagram.check()
        if compiled:
            assert problems == []
            luff.compile(diagram)
    except LuffError as error:
        problems = error.problems
    return [
        str(problem).replace(f"{path}:", "").replace(str(BROKEN / "parts"), "{parts}")
        for problem in problems
        if problem.severity == "error"
    ]


def test_corpus_is_large_enough() -> None:
    assert len(FILES) >= 120


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_broken_netlist_is_told_what_is_wrong(path: Path) -> None:
    wanted, compiled = expected(path)
    assert wanted
    assert found(path, compiled) == wanted


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_problem_has_its_place(path: Path) -> None:
    wanted, _ = expected(path)
    assert all(re.match(r"(\{parts\}/\w+\.yaml:)?\d+:\d+: ", line) for line in wanted)
