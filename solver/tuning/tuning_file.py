"""Read a file for `luff fit` or `luff optimise`; every mistake has its place before anything runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Mark, NetlistError, Problem
from ...blocks.text.quantity import written_unit
from ..flatten.diagram import Diagram
from ..flatten.flatten import flatten
from ..flatten.unit_kinds import of_another_kind, own_unit
from ..netlist import Document, Given, document_of
from ..results.file_columns import Columns
from ..simulation.simulation import Simulation
from ..studies.sections import placed_in, read_record, refuse
from ..studies.study_file import find_model
from ..studies.variant_fingerprint import fingerprint
from .measured_signals import given_columns
from .tuning_settings import FitSettings, OptimiseSettings, TaskSettings, TunedParameter


@dataclass
class Space:
    """The box in which parameters are searched, as the unit cube."""

    names: list[str]
    lower: np.ndarray
    upper: np.ndarray
    logarithmic: np.ndarray
    start: np.ndarray

    @classmethod
    def of(cls, tuned: Mapping[str, TunedParameter]) -> Space:
        lower = np.array([each.lower[0] for each in tuned.values()])
        upper = np.array([each.upper[0] for each in tuned.values()])
        log = np.array([each.scale == "log" for each in tuned.values()], bool)
        space = cls([*tuned], lower, upper, log, np.zeros(len(lower)))
        middle = space.values(np.full(len(lower), 0.5))
        given = [each.start[0] if each.start else m for each, m in zip(tuned.values(), middle, strict=True)]
        space.start = np.array(given)
        return space

    def values(self, z: np.ndarray) -> np.ndarray:
        """Parameters at points of the cube."""
        with np.errstate(invalid="ignore", divide="ignore"):
            curved = self.lower * (self.upper / self.lower) ** z
        return np.clip(
            np.where(self.logarithmic, curved, self.lower + z * (self.upper - self.lower)),
            self.lower,
            self.upper,
        )

    def cube(self, values: np.ndarray) -> np.ndarray:
        """Points of the cube where parameters have these values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            curved = np.log(values / self.lower) / np.log(self.upper / self.lower)
        return np.clip(
            np.where(self.logarithmic, curved, (values - self.lower) / (self.upper - self.lower)), 0.0, 1.0
        )

    def slopes(self, values: np.ndarray) -> np.ndarray:
        """Derivatives of the parameters by the cube's coordinates."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(
                self.logarithmic, values * np.log(self.upper / self.lower), self.upper - self.lower
            )

    def points(self, count: int, seed: int) -> np.ndarray:
        """Starts of the searches: the given one, then a Latin hypercube."""
        first = self.cube(self.start)[None]
        if count == 1:
            return first
        from scipy.stats import qmc

        return np.vstack([first, qmc.LatinHypercube(len(self.names), rng=seed).random(count - 1)])


@dataclass
class Task:
    """Task of a tuning file: its settings, model, tables and text."""

    settings: TaskSettings
    model: Path
    path: Path
    text: str
    document: Document
    allow_code: bool = False
    files: tuple[Path, ...] = ()
    changes: Mapping[str, object] = field(default_factory=dict)
    tables: Mapping[int, Columns] = field(default_factory=dict)  # experiments that a script gave as arrays
    units: dict[str, str] = field(
        default_factory=dict
    )  # in which bounds, or else the model, give what is searched

    @property
    def name(self) -> str:
        return self.settings.name or self.path.stem

    @property
    def fit(self) -> FitSettings:
        assert self.settings.fit is not None
        return self.settings.fit

    @property
    def optimise(self) -> OptimiseSettings:
        assert self.settings.optimise is not None
        return self.settings.optimise

    def diagram(self) -> Diagram:
        return Diagram.load(self.model, self.allow_code, self.files)

    def simulation(self, changes: Mapping[str, object] | None = None) -> Simulation:
        """The model with what is set, and what an experiment changes."""
        return Simulation(self.diagram(), {**self.settings.set, **(changes or {}), **self.changes})

    def digest(self, *more: bytes) -> str:
        """Hash of all that the answer depends on."""
        flat = flatten(self.diagram(), {**self.settings.set, **self.changes})
        parts = [
            fingerprint(flat, []).encode(),
            self.text.encode(),
            repr(sorted(self.changes.items())).encode(),
        ]
        return hashlib.sha256(b"\0".join([*parts, *more])).hexdigest()[:32]


def load(
    source: Given,
    kind: str,
    changes: Mapping[str, object] | None = None,
    allow_code: bool = False,
    files: Iterable[str | Path] = (),
) -> Task:
    """Read a file, or a mapping, that has the section `fit` or `optimise`, whichever `kind` says."""
    source, tables = without_tables(source)
    document, path = document_of(source, kind)
    raw = document.data
    if not isinstance(raw, dict) or raw.get(kind) is None:
        empty = isinstance(raw, dict) and kind in raw
        mistake = f"an empty section `{kind}:`" if empty else f"no section `{kind}:`"
        mistake = "a netlist" if isinstance(raw, dict) and "blocks" in raw else mistake
        problem = Problem(
            f"found {mistake}, expected a file with `model:` and `{kind}:`", mark=Mark(str(path), 1, 1)
        )
        raise NetlistError(problem)
    task = Task(
        TaskSettings({}),
        Path(),
        path,
        document.text,
        document,
        allow_code,
        tuple(map(Path, files)),
        dict(changes or {}),
        tables,
    )
    with placed_in(document):
        task.settings = read_record(TaskSettings, raw, "this file")
        task.model = find_model(task.settings.model, path.resolve().parent, task.files)
    refuse(_of_parameters(task, kind), document)
    if kind == "fit" and not task.fit.data:
        refuse([Problem("found no experiments, expected one or more", "fit.data")], document)
    return task


def without_tables(source: Given) -> tuple[Given, dict[int, Columns]]:
    """A script's mapping without the arrays in it, which stay what they are; and these, by experiment."""
    fit = source.get("fit") if isinstance(source, Mapping) else None
    experiments = fit.get("data") if isinstance(fit, Mapping) else None
    if (
        not isinstance(source, Mapping)
        or not isinstance(fit, Mapping)
        or not isinstance(experiments, list | tuple)
    ):
        return source, {}
    tables: dict[int, Columns] = {}
    named = []
    for k, each in enumerate(experiments):
        file = each.get("file") if isinstance(each, Mapping) else None
        if file is not None and not isinstance(file, str | PathLike):
            tables[k] = given_columns(file, f"fit.data[{k}].file")
            each = {**each, "file": f"<arrays {k}>"}
        named.append(each)
    return {**source, "fit": {**fit, "data": named}}, tables


