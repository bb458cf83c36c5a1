"""Expressions: values against Python's own, dimensions by hand, and nothing else gets in."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luff.blocks import LuffError
from luff.blocks.signals.expression_block import Expression
from luff.blocks.text.expressions import evaluate, names_in, parse, with_name
from luff.blocks.text.quantity import Quantity, quantity, spelled
from luff.tests.blocks.bench import mistakes

NAMES = {
    "l": quantity("6 m"),
    "d": quantity("2 m"),
    "m": quantity("3 t"),
    "a": quantity("30 deg"),
    "k": quantity("4"),
}


def value(text: str) -> Quantity:
    return evaluate(text, NAMES.__getitem__, NAMES)


VALUES = {
    "1+2*3": 7.0,
    "2^3^2": 512.0,
    "-2**2": -4.0,
    "(1 + 2) * 3": 9.0,
    "1e3/4": 250.0,
    "sqrt(16) + abs(-1)": 5.0,
    "hypot(3, 4)": 5.0,
    "min(3, 1, 2) + max(1, 5)": 6.0,
    "floor(2.7) + ceil(2.1)": 5.0,
    "round(2.5) + round(-2.5) + round(-0.49999999999999994) + round(1.4)": 1.0,
    "mod(-1, 3) + mod(7, -4)": 1.0,
    "sign(-l) + sign(d - d)": -1.0,
    "log(e) + log(8, 2)": 4.0,
    "exp(0)": 1.0,
    "deg2rad(180) - pi": 0.0,
    "rad2deg(pi)": 180.0,
    "atan2(1, 1)*4 - pi": 0.0,
    "sin(a)": 0.5,
    "cos(2*a)": 0.5,
    "tan(0)": 0.0,
    "asin(1)*2 - pi": 0.0,
    "l/d": 3.0,
    "k": 4.0,
}


@pytest.mark.parametrize("text", VALUES)
def test_evaluate_gives_the_value(text: str) -> None:
    assert value(text).value == pytest.approx(VALUES[text], abs=1e-14)  # a few roundings of numbers near 1


DIMENSIONS = {
    "l/2": "m",
    "l + 1": "m",
    "l*d": "m^2",
    "m*l^2/12": "kg*m^2",
    "sqrt(l*d)": "m",
    "hypot(l, d)": "m",
    "max(l, 1)": "m",
    "2*a": "rad",
    "atan2(l, d)": "rad",
    "acos(0)": "rad",
    "1/l": "1/m",
    "l^0.5*d^0.5": "m",
}


@pytest.mark.parametrize("text", DIMENSIONS)
def test_evaluate_carries_dimensions(text: str) -> None:
    dimension = value(text).dimension
    assert dimension is not None
    assert spelled(dimension) == DIMENSIONS[text]


@pytest.mark.parametrize("text", ["2*3", "l/d", "pi", "sin(a)", "k/2", "l*d/l^2", "rad2deg(a)"])
def test_evaluate_makes_bare_numbers(text: str) -> None:
    assert value(text).dimension is None


REFUSED = {
    "": "there is nothing after the =",
    "l + m": "m and kg cannot be added or compared",
    "min(l, m)": "cannot be added or compared",
    "sin(l)": "sin takes an angle, found m",
    "exp(l)": "exp takes a plain number, found m",
    "k^l": "a power is a plain number, found m",
    "q": 'there is no parameter "q"',
    "kk": 'did you mean "k"',
    "sine(1)": 'no function "sine" (did you mean "sin"?)',
    "sin(1, 2)": "sin takes 1 values, found 2",
    "min(1)": "min takes 2 to 8 values",
    "sin": 'there is no parameter "sin"',
    "1/0": "a division by zero",
    "10**10**10": "beyond all bounds",
    "9**9**9**9": "beyond all bounds",
    "1e308*10": "inf, expected a finite number",
    "9" * 900: "beyond all bounds",
    "(-1)^0.5": "a fractional power of a negative number",
    "sqrt(-1)": "sqrt of a negative number",
    "sqrt(0 - l)": "sqrt of a negative number",
    "log(0)": "outside its domain",
    "acos(2)": "outside its domain",
    "l.x": '".x" has no meaning here',
    "l.__class__": "has no meaning here",
    "__import__('os')": "has no meaning here",
    "__import__(1)": 'no function "__import__"',
    "[1][0]": "has no meaning here",
    "(1, 2)": "a list has no place in an expression",
    "lambda: 1": "has no meaning here",
    "k if k else 2": "if has no place here",
    "k and l": "and has no place here",
    "not k": "not has no place here",
    "True": "this syntax has no place",
    "None": "this syntax has no place",
    "1 < 2": "a comparison has no place here",
    "min(*k)": "this syntax has no place",
    "5m": "write a space between a number and its unit",
    "0x10": '"0x10" has no meaning here',
    "1_000": '"1_000" has no meaning here',
    "1j": '"1j" has no meaning here',
    "2 qq": '"qq" behind a number is no unit (write * between a number and a parameter: 2*qq)',
    "l + 1 kg": "m and kg cannot be added",
    "2 kN*m": '"m" is a unit here, and a parameter too (write brackets around the quantity, (2 N)*m',
    "2 e": '"e" has no meaning behind a number',
    "2 m(3)": '"m" has no meaning behind a number',
    "l @ 0": '"@ 0" has no meaning here',
    "(1 @ 0)": '"@ 0)" has no meaning here',
    "(1 @ 0) + 2 m": '"@ 0) + 2 m" has no meaning here',
    "2 m^k": "a power behind a unit is a whole number, once (write (2 m)^2 for",
    "2 m^0.5": "a power behind a unit is a whole number, once",
    "2 m^2^2": "a power behind a unit is a whole number, once",
    "k +": "it cannot be read",
    "(k": "it cannot be read",
    "k)": "it cannot be read",
    "f(x)(y)": "this syntax has no place",
    "sin(x=1)": "has no meaning here",
    "(" * 200 + "1" + ")" * 200: "more than 60 levels of brackets",
    "-" * 900 + "1": "more than 200 levels of nesting",
    "+".join(["1"] * 400): "more than 200 levels of nesting",
    "k" * 2000: "2000 characters, expected at most 1000",
    "k\nk": "it cannot be read",
    "k;k": "has no meaning here",
    "k := 1": "has no meaning here",
    "\0": "has no meaning here",
}


@pytest.mark.parametrize(
    "text", REFUSED, ids=[text[:20].encode("unicode_escape").decode() for text in REFUSED]
)
def test_evaluate_refuses(text: str) -> None:
    with pytest.raises(LuffError) as error:
        value(text)
    assert REFUSED[text] in str(error.value)


def test_an_input_named_by_a_keyword_is_one_mistake() -> None:
    assert mistakes(Expression, inputs=["is"], expr="2 * is") == [".inputs"]


def test_parse_lists_every_unknown_name() -> None:
    with pytest.raises(LuffError) as error:
        parse("p + q + sine(k)", NAMES)
    assert len(error.value.problems) == 3


@given(st.text("lkma01.+-*/^(), esinpq\t=", max_size=30))
def test_evaluate_never_fails_otherwise_than_clearly(text: str) -> None:
    try:
        found = value(text)
    except LuffError:
        return  # any other exception fails the test
    assert math.isfinite(found.value)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from("+-*"))
def test_evaluate_agrees_with_python(a: float, b: float, sign: str) -> None:
    names = {"a": Quantity(a, None), "b": Quantity(b, None)}
    expected = {"+": a + b, "-": a - b, "*": a * b}[sign]
    assert evaluate(f"a {sign} b", names.__getitem__, names).value == expected


QUANTITIES = {  # number in SI units, unit
    "6 m": (6.0, "m"),
    "l + 35 mm": (None, "m"),
    "1 t - 250 kg": (750.0, "kg"),
    "2 kN/s^2*2 m^3": (4000.0, "kg*m^4/s^4"),
    "3 N s": (3.0, "kg*m/s"),
    "5 min": (300.0, "s"),
    "max(5 min, 2 h)": (7200.0, "s"),
    "-90 deg": (-math.pi / 2, "rad"),
    "1/2 s": (0.5, "1/s"),
    "(2 N)*m": (None, "kg^2*m/s^2"),
    "(2 m)^2": (4.0, "m^2"),
    "2 m^2": (2.0, "m^2"),
    "1e3 kg": (1000.0, "kg"),
}


@pytest.mark.parametrize("text", QUANTITIES)
def test_quantities_are_operands(text: str) -> None:
    number, unit = QUANTITIES[text]
    found = value(text)
    assert found.dimension is not None
    assert spelled(found.dimension) == spelled(quantity(f"1 {unit}").dimension)
    assert number is None or found.value == pytest.approx(number, rel=1e-15)


def test_a_quantity_is_the_number_nearest_to_it() -> None:
    assert value("35 mm").value == 0.035
    assert value("sin(30 deg)").value == math.sin(quantity("30 deg").value)


def test_names_of_units_are_no_parameters() -> None:
    assert {*names_in("load + 1 kg*m/s^2 + m")} == {"load", "m"}


def test_a_parameter_has_a_new_name_where_no_unit_is_meant() -> None:
    text = "m + 1 m + 2e3 N*m / (3 m)*m - max(m, mm) + x.m"
    assert with_name(text, "m", "arm_m") == "arm_m + 1 m + 2e3 N*m / (3 m)*arm_m - max(arm_m, mm) + x.m"
    assert with_name("max(max, 1)", "max", "most") == "max(most, 1)"
    assert with_name("m + 3 m^2^2", "m", "arm_m") == "m + 3 m^2^2"  # cannot be read


def test_signals_have_no_units() -> None:
    with pytest.raises(
        LuffError, match=r'"kg" has no meaning behind a number \(units belong to the parameters, signals'
    ):
        parse("u + 1 kg", ["u"], logic=True)


def test_tanh_of_numbers() -> None:
    assert value("tanh(0.5)").value == pytest.approx(0.46211715726000975, rel=1e-15)  # DLMF 4.28.7, by mpmath
    with pytest.raises(LuffError, match="tanh takes a plain number, found m"):
        value("tanh(l)")
