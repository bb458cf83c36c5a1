"""World, links and supports."""

from .symbol import Symbol

SYMBOLS = {
    "world": Symbol(
        "M 0 -13 L 0 2 > 0 -13 90 M 0 2 L 14 2 > 14 2 0 M 0 2 L -9 9 M -20 11 L 20 11 "
        "M -16 15 L -12 11 M -8 15 L -4 11 M 0 15 L 4 11 M 8 15 L 12 11 M 16 15 L 20 11"
    ),
    "rigid_link": Symbol(
        "O -17 0 2.4 O 17 0 2.4", "M -17 -6 L 17 -6 C 25 -6 25 6 17 6 L -17 6 C -25 6 -25 -6 -17 -6 Z"
    ),
    "rfem_link": Symbol(
        "O -20 5 2.4 M -9 -1 L -6 1 L -9 3 M 2 -4 L 5 -2 L 2 0 M 13 -2 L 16 0 L 13 2 O 20 1 2.4",
        "M -18 2 C -10 -9 6 -9 18 -2 L 18 4 C 6 -3 -8 -3 -18 8 Z",
    ),
    "base_support": Symbol(
        "M -14 -1 L -14 2 L -18 4 L -10 7 L -18 10 L -14 12 L -14 14 M 14 -1 L 14 2 L 10 4 L 18 7 L 10 10 L 14 12 "
        "L 14 14 M -22 14 L 22 14",
        "R -20 -13 40 12",
    ),
}
