"""Dynamic factors as codes have them. Their numbers are to be compared with the edition in use."""

from __future__ import annotations

import math

from .assessment_settings import Code
from .standard_factors import Sourced, Standard, usual_standard

GRAVITY = 9.81
HOISTING = ("en13001", "phi_6")  # with phi_2
CONSTANTS = ("phi_1", "phi_3", "phi_4")  # with an entry of the standard's `factors:`
SOURCES = {
    "en13001": "phi_2 = phi_2min + beta_2 v_h",
    "phi_1": "phi_1, on the mass of the crane",
    "phi_3": "phi_3 = 1 - dm/m (1 + beta_3), a load let go",
    "phi_4": "phi_4, travelling on rails",
    "phi_6": "phi_6 = (1 + phi_2)/2, a dynamic test load",
    "fem1001": "psi = 1 + xi v_h, FEM 1.001",
    "spring": "1 + (v/g) sqrt(k/m), a mass picked up by a spring",
    "offshore": "psi = 1 + (v_r/g) sqrt(k/m), v_r = v_h/2 + sqrt(v_c^2 + v_d^2), for lifts from a moving deck",
    "lift_in_air": "DAF = 1 + 0.25 sqrt(100 t/m), for lifts in air of 3 to 100 t",
    "given": "given",
}


def dynamic_factor(code: Code, standard: Standard | None = None) -> float | None:
    """The number; None where `given` gives none. Constants are the standard's, by default those that come with luff."""
    standard = standard or usual_standard()
    if code.formula == "given":
        return code.value
    if code.formula in HOISTING:
        least, beta, speed, _ = _hoisting(code, standard)
        phi_2 = least + beta * speed
        return phi_2 if code.formula == "en13001" else 0.5 * (1.0 + phi_2)
    if code.formula == "phi_3":
        return 1.0 - code.released * (1.0 + _constant(code, standard).value)
    if code.formula in CONSTANTS:
        return _constant(code, standard).value
    if code.formula == "fem1001":
        return 1.0 + code.xi * code.speed
    if code.formula == "lift_in_air":
        return 1.0 + 0.25 * math.sqrt(100e3 / code.mass)
    relative = code.speed
    if code.formula == "offshore":
        relative = 0.5 * code.speed + math.hypot(code.tip, code.deck)
    return 1.0 + relative / GRAVITY * math.sqrt(code.stiffness / code.mass)


def formula_text(code: Code, standard: Standard | None = None) -> str:
    """The formula with the numbers that went into it, where they come from, and what of it has to be checked."""
    standard = standard or usual_standard()
    numbers = {
        "en13001": lambda: _hoisting_text(code, standard),
        "phi_6": lambda: _hoisting_text(code, standard),
        "phi_3": lambda: f"dm/m = {code.released:g}, beta_3 = {_constant(code, standard).value:g}",
        "fem1001": lambda: f"xi = {code.xi:g} s/m, v_h = {code.speed:g} m/s",
        "spring": lambda: f"v = {code.speed:g} m/s, {_spring(code)}",
        "offshore": lambda: (
            f"v_h = {code.speed:g} m/s, v_c = {code.tip:g} m/s, v_d = {code.deck:g} m/s, {_spring(code)}"
        ),
        "lift_in_air": lambda: f"m = {code.mass:g} kg",
    }
    words = SOURCES[code.formula] if code.formula != "given" or not code.source else ""
    values = numbers[code.formula]() if code.formula in numbers else ""
    return "; ".join(part for part in (words, values, *_origin(code, standard), code.source) if part)


def _constant(code: Code, standard: Standard) -> Sourced:
    """Entry of the standard's `factors:` that a formula takes."""
    return standard.factor(f"phi_3_{code.release}" if code.formula == "phi_3" else code.formula)


def _hoisting(code: Code, standard: Standard) -> tuple[float, float, float, tuple[str, ...]]:
    """phi_2min, beta_2 [s/m], the speed v_h [m/s] that counts, and sources of what of these the standard gives."""
    least, beta, sources = code.least, code.beta, ()
    if least is None or beta is None:
        of_class, of_speed = standard.phi_2(code.hoisting_class, code.drive_class)
        least = of_class if least is None else least
        beta = of_speed.value if beta is None else beta
        sources = of_speed.sources
    speed = standard.hoisting_speed(code.drive_class, code.speed, code.creep)
    if speed.value != code.speed:
        sources = tuple(dict.fromkeys((*sources, *speed.sources)))
    return least, beta, speed.value, sources


def _hoisting_text(code: Code, standard: Standard) -> str:
    least, beta, speed, _ = _hoisting(code, standard)
    own = code.least is not None or code.beta is not None
    whose = "own constants" if own else f"{code.hoisting_class}, {code.drive_class}"
    return f"{whose}: {least:g} and {beta:g} s/m, v_h = {speed:g} m/s"


def _origin(code: Code, standard: Standard) -> tuple[str, ...]:
    """Sources of constants of a standard's file, and that file's edition."""
    if code.formula in HOISTING:
        sources = _hoisting(code, standard)[3]
    elif code.formula in CONSTANTS:
        sources = _constant(code, standard).sources
    else:
        sources = ()
    return (*sources, standard.title()) if sources else ()


def _spring(code: Code) -> str:
    return f"k = {code.stiffness:g} N/m, m = {code.mass:g} kg"
