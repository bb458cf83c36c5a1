"""Drive train symbols; a shaft runs through both sides where a block joins two."""

from .symbol import Symbol

SYMBOLS = {
    "motor": Symbol("M 13 0 L 22 0 M -7 6 L -7 -6 L 0 3 L 7 -6 L 7 6", "O 0 0 13"),
    "gear": Symbol("M -22 5 L -16 5 M 11 -6 L 22 -6", "O -9 5 7", "O 6 -4 12"),
    "brake": Symbol("M -22 0 L -10 0 M 10 0 L 22 0 M -13 -15 L 13 -15 M -13 15 L 13 15", "O 0 0 10"),
    "shaft_inertia": Symbol("M -22 0 L -8 0 M 8 0 L 22 0", "R -8 -13 16 26"),
    "shaft_spring": Symbol(
        "M -22 0 L -15 0 M 15 0 L 22 0 M -15 -9 L -15 9 M 15 -9 L 15 9 "
        "M -15 0 L -11 -6 L -7 6 L -3 -6 L 1 6 L 5 -6 L 9 6 L 12 0 L 15 0"
    ),
    "gearbox": Symbol(
        "M -22 7 L -12 7 M 12 -5 L 22 -5 M -3 -15 L -3 15 M 3 -15 L 3 15", "R -12 3 9 8 R 3 -15 9 20"
    ),
    "shaft_motor": Symbol("M 8 0 L 22 0 M -16 14 L 10 14 M -12 10 L -14 14 M 6 10 L 8 14", "R -16 -10 24 20"),
    "shaft_brake": Symbol(
        "M -4 0 L 22 0 M -12 -15 L 4 -15 M -12 15 L 4 15 M -10 -12 L 2 -12 M -10 12 L 2 12", "R -8 -9 8 18"
    ),
    "clutch": Symbol(
        "M -22 0 L -4 0 M 4 0 L 22 0 M -4 -12 L -4 12 M 4 -12 L 4 12 M -14 -15 L 14 -15 > 14 -15 0"
    ),
    "torque_source": Symbol("M 0 0 L 22 0 A 0 0 11 200 -220 > 10.3 4 275", "O 0 0 3"),
    "speed_source": Symbol("M 0 0 L 22 0 A 0 0 11 180 -180 M 0 0 L 7 -8 > 7 -8 49 M -11 4 L 11 4"),
    "shaft_winch": Symbol("M 6 0 L 22 0 M -18 -12 L -18 12 M 6 -12 L 6 12 M -6 7 L -6 16", "R -18 -7 24 14"),
    "rack": Symbol(
        "M -20 9 L 20 9 M -20 13 L 20 13 M -14 9 L -14 13 M -7 9 L -7 13 M 0 9 L 0 13 M 7 9 L 7 13 M 14 9 L 14 13 "
        "O 0 -2 2",
        "O 0 -2 11",
    ),
}
