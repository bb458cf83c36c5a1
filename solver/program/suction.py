"""What is said of oil that was pulled until gas and vapour filled its room."""

from __future__ import annotations

from .switches import Switch

TOLD = 0.1 * 101325.0  # [Pa] absolute, below which a run tells: `least_` functions of blocks that hold oil


def words_of_suction(switch: Switch, time: float, beyond: float) -> str:
    """When the pressure fell below what is told, and how far: `beyond` is below zero."""
    at = f"at t = {time:.6g} s" if time > 0.0 else "at the start"
    side = "" if switch.what == "pressure" else f"'s {switch.what} side"
    least = max(TOLD + beyond, 0.0) / 1e5
    return (
        f"{switch.block}: the pressure of its oil{side} falls below 0.1 bar absolute {at} (least {least:.2g} bar): "
        "oil cannot be pulled, gas and vapour fill its room (cavitation); "
        "feed it (check_valve from a tank, anti-cavitation), or load it the other way"
    )
