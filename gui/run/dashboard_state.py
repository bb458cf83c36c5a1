"""Dashboard state of a window: positions of operating elements, and values of gauges."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, QTimer, Signal

from ...blocks import LuffError
from ...solver.diagram.dashboard_section import HANDS, Dial, dials_of
from ...solver.diagram.edit_events import Event
from ..document.document import Document
from ..theme.dial_painting import Shown
from .run_control import RunControl
from .run_thread import PAUSED, RUNNING

PERIOD = 33  # ms between pictures
RETURN = 8.0  # shares of the way a second, at which a spring brings a lever back
POINTS = 300  # points of a trend


class DashboardState(QObject):
    """Dials by their index in the netlist's `dashboard:`"""

    changed = Signal()  # other dials
    moved = Signal()  # displayed values changed

    def __init__(self, runner: RunControl):
        super().__init__(runner)
        self.runner = runner
        self.document: Document | None = None
        self.dials: list[Dial] = []
        self._positions: dict[int, float] = {}  # in the dial's unit, where a hand has moved it
        self._held: set[int] = set()
        self._timer = QTimer(self, interval=PERIOD)
        self._timer.timeout.connect(self._tick)
        runner.state_changed.connect(lambda _: self._follow())
        runner.compiled.connect(lambda _: self._begin())

    def show_document(self, document: Document) -> None:
        if document is not self.document:
            document.report_to(self._on_event, self.document)
            self.document = document
            self._positions.clear()
        self._read()

    def _on_event(self, event: Event) -> None:
        if event.kind in ("reset", "renamed") or (event.kind == "section" and event.name == "dashboard"):
            self._read()

    def _read(self) -> None:
        """Read the dials; invalid entries give none and are reported with the netlist's other problems."""
        assert self.document is not None
        diagram = self.document.diagram
        before = self.dials
        try:
            self.dials = dials_of(diagram.dashboard, diagram.scope(), "dashboard")
        except LuffError:
            self.dials = []
        if len(before) != len(self.dials):
            self._match_indices(before)
        inputs = diagram.all_inputs
        self.runner.by_screen = frozenset(
            dial.of for dial in self.dials if dial.kind in HANDS and dial.of.partition("[")[0] in inputs
        )
        self.changed.emit()

    def _match_indices(self, before: list[Dial]) -> None:
        """Keep the positions of dials whose index changed."""
        were = {(dial.kind, dial.of): k for k, dial in enumerate(before)}
        came = {k: were.get((dial.kind, dial.of), -1) for k, dial in enumerate(self.dials)}
        self._positions = {k: self._positions[j] for k, j in came.items() if j in self._positions}
        self._held = {k for k, j in came.items() if j in self._held}

    # --- what is shown -------------------------------------------------------------------------------------------

    def shown(self, k: int, focus: bool = False) -> Shown:
        dial, history = self.dials[k], self.runner.history
        alive = self.runner.active
        if dial.kind in HANDS:
            return Shown(self._of_run(k), focus=focus)
        if history is None or not history.rows or dial.of not in history.index:
            return Shown(alive=False)
        factor = dial.factor
        value = history.last(dial.of) / factor
        if dial.kind != "trend":
            return Shown(value, alive=alive)
        end = history.span()[1]
        ((times, values),) = history.read_window([dial.of], end - dial.span, end, POINTS)
        return Shown(value, times, values / factor, alive=alive)

    def _of_run(self, k: int) -> float:
        """Position of a lever or button; while idle on screen, the value that a device gives to its input."""
        dial, history = self.dials[k], self.runner.history
        idle = k not in self._held and self.position(k) == self.rest(k)
        if dial.kind not in ("lever", "button") or not idle or not self.runner.active or history is None:
            return self.position(k)
        known = history.rows and dial.of in history.index
        return history.last(dial.of) / dial.factor if known else self.position(k)

    def position(self, k: int) -> float:
        """Position of a lever, knob, switch or button."""
        if k in self._positions:
            return self._positions[k]
        dial = self.dials[k]
        return self.rest(k) if dial.kind in ("lever", "button") else self._value_of_model(dial)

    def rest(self, k: int) -> float:
        least, most = self.dials[k].ends
        return (least + most) / 2 if self.dials[k].kind == "lever" else least

    def _value_of_model(self, dial: Dial) -> float:
        """Value of a parameter or input in the netlist."""
        assert self.document is not None
        diagram = self.document.diagram
        raw: object
        if dial.of.partition("[")[0] in diagram.all_inputs:
            entry = diagram.all_inputs[dial.of.partition("[")[0]]
            raw = entry.get("default", 0.0) if isinstance(entry, dict) else 0.0
        else:
            name, _, key = dial.of.rpartition(".")
            raw = diagram.value(dial.of)
            param = diagram.block_params(name).get(key)
            raw = param.default if raw is None and param is not None else raw
        try:
            return diagram.scope().quantity(raw).value / dial.factor
        except LuffError:
            return dial.ends[0]

    # --- what hands do -------------------------------------------------------------------------------------------

    def move(self, k: int, value: float) -> None:
        """Set the value in the dial's unit and hold it there."""
        dial = self.dials[k]
        least, most = dial.ends
        value = min(max(value, least), most)
        if dial.kind in ("switch", "button"):
            value = most if value > (least + most) / 2 else least
        self._positions[k] = value
        self._held.add(k)
        self._give(k)
        self.moved.emit()
        self._follow()

    def release(self, k: int) -> None:
        """Release a dial: a button comes up, a lever's spring returns it."""
        self._held.discard(k)
        if self.dials[k].kind == "button":
            self._positions[k] = self.rest(k)
            self._give(k)
            self.moved.emit()
        self._follow()

    def toggle(self, k: int) -> None:
        least, most = self.dials[k].ends
        self.move(k, least if self.position(k) > (least + most) / 2 else most)
        self.release(k)

    def _give(self, k: int) -> None:
        dial, value = self.dials[k], self._positions[k]
        if dial.kind == "lever":
            value = self._behind_dead_band(k, value)
        si = value * dial.factor
        assert self.document is not None
        if dial.of.partition("[")[0] in self.document.diagram.all_inputs:
            self.runner.give(dial.of, si)
        else:
            self.runner.set(dial.of, si)

    def _behind_dead_band(self, k: int, value: float) -> float:
        """Value with the dead band applied: zero deflection near the centre, then linear to the full range."""
        least, most = self.dials[k].ends
        middle, half = (least + most) / 2, (most - least) / 2
        way, band = (value - middle) / half, self.dials[k].dead_band
        beyond = max(abs(way) - band, 0.0) / (1.0 - band)
        return middle + half * math.copysign(beyond, way)

    def _begin(self) -> None:
        """Apply the positions of all dials to a run that has just been compiled."""
        for k in self._positions:
            self._give(k)
        self._follow()

    # --- the clock -----------------------------------------------------------------------------------------------

    def _springs_back(self) -> list[int]:
        return [
            k
            for k, value in self._positions.items()
            if k < len(self.dials)
            and self.dials[k].kind == "lever"
            and self.dials[k].spring
            and k not in self._held
            and value != self.rest(k)
        ]

    def _follow(self) -> None:
        busy = self.runner.state in (RUNNING, PAUSED) or bool(self._springs_back())
        if busy and self.dials and not self._timer.isActive():
            self._timer.start()
        elif not busy:
            self._timer.stop()
        self.moved.emit()

    def _tick(self) -> None:
        for k in self._springs_back():
            least, most = self.dials[k].ends
            most_way = RETURN * (most - least) / 2 * PERIOD / 1000
            away = self._positions[k] - self.rest(k)
            self._positions[k] -= math.copysign(min(abs(away), most_way), away)
            self._give(k)
        self._follow()
