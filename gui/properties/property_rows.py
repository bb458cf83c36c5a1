"""Property rows: name, editor, reset button, and the error below."""

from __future__ import annotations

import copy
import math
import re
from functools import cached_property
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QMenu,
    QPushButton,
    QWidget,
)

from ...blocks.errors import Declaration, Problem
from ...blocks.params import REQUIRED, Param
from ...blocks.text.raw_types import Raw
from ...solver.diagram.spelling_repair import suggestion
from ..document.following_units import following_unit
from ..document.repairs import Offer, as_parameter, offers
from ..document.undo_commands import UNSET, Unset
from ..theme.number_format import unit_words
from ..theme.small_widgets import (
    ScrubLabel,
    name_parts,
    push_button,
    set_style_property,
    text_label,
    tool_button,
)
from ..theme.window_words import in_window
from . import value_text
from .edit_target import EditTarget, MultiTarget, SectionTarget
from .editor_choice import editor_for
from .name_pickers import picker_for
from .parameter_editors import SEVERAL, Editor, LineEditor, without_units
from .parameter_question import create_parameter
from .property_words import label_of
from .table_editors import Matrix, StructMap, hint, table_for
from .value_text import default_text, doubt_at, mended, mistake, problem_of, sentence_of
from .vector_editors import QWIDGETSIZE_MAX, EntriesEditor, VectorEditor

Below = TypeVar("Below", bound=QWidget)
LABEL_WIDTH, INDENT, GAP = 100, 10, 6  # px of names, of a group's rows before them, and behind them
SCRUB_MERGE = 1000


def word_of(keys: tuple[str, ...], target: EditTarget, unit: str = "") -> str:
    """Name of an entry of a target in the panel."""
    return label_of(keys, unit, isinstance(target, SectionTarget))


SEARCHES = (
    ("fit_parameters", "Fit to Measurements..."),
    ("optimise", "Optimise..."),
)  # key and text of a menu


