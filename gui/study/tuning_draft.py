"""Editable files of `luff fit` and `luff optimise`: what is searched for, and by what. Pure Python: no Qt."""

from __future__ import annotations

from pathlib import Path

from ...blocks.text.raw_types import Raw, RawMap
from ...solver.netlist import deep_copy
from ..properties.value_text import from_text, split, to_text
from .task_draft import Rows, TaskDraft, entries_of, rows_of

BOUNDS = ("lower", "upper", "start")
SIGNALS = ("column", "unit")
GOALS = ("minimise", "maximise")
METRIC = "rms"  # of a goal that names none


class TuningDraft(TaskDraft):
    """File of a search being edited; the parameters of both kinds are alike."""

    def parameters(self) -> Rows:
        """Parameters with their bounds and starts, as texts."""
        return self.rows("parameters", BOUNDS)

    def set_parameters(self, rows: Rows) -> None:
        self.set_rows("parameters", rows, BOUNDS)

    def detached(self, model: Path, home: Path) -> dict[str, object]:
        """Content of the file for a model, with paths that hold in any folder; relative ones count from `home`."""
        data = deep_copy(self.data)
        assert isinstance(data, dict)
        return {**data, "model": str(model)}

    def data_folders(self, home: Path) -> list[Path]:
        """Folders of the data files."""
        return []


class FitDraft(TuningDraft):
    """File of `luff fit`; the form shows its first experiment."""

    section = "fit"

    def _experiment(self) -> RawMap:
        data = self.task.get("data")
        first: Raw = data[0] if isinstance(data, list) and data else None
        return first if isinstance(first, dict) else {}

    def data_file(self) -> str:
        """File with the measured signals."""
        return to_text(self._experiment().get("file"))

    def signals(self) -> Rows:
        """Signals of the model with their columns and units in the file."""
        return rows_of(self._experiment().get("signals"), SIGNALS)

    def set_data(self, file: str, rows: Rows) -> None:
        """Write file and signals of the first experiment if they differ."""
        if (file, rows) == (self.data_file(), self.signals()):
            return
        data = self.task.get("data")
        if not isinstance(data, list) or not data or not isinstance(data[0], dict):
            data = self.task["data"] = [{}]
        first = data[0]
        assert isinstance(first, dict)
        first["file"] = file
        first["signals"] = entries_of(rows, SIGNALS, first.get("signals"))

    def detached(self, model: Path, home: Path) -> dict[str, object]:
        """Content of the file for a model, with paths that hold in any folder; relative ones count from `home`."""
        content = super().detached(model, home)
        for experiment in _experiments(content.get(self.section)):
            experiment["file"] = str(home / to_text(experiment.get("file")))
        return content

    def data_folders(self, home: Path) -> list[Path]:
        """Folders of the data files."""
        return [(home / to_text(each.get("file"))).parent for each in _experiments(self.task)]

    def others(self) -> list[str]:
        """Entries that the file has and the form does not show."""
        data = self.task.get("data")
        more = len(data) - 1 if isinstance(data, list) else 0
        keys = [key for key in self.task if key not in ("parameters", "data")]
        return [*([f"{more} more experiments"] if more > 0 else []), *keys]


def _experiments(task: object) -> list[RawMap]:
    """Experiments of a fit that name a file."""
    data = task.get("data") if isinstance(task, dict) else None
    each = data if isinstance(data, list) else []
    return [one for one in each if isinstance(one, dict) and to_text(one.get("file"))]


class OptimiseDraft(TuningDraft):
    """File of `luff optimise`."""

    section = "optimise"

    def goal(self) -> tuple[str, str, str]:
        """Way (minimise, maximise), metric and signal of the objective."""
        for way in GOALS:
            raw = self.task.get(way)
            if isinstance(raw, dict):
                return way, to_text(raw.get("metric")) or METRIC, to_text(raw.get("of"))
        return GOALS[0], METRIC, ""

    def target(self) -> str:
        """Signal that the objective's is to follow; empty without one."""
        raw = self.task.get(self.goal()[0])
        return to_text(raw.get("target")) if isinstance(raw, dict) else ""

    def set_goal(self, way: str, metric: str, of: str, target: str = "") -> None:
        """Write the objective if it differs."""
        before = self.goal()
        if (way, metric, of, target) == (*before, self.target()):
            return
        raw = self.task.get(before[0])
        goal: RawMap = dict(raw) if isinstance(raw, dict) else {}
        goal["metric"], goal["of"] = metric, from_text(of)
        goal.pop("target", None)
        if target:
            goal["target"] = from_text(target)
        if before[0] in self.task:  # it keeps its place
            entries = {way if key == before[0] else key: one for key, one in self.task.items()}
            self.task.clear()
            self.task.update(entries)
        self.task[way] = goal

    def others(self) -> list[str]:
        """Entries that the file has and the form does not show."""
        return [key for key in self.task if key not in ("parameters", *GOALS)]


def widened(text: str, low: float, high: float) -> list[str]:
    """Bounds about a value in its own unit, for a parameter that has just been taken in, and the value."""
    parts = split(text)
    if parts is None:
        return ["", "", ""]
    value, unit = parts
    ends = sorted((low * value, high * value))
    return [*(f"{end:.6g} {unit}".strip() for end in ends), text]
