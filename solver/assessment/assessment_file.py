"""Read an assessment file: which runs it takes, and every mistake with its place before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from ...blocks.block import Block
from ...blocks.errors import LuffError, Mark, NetlistError, Problem, did_you_mean
from ...blocks.mechanics.elastic_supports import BaseSupport
from ...blocks.mechanics.section_sensor import SectionSensor
from ...blocks.mechanics.strength_sensor import StrengthSensor
from ..flatten.diagram import Diagram
from ..flatten.flatten import Flat, flatten
from ..netlist import Document, path_steps, read_whole
from ..netlist.library_paths import library_path
from ..program.program import make_program
from ..results.recorded_run import complete_units, matching
from ..simulation.turning_points import Watched
from ..studies.run_measures import signals_of, watched_by
from ..studies.sections import placed_in, read_record, refuse
from ..studies.study_file import Study, check_changes, find_model, measure_mistakes
from ..studies.study_settings import EXTREMES, StudySettings
from ..studies.study_units import wrong_units
from ..studies.study_variants import Variant
from .assessment_settings import AssessmentSettings, Case, Combination, Pad, SectionCheck
from .case_table import read_cases
from .dynamic_factors import dynamic_factor
from .stability import edge_ratios
from .standard_factors import Standard, standard_named, usual_standard

QUANTITY = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Load:
    """Run of an assessment: a case, with a combination's partial factors or as it is."""

    name: str
    case: str
    combination: str  # empty: as it is
    effect: float


@dataclass
class Assessment:
    """An assessment that can be run."""

    settings: AssessmentSettings
    study: Study
    loads: dict[str, Load]  # by the name of the variant
    flat: Flat  # of the model as it is set for all cases
    changes: Mapping[str, object] = field(default_factory=dict)  # from outside the file, for all runs
    pads: list[Pad] = field(default_factory=list)
    standard: Standard = field(default_factory=usual_standard)

    @property
    def common(self) -> dict[str, object]:
        """Overrides of the model in all cases."""
        return {**self.settings.set, **self.changes}

    @property
    def name(self) -> str:
        return self.settings.name or self.study.name

    def case(self, variant: str) -> Case:
        return self.settings.cases[self.loads[variant].case]

    def stress_of(self, check: SectionCheck) -> str:
        """Signal of the stress that a section check bounds."""
        members = isinstance(self.flat.blocks.get(check.sensor), StrengthSensor)
        return f"{check.sensor}.{'stress' if members else 'von_mises'}"

    def allowable(self, check: SectionCheck) -> float:
        sensor = self.flat.blocks[check.sensor]
        assert isinstance(sensor, SectionSensor | StrengthSensor)  # looked up when the file was read
        value = check.allowable if check.allowable is not None else sensor.allowable
        assert value is not None
        return float(value)


def load(
    path: str | Path,
    changes: Mapping[str, object] | None = None,
    allow_code: bool = False,
    files: Iterable[str | Path] = (),
) -> Assessment:
    """Read an assessment file. `changes` go into every run, as `--set` does."""
    path = library_path(path)
    document = read_whole(path)
    raw = document.data
    if not isinstance(raw, dict) or "cases" not in raw:
        mark = Mark(str(path), 1, 1)
        fix = "luff study runs a study, luff run a netlist"
        problem = Problem("found no cases, expected `luff: 1`, `model:`, `cases:`", mark=mark, fix=fix)
        raise NetlistError(problem)
    return build_assessment(raw, document, path, changes, allow_code, files)


