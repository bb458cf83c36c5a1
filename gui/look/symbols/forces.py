"""Force elements."""

from .symbol import Symbol

SYMBOLS = {
    "line_spring": Symbol(
        "M -22 -4 L -14 -4 L -12 -9 L -7 1 L -2 -9 L 3 1 L 8 -9 L 11 -4 L 22 -4 M -22 -4 L -22 9 L -4 9 M 22 -4 "
        "L 22 9 L 2 9 "
        "M 6 5 L -4 5 L -4 13 L 6 13 M 2 6 L 2 12"
    ),
    "bushing": Symbol("M -22 0 L -13 0 M 5 0 L 22 0 A 0 0 9 0 360", "O 0 0 13", "O 0 0 4.5"),
    "contact": Symbol(
        "M -20 12 L 20 12 A 0 0 10 0 360", "M -14 12 L -18 17 M 0 12 L -4 17 M 14 12 L 10 17", "O 0 0 2"
    ),
    "rope": Symbol("M -22 8 L -8 8 M -1 -2 L 8 -2 M 12 2 L 12 14", "O 8 2 4", "O -8 2 6"),
    "girder_path": Symbol(
        "M -22 6 L 22 6 M -22 10 L 22 10 M -12 -8 L 10 -8", "O -8 1 5", "O 6 1 5", "M 12 -8 L 20 -8"
    ),
    "winch": Symbol("M 12 0 L 22 0 M -22 -10 L -22 10", "O -6 0 14", "O -6 0 9 M -6 0 L 4 8"),
    "applied_force": Symbol("M -20 10 L 8 -4 > 8 -4 27 M -20 10 L -20 10", "O 14 -7 5"),
    "applied_torque": Symbol("A 0 0 12 -40 250 > -10 8 285", "O 0 0 4"),
    "hydraulic_cylinder": Symbol(
        "O -21 0 2.4 M -18.6 0 L -14 0 M -2 -6 L -2 6 M -2 0 L 18.6 0 O 21 0 2.4 M -10 6 L -10 11 M 6 6 L 6 11",
        "R -14 -6 24 12",
    ),
    "programmed_constraint": Symbol("M -21 8 C -12 -16 2 14 20 -8 M 3 2 L 8 -8 > 8 -8 63", "O 1 3 4"),
}
