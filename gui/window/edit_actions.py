"""Edit menu, composites, and navigation between canvas, properties and plots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QLineEdit, QMenu

from ...blocks import LuffError
from ...solver.diagram.composite_types import CompositeType
from ...solver.flatten.diagram import Diagram
from ...solver.netlist.wire_syntax import parse_wire
from ..document import clipboard, dial_edits, note_edits
from ..document.document import Document, toggle_enabled
from ..document.element_assignment import change_element, free_choices, written
from ..document.grouping import group, is_subsystem, save_as_block, ungroup
from ..document.labelled_wires import toggle_labels
from ..document.undo_commands import level_of
from ..drawing.exposed_ports import MORE, exposed
from .align_blocks import GAPS, LINES, align, distribute
from .confirmations import may_save
from .dialogs.command_palette import CommandPalette
from .dialogs.connect_dialog import ConnectDialog
from .dialogs.find_dialog import FindDialog
from .dialogs.open_failed_dialog import OpenFailed
from .dialogs.statechart_editor import ChartEditor

if TYPE_CHECKING:
    from .shell import Shell


class Editing:
    def __init__(self, window: Shell):
        self.window = window

    @property
    def document(self) -> Document:
        return self.window.document

    def _selected(self) -> list[str]:
        return self.window.view.canvas.selected_blocks()

    def on_undo(self) -> None:
        self._step_back_or_on(-1)

    def on_redo(self) -> None:
        self._step_back_or_on(1)

    def _step_back_or_on(self, by: int) -> None:
        """Undo or redo a step, whatever its level, and show the level of the edit."""
        self.window.view.cancel_gesture()
        document, stack = self.document.root, self.document.undo
        level = level_of(stack.command(stack.index() - (by < 0)))
        words = f"Undone: {stack.undoText()}" if by < 0 else f"Done again: {stack.redoText()}"
        if by < 0:
            stack.undo()
        else:
            stack.redo()
        if level is not None and level != self.document.diagram.level:
            self.window.show_level_of(document, level)
        self.window.say(words)  # of plots, say, that are hidden nothing else tells

    # ------------------------------------------------------------------ clipboard

    def _copied_items(self) -> clipboard.Pasted:
        """Blocks, notes and dials that a copy includes."""
        chosen = self.window.view.canvas.selected_notes()
        moved = self.window.view.canvas.dials.selected()
        return clipboard.copied_blocks(self.document, self._selected(), chosen), chosen, moved

    def on_copy(self) -> None:
        taken = self._copied_items()
        if any(taken):
            QApplication.clipboard().setText(clipboard.fragment(self.document, *taken))

    def on_cut(self) -> None:
        """Cut the selection; an area takes its content along, as in a copy."""
        self.on_copy()
        self._remove(*self._copied_items(), self.window.view.canvas.selected_wires())

    def on_paste(self) -> None:
        """Paste at the pointer, or at the centre of the canvas when the pointer is elsewhere."""
        text = QApplication.clipboard().text()
        at = self.window.view.paste_target()
        try:
            self._select(*clipboard.paste(self.document, text, (at.x(), at.y())))
            self.window.view.show_selected()
        except LuffError as error:
            deep = "nesting" in str(error)
            self.window.say(str(error) if deep else "The clipboard holds no blocks")

    def on_duplicate(self) -> None:
        taken = self._copied_items()
        if any(taken):
            text = clipboard.fragment(self.document, *taken)
            offset = clipboard.paste_offset(clipboard.extent(self.document, *taken))
            try:
                self._select(*clipboard.paste(self.document, text, offset=offset, title="duplicate"))
                self.window.view.show_selected()
            except LuffError as error:  # nested too deep
                self.window.say(str(error))

    def _select(self, names: list[str], chosen: Iterable[int] = (), moved: Iterable[int] = ()) -> None:
        self.window.view.canvas.sync()
        self.window.view.canvas.select(names, notes=chosen, dials=moved)

    def on_delete(self) -> None:
        canvas = self.window.view.canvas
        names, chosen, moved = canvas.selected_blocks(), canvas.selected_notes(), canvas.dials.selected()
        self._remove(names, chosen, moved, canvas.selected_wires())

    def _remove(self, names: list[str], chosen: list[int], moved: list[int], wires: Iterable[str]) -> None:
        if not chosen and not moved:
            self.document.remove(names, wires)
            return
        with self.document.step("remove notes" if chosen else "remove from dashboard"):
            self.document.remove(names, wires)
            note_edits.remove(self.document, chosen)
            dial_edits.remove(self.document, moved)

    def on_select_all(self) -> None:
        canvas = self.window.view.canvas
        canvas.select(canvas.blocks, canvas.wires, canvas.notes, canvas.dials.items)

    def on_effect(self) -> None:
        """Disable the selected blocks, or enable them if all are disabled."""
        toggle_enabled(self.document, [name for name in self._selected() if name != "world"])

    def on_labels(self) -> None:
        """Show the selected wires as labels, or as lines if all are labels."""
        toggle_labels(self.document, self.window.view.canvas.selected_wires())

    def on_rotate(self) -> None:
        self.document.rotate(self._selected())

    def build(self) -> None:
        menu = self.window.actions_.menus["align"]
        for key, (title, _, _) in LINES.items():
            menu.addAction(title, lambda key=key: self._align(align, key, 2))
        menu.addSeparator()
        for key, (title, _) in GAPS.items():
            menu.addAction(title, lambda key=key: self._align(distribute, key, 3))

    def _align(self, work: Callable[[Document, list[str], str], None], key: str, least: int) -> None:
        names = self._selected()
        if len(names) < least:
            self.window.say(f"Select {least} blocks or more")
            return
        work(self.document, names, key)

    def on_arrange(self) -> None:
        area = self.window.view.viewport().size()
        self.document.arrange_all(area.width() / max(area.height(), 1))
        self.window.view.canvas.sync_all()
        self.window.view.fit()

    # ------------------------------------------------------------------ finding and naming

    def on_commands(self) -> None:
        CommandPalette(self.window).open()

    def on_find(self) -> None:
        FindDialog(self.window).show()

    def on_connect(self, first: str = "") -> None:
        ConnectDialog(self.window, first).open()

    def on_rename(self) -> None:
        names = self._selected()
        if len(names) == 1:
            self.focus_name(names[0])

    def focus_name(self, name: str) -> None:
        self.window.panels.show("Properties")
        self.window.properties.show_selection([name], [])
        field = self.window.properties.name_field
        if field:
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            field.selectAll()

    def go_to(self, path: str) -> None:
        """Show the block or wire of a problem's path, at its level, and its property field."""
        from ..canvas.problem_marks import subject_of

        root = self.document.root
        level, path = root.diagram.level_of(path)
        self.window.show_level_of(root, level)
        view = self.window.view
        subject = subject_of(path, view.canvas.blocks, self.document.diagram.connections)
        if subject in view.canvas.wires:
            view.show_wire(subject)
        elif subject:
            view.show_block(subject)
            self._focus_value(subject, path.removeprefix("blocks."))

    def _focus_value(self, block: str, path: str) -> None:
        """Open the field of a parameter that a path leads to; of a port there is none."""
        keys = tuple(re.findall(r"\w+", path.removeprefix(block)))
        if (
            keys
            and block in self.document.diagram.blocks
            and keys[0] in self.document.diagram.block_params(block)
        ):
            self.window.panels.show("Properties")
            self.window.properties.show_selection([block], [])
            self.window.properties.focus_row(keys)

    def insert_in_middle(self, type_name: str) -> None:
        view = self.window.view
        view.insert(type_name, view.mapToScene(view.viewport().rect().center()), into_wire=False)
        view.setFocus()

    # ------------------------------------------------------------------ subsystems

    def on_group(self) -> None:
        self._push_grouping(lambda: [group(self.document, self._selected())])

    def on_ungroup(self) -> None:
        self._push_grouping(lambda: ungroup(self.document, self._selected()))

    def _push_grouping(self, edit: Callable[[], list[str]]) -> None:
        try:
            names = edit()
        except LuffError as error:
            self.window.say(str(error))
            return
        self._select(names)

    def on_save_as_block(self) -> None:
        """Ask for the file of the selected subsystem; a diagram without a file is saved first."""
        names = [name for name in self._selected() if is_subsystem(self.document, name)]
        if len(names) != 1:
            self.window.say("Select one subsystem")
            return
        title = "Save as Block"
        if self.document.path is None:
            more = "The block gets a file beside the diagram, which has none yet."
            level = next(each for each in self.window.levels if each.document is self.document.root)
            if not may_save(self.window, title, "Save the diagram first?", more):
                return
            if not self.window.files.save(level):
                return
        folder = self.document.diagram.base or Path.cwd()
        start = str(folder / f"{names[0]}.yaml")
        chosen, _ = QFileDialog.getSaveFileName(self.window, title, start, "luff netlist (*.yaml)")
        path = self.window.files.with_suffix(Path(chosen), ".yaml") if chosen else None
        if path:
            self.save_as_block(names[0], path)

    def save_as_block(self, name: str, path: Path) -> None:
        try:
            save_as_block(self.document, name, path)
        except LuffError as error:
            self.window.say(str(error))
            return
        self.window.palette_.refresh()
        self._select([name])
        self.window.view.setFocus(Qt.FocusReason.OtherFocusReason)  # the button that asked is gone
        self.window.say(f"Saved {path.name}; {name} is read from it")

    def port_menu(self, reference: str) -> QMenu:
        """Context menu of a port: plot it, expose it as a port of the diagram."""
        block, port = self.document.split(reference)
        outer = exposed(self.document.diagram).get(block, {}).get(port, "")
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if port == MORE:
            plots = menu.addMenu("Plot")
            ports = self.document.ports(block)
            for name in (
                port for port in self.document.folded_ports(block) if ports[port].direction == "out"
            ):
                signal = self._signal(f"{block}.{name}")
                plots.addAction(name, lambda signal=signal: self._plot(signal))
            return menu
        if self.document.ports(block)[port].direction == "out":
            menu.addAction("Plot", lambda: self._plot(self._signal(reference)))
            menu.addSeparator()
        menu.addAction("Connect...", lambda: self.on_connect(reference))
        if outer:
            menu.addAction("Rename the Diagram's Port...", lambda: self._ask_port(reference, outer))
            menu.addAction("No Port of the Diagram", lambda: self.document.expose(reference))
        elif block != "world":
            menu.addAction("Make It a Port of the Diagram...", lambda: self._ask_port(reference, port))
        return menu

    def wire_menu(self, menu: QMenu, connection: str) -> None:
        """Fill the menu of a wire: plot its signal, insert a block into it, take elements of vectors."""
        try:
            wire = parse_wire(connection)
        except LuffError:
            return  # told in Problems
        view, document = self.window.view, self.document
        if "->" in connection:
            signal = self._signal(written(wire.a))
            menu.addAction("Plot", lambda: self._plot(signal))
        item = view.canvas.wires.get(connection)
        middle = item.middle() if item else None
        if middle is not None:
            menu.addAction("Insert Block...", lambda: view.quick_insert.open(middle))
        for end, whole in enumerate((wire.a, wire.b)):
            elements = free_choices(document, connection, end)
            if not elements:
                continue
            inner = menu.addMenu(f"Element of {whole}")
            for element in (None, *elements):
                action = inner.addAction("All" if element is None else f"[{element}]")
                action.setCheckable(True)
                action.setChecked(whole.elements == (None if element is None else (element,)))
                action.triggered.connect(
                    lambda _=False, end=end, element=element: self._take_element(connection, end, element)
                )
        menu.addSeparator()

    def _take_element(self, connection: str, end: int, element: int | None) -> None:
        try:
            changed = change_element(self.document, connection, end, element)
        except LuffError as error:
            self.window.say(str(error))
            return
        self.window.view.canvas.sync()
        self.window.view.show_wire(changed)

    def _ask_port(self, reference: str, name: str) -> None:
        name, ok = QInputDialog.getText(self.window, "Port of the Diagram", "Its name outside:", text=name)
        if ok and name.strip():
            try:
                self.document.expose(reference, name.strip())
            except LuffError as error:
                self.window.say(str(error))

    def _signal(self, reference: str) -> str:
        """Signal name of a port in the outermost diagram."""
        return ".".join([*(level.label for level in self.window.levels[1:]), reference])

    def open_block(self, name: str) -> None:
        """Open a composite as a level, a state machine in its editor, any other block in the property panel."""
        if self.document.chart(name) is not None:
            ChartEditor(self.window, self.document, self.window.view.canvas, name).show()
            return
        try:
            cls = self.document.diagram.block_class(name)
        except LuffError as error:
            self.window.say(str(error))
            return
        if isinstance(cls, CompositeType) and cls.in_place:
            self.window.push_level(self.document.inside(name), name)
            self.window.running.show_states()
            return
        if not isinstance(cls, CompositeType) or cls.path is None:
            self.window.panels.show("Properties")
            self.window.properties.show_selection([name], [])
            rows = self.window.properties.rows
            if rows:
                first = rows[0].findChild(QLineEdit)
                (first or rows[0]).setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        try:
            diagram = Diagram.load(cls.path, cls.diagram.allow_code, cls.diagram.files)
        except LuffError as error:
            OpenFailed(self.window, cls.path, error.problems).open()
            return
        self.window.push_level(Document(diagram), name)
        self.window.running.show_states()

    # ------------------------------------------------------------------ plots

    def plot_port(self, reference: str, at: QPoint) -> None:
        """Plot an output port that was dragged from the canvas onto a plot."""
        name = self._signal(reference)
        deck = self.window.deck
        for k, pane in enumerate(deck.panes):
            if pane.isVisible() and pane.rect().contains(pane.mapFromGlobal(at)):
                deck.add_signals([name], k)
                return
        if self.window.panels.is_over("Plots", at):
            self._plot(name)
        else:
            self.window.say(f"{name} is drawn where it is dropped on a plot, or by Plot in the port's menu")

    def _plot(self, signal: str) -> None:
        """Draw a signal in a plot that is in front."""
        self.window.panels.show("Plots")
        self.window.deck.add_signals([signal])
