"""Symbols of sea and wind."""

from .symbol import Symbol

WAVE = (
    "M -21 {0} C -17 {1} -13 {1} -10 {0} C -7 {2} -3 {2} 0 {0} C 3 {1} 7 {1} 10 {0} C 13 {2} 17 {2} 21 {0} "
)
SYMBOLS = {
    "waves": Symbol(WAVE.format(-5, -12, 2) + WAVE.format(7, 0, 14)),
    "vessel_motion": Symbol(
        WAVE.format(10, 5, 15) + "M 0 -2 L 0 -12 M 0 -12 L 7 -12", "M -15 -2 L 15 -2 L 10 5 L -9 5 Z"
    ),
    "splash_zone": Symbol(WAVE.format(8, 3, 13) + "M 0 14 L 0 7 > 0 7 90 M 0 -16 L 0 -12", "R -9 -12 18 15"),
    "wind": Symbol("M -20 -4 L 6 -4 A 6 -9 5 -90 230 M -20 3 L 13 3 A 13 8 5 90 -230 M -14 -10 L -5 -10"),
    "wind_drag": Symbol(
        "M -21 -8 L -6 -8 > -6 -8 0 M -21 0 L -6 0 > -6 0 0 M -21 8 L -6 8 > -6 8 0 M 8 0 L 21 0 > 21 0 0",
        "R -1 -13 6 26",
    ),
}
