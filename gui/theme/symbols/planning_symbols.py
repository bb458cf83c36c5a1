"""Planning symbols: motion commands for end effectors and drives."""

from .symbol import Symbol

AXES = "M -20 12 L 20 12 M -20 12 L -20 -12 "
SYMBOLS = {
    "motion_law": Symbol(AXES + "M -16 9 C 0 9 0 -9 16 -9"),
    "trajectory_limiter": Symbol(
        AXES + "M -16 9 C -8 9 -8 -6 0 -6 L 16 -6", "", "M -16 9 L -12 9 L -12 -6 L 0 -6"
    ),
    "path": Symbol(
        "> -2 -10 180 M -16 10 L -16 -4 C -16 -10 -12 -10 -8 -10 L 10 -10 C 16 -10 16 -6 16 -2 L 16 10 Z",
        "O -16 10 2.5",
    ),
    "input_shaper": Symbol(
        AXES + "M -11 12 L -11 -8 M 1 12 L 1 -2 M 12 12 L 12 4", "O -11 -8 2 O 1 -2 2 O 12 4 2"
    ),
    "stable_inversion": Symbol(
        "M -18 -12 L 18 -12 M 0 -12 L 8 8", "R -6 -14 12 4 O 9 10 3.5", "M 0 -12 L 0 12"
    ),
    "sampled_command": Symbol(
        AXES + "M -16 9 L -10 9 L -10 5 L -4 5 L -4 -1 L 3 -1 L 3 -6 L 9 -6 L 9 -9 L 16 -9",
        "",
        "M -16 9 C 0 9 0 -9 16 -9",
    ),
}