def _of_parameters(task: Task, kind: str) -> Iterable[Problem]:
    """Bounds in their order, and values that the model takes."""
    diagram = task.diagram()
    common = {**task.settings.set, **task.changes}
    flatten(diagram, common)
    for name, each in getattr(task.settings, kind).parameters.items():
        bounds = [entry[1] for entry in (each.lower, each.upper, each.start) if entry]
        texts = [*bounds, diagram.parameters.get(name), diagram.value(name)]
        written = (written_unit(text) for text in texts if isinstance(text, str))
        task.units[name] = next(filter(None, written), "")
        path = f"{kind}.parameters.{name}"
        low, high = each.lower[0], each.upper[0]
        if not low < high:
            yield Problem(f"found bounds from {low:g} to {high:g}, expected the lower below the upper", path)
            continue
        if each.scale == "log" and low <= 0.0:
            yield Problem(f"found a lower bound of {low:g}, expected one above 0 for `scale: log`", path)
        if each.start is not None and not low <= each.start[0] <= high:
            yield Problem(
                f"found {each.start[0]:g}, expected a start between {low:g} and {high:g}", f"{path}.start"
            )
        own = own_unit(diagram, name) or task.units[name]
        for entry in ("lower", "upper", "start"):
            value = getattr(each, entry)
            if value is None:
                continue
            try:
                flatten(diagram, {**common, name: value[1]})
            except LuffError as error:
                told = error.problems[0]
                yield Problem(f"the model refuses {value[1]}: {told.message}", f"{path}.{entry}", told.fix)
                break
            if wrong := of_another_kind(value[1], own):
                yield Problem(wrong, f"{path}.{entry}")
