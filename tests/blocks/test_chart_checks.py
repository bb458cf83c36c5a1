"""What a chart cannot be, or hardly means: told where it is, with what was found, expected, and a fix."""

from __future__ import annotations

import random

import pytest

import luff
from luff.blocks.errors import Problem
from luff.blocks.signals.guard_logic import are_exclusive, follows, never
from luff.blocks.text.expressions import parse
from luff.tests.blocks.test_sequence import TWINS, random_truth

CHART = """luff: 1
blocks:
  x: {type: sine, amplitude: 1}
  c:
    type: state_machine
    inputs: [x]
    outputs: {speed: {unit: m/s}, count: {}}
    constants: {top: 0.8}
    states:
      low: {entry: {speed: 0.5 m/s}, during: {count: 2*x}}
      high: {entry: {speed: 1, count: count + 1}}
    transitions:
      - {from: low, to: high, when: x > top}
      - {from: high, to: low, when: x < 0.2}
connect: [x.y -> c.x]
"""


def told(*changes: tuple[str, str]) -> list[Problem]:
    text = CHART
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return luff.loads(text).check()


def test_a_good_chart_has_nothing_to_tell() -> None:
    assert told() == []


@pytest.mark.parametrize(
    ("old", "new", "path", "message", "fix"),
    [
        ("to: high", "to: hihg", "transitions[0].to", 'there is no state "hihg"', 'did you mean "high"'),
        ("from: high", "from: top", "transitions[1].from", 'there is no state "top"', "known: high, low"),
        ("[x]\n", "[x]\n    initial: lwo\n", "initial", 'there is no state "lwo"', 'did you mean "low"'),
        ("count: 2*x", "cont: 2*x", "states.low.during.cont", 'there is no output "cont"', 'mean "count"'),
        ("2*x", "2*y", "during.count", 'there is no input, output or constant "y"', "known"),
        ("x > top", "x > tpo", "transitions[0].when", 'there is no input, output or constant "tpo"', 'mean "top"'),
        ("x > top", "x > > 1", "transitions[0].when", "it cannot be read", ""),
        ("x > top", "x.real > 1", "transitions[0].when", "has no meaning here", "use numbers, names"),
        ("0.5 m/s", "0.5 m", "states.low.entry.speed", "found m, expected m/s", ""),
        ("0.5 m/s", "[1]", "states.low.entry.speed", "expected a number, a quantity or an expression", ""),
        ("2*x", "count + x", "during.count", "names \"count\", which this state sets `during` itself", "entry"),
        ("top: 0.8", "t: 0.8", "constants.t", '"t" means something else already', "another name"),
        ("{}}\n", "{}, x: {}}\n", "outputs.x", '"x" means something else already', "another name"),
        ("{}}\n", "{}}\n    active: true\n    other: 1\n", "c.other", "has no parameter", ""),
        ("when: x < 0.2", "when: x < 0.2, after: -1 s", "transitions[1].after", "expected a number >= 0", ""),
        ("when: x < 0.2", "when: x < 0.2, priority: 0", "transitions[1].priority", "found 0", ""),
        ("when: x < 0.2", "until: x < 0.2", "transitions[1].until", 'has no parameter "until"', ""),
    ],
)  # fmt: skip
def test_a_mistake_is_told_where_it_is(old: str, new: str, path: str, message: str, fix: str) -> None:
    problems = told((old, new))
    (problem,) = [one for one in problems if path in one.path]
    assert problem.severity == "error"
    assert message in problem.message
    assert fix in problem.fix
    assert problem.mark is not None


def test_states_that_nothing_leads_to_are_told() -> None:
    (problem,) = told(("high: {entry", "away: {}\n      high: {entry"))
    assert problem.severity == "warning"
    assert problem.path == "blocks.c.states.away"
    assert 'nothing leads to the state "away" from the initial one, "low"' in problem.message
    # a guard that never holds leads nowhere
    problems = told(("x > top", "x > top and x < 0.5"))
    assert ["never holds" in one.message or '"high"' in one.message for one in problems] == [True, True]
    # a state that nothing leaves is fine
    assert told(("      - {from: high, to: low, when: x < 0.2}\n", "")) == []


