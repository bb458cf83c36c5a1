"""Find: blocks, signals and parameters of all levels, by any part of their names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from ....blocks import LuffError
from ....blocks.text.raw_types import Raw, RawMap
from ....solver.diagram.composite_types import CompositeType, type_in_words
from ....solver.diagram.netlist_document import Netlist
from ...document.block_cards import WORLD
from ...properties.value_text import to_text
from ...theme.filtered_list import ListKeys
from ...theme.icons import symbol_icon
from ...theme.number_format import unit_words
from ...theme.small_widgets import text_label

if TYPE_CHECKING:
    from ..shell import Shell

MOST = 300  # hits in the list
KINDS = {"block": 0, "parameter": 1, "signal": 2}


@dataclass(frozen=True)
class Entry:
    """Search entry: `path` leads to it through the composites, its own name last."""

    kind: str
    name: str
    detail: str
    path: tuple[str, ...]  # blocks from the outermost level inwards
    type_name: str = ""
    family: str = ""
    key: str = ""  # key of a parameter


def entries(diagram: Netlist, outer: tuple[str, ...] = (), given: Collection[str] = ()) -> Iterator[Entry]:
    """Entries of a model, level by level; parameters `given` by an outer diagram are listed there."""
    prefix = "".join(f"{name}." for name in outer)
    for name, raw in diagram.parameters.items():
        if name not in given:
            yield Entry("parameter", prefix + name, to_text(raw), outer, key=name)
    for name, raw in diagram.blocks.items():
        path = (*outer, name)
        try:
            cls = diagram.block_class(name, diagram.chain())
        except LuffError:
            cls = None
        composite = cls if isinstance(cls, CompositeType) else None
        family = "composites" if composite else getattr(cls, "family", "")
        kind = WORLD if name == WORLD else type_in_words(raw)
        yield Entry("block", prefix + name, kind, path, kind, family)
        for key, value in _values(raw):
            yield Entry("parameter", f"{prefix}{name}.{key}", to_text(value), path, kind, family, key)
        for port, declared in diagram.block_ports(name).items():
            if declared.direction == "out" and not declared.acausal:
                unit = f"[{unit_words(declared.unit)}]" if declared.unit else ""
                yield Entry("signal", f"{prefix}{name}.{port}", unit, path, kind, family)
        inner = composite is not None and (composite.in_place or composite.path is not None)
        if composite is not None and inner and isinstance(composite.diagram, Netlist):
            yield from entries(composite.diagram, path, raw)


def _values(raw: RawMap, prefix: str = "") -> Iterator[tuple[str, Raw]]:
    """Values set in a block, nested groups flattened to dotted names."""
    for key, value in raw.items():
        if key == "type" and not prefix:
            continue
        if isinstance(value, dict):
            yield from _values(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def matching_entries(entries: list[Entry], words: str) -> list[Entry]:
    """Entries that contain every word; those that begin with the last word first, blocks before their parameters."""
    wanted = words.lower().split()

    def rank(entry: Entry) -> tuple[int, int, int, str]:
        last = entry.name.rpartition(".")[2].lower() if entry.kind != "parameter" else entry.key.lower()
        early = 0 if wanted and last.startswith(wanted[-1]) else 1
        return early, KINDS[entry.kind], len(entry.path), entry.name

    return sorted(
        (
            entry
            for entry in entries
            if all(word in f"{entry.name} {entry.detail}".lower() for word in wanted)
        ),
        key=rank,
    )


class FindDialog(QDialog):
    """Find dialog: a field and its matches; Return goes to the selected one."""

    def __init__(self, window: Shell):
        super().__init__(window)
        self.window_ = window
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Find")
        self.resize(620, 420)
        self.entries = list(entries(window.top.diagram))
        self.field = QLineEdit(placeholderText="Blocks, parameters and signals of all levels")
        self.field.setAccessibleName("Find")
        self.list = QTreeWidget()
        self.list.setAccessibleName("What was found")
        ListKeys(self.field, self.list)
        self.list.setRootIsDecorated(False)
        self.list.setHeaderLabels(["Name", "What it is", "Kind"])
        self.list.setColumnWidth(0, 300)
        self.list.setColumnWidth(1, 190)
        self.count = text_label("", "muted")
        box = QVBoxLayout(self)
        for widget in (self.field, self.list, self.count):
            box.addWidget(widget)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self._go)
        self.list.itemActivated.connect(self._go)
        self._fill("")

    def _fill(self, words: str) -> None:
        hits = matching_entries(self.entries, words)
        self.list.clear()
        for entry in hits[:MOST]:
            item = QTreeWidgetItem([entry.name, entry.detail, entry.kind])
            item.setData(0, Qt.ItemDataRole.UserRole, entry)
            if entry.kind == "block":
                item.setIcon(0, symbol_icon(entry.type_name, entry.family))
            self.list.addTopLevelItem(item)
        more = f", the first {MOST} of them shown" if len(hits) > MOST else ""
        self.count.setText(f"{len(hits)} of {len(self.entries)}{more}")
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)

    def _go(self, *_: object) -> None:
        item = self.list.currentItem()
        if item is not None:
            entry = item.data(0, Qt.ItemDataRole.UserRole)
            self.close()
            go_to(self.window_, entry)


def go_to(window: Shell, entry: Entry) -> None:
    """Open the levels of an entry, select its block and, for a parameter, its field."""
    levels = entry.path[:-1] if entry.path and not _is_level(entry) else entry.path
    if not open_levels(window, levels):
        return
    if levels == entry.path:
        window.view.canvas.clearSelection()
    else:
        window.view.show_block(entry.path[-1], near=True)
    if entry.kind == "parameter":
        window.panels.show("Properties")
        window.properties.focus_row(("parameters",) if _is_level(entry) else tuple(entry.key.split(".")))
    else:
        window.view.setFocus()


def _is_level(entry: Entry) -> bool:
    """True for a parameter of the netlist itself, not of one of its blocks."""
    return entry.kind == "parameter" and not entry.type_name


def open_levels(window: Shell, names: tuple[str, ...]) -> bool:
    """Open the level inside nested composites; levels already open on the way are kept. False if declined."""
    labels = [level.label for level in window.levels[1:]]
    same = 0
    while same < min(len(labels), len(names)) and labels[same] == names[same]:
        same += 1
    if not window.pop_to(same):
        return False
    for depth, name in enumerate(names[same:], same + 1):
        window.editing.open_block(name)
        if len(window.levels) != depth + 1:
            return False
    return True
