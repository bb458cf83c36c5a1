"""Oil that carries some gas: what it holds at a pressure, what it stores, and that it cannot be pulled.

Pressures count from the surroundings, at 101325 Pa absolute. Oil of volume V holds the liquid V (1 + content / K),
counted at no pressure, `content` the pressure that as much liquid would have without gas. With the share `air` of gas
at no pressure, e = air / (1 - air), and P the absolute pressure,

    1 / (1 + content / K) = 1 / (1 + p / K) + e (101325 Pa / P)^(1/n),

liquid and gas side by side: dp/dV = -b / V with b = K at high pressure and n P near none. P is never below zero: where
the content asks for less, gas and vapour fill the rest. Without gas p is the content, and no less than -101325 Pa.
"""

from __future__ import annotations

import math

from ..block import at_time


def content_of(pressure, bulk_modulus, air, exponent):
    """The pressure that as much liquid would have without gas."""
    absolute = pressure + 101325.0
    if absolute <= 0.0:
        return -bulk_modulus if air > 0.0 else -101325.0
    gas = air / (1.0 - air) * (101325.0 / absolute) ** (1.0 / exponent)
    return bulk_modulus * (1.0 / (bulk_modulus / (bulk_modulus + pressure) + gas) - 1.0)


def pressure_of(content, bulk_modulus, air, exponent):
    """Pressure of an oil content by Halley's method from below: liquid and gas are convex in the pressure [Pa]."""
    if air == 0.0:
        return max(content, -101325.0)
    share = 1.0 + content / bulk_modulus
    if share <= 0.0:
        return -101325.0
    volume, e = 1.0 / share, air / (1.0 - air)
    absolute = max(content + 101325.0, 1e-3)
    left = volume - bulk_modulus / (bulk_modulus - 101325.0)  # room for gas, if the liquid has no pressure
    if left > 0.0:
        absolute = max(absolute, 101325.0 * (e / (left + e)) ** exponent)
    for _ in range(40):
        stretched = bulk_modulus + absolute - 101325.0
        gas = e * (101325.0 / absolute) ** (1.0 / exponent)
        liquid = bulk_modulus / stretched
        slope = liquid / stretched + gas / (exponent * absolute)
        bend = liquid / (stretched * stretched)
        bend += 0.5 * gas * (1.0 + 1.0 / exponent) / (exponent * absolute * absolute)
        newton = (liquid + gas - volume) / slope
        step = newton / max(1.0 - newton * bend / slope, 0.5)
        absolute = max(absolute + step, 0.1 * absolute)
        if abs(step) < 2e-5 * absolute:  # and what is left is the cube of it
            break
    return absolute - 101325.0


def stored_energy(volume, pressure, content, bulk_modulus, air, exponent):
    """Energy of liquid and gas in a volume over that of as much without pressure."""
    absolute, e = max(pressure + 101325.0, 0.0), air / (1.0 - air)
    heat = bulk_modulus * math.log(1.0 + (absolute - 101325.0) / bulk_modulus)
    if air > 0.0 and exponent > 1.0:
        power = 1.0 - 1.0 / exponent
        heat += e * 101325.0 * ((absolute / 101325.0) ** power - 1.0) / power
    elif air > 0.0:
        heat += e * 101325.0 * math.log(max(absolute, 1e-300) / 101325.0)
    return volume * ((1.0 + content / bulk_modulus) * heat - pressure)


def filling_ratio(inlet, air):
    """Part of what a pump displaces that is oil: less than one where gas and vapour come in at its inlet."""
    absolute = inlet + 101325.0
    if absolute >= 101325.0:
        return 1.0
    if absolute <= 0.0:
        return 0.0
    return absolute / (absolute + air * (101325.0 - absolute))


TOLD = 0.1 * 101325.0  # [Pa] absolute, below which a run tells
BELOW = 101325.0 - TOLD  # by how much such a pressure lies below that of the surroundings


def suction_message(side: str, time: float, room: float) -> str:
    """Remark on cavitation: gas and vapour fill the room; `room` [Pa] is how far the pressure stayed above `TOLD`."""
    place = f" on the {side} side" if side else ""
    least = max(TOLD + room, 0.0) / 1e5
    return (
        f"the pressure of its oil{place} falls below 0.1 bar absolute {at_time(time)} (least {least:.2g} bar): "
        "oil cannot be pulled, gas and vapour fill its room (cavitation); "
        "feed it (check_valve from a tank, anti-cavitation), or load it the other way"
    )