def build_assessment(
    raw: Mapping[str, object],
    document: Document,
    path: Path,
    changes: Mapping[str, object] | None = None,
    allow_code: bool = False,
    files: Iterable[str | Path] = (),
) -> Assessment:
    """An assessment from its raw entries, whose places are those of a document."""
    with placed_in(document):
        cases = raw.get("cases")
        if isinstance(cases, str):
            raw = {**raw, "cases": read_cases(path.resolve().parent, cases, tuple(map(Path, files)))}
        settings = read_record(AssessmentSettings, raw, "an assessment")
        model = find_model(settings.model, path.resolve().parent)
        diagram = Diagram.load(model, allow_code, tuple(map(Path, files)))
        outside = dict(changes or {})
        standard = standard_named(settings.standard, path.resolve().parent, tuple(map(Path, files)))
        take_partial_factors(settings, standard)
        check_dynamic_factors(settings, standard)
        loads, variants = runs_of(settings, diagram, outside)
    given = {"luff": 1, "name": settings.name or path.stem, "doc": settings.doc, "model": settings.model}
    of_study = read_record(StudySettings, {**given, "set": settings.set}, "a study")
    study = Study(
        of_study,
        model,
        variants,
        document.text,
        path,
        allow_code,
        tuple(map(Path, files)),
        outside,
    )
    check_changes(study, document)
    # a combination has its factor on what is given here: it goes into each run beside the other changes
    scaled_ = {path for one in settings.combinations.values() for path in one.scale}
    study.changes = {path: value for path, value in outside.items() if path not in scaled_}
    flat = flatten(diagram, {**settings.set, **outside})
    assessment = Assessment(settings, study, loads, flat, outside, standard=standard)
    refuse([*_of_checks(assessment), *_of_stability(assessment)], document)
    refuse(_of_signals(assessment), document)
    study.watched = watched(assessment)
    of_study.record = tuple(dict.fromkeys(name for name, _ in signals(assessment)))
    return assessment


def _of_signals(assessment: Assessment) -> Iterator[Problem]:
    """Names that no run will have, told before the first one."""
    # names follow from the model as it is described: it need not stand as it is set
    program = make_program(assessment.flat)
    columns = [column.name for column in program.columns]
    known = {*columns, *(name.partition("[")[0] for name in columns)}
    for name, path in signals(assessment):
        if not matching(name, known):
            of_block = [one for one in known if one.startswith(name.rpartition(".")[0] + ".")]
            fix = did_you_mean(name, of_block or known)
            yield Problem(f'the model has no signal "{name}"', path, fix)
    units = complete_units(columns, {column.name: column.unit for column in program.columns})
    placed = ((f"limits[{k}]", limit) for k, limit in enumerate(assessment.settings.limits))
    yield from wrong_units(placed, lambda name: units.get(name, units.get(f"{name}[0]")))


def take_partial_factors(settings: AssessmentSettings, standard: Standard) -> None:
    """Put numbers in place of the loads that combinations name, and say in their words where these come from."""
    for key, one in settings.combinations.items():
        named = {path: load for path, load in one.scale.items() if isinstance(load, str)}
        if not named:
            continue
        row = one.row or key
        try:
            found = {path: standard.partial(row, load) for path, load in named.items()}
        except LuffError as error:
            raise LuffError(replace(error.problems[0], path=f"combinations.{key}.scale")) from None
        one.scale.update({path: factor.value for path, factor in found.items()})
        sources = dict.fromkeys(source for factor in found.values() for source in factor.sources)
        one.doc = "; ".join(part for part in (one.doc, f"{row} of {standard.title()}", *sources) if part)


def check_dynamic_factors(settings: AssessmentSettings, standard: Standard) -> None:
    """Refuse dynamic factors whose constants the standard's file does not have."""
    for name, entry in settings.factors.items():
        if entry.code is None:
            continue
        try:
            dynamic_factor(entry.code, standard)
        except LuffError as error:
            raise LuffError(replace(error.problems[0], path=f"factors.{name}.code")) from None


def runs_of(
    settings: AssessmentSettings, diagram: Diagram, outside: Mapping[str, object]
) -> tuple[dict[str, Load], list[Variant]]:
    """Runs: each case as it is, and with each of its combinations; `outside` wins over what a case sets."""
    if not settings.cases:
        raise LuffError(Problem("found no cases", "cases", "name at least one: {lift: {}}"))
    loads, variants = {}, []
    for name, case in settings.cases.items():
        changes = {**case.set, **outside}
        places: dict[str, tuple[str | int, ...]] = {each: ("cases", name, "set", each) for each in case.set}
        loads[name] = Load(name, name, "", 1.0)
        variants.append(Variant(name, changes, places))
    for key, combination in settings.combinations.items():
        for name in _cases(settings, combination.cases, f"combinations.{key}.cases"):
            one = _combined(settings, key, combination, name, diagram, outside)
            loads[one.name] = Load(one.name, name, key, combination.effect)
            variants.append(one)
    return loads, variants


