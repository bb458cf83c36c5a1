"""Dynamic factors as codes have them. Their numbers are to be compared with the edition in use."""

from __future__ import annotations

import math

from .assessment_settings import Code

GRAVITY = 9.81
HOISTING = {"HC1": (1.05, 0.17), "HC2": (1.10, 0.34), "HC3": (1.15, 0.51), "HC4": (1.20, 0.68)}
SOURCES = {
    "en13001": "phi2 = phi2_min + beta2 v_h, EN 13001-2 and EN 1991-3",
    "fem1001": "psi = 1 + xi v_h, FEM 1.001",
    "spring": "1 + (v/g) sqrt(k/m), a mass picked up by a spring",
    "offshore": "psi = 1 + (v_r/g) sqrt(k/m), v_r = v_h/2 + sqrt(v_c^2 + v_d^2), for lifts from a moving deck",
    "lift_in_air": "DAF = 1 + 0.25 sqrt(100 t/m), for lifts in air of 3 to 100 t",
    "given": "given",
}


def dynamic_factor(code: Code) -> float | None:
    """The number; None where `given` gives none."""
    if code.formula == "given":
        return code.value
    if code.formula == "en13001":
        least, beta = HOISTING[code.hoisting_class]
        least = code.least if code.least is not None else least
        beta = code.beta if code.beta is not None else beta
        return least + beta * code.speed
    if code.formula == "fem1001":
        return 1.0 + code.xi * code.speed
    if code.formula == "lift_in_air":
        return 1.0 + 0.25 * math.sqrt(100e3 / code.mass)
    relative = code.speed
    if code.formula == "offshore":
        relative = 0.5 * code.speed + math.hypot(code.tip, code.deck)
    return 1.0 + relative / GRAVITY * math.sqrt(code.stiffness / code.mass)


def formula_text(code: Code) -> str:
    """The formula with the numbers that went into it, and where it comes from."""
    numbers = {
        "en13001": lambda: f"{_of_class(code)}, v_h = {code.speed:g} m/s",
        "fem1001": lambda: f"xi = {code.xi:g} s/m, v_h = {code.speed:g} m/s",
        "spring": lambda: f"v = {code.speed:g} m/s, {_spring(code)}",
        "offshore": lambda: (
            f"v_h = {code.speed:g} m/s, v_c = {code.tip:g} m/s, v_d = {code.deck:g} m/s, {_spring(code)}"
        ),
        "lift_in_air": lambda: f"m = {code.mass:g} kg",
    }
    words = SOURCES[code.formula] if code.formula != "given" or not code.source else ""
    values = numbers[code.formula]() if code.formula in numbers else ""
    return "; ".join(part for part in (words, values, code.source) if part)


def _of_class(code: Code) -> str:
    least, beta = HOISTING[code.hoisting_class]
    own = code.least is not None or code.beta is not None
    least = least if code.least is None else code.least
    beta = beta if code.beta is None else code.beta
    return f"{'own constants' if own else code.hoisting_class}: {least:g} and {beta:g} s/m"


def _spring(code: Code) -> str:
    return f"k = {code.stiffness:g} N/m, m = {code.mass:g} kg"
