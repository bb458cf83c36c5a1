"""Tables of an assessment's inputs for its report: masses, sections, ropes, cases, factors, settings."""

from __future__ import annotations

from collections.abc import Iterator

from ...blocks.mechanics.bodies import World
from ...blocks.mechanics.section_sensor import SectionSensor
from ...blocks.signals.rainflow import Woehler
from ..netlist import Document
from ..simulation.simulation import Simulation
from .assessment_file import Assessment
from .assessment_settings import Combination, Sheave
from .findings_tables import Rows

MEGA = 1e6


def input_tables(assessment: Assessment, sim: Simulation) -> Iterator[tuple[str, Rows]]:
    """Tables by their headings; those without rows are not shown."""
    yield "Masses", _masses(sim)
    given = {**sim.diagram.parameters, **assessment.common}
    rows = [["parameter", "value", ""]]
    rows += [[str(name), _raw(value), _note(sim, str(name))] for name, value in given.items()]
    yield "Parameters", rows
    yield (
        "Sections",
        [["section", "of", "at", "shape", "A", "I_y", "I_z", "W_y", "W_z"], *_sections(assessment, sim)],
    )
    checked = [["section", "allowable stress", "Woehler's line of the detail", "source"]]
    for title, check in assessment.settings.sections.items():
        checked.append(
            [title, f"{assessment.allowable(check) / MEGA:.4g} MPa", _line(check.fatigue), check.source]
        )
    yield "Allowable stresses", checked
    heads = ["rope", "tension", "least breaking force", "least safety", "diameter", "sheaves", "source"]
    yield "Ropes", [heads, *_ropes(assessment)]
    pads = [
        [str(k), one.force, f"{one.at[0]:g} m, {one.at[1]:g} m"] for k, one in enumerate(assessment.pads, 1)
    ]
    yield "Pads", [["pad", "force", "x, y in the axes of the base"], *pads]
    yield "Simulation", _settings(sim)


def _masses(sim: Simulation) -> Rows:
    masses: dict[str, float] = {}
    for block, body, _, _ in sim.program.mechanism.bodies:
        masses[block] = masses.get(block, 0.0) + body.mass
    rows = [[name, f"{mass:.6g} kg"] for name, mass in masses.items() if mass]
    return [["body", "mass"], *rows, ["in all", f"{sum(masses.values()):.6g} kg"]]


def _note(sim: Simulation, name: str) -> str:
    """Comment on a parameter in the netlist."""
    return parameter_notes(sim.diagram.document).get(name, "")


def parameter_notes(document: Document | None) -> dict[str, str]:
    """Comments behind the lines of `parameters:`, by name."""
    told: dict[str, str] = {}
    inside = False
    for line in document.text.splitlines() if document else ():
        if line and not line[0].isspace():
            inside = line.startswith("parameters:")
        name, colon, rest = line.strip().partition(":")
        if inside and colon and " #" in rest:
            told[name] = rest.partition(" #")[2].strip()
    return told


def _sections(assessment: Assessment, sim: Simulation) -> Iterator[list[str]]:
    for title, check in assessment.settings.sections.items():
        sensor = sim.program.flat.blocks[check.sensor]
        if not isinstance(sensor, SectionSensor) or sensor.shown is None:
            continue
        one, numbers = sensor.shown, sensor.shown.constants()
        sizes = one.sizes().items() if one.shape else ()
        told = [f"{name} {1e3 * value:.4g} mm" for name, value in sizes]
        moments = [f"{numbers.A:.4g} m^2", f"{numbers.I_y:.4g} m^4", f"{numbers.I_z:.4g} m^4"]
        # section moduli: of the points that are checked, those furthest from the axes
        for moment, far in (
            (numbers.I_y, max((abs(point.z) for point in sensor.all_points), default=0.0)),
            (numbers.I_z, max((abs(point.y) for point in sensor.all_points), default=0.0)),
        ):
            moments.append(f"{moment / far:.4g} m^3" if far else "")
        yield [title, sensor.of, f"{sensor.at:g} m", ", ".join([one.shape or "by numbers", *told]), *moments]


