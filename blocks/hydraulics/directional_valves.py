"""Spool valves by their metering edges, pressure compensators, and the shuttle valve of a load-sensing line.

Ports and the counting of oil are those of `circuit_elements.py`. An edge of open area A passes Q = C A sqrt(2 dp /
rho);
springs and pressures move a compensator's spool (H. E. Merritt, Hydraulic Control Systems, 1967).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Equation
from ..block_states import State
from ..errors import Problem
from ..params import REQUIRED, Choice, Param, Struct, Sub
from ..ports import Hydraulic, In, Out
from ..signal_params import Frequency, Rows
from ..signals.table_data import knot_order_problem
from .circuit_elements import HydraulicBlock, orifice_flow, spool_motion
from .mobile_hydraulics import smooth_step

LARGEST_AREA = 0.1  # m^2: 36 cm of open bore; more than that is an area without its unit


class MeteringEdges(Struct):
    """Open areas of a spool's edges over its position, -1 to 1: rows [position, area], straight lines between."""

    supply_a = Rows(
        "position", "area", doc="area from supply to a; held before the first row and behind the last"
    )
    supply_b = Rows("position", "area", doc="area from supply to b; the mirror of supply_a if left out")
    b_tank = Rows("position", "area", doc="area from b to tank; as supply_a if left out")
    a_tank = Rows("position", "area", doc="area from a to tank; the mirror of b_tank if left out")
    bypass = Rows("position", "area", doc="area from supply to bypass, of an open centre; shut if left out")

    def edges(self) -> dict[str, list[list[float]]]:
        """Rows of all edges, those that are left out by symmetry."""
        supply_a = self.supply_a or [[0.0, 0.0]]
        b_tank = self.b_tank or supply_a
        return {
            "supply_a": supply_a,
            "supply_b": self.supply_b or mirrored(supply_a),
            "b_tank": b_tank,
            "a_tank": self.a_tank or mirrored(b_tank),
            "bypass": self.bypass or [[0.0, 0.0]],
        }


def mirrored(rows: list[list[float]]) -> list[list[float]]:
    """Rows of the edge that opens as much when the spool moves the other way."""
    return [[-position, area] for position, area in reversed(rows)]


def edge_problems(rows: list[list[float]], place: str) -> Iterable[Problem]:
    """Mistakes in the rows of one edge."""
    for k, row in enumerate(rows):
        if len(row) != 2:
            yield Problem(f"found {len(row)} numbers, expected [position, area]", f"{place}[{k}]")
            return
    yield from knot_order_problem([row[0] for row in rows], place, "positions, the first numbers, that grow")
    for k, (position, area) in enumerate(rows):
        if not -1.0 <= position <= 1.0:
            yield Problem(f"found a position of {position:g}, expected -1 to 1", f"{place}[{k}][0]")
        if not 0.0 <= area <= LARGEST_AREA:
            fix = "without a unit it counts in m^2: write 60 mm^2"
            expected = f"expected 0 to {LARGEST_AREA:g} m^2"
            yield Problem(f"found an area of {area:g} m^2, {expected}", f"{place}[{k}][1]", fix)


def edge_area(rows, s):
    """Open area A(s) of an edge [m^2]: straight lines through the pairs in `rows`, held beyond its ends."""
    last = len(rows) // 2 - 1
    if s <= rows[0]:
        return rows[1]
    for k in range(1, last + 1):
        if s <= rows[2 * k]:
            share = (s - rows[2 * k - 2]) / (rows[2 * k] - rows[2 * k - 2])
            return rows[2 * k - 1] + share * (rows[2 * k + 1] - rows[2 * k - 1])
    return rows[2 * last + 1]


def edge_flow(drop, rows, s, gain, laminar):
    """Flow Q over a metering edge [m^3/s]; `gain` is C sqrt(2 / rho)."""
    return orifice_flow(drop, gain * edge_area(rows, s), laminar)


def orifice_gain(discharge, density):
    """C sqrt(2 / rho), by which an area and the root of a drop make a flow."""
    return discharge * math.sqrt(2.0 / density)


def sensed_pressure(tank, port, area, full):
    """Pressure that an edge leads to the load-sensing line [Pa]: the tank's when shut, the port's from 5 % open on."""
    return tank + smooth_step(area, 0.05 * full) * (port - tank) if area > 0.0 else tank


def highest_sensed(tank, a, b, areas, full):
    """Higher one of the pressures that both feeding edges lead to the load-sensing line [Pa]."""
    return max(sensed_pressure(tank, a, areas[0], full[0]), sensed_pressure(tank, b, areas[1], full[1]))