def _cases(settings: AssessmentSettings, patterns: Sequence[str], path: str) -> list[str]:
    cases = []
    for pattern in patterns:
        hits = [name for name in settings.cases if fnmatchcase(name, pattern)]
        if not hits:
            fix = did_you_mean(pattern, settings.cases)
            raise LuffError(Problem(f'no case matches "{pattern}"', path, fix))
        cases += hits
    return list(dict.fromkeys(cases))


def _combined(
    settings: AssessmentSettings,
    key: str,
    combination: Combination,
    case: str,
    diagram: Diagram,
    outside: Mapping[str, object],
) -> Variant:
    changes = {**settings.cases[case].set, **combination.set, **outside}
    places: dict[str, tuple[str | int, ...]] = {each: ("cases", case, "set", each) for each in changes}
    places |= {each: ("combinations", key, "set", each) for each in combination.set}
    known = {**settings.set, **changes}
    for path, factor in combination.scale.items():
        where = f"combinations.{key}.scale.{path}"
        changes[path] = scale_value(
            known[path] if path in known else raw_value(diagram, path, where), factor, where
        )
        places[path] = ("combinations", key, "scale", path)
    return Variant(f"{key}: {case}", changes, places)


def raw_value(diagram: Diagram, path: str, where: str) -> object:
    """Raw value of the netlist at a path."""
    words = [step for step in path_steps(path) if step not in ("parameters", "blocks")]
    entry: object = {**diagram.blocks, **diagram.parameters}
    for word in words:
        inside = entry.get(str(word)) if isinstance(entry, Mapping) else None
        if inside is None:
            fix = did_you_mean(str(word), entry) if isinstance(entry, Mapping) else ""
            raise LuffError(Problem(f'the model says nothing at "{path}" that could be scaled', where, fix))
        entry = inside
    return entry


def scale_value(raw: object, factor: float, where: str) -> object:
    """A number, a quantity, an expression or a list of them, times a factor."""
    if isinstance(raw, list):
        return [scale_value(item, factor, where) for item in raw]
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return factor * raw
    if isinstance(raw, str) and raw.lstrip().startswith("="):
        return f"={factor!r}*({raw.lstrip()[1:]})"
    parts = QUANTITY.fullmatch(raw) if isinstance(raw, str) else None
    if parts is None:
        raise LuffError(Problem(f"found {raw!r}, expected a quantity to scale", where))
    return f"{factor * float(parts[1])!r} {parts[2]}".rstrip()


def signals(assessment: Assessment) -> Iterator[tuple[str, str]]:
    """Yield the signals that the checks read, with their places in the file."""
    settings = assessment.settings
    for name, check in settings.sections.items():
        yield f"{check.sensor}.*", f"sections.{name}.sensor"
    for name, rope in settings.ropes.items():
        yield rope.tension, f"ropes.{name}.tension"
        if rope.length:
            yield rope.length, f"ropes.{name}.length"
    for section in ("limits", "spread"):
        for k, measure in enumerate(getattr(settings, section)):
            if measure.metric != "quality":
                yield from ((one, f"{section}[{k}].of") for one in signals_of(measure))
    for name, factor in settings.factors.items():
        yield from ((one, f"factors.{name}.of") for one in (factor.of, factor.over.of) if one)
    for name, drive in settings.drives.items():
        yield drive.speed, f"drives.{name}.speed"
    for k, pad in enumerate(assessment.pads):
        yield pad.force, f"tipping.pads[{k}].force"


