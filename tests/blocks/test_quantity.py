"""Quantities: the table against pint, the grammar, and which dimension answers for which."""

import math
import subprocess
import sys
from fractions import Fraction

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from luff.blocks import LuffError, registered
from luff.blocks.text.quantity import TABLE, coherent, compatible, from_pint, in_unit, quantity, spelled, unit


@pytest.mark.parametrize("name", [name for name in TABLE if name != "%" and "Nm" not in name])
def test_table_agrees_with_pint(name: str) -> None:
    found = from_pint({"rev": "revolution"}.get(name, name))
    # pint chains its conversion factors in floats
    assert float(TABLE[name].factor) == pytest.approx(float(found.factor), rel=1e-14)
    assert TABLE[name].dimension == found.dimension


def test_table_percent_agrees_with_pint() -> None:
    assert float(TABLE["%"].factor) == pint.UnitRegistry(cache_folder=None)("1 percent").to("").magnitude


GOOD = {
    ("6 m", "m"): 6.0,
    ("6m", "m"): 6.0,
    ("30 t*m^2", "kg*m^2"): 30e3,
    ("30 t m**2", "kg*m^2"): 30e3,
    ("10 kN/m", "N/m"): 1e4,
    ("300 Nm", "N*m"): 300.0,
    ("-2.5kNm", "N*m"): -2500.0,
    ("4 Nm/rad", "N*m/rad"): 4.0,
    ("4 MNm*s/rad", "N*m*s/rad"): 4e6,
    ("30 deg", "rad"): math.pi / 6,
    ("1 rpm", "rad/s"): math.pi / 30,
    ("-9.81", "m/s^2"): -9.81,
    ("-9.81 m/s^2", "m/s^2"): -9.81,
    ("5 %", ""): 0.05,
    ("5%", ""): 0.05,
    ("200 1/rad", "1/rad"): 200.0,
    ("200 1/rad", ""): 200.0,
    ("3/s", "1/s"): 3.0,
    ("35 mm", "m"): 0.035,
    ("1e3 mm", "m"): 1.0,
    ("2.1e11 Pa", "N/m^2"): 2.1e11,
    ("210 bar", "Pa"): 210e5,
    ("60 l/min", "m^3/s"): 1e-3,
    ("4 N*m*s/rad", "N*m*s"): 4.0,
    ("4 N*m*s", "N*m*s/rad"): 4.0,
    ("4 N/(m/s)", "N*s/m"): 4.0,
    ("2 kN·m", "J"): 2000.0,
    ("5 slug", "kg"): 5 * 14.593902937,  # NIST SP 811
    ("1 inch", "m"): 0.0254,
    ("2 Hz", "1/s"): 2.0,
    ("3 K", "K"): 3.0,
    ("9 t^0.5*mm", "kg^0.5*m"): 9e-3 * 1000**0.5,
    ("4 kg^-0.5", "1/kg^0.5"): 4.0,
}


@pytest.mark.parametrize(("text", "wanted"), GOOD)
def test_quantity_converts(text: str, wanted: str) -> None:
    value = in_unit(quantity(text), wanted, text)
    assert value == pytest.approx(GOOD[text, wanted], rel=1e-9)  # 1e-9: as many digits as SP 811 prints


BAD = {
    ("6 mm", "kg"): r"found 6 mm \(m\), expected a quantity in kg",
    ("30 deg", "kg"): r"\(rad\), expected a quantity in kg",
    ("30 deg", ""): r"\(rad\), expected a plain number",
    ("5 %", "rad"): "a plain number.*expected a quantity in rad",
    ("2 Hz", "rad/s"): "write rad/s, deg/s or rpm",
    ("2 rpm", "1/s"): "expected a quantity in 1/s",
    ("5 N", "N*m"): r"\(kg\*m/s\^2\), expected a quantity in N\*m",
    ("20 degC", "K"): "has an offset",
    ("20 degF", "K"): "has an offset",
    ("3 dB", ""): '"dB"',
    ("5 foo", "m"): 'unknown unit "foo"',
    ("5 Kg", "kg"): "did you mean",
    ("5 M", "m"): r"mol/m\^3",
    ("m", "m"): "expected a number",
    ("1_000", "m"): "write 1000",
    ("1'000", "m"): "write 1000",
    ("3,5 m", "m"): "write the decimal point as a point",
    ("1e999", "m"): "finite",
    ("1e999 m", "m"): "finite",
    ("nan", "m"): "expected a number",
    ("inf m", "m"): "expected a number",
    ("5 m^99", "m"): "a power is a whole number from -12 to 12, or a half",
    ("5 m^0.25", "m"): "a power is a whole number from -12 to 12, or a half",
    ("5 m^10^10", "m"): "cannot read the unit",
    ("5 m^-", "m"): "cannot read the unit",
    ("5 (m", "m"): "closing bracket",
    ("5 m)", "m"): "out of place",
    ("5 m*", "m"): "cannot read the unit",
    ("5 " + "(" * 70, "m"): "cannot read the unit",
    ("5 " + "m" * 200, "m"): "expected at most 80",
    ("5 __import__('os')", "m"): "cannot read the unit",
    ("l1/2", "m"): "an expression starts with =",
    ("", "m"): "expected a number",
}


