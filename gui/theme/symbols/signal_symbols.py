"""Signal and controller symbols: a small graph, or the usual sign of the operation."""

from dataclasses import replace

from .symbol import Symbol

AXES = "M -18 11 L 18 11 M -18 11 L -18 -12 "
CROSS = "M -18 0 L 18 0 M 0 -13 L 0 13 "
P = "M -22 -9 L -22 9 M -22 -9 L -16 -9 C -9 -9 -9 0 -16 0 L -22 0 "
DRAWN = {
    "inputs": Symbol("M -20 0 L 2 0 M -4 -6 L 2 0 L -4 6 M -6 -12 L 16 -12 L 16 12 L -6 12"),
    "constant": Symbol(AXES + "M -18 -4 L 16 -4"),
    "step": Symbol(AXES + "M -16 8 L -4 8 L -4 -7 L 16 -7"),
    "ramp": Symbol(AXES + "M -16 8 L -7 8 L 15 -9"),
    "pulse": Symbol(AXES + "M -16 8 L -11 8 L -11 -6 L -4 -6 L -4 8 L 4 8 L 4 -6 L 11 -6 L 11 8 L 16 8"),
    "sine": Symbol("M -18 0 C -12 -17 -6 -17 0 0 C 6 17 12 17 18 0", "", "M -20 0 L 20 0"),
    "chirp": Symbol(
        "M -20 0 C -14 -16 -9 -16 -6 0 C -4 14 0 14 2 0 C 4 -13 6 -13 8 0 C 9 12 11 12 12 0 C 13 -11 15 -11 16 0 L 18 6"
    ),
    "noise": Symbol(
        "M -20 2 L -17 -6 L -14 8 L -11 -10 L -8 4 L -5 -3 L -2 10 L 1 -9 L 4 6 L 7 -5 L 10 9 L 13 -8 L 16 3 L 20 -2"
    ),
    "rainflow": Symbol(
        "M -17 -11 L -8 9 L -3 -2 L 3 6 L 13 -11 M -3 -2 L 7 -2 M -3 -2 L -3 12", "", "M -17 12 L 17 12"
    ),
    "table": Symbol("R -15 -11 30 22 M -15 -4 L 15 -4 M -15 3 L 15 3 M -3 -11 L -3 11"),
    "expression": Symbol(
        "M -4 -11 C -10 -13 -11 -7 -11 -3 L -13 11 M -15 -2 L -6 -2 M 0 0 L 10 11 M 10 0 L 0 11 "
        "M 15 -6 C 19 0 19 6 15 13"
    ),
    "gain": Symbol("M -13 -13 L 15 0 L -13 13 Z"),
    "sum": Symbol("O 0 0 12 M -6 -3 L 0 -3 M -3 -6 L -3 0 M 1 5 L 7 5"),
    "product": Symbol("O 0 0 12 M -5 -5 L 5 5 M -5 5 L 5 -5"),
    "saturation": Symbol("M -18 9 L -8 9 L 8 -9 L 18 -9", "", CROSS),
    "dead_zone": Symbol("M -17 11 L -6 0 L 6 0 L 17 -11", "", CROSS),
    "relay": Symbol("M -18 9 L 6 9 L 6 -9 L 18 -9 M -6 9 L -6 -9 L 6 -9", "", CROSS),
    "rate_limit": Symbol("M -18 9 L -8 9 L 6 -8 L 18 -8", "", "M -8 9 L -3 -8 L 18 -8"),
    "integrator": Symbol("M 7 -12 C 2 -16 1 -10 0 0 C -1 10 -2 16 -7 12"),
    "peak": Symbol(
        "M -20 8 C -12 8 -10 -10 -5 -10 C 0 -10 0 4 5 4 C 9 4 10 -4 18 -4", "", "M -20 -12 L 18 -12"
    ),
    "percentile": Symbol(
        "M -20 12 L 20 12 M -16 12 L -16 6 L -9 6 L -9 -4 L -2 -4 L -2 -10 L 5 -10 L 5 2 L 12 2 L 12 12",
        "",
        "M 8 -14 L 8 14",
    ),
    "rms": Symbol(
        "M -20 1 L -15 1 L -11 12 L -5 -12 L 20 -12", "", "M -4 7 C 0 -5 3 -5 6 3 C 9 11 13 8 16 -2"
    ),
    "derivative": Symbol(
        "M -12 2 L -12 -2 M -14 0 L -14 0 M -13 0 L 13 0 M 4 -13 L 4 -3 A -0.5 -5.5 4 0 360 M 0 12 L 0 4 A -4 9 3 0 360"
    ),
    "transfer_function": Symbol(
        "M -16 0 L 16 0 M -6 -12 L 6 -12 L 6 -5 L -6 -5 Z M -10 5 L -2 5 L -2 12 L -10 12 Z M 3 8 L 9 8 M 6 5 L 6 11"
    ),
    "state_space": Symbol(
        "M -14 -13 L -18 -13 L -18 13 L -14 13 M 14 -13 L 18 -13 L 18 13 L 14 13 O -8 -6 3 O 8 -6 3 O -8 6 3 O 8 6 3"
    ),
    "delay": Symbol("O 0 0 13 M 0 -8 L 0 0 L 6 4"),
    "fmu": Symbol("R -11 -9 22 18 M -17 0 L -11 0 M 11 0 L 17 0 M -5 5 L -5 -4 L 0 1 L 5 -4 L 5 5"),
    "udp_send": Symbol("M -17 0 L 2 0 M -4 -5 L 2 0 L -4 5 A 4 0 6 50 -100 A 4 0 11 50 -100"),
    "udp_receive": Symbol("M -2 0 L 17 0 M 11 -5 L 17 0 L 11 5 A -4 0 6 130 100 A -4 0 11 130 100"),
    "unit_delay": Symbol(AXES + "M -16 8 L -6 8 L -6 0 L 4 0 L 4 -8 L 15 -8"),
    "latch": Symbol(
        "M -18 -7 L -10 -7 M -18 7 L -10 7 M 10 -7 L 18 -7 M -5 8 L -5 -6 L 5 -6", "R -10 -12 20 24"
    ),
    "edge": Symbol(AXES + "M -16 8 L -2 8 L -2 -8 L 15 -8 M -6 1 L -2 -4 L 2 1"),
    "counter": Symbol(AXES + "M -16 8 L -11 8 L -11 4 L -4 4 L -4 0 L 3 0 L 3 -4 L 10 -4 L 10 -8 L 15 -8"),
    "timer": Symbol("M 0 0 L 0 -7 M 0 0 L 6 3 M -3 -15 L 3 -15 M 0 -15 L 0 -12", "O 0 0 12"),
    "state_machine": Symbol(
        "R -17 -13 15 9 R 2 4 15 9 M -2 -9 L 10 -9 L 10 3 M -10 -4 L -10 9 L 1 9 > 10 4 270 > 2 9 0"
    ),
    "joystick": Symbol(
        "M 0 5 L 7 -9 M -14 5 C -14 1 14 1 14 5 M -16 5 L 16 5 L 16 12 L -16 12 Z", "O 8 -11 3"
    ),
    "joystick_buttons": Symbol("R -16 -10 32 20 O 7 0 4", "O -7 0 4"),
    "quantizer": Symbol("M -15 12 L 15 -12 M -15 12 L -7 12 L -7 4 L 1 4 L 1 -4 L 9 -4 L 9 -12 L 15 -12"),
    "zero_order_hold": Symbol(AXES + "M -16 8 L -9 8 L -9 2 L -2 2 L -2 -5 L 6 -5 L 6 -9 L 15 -9"),
    "switch": Symbol(
        "M -20 -8 L -9 -8 M -20 8 L -9 8 M 9 0 L 20 0 M -7 -7 L 9 0", "O -8 -8 2 O -8 8 2 O 9 0 2"
    ),
    "mux": Symbol("M -18 -9 L -3 -9 M -18 0 L -3 0 M -18 9 L -3 9 M 3 0 L 18 0", "R -3 -13 6 26"),
    "demux": Symbol("M -18 0 L -3 0 M 3 -9 L 18 -9 M 3 0 L 18 0 M 3 9 L 18 9", "R -3 -13 6 26"),
    "make_trajectory": Symbol(
        "M -20 -9 L -8 -9 L -1 0 M -20 0 L -1 0 M -20 9 L -8 9 L -1 0 M -1 -2 L 19 -2 M -1 2 L 19 2"
    ),
    "split_trajectory": Symbol(
        "M 20 -9 L 8 -9 L 1 0 M 20 0 L 1 0 M 20 9 L 8 9 L 1 0 M 1 -2 L -19 -2 M 1 2 L -19 2"
    ),
    "pd": Symbol(
        P.replace("-22", "-14").replace("-16", "-9").replace("-9 -9 -9 0", "-2 -9 -2 0")
        + "M 4 -9 L 4 9 L 8 9 C 17 9 17 -9 8 -9 Z"
    ),
    "pid": Symbol(P + "M -3 -9 L -3 9 M 5 -9 L 5 9 L 9 9 C 19 9 19 -9 9 -9 Z"),
    "gravity_compensation": Symbol("M -10 12 L -10 -8 > -10 12 270 M 10 -12 L 10 8 > 10 -12 90", "O 0 0 4"),
    "friction_compensation": Symbol(
        "M -16 7 L 16 7 M -16 -4 L 16 -4 M -12 7 L -8 1 M -4 7 L 0 1 M 4 7 L 8 1 M -16 -10 L 8 -10 > 14 -10 0"
    ),
    "tip_velocity": Symbol(
        "M -20 12 L -6 -6 L 8 2 > 14 -12 60 M 8 2 L 14 -12", "", "O -20 12 2 O -6 -6 2 O 8 2 2"
    ),
    "lqr": Symbol(
        "M -14 -8 L -14 8 M -14 1 L -6 -8 M -11 -3 L -5 8 M 4 -10 L 1 -10 L 1 10 L 4 10"
        " M 15 -10 L 18 -10 L 18 10 L 15 10",
        "",
        "O 6 -4 1 O 13 -4 1 O 6 4 1 O 13 4 1",
    ),
    "kalman": Symbol(
        "M -14 -4 L -14 10 M -14 5 L -5 -4 M -11 1 L -5 10 M -15 -9 L -10 -13 L -5 -9"
        " M 3 10 C 8 10 7 -8 11 -8 C 15 -8 14 10 19 10"
    ),
    "observer": Symbol(
        "M -18 0 C -9 -12 9 -12 18 0 C 9 12 -9 12 -18 0 Z M -15 -9 L -18 -13 M 0 -13 L 0 -17 M 15 -9 L 18 -13",
        "",
        "O 0 0 4",
    ),
    "mpc": Symbol(
        "M -18 8 C -12 8 -10 2 -4 0 M -4 -12 L -4 12 M -4 6 L 2 6 L 2 10 L 8 10 L 8 7 L 14 7 L 14 5 L 18 5",
        "",
        "M -4 0 C 4 -3 6 -9 18 -9",
    ),
    "computed_torque": Symbol("A 0 0 13 200 -220 > 12.3 4 275", "R -7 -3 14 10", "M -4 2 L 4 2"),
}
# those that say which way signals go turn with their blocks
TURNING = (
    "gain",
    "switch",
    "mux",
    "demux",
    "latch",
    "make_trajectory",
    "split_trajectory",
    "udp_send",
    "udp_receive",
)
SYMBOLS = {name: replace(symbol, upright=name not in TURNING) for name, symbol in DRAWN.items()}
