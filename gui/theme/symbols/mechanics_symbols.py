"""Symbols of links, joints (kinematic diagram style: two members and their freedom), force elements and sensors."""

from .symbol import Symbol

SYMBOLS = {
    "world": Symbol(
        "M 0 -13 L 0 2 > 0 -13 90 M 0 2 L 14 2 > 14 2 0 M 0 2 L -9 9 M -20 11 L 20 11 "
        "M -16 15 L -12 11 M -8 15 L -4 11 M 0 15 L 4 11 M 8 15 L 12 11 M 16 15 L 20 11 M -15 -13 L -15 -6",
        "M -18 -6 L -12 -6 L -15 0 Z",  # gravity
    ),
    "rigid_link": Symbol(
        "O -17 0 2.4 O 17 0 2.4", "M -17 -6 L 17 -6 C 25 -6 25 6 17 6 L -17 6 C -25 6 -25 -6 -17 -6 Z"
    ),
    "rfem_link": Symbol(
        "O -20 5 2.4 M -9 -1 L -6 1 L -9 3 M 2 -4 L 5 -2 L 2 0 M 13 -2 L 16 0 L 13 2 O 20 1 2.4",
        "M -18 2 C -10 -9 6 -9 18 -2 L 18 4 C 6 -3 -8 -3 -18 8 Z",
    ),
    "flexible_body": Symbol(
        "O -19 7 2.4 M -11 0 L -9 8 L -1 -5 L 2 3 L 9 -7 L 13 1 O 20 -4 2.4",
        "M -22 3 C -10 -2 4 -10 20 -9 L 21 1 C 8 -1 -6 5 -18 12 Z",
    ),
    "base_support": Symbol(
        "M -14 -1 L -14 2 L -18 4 L -10 7 L -18 10 L -14 12 L -14 14 M 14 -1 L 14 2 L 10 4 L 18 7 L 10 10 L 14 12 "
        "L 14 14 M -22 14 L 22 14",
        "R -20 -13 40 12",
    ),
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
    "release": Symbol(
        "M -22 0 L -10 0 M -10 -8 L -10 8 M 8 4 L 8 12 > 8 12 270 M 14 4 L 14 12 > 14 12 270",
        "R 4 -12 14 12",
        "M -10 -8 C 0 -8 0 4 -4 4",
    ),
    "floating_body": Symbol(
        "M -22 8 C -18 4 -14 4 -11 8 C -7 12 -4 12 0 8 C 4 4 7 4 11 8 C 14 12 18 12 22 8 M 0 -3 L 0 -13 > 0 -13 90",
        "M -17 -3 L 17 -3 L 12 5 L -12 5 Z",
    ),
    "pad": Symbol(
        "M 0 -14 L 0 -2 M -22 4 L -13 4 M 13 4 L 22 4 M -13 4 C -13 10 13 10 13 4 M -20 12 L -17 8 M -11 14 L -8 10 "
        "M -2 14 L 1 10 M 7 14 L 10 10 M 16 12 L 19 8",
        "R -12 -2 24 6",
    ),
    "platform": Symbol(
        "M -13 6 L -10 13 M 13 6 L 10 13 M -17 13 L 17 13 M 0 -4 L 0 -13 > 0 -13 90 M 0 -13 L 0 -13 "
        "A 0 6 20 130 28 A 0 6 20 22 28 > 18.5 -1.5 300",
        "R -17 0 34 6",
    ),
    "line_spring": Symbol(
        "M -22 -4 L -14 -4 L -12 -9 L -7 1 L -2 -9 L 3 1 L 8 -9 L 11 -4 L 22 -4 M -22 -4 L -22 9 L -4 9 M 22 -4 "
        "L 22 9 L 2 9 "
        "M 6 5 L -4 5 L -4 13 L 6 13 M 2 6 L 2 12"
    ),
    "bushing": Symbol("M -22 0 L -13 0 M 5 0 L 22 0 A 0 0 9 0 360", "O 0 0 13", "O 0 0 4.5"),
    "contact": Symbol(
        "M -20 12 L 20 12 A 0 0 10 0 360", "M -14 12 L -18 17 M 0 12 L -4 17 M 14 12 L 10 17", "O 0 0 2"
    ),
    "rail_wheel": Symbol(
        "M -22 11 L 22 11 M -22 15 L 22 15 M 0 -1 L 0 -1 M -16 -12 L -6 -12 > -6 -12 0",
        "O 0 -1 12",
        "O 0 -1 2.5",
    ),
    "guide_roller": Symbol(
        "M -7 -14 L -7 14 M 7 -14 L 7 14 M -22 0 L -19 0 M 22 0 L 19 0",
        "R -7 -14 14 28 O -14 0 5 O 14 0 5",
    ),
    "touch": Symbol(
        "M -20 12 L 20 12 M -11 8 L 3 12 L 9 -9 L -5 -13 Z",
        "M -14 12 L -18 17 M 0 12 L -4 17 M 14 12 L 10 17",
        "O 3 12 2",
    ),
    "fixture": Symbol(
        "M -20 12 L 20 12 M -14 12 L -14 -8 L -8 -8 L -8 12 M 8 12 L 8 -8 L 14 -8 L 14 12",
        "M -14 12 L -18 17 M 0 12 L -4 17 M 14 12 L 10 17",
    ),
    "girder_path": Symbol(
        "M -22 6 L 22 6 M -22 10 L 22 10 M -12 -8 L 10 -8", "O -8 1 5 O 6 1 5", "M 12 -8 L 20 -8"
    ),
    "rope": Symbol("M -22 8 L -8 8 M -1 -2 L 8 -2 M 12 2 L 12 14", "O 8 2 4", "O -8 2 6"),
    "winch": Symbol("M 12 0 L 22 0 M -22 -10 L -22 10", "O -6 0 14", "O -6 0 9 M -6 0 L 4 8"),
    "applied_force": Symbol("M -20 10 L 8 -4 > 8 -4 27 M -20 10 L -20 10", "O 14 -7 5"),
    "applied_torque": Symbol("A 0 0 12 -40 250 > -10 8 285", "O 0 0 4"),
    "hydraulic_cylinder": Symbol(
        "O -21 0 2.4 M -18.6 0 L -14 0 M -2 -6 L -2 6 M -2 0 L 18.6 0 O 21 0 2.4 M -10 6 L -10 11 M 6 6 L 6 11",
        "R -14 -6 24 12",
    ),
    "programmed_constraint": Symbol("M -21 8 C -12 -16 2 14 20 -8 M 3 2 L 8 -8 > 8 -8 63", "O 1 3 4"),
    "clearance": Symbol("R -20 -10 12 20 M 20 12 L 8 12 L 8 -2 L 20 -10 M -8 2 L 8 2 > 8 2 0 > -8 2 180"),
    "frame_sensor": Symbol(
        "A 0 4 13 0 180 M -13 4 L 13 4 M 0 4 L 7 -4 M -9 -5 L -7 -3 M 0 -9 L 0 -6 M 9 -5 L 7 -3", "O 0 4 2"
    ),
    "section_sensor": Symbol(
        "M -20 -5 L -3 -5 M -20 5 L -3 5 M 3 -5 L 20 -5 M 3 5 L 20 5 M -3 -12 L -3 12 M 3 -12 L 3 12", "", ""
    ),
    "member_sensor": Symbol(
        "M -20 8 L 20 8 M -20 -8 L 20 -8 M -20 8 L -10 -8 L 0 8 L 10 -8 L 20 8 M -6 -12 L -4 4 M 4 -4 L 6 12"
    ),
    "stress_sensor": Symbol(
        "M -20 8 L 20 8 L 20 -8 L -20 -8 Z M -10 8 L -10 -8 M 0 8 L 0 -8 M 10 8 L 10 -8 M -4 -12 L -4 -2 M 4 -12 L 4 -2"
    ),
    "energy_sensor": Symbol("M 3 -14 L -8 3 L -1 3 L -4 14 L 8 -3 L 1 -3 Z"),
}