@pytest.mark.parametrize(
    ("more", "ambiguous"),
    [
        ("when: x > 0.9", True),
        ("when: x > 0.9, priority: 1", False),
        ("when: x <= 0.8", False),  # top is 0.8
        ("when: x < 0.8 or x < -1", False),
        ("when: not x > 0.5", False),
        ("when: -x > 0", True),  # beyond what is looked at
        ("after: 2 s", True),
        ("after: 2 s, priority: 2", False),
        ("when: 0.1 < x <= 0.3, after: 1 s", False),
    ],
)
def test_two_ways_of_one_priority_say_which_one_is_taken(more: str, ambiguous: bool) -> None:
    problems = told(("      - {from: high", f"      - {{from: low, to: low, {more}}}\n      - {{from: high"))
    problems = [problem for problem in problems if problem.severity == "warning"]
    assert len(problems) == ambiguous
    for problem in problems:
        assert problem.path == "blocks.c.transitions[1]"
        assert 'may leave "low" at one instant' in problem.message
        assert 'the first in the file goes to "high"' in problem.message
        assert "`priority`" in problem.fix


@pytest.mark.parametrize(
    ("back", "loops"),
    [
        ("when: x > 0.5", True),  # holds wherever x > 0.8
        ("when: x > top", True),
        ("", True),
        ("after: 0", True),
        ("after: 0.1", False),
        ("when: x > 0.9", True),  # x > 0.8 wherever this holds
        ("when: -x < -0.9", False),  # beyond what is looked at: a run tells
        ("when: x < 0.2", False),
        ("when: elapsed > 0", False),
        ("when: count > 3", False),
    ],
)
def test_a_loop_without_time_is_told(back: str, loops: bool) -> None:
    problems = told(("to: low, when: x < 0.2", f"to: low, {back}"))
    errors = [problem for problem in problems if problem.severity == "error"]
    assert len(errors) == loops
    for problem in errors:
        assert "a loop without time: " in problem.message
        assert "high -> low" in problem.message
        assert "after" in problem.fix


def test_a_loop_that_another_way_leaves_first_is_none() -> None:
    way = "      - {from: low, to: out, when: x > 0.1, priority: 1}\n      - {from: high"
    problems = told(
        ("high: {entry", "out: {}\n      high: {entry"), ("      - {from: high", way), ("x < 0.2", "x > 0.5")
    )
    assert not [problem for problem in problems if problem.severity == "error"]


def test_what_is_proved_of_guards_holds_at_random_values() -> None:
    """Claims are checked at many values; enough guards are claimed to exclude each other, and to follow."""
    draw = random.Random(5)
    values = [
        (a, b) for a in (-2, -0.41, -0.4, -0.1, 0.2, 0.21, 0.5, 2) for b in (-2, -0.4, 0.19, 0.2, 0.3, 2)
    ]
    claimed = {"exclusive": 0, "follows": 0, "never": 0}
    for _ in range(1500):
        texts = [random_truth(draw, draw.randrange(3)) for _ in range(2)]
        one, two = (parse(text, logic=True) for text in texts)
        codes = [compile(text, "<guard>", "eval") for text in texts]
        held = [
            [bool(eval(code, {"__builtins__": {}, **TWINS}, {"a": a, "b": b})) for code in codes]
            for a, b in values
        ]
        claims = {
            "exclusive": (are_exclusive(one, two, {}), lambda x, y: not (x and y)),
            "follows": (follows(one, two, {}), lambda x, y: y or not x),
            "never": (never(one, {}), lambda x, y: not x),
        }
        for name, (claim, rule) in claims.items():
            claimed[name] += claim
            assert not claim or all(rule(x, y) for x, y in held), (name, texts)
    assert min(claimed.values()) > 20, claimed
