"""Groups of property rows: nested parameters, and those that one hardly ever sets, behind a button that folds them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...blocks.parameter_order import Ordered, by_need
from ...blocks.params import REQUIRED, Choice, Param, Struct, Sub
from ..document.undo_commands import UNSET
from ..theme.small_widgets import laid, tool_button
from .edit_target import EditTarget
from .fold_button import FoldButton
from .property_rows import INDENT, Row, word_of
from .table_editors import TableEditor


class Group(QWidget):
    """Foldable group of nested parameters; it is unfolded if one of them is set."""

    slider_wanted = Signal(str)
    study_wanted = Signal(str)
    search_wanted = Signal(str, str)  # key of the menu entry, and the parameter
    folded: ClassVar[dict[tuple[str, ...], bool]] = {}  # by the user: type of block, and keys of the group

    def __init__(self, target: EditTarget, keys: tuple[str, ...], param: Sub[Struct], usual: bool = False):
        """Create a group; a `usual` one begins unfolded."""
        super().__init__()
        document, name = target.document, target.name
        block = name in document.diagram.blocks
        self._kind = (document.type_and_family(name)[0] if block else name, *keys)
        self.target, self.keys, self.param = target, keys, param
        self.inner = QWidget()
        tip = f"{param.doc}<br>in the netlist: {keys[-1]}"
        self.button = FoldButton(word_of(keys, target), tip, self.inner)
        tip = "Back to the default: nothing given"
        self.remove = tool_button("default", tip, f"Default of {word_of(keys, target)}")
        self.remove.clicked.connect(self._reset_all)
        keep = self.remove.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.remove.setSizePolicy(keep)
        head = laid(QHBoxLayout(), self.button, self.remove, spacing=6)
        inner = QVBoxLayout(self.inner)
        inner.setContentsMargins(INDENT, 0, 0, 4)
        inner.setSpacing(4)
        self.rows = make_rows(target, param.struct.params, keys)
        for row in self.rows:
            row.slider_wanted.connect(self.slider_wanted)
            row.study_wanted.connect(self.study_wanted)
            row.search_wanted.connect(self.search_wanted)
            inner.addWidget(row)
        laid(QVBoxLayout(self), head, self.inner, margins=(0, 0, 0, 0), spacing=2)
        opened = usual or param.required or bool(target.get(keys))
        self.button.start(not self.folded.get(self._kind, not opened))
        self.button.clicked.connect(self._remember)
        self.refresh()

    def _remember(self, opened: bool) -> None:
        """Keep the groups of all blocks of this type as the user folds one."""
        self.folded[self._kind] = not opened

    def _reset_all(self) -> None:
        self.target.put(self.keys, UNSET)
        self.refresh()

    def refresh(self) -> None:
        given = self.target.get(self.keys) is not None
        self.remove.setVisible(given)
        follow_choices(self.rows, given or self.param.default is not None)
        for row in self.rows:
            row.refresh()


class More(QWidget):
    """Rows of parameters that one hardly ever sets, at the end of a block's, folded unless one of them is set."""

    opened: ClassVar[dict[str, bool]] = {}  # by the user, for all blocks of a type

    def __init__(self, kind: str, rows: Sequence[Row | Group]):
        super().__init__()
        self.rows = rows
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(6)
        for row in rows:
            box.addWidget(row)
        self.button = FoldButton("More", "", inner)
        laid(QVBoxLayout(self), self.button, inner, margins=(0, 0, 0, 0), spacing=4)
        given = any(row.target.get(row.keys) is not None or row.target.differs(row.keys) for row in rows)
        self.button.start(self.opened.get(kind, given))
        self.button.clicked.connect(lambda opened: self.opened.update({kind: opened}))

    def refresh(self) -> None:
        """Follow the rows: a button that would show none of them is out of sight."""
        words = [word_of(row.keys, row.target, row.param.unit) for row in self.rows if not row.isHidden()]
        self.button.setToolTip(", ".join(words))
        self.setVisible(bool(words))


def follow_choices(rows: Sequence[Row | Group], given: bool = True) -> None:
    """Hide rows without a value that the choices among them do not use; mark those that they need in a group that is
    `given`."""
    choices = [(row, row.param) for row in rows if isinstance(row.param, Choice) and row.param.uses]
    if not choices or any(row.target.differs(row.keys) for row, _ in choices):
        return
    raw = {row.keys[-1]: value for row in rows if (value := row.target.get(row.keys)) is not None}
    uses = [choice.use(raw) for _, choice in choices]
    for row in rows:
        key = row.keys[-1]
        unused = any(key in use.unused for use in uses)
        row.setVisible(not unused or key in raw or row.target.differs(row.keys))
        if isinstance(row, Row):
            row.mark_needed(given and any(key in use.needed for use in uses))


def make_rows(
    target: EditTarget,
    params: Mapping[str, Param],
    keys: tuple[str, ...] = (),
    owner: type[Ordered] | Ordered = Ordered,
) -> list[Row | Group]:
    """Rows of parameters in the order of their owner."""
    rows: list[Row | Group] = []
    for name, param in by_need(params, owner).items():
        own = (*keys, name)
        if isinstance(param, Sub) and param.kind == "struct":
            rows.append(Group(target, own, param, name in owner.usual))
        else:
            row = Row(target, own, _required(param) if name in owner.needed else param)
            if name in owner.usual and isinstance(row.editor, TableEditor):
                row.editor.keep_heads()
            rows.append(row)
    return rows


def _required(param: Param) -> Param:
    """Parameter that is shown as one without a default."""
    made = copy.copy(param)
    made.default = REQUIRED
    return made
