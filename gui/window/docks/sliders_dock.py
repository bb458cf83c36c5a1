"""Slider dock: sliders and switches bound to parameters; they act on the active run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from ....blocks import LuffError
from ....blocks.params import Param, Sub
from ....blocks.text.quantity import coherent, written_unit
from ....blocks.text.raw_types import RawMap
from ....solver.diagram.edit_events import Event
from ....solver.flatten.diagram import Diagram
from ....solver.netlist.section_structure import section, subsystem
from ...document.document import Document
from ...properties.value_text import split
from ...theme.number_format import unit_words
from ...theme.small_widgets import CheckBox, ElidedLabel, tool_button

STEPS = 1000
DRAG_MERGE = 2


class SlidersDock(QScrollArea):
    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab leads to the sliders
        body = QWidget()
        self.box = QVBoxLayout(body)
        self.empty = QLabel("Right-click a parameter and choose Add a Slider")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setProperty("role", "muted")
        self.box.addWidget(self.empty)
        self.box.addStretch(1)
        self.setWidget(body)
        self.rows: dict[str, Control] = {}
        self.document: Document | None = None

    def show_document(self, document: Document) -> None:
        if document is not self.document:
            for path in list(self.rows):
                self.remove(path)
            document.report_to(self._on_event, self.document)
            self.document = document

    def add(self, path: str) -> None:
        if path in self.rows or self.document is None:
            return
        param = find_param(self.document.diagram, path)
        if param is None:
            return
        kind = CheckControl if param.kind == "flag" else Slider
        row = kind(self.document, path, param)
        away = tool_button("close", "Remove this slider", f"Remove the slider of {path}")
        away.clicked.connect(lambda: self.remove(path))
        row.grid.addWidget(away, 0, 5)
        self.rows[path] = row
        self.box.insertWidget(self.box.count() - 1, row)
        self.empty.hide()

    def remove(self, path: str) -> None:
        row = self.rows.pop(path, None)
        if row:
            row.leave_levels()
            row.deleteLater()
        self.empty.setVisible(not self.rows)

    def _on_event(self, event: Event) -> None:
        if self.document and event.kind in ("removed", "renamed", "changed", "reset", "section"):
            diagram = self.document.diagram
            for path in [path for path in self.rows if find_param(diagram, path) is None]:
                self.remove(path)
        if event.kind in ("changed", "reset", "section"):
            for row in self.rows.values():
                row.refresh()


def _unit_of(diagram: Diagram, name: str) -> str:
    """SI unit of a diagram parameter's value; an empty text for a plain number."""
    try:
        dimension = diagram.scope().parameter(name).dimension
    except LuffError:
        return ""
    raw = _own(diagram)[name]
    return coherent(written_unit(raw) if isinstance(raw, str) else "", dimension) if dimension else ""


def _own(diagram: Diagram) -> RawMap:
    """Parameters of the diagram."""
    parameters = diagram.data.get("parameters")
    return parameters if isinstance(parameters, dict) else {}


def enters_subsystem(diagram: Diagram, path: str) -> bool:
    """True if a path names a block in a subsystem in place: `arm.rod.mass`, not the subsystem's own `arm.length`."""
    name, _, rest = path.partition(".")
    inside = section(subsystem(diagram.blocks.get(name)), "blocks", dict)
    return rest.partition(".")[0] in inside


def holder_of(diagram: Diagram, path: str) -> tuple[Diagram, str]:
    """Level that holds the block which a path names, and the path from there."""
    while enters_subsystem(diagram, path):
        name, _, path = path.partition(".")
        diagram = diagram.at_level((*diagram.level, name))
    return diagram, path


def find_param(diagram: Diagram, path: str) -> Param | None:
    """Declaration of `block.friction.mu_s`, in a subsystem too; of a diagram parameter a number in its SI unit."""
    diagram, path = holder_of(diagram, path)
    name, *keys = path.split(".")
    if not keys:
        own = name in _own(diagram)
        return Param(0.0, unit=_unit_of(diagram, name), doc="a parameter of the diagram") if own else None
    if name != "world" and name not in diagram.blocks:
        return None
    params: Mapping[str, Param] = (
        diagram.block_params(name) if name != "world" else diagram.block_class("world").params
    )
    param = None
    for key in keys:
        param = params.get(key)
        if param is None:
            return None
        params = param.struct.params if isinstance(param, Sub) else {}
    return param


