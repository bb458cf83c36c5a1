"""Oil hydraulics of mobile machines: a pump that regulates itself, what holds a load, and what stores oil.

Ports and the counting of oil are those of `circuit_elements.py`.
"""

from __future__ import annotations

import math

from ..block_states import State
from ..params import Param
from ..ports import Hydraulic, In, Out
from .circuit_elements import HydraulicBlock, OilBlock, orifice_flow
from .oil_properties import content_of, filling_ratio, pressure_of, stored_energy


def smooth_step(value, band):
    """0 below zero, 1 above `band`, 3 u^2 - 2 u^3 between them: smooth at both ends."""
    u = min(max(value / band, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


def regulator_displacement(
    drop, speed, setting, load, displacement, pressure, margin, standby, band, flow_limit, power_limit
):
    """Part of its displacement that a pump's regulator asks for: the least of all demands; a limit of NaN is none."""
    limit = min(pressure, max(load + margin, standby))
    wanted = min(max(setting, 0.0), smooth_step(limit - drop, band))
    largest = displacement / (2.0 * math.pi) * max(speed, 1e-9)
    if largest * wanted > flow_limit:
        wanted = flow_limit / largest
    if largest * wanted * drop > power_limit:
        wanted = power_limit / (largest * drop)
    return wanted


def pump_flow(a, b, speed, s, displacement, air):
    """Oil that a pump displaces; what it draws with gas is filled in part."""
    return s * displacement / (2.0 * math.pi) * speed * filling_ratio(a if speed >= 0.0 else b, air)


class Pump(HydraulicBlock):
    """A pump of variable displacement: flow = s f V / 2 pi speed - leakage drop, with a regulator T ds/dt = wanted - s.

    The regulator takes the lowest demand: `setting`, what flow and power (drop times flow) allow by their limits, and
    what a pressure allows: the whole displacement up to `band` below its limit, less and less over it, nothing beyond.
    That limit is `pressure`, or load + margin where `load` is wired and that is less (load sensing; `standby` at
    least). Where one demand takes over from another ds/dt has a kink. The limits hold at rest; while it swivels the
    pump is late by its lag T. f is 1, and less where its inlet is below the pressure of the surroundings: gas fills the
    rest, all of it at no absolute one.
    """

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("suction")
    b = Hydraulic("delivery")
    speed = In(unit="rad/s", default=157.0796326794897, doc="of the shaft; 1500 rpm when open")
    setting = In(default=1.0, doc="part of the displacement that is wished for, 0 to 1")
    load = In(unit="Pa", default=1e12, doc="highest load pressure; when open, `pressure` alone limits")
    flow = Out(unit="m^3/s", doc="from a to b")
    torque = Out(unit="N*m", doc="that the shaft needs")
    swivelled = Out(doc="part s of the displacement in use")
    rare = ("standby", "band", "lag", "leakage", "air")
    displacement = Param(6.3e-5, "m^3", gt=0, doc="volume V of one turn at s = 1")
    pressure = Param(2.5e7, "Pa", gt=0, doc="drop at which it delivers nothing any more")
    margin = Param(2e6, "Pa", ge=0, doc="over the load pressure, with load sensing")
    standby = Param(2.5e6, "Pa", ge=0, doc="least limit of the drop, with load sensing")
    band = Param(2e6, "Pa", gt=0, doc="drop below the limit over which it swivels back")
    flow_limit = Param(None, "m^3/s", gt=0, doc="largest flow; none if left out")
    power_limit = Param(None, "W", gt=0, doc="largest drop times flow; none if left out")
    lag = Param(0.02, "s", gt=0, doc="time constant T of the regulator")
    leakage = Param(0.0, "m^3/s/Pa", ge=0, doc="flow back over the drop")
    efficiency = Param(
        1.0, gt=0, le=1, doc="hydraulic-mechanical: of oil power over the shaft's; backwards as a motor"
    )
    initial = Param(0.0, ge=0, le=1, doc="s at the start")
    air = Param(
        0.001, gt=0, lt=1, doc="gas in the oil that it draws, as a share of its volume at no pressure"
    )
    s = State("initial", doc="part of the displacement in use")

    def der(
        b, a, speed, setting, load, s, displacement, pressure, margin, standby, band, flow_limit, power_limit, lag,
    ):  # fmt: skip
        wanted = regulator_displacement(
            b - a,
            speed,
            setting,
            load,
            displacement,
            pressure,
            margin,
            standby,
            band,
            flow_limit,
            power_limit,
        )
        return (wanted - s) / lag

    def out_flow(a, b, speed, s, displacement, leakage, air):
        return pump_flow(a, b, speed, s, displacement, air) - leakage * (b - a)

    def out_torque(a, b, speed, s, displacement, efficiency, air):
        filled_with = filling_ratio(a if speed >= 0.0 else b, air)
        shaft_drives = math.tanh(speed) if b >= a else math.tanh(-speed)  # 1; -1 where the oil does: a motor
        return s * displacement / (2.0 * math.pi) * filled_with * (b - a) * efficiency**-shaft_drives

    def out_swivelled(s):
        return s


def gas_volume_taken(p, size, precharge, exponent, ambient):
    """Volume that oil of pressure p takes from the gas."""
    if p <= precharge:
        return 0.0
    return size * (1.0 - ((precharge + ambient) / (p + ambient)) ** (1.0 / exponent))


def accumulator_content(p, size, precharge, exponent, neck, bulk_modulus, ambient, air):
    """Oil at pressure p, counted at no pressure."""
    taken = gas_volume_taken(p, size, precharge, exponent, ambient)
    return (neck + taken) * (1.0 + content_of(p, bulk_modulus, air, exponent) / bulk_modulus)


def accumulator_pressure(oil, size, precharge, exponent, neck, bulk_modulus, ambient, air):
    """Pressure of an oil content: the neck's alone below the precharge; above it what makes `accumulator_content`
    right."""
    density = 1.0 + content_of(precharge, bulk_modulus, air, exponent) / bulk_modulus
    full = neck * density
    if oil <= full:
        return pressure_of(bulk_modulus * (oil / neck - 1.0), bulk_modulus, air, exponent)
    # Halley's method, from where oil would give no way; there the gas is known without its law
    gas = max(size - (oil - full) / density, 1e-3 * size)
    p = (precharge + ambient) * (size / gas) ** exponent - ambient
    for _ in range(20):
        absolute, pressing, stretched = p + 101325.0, p + ambient, 1.0 + p / bulk_modulus
        bubbles = air / (1.0 - air) * (101325.0 / absolute) ** (1.0 / exponent)
        density = 1.0 / (1.0 / stretched + bubbles)
        # by how much a volume of oil falls with the pressure, and how that bends
        yields = 1.0 / (bulk_modulus * stretched * stretched) + bubbles / (exponent * absolute)
        bend = 2.0 / (bulk_modulus * bulk_modulus * stretched * stretched * stretched)
        bend += bubbles * (1.0 + 1.0 / exponent) / (exponent * absolute * absolute)
        held, grows = neck + size - gas, gas / (exponent * pressing)
        denser = yields * density
        slope = density * (held * denser + grows)
        bend = held * (2.0 * denser * denser - bend * density) + 2.0 * grows * denser
        bend -= grows * (1.0 + 1.0 / exponent) / pressing
        newton = (oil - held * density) / slope
        step = newton / max(1.0 + 0.5 * newton * density * bend / slope, 0.5)
        p = max(p + step, precharge)
        if abs(step) < 1e-6 * p:  # and what is left is the cube of it, of derivatives the square
            break
        gas = size * ((precharge + ambient) / (p + ambient)) ** (1.0 / exponent)
    return p


def stored_in_gas(left, size, precharge, exponent, ambient):
    """Work that was done on the gas since it filled the shell, `left` its volume."""
    most = (precharge + ambient) * size
    if exponent > 1.0:
        work = most * ((size / left) ** (exponent - 1.0) - 1.0) / (exponent - 1.0)
    else:
        work = most * math.log(size / left)
    return work - ambient * (size - left)


class Accumulator(OilBlock):
    """A gas accumulator: (p + ambient) V^n = (precharge + ambient) size^n, V the volume of the gas.

    Its state is the oil that it has taken in, so that none is lost, as the pressure that it would be in the neck:
    methods that look at slopes by small differences of a state see no more than a little pressure then. Below its
    precharge the gas fills the shell, and the oil in the neck alone gives way. n = 1 for slow filling (gas at one
    temperature), 1.4 for fast filling with nitrogen (no heat exchanged); the gas in its oil has the same.
    """

    across_ports = ("port",)
    port = Hydraulic("where the oil leaves and enters")
    gas = Out(unit="m^3", doc="volume of the gas in the shell")
    usual = ("size", "precharge", "initial")
    rare = ("bulk_modulus", "air", "neck", "ambient")
    size = Param(1e-3, "m^3", gt=0, doc="volume of the gas at its precharge")
    precharge = Param(1e7, "Pa", gt=0, doc="pressure of the gas without oil")
    exponent = Param(1.4, ge=1, doc="polytropic exponent n")
    neck = Param(5e-5, "m^3", gt=0, doc="oil in neck and line when the gas fills the shell")
    ambient = Param(101325.0, "Pa", gt=0, doc="pressure of the surroundings, from which all others count")
    initial = Param(0.0, "Pa", ge=0, doc="pressure at the start")
    taken = State(unit="Pa", doc="oil taken in since the start, over neck / bulk_modulus")

    def der(port, neck, bulk_modulus):
        return port * bulk_modulus / neck

    def out_pressure(taken, initial, size, precharge, exponent, neck, bulk_modulus, ambient, air):
        oil = taken * neck / bulk_modulus + accumulator_content(
            initial, size, precharge, exponent, neck, bulk_modulus, ambient, air
        )
        return accumulator_pressure(oil, size, precharge, exponent, neck, bulk_modulus, ambient, air)

    def out_port(pressure):
        return pressure

    def out_oil(taken, initial, size, precharge, exponent, neck, bulk_modulus, ambient, air):
        return taken * neck / bulk_modulus + accumulator_content(
            initial, size, precharge, exponent, neck, bulk_modulus, ambient, air
        )

    def out_gas(pressure, size, precharge, exponent, ambient):
        return size - gas_volume_taken(pressure, size, precharge, exponent, ambient)

    def out_stored_energy(pressure, size, precharge, exponent, neck, bulk_modulus, ambient, air):
        taken = gas_volume_taken(pressure, size, precharge, exponent, ambient)
        held = content_of(pressure, bulk_modulus, air, exponent)
        oil = stored_energy(neck + taken, pressure, held, bulk_modulus, air, exponent)
        return oil + stored_in_gas(size - taken, size, precharge, exponent, ambient)

    def opening_gas(taken, pressure, initial, size, precharge, exponent, neck, bulk_modulus, ambient, air):
        # the gas gives way from 0 on; below it the neck is stiff, down to -1 where nothing presses
        if pressure < precharge:
            return (pressure - precharge) / (precharge + ambient)
        oil = taken * neck / bulk_modulus + accumulator_content(
            initial, size, precharge, exponent, neck, bulk_modulus, ambient, air
        )
        full = content_of(precharge, bulk_modulus, air, exponent)
        return ((oil / neck - 1.0) * bulk_modulus - full) / precharge


def check_valve_flow(drop, cracking, band, gain, leakage, laminar):
    """Flow of a check valve: an orifice that opens over `band` above the cracking pressure; closed, it leaks."""
    return (smooth_step(drop - cracking, band) + leakage) * orifice_flow(drop, gain, laminar)


class CheckValve(HydraulicBlock):
    """A check valve: from a to b it opens over `band` above the drop `cracking`, and flows as an orifice.

    Fully open it passes nominal_flow at nominal_drop; backwards it passes nothing but its leakage.
    """

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("inlet")
    b = Hydraulic("outlet")
    flow = Out(unit="m^3/s", doc="from a to b")
    rare = ("band", "leakage", "laminar")
    cracking = Param(5e4, "Pa", ge=0, doc="drop at which it begins to open")
    band = Param(1e5, "Pa", gt=0, doc="rise of the drop over which it opens")
    nominal_flow = Param(1e-3, "m^3/s", gt=0, doc="flow, fully open, at nominal_drop")
    nominal_drop = Param(5e5, "Pa", gt=0, doc="drop that goes with it")
    leakage = Param(0.0, ge=0, lt=1, doc="opening when closed, as part of the full one")
    laminar = Param(1e4, "Pa", gt=0, doc="drop below which the flow is linear")

    def out_flow(a, b, cracking, band, nominal_flow, nominal_drop, leakage, laminar):
        return check_valve_flow(
            a - b, cracking, band, nominal_flow / math.sqrt(nominal_drop), leakage, laminar
        )

    def opening_opens(a, b, cracking, band):
        return (a - b - cracking) / band


def counterbalance_flow(a, b, s, nominal_flow, nominal_drop, cracking, check_band, leakage, laminar):
    """Flow of a counterbalance valve from its load side a to b: metered by s one way, a check valve the other."""
    gain = nominal_flow / math.sqrt(nominal_drop)
    metered = (max(s, 0.0) + leakage) * orifice_flow(a - b, gain, laminar)
    return metered - smooth_step(b - a - cracking, check_band) * orifice_flow(b - a, gain, laminar)


class CounterbalanceValve(HydraulicBlock):
    """A counterbalance valve: it holds the load at a, lets oil in from b freely, and out when load and pilot open it.

    excess = a - b + pilot_ratio (pilot - b) - pressure; its poppet follows T ds/dt = wanted - s, where wanted rises
    from 0 to 1 over `band` above no excess. Open, it passes nominal_flow at nominal_drop. Set `pressure` to some 1.3
    times the largest load pressure: then the load alone never opens it. Pressure at b (the return side) holds it shut.
    """

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("load side, at the cylinder")
    b = Hydraulic("valve side")
    pilot = Hydraulic("pressure that opens it; takes no oil")
    flow = Out(unit="m^3/s", doc="from a to b")
    opening = Out(doc="position of the poppet, 0 to 1")
    rare = ("cracking", "check_band", "lag", "leakage", "laminar")
    pressure = Param(2.5e7, "Pa", gt=0, doc="excess of a over b at which it opens without a pilot")
    pilot_ratio = Param(4.0, ge=0, doc="area of the pilot over that of the load side")
    band = Param(5e6, "Pa", gt=0, doc="rise of the excess over which it opens fully")
    nominal_flow = Param(1e-3, "m^3/s", gt=0, doc="flow, fully open, at nominal_drop, either way")
    nominal_drop = Param(1e6, "Pa", gt=0, doc="drop that goes with it")
    cracking = Param(1e5, "Pa", ge=0, doc="drop from b to a at which its check valve begins to open")
    check_band = Param(2e5, "Pa", gt=0, doc="rise of that drop over which the check valve opens")
    lag = Param(0.01, "s", gt=0, doc="time constant T of the poppet")
    leakage = Param(0.0, ge=0, lt=1, doc="opening when closed, as part of the full one")
    laminar = Param(1e4, "Pa", gt=0, doc="drop below which the flow is linear")
    s = State(doc="position of the poppet")

    def der(a, b, pilot, s, pressure, pilot_ratio, band, lag):
        return (smooth_step(a - b + pilot_ratio * (pilot - b) - pressure, band) - s) / lag

    def out_opening(s):
        return s

    def out_flow(a, b, s, nominal_flow, nominal_drop, cracking, check_band, leakage, laminar):
        return counterbalance_flow(
            a, b, s, nominal_flow, nominal_drop, cracking, check_band, leakage, laminar
        )

    def out_pilot(t):
        return 0.0

    def opening_opens(a, b, cracking, check_band):
        return (b - a - cracking) / check_band


def rupture_valve_flow(a, b, s, nominal_flow, nominal_drop, leakage, laminar):
    return (max(s, 0.0) + leakage) * orifice_flow(a - b, nominal_flow / math.sqrt(nominal_drop), laminar)


class HoseRuptureValve(HydraulicBlock):
    """A hose rupture valve: oil that runs from the cylinder at a faster than `closing_flow` shuts it.

    A spring holds it open. Its poppet follows T ds/dt = wanted - s, where wanted falls from 1 to 0 over `band` above
    the drop that closing_flow makes in the open valve: nominal_drop (closing_flow / nominal_flow)^2. Shut, it keeps
    the load's whole pressure as its drop, and stays shut until that is taken off; towards the cylinder it is open.
    """

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("load side, at the cylinder")
    b = Hydraulic("hose side")
    flow = Out(unit="m^3/s", doc="from a to b")
    opening = Out(doc="position of the poppet, 0 shut, 1 open")
    rare = ("lag", "leakage", "laminar", "start")
    closing_flow = Param(1.5e-3, "m^3/s", gt=0, doc="flow from a to b at which it begins to shut")
    nominal_flow = Param(1e-3, "m^3/s", gt=0, doc="flow, open, at nominal_drop, either way")
    nominal_drop = Param(3e5, "Pa", gt=0, doc="drop that goes with it")
    band = Param(1e5, "Pa", gt=0, doc="rise of the drop over which it shuts")
    lag = Param(0.01, "s", gt=0, doc="time constant T of the poppet")
    leakage = Param(
        0.0, ge=0, lt=1, doc="opening when shut, as part of the full one: an orifice that lets the load sink"
    )
    laminar = Param(1e4, "Pa", gt=0, doc="drop below which the flow is linear")
    start = Param(1.0, ge=0, le=1, doc="opening at the start")
    s = State("start", doc="position of the poppet")
    helpers = (orifice_flow, smooth_step, rupture_valve_flow)

    def der(a, b, s, closing_flow, nominal_flow, nominal_drop, band, lag):
        share = closing_flow / nominal_flow
        return (1.0 - smooth_step(a - b - nominal_drop * share * share, band) - s) / lag

    def out_opening(s):
        return s

    def out_flow(a, b, s, nominal_flow, nominal_drop, leakage, laminar):
        return rupture_valve_flow(a, b, s, nominal_flow, nominal_drop, leakage, laminar)


def line_flow(drop, length, diameter, viscosity, density, friction):
    """Flow Q through a line: drop = R Q + S Q |Q|, solved for Q; linear through zero.

    R = 128 viscosity density length / pi d^4 (Hagen and Poiseuille), S = friction density length / 2 d A^2 (Darcy).
    """
    area = 0.25 * math.pi * diameter * diameter
    R = 128.0 * viscosity * density * length / (math.pi * diameter**4)
    S = 0.5 * friction * density * length / (diameter * area * area)
    return 2.0 * drop / (R + math.sqrt(R * R + 4.0 * S * abs(drop)))


class Hose(OilBlock):
    """A hose: its oil and its wall as one volume at a, its friction between there and b.

    It takes in oil as a volume of K does, 1/K = 1/bulk_modulus + 1/wall. drop = R Q + S Q |Q| to b: laminar and
    turbulent loss added, which is exact for either alone. a gives a pressure, b takes one: wire b to a cylinder, a
    volume or another hose's a.
    """

    across_ports = ("a",)
    repeats = {"b": "flow"}
    a = Hydraulic("end that gives its pressure")
    b = Hydraulic("end that takes a pressure")
    flow = Out(unit="m^3/s", doc="from a to b")
    usual = ("length", "diameter")
    length = Param(2.0, "m", gt=0, doc="length")
    diameter = Param(0.016, "m", gt=0, doc="inner diameter")
    bulk_modulus = Param(1.4e9, "Pa", gt=4e5, doc="bulk modulus of the oil")
    wall = Param(1e9, "Pa", gt=4e5, doc="pressure over the relative widening of the volume")
    viscosity = Param(4.6e-5, "m^2/s", gt=0, doc="kinematic viscosity of the oil")
    density = Param(870.0, "kg/m^3", gt=0, doc="density of the oil")
    friction = Param(0.03, gt=0, doc="Darcy's friction factor of turbulent flow")
    initial = Param(0.0, "Pa", ge=0, doc="pressure at the start")
    p = State("initial", unit="Pa", doc="pressure that the same liquid would have without gas")
    derived_names = ("whole",)

    def stiffness(self) -> float:
        return self.bulk_modulus * self.wall / (self.bulk_modulus + self.wall)

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"whole": (0.25 * math.pi * self.diameter**2 * self.length, self.stiffness())}

    def der(a, b, p, pressure, length, diameter, viscosity, density, friction, whole):
        leaves = line_flow(pressure - b, length, diameter, viscosity, density, friction)
        return (a - leaves) * whole[1] / whole[0]

    def out_pressure(p, whole, air, exponent):
        return pressure_of(p, whole[1], air, exponent)

    def out_a(pressure):
        return pressure

    def out_flow(b, pressure, length, diameter, viscosity, density, friction):
        return line_flow(pressure - b, length, diameter, viscosity, density, friction)

    def out_oil(p, whole):
        return whole[0] * (1.0 + p / whole[1])

    def out_stored_energy(p, pressure, air, exponent, whole):
        return stored_energy(whole[0], pressure, p, whole[1], air, exponent)
