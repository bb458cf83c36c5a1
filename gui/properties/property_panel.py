"""Property panel of the selection."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QScrollArea, QVBoxLayout, QWidget

from ...blocks import LuffError, Param
from ...blocks.parameter_order import Ordered
from ...blocks.params import Text
from ...blocks.text.raw_types import Raw
from ...solver.diagram.composite_types import CompositeType
from ...solver.diagram.edit_events import Event
from ...solver.diagram.run_settings import INITIAL, SIMULATION
from ..document.document import Document
from ..document.following_units import unit_at
from ..document.undo_commands import Unset
from ..drawing.wire_nets import ends
from ..theme.number_format import unit_words
from ..theme.small_widgets import name_parts
from .composite_summary import CompositeSummary
from .edit_target import EditTarget, MultiTarget, SectionTarget
from .element_editor import ElementChoice
from .parameter_editors import Field, align_units
from .property_groups import Group, More, follow_choices, make_rows
from .property_rows import SEARCHES, Row
from .table_editors import NameValues
from .text_edit import TextEditor
from .value_text import sentence_of

Place = tuple[type[QWidget], int]  # kind of a widget of the panel, and its number among those


class PropertyPanel(QScrollArea):
    slider_wanted = Signal(str)
    study_wanted = Signal(str)
    search_wanted = Signal(str, str)  # key of the menu entry, and the parameter
    rewired = Signal(str)  # a wire takes other elements: its new text
    left = Signal()  # by Escape, or by Return in the name
    open_wanted = Signal(str)  # a composite, to be shown from inside
    save_wanted = Signal()  # the selected subsystem, as a block

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(300)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab leads to its fields
        self.document: Document | None = None
        self.subject: tuple[str, ...] = ()  # ("block", name), ("wire", text), ("many", ...) or ("diagram",)
        self.rows: list[Row | Group] = []
        self.name_field: Field | None = None
        self.more: More | None = None  # rows that one hardly ever sets
        self.summary: CompositeSummary | None = None  # of a selected composite
        self._refresher = QTimer(self, singleShot=True, interval=0)
        self._refresher.timeout.connect(self._refresh)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def show_document(self, document: Document) -> None:
        if self.document is document:
            return
        document.report_to(self._on_event, self.document)
        if self.document is not None:
            self.document.checked.disconnect(self._show_problems)
        document.checked.connect(self._show_problems)
        self.document = document
        self.subject = ()
        self.show_selection([], [])

    def show_selection(self, blocks: list[str], wires: list[str]) -> None:
        if len(blocks) == 1 and not wires:
            subject: tuple[str, ...] = ("block", blocks[0])
        elif len(wires) == 1 and not blocks:
            subject = ("wire", wires[0])
        elif blocks or wires:
            subject = ("many", str(len(wires)), *blocks)
        else:
            subject = ("diagram",)
        if subject != self.subject:
            self.subject = subject
            self._build()

    def _on_event(self, event: Event) -> None:
        if event.kind == "renamed" and self.subject == ("block", event.detail):
            self.subject = ("block", event.name)
            place = self._place_of_focus()
            self._build()
            self._focus_on(place)  # the name, or the value to which Tab leads from it
        elif event.kind in ("changed", "section", "reset", "added", "removed"):
            self._refresher.start()

    def _show_problems(self) -> None:
        """Show what a check of the whole diagram tells of values."""
        for row in self.findChildren(Row):
            row.show_problem()
            row.show_following_unit()

    def _place_of_focus(self) -> Place | None:
        """Place of the widget that has the focus; None if it is elsewhere."""
        at, body = QApplication.focusWidget(), self.widget()
        if at is None or body is None or not body.isAncestorOf(at):
            return None
        return type(at), body.findChildren(type(at)).index(at)

    def _focus_on(self, place: Place | None) -> None:
        body = self.widget()
        if place is not None and body is not None:
            kind, k = place
            body.findChildren(kind)[k].setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        if (
            self.subject[:1] == ("block",)
            and self.document
            and self.document.type_and_family(self.subject[1])[0] != self._type
        ):
            self._build()
            return
        follow_choices(self.rows)
        for row in self.rows:
            row.refresh()
        if self.more is not None:
            self.more.refresh()
        if self.summary is not None:
            self.summary.refresh()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.rows, self.name_field, self.summary, self.more = [], None, None, None
        self._type = ""
        body = QWidget()
        box = QVBoxLayout(body)
        box.setContentsMargins(10, 10, 10, 10)
        box.setSpacing(6)
        if self.document:
            {"block": self._block, "wire": self._wire, "many": self._show_common}.get(
                self.subject[0], self._diagram
            )(box)
        box.addStretch(1)
        for row in self.rows:
            row.slider_wanted.connect(self.slider_wanted)
            row.study_wanted.connect(self.study_wanted)
            row.search_wanted.connect(self.search_wanted)
        before = self.takeWidget()
        if before is not None:  # one of its fields may be in the middle of an event
            before.hide()
            before.deleteLater()
        self.setWidget(body)
        align_units(body)  # which asks for sizes in the style of where they are

    def _heading(self, box: QVBoxLayout, text: str, role: str = "title") -> QLabel:
        label = QLabel(text)
        label.setProperty("role", role)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box.addWidget(label)
        return label

    def _add(self, box: QVBoxLayout, rows: list[Row | Group]) -> None:
        for row in rows:
            box.addWidget(row)
        self.rows += rows
        follow_choices(rows)

    def _add_ordered(
        self,
        box: QVBoxLayout,
        target: EditTarget,
        params: Mapping[str, Param],
        owner: type[Ordered] | Ordered,
    ) -> None:
        """Add the rows of a block, those that one hardly ever sets behind a fold."""
        rows = make_rows(target, params, owner=owner)
        rare = [row for row in rows if row.keys[-1] in owner.rare]
        self._add(box, [row for row in rows if row not in rare])
        if rare:
            self.more = More(self._type, rare)
            box.addWidget(self.more)
            self.rows += rare
            follow_choices(self.rows)
            self.more.refresh()

    def _block(self, box: QVBoxLayout) -> None:
        assert self.document
        name = self.subject[1]
        type_name, _ = self.document.type_and_family(name)
        self._type = type_name
        if name == "world" or name not in self.document.diagram.blocks:
            self._heading(box, name)
        else:
            self.name_field = _NameField()
            self.name_field.setAccessibleName("Name")
            self.name_field.setToolTip("The block's name; wires, plots and other references follow a change")
            self.name_field.show_text(name)
            self.name_field.committed.connect(self._rename)
            self.name_field.returnPressed.connect(self._leave_name)
            box.addWidget(self.name_field)
        self.name_error = self._heading(box, "", "error")
        self.name_error.hide()
        try:
            cls = self.document.diagram.block_class(name)
        except LuffError as error:
            self._heading(box, str(error.problems[0].message), "error")
            return
        doc = (getattr(cls, "doc", None) if not isinstance(cls, type) else cls.__doc__) or ""
        self._heading(
            box, ". ".join(filter(None, (type_name, _first_sentence(doc)))).replace("`", ""), "muted"
        )
        if isinstance(cls, CompositeType):
            self.summary = CompositeSummary(self.document, name, cls.in_place)
            self.summary.open_wanted.connect(self.open_wanted)
            self.summary.save_wanted.connect(self.save_wanted)
            box.addWidget(self.summary)
        params = self.document.diagram.block_params(name) if name != "world" else cls.params
        self._add_ordered(box, EditTarget(self.document, name), params, cls)

    def _rename(self, new: str) -> None:
        assert self.document
        assert self.name_field
        try:
            self.document.rename(self.subject[1], new.strip())
        except LuffError as error:
            self.name_error.setText(sentence_of(error.problems[0]))
            self.name_error.show()
            self.name_field.show_text(self.subject[1])

    def _leave_name(self) -> None:
        """Give the focus back after Return, once the block has its name; one that cannot be is still edited."""
        assert self.name_field
        wanted = ("block", self.name_field.text().strip())
        QTimer.singleShot(0, self, lambda: self.subject == wanted and self.left.emit())

    def _wire(self, box: QVBoxLayout) -> None:
        assert self.document
        text = self.subject[1]
        self._heading(box, "Wire")
        for k, reference in enumerate(ends(text)):
            block, port = self.document.split(reference)
            declared = self.document.ports(block).get(port)
            unit = next(filter(None, (unit_at(self.document, one) for one in (reference, *ends(text)))), "")
            self._heading(box, f"{reference} [{unit_words(unit)}]" if unit else reference, "")
            if declared and declared.doc:
                self._heading(box, declared.doc, "muted")
            elements = ElementChoice(self.document, text, k)
            if elements.count() > 1:
                elements.rewired.connect(self.rewired)
                box.addWidget(elements)
            else:
                elements.deleteLater()
        self._heading(box, "Drag a piece to move it; double-click lets it find its own way again.", "muted")

    def _show_common(self, box: QVBoxLayout) -> None:
        assert self.document
        _, wires, *names = self.subject
        blocks = str(len(names))
        count = lambda n, word: f"{n} {word}{'' if n == '1' else 's'}"  # noqa: E731
        words = [count(n, word) for n, word in ((blocks, "block"), (wires, "wire")) if n != "0"]
        self._heading(box, " and ".join(words) + " selected")
        self._heading(box, "Ctrl+G makes one block of them; R turns them.", "muted")
        common = self._in_common(names)
        if common:
            self._heading(box, "All of them", "")
            owner = self.document.diagram.block_class(names[0])
            self._add_ordered(box, MultiTarget(self.document, tuple(names)), common, owner)

    def _in_common(self, names: list[str]) -> dict[str, Param]:
        """Parameters that all blocks have with the same kind and unit."""
        assert self.document
        diagram = self.document.diagram
        if not names or any(name not in diagram.blocks for name in names):
            return {}
        first, *others = (diagram.block_params(name) for name in names)
        return {
            key: param
            for key, param in first.items()
            if all(_same_values(param, own.get(key)) for own in others)
        }

    def focus_row(self, keys: tuple[str, ...]) -> None:
        """Focus the field of a parameter, of a group the first one in it."""
        rows, depth = self.rows, 1
        while rows:
            inside = keys[:depth]
            wanted = next((row for row in rows if row.keys[: len(inside)] == inside), None)
            if self.more is not None and wanted in self.more.rows:
                self.more.button.setChecked(True)
            if isinstance(wanted, Row):
                field = wanted.editor.findChild(QLineEdit) or wanted.editor
                field.setFocus(Qt.FocusReason.ShortcutFocusReason)
                QTimer.singleShot(0, wanted, partial(self.ensureWidgetVisible, wanted))
            elif wanted is not None:
                wanted.button.setChecked(True)
            rows, depth = wanted.rows if isinstance(wanted, Group) else [], depth + 1

    def _diagram(self, box: QVBoxLayout) -> None:
        assert self.document
        if not self.document.is_root:
            self._heading(box, "Subsystem")
            self._heading(box, "It sees the parameters and blocks around it; Esc leads out.", "muted")
            self._heading(box, "Parameters")
            self._add(box, [_Parameters(self.document)])
            return
        self._heading(box, "Diagram")
        for key, doc in (("name", "what this model is"), ("doc", "a few words about it, and its sources")):
            self._add(box, [_TextSection(self.document, key, doc)])
        self._heading(box, "Parameters")
        self._add(box, [_Parameters(self.document)])
        self._heading(box, "Simulation")
        self._add(box, make_rows(SectionTarget(self.document, "simulation"), SIMULATION.struct.params))
        self._heading(box, "Initial values")
        self._add(box, make_rows(SectionTarget(self.document, "initial"), INITIAL.struct.params))


class _NameField(Field):
    """Field of a name: Escape restores it and leaves, as in a list of files."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()  # it is the panel's


