"""Controllers."""

from .symbol import Symbol

P = "M -22 -9 L -22 9 M -22 -9 L -16 -9 C -9 -9 -9 0 -16 0 L -22 0 "
SYMBOLS = {
    "pd": Symbol(
        P.replace("-22", "-14").replace("-16", "-9").replace("-9 -9 -9 0", "-2 -9 -2 0")
        + "M 4 -9 L 4 9 L 8 9 C 17 9 17 -9 8 -9 Z"
    ),
    "pid": Symbol(P + "M -3 -9 L -3 9 M 5 -9 L 5 9 L 9 9 C 19 9 19 -9 9 -9 Z"),
    "gravity_compensation": Symbol("M -10 12 L -10 -8 > -10 12 270 M 10 -12 L 10 8 > 10 -12 90", "O 0 0 4"),
    "computed_torque": Symbol("A 0 0 13 200 -220 > 12.3 4 275", "R -7 -3 14 10", "M -4 2 L 4 2"),
}
