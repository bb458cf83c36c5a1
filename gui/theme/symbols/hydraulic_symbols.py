"""Hydraulic symbols after ISO 1219-1."""

from .symbol import Symbol

SYMBOLS = {
    "supply": Symbol("O 0 0 11 M 0 -11 L 0 -15", "M -4 -5 L 0 -11 L 4 -5 Z"),
    "tank": Symbol("M -13 -3 L -13 9 L 13 9 L 13 -3 M 0 -14 L 0 4"),
    "flow_source": Symbol("O 0 0 11 M -22 0 L -11 0 M 11 0 L 22 0", "M 5 -4 L 11 0 L 5 4 Z"),
    "proportional_valve": Symbol(
        "R -21 -8 14 16 R -7 -8 14 16 R 7 -8 14 16 M -17 6 L -17 -6 > -17 -6 90 M -11 -6 L -11 6 > -11 6 270 "
        "M 11 6 L 17 -6 > 17 -6 63 M 17 6 L 11 -6 M -21 -11 L 21 -11 M -21 11 L 21 11 M -3 8 L -3 4 M 3 8 L 3 4"
    ),
    "spool_valve": Symbol(
        "R -21 -8 14 16 R -7 -8 14 16 R 7 -8 14 16 M -17 6 L -17 -6 > -17 -6 90 M -11 -6 L -11 6 > -11 6 270 "
        "M 11 6 L 17 -6 > 17 -6 63 M 17 6 L 11 -6 M 0 6 L 0 -6 > 0 -6 90"
    ),
    "pressure_compensator": Symbol(
        "R -8 -8 16 16 M -22 0 L -8 0 M 8 0 L 22 0 M -4 0 L 5 0 > 5 0 0 M 0 -8 L -3 -10 L 3 -12 L -3 -14 L 2 -16",
        dashed="M 14 0 L 14 13 L 0 13 L 0 8",
    ),
    "shuttle": Symbol(
        "R -15 -6 30 12 M -22 0 L -15 0 M 15 0 L 22 0 M 0 -6 L 0 -15 M -9 -6 L -9 6 M 9 -6 L 9 6", "O 4 0 4"
    ),
    "relief_valve": Symbol(
        "R -8 -8 16 16 M -22 3 L -8 3 M 8 3 L 22 3 M -4 3 L 5 3 > 5 3 0 M 0 -8 L -3 -10 L 3 -12 L -3 -14 L 2 -16"
    ),
    "orifice": Symbol("M -22 0 L 22 0 M -8 -8 C -4 -3 4 -3 8 -8 M -8 8 C -4 3 4 3 8 8"),
    "pump": Symbol(
        "O 0 0 11 M -22 0 L -11 0 M 11 0 L 22 0 M -10 12 L 12 -12 > 12 -12 48", "M 5 -4 L 11 0 L 5 4 Z"
    ),
    "accumulator": Symbol(
        "M 0 12 L 0 16 M -7 -2 L 7 -2 M -7 -9 C -7 -14 7 -14 7 -9 L 7 7 C 7 13 -7 13 -7 7 Z"
    ),
    "hose_rupture_valve": Symbol(
        "M -22 0 L -6 0 M 6 0 L 22 0 M 6 -8 L -2 0 L 6 8 M -12 -10 L -6 -10 L -6 10 L -12 10", "O -1 0 4"
    ),
    "check_valve": Symbol("M -22 0 L -5 0 M 5 0 L 22 0 M 5 -8 L -3 0 L 5 8", "O 0 0 5"),
    "counterbalance_valve": Symbol(
        "R -8 -10 16 14 M -22 -3 L -8 -3 M 8 -3 L 22 -3 M -4 -3 L 5 -3 > 5 -3 0 M 0 -10 L -3 -12 L 3 -14 L 0 -16 "
        "M -14 -3 L -14 11 L -4 11 M 14 -3 L 14 11 L 4 11 M 4 6 L -2 11 L 4 16"
    ),
    "hose": Symbol("M -22 0 L -14 0 C -6 12 6 12 14 0 L 22 0 O -14 0 2 O 14 0 2"),
    "volume": Symbol("M 0 10 L 0 15", "M -7 -12 C -7 -16 7 -16 7 -12 L 7 6 C 7 11 -7 11 -7 6 Z"),
}