class _TextSection(Row):
    """Row of the section `name` or `doc`"""

    def __init__(self, document: Document, key: str, doc: str):
        param = Text("", doc=doc)
        below = TextEditor(param) if key == "doc" else None
        super().__init__(SectionTarget(document, key), (key,), param, below)
        self.never_resets()

    def refresh(self) -> None:
        raw = self.target.document.diagram.data.get(self.target.name)
        self.editor.show_raw(raw if isinstance(raw, str) and raw else None)
        self.reset.hide()
        self._show_error("")

    def _write(self, raw: Raw | Unset) -> None:
        self.target.document.set_section(self.target.name, raw if isinstance(raw, str) else "")


class _Parameters(Row):
    """Table of the diagram's parameters: names and values."""

    def __init__(self, document: Document):
        param = Param(None, doc="names that expressions may use")
        self._values = NameValues(param)
        super().__init__(SectionTarget(document, "parameters"), ("parameters",), param, self._values)
        name_parts(self.editor, "Parameters of the diagram")
        self.label.hide()
        self.never_resets()

    def refresh(self) -> None:
        self.editor.show_raw(copy.deepcopy(self.target.document.diagram.data.get("parameters")))
        self.reset.hide()
        wrong = [p for p in self.target.document.problems if p.path.startswith("parameters")]
        self._show_error(wrong[0].message if wrong else "")

    def fill_menu(self, menu: QMenu) -> None:
        """Fill the context menu for the parameter of the clicked row."""
        k = self._values.table.currentRow()
        parameters = self.target.document.diagram.data.get("parameters")
        names = list(parameters) if isinstance(parameters, dict) else []
        if 0 <= k < len(names):
            menu.addAction(f"Add a Slider for {names[k]}", lambda: self.slider_wanted.emit(names[k]))
            menu.addAction(f"Vary {names[k]} in a Study...", lambda: self.study_wanted.emit(names[k]))
            for key, text in SEARCHES:
                menu.addAction(text, lambda key=key: self.search_wanted.emit(key, names[k]))

    def _write(self, raw: Raw | Unset) -> None:
        self.target.put((), raw)
        self.refresh()


def _same_values(a: Param, b: Param | None) -> bool:
    if b is None or (type(a), a.kind, a.unit, a.shape) != (type(b), b.kind, b.unit, b.shape):
        return False
    return getattr(a, "struct", None) is getattr(b, "struct", None)


def _first_sentence(doc: str) -> str:
    return " ".join(doc.strip().split("\n\n")[0].split())
