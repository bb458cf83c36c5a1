"""Command palette: every action and every block behind one search field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QDialog, QLineEdit, QMenu, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from ...theme.block_catalog import builtin, composites
from ...theme.filtered_list import ListKeys
from ...theme.icons import symbol_icon
from ...theme.small_widgets import laid

if TYPE_CHECKING:
    from ..shell import Shell

MOST = 60  # lines
ENTRY = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Command:
    words: str  # searched and displayed text
    keys: str
    tip: str
    do: Callable[[], object]
    icon: QIcon | None = None


def commands(window: Shell) -> Iterator[Command]:
    """Available menu actions, those of the plots, then blocks that can be inserted."""
    for entry in window.menu_bar.actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            yield from _of_menu(menu, plain(entry))
    for one in _of_actions(window.deck.tools, "Plots"):
        yield replace(one, do=lambda do=one.do: (window.panels.show("Plots"), do()))
    diagram = window.document.diagram
    for block in (*builtin(), *composites(diagram.base, window.document.path)):
        insert = lambda name=block.type_name: window.editing.insert_in_middle(name)  # noqa: E731
        yield Command(
            f"Insert {block.label}", "", block.doc, insert, symbol_icon(block.type_name, block.family)
        )


def _of_menu(menu: QMenu, before: str) -> Iterator[Command]:
    menu.aboutToShow.emit()  # some are filled when they open
    yield from _of_actions(menu.actions(), before)


def _of_actions(actions: Iterable[QAction], before: str) -> Iterator[Command]:
    for action in actions:
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _of_menu(inner, f"{before}: {plain(action)}")
        elif not action.isSeparator() and action.isEnabled():
            words = f"{before}: {plain(action)}"
            yield Command(words, action.shortcut().toString(), action.statusTip(), action.trigger)


def plain(action: QAction) -> str:
    return action.text().replace("&", "").partition("\t")[0].removesuffix("...")


def matching_commands(known: list[Command], text: str) -> list[Command]:
    """Commands that contain all words; those that begin with the text first, then in menu order."""
    words = text.lower().split()

    def rank(command: Command) -> int:
        last = command.words.rpartition(": ")[2].lower().removeprefix("insert ")
        return 0 if last.startswith(text.lower().strip()) else 1

    fits = [one for one in known if all(word in f"{one.words} {one.keys}".lower() for word in words)]
    return sorted(fits, key=rank) if words else fits


class CommandPalette(QDialog):
    def __init__(self, window: Shell):
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Commands")
        self.resize(560, 420)
        self.known = list(commands(window))
        self.field = QLineEdit(placeholderText="An action or a block")
        self.field.setAccessibleName("An action or a block")
        self.list = QTreeWidget()
        self.list.setAccessibleName("What fits")
        self.list.setHeaderHidden(True)
        self.list.setColumnCount(2)
        self.list.setRootIsDecorated(False)
        self.list.setIconSize(QSize(30, 20))
        self.list.setColumnWidth(0, 390)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        ListKeys(self.field, self.list)
        laid(QVBoxLayout(self), self.field, self.list)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self._do)
        self.list.itemClicked.connect(self._do)
        self._fill("")

    def _fill(self, text: str) -> None:
        self.list.clear()
        for command in matching_commands(self.known, text)[:MOST]:
            item = QTreeWidgetItem([command.words, command.keys])
            item.setData(0, ENTRY, command)
            item.setToolTip(0, command.tip)
            if command.icon is not None:
                item.setIcon(0, command.icon)
            self.list.addTopLevelItem(item)
        if not self.list.topLevelItemCount():
            none = QTreeWidgetItem([f'No action or block matches "{text}"'])
            none.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addTopLevelItem(none)
            return
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)

    def _do(self, *_: object) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        command = item.data(0, ENTRY)
        self.close()
        command.do()
