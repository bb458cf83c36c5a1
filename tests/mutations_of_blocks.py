"""Single changes of blocks' own functions (sea, wind, decks, statistics, shafts), each with its tests."""

from __future__ import annotations

from luff.tests.mutation import several

SEA = "blocks/environment/"
WAVES = ("tests/blocks/test_waves.py -k not six_hours",)
WIND = ("tests/blocks/test_wind.py -k not two_days and not pendulum and not sphere",)
PENDULUM = ("tests/blocks/test_wind.py -k wall or pendulum",)

CHARTS = ("tests/blocks/test_state_machine.py -k chain or own or grid or located or few or input or pieces",)

BLOCKS = [
    *several(
        "solver/program/circuit_operations.py",
        ("tests/systems/test_shafts.py -k effort or housing or wrong or part",),
        ("added += [(*wired, 0)] if wired is not None else []", "added += []"),
        ("(block, source, 0)", "(block, target, 0)"),
    ),
    *several(
        "solver/flatten/circuit_nodes.py",
        ("tests/systems/test_shafts.py -k effort or housing or wrong or part",),
        ("return read and block.ports()[port].default is None", "return read"),
        ("if len(giving) > 1:", "if len(giving) > 2:"),
        ("if len(taking) > 1:", "if len(taking) > 2:"),
    ),
    *several(
        "blocks/drives/shaft_line.py",
        ("tests/systems/test_shafts.py -k housing or rack or speed_source or ring or clutch",),
        ("return (shaft - bearing * w) / inertia", "return shaft - bearing * w"),
        ("return 0.5 * torque * torque / stiffness", "return torque * torque / stiffness"),
        (
            "return current_rate(x, voltage, shaft - housing,",
            "return current_rate(x, voltage, shaft + housing,",
        ),
        ("return torque_rate(x, command, shaft - housing,", "return torque_rate(x, command, shaft,"),
        ('"housing": "-torque"', '"housing": "torque"'),
        ("return shaft - housing", "return shaft + housing"),
        ("return velocity / radius", "return velocity * radius"),
        ("return shaft / radius", "return shaft * radius"),
    ),
    *several(
        "blocks/drives/shaft_line.py",
        ("tests/systems/test_shafts.py -k train or account",),
        ("rate = a / ratio - b\n        load", "rate = a / ratio + b\n        load"),
        (
            "return -load - tooth_friction_torque(z, a, load, ratio, stiffness, damping, losses)",
            "return -load",
        ),
        ("return friction - stored + (torque", "return friction + (torque"),
        ("(torque - spring_torque(twist, stiffness, backlash)) * rate", "0.0 * rate"),
        ("return bearing * w * w", "return bearing * w"),
    ),
    *several(
        "blocks/drives/drive_trains.py",
        ("tests/systems/test_shafts.py -k account or clutch",),
        (
            "return velocity - stiffness * abs(velocity) * z / most",
            "return velocity - stiffness * velocity * z / most",
        ),
        ("(driving, driven) if load > 0.0 else (driven, driving)", "(driving, driven)"),
    ),
    *several(
        "blocks/mechanics/bristle_friction.py",
        ("tests/systems/test_stiction.py -k law or limit or swinging or locking",),
        ("return min(max(held + damping * velocity, -back), ahead)", "return held + damping * velocity"),
        ("if share <= 0.95:", "if share <= 0.5:"),
        ("most = ahead if forwards else back", "most = ahead"),
    ),
    *several(
        SEA + "random_harmonics.py",
        WAVES,
        ("share = 0.5 * (energy / energy[-1] + place / place[-1])", "share = energy / energy[-1]"),
        ("within * np.diff(edges), amplitude", "0.5 * np.diff(edges), amplitude"),
        ("np.sqrt(2.0 * np.diff(", "np.sqrt(np.diff("),
        ("so_far[2] - w * w * (a * c)", "so_far[2] - w * (a * c)"),
        ("r * v + r_1 * y", "r * v"),
        ("2.0 * r_1 * v", "r_1 * v"),
        ("60.0 * s * (1.0 - s)", "30.0 * s * (1.0 - s)"),
    ),
    *several(
        SEA + "sea_spectrum.py",
        WAVES,
        ("np.where(x <= 1.0, 0.07, 0.09)", "np.where(x <= 1.0, 0.09, 0.07)"),
        ("-1.25 * x**-4", "-x**-4"),
        ("phase - wave_number(w, self.depth) * along", "phase + wave_number(w, self.depth) * along"),
        ("T + k * depth * (1.0 - T * T)", "T"),
    ),
    *several(
        SEA + "vessel_motion.py",
        WAVES,
        ("- w * (p * s + q * c)", "- w * (p * s - q * c)"),
        ("value = p * c - q * s", "value = p * c + q * s"),
        ("-unit if self.phases", "unit if self.phases"),
        ("(unit if name in TURNS else 1.0)", "unit"),
        ("moved = a[:, None] * self.responses(w)", "moved = self.responses(w)"),
    ),
    *several(
        SEA + "wind.py",
        WIND,
        ("** (-1.0 / 3.0)", "** (-2.0 / 3.0)"),
        ("6.0 * length * n / speed", "4.0 * length * n / speed"),
        ("a *= self.intensity * self.speed", "a *= self.intensity"),
    ),
    *several(
        SEA + "wind_drag.py",
        PENDULUM,
        ("(height / reference_height) ** exponent", "(height / reference_height)"),
        ("s * axis[1] + c * axis[2]", "c * axis[2] - s * axis[1]"),
        ("c * z - s * x", "c * z + s * x"),
        ("k *= abs(across) * across", "k *= across * across"),
        ("wind[1] + gust[1] - velocity[1]", "wind[1] + gust[1] + velocity[1]"),
    ),
    *several(
        "blocks/mechanics/moving_platform.py",
        ("tests/systems/test_platform.py",),
        ('("yaw", "psi", Z),\n    ("pitch", "theta", Y)', '("pitch", "theta", Y),\n    ("yaw", "psi", Z)'),
    ),
    *several(
        "blocks/signals/running_statistics.py",
        ("tests/blocks/test_statistics.py",),
        ("squares / span - mean * mean", "squares / span"),
        ("span = t - start", "span = t"),
        ("if during < start:", "if False:"),
    ),
    *several(
        "blocks/signals/statechart.py",
        CHARTS,
        ("phase[LOOPED] = 1.0 if value > 0.0 else 0.0", "phase[LOOPED] = 0.0"),
        ("part, row, phase[LAST] = EXIT,", "part, row, phase[LAST] = ENTRY,"),
        ("now = phase[CLOCK] if grid > 0.0 else t", "now = t"),
        ("or t == phase[LAST]", "or False"),
        ("current[0], begun[0], begun[1] = targets[row], t, now", "current[0] = targets[row]"),
        ("if current[0] != crossings[row + STATE]:", "if current[0] == crossings[row + STATE]:"),
        ("if waits(during, phase) or", "if"),
    ),
    *several(
        "blocks/signals/statechart_parser.py",
        CHARTS,
        ("key=lambda one: one.rank", "key=lambda one: -one.rank"),
        ("LAST = 1e9", "LAST = -1e9"),
    ),
    *several(
        "blocks/signals/guard_logic.py",
        ("tests/blocks/test_chart_checks.py",),
        ("if isinstance(node.op, ast.And) == wanted:", "if isinstance(node.op, ast.And):"),
        ('CONTRARY = {"<": ">="', 'CONTRARY = {"<": ">"'),
        ("return not (open_low or open_high or", "return not ("),
    ),
]