class Control(QWidget):
    """Row of a parameter; one inside a subsystem edits the document of that level."""

    def __init__(self, document: Document, path: str, param: Param):
        super().__init__()
        self._levels: list[Document] = []
        self.path, self.param = path, param
        while enters_subsystem(document.diagram, self.path):
            name, _, self.path = self.path.partition(".")
            document = document.inside(name)
            self._levels.append(document)
        self.document = document
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(4, 0, 4, 0)
        label = ElidedLabel(path)
        label.setToolTip(f"{path}: {param.doc}" if param.doc else path)
        self.grid.addWidget(label, 0, 0)
        self.grid.setColumnMinimumWidth(0, 80)

    def current(self) -> object:
        raw = (
            self.document.diagram.value(self.path)
            if "." in self.path
            else _own(self.document.diagram)[self.path]
        )
        return self.param.default if raw is None else raw

    def leave_levels(self) -> None:
        """Close the documents of the levels that were entered."""
        for level in reversed(self._levels):
            level.close()

    def refresh(self) -> None: ...


class CheckControl(Control):
    def __init__(self, document: Document, path: str, param: Param):
        super().__init__(document, path, param)
        self.box = CheckBox()
        self.box.setAccessibleName(path)
        self.box.clicked.connect(lambda on: self.document.set_value(self.path, on))
        self.grid.addWidget(self.box, 0, 1)
        self.grid.setColumnStretch(4, 1)
        self.refresh()

    def refresh(self) -> None:
        self.box.setChecked(bool(self.current()))


class Slider(Control):
    """Slider with editable limits; it writes the value in its given unit."""

    def __init__(self, document: Document, path: str, param: Param):
        super().__init__(document, path, param)
        value, self.unit = self._number()
        span = abs(value) or 1.0
        low, high = (value - span, value + 2 * span) if value < 0 else (0.0, 2 * span)
        self.low, self.high = QLineEdit(f"{low:.4g}"), QLineEdit(f"{high:.4g}")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setMinimumWidth(80)
        self.slider.setAccessibleName(path)
        self.value = QLabel()
        self.value.setMinimumWidth(90)
        self.low.setAccessibleName(f"Least {path}")
        self.high.setAccessibleName(f"Greatest {path}")
        for field in (self.low, self.high):
            field.setMinimumWidth(44)
            field.setMaximumWidth(72)
            field.setCursorPosition(0)
            field.editingFinished.connect(self.refresh)
        for k, widget in enumerate((self.low, self.slider, self.high, self.value)):
            self.grid.addWidget(widget, 0, k + 1)
        self.grid.setColumnStretch(2, 1)
        self.slider.valueChanged.connect(self._moved)
        self.refresh()

    def _number(self) -> tuple[float, str]:
        raw = self.current()
        parts = split(raw)
        if parts is not None:
            return parts
        try:
            return float(self.document.diagram.scope().number(raw, self.param.unit)), ""
        except (LuffError, TypeError):
            return 0.0, ""

    def _range(self) -> tuple[float, float]:
        low, high = split(self.low.text()), split(self.high.text())
        a, b = (low[0] if low else 0.0), (high[0] if high else 1.0)
        return (a, b) if b > a else (a, a + 1.0)

    def refresh(self) -> None:
        value, self.unit = self._number()
        low, high = self._range()
        self.slider.blockSignals(True)
        self.slider.setValue(round((value - low) / (high - low) * STEPS))
        self.slider.blockSignals(False)
        self.value.setText(f"{value:g} {unit_words(self.unit or self.param.unit)}".strip())

    def _moved(self, position: int) -> None:
        low, high = self._range()
        value = float(f"{low + (high - low) * position / STEPS:.4g}")
        if self.param.kind == "integer":
            value = round(value)
        raw = f"{value:g} {self.unit}" if self.unit else int(value) if value == int(value) else value
        if "." in self.path:
            self.document.set_value(self.path, raw, merge=DRAG_MERGE)
        else:
            self.document.set_parameter(self.path, raw, merge=DRAG_MERGE)
