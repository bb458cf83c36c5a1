"""Checking costs what a netlist is long, and no more, however many mistakes it has.

What is compared is the number of Python's calls and lines, which no load of the machine changes: four times the netlist
may take at most eight times the work, where a quadratic part would take sixteen times its share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import luff
from luff.blocks import LuffError
from luff.solver.flatten.diagram import Diagram

SIZE = 150  # entries of the shorter netlist; the fixed costs are a tenth of it


def lines(count: int, head: str, entry: str, rest: str = "") -> str:
    return "\n".join(["luff: 1", head, *(entry.format(k=k, next=k + 1) for k in range(count)), rest])


def gains(count: int) -> str:
    return lines(count, "blocks:", "  g{k}: {{type: gain}}", f"  g{count}: {{type: gain}}")


NETLISTS: dict[str, Callable[[int], str]] = {
    "wires to blocks that are not there": lambda n: lines(
        n, gains(n).removeprefix("luff: 1\n") + "\nconnect:", "  - g{k}.y -> h{k}.u"
    ),
    "wires to ports that are not there": lambda n: lines(
        n, gains(n).removeprefix("luff: 1\n") + "\nconnect:", "  - g{k}.yy -> g{next}.u"
    ),
    "wires twice": lambda n: lines(
        n, gains(n).removeprefix("luff: 1\n") + "\nconnect:", "  - g{k}.y -> g{next}.u\n  - g0.y -> g{next}.u"
    ),
    "a chain of open widths, against its order": lambda n: lines(
        n, gains(n).removeprefix("luff: 1\n") + "\nconnect:", "  - g{next}.y -> g{k}.u"
    ),
    "pairs of open widths": lambda n: lines(
        n // 2,
        lines(n, "blocks:", "  a{k}: {{type: gain}}\n  b{k}: {{type: gain}}").removeprefix("luff: 1\n")
        + "\nconnect:",
        "  - a{k}.y -> b{k}.u",
    ),
    "unknown types": lambda n: lines(n, "blocks:", "  g{k}: {{type: gian}}"),
    "unknown parameters": lambda n: lines(n, "blocks:", "  g{k}: {{type: gain, kk: 2}}"),
    "blocks of wrong form": lambda n: lines(n, "blocks:", "  g{k}: 3"),
    "unknown sections": lambda n: lines(n, "blocks: {}", "nonsense{k}: 1"),
    "parameters that follow from each other": lambda n: lines(
        n, "parameters:", "  p{k}: =p{next} + 1", f"  p{n}: 1\nblocks: {{a: {{type: constant, value: =p0}}}}"
    ),
    "parameters that follow from a wrong one": lambda n: lines(n, "parameters:", "  p{k}: =p{next} + 1"),
    "open inputs behind ports": lambda n: lines(
        n,
        lines(n, "blocks:", "  g{k}: {{type: derivative}}").removeprefix("luff: 1\n") + "\nports:",
        "  p{k}: g{k}.u",
    ),
    "ports that lead nowhere": lambda n: lines(n, "blocks: {}\nports:", "  p{k}: a{k}.u"),
    "blocks to hold that are not there": lambda n: lines(
        n,
        "initial: {hold: [" + ", ".join(f"h{k}" for k in range(n)) + "]}\nblocks:",
        "  g{k}: {{type: constant}}",
    ),
    "links with a mistake, and their wires": lambda n: lines(
        n,
        lines(n, "blocks:", "  l{k}: {{type: rigid_link, mass: x}}").removeprefix("luff: 1\n") + "\nconnect:",
        "  - world.frame -- l{k}.frame_a",
    ),
}


def work(text: str) -> tuple[int, int]:
    """Lines of Python that are run to check a text, those of loops inside calls in C counted too; and its mistakes."""
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        found = Diagram.from_yaml(text).check()
    except LuffError as error:
        found = error.problems
    finally:
        sys.settrace(before)
    return count, len(found)


@pytest.mark.parametrize("name", NETLISTS)
def test_checking_grows_as_the_netlist(name: str) -> None:
    make = NETLISTS[name]
    work(make(SIZE))  # what is made once for all
    (short, few), (long, many) = work(make(SIZE)), work(make(4 * SIZE))
    assert long / short < 8, (short, long)
    assert many >= few


def test_chain_of_parameters_is_longer_than_the_stack_of_python() -> None:
    count = 5 * sys.getrecursionlimit()
    text = NETLISTS["parameters that follow from each other"](count)
    diagram = luff.loads(text)
    assert diagram.check() == []
    assert diagram.scope().parameter("p0").value == count + 1
    told = luff.loads(NETLISTS["parameters that follow from a wrong one"](count)).check()
    assert [problem.path for problem in told] == [f"parameters.p{count - 1}"]


def test_circle_of_parameters_is_longer_than_the_stack_of_python() -> None:
    count = 5 * sys.getrecursionlimit()
    text = NETLISTS["parameters that follow from a wrong one"](count) + f"  p{count}: =p0\n"
    told = luff.loads(text).check()
    assert told
    assert "refer to each other in a circle" in told[0].message
