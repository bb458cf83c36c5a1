"""Editable plan file: controls, ends and limits. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from ...blocks.text.raw_types import Raw
from ...solver.planning.plan_settings import REST
from ..properties.value_text import from_text, to_text
from .task_draft import Rows, TaskDraft

BOUNDS = ("lower", "upper")
EDITED = ("controls", "end", "limits", "least", "duration", "intervals")  # entries of `plan:` with fields


class PlanDraft(TaskDraft):
    """Plan file being edited."""

    section = "plan"

    @classmethod
    def of_inputs(cls, inputs: Sequence[str]) -> Self:
        """Plan whose controls are all inputs of a netlist, without bounds."""
        draft = cls()
        draft.task["controls"] = {name: {} for name in inputs}
        draft.task["end"] = {}
        return draft

    def others(self) -> list[str]:
        """Entries that the file has and the form does not show."""
        shown = [key for key in EDITED if not (key == "duration" and isinstance(self.task.get(key), dict))]
        parts = ["least"] if isinstance(self.task.get("least"), dict) else []
        return [*(key for key in self.task if key not in shown), *parts]

    def bounds(self, key: str) -> Rows:
        """Names with lower and upper bounds, as texts."""
        return self.rows(key, BOUNDS)

    def set_bounds(self, key: str, rows: Rows) -> None:
        """Write bounds that differ; an empty table of limits is left out."""
        self.set_rows(key, rows, BOUNDS)
        if not rows and key != "controls":
            self.task.pop(key, None)

    def end(self) -> tuple[Rows, bool]:
        """Signals with their values at the end, as texts, and `at_rest`."""
        entries = self.task.get("end")
        end: Mapping[str, Raw] = entries if isinstance(entries, dict) else {}
        return [[name, to_text(raw)] for name, raw in end.items() if name != REST], bool(end.get(REST))

    def set_end(self, rows: Rows, rest: bool) -> None:
        """Write the end if it differs."""
        if (rows, rest) != self.end():
            end = {name: from_text(text) for name, text in rows}
            self.task["end"] = {**end, REST: True} if rest else {**end}
