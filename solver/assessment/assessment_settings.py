"""The entries of an assessment file, declared like a block's parameters."""

from __future__ import annotations

from ...blocks.params import (
    Choice,
    Flag,
    Integer,
    Names,
    Param,
    Scope,
    Struct,
    Sub,
    SubList,
    Text,
)
from ...blocks.signal_params import AnyUnit
from ...blocks.signals.rainflow import Woehler
from ..studies.sections import MapOf, records, words
from ..studies.study_settings import PLAIN, Denominator, Measure, Requirement, changes
from ..studies.value_ranges import values_of


def _factor(raw: object, scope: Scope, path: str) -> object:
    """A number, or the name of a load in the standard's file."""
    return raw if isinstance(raw, str) and raw.isidentifier() else scope.number(raw, "")


def _span(raw: object, scope: Scope, path: str) -> list[object]:
    return values_of(raw, path)


class Raw(Param):
    """A quantity as a netlist has it."""

    kind = "raw"

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        if not isinstance(raw, str | int | float):
            raise self.refused(raw, path)
        return raw

    def expected(self) -> str:
        return "a quantity"


class ChartEntry(Struct):
    """Entry of `charts:`; a load chart in the report."""

    load = Text(doc="the parameter that says how much is carried")
    over = MapOf(
        _span,
        "a mapping from paths to values, {radius: [8 m, 12 m], slewing: 0deg:360deg:15deg}",
        empty=False,
        doc="what varies {radius: [8 m, 12 m], slewing: 0deg:360deg:15deg}",
    )
    lower = Raw(0.0, doc="least load that is looked at")
    upper = Raw(None, doc="greatest; 100 times the model's if left out")
    margin = Param(1.0, gt=0, doc="the found load over the rated one")
    dynamic = Flag(False, doc="by the motions of all cases, rather than statics")
    gust = Param(1.0, ge=1, doc="gust over mean, where the load is a wind: the gust acts, the mean is told")
    seeds = Integer(0, ge=0, doc="runs of all cases in so many seeds of sea and wind; 0: those of the model")
    percentile = Param(90.0, gt=0, lt=100, doc="share of the seeds that break no check [%]")


class Case(Struct):
    """Entry of `cases:`; a motion of the crane."""

    doc = Text("", doc="what happens")
    set = changes({}, doc="changes of the model")
    start = Param(0.0, "s", doc="checks count from here")
    stop = Param(None, "s", doc="to here")
    repeats = Param(0.0, ge=0, doc="how often it comes in the crane's life; 0 where it does no damage")


class Combination(Struct):
    """Entry of `combinations:`; partial factors, and the cases that they go with."""

    doc = Text("", doc="where the factors come from")
    cases = Names(("*",), doc="names or globs of cases")
    set = changes({}, doc="changes of the model")
    scale = MapOf(
        _factor,
        "a mapping from paths to factors, {load_mass: 1.34}",
        {},
        doc="partial factors on parameters of the model, by path: numbers, or names of loads in the standard's file",
    )
    row = Text("", doc="combination of the standard's file that has them; that of the same name if left out")
    effect = Param(1.0, gt=0, doc="partial factor on all that is checked")


class SectionCheck(Struct):
    """Entry of `sections:`."""

    sensor = Text(doc="a section_sensor, member_sensor or stress_sensor of the model")
    allowable = Param(None, "Pa", gt=0, doc="allowable stress; that of the sensor if left out")
    fatigue = Sub(Woehler, None, doc="Woehler's line of the detail; no damage is counted without")
    source = Text("", doc="where the allowable stress and Woehler's line come from")
    damage = Param(1.0, gt=0, doc="greatest damage over the life")


class Sheave(Struct):
    """A sheave that a rope runs over."""

    at = Param(0.0, "m", doc="length of rope between the drum and it")
    share = Param(
        0.0,
        ge=0,
        lt=1,
        doc="of the rope off the drum that is to be added: 0.5 of a hook in two falls",
    )


class Feyrer(Struct):
    """lg N = b0 + (b1 + b3 lg(D/d)) (lg(S/d^2) - 0.4 lg(R0/1770)) + b2 lg(D/d) + lg(factor), with N and mm."""

    b0 = Param(doc="constant of the rope's class, from its regression")
    b1 = Param(doc="constant of the rope's class")
    b2 = Param(doc="constant of the rope's class")
    b3 = Param(doc="constant of the rope's class")
    grade = Param(1770e6, "Pa", gt=0, doc="nominal strength of the wires")
    sheave = Param(unit="m", gt=0, doc="diameter of the sheaves, between the rope's middles")
    factor = Param(1.0, gt=0, doc="for the rope's diameter, bending length and core: f_d f_L f_E")
    source = Text("", doc="where the constants come from")


class RopeCheck(Struct):
    """Entry of `ropes:`."""

    tension = Text(doc="signal with the tension of one fall")
    breaking = Param(unit="N", gt=0, doc="least breaking force")
    safety = Param(5.0, gt=0, doc="least breaking force over greatest tension")
    source = Text("", doc="where the breaking force and the safety come from")
    diameter = Param(None, "m", gt=0, doc="of the rope, for its life")
    length = Text("", doc="signal with the length of rope that is off the drum, for bending cycles")
    falls = Integer(1, ge=1, doc="by which the signal of the length has to be multiplied")
    lead = Param(
        0.0, "m", ge=0, doc="rope off the drum that the signal does not count: from the drum to the falls"
    )
    sheaves = SubList(Sheave, doc="sheaves {at}")
    drum = Param(0.5, ge=0, doc="bending cycles for each metre that winds on or off the drum")
    feyrer = Sub(Feyrer, None, doc="constants of Feyrer's regression, for the number of bending cycles")