def test_newton_metres_are_no_count_of_yarn() -> None:
    """pint reads Nm as metres of yarn a gram."""
    assert unit("Nm") == unit("N*m")
    assert unit("Nm").dimension == unit("J").dimension
    for text in ("3 Nms", "3 kNms/rad"):
        with pytest.raises(LuffError, match=r"write N\*m\*s"):
            quantity(text)


@pytest.mark.parametrize(("text", "wanted"), BAD)
def test_quantity_refuses(text: str, wanted: str) -> None:
    with pytest.raises(LuffError, match=BAD[text, wanted]):
        in_unit(quantity(text), wanted, text)


@given(st.decimals(-1e6, 1e6, places=4), st.sampled_from(["mm", "kN", "t", "bar", "ms", "um", "MPa"]))
def test_quantity_is_the_float_nearest_to_the_exact_product(number: object, name: str) -> None:
    factor = TABLE[name].factor
    assert isinstance(factor, Fraction)
    assert quantity(f"{number} {name}").value == float(Fraction(str(number)) * factor)


@given(st.text(max_size=40))
def test_quantity_never_fails_otherwise_than_clearly(text: str) -> None:
    try:
        found = quantity(text)
    except LuffError:
        return  # any other exception fails the test
    assert math.isfinite(found.value)


def test_compatible_knows_where_an_angle_matters() -> None:
    yes = [("N*m", "N*m/rad"), ("J", "N*m"), ("m", "m/rad"), ("1/rad", ""), ("s/rad", "s"), ("rad*m", "m")]
    no = [("rad", ""), ("rad/s", "1/s"), ("rad/s^2", "1/s^2"), ("m", "kg"), ("rad", "m")]
    for a, b in yes + no:
        expected = (a, b) in yes
        assert compatible(unit(a).dimension, unit(b).dimension) is expected, (a, b)
        assert compatible(unit(b).dimension, unit(a).dimension) is expected, (b, a)


@pytest.mark.parametrize(
    "text", ["kg*m^2/s^2", "m", "rad/s", "1/s", "kg/m^3", "N*m/rad", "", "Pa*s", "m*kg^0.5/s^1.5"]
)
def test_spelled_reads_back(text: str) -> None:
    dimension = unit(text).dimension
    assert unit(spelled(dimension)).dimension == dimension


def test_units_of_all_blocks_are_coherent_si() -> None:
    """Bare numbers are SI only if every parameter and port asks for an SI unit."""

    def params(owner: dict) -> list:
        inner = [param.struct.params for param in owner.values() if hasattr(param, "struct")]
        return [*owner.values(), *(param for struct in inner for param in params(struct))]

    for cls in registered().values():
        wanted = {param.unit for param in params(cls.params)}
        wanted |= {port.unit for port in cls.class_ports.values() if port.unit}
        assert {name for name in wanted if unit(name).factor != 1} == set(), cls


def test_usual_units_never_import_pint() -> None:
    texts = [text for text, _ in GOOD if "slug" not in text and "inch" not in text]
    code = f"""if True:
        import sys
        from luff.blocks.text.quantity import quantity
        for text in {texts}:
            quantity(text)
        print("pint" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("kN", "N"),
        ("kN*s/m", "N*s/m"),
        ("GPa", "Pa"),
        ("bar", "Pa"),
        ("t", "kg"),
        ("m^3/s/Pa", "m^3/s/Pa"),
        ("cm^3/s/bar", "m^3/s/Pa"),
        ("l/min", "m^3/s"),
        ("l^2", "m^6"),
        ("deg/s", "rad/s"),
        ("rpm", "rad/s"),
        ("kNm", "Nm"),
        ("kJ", "J"),
        ("N*mm/deg", "N*m/rad"),
        ("1/ms", "1/s"),
        ("%", ""),
        ("m/m", "m/m"),
    ],
)
def test_the_si_unit_is_in_the_words_of_what_was_written(written: str, words: str) -> None:
    assert coherent(written, unit(written).dimension) == words
    # so that a bare number beside it means what the solver makes of it
    assert unit(words).factor == 1
    assert unit(words).dimension == unit(written).dimension


@pytest.mark.parametrize(
    ("dimension", "words"), [("kN", "N"), ("MPa", "Pa"), ("kNm", "N*m"), ("t*m", "kg*m")]
)
def test_what_is_computed_has_a_unit_by_its_dimension(dimension: str, words: str) -> None:
    assert coherent("", unit(dimension).dimension) == words


@pytest.mark.parametrize(
    ("found", "wanted", "mended"),
    [
        ("10 kN", "N*m/rad", "10 kN*m/rad"),
        ("3 mm", "m/s", "3 mm/s"),
        ("2 N", "N*m", "2 N*m"),
        ("5 ms", "kg", "5 kg"),
        ("1 t", "N", "1 N"),
    ],
)
def test_the_fix_of_a_unit_keeps_a_prefix_that_the_wanted_one_can_have(
    found: str, wanted: str, mended: str
) -> None:
    with pytest.raises(LuffError) as caught:
        in_unit(quantity(found), wanted, repr(found))
    assert f"write {mended} if that is its unit" in str(caught.value)
