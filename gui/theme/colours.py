"""Colours of both themes: every colour of the desktop; curves on white have those of files. Pure Python: no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as member

from ...solver.results.matplotlib_plots import COLOURS as PLOT_COLOURS

NAMES = ("Blue", "Orange", "Green", "Pink", "Brown", "Light Blue", "Purple", "Grey")
# the same on graphite: light blue first
PLOT_COLOURS_DARK = ("#56B4E9", "#E8743B", "#1F9A6B", "#C95FA5", "#F7C73A", "#8F86F0", "#FBFAA9", "#B0B5B9")
NAMES_DARK = ("Light Blue", "Orange", "Green", "Pink", "Yellow", "Violet", "Cream", "Grey")


# from low to high, even to the eye and to colour blindness (viridis, van der Walt and Smith 2015)
SCALE = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")


@dataclass(frozen=True)
class Colours:
    """Colour set of a theme; `families` and `wires` are indexed by family and port kind, `fates` by the change of a
    block or wire between two models."""

    name: str
    window: str
    panel: str
    canvas: str
    grid: str
    card: str
    outline: str
    text: str
    muted: str
    field: str
    border: str
    accent: str
    accent_text: str
    selection: str
    error: str
    warning: str
    running: str
    fits: str
    water: tuple[str, str]  # in the shade and in the light
    curves: tuple[str, ...]
    links: tuple[str, ...]  # bodies that are told apart, first the family's own
    families: dict[str, str] = member(default_factory=dict)
    wires: dict[str, str] = member(default_factory=dict)
    fates: dict[str, str] = member(default_factory=dict)

    def part(self, name: str) -> str:
        """Colour of a drawn part: that of a family, of `bodies 2`, or `#rrggbb` itself."""
        if name.startswith("#"):
            return name
        family, _, number = name.partition(" ")
        return self.links[int(number)] if number else self.families.get(family, self.families["signals"])


LIGHT = Colours(
    name="light",
    window="#eef0f3",
    panel="#f8f9fb",
    canvas="#f6f7f9",
    grid="#d9dde3",
    card="#ffffff",
    outline="#7f8a98",
    text="#1c2530",
    muted="#5d6978",
    field="#ffffff",
    border="#cdd3db",
    accent="#1f5fbf",
    accent_text="#ffffff",
    selection="#1f6feb",
    error="#c0262d",
    warning="#9a5b00",
    running="#e4f1e6",
    fits="#12925a",
    water=("#2f7793", "#9cc7d6"),
    curves=PLOT_COLOURS,
    links=("#4d6073", "#716755", "#4f6a58", "#6a5b78", "#41696f", "#7b5a55"),
    families={
        "bodies": "#4d6073",
        "joints": "#2467ae",
        "forces": "#b85c12",
        "environment": "#1a6f93",
        "constraints": "#7346ad",
        "planning": "#2b7a4f",
        "control": "#2b7a4f",
        "drives": "#8a3b5c",
        "signals": "#646d79",
        "hydraulics": "#80501f",
        "sensors": "#0b7a7a",
        "composites": "#3d4450",
    },
    wires={
        "frame": "#28323e",
        "signal": "#2563c9",
        "trajectory": "#2563c9",
        "hydraulic": "#8a5523",
        "shaft": "#8a3b5c",
    },
    fates={
        "added": "#1a7f37",
        "removed": "#cf222e",
        "changed": "#956800",
        "renamed": "#0969da",
        "moved": "#776599",
    },
)


DARK = Colours(
    name="dark",
    window="#1d2025",
    panel="#23272d",
    canvas="#191c20",
    grid="#30353d",
    card="#2b3038",
    outline="#76818e",
    text="#e7eaee",
    muted="#a3adb9",
    field="#1b1e23",
    border="#3c434d",
    accent="#6aa3f0",
    accent_text="#0d1117",
    selection="#5b9dff",
    error="#ff6b6b",
    warning="#e8b04a",
    running="#22352a",
    fits="#43c78a",
    water=("#123c50", "#3f7f99"),
    curves=PLOT_COLOURS_DARK,
    links=("#9fb3c8", "#c2b7a6", "#a3c2ad", "#b9abcb", "#9bc2c5", "#caaea8"),
    families={
        "bodies": "#9fb3c8",
        "joints": "#72b1f2",
        "forces": "#f0a35e",
        "environment": "#63c1e6",
        "constraints": "#bd97ee",
        "planning": "#74c79a",
        "control": "#74c79a",
        "drives": "#e08fb0",
        "signals": "#b4bcc6",
        "hydraulics": "#d09a63",
        "sensors": "#55c3c3",
        "composites": "#c3cad3",
    },
    wires={
        "frame": "#d5dbe2",
        "signal": "#6ea8ff",
        "trajectory": "#6ea8ff",
        "hydraulic": "#d09a63",
        "shaft": "#e08fb0",
    },
    fates={
        "added": "#43c78a",
        "removed": "#ff6b6b",
        "changed": "#e8b04a",
        "renamed": "#6aa3f0",
        "moved": "#b3a1d6",
    },
)


THEMES = {look.name: look for look in (LIGHT, DARK)}
