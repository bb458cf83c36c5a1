"""Oil hydraulics: what holds a pressure, and what lets oil flow between pressures.

At its hydraulic ports a block either gives the pressure (`across_ports`) and receives the flow into the port, or
receives the pressure and gives the flow out of the port. Functions name a port for what they receive, and `out_<port>`
returns what they give. Pressures count from the surroundings; none is below -101325 Pa, for oil cannot be pulled. Flow
counts the liquid at no pressure (see `oil_properties.py`), so that no oil is ever lost between chambers of unlike
pressure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block
from ..block_states import State
from ..errors import Problem
from ..params import Param
from ..ports import Hydraulic, In, Out
from ..signal_params import Frequency
from .oil_properties import BELOW, content_of, filling_ratio, pressure_of, stored_energy, suction_message


class HydraulicBlock(Block, abstract=True):
    """Base of all hydraulic blocks."""

    family = "hydraulics"


class OilBlock(HydraulicBlock, abstract=True):
    """Base of blocks that hold oil under pressure: bulk modulus and gas; equations read the pressure that they give."""

    rare = ("bulk_modulus", "air", "exponent")
    bulk_modulus = Param(1.2e9, "Pa", gt=2e5, doc="effective bulk modulus of oil and walls")
    air = Param(0.001, ge=0, lt=1, doc="gas in the oil, as a share of its volume at no pressure")
    exponent = Param(1.4, ge=1, doc="polytropic exponent of that gas: 1 slow, 1.4 quick")
    pressure = Out(unit="Pa", doc="pressure")
    oil = Out(unit="m^3", doc="oil that it holds, at no pressure")
    stored_energy = Out(unit="J", doc="of its oil and gas, over that without pressure")

    def internal_wires(self) -> dict[str, str]:
        return {"pressure": "pressure"}

    def state_start(self, initial: float | str) -> object:
        """Oil content from the initial pressure: the netlist gives the pressure, the state is the content."""
        start = super().state_start(initial)
        if initial != "initial":
            return start
        return content_of(start, self.stiffness(), self.air, self.exponent)

    def stiffness(self) -> float:
        """Bulk modulus of oil and walls."""
        return self.bulk_modulus

    def oil_compressibility(self) -> dict[str, tuple[float, float, float]]:
        return {name: (self.stiffness(), self.air, self.exponent) for name in self.states if name == "p"}

    def room_pressure(t, pressure):
        return pressure + BELOW

    def words_of_room(self, name: str, time: float, least: float) -> str:
        return suction_message("", time, least)


class Source(HydraulicBlock, abstract=True):
    """A pressure that no flow changes."""

    across_ports = ("port",)
    port = Hydraulic("where the oil leaves and enters")
    flow = Out(unit="m^3/s", doc="oil that it delivers; negative when it takes oil in")

    def out_port(pressure):
        return pressure

    def out_flow(t, port):
        return -port


class Supply(Source):
    """A constant-pressure supply."""

    pressure = Param(2e7, "Pa", ge=0, doc="pressure that it keeps")


class Tank(Source):
    """A reservoir at constant pressure."""

    pressure = Param(0.0, "Pa", ge=0, doc="pressure above the surroundings")


class Volume(OilBlock):
    """A closed volume V of oil, V (1 + p / K) as a liquid alone, and some gas; nodes of a circuit need one."""

    across_ports = ("port",)
    port = Hydraulic("where the oil leaves and enters")
    size = Param(1e-3, "m^3", gt=0, doc="volume")
    initial = Param(0.0, "Pa", ge=0, doc="pressure at the start")
    p = State("initial", unit="Pa", doc="pressure that the same liquid would have without gas")

    def der(port, size, bulk_modulus):
        return bulk_modulus / size * port

    def out_pressure(p, bulk_modulus, air, exponent):
        return pressure_of(p, bulk_modulus, air, exponent)

    def out_port(pressure):
        return pressure

    def out_oil(p, size, bulk_modulus):
        return size * (1.0 + p / bulk_modulus)

    def out_stored_energy(p, pressure, size, bulk_modulus, air, exponent):
        return stored_energy(size, pressure, p, bulk_modulus, air, exponent)


class FlowSource(HydraulicBlock):
    """A pump that moves a given flow from a to b; a draws from outside when not wired.

    Below the pressure of the surroundings its inlet fills with gas too, and with no absolute pressure no oil comes.
    """

    repeats = {"a": "-b"}
    a = Hydraulic("suction", default=0.0)
    b = Hydraulic("delivery", default=0.0)
    flow = In(unit="m^3/s", doc="flow from a to b")
    air = Param(
        0.001, gt=0, lt=1, doc="gas in the oil that it draws, as a share of its volume at no pressure"
    )

    def out_b(a, b, flow, air):
        return flow * filling_ratio(a if flow > 0.0 else b, air)


def orifice_flow(drop, gain, laminar):
    """Flow of an orifice: gain sqrt(drop) where it is turbulent, linear below the drop `laminar`, smooth through zero.

    gain drop / (drop^2 + laminar^2)^(1/4): at drop = laminar it is 16 % below the root, at ten times that 0.25 %.
    """
    return gain * drop / math.sqrt(math.sqrt(drop * drop + laminar * laminar))


class Orifice(HydraulicBlock):
    """A sharp orifice: flow = C opening area sqrt(2 drop / density), laminar at the smallest drops."""

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("one side")
    b = Hydraulic("other side")
    opening = In(
        default=1.0, doc="share of the area that is open: a hose bursts where a step opens an orifice"
    )
    flow = Out(unit="m^3/s", doc="from a to b")
    rare = ("laminar",)
    area = Param(1e-5, "m^2", ge=0, doc="cross section")
    discharge = Param(0.65, gt=0, doc="discharge coefficient C")
    density = Param(870.0, "kg/m^3", gt=0, doc="density of the oil")
    laminar = Param(1e4, "Pa", gt=0, doc="pressure drop below which the flow is linear")

    def out_flow(a, b, opening, area, discharge, density, laminar):
        return orifice_flow(a - b, discharge * opening * area * math.sqrt(2.0 / density), laminar)


def relief_flow(excess, gain, band):
    """gain times the excess less half of `band`, and a parabola to there from zero."""
    if excess <= 0.0:
        return 0.0
    if excess < band:
        return gain * 0.5 * excess * excess / band
    return gain * (excess - 0.5 * band)


class ReliefValve(HydraulicBlock):
    """A relief valve: it opens above the drop `pressure` from a to b, smoothly over `band`.

    With e = drop - pressure, flow = gain e^2 / (2 band) up to e = band, and gain (e - band / 2) above.
    """

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("side that it protects")
    b = Hydraulic("return")
    flow = Out(unit="m^3/s", doc="from a to b")
    pressure = Param(2.5e7, "Pa", ge=0, doc="drop at which it opens")
    gain = Param(1e-9, "m^3/s/Pa", ge=0, doc="flow over pressure, open")
    band = Param(2e5, "Pa", gt=0, doc="rise of pressure over which it opens")

    def out_flow(a, b, pressure, gain, band):
        return relief_flow(a - b - pressure, gain, band)

    def opening_opens(a, b, pressure, band):
        return (a - b - pressure) / band


def metering_edge_flow(drop, opening, leakage, nominal_flow, nominal_drop, laminar):
    """Flow over one metering edge; a closed one leaks."""
    gain = nominal_flow * (max(opening, 0.0) + leakage) / math.sqrt(nominal_drop)
    return orifice_flow(drop, gain, laminar)


def spool_motion(u, s, v, frequency, damping):
    """Rates of a spool's position s and rate v, which follow u within -1 and 1: s'' = w^2 (u - s) - 2 d w s'."""
    wanted = min(max(u, -1.0), 1.0)
    return v, frequency * frequency * (wanted - s) - 2.0 * damping * frequency * v


def load_sense_pressure(tank, a, b, s):
    """Pressure of the load-sensing line: from the tank's to the fed port's over the first 5 % of the stroke [Pa]."""
    u = min(abs(s) / 0.05, 1.0)
    u *= u * (3.0 - 2.0 * u)
    return tank + u * ((a if s > 0.0 else b) - tank)


class ProportionalValve(HydraulicBlock):
    """A 4/3 proportional valve: u > 0 leads supply to a and b to tank, u < 0 the other way round.

    Its spool follows u, kept within -1 and 1, as s'' = w^2 (u - s) - 2 d w s'. Each edge passes nominal_flow at
    nominal_drop when fully open, and flows as an orifice.
    """

    repeats = {"a": "flow_a", "b": "flow_b"}
    supply = Hydraulic("pressure side")
    tank = Hydraulic("return side")
    a = Hydraulic("work port that u > 0 feeds")
    b = Hydraulic("work port that u < 0 feeds")
    u = In(doc="command, -1 to 1")
    spool = Out(doc="position of the spool, -1 to 1")
    flow_a = Out(unit="m^3/s", doc="out of a")
    flow_b = Out(unit="m^3/s", doc="out of b")
    load = Out(
        unit="Pa", doc="pressure of the work port that is fed; the tank's with the spool in the middle"
    )
    rare = ("leakage", "laminar")
    nominal_flow = Param(1e-3, "m^3/s", gt=0, doc="flow over one edge, fully open, at nominal_drop")
    nominal_drop = Param(3.5e6, "Pa", gt=0, doc="pressure drop over one edge that goes with it")
    frequency = Frequency(120.0, gt=0, doc="natural frequency w of the spool")
    damping = Param(0.8, gt=0, doc="damping ratio d of the spool")
    leakage = Param(0.0, ge=0, doc="opening of a closed edge")
    laminar = Param(1e4, "Pa", gt=0, doc="pressure drop below which the flow is linear")
    s = State(doc="position of the spool")
    v = State(unit="1/s", doc="its rate")

    def der(u, s, v, frequency, damping):
        return spool_motion(u, s, v, frequency, damping)

    def out_spool(s):
        return s

    def out_load(tank, a, b, s):
        return load_sense_pressure(tank, a, b, s)

    def out_flow_a(supply, tank, a, s, leakage, nominal_flow, nominal_drop, laminar):
        fed = metering_edge_flow(supply - a, s, leakage, nominal_flow, nominal_drop, laminar)
        return fed - metering_edge_flow(a - tank, -s, leakage, nominal_flow, nominal_drop, laminar)

    def out_flow_b(supply, tank, b, s, leakage, nominal_flow, nominal_drop, laminar):
        fed = metering_edge_flow(supply - b, -s, leakage, nominal_flow, nominal_drop, laminar)
        return fed - metering_edge_flow(b - tank, s, leakage, nominal_flow, nominal_drop, laminar)

    def out_supply(supply, a, b, s, leakage, nominal_flow, nominal_drop, laminar):
        to_a = metering_edge_flow(supply - a, s, leakage, nominal_flow, nominal_drop, laminar)
        return -to_a - metering_edge_flow(supply - b, -s, leakage, nominal_flow, nominal_drop, laminar)

    def out_tank(tank, a, b, s, leakage, nominal_flow, nominal_drop, laminar):
        from_a = metering_edge_flow(a - tank, -s, leakage, nominal_flow, nominal_drop, laminar)
        return from_a + metering_edge_flow(b - tank, s, leakage, nominal_flow, nominal_drop, laminar)

    def check(self) -> Iterable[Problem]:
        if self.leakage >= 1:
            yield Problem(f"found {self.leakage:g}, expected a small part of 1", ".leakage")
