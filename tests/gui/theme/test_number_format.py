"""Numbers and units as the window writes them."""

from __future__ import annotations

import pytest

from luff.gui.properties.value_text import from_text
from luff.gui.theme.number_format import in_print, number_text, prefixed, quantity_text, unit_words


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (1.994e5, "N", "199.4 kN"),
        (-2645.0, "N*m", "-2.645 kN·m"),
        (999.0, "N", "999 N"),
        (0.05, "rad", "50 mrad"),
        (5e-4, "m/s", "0.5 mm/s"),
        (2e5, "Pa", "200 kPa"),
        (3e9, "N/m", "3 GN/m"),
        (2500.0, "m", "2500 m"),  # nobody reads 2.5 km of rope
        (2500.0, "kg", "2.5 t"),
        (0.02, "kg*m^2", "0.02 kg·m²"),  # a prefix of a product with a power would be read as squared
        (0.02, "m^2", "0.02 m²"),
        (2500.0, "1/s", "2500 1/s"),
        (2500.0, "", "2500"),
        (0.0, "N", "0 N"),
    ],
)
def test_quantities_have_the_prefix_of_the_field(number: float, unit: str, text: str) -> None:
    assert quantity_text(number, unit, abs(number), 4) == text


def test_a_signal_keeps_its_prefix_where_it_is_small() -> None:
    assert quantity_text(12.0, "N", 2e5, 4) == "0.012 kN"
    assert prefixed("N", float("inf")) == ("N", 1.0)
    assert prefixed("N", float("nan")) == ("N", 1.0)


def test_units_are_written_as_in_print() -> None:
    assert unit_words("N*m*s/rad") == unit_words("N*m/rad*s") == "N·m·s/rad"
    assert unit_words("N/m*s") == "N·s/m"
    assert unit_words("N/m*sqrt") == "N/m·sqrt"
    assert unit_words("kg^0.5*m") == "kg^0.5·m"
    assert unit_words("drive.speed [m^3/s^-2]") == "drive.speed [m³/s⁻²]"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("1e-3 N*m*s/rad", "1 mN·m·s/rad"),
        ("2e7 N/m", "20 MN/m"),
        ("0.001 N*m", "0.001 N·m"),  # who writes no power of ten wants none
        ("9 t", "9 t"),
        ("1e-3 kg*m^2", "1e-3 kg·m²"),  # takes no prefix
        ("1e-30 N", "1e-30 N"),
        ("2e5", "2e5"),
        ("=2e5*k N", "=2e5*k N"),
    ],
)
def test_typed_quantities_are_printed_with_prefixes_for_powers_of_ten(typed: str, text: str) -> None:
    assert in_print(typed) == text


@pytest.mark.parametrize(
    ("number", "text"), [(1e-5, "1e-5"), (4.6e-5, "4.6e-5"), (2e5, "2e5"), (0.25, "0.25")]
)
def test_numbers_are_as_short_as_they_are_exact(number: float, text: str) -> None:
    assert number_text(number) == text
    assert from_text(text) == number
