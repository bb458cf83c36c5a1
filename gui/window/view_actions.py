"""View menu: zoom, panels, theme and help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QToolBar

from ...blocks import LuffError
from ..theme import active_theme as themes
from .dialogs.preferences_dialog import Preferences
from .docks.sliders_dock import find_param
from .help_dialogs import Reference, about, show_keys
from .open_level import MINIMAP, minimap_wanted
from .tour import TOURED, Tour

if TYPE_CHECKING:
    from .shell import Shell


class Views:
    def __init__(self, window: Shell):
        self.window = window
        self._tour: Tour | None = None
        self._reference: Reference | None = None  # one window each, however often it is asked for
        self._keys: QDialog | None = None
        self._preferences: Preferences | None = None

    def build(self) -> None:
        window = self.window
        menu = window.actions_.menus["docks"]
        for dock in window.panels.docks.values():
            menu.addAction(dock.toggleViewAction())
        self._build_go_to(window.actions_.menus["go_to"])
        dark = window.actions_["dark"]
        dark.blockSignals(True)
        dark.setChecked(themes.theme().name == "dark")
        dark.blockSignals(False)
        minimap = window.actions_["minimap"]
        minimap.blockSignals(True)
        minimap.setChecked(minimap_wanted())
        minimap.blockSignals(False)
        window.problems.clicked.connect(window.editing.go_to)
        window.problems.repair_wanted.connect(window.repairs.repair)
        window.signal_tree.plot_wanted.connect(window.deck.add_signals)
        window.signal_tree.new_plot_wanted.connect(window.deck.add_pane)
        window.properties.slider_wanted.connect(self.add_slider)
        window.properties.left.connect(lambda: window.view.setFocus(Qt.FocusReason.ShortcutFocusReason))
        window.properties.open_wanted.connect(lambda name: window.editing.open_block(name))
        window.properties.save_wanted.connect(lambda: window.actions_["save_as_block"].trigger())
        window.properties.rewired.connect(self._keep_wire_selected)
        window.deck.message.connect(window.say)
        window.deck.large_wanted.connect(self.enlarge_plot)
        window.run_list.unit_of = self._unit_of
        window.view3d.canvas.chosen.connect(self.choose)
        window.view3d.left.connect(self.on_large_view)
        self.bar = QToolBar("Tools")
        self.bar.setObjectName("Tools")
        self.bar.setMovable(False)
        self.bar.setIconSize(QSize(18, 18))
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for key in ("new", "open", "save", "", "undo", "redo", "", "fit"):
            if key:
                self.bar.addAction(window.actions_[key])
            else:
                self.bar.addSeparator()
        window.addToolBar(self.bar)

    def _build_go_to(self, menu: QMenu) -> None:
        """Menu with keyboard shortcuts to the panels: Alt and a number."""
        window = self.window
        ways: list[tuple[str, Callable[[], None]]] = [("Canvas", self.go_to_canvas)]
        for key, dock in window.panels.docks.items():
            ways.append((dock.windowTitle(), lambda key=key: window.panels.go_to(key)))
        for number, (title, slot) in enumerate(ways, 1):
            action = menu.addAction(title, slot)
            if number <= 10:
                action.setShortcut(QKeySequence(f"Alt+{number % 10}"))

    def go_to_canvas(self) -> None:
        self.window.panels.show_canvas()
        self.window.view.setFocus()

    def restyle(self) -> None:
        dark: QAction = self.window.actions_["dark"]
        dark.blockSignals(True)
        dark.setChecked(themes.theme().name == "dark")
        dark.blockSignals(False)

    def _keep_wire_selected(self, connection: str) -> None:
        """Keep a wire selected after its text has changed."""
        self.window.view.canvas.sync()
        self.window.view.show_wire(connection)

    def _unit_of(self, path: str) -> str:
        """Unit of a parameter's value in a run."""
        try:
            param = find_param(self.window.top.diagram, path.partition("[")[0])
        except LuffError:
            return ""
        return param.unit if param is not None else ""

    def add_slider(self, path: str) -> None:
        window = self.window
        if not window.in_top:
            window.say("Sliders act on the diagram that runs: this block has a file of its own")
            return
        window.controls.add(self._prefix() + path)
        window.panels.show("Sliders")

    def _prefix(self) -> str:
        """Path prefix of the blocks on the canvas."""
        return "".join(f"{level.label}." for level in self.window.levels[1:])

    def choose(self, block: str, add: bool) -> None:
        """Select the block clicked in the 3-D view on the canvas; a block inside a composite selects the composite."""
        canvas, prefix = self.window.view.canvas, self._prefix()
        if block and not block.startswith(prefix):
            self.window.say(f"{block} is not in the diagram that is open")
            return
        name = block.removeprefix(prefix).partition(".")[0]
        before = canvas.selected_blocks() if add else []
        after = [one for one in before if one != name] if name in before else [*before, *filter(None, [name])]
        canvas.select(after)
        if name in canvas.blocks:
            self.window.view.ensureVisible(canvas.blocks[name])

    def show_selected(self) -> None:
        """Highlight the canvas selection in the 3-D view."""
        prefix = self._prefix()
        names = self.window.view.canvas.selected_blocks()
        self.window.view3d.canvas.select(frozenset(prefix + name for name in names))

    def on_fit(self) -> None:
        self.window.view.fit()

    def on_zoom_in(self) -> None:
        self.window.view.zoom_by(1.25)

    def on_zoom_out(self) -> None:
        self.window.view.zoom_by(0.8)

    def on_zoom_one(self) -> None:
        self.window.view.zoom_by(1 / self.window.view.zoom())

    def on_up(self) -> None:
        if len(self.window.levels) > 1:
            self.window.pop_to(len(self.window.levels) - 2)

    def on_large_view(self) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and self.window.deck.isAncestorOf(focused):
            self.enlarge_plot()
            return
        panels, view = self.window.panels, self.window.view3d.canvas
        back = self.window.view3d.back
        panels.enlarge("3-D View", back.show, back.hide)
        (view if view.isVisible() and not self.window.view.isVisible() else self.window.view).setFocus()

    def enlarge_plot(self) -> None:
        """Give the whole window to the current plot, or give it back."""
        deck = self.window.deck
        self.window.panels.enlarge("Plots", lambda: deck.show_alone(True), lambda: deck.show_alone(False))

    def on_reset_panels(self) -> None:
        self.window.panels.reset()

    def on_dark(self, on: bool) -> None:
        name = "dark" if on else "light"
        QSettings().setValue("theme", name)
        themes.holder.use(name)

    def on_minimap(self, on: bool) -> None:
        QSettings().setValue(MINIMAP, on)
        for window in self.window.open_windows:
            window.views.follow_minimap(on)

    def follow_minimap(self, on: bool) -> None:
        """Show or hide the minimap of this window, as it was chosen in any."""
        minimap = self.window.actions_["minimap"]
        with QSignalBlocker(minimap):
            minimap.setChecked(on)
        for level in self.window.levels:
            level.view.minimap.set_wanted(on)

    def on_preferences(self) -> None:
        if self._preferences is None:
            actions = self.window.actions_
            self._preferences = Preferences(self.window, actions["dark"], actions["minimap"])
        _raise_dialog(self._preferences)

    def on_reference(self) -> None:
        names = self.window.view.canvas.selected_blocks()
        type_name = self.window.document.type_and_family(names[0])[0] if names else ""
        if self._reference is None:
            self._reference = Reference(self.window, type_name)
        else:
            self._reference.show_block(type_name)
        _raise_dialog(self._reference)

    def on_shortcuts(self) -> None:
        if self._keys is None:
            self._keys = show_keys(self.window)
        _raise_dialog(self._keys)

    def on_tour(self) -> None:
        if self._tour is None:
            self._tour = Tour(self.window)
        self._tour.begin()

    def offer_tour(self) -> None:
        """Start the tour at the very first start of the program."""
        if not QSettings().value(TOURED, False, bool):
            self.on_tour()

    def on_about(self) -> None:
        about(self.window).open()


def _raise_dialog(dialog: QDialog) -> None:
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()