def watched(assessment: Assessment) -> list[Watched]:
    """Signals of all checks, which are looked at after each step."""
    settings = assessment.settings
    windows = {time for case in settings.cases.values() for time in (case.start, case.stop) if time}
    groups = []
    for check in settings.sections.values():
        stress = f"{check.sensor}.stress"
        members = isinstance(assessment.flat.blocks.get(check.sensor), StrengthSensor)
        groups += [
            [stress],
            [stress, f"{check.sensor}.governing"] if members else [f"{check.sensor}.von_mises"],
        ]
    groups += [[rope.tension] for rope in settings.ropes.values()]
    groups += [[rope.length, rope.tension] for rope in settings.ropes.values() if rope.length]
    groups += [[drive.speed] for drive in settings.drives.values()]
    groups += [[factor.of] for factor in settings.factors.values() if factor.by in EXTREMES]
    groups += [
        [factor.over.of or factor.of]
        for factor in settings.factors.values()
        if factor.over.metric in EXTREMES
    ]
    by_signals = {tuple(signals): set(windows) for signals in groups}
    for factor in settings.factors.values():
        edges = by_signals.get((factor.over.of or factor.of,), set())
        edges |= {time for time in (factor.over.start, factor.over.stop) if time}
    for one in watched_by([*settings.limits, *settings.spread]):
        by_signals.setdefault(tuple(one["signals"]), set(windows)).update(one["edges"])
    told: list[Watched] = [
        {"signals": [*signals], "ratios": [], "edges": sorted(edges)} for signals, edges in by_signals.items()
    ]
    if assessment.pads:
        told.append({
            "signals": [pad.force for pad in assessment.pads],
            "ratios": edge_ratios([pad.at for pad in assessment.pads]),
            "edges": sorted(windows),
        })  # fmt: skip
    return told


def _of_checks(assessment: Assessment) -> Iterator[Problem]:
    settings = assessment.settings
    for name, check in settings.sections.items():
        yield from _of_section(assessment.flat.blocks, check, f"sections.{name}")
    for name, rope in settings.ropes.items():
        if rope.feyrer is not None and (rope.diameter is None or not rope.length):
            yield Problem("a rope's life needs its diameter and the signal `length`", f"ropes.{name}")
    for k, limit in enumerate(settings.limits):
        yield from measure_mistakes(limit, f"limits[{k}]")
        if limit.below is None and limit.above is None:
            yield Problem(
                "found neither below nor above, expected a bound", f"limits[{k}]", "add below: or above:"
            )
    for name, factor in settings.factors.items():
        try:
            _cases(settings, factor.cases, f"factors.{name}.cases")
        except LuffError as error:
            yield from error.problems


def _of_section(blocks: Mapping[str, Block], check: SectionCheck, where: str) -> Iterator[Problem]:
    """Problems of a check of stress."""
    sensor = blocks.get(check.sensor)
    if not isinstance(sensor, SectionSensor | StrengthSensor):
        known = [each for each, block in blocks.items() if isinstance(block, SectionSensor | StrengthSensor)]
        told = f'there is no section_sensor "{check.sensor}"'
        yield Problem(told, f"{where}.sensor", did_you_mean(check.sensor, known))
    elif isinstance(sensor, SectionSensor) and not sensor.all_points:
        told = f"{check.sensor} has no section, and so no stresses"
        yield Problem(told, where, "give it one in the model")
    elif check.allowable is None and sensor.allowable is None:
        yield Problem("found no allowable stress", where, "give allowable: 235 MPa")
    if check.fatigue is not None:
        if isinstance(sensor, StrengthSensor):
            fix = f"count cycles of {check.sensor}.{sensor.single}[0] by `rainflow`"
            mistake = f"the stress of a {sensor.type_name} is that of many places"
            yield Problem(mistake, f"{where}.fatigue", fix)
        yield from (p.at(path=f"{where}.fatigue{p.path}") for p in check.fatigue.problems())


def _of_stability(assessment: Assessment) -> Iterator[Problem]:
    """Take in the pads of the base."""
    tipping = assessment.settings.tipping
    if tipping is None:
        return
    pads = list(tipping.pads)
    if tipping.base:
        base = assessment.flat.blocks.get(tipping.base)
        if not isinstance(base, BaseSupport):
            known = [name for name, block in assessment.flat.blocks.items() if isinstance(block, BaseSupport)]
            yield Problem(
                f'there is no base_support "{tipping.base}"',
                "tipping.base",
                did_you_mean(tipping.base, known),
            )
            return
        for k, support in enumerate(base.supports, 1):
            if support.stiffness[2] > 0.0 or support.soil:
                pads.append(Pad({"force": f"{tipping.base}.force_{k}[2]", "at": support.at[:2]}))
    if len(pads) < 3:
        yield Problem(
            f"found {len(pads)} pads, expected three or more",
            "tipping",
            "name a base, or pads: [{force, at}]",
        )
    assessment.pads = pads
