"""Joints, drawn as in kinematic diagrams: two members and the freedom between them."""

from .symbol import Symbol

SYMBOLS = {
    "fixed": Symbol("M -22 0 L -5 0 M 5 0 L 22 0", "R -5 -8 10 16"),
    "revolute": Symbol(
        "M -22 0 L -7 0 M 7 0 L 22 0 O 0 0 2 A 0 0 12 35 110 > -10 -7 245",
        "O 0 0 7",
    ),
    "prismatic": Symbol(
        "M -22 0 L -12 0 M -4 0 L 22 0 > 22 0 0 M -12 -7 L 10 -7 M -12 7 L 10 7 M -12 -7 L -12 7",
        "R -4 -4 12 8",
    ),
    "universal": Symbol(
        "M -22 0 L -12 0 M -8 -9 C -14 -5 -14 5 -8 9 M 12 0 L 22 0 M 8 -9 C 14 -5 14 5 8 9 M 0 -10 L 0 10 "
        "M -10 0 L 10 0",
        "O 0 0 2.5",
    ),
    "spherical": Symbol("M -22 0 L -10 0 A 0 0 10 60 240 M 6 0 L 22 0", "O 0 0 6"),
    "free": Symbol(
        "M -12 6 L -12 -9 > -12 -9 90 M -12 6 L 3 6 > 3 6 0 M -12 6 L -19 12 M 9 -4 L 13 -13 M 9 -4 L 19 -1 "
        "M 9 -4 L 4 2",
        "",
        "M -12 6 L 9 -4",
    ),
    "platform": Symbol(
        "M -13 6 L -10 13 M 13 6 L 10 13 M -17 13 L 17 13 M 0 -4 L 0 -13 > 0 -13 90 M 0 -13 L 0 -13 "
        "A 0 6 20 130 28 A 0 6 20 22 28 > 18.5 -1.5 300",
        "R -17 0 34 6",
    ),
}