class Row(QWidget):
    scrubs = 0  # drags of names so far: each is one step back

    slider_wanted = Signal(str)  # the path of a number
    study_wanted = Signal(str)
    search_wanted = Signal(str, str)  # key of the menu entry, and the parameter

    def __init__(self, target: EditTarget, keys: tuple[str, ...], param: Param, below: Editor | None = None):
        """Create a row; `below` is an editor across the whole width, below the name."""
        super().__init__()
        self.target, self.keys, self.param, self._declared = target, keys, param, param
        below = below or table_for(param)
        picker = below or picker_for(target.document, keys[-1], param, target.name)
        self.editor = picker or editor_for(param, keys[-1])
        if type(self.editor) is StructMap:
            self.editor.stem = keys[-1].removesuffix("s")  # shape1 in shapes
        self.editor.edited.connect(self._write)
        self.editor.refused.connect(self._show_error)
        self.words = word = word_of(keys, target, param.unit)
        self.label = ScrubLabel(self.words)
        self.label.begun.connect(self._begin_scrub)
        self.label.scrubbed.connect(self._scrub)
        self.label.setWordWrap(True)
        self._aside = LABEL_WIDTH - INDENT * (len(keys) - 1)  # fields begin in one line
        self._explain()
        self.label.setBuddy(self.editor)
        self.editor.setToolTip(hint(param))
        self.editor.setAccessibleName(keys[-1])
        name_parts(self.editor, word)
        self.reset = tool_button("default", "Back to the default", f"Default of {word}")
        self.reset.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.reset.clicked.connect(lambda: self._write(UNSET))
        keep = self.reset.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(keep)
        self._mended: Problem | None = None
        self._offers: list[Offer] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(1)
        grid.addWidget(self.reset, 0, 2)
        self._across, self._has_reset = below is not None, True
        self._place(self._across)
        grid.setColumnStretch(1, 1)
        self.refresh()

    def _explain(self) -> None:
        """Write the tip of the name."""
        param, default, unit = self.param, default_text(self.param), unit_words(self.param.unit)
        if param.required and unit:
            default = f"required, in {unit}"
        elif param.default is not None and not param.required:
            default = f"default: {default} {unit}".strip()
        self.label.setToolTip(f"{hint(param)}<br>{default}<br>in the netlist: {self.keys[-1]}")

    def mark_needed(self, needed: bool) -> None:
        """Show a parameter that a choice beside it needs as one that is required."""
        marked = self.param is not self._declared
        if marked != (needed and not self._declared.required):
            self.param = self._declared if marked else copy.copy(self._declared)
            if not marked:
                self.param.default = REQUIRED
            self.editor.param = self.param
            self._explain()
            self.refresh()

    @cached_property
    def error(self) -> QLabel:
        """Sentence about a mistake, below the editor; made for the first one."""
        return self._below_editor(text_label("", "error", wraps=True), 2)

    @cached_property
    def mend(self) -> QPushButton:
        """Button that does what a problem proposes, below the sentence; made for the first one."""
        return self._mend_button(0)

    @cached_property
    def other_mend(self) -> QPushButton:
        """Button of the second thing that a problem proposes."""
        return self._mend_button(1)

    def _mend_button(self, k: int) -> QPushButton:
        button = push_button("", "", lambda: self._mend(self._offers[k]))
        button.setProperty("link", True)
        button.setAccessibleName(f"Mend {self.words}" + " otherwise" * k)
        button.hide()
        return self._below_editor(button, 3 + k)

    def _below_editor(self, widget: Below, row: int) -> Below:
        grid = self.layout()
        assert isinstance(grid, QGridLayout)
        grid.addWidget(widget, row, 0 if self._across else 1, 1, 2)
        return widget

    def _place(self, below: bool) -> None:
        """Put the editor beside its name, or across the whole width below it."""
        grid = self.layout()
        assert isinstance(grid, QGridLayout)
        self._is_below = below
        grid.removeWidget(self.editor)
        grid.removeWidget(self.label)
        self.label.setMinimumWidth(self._aside)
        self.label.setMaximumWidth(QWIDGETSIZE_MAX if below else self._aside)
        grid.addWidget(self.label, 0, 0, 1, 2 if below else 1)
        if below:
            grid.addWidget(self.editor, 1, 0, 1, 3 if self._across else 2)  # units stay in their line
        else:
            grid.addWidget(self.editor, 0, 1)

    def _fit(self) -> None:
        """Move the editor below its name where it needs more room than there is beside it."""
        aside = self._aside + self.reset.sizeHint().width() * self._has_reset + 2 * GAP
        below = self._across or self.editor.least_width() > self.width() - aside
        if below != self._is_below:
            self._place(below)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def refresh(self) -> None:
        raw, differs = self.target.get(self.keys), self.target.differs(self.keys)
        given = self.target.get(self.keys[:-1])
        if isinstance(self.editor, Matrix | EntriesEditor) and isinstance(given, dict):
            self.editor.look_beside(given)
        self.editor.show_raw(raw)
        self.show_following_unit()
        if self.isVisible():  # else when it is shown, with its width
            self._fit()
        said = differs and self.editor.show_several()
        self.label.setText(f"{self.words} ({SEVERAL})" if differs and not said else self.words)
        self.reset.setVisible(raw is not None or differs)
        set_style_property(self.label, "role", "" if raw is not None or self.param.required else "muted")
        self.label.set_scrubs(self._number() is not None)
        self.show_problem()

    def show_problem(self) -> None:
        """Show what is wrong with the value, or else what the last check of the diagram doubts."""
        raw, document, path = self.target.get(self.keys), self.target.document, self.target.path(self.keys)
        problem = problem_of(self.param, raw, document.diagram.scope(), path)
        if problem is None and raw is not None:
            problem = doubt_at(document.problems, path, raw)
        self._offer(problem if problem is not None and self._is_mended(problem, raw) else None)
        # a button has the fix
        words = sentence_of(problem) if self._mended is None else in_window(self._mended.message)
        self._show_error(words, self._place_in(problem), problem is None or problem.severity == "error")

    def _place_in(self, problem: Problem | None) -> int | None:
        """Place of the number that a problem is about, in a list; None if it is about all."""
        path = self.target.path(self.keys)
        found = (
            re.fullmatch(rf"(blocks\.)?{re.escape(path)}\[(\d+)\]", problem.path)
            if problem is not None
            else None
        )
        return int(found[2]) if found else None

    @staticmethod
    def _is_mended(problem: Problem, raw: Raw) -> bool:
        """True if what a problem proposes changes the value, or declares a parameter that it uses."""
        meant = suggestion(problem)
        return isinstance(problem.fix, Declaration) or (meant is not None and mended(raw, meant) != raw)

    def _offer(self, problem: Problem | None) -> None:
        """Show the buttons that mend a problem; none without one."""
        self._mended = problem
        self._offers = offers(problem) if problem is not None else []
        for k, name in enumerate(("mend", "other_mend")):
            one = self._offers[k] if k < len(self._offers) else Offer("", "")
            if one.text or name in vars(self):
                button: QPushButton = getattr(self, name)
                button.setText(one.text)
                button.setToolTip(one.tip)
                button.setVisible(bool(one.text))

    def show_following_unit(self) -> None:
        """Show the unit of bare numbers that follows from the wires or the kind of the block."""
        raw, document = self.target.get(self.keys), self.target.document
        each = self.target.each if isinstance(self.target, MultiTarget) else [self.target]
        names = [target.name for target in each if type(target) is EditTarget]
        blocks = bool(names) and document.diagram.blocks.keys() >= {*names}
        if blocks and not self.param.unit and isinstance(self.editor, LineEditor | VectorEditor):
            bare = without_units(raw) and self.param.kind == "number"
            units = {following_unit(document, name, self.keys) for name in names} if bare else set()
            unit = units.pop() if len(units) == 1 else ""  # of several blocks the one that they share
            if bare:
                self.editor.unit.tell(unit, "From the block and what it is wired to")

    def _mend(self, wanted: Offer) -> None:
        """Take the value that the problem proposes, or ask for that of a parameter."""
        problem = self._mended
        meant = suggestion(problem) if problem is not None else None
        if problem is not None and wanted.creates:
            created = create_parameter(self.window(), self.target.document, wanted.creates)
            meant = as_parameter(problem, wanted.creates) if created else None
        if meant is not None:
            self._write(mended(self.target.get(self.keys), meant))
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)  # the button is gone

    def never_resets(self) -> None:
        """Remove the reset button; the field takes its space."""
        grid = self.layout()
        assert grid is not None
        grid.removeWidget(self.reset)
        self._has_reset = False

    def _show_error(self, sentence: str, place: int | None = None, wrong: bool = True) -> None:
        """Show a sentence below the editor, and where it is about what is wrong, not doubted, mark the number too."""
        if sentence or "error" in vars(self):
            set_style_property(self.error, "role", "error" if wrong else "warning")
            self.error.setText(sentence)
            self.error.setVisible(bool(sentence))
            self.editor.mark_wrong(bool(sentence) and wrong, place)

    def _write(self, raw: Raw | Unset) -> None:
        self.target.put(self.keys, self._listed(raw))
        self.refresh()

    def _listed(self, raw: Raw | Unset) -> Raw | Unset:
        """List of a text of numbers without its brackets, where the parameter takes a list and not the text."""
        numbers = value_text.as_list(raw) if isinstance(raw, str) else None
        if numbers is None:
            return raw
        scope, path = self.target.document.diagram.scope(), self.target.path(self.keys)
        fits = mistake(self.param, raw, scope, path) and not mistake(self.param, numbers, scope, path)
        return numbers if fits else raw

    def _number(self) -> tuple[float, str] | None:
        """Number and unit that dragging the name changes: a plain number or quantity of a single block; None
        otherwise."""
        plain = self.param.kind in ("number", "integer") and not self.param.shape
        if not plain or type(self.target) is not EditTarget:
            return None
        raw = self.target.get(self.keys)
        return value_text.split(self.param.default if raw is None else raw)

    def _begin_scrub(self) -> None:
        self._scrubbed_from = self._number()
        Row.scrubs += 1

    def _scrub(self, steps: int) -> None:
        if self._scrubbed_from is None:
            return
        number, unit = self._scrubbed_from
        step = stride(number) if self.param.kind == "number" else 1.0
        moved = float(f"{number + steps * step:.12g}")
        plain = int(moved) if moved.is_integer() else moved
        raw = f"{plain} {unit}" if unit else plain
        scope = self.target.document.diagram.scope()
        if not mistake(self.param, raw, scope, self.target.path(self.keys)):
            self.target.scrub(self.keys, raw, SCRUB_MERGE + Row.scrubs)
            self.refresh()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        self.fill_menu(menu)
        menu.exec(event.globalPos())

    def fill_menu(self, menu: QMenu) -> None:
        """Fill the context menu of a parameter."""
        others = self.editor.unit.menu() if isinstance(self.editor, LineEditor) else None
        if others is not None:
            menu.addMenu(others).setText("Unit")
        menu.addAction("Back to the Default", lambda: self._write(UNSET)).setEnabled(self.reset.isVisible())
        number = self.param.kind in ("number", "integer", "flag") and not any(s for s in self.param.shape)
        if number and not isinstance(self.target, MultiTarget):
            path = self.target.path(self.keys)
            if type(self.target) is EditTarget:
                menu.addAction("Add a Slider", lambda: self.slider_wanted.emit(path))
            menu.addAction("Vary in a Study...", lambda: self.study_wanted.emit(path))
            if self.param.kind == "number":
                for key, text in SEARCHES:
                    menu.addAction(text, lambda key=key: self.search_wanted.emit(key, path))


def stride(number: float) -> float:
    """Step of a drag: a tenth of the number's leading power of ten, as 1 for 50; 0.1 for zero."""
    return 10.0 ** (math.floor(math.log10(abs(number))) - 1) if number else 0.1