class SpoolValve(HydraulicBlock):
    """A directional valve by the areas of its metering edges over the position s of its spool, -1 to 1.

    Each edge passes C A(s) sqrt(2 drop / density) either way. The spool follows u, kept within -1 and 1, as
    s'' = w^2 (u - s) - 2 d w s'. With `bypass` its centre is open: oil runs there from supply until the spool throttles
    it (wire the next valve's supply, or a tank; unwired it runs off without pressure). `load` is the pressure of the
    work port that supply is led to, for a pump or a compensator that senses it.
    """

    repeats = {"a": "flow_a", "b": "flow_b", "bypass": "flow_bypass"}
    supply = Hydraulic("pressure side")
    tank = Hydraulic("return side")
    a = Hydraulic("work port that u > 0 feeds")
    b = Hydraulic("work port that u < 0 feeds")
    bypass = Hydraulic("end of the open centre", default=0.0)
    u = In(doc="command, -1 to 1")
    spool = Out(doc="position of the spool, -1 to 1")
    flow_a = Out(unit="m^3/s", doc="out of a")
    flow_b = Out(unit="m^3/s", doc="out of b")
    flow_bypass = Out(unit="m^3/s", doc="through the open centre")
    load = Out(unit="Pa", doc="highest pressure of the work ports that supply is led to; else the tank's")
    edges = Sub(MeteringEdges, REQUIRED, doc="open areas {supply_a, supply_b, b_tank, a_tank, bypass}")
    discharge = Param(0.65, gt=0, doc="discharge coefficient C")
    density = Param(870.0, "kg/m^3", gt=0, doc="density of the oil")
    frequency = Frequency(120.0, gt=0, doc="natural frequency w of the spool")
    damping = Param(0.8, gt=0, doc="damping ratio d of the spool")
    laminar = Param(1e4, "Pa", gt=0, doc="pressure drop below which the flow is linear")
    s = State(doc="position of the spool")
    v = State(unit="1/s", doc="its rate")
    derived_names = ("supply_a", "supply_b", "b_tank", "a_tank", "through", "full")
    example = {"edges": {"supply_a": [[0.1, 0.0], [1.0, 3e-5]]}}

    def check(self) -> Iterable[Problem]:
        if self.edges.supply_a is None:
            yield Problem("found no area of supply_a", ".edges", "rows [position of the spool, area]")
        for name in self.edges.params:
            yield from edge_problems(getattr(self.edges, name) or [], f".edges.{name}")

    def derived(self) -> dict[str, tuple[float, ...]]:
        """Rows of each edge, one after the other, and the largest areas of the feeding ones."""
        edges = self.edges.edges()
        edges["through"] = edges.pop("bypass")
        rows = {name: tuple(number for pair in edge for number in pair) for name, edge in edges.items()}
        return rows | {"full": tuple(max(rows[name][1::2]) for name in ("supply_a", "supply_b"))}

    def der(u, s, v, frequency, damping):
        return spool_motion(u, s, v, frequency, damping)

    def out_spool(s):
        return s

    def out_load(tank, a, b, s, supply_a, supply_b, full):
        areas = edge_area(supply_a, s), edge_area(supply_b, s)
        return highest_sensed(tank, a, b, areas, full)

    def out_flow_a(supply, tank, a, s, supply_a, a_tank, discharge, density, laminar):
        gain = orifice_gain(discharge, density)
        return edge_flow(supply - a, supply_a, s, gain, laminar) - edge_flow(
            a - tank, a_tank, s, gain, laminar
        )

    def out_flow_b(supply, tank, b, s, supply_b, b_tank, discharge, density, laminar):
        gain = orifice_gain(discharge, density)
        return edge_flow(supply - b, supply_b, s, gain, laminar) - edge_flow(
            b - tank, b_tank, s, gain, laminar
        )

    def out_flow_bypass(supply, bypass, s, through, discharge, density, laminar):
        return edge_flow(supply - bypass, through, s, orifice_gain(discharge, density), laminar)

    def out_supply(supply, a, b, bypass, s, supply_a, supply_b, through, discharge, density, laminar):
        gain = orifice_gain(discharge, density)
        to_ports = edge_flow(supply - a, supply_a, s, gain, laminar)
        to_ports += edge_flow(supply - b, supply_b, s, gain, laminar)
        return -to_ports - edge_flow(supply - bypass, through, s, gain, laminar)

    def out_tank(tank, a, b, s, a_tank, b_tank, discharge, density, laminar):
        gain = orifice_gain(discharge, density)
        return edge_flow(a - tank, a_tank, s, gain, laminar) + edge_flow(b - tank, b_tank, s, gain, laminar)


