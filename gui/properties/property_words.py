"""Labels of parameters and of their choices: words of an engineer for the keys of a netlist. Pure Python: no Qt."""

from __future__ import annotations

# keys that say little to who has not read of them; with a unit where one key has several meanings
WORDS = {
    "A [m^2]": "Area A",
    "E": "Young's modulus",
    "EA": "Stiffness EA",
    "G": "Shear modulus",
    "Hs": "Wave height Hs",
    "I_y": "Area inertia y",
    "I_z": "Area inertia z",
    "J": "Torsion constant",
    "T": "Time constant",
    "Tp": "Peak period Tp",
    "air": "Gas in the oil",
    "alpha": "α",
    "alpha_rate": "Rate of α",
    "armature": "Rotor inertia",
    "at [m]": "Position",
    "atol": "Absolute error",
    "back_efficiency": "Efficiency backwards",
    "beta": "β",
    "beta_rate": "Rate of β",
    "center": "Centre",
    "color": "Colour",
    "com": "Centre of mass",
    "cut": "Open loop here",
    "dead_cap": "Dead oil, cap side",
    "dead_rod": "Dead oil, rod side",
    "den": "Denominator",
    "effort_at": "Effort u0 there",
    "expr": "Expression",
    "first [rad/s]": "First frequency",
    "gamma": "γ",
    "gpme_delta_q": "GPME terms ΔQ",
    "guess": "First guess",
    "hold": "Between samples",
    "last [rad/s]": "Last frequency",
    "mu": "Friction μ",
    "mu_k": "Sliding μ",
    "mu_s": "Sticking μ",
    "num": "Numerator",
    "one_sided": "One-sided",
    "phi": "φ",
    "phi_rate": "Rate of φ",
    "psi": "ψ",
    "psi_rate": "Rate of ψ",
    "rao": "RAO",
    "reeving": "Falls",
    "resolve": "Resolved in",
    "rest [m]": "Free position",
    "rest [rad]": "Free angle",
    "rho": "Density",
    "rotate": "Rotation",
    "rtol": "Relative error",
    "round": "Edge radius",
    "section_b": "Section at the end",
    "shear_y": "Shear factor y",
    "shear_z": "Shear factor z",
    "sigma_0": "Stiffness σ₀",
    "sigma_1": "Damping σ₁",
    "sigma_2": "Viscous σ₂",
    "sticking": "Sticking factor",
    "stribeck": "Stribeck speed",
    "theta": "θ",
    "theta_rate": "Rate of θ",
    "through": "Sheaves",
    "to": "Address",
    "wall [Pa]": "Wall stiffness",
    "wall [m]": "Wall thickness",
    "wamit": "WAMIT files",
    "wins": "Priority",
    "x_rate": "Rate of x",
    "y_rate": "Rate of y",
    "z_rate": "Rate of z",
}
# entries of the diagram's own sections
SETTINGS = {
    "alpha": "Baumgarte α",
    "beta": "Baumgarte β",
    "doc": "Description",
    "hold": "Held meanwhile",
    "method": "Integrator",
    "output_step": "Output interval",
    "redundant": "Redundant ones",
    "solve": "Start from",
    "step": "Time step",
    "stop": "End time",
    "stop_when": "End when",
    "dependent": "Dependent coordinates",
}
NESTED = {"method": "Treatment"}  # within a group of such a section
SYMBOLS = ("kp", "kd", "ki", "x", "y", "z", "k", "u")  # of equations: as the block's own line writes them

# what the panel calls words of a netlist: of one key, or wherever they stand
CHOICES = {
    ("correction", "swt"): "SWT",
    ("direction", "ccw"): "counter-clockwise",
    ("direction", "cw"): "clockwise",
    ("discretised", "zoh"): "zero-order hold",
    ("events", "locate"): "within the step",
    ("events", "step"): "at whole steps",
    ("law", "poly3"): "polynomial 3",
    ("law", "poly5"): "polynomial 5",
    ("law", "poly7"): "polynomial 7",
    ("law", "s_curve"): "S-curve",
    ("model", "dc"): "DC",
    ("redundant", "minimum_norm"): "share forces",
    ("resolve", "a"): "frame_a",
    ("resolve", "b"): "frame_b",
    ("shape", "i"): "I-section",
    ("shaper", "ei"): "EI",
    ("shaper", "zv"): "ZV",
    ("shaper", "zvd"): "ZVD",
    ("solve", "assemble"): "assembly",
    ("solve", "static"): "equilibrium",
    ("solve", "none"): "as given",
}
NAMES = {
    "coulomb": "Coulomb",
    "dahl": "Dahl",
    "davenport": "Davenport",
    "gerber": "Gerber",
    "goodman": "Goodman",
    "jonswap": "JONSWAP",
    "kaimal": "Kaimal",
    "lugre": "LuGre",
    "pierson_moskowitz": "Pierson-Moskowitz",
    "tustin": "Tustin",
}


def label_of(keys: tuple[str, ...], unit: str = "", of_section: bool = False) -> str:
    """Name that the panel gives to the parameter at `keys` of a block, or of a section of the diagram."""
    key = keys[-1]
    own = (NESTED if len(keys) > 1 else {}).get(key) or SETTINGS.get(key) if of_section else None
    return own or WORDS.get(f"{key} [{unit}]") or WORDS.get(key) or _sentence(key)


def choice_words(key: str, choice: str) -> str:
    """Name that the panel gives to one of the choices of a parameter."""
    return CHOICES.get((key, choice)) or NAMES.get(choice) or choice.replace("_", " ")


def _sentence(key: str) -> str:
    """Words of a key that is made of words: `Mass` of `mass`, `Stop stiffness` of `stop_stiffness`."""
    if key in SYMBOLS:
        return key
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]
