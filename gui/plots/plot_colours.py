"""Plot colours of the theme; exports use white paper in either theme."""

from __future__ import annotations

from dataclasses import dataclass

from ..theme.active_theme import theme
from ..theme.colours import DARK, LIGHT


@dataclass(frozen=True)
class Paper:
    paper: str
    ink: str
    muted: str  # axes, and what is hidden
    earlier: str  # runs before the last one
    curves: tuple[str, ...]


WHITE = Paper("#ffffff", "#1c2530", "#6a7480", "#b4bac3", LIGHT.curves)
GRAPHITE = Paper("#23272d", "#e7eaee", "#8b95a1", "#565f6b", DARK.curves)


def paper() -> Paper:
    return GRAPHITE if theme().name == "dark" else WHITE