class DriveCheck(Struct):
    """Entry of `drives:`; starts of a drive in the crane's life, and the distance of each."""

    speed = Text(doc="signal with the speed of the drive")
    rest = AnyUnit(0.0, ge=0, doc="up to this speed it stands still, in the unit of the signal")
    most = Param(None, gt=0, doc="greatest number of starts over the life; none is checked if left out")
    source = Text("", doc="where the number comes from")


class Pad(Struct):
    """Outrigger or wheel that carries the crane."""

    force = Text(doc="signal with the force that pushes it up")
    at = Param(unit="m", shape=(2,), doc="x and y, in the axes of the base")


class DeadWeight(Struct):
    """Dead weight that holds the crane down."""

    mass = Param(unit="kg", gt=0, doc="its mass")
    at = Param((0.0, 0.0), "m", shape=(2,), doc="x and y of its centre of mass, in the axes of the base")


class Tipping(Struct):
    """`tipping:`"""

    base = Text("", doc="a base_support with one-sided supports")
    pads = SubList(Pad, doc="or the pads themselves {force, at}")
    stabilising = Sub(
        DeadWeight, None, doc="what holds down {mass, at}; all weight in the middle of the pads if left out"
    )
    reserve = Param(1.0, gt=0, doc="least stabilising over overturning moment about any edge")
    unit_gravity = Param(9.81, "m/s^2", gt=0, doc="gravity")


CODES = (
    "en13001",
    "phi_1",
    "phi_3",
    "phi_4",
    "phi_6",
    "fem1001",
    "spring",
    "offshore",
    "lift_in_air",
    "given",
)


class Code(Struct):
    """A dynamic factor by a formula; the edition in use decides, so that all numbers may be changed."""

    formula = Choice(
        "given",
        CODES,
        doc="en13001 (phi_2), phi_1, phi_3, phi_4, phi_6, fem1001, spring, offshore, lift_in_air or given",
    )
    value = Param(None, gt=0, doc="of `given`")
    hoisting_class = Choice("HC2", ("HC1", "HC2", "HC3", "HC4"), doc="of en13001 and phi_6")
    drive_class = Choice("HD1", ("HD1", "HD2", "HD3", "HD4", "HD5"), doc="of en13001 and phi_6")
    creep = Param(
        0.0, "m/s", ge=0, doc="of en13001 and phi_6: steady creep speed, which counts for HD2 and HD3"
    )
    released = Param(1.0, ge=0, le=1, doc="of phi_3: share of the hoisted mass that is let go")
    release = Choice("slow", ("slow", "rapid"), doc="of phi_3: slow by grabs, rapid by magnets")
    least = Param(None, gt=0, doc="phi_2min of en13001 and phi_6; that of the class if left out")
    beta = Param(None, "s/m", ge=0, doc="beta_2 of en13001 and phi_6; that of the class if left out")
    speed = Param(0.0, "m/s", ge=0, doc="steady hoisting speed v_h")
    xi = Param(0.6, "s/m", ge=0, doc="of fem1001")
    stiffness = Param(0.0, "N/m", ge=0, doc="of spring and offshore: of crane and rope at the hook")
    mass = Param(1.0, "kg", gt=0, doc="of the load")
    deck = Param(0.0, "m/s", ge=0, doc="of offshore: speed v_d of the deck from which the load is lifted")
    tip = Param(0.0, "m/s", ge=0, doc="of offshore: speed v_c of the crane's tip")
    source = Text("", doc="where the formula or the number comes from")


class DynamicFactor(Struct):
    """Entry of `factors:`; a dynamic factor of the simulation beside that of a code."""

    of = Text(doc="a signal: a tension, a force")
    cases = Names(("*",), doc="names or globs of cases")
    by = Choice("maximum", PLAIN, doc="what is measured")
    over = Sub(Denominator, {}, doc="what it is divided by {metric, of, start, stop}")
    code = Sub(Code, None, doc="the code's factor {formula, ...}")


class AssessmentSettings(Struct):
    """A whole assessment file."""

    luff = Integer(ge=1, le=1, doc="version of the format")
    name = Text("", doc="heading")
    doc = Text("", doc="what is assessed")
    about = MapOf(
        words,
        "a mapping from names to words, {customer: ..., drawing: ..., revision: B}",
        {},
        doc="lines below the heading {customer, drawing, prepared by, revision, ...}",
    )
    model = Text(doc="a netlist: a file, ./crane.yaml, or the name of one in the library")
    set = changes({}, doc="changes of the model, for all cases")
    cases = records(
        Case, {}, doc="motions of the crane by name {set, start, stop, repeats}; or a table, cases.csv"
    )
    combinations = records(
        Combination, {}, doc="partial factors by name {cases, set, scale, effect}; none if left out"
    )
    sections = records(SectionCheck, {}, doc="sections by name {sensor, allowable, fatigue}")
    ropes = records(RopeCheck, {}, doc="ropes by name {tension, breaking, safety, ...}")
    standard = Text("", doc="file of a standard's factors; library/factors/iso8686_1.yaml if left out")
    drives = records(DriveCheck, {}, doc="drives by name {speed, rest, most}, for their starts over the life")
    limits = SubList(Requirement, doc="limits of any signal {of, metric, below, above}")
    tipping = Sub(Tipping, None, doc="stability {base or pads, stabilising, reserve}")
    factors = records(DynamicFactor, {}, doc="dynamic factors by name {of, cases, over, code}")
    charts = records(
        ChartEntry, {}, doc="load charts in the report by name {load, over, lower, upper, margin}"
    )
    spread = SubList(Measure, doc="further numbers of each run, for its table")
    assumptions = Names((), doc="sentences for the report")
