"""Sensors: a dial over what is measured."""

from .symbol import Symbol

SYMBOLS = {
    "frame_sensor": Symbol(
        "A 0 4 13 0 180 M -13 4 L 13 4 M 0 4 L 7 -4 M -9 -5 L -7 -3 M 0 -9 L 0 -6 M 9 -5 L 7 -3", "O 0 4 2"
    ),
    "section_sensor": Symbol(
        "M -20 -5 L -3 -5 M -20 5 L -3 5 M 3 -5 L 20 -5 M 3 5 L 20 5 M -3 -12 L -3 12 M 3 -12 L 3 12", "", ""
    ),
    "energy_sensor": Symbol("M 3 -14 L -8 3 L -1 3 L -4 14 L 8 -3 L 1 -3 Z"),
}
