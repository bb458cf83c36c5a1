"""A netlist's parameters: in any order, with units, and without circles."""

import pytest

from luff.blocks import LuffError
from luff.blocks.expression_scope import Scope
from luff.blocks.text.quantity import quantity


def test_number_follows_parameters_in_any_order() -> None:
    scope = Scope({"d": "=l/2", "l": "=2*r", "r": "3 m"})
    assert scope.number("=d", "m") == 3.0
    assert scope.problems() == []


def test_number_checks_the_unit_of_an_expression() -> None:
    with pytest.raises(LuffError, match=r"found '=l/2' \(m\), expected a quantity in kg"):
        Scope({"l": "6 m"}).number("=l/2", "kg")


def test_number_takes_a_bare_number_for_si() -> None:
    scope = Scope({"k": 2})
    assert scope.number(5, "kg") == 5.0
    assert scope.number("=3*k", "kg") == 6.0
    assert scope.number("5", "kg") == 5.0


@pytest.mark.parametrize("raw", [True, None, [1], {"a": 1}, "on", 10**400])
def test_number_refuses_what_is_none(raw: object) -> None:
    with pytest.raises(LuffError, match="found"):
        Scope().number(raw, "m")


def test_problems_names_a_circle_once() -> None:
    problems = Scope({"a": "=b", "b": "=c+1", "c": "=a", "d": "=a", "e1": 1}).problems()
    assert [str(problem) for problem in problems if "circle" in problem.message] == [
        "parameters.a: parameters refer to each other in a circle: a -> b -> c -> a (give one of them a number)"
    ]


def test_problems_tells_all_and_where() -> None:
    problems = Scope({"a": "6 foo", "b": "=c", "sin": 3, "pi": 4, "x y": 1, "ok": 1}).problems()
    assert [problem.path for problem in problems] == [
        f"parameters.{name}" for name in ("a", "b", "sin", "pi", "x y")
    ]


def test_scope_takes_values_from_outside() -> None:
    scope = Scope({"l": "6 m", "d": "=l/2"}, {"l": quantity("8 m")})
    assert scope.number("=d", "m") == 4.0
