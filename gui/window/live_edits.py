"""Live edits: new values of live parameters reach the active run; other edits need a new run, or lead back to the model
of an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...blocks import LuffError
from ...blocks.text.raw_types import RawMap
from ...solver.diagram.block_renaming import renaming, signal_renaming
from ...solver.diagram.edit_events import Event
from ...solver.diagram.same_model import exchange, following, new_names
from ..plots.compared_runs import NewNames
from ..run.run_thread import RunThread
from .docks.sliders_dock import find_param, holder_of

if TYPE_CHECKING:
    from .shell import Shell


class LiveEdits:
    def __init__(self, window: Shell):
        self.window = window
        self._parameters: RawMap = {}  # diagram parameters as in the run

    def begin(self) -> None:
        """Record the parameters with which a run began."""
        self._parameters = self._own_parameters()

    def follow_names(self, event: Event) -> bool:
        """Give what is shown of runs the names that signals have after an edit of names and levels alone; False for
        another edit."""
        window, history = self.window, self.window.deck.history
        names = self._names_after(event)
        if names is None:
            return False
        if not window.in_top:
            return True  # a file of its own: what names its blocks outside has not followed
        window.deck.rename(names)
        window.view3d.beside.forget()
        if history is not None:
            window.signal_tree.show_signals(history.columns, history.units)
        return True

    def _names_after(self, event: Event) -> NewNames | None:
        if event.names is not None:
            signals = signal_renaming(*event.names)  # its own way back
            return NewNames(signals, signals, renaming(*event.names))
        if event.before is None or self.window.deck.history is None:
            return None
        names = new_names(event.before, self.window.document.root.diagram)
        if names is None:
            return None
        there = exchange(names)
        back = {new: old for old, new in there.items()}
        return NewNames(following(there), following(back), following(names))

    def take_run_up(self) -> RunThread | None:
        """Show the run of this model, after an undo or a redo, in the place of the last one, which is of another."""
        window = self.window
        run = window.runner.take_up(window.top.diagram)
        if run is not None and run.history is not None:
            window.deck.kept.take_up(run.history)
            window.signal_tree.follow(window.deck.history, False)
            window.deck.tick(force=True)
        return run

    def hand_over(self, event: Event, same: bool) -> bool:
        """Apply an edit to the active run; False if a new run is needed. `same`: it is of names alone."""
        if same:
            return self.window.runner.history is not None  # else it begins with the names of before
        if event.kind == "section" and event.name == "parameters":
            return self._hand_over_parameters()
        if event.kind != "changed" or not self.window.in_top:
            return False
        return self._hand_over_value(event.detail if isinstance(event.detail, str) else "")

    def _hand_over_parameters(self) -> bool:
        """Apply changed values of diagram parameters at once; False if parameters were added or removed."""
        before, self._parameters = self._parameters, self._own_parameters()
        for name in before.keys() & self._parameters.keys():
            if self._parameters[name] != before[name]:
                self.window.runner.set(name, self._parameters[name])
        return before.keys() == self._parameters.keys() and self.window.in_top

    def _own_parameters(self) -> RawMap:
        own_parameters = self.window.top.diagram.data.get("parameters")
        return dict(own_parameters) if isinstance(own_parameters, dict) else {}

    def _hand_over_value(self, path: str) -> bool:
        top = self.window.top.diagram
        param = find_param(top, path.partition("[")[0])
        if param is None or not param.live:
            return False
        diagram, inner = holder_of(top, path)
        raw = diagram.value(inner)
        raw = param.default if raw is None else raw
        try:
            param.convert(raw, diagram.scope(), path)
        except LuffError:
            return True  # half typed: the field says so, the run goes on as it was
        self.window.runner.set(path, raw)
        return True
