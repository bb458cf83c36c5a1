"""Dialog of one dashboard item."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from ...blocks import LuffError
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.dashboard_section import EYES, HANDS, Dial, dials_of
from ..document.document import Document
from ..properties.value_text import split
from ..theme.quiet_boxes import QuietCombo
from ..theme.small_widgets import text_label

HINTS = {
    "range": "0, 120",
    "unit": "kN",
    "keys": "Left, Right",
}


class EntryDialog(QDialog):
    """Dialog of a dashboard item: entry k of the list, or a new one."""

    def __init__(self, parent: QWidget, document: Document, k: int | None):
        super().__init__(parent)
        self.document, self.k = document, k
        self.setWindowTitle("Item of the Dashboard")
        known = document.diagram.dashboard
        self.raw: RawMap = dict(known[k]) if k is not None else {"kind": "gauge", "of": ""}
        self.kind = QuietCombo()
        self.kind.addItems([*HANDS, *EYES])
        self.kind.setCurrentText(str(self.raw.get("kind")))
        self.of = QuietCombo()
        self.of.setEditable(True)
        self.fields = {name: QLineEdit() for name in ("title", "unit", "range", "keys")}
        self.flags = {"upright": QCheckBox("up and down"), "spring": QCheckBox("goes back by itself")}
        self.mistake = text_label("", "error", wraps=True)
        form = QFormLayout(self)
        form.addRow("Kind", self.kind)
        form.addRow("Moves or shows", self.of)
        for name, field in self.fields.items():
            raw = self.raw.get(name, "")
            field.setPlaceholderText(HINTS.get(name, ""))
            field.setText(", ".join(map(str, raw)) if isinstance(raw, list) else str(raw))
            field.setAccessibleName(name.capitalize())
            form.addRow(name.capitalize(), field)
        for name, box in self.flags.items():
            box.setChecked(bool(self.raw.get(name, Dial.params[name].default)))
            form.addRow("Lever", box)
        form.addRow(self.mistake)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.form = form
        self.kind.currentTextChanged.connect(lambda _: self._offer())
        self._offer()
        self.of.setCurrentText(str(self.raw.get("of") or ""))
        self._proposed = ""  # range that no one has typed
        self.of.currentTextChanged.connect(lambda _: self._propose())
        self.kind.currentTextChanged.connect(lambda _: self._propose())

    def _offer(self) -> None:
        """Fill the list of names that this kind of item can be bound to."""
        diagram, chosen = self.document.diagram, self.of.currentText()
        names: list[str] = []
        if self.kind.currentText() in HANDS:
            for name, entry in diagram.all_inputs.items():
                wide = entry.get("width", 1) if isinstance(entry, dict) else 1
                width = wide if isinstance(wide, int) else 1
                names += [name] if width == 1 else [f"{name}[{k}]" for k in range(width)]
            for block in diagram.blocks:
                params = diagram.block_params(block)
                names += [f"{block}.{key}" for key, p in params.items() if p.live and p.kind == "number"]
        else:
            for block in diagram.blocks:
                ports = diagram.block_ports(block)
                names += [f"{block}.{name}" for name, port in ports.items() if port.direction == "out"]
        self.of.clear()
        self.of.addItems(names)
        self.of.setCurrentText(chosen)
        kind = self.kind.currentText()
        for box in self.flags.values():
            self.form.setRowVisible(box, kind == "lever")
        self.form.setRowVisible(self.fields["keys"], kind in HANDS and kind != "knob")
        self.form.setRowVisible(self.fields["range"], kind not in ("lamp", "switch", "button"))

    def _propose(self) -> None:
        """Propose zero to twice the value of a parameter as the range of a knob, in the parameter's unit."""
        field, unit = self.fields["range"], self.fields["unit"]
        if self.kind.currentText() != "knob" or field.text() != self._proposed:
            return
        parts = split(self._value(self.of.currentText().strip()))
        ends = sorted((0.0, 2.0 * parts[0])) if parts is not None else [0.0, 0.0]
        self._proposed = f"{ends[0]:.6g}, {ends[1]:.6g}" if ends[0] < ends[1] else ""
        field.setText(self._proposed)
        unit.setText(parts[1] if parts is not None and self._proposed else "")

    def _value(self, path: str) -> object:
        """Raw value of a parameter, or its default; None if there is none at the path."""
        diagram, (block, _, key) = self.document.diagram, path.partition(".")
        if block not in diagram.blocks:
            return None
        try:
            raw, params = diagram.value(path), diagram.block_params(block)
        except LuffError:
            return None
        return raw if raw is not None or key not in params else params[key].default

    def entry(self) -> RawMap:
        """Netlist entry of the form; values equal to their defaults are omitted."""
        raw = {key: value for key, value in self.raw.items() if key not in (*self.fields, *self.flags)}
        raw |= {"kind": self.kind.currentText(), "of": self.of.currentText().strip()}
        for name, field in self.fields.items():
            text = field.text().strip()
            if not text:
                continue
            parts = [part.strip() for part in text.split(",")]
            words: list[Raw] = [*parts]
            raw[name] = (
                [_number(part) for part in parts] if name == "range" else words if name == "keys" else text
            )
        for name, box in self.flags.items():
            if box.isChecked() is not Dial.params[name].default:
                raw[name] = box.isChecked()
        return raw

    def accept(self) -> None:
        raw = self.entry()
        try:
            dials_of([raw], self.document.diagram.scope(), "dashboard")
        except LuffError as error:
            self.mistake.setText("; ".join(problem.message for problem in error.problems))
            return
        entries: list[Raw] = [*self.document.diagram.dashboard]
        if self.k is None:
            entries.append(raw)
        else:
            entries[self.k] = raw
        with self.document.step("edit dashboard"):
            self.document.set_section("dashboard", entries)
        super().accept()


def _number(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value == int(value) else value
