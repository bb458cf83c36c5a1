"""Read a plan file; every mistake has its place before anything is solved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...blocks.errors import Mark, NetlistError, Problem
from ..flatten.diagram import Diagram
from ..netlist import Document, Given, document_of
from ..simulation.simulation import Simulation
from ..studies.sections import placed_in, read_record, refuse
from ..studies.study_file import find_model
from .plan_settings import KEPT_CLEAR, REST, KeepClear, PlanFile, PlanSettings


@dataclass
class PlanTask:
    """Task of a plan file: its settings, model and text."""

    file: PlanFile
    model: Path
    path: Path
    document: Document
    allow_code: bool = False
    files: tuple[Path, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    given: Diagram | None = None  # the model of a script, in the place of its file

    @property
    def name(self) -> str:
        return self.file.name or self.path.stem

    @property
    def settings(self) -> PlanSettings:
        assert self.file.plan is not None
        return self.file.plan

    def diagram(self) -> Diagram:
        """The model as its file, or a script, has it, with a block for each distance that is kept."""
        given = self.given
        made = given.copy() if given is not None else Diagram.load(self.model, self.allow_code, self.files)
        for name, entry in self.distances.items():
            made.add_block(
                name, {"type": "clearance", "of": [*entry.of], "against": [*getattr(entry, "from")]}
            )
        return made

    @property
    def distances(self) -> dict[str, KeepClear]:
        """Distances that are kept, by the names of their blocks."""
        return {f"{KEPT_CLEAR}{k}": entry for k, entry in enumerate(self.settings.keep_clear, 1)}

    def overrides(self, changes: Mapping[str, object]) -> dict[str, object]:
        """Overrides of a case; those from outside win."""
        return {**self.file.set, **changes, **self.changes}

    def simulation(self, changes: Mapping[str, object]) -> Simulation:
        """Compiled model of a case."""
        return Simulation(self.diagram(), self.overrides(changes))

    @property
    def cases(self) -> Mapping[str, Mapping[str, object]]:
        """Changes of the model by the names of the cases; one without a name where there are none."""
        return self.settings.cases or {"": {}}


def load(
    source: Given,
    changes: Mapping[str, object] | None = None,
    allow_code: bool = False,
    files: Iterable[str | Path] = (),
) -> PlanTask:
    """Read a plan file, or a mapping with its sections."""
    given = source.get("model") if isinstance(source, Mapping) else None
    given = given if isinstance(given, Diagram) else None
    if isinstance(source, Mapping) and given is not None:
        source = {**source, "model": given.name or "model"}
    document, path = document_of(source, "plan")
    raw = document.data
    if not isinstance(raw, dict) or raw.get("plan") is None:
        empty = isinstance(raw, dict) and "plan" in raw
        mistake = "an empty section `plan:`" if empty else "no section `plan:`"
        mistake = "a netlist" if isinstance(raw, dict) and "blocks" in raw else mistake
        problem = Problem(
            f"found {mistake}, expected a file with `model:` and `plan:`", mark=Mark(str(path), 1, 1)
        )
        raise NetlistError(problem)
    with placed_in(document):
        file = read_record(PlanFile, raw, "this file")
        folders = tuple(map(Path, files))
        model = find_model(file.model, path.resolve().parent, folders) if given is None else Path()
    task = PlanTask(file, model, path, document, allow_code, folders, dict(changes or {}), given)
    refuse(task_problems(task.settings), document)
    return task


def task_problems(settings: PlanSettings) -> Iterable[Problem]:
    """Mistakes that show without the model."""
    duration = settings.duration
    if not isinstance(duration, float | None):
        lower, upper = duration.lower, duration.upper
        if lower is not None and upper is not None and not lower < upper:
            message = f"found bounds from {lower:g} s to {upper:g} s, expected the lower below the upper"
            yield Problem(message, "plan.duration")
    for section in ("controls", "parameters", "limits"):
        for name, entry in getattr(settings, section).items():
            path = f"plan.{section}.{name}"
            if entry.lower is None and entry.upper is None and section == "limits":
                yield Problem("found a limit without bounds", path, "add lower: or upper:")
            if (
                entry.lower is not None
                and entry.upper is not None
                and not entry.lower.value < entry.upper.value
            ):
                found = f"found bounds from {entry.lower.text} to {entry.upper.text}"
                yield Problem(f"{found}, expected the lower below the upper", path)
    least = settings.least
    if not (least.time or least.running):
        yield Problem("found no weight above 0, expected a cost", "plan.least", "least: time")
    if isinstance(duration, float) and not least.running:
        fix = "leave duration out, or give {lower, upper}, or another cost (least: effort)"
        yield Problem("found a fixed duration, whose time cannot be least", "plan.least", fix)
    if not least.time and (duration is None or (not isinstance(duration, float) and duration.upper is None)):
        message = "found no longest duration, and a cost that does not limit it"
        yield Problem(message, "plan", "add duration: {upper: 20 s}, or time to the cost")
    if not any(name != REST or value for name, value in settings.end.items()):
        yield Problem(
            "found no end, expected where the motion leads", "plan", "end: {slew.position: 120 deg}"
        )
