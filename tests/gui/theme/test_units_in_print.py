"""Units have one form in the window; files, names and expressions keep theirs."""

from __future__ import annotations

import pytest

from luff.gui.theme.number_format import as_typed, units_in_print
from luff.gui.theme.window_words import in_window


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "found '-2 N*m*s/rad', expected a number >= 0 N*m/rad",
            "found '-2 N·m·s/rad', expected a number >= 0 N·m/rad",
        ),
        ("[1 kN*s/m, 2, 3 m/s^2]", "[1 kN·s/m, 2, 3 m/s²]"),
        (
            "on phi, N*m/rad (cubic: N*m/rad^3), 1/m^2, N*m/(rad*s)",
            "on phi, N·m/rad (cubic: N·m/rad³), 1/m², N·m/(rad·s)",
        ),
        ("=m*s/2", "=m*s/2"),
        ("effort = kp*measured", "effort = kp*measured"),
        ("=2*gravity*m", "=2*gravity*m"),
        ("folder/m^2/x", "folder/m^2/x"),
    ],
)
def test_units_are_in_print_and_expressions_are_not(text: str, shown: str) -> None:
    assert in_window(text) == units_in_print(text) == shown
    assert as_typed(shown) == text
