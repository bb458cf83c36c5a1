"""Editors of vectors: a field for each number, those of an inertia in two lines."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...blocks import LuffError
from ...blocks.params import Param
from ...blocks.text.raw_types import Raw, RawMap
from ..document.undo_commands import UNSET
from ..theme.small_widgets import laid, set_style_property
from . import value_text
from .fold_button import FoldButton
from .parameter_editors import (
    SEVERAL,
    UNIT_GAP,
    WIDEST_UNIT,
    Editor,
    QuantityField,
    UnitButton,
    text_width,
    without_units,
)
from .value_text import from_text, to_text

QWIDGETSIZE_MAX = (1 << 24) - 1  # Qt's own, which PySide6 does not export
LEAST, MOST = 3, 12  # letters by which the fields of a vector share its room
ENTRIES = 3  # numbers that follow from values beside them, at most
NARROW, WIDE = 26, 74  # px of one field of a vector, at least, and for which it is widened


class VectorLine(QWidget):
    """Fields of some numbers of a vector, and their unit."""

    def __init__(self, parent: QWidget, shown: list[str]):
        super().__init__(parent)
        self.fields = [QuantityField(self) for _ in shown]
        self.unit = UnitButton(self, True)
        self._row = laid(QHBoxLayout(self), *self.fields, self.unit, margins=(0, 0, 0, 0), spacing=UNIT_GAP)
        for field, text in zip(self.fields, shown, strict=True):
            field.setPlaceholderText(text)
        self.share()

    def share(self) -> None:
        """Distribute the width by the lengths of the numbers."""
        for k, field in enumerate(self.fields):
            text = field.text() or field.placeholderText()
            self._row.setStretch(k, min(max(len(text), LEAST), MOST))
            field.setMinimumWidth(min(max(NARROW, text_width(field, text)), WIDE))


class VectorEditor(Editor):
    """Editor of a vector: three or four numbers in a row."""

    def __init__(self, param: Param, count: int, parent: QWidget | None = None):
        super().__init__(param, parent)
        given = [*param.default] if isinstance(param.default, tuple | list) else [None] * count
        self.defaults: list[Raw] = [*given, *[0.0] * (count - len(given))]
        self.hints = [to_text(one) or "–" for one in self.defaults]
        self.lines = self.lay_out(self.hints)
        self.fields = [field for line in self.lines for field in line.fields]
        for k, field in enumerate(self.fields):
            field.committed.connect(lambda text, k=k: self._commit(text, k))
        self.unit = self.lines[0].unit
        self.setFocusProxy(self.fields[0])
        self.setMinimumWidth(NARROW)  # it moves below its name before it would widen the panel

    def lay_out(self, shown: list[str]) -> list[VectorLine]:
        """Lines of fields that show these texts while they are empty."""
        line = VectorLine(self, shown)
        self.row.addWidget(line, 1)
        return [line]

    def least_width(self) -> int:
        """Width of numbers of any length and of their unit: what is typed moves no row below."""
        return len(self.fields) * (WIDE + UNIT_GAP) + WIDEST_UNIT

    def mark_wrong(self, wrong: bool, place: int | None = None) -> None:
        super().mark_wrong(wrong and place is None)
        if wrong and place is not None:
            set_style_property(self.fields[place], "wrong", True)

    def show_raw(self, raw: Raw) -> None:
        values = self.entries(raw)
        for field, value, default in zip(self.fields, values, self.hints, strict=True):
            field.show_text(to_text(value))
            field.setPlaceholderText(default)
        bare = without_units([value for value in values if value is not None])
        for line in self.lines:
            line.unit.tell(self.param.unit if bare else "")
            line.share()

    def entries(self, raw: Raw) -> list[Raw]:
        """Numbers of the fields; None of each where the value is no list of as many."""
        return raw if isinstance(raw, list) and len(raw) == len(self.fields) else [None] * len(self.fields)

    def listed(self, values: list[Raw]) -> list[Raw]:
        """Raw list of what is typed; None stands for an empty field."""
        return [self.defaults[k] if value is None else value for k, value in enumerate(values)]

    def _commit(self, text: str, place: int) -> None:
        """Take a text typed at one place; a list of numbers fills the fields from there on."""
        texts = [field.typed().strip() for field in self.fields]
        if not any(texts):
            self.edited.emit(UNSET)
            return
        listed = value_text.as_list(text) or [text.strip()]
        texts[place : place + len(listed)] = map(to_text, listed)
        if len(texts) > len(self.fields):
            self.refused.emit(f"found {len(texts)} numbers, expected {len(self.fields)}")
            return
        try:
            values = self.listed([from_text(text) for text in texts])
        except LuffError as error:
            self.refused.emit(error.problems[0].message)
            self.mark_wrong(True, place)
            return
        self.edited.emit(
            self.written([int(v) if isinstance(v, float) and v.is_integer() else v for v in values])
        )

    def written(self, numbers: list[Raw]) -> Raw:
        """Numbers as the file has them."""
        return numbers

    def show_several(self) -> bool:
        for field in self.fields:
            field.setPlaceholderText(SEVERAL)
        return True


class EntriesEditor(VectorEditor):
    """Editor of as many numbers as values beside it ask for, named in their fields; a single one is no list."""

    def __init__(self, param: Param, parent: QWidget | None = None):
        self.names: tuple[str, ...] = ()
        super().__init__(param, ENTRIES, parent)
        self.look_beside({})

    def look_beside(self, raw: RawMap) -> None:
        self.names = self.param.entries_beside(raw)[:ENTRIES]

    def least_width(self) -> int:
        return len(self.names) * (WIDE + UNIT_GAP) + WIDEST_UNIT

    def show_raw(self, raw: Raw) -> None:
        super().show_raw(raw)
        for k, field in enumerate(self.fields):
            name = self.names[k] if k < len(self.names) else ""
            field.setPlaceholderText(name.partition(" ")[0])
            field.setToolTip(f"{name}, required" if self.param.required else name)
            field.setVisible(bool(name or field.text()))
        self.lines[0].share()

    def entries(self, raw: Raw) -> list[Raw]:
        given = raw if isinstance(raw, list) else [] if raw is None else [raw]
        return [*given, *[None] * len(self.fields)][: len(self.fields)]

    def listed(self, values: list[Raw]) -> list[Raw]:
        """Numbers up to the last one; those that are missing before it are for the check to tell."""
        last = max(k for k, value in enumerate(values) if value is not None)
        return [0 if value is None else value for value in values[: last + 1]]

    def written(self, numbers: list[Raw]) -> Raw:
        return numbers[0] if len(self.names) == len(numbers) == 1 else numbers


class InertiaEditor(VectorEditor):
    """Editor of moments xx, yy, zz of inertia; products xy, xz, yz are behind a fold unless they are given."""

    def __init__(self, param: Param, parent: QWidget | None = None):
        self._given = False
        super().__init__(param, len(param.entries), parent)
        for field, name in zip(self.fields, param.entries, strict=True):
            field.setToolTip(name)

    def lay_out(self, shown: list[str]) -> list[VectorLine]:
        half, names = len(shown) // 2, self.param.entries
        moments, products = VectorLine(self, shown[:half]), VectorLine(self, shown[half:])
        words = ", ".join(names[half:])
        tip = "Entries of the matrix of inertia: xy is minus the integral of x y dm"
        self.fold = FoldButton(f"Products {words}", tip, products)
        self.row.addLayout(laid(QVBoxLayout(), moments, self.fold, products, spacing=2), 1)
        self.fold.start(False)
        return [moments, products]

    def least_width(self) -> int:
        return QWIDGETSIZE_MAX  # two lines have their name above them

    def entries(self, raw: Raw) -> list[Raw]:
        half = len(self.fields) // 2
        short = isinstance(raw, list) and len(raw) == half
        return super().entries([*raw, *[None] * half] if isinstance(raw, list) and short else raw)

    def show_raw(self, raw: Raw) -> None:
        super().show_raw(raw)
        given = any(field.text() for field in self.lines[1].fields)
        if given and not self._given:
            self.fold.setChecked(True)
        self._given = given

    def listed(self, values: list[Raw]) -> list[Raw]:
        half = len(values) // 2
        whole = super().listed(values)
        return whole if any(value is not None for value in values[half:]) else whole[:half]