def _line(fatigue: Woehler | None) -> str:
    """Woehler's line in words."""
    if fatigue is None:
        return "not counted"
    told = f"{fatigue.strength / MEGA:g} MPa at {fatigue.reference:.3g} cycles, slope {fatigue.slope:g}"
    if fatigue.knee is not None:
        beyond = f"slope {fatigue.beyond:g}" if fatigue.beyond is not None else "no damage"
        told += f"; beyond {fatigue.knee:.3g} cycles {beyond}"
    if fatigue.correction != "none":
        told += f"; mean stress by {fatigue.correction}"
    if fatigue.smallest:
        told += f"; ranges below {fatigue.smallest / MEGA:g} MPa are none"
    return told


def _ropes(assessment: Assessment) -> Iterator[list[str]]:
    for title, rope in assessment.settings.ropes.items():
        diameter = "" if rope.diameter is None else f"{1e3 * rope.diameter:g} mm"
        sheaves = ", ".join(map(_place, rope.sheaves))
        breaking = f"{rope.breaking / 1e3:.4g} kN"
        yield [title, rope.tension, breaking, f"{rope.safety:g}", diameter, sheaves, rope.source]


def _place(sheave: Sheave) -> str:
    """Place of a sheave along the rope, in words."""
    share = f" and {100 * sheave.share:g} % of the rope" if sheave.share else ""
    return f"{sheave.at:g} m{share} from the drum"


def _settings(sim: Simulation) -> Rows:
    s = sim.settings
    told = [["method", s.method], ["step", f"{s.step:g} s"], ["stop", f"{s.stop:g} s"]]
    told += [["rows every", f"{s.output_step:g} s"]] if s.output_step else []
    world = sim.program.flat.blocks.get("world")
    if isinstance(world, World):
        told += [["gravity", f"[{', '.join(f'{one:g}' for one in world.gravity)}] m/s^2"]]
    return [["setting", "value"], *told]


def case_tables(assessment: Assessment) -> Iterator[Rows]:
    """Load cases, and combinations with their partial factors."""
    rows = [["case", "what happens", "changes of the model", "checked", "in the life"]]
    for name, case in assessment.settings.cases.items():
        often = f"{case.repeats:g} times" if case.repeats else "not counted"
        end = "its end" if case.stop is None else f"{case.stop:g} s"
        rows.append([name, case.doc, _changes(case.set), f"from {case.start:g} s to {end}", often])
    yield rows
    if assessment.settings.combinations:
        rows = [["combination", "where from", "cases", "partial factors, and changes of the model"]]
        for name, one in assessment.settings.combinations.items():
            which = [load.case for load in assessment.loads.values() if load.combination == name]
            rows.append([name, one.doc, ", ".join(which), "; ".join(_factors(one))])
        yield rows


def _factors(one: Combination) -> Iterator[str]:
    yield from (f"{factor:g} on {path}" for path, factor in one.scale.items())
    if one.effect != 1.0:
        yield f"{one.effect:g} on all that is checked"
    if one.set:
        yield _changes(one.set)


def _changes(changes: dict[str, object]) -> str:
    return "; ".join(f"{path}: {_raw(value)}" for path, value in changes.items())


def _raw(value: object) -> str:
    """Text of a raw value."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def assumptions(assessment: Assessment) -> Iterator[str]:
    settings = assessment.settings
    yield from settings.assumptions
    yield "Links, joints, ropes and supports are those of the model; what is not in it is not checked."
    if settings.combinations:
        yield "Damage, dynamic factors and bending of ropes are those of the cases without partial factors."
    if any(one.scale for one in settings.combinations.values()):
        yield "A partial factor on a mass changes its weight and its inertia: the motion is that of the heavier body."
    if settings.sections:
        yield "Stresses are those of beams: no notches, no local buckling, no welds beside those of the detail's line."
    if any(check.fatigue for check in settings.sections.values()):
        yield "Cycles are counted by rainflow (ASTM E1049), damage is summed by Miner's rule."
    if settings.tipping is not None and settings.tipping.stabilising is None:
        yield "For stability all that the pads carry counts as if it stood in their middle."