class PressureCompensator(HydraulicBlock):
    """A pressure compensator: it throttles from a to b so that a metering edge beside it keeps its drop.

    Before a spool (`keeps: outlet`) it holds b at load + setting, whatever the supply: the flow follows the edge's area
    alone. Behind a metering edge (`keeps: inlet`) it holds a at load + setting, where `load` is the highest of all
    users: when the pump cannot feed all, all get less by the same share. Its spool follows T ds/dt = wanted - s, where
    wanted moves from shut to open over `band` around the pressure that it keeps; open it passes nominal_flow at
    nominal_drop. From b to a it is `backwards` open.
    """

    repeats = {"b": "flow", "a": "-flow"}
    a = Hydraulic("inlet")
    b = Hydraulic("outlet")
    load = In(unit="Pa", doc="sensed pressure that the setting adds to")
    flow = Out(unit="m^3/s", doc="from a to b")
    opening = Out(doc="position of the spool, 0 shut, 1 open")
    keeps = Choice("outlet", ["outlet", "inlet"], doc="the pressure that it holds at load + setting")
    setting = Param(1e6, "Pa", ge=0, doc="drop that it keeps over the metering edge: that of its spring")
    band = Param(3e5, "Pa", gt=0, doc="change of the pressure over which it moves from shut to open")
    nominal_flow = Param(1e-3, "m^3/s", gt=0, doc="flow, fully open, at nominal_drop")
    nominal_drop = Param(5e5, "Pa", gt=0, doc="drop that goes with it")
    backwards = Param(0.0, ge=0, le=1, doc="opening from b to a, as part of the full one; 0 is a check valve")
    lag = Param(0.005, "s", gt=0, doc="time constant T of the spool")
    laminar = Param(1e4, "Pa", gt=0, doc="drop below which the flow is linear")
    initial = Param(1.0, ge=0, le=1, doc="opening at the start")
    s = State("initial", doc="position of the spool")

    def instance_functions(self) -> dict[str, Equation]:
        rate = compensator_holds_outlet if self.keeps == "outlet" else compensator_holds_inlet
        return self.functions | {"der": rate}

    def out_opening(s):
        return s

    def out_flow(a, b, s, nominal_flow, nominal_drop, backwards, laminar):
        open_part = max(s, 0.0) if a >= b else backwards
        return orifice_flow(a - b, open_part * nominal_flow / math.sqrt(nominal_drop), laminar)


def compensator_holds_outlet(b, load, s, setting, band, lag):
    """Rate of a spool that shuts as its outlet rises above load + setting [1/s]."""
    return (1.0 - smooth_step(b - load - setting + 0.5 * band, band) - s) / lag


def compensator_holds_inlet(a, load, s, setting, band, lag):
    """Rate of a spool that opens as its inlet rises above load + setting [1/s]."""
    return (smooth_step(a - load - setting + 0.5 * band, band) - s) / lag


class Shuttle(HydraulicBlock):
    """A shuttle valve: its ball shuts the lower of two inlets, so that the higher one feeds the outlet.

    The ball moves as a - b passes through zero, over `band`; in the middle both are half open. Either inlet passes
    nominal_flow at nominal_drop when open, both ways: the outlet empties through the inlet that fed it.
    """

    repeats = {"a": "-flow_a", "b": "-flow_b"}
    a = Hydraulic("one inlet")
    b = Hydraulic("other inlet")
    outlet = Hydraulic("the higher of both")
    flow_a = Out(unit="m^3/s", doc="from a to the outlet")
    flow_b = Out(unit="m^3/s", doc="from b to the outlet")
    band = Param(1e5, "Pa", gt=0, doc="difference of the inlets over which the ball moves")
    nominal_flow = Param(1e-4, "m^3/s", gt=0, doc="flow through an open inlet at nominal_drop")
    nominal_drop = Param(5e5, "Pa", gt=0, doc="drop that goes with it")
    laminar = Param(1e4, "Pa", gt=0, doc="drop below which the flow is linear")

    def out_flow_a(a, b, outlet, band, nominal_flow, nominal_drop, laminar):
        return shuttle_flow(a, b, outlet, band, nominal_flow / math.sqrt(nominal_drop), laminar)

    def out_flow_b(a, b, outlet, band, nominal_flow, nominal_drop, laminar):
        return shuttle_flow(b, a, outlet, band, nominal_flow / math.sqrt(nominal_drop), laminar)

    def out_outlet(a, b, outlet, band, nominal_flow, nominal_drop, laminar):
        gain = nominal_flow / math.sqrt(nominal_drop)
        return shuttle_flow(a, b, outlet, band, gain, laminar) + shuttle_flow(
            b, a, outlet, band, gain, laminar
        )


def shuttle_flow(inlet, other, outlet, band, gain, laminar):
    """Flow from an inlet of a shuttle valve to its outlet, open as far as the inlet is the higher one [m^3/s]."""
    return smooth_step(inlet - other + 0.5 * band, band) * orifice_flow(inlet - outlet, gain, laminar)
