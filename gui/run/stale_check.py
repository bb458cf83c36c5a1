"""Comparison of a model with the one that results are of."""

from __future__ import annotations

from ...blocks.text.raw_types import RawMap
from ...solver.diagram.same_model import UNSEEN
from ...solver.flatten.diagram import Diagram
from ...solver.netlist import deep_copy, same_data


def document_content(diagram: Diagram) -> RawMap:
    return {key: raw for key, raw in diagram.data.items() if key not in UNSEEN and raw not in ({}, [])}


class StaleCheck:
    """Content comparison of models, so that an undone edit makes results current again."""

    def __init__(self) -> None:
        self._ran: RawMap | None = None
        self._inside = False  # a composite was edited, which the run reads from its file

    def begin(self, diagram: Diagram) -> None:
        """Record the model of a run that starts, or of one that an edit has reached."""
        self._ran, self._inside = deep_copy(document_content(diagram)), False

    def forget(self) -> None:
        self._ran, self._inside = None, False

    def edit_inside(self) -> None:
        self._inside = True

    def outdated(self, diagram: Diagram) -> bool:
        if self._ran is None:
            return False
        return self._inside or not same_data(self._ran, document_content(diagram))
