"""Dock layout: panels float, share tabs or stand side by side; the layout is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QPoint, QRect, QSettings, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDockWidget,
    QGraphicsView,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QSlider,
    QTabBar,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from ...view3d.canvas3d import Canvas3D
from ..part_protocols import Arrangement
from .closable_dock import ClosableDock
from .large_panel import LargePanel
from .side_strip import SideStrip
from .tab_drag import TabDrag
from .tab_fold import TabFold
from .tab_menu import TabMenu

if TYPE_CHECKING:
    from ..shell import Shell

VERSION = 7  # version of the stored layout; others are ignored
WANTED = QSize(1600, 1000)
SIDES, BELOW = (230, 318), 338  # px of panels left, right and below at most: more room is the canvas's
LOWER = 238  # px of panels below in a narrow window, which is low as a rule
ROWS = 300  # px that rows of properties take, with the scroll bar
LOW = 64  # px that panels below keep when they lend their height to the canvas
FRAME = QSize(8, 40)  # window frame, subtracted from the screen's area
NARROW = 1400  # px of width under which the panels of both sides fold into tabs at the left
LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
NOWHERE = Qt.DockWidgetArea.NoDockWidgetArea
NONE = Qt.FocusPolicy.NoFocus
ASIDE = (Qt.WindowType.Window, Qt.WindowType.Dialog, Qt.WindowType.Tool)  # and neither menus nor tool tips
KINDS = (
    QLineEdit,
    QAbstractItemView,
    QGraphicsView,
    QPlainTextEdit,
    QSlider,
    Canvas3D,
)  # to which a panel's keys go
FOLDING = {"Palette": "blocks", "Properties": "properties"}  # panels of the sides and their icons
LEAST = {"Palette": QSize(120, 80), "Properties": QSize(180, 80)}


class Panels:
    """Docks by name; `show` brings one to the front."""

    def __init__(self, window: Shell):
        self.window = window
        self.docks: dict[str, QDockWidget] = {}  # that are always there
        self.opened: dict[str, ClosableDock] = {}  # made on demand
        self._titler = QTimer(window, singleShot=True, interval=0)
        self._titler.timeout.connect(self._show_titles)
        self._folder = QTimer(window, singleShot=True, interval=0)
        self._folder.timeout.connect(self._fold)
        self._noter = QTimer(window, singleShot=True, interval=0)
        self._noter.timeout.connect(self._note_first)
        every = lambda: (*self.docks.values(), *self.opened.values())  # noqa: E731
        self._tab_drag, self._tab_menu = TabDrag(window, every), TabMenu(window, every)
        self._tab_fold = TabFold(window, every)
        self._large = LargePanel(window)
        self._narrow = False
        self._strip = SideStrip(window, self._on_sides)
        # a panel below, its height before and meanwhile
        self._lent: tuple[QDockWidget, int, int] | None = None
        self._aside: list[QWidget] = []  # windows of this page while another one is shown
        # arrangement that folds; not known before the window is laid out, empty where it is the user's own
        self._first: dict[str, tuple[object, set[str]]] | None = None
        options = window.DockOption
        window.setDockOptions(options.AnimatedDocks | options.AllowTabbedDocks | options.AllowNestedDocks)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)

    def add(self, key: str, title: str, widget: QWidget) -> None:
        dock = QDockWidget(title, self.window)
        dock.setObjectName(key)
        widget.setMinimumSize(LEAST.get(key, QSize(60, 60)))
        dock.setWidget(widget)
        dock.dockLocationChanged.connect(self._titler.start)
        dock.topLevelChanged.connect(self._titler.start)
        dock.visibilityChanged.connect(self.window.statusBar().clearMessage)  # the tip of a tool that went
        self.docks[key] = dock
        if key in FOLDING:
            self._strip.add(dock, FOLDING[key])

    def add_beside_plots(self, title: str, widget: QWidget) -> ClosableDock:
        """Make a dock where one of this title was when the window was closed, else a tab beside the plots."""
        dock, window = ClosableDock(title, self.window), self.window
        dock.setObjectName(title)
        dock.setWidget(widget)
        dock.dockLocationChanged.connect(self._titler.start)
        dock.topLevelChanged.connect(self._titler.start)
        dock.closed.connect(self._titler.start)
        self.opened[title] = dock
        if not window.restoreDockWidget(dock):
            self._put_beside_plots(dock)
        QTimer.singleShot(0, dock, dock.raise_)  # what is restored stays behind until it is laid out
        return dock

    def _put_beside_plots(self, dock: QDockWidget) -> None:
        plots, window = self.docks["Plots"], self.window
        window.addDockWidget(BOTTOM, dock)
        if not plots.isFloating() and window.dockWidgetArea(plots) == BOTTOM:
            window.tabifyDockWidget(plots, dock)
        self._titler.start()

    def _dock(self, key: str) -> QDockWidget:
        return self.docks.get(key) or self.opened[key]

    def _show_titles(self) -> None:
        """Hide the title bar of a docked panel among tabs; its tab shows the name and moves it."""
        for tabs in self.window.findChildren(QTabBar):
            tabs.setElideMode(Qt.TextElideMode.ElideNone)  # tabs fold and scroll when there is no room
            self._tab_drag.watch(tabs)
            self._tab_menu.watch(tabs)
            self._tab_fold.watch(tabs)
        for dock in (*self.docks.values(), *self.opened.values()):
            tabbed = not dock.isFloating() and bool(self.window.tabifiedDockWidgets(dock))
            if tabbed != (dock.titleBarWidget() is not None):
                bar = dock.titleBarWidget()
                dock.setTitleBarWidget(QWidget() if tabbed else None)  # pyright: ignore[reportArgumentType]
                if bar is not None:
                    bar.deleteLater()

    def enlarge(
        self, key: str, begun: Callable[[], object] = lambda: None, ended: Callable[[], object] = lambda: None
    ) -> None:
        """Give the whole window to a panel, or give it back; the panel itself hears of both."""
        if not self._large.end():
            self._large.begin(self._dock(key), begun, ended)
        self.follow_width()

    def show_canvas(self) -> bool:
        """Show the canvas where a panel has its place; False if none has."""
        return self._large.end()

    def show(self, key: str) -> None:
        if self._dock(key) is not self._large.panel:
            self._large.end()
        self._dock(key).show()
        self._dock(key).raise_()

    def show_beside(self, key: str, other: str) -> None:
        """Show a panel unless it shares the tabs of another, which it would hide."""
        if self._dock(key) not in self.window.tabifiedDockWidgets(self._dock(other)):
            self.show(key)

    def reveal(self, key: str, other: str) -> None:
        """Bring a panel to the front where it shares the tabs of another, as in a narrow window."""
        dock = self._dock(key)
        if not dock.isHidden() and self._dock(other) in self.window.tabifiedDockWidgets(dock):
            dock.raise_()

    def is_over(self, key: str, at: QPoint) -> bool:
        """True if a point of the screen lies on a panel, on one that hides it, or on its tab."""
        dock = self._dock(key)
        group = [dock] if dock.isFloating() else [dock, *self.window.tabifiedDockWidgets(dock)]
        if any(one.isVisible() and one.rect().contains(one.mapFromGlobal(at)) for one in group):
            return True
        tabs = self.window.childAt(self.window.mapFromGlobal(at))
        return isinstance(tabs, QTabBar) and tabs.tabText(tabs.tabAt(tabs.mapFromGlobal(at))) == key

    def go_to(self, key: str) -> None:
        """Show a panel and focus its first field or list."""
        self.show(key)
        root = self._dock(key).widget()
        parts = [root, *root.findChildren(QWidget)]
        takes = [w for w in parts if w.focusPolicy() != NONE and w.isVisibleTo(root) and w.isEnabled()]
        if not takes:
            root.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # it holds words alone by now
        wanted = [w for w in takes if isinstance(w, KINDS)]
        [*wanted, *takes, root][0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def is_visible(self, key: str) -> bool:
        """True if the panel is visible: not closed and not behind another tab."""
        dock = self._dock(key)
        return dock.isVisible() and not dock.visibleRegion().isEmpty()

    # ------------------------------------------------------------------ where they are

    def arrange(self, room: QRect | None = None) -> None:
        """Arrange the docks as at a first start, fitted to the screen or to `room`."""
        window = self.window
        room = room or _room(window)
        window.window().resize(room.size().boundedTo(WANTED))
        for dock in self.opened.values():
            dock.setFloating(False)
            window.addDockWidget(BOTTOM, dock)
            dock.close()
        self._place(window.width() < NARROW)

    def _place(self, narrow: bool) -> None:
        """Dock all panels as at a first start, of a narrow window or a wide one; opened ones stay in side areas."""
        window, self._narrow = self.window, narrow
        self._large.end()
        for dock in self.docks.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        shown = [dock for dock in self.opened.values() if not dock.isHidden()]
        self._strip.folded = False
        # an empty layout forgets the places that are kept for docks not made yet
        window.restoreState(QMainWindow().saveState(VERSION), VERSION)
        window.addDockWidget(LEFT, self.docks["Palette"])
        window.addDockWidget(RIGHT, self.docks["Properties"])
        if narrow:
            window.addDockWidget(LEFT, self.docks["Properties"])
            window.tabifyDockWidget(self.docks["Palette"], self.docks["Properties"])
        window.addDockWidget(BOTTOM, self.docks["Plots"])
        if not narrow:
            window.splitDockWidget(self.docks["Plots"], self.docks["3-D View"], Qt.Orientation.Horizontal)
        for before, key in (
            ("Plots", "Problems"),
            ("Problems", "Signals"),
            ("Signals", "Runs"),
            ("Runs", "Studies"),
            ("Studies", "Sliders"),
            ("Sliders", "Dashboard"),
            ("Dashboard", "Log"),
        ):
            window.tabifyDockWidget(self.docks[before], self.docks[key])
        if narrow:
            window.tabifyDockWidget(self.docks["Log"], self.docks["3-D View"])
        with self._strip.by_program():
            for dock in self.docks.values():
                dock.show()
        for dock in self.opened.values():
            if not dock.isFloating() and window.dockWidgetArea(dock) == BOTTOM:
                self._put_beside_plots(dock)
                dock.setVisible(dock in shown)
        for key in ("Palette", "Plots"):
            self.docks[key].raise_()
        self._titler.start()
        self._share(narrow)
        self._first = None
        self.follow_model()
        self._noter.start()

    def follow_width(self) -> None:
        """Fold the panels of the sides when the window has become narrow, unfold them when it is wide again."""
        if (self.window.width() < NARROW) != self._narrow:
            self._folder.start()

    def follow_model(self) -> None:
        """Fold the panels of the sides of a narrow window that shows blocks, unless the user has opened them."""
        if self._large.panel is None:
            full = self._narrow and bool(self.window.top.block_names())
            fold = full and not self._strip.kept and self._is_at_first()
            if fold != self._strip.folded:
                self._strip.fold(fold)
                self._on_sides(not fold)
            self._strip.stand_in(self._narrow)

    def _on_sides(self, unfolded: bool) -> None:
        """Show the strip where there are no panels at the sides, and give unfolded ones their width."""
        if self._large.panel is None:
            self._strip.stand_in(self._narrow)
            if unfolded:
                self._share_sides(self._narrow)
                self._titler.start()

    def _note_first(self) -> None:
        """Note where a first start has put the panels, once the window is laid out."""
        if self._first is None and self.window.isVisible():
            self._first = self._panel_areas()

    def _fold(self) -> None:
        narrow = self.window.width() < NARROW
        if narrow == self._narrow or self._large.panel is not None:
            return
        if self._strip.folded:
            self._strip.fold(False)
        if self._is_at_first():  # what the user has arranged stays
            hidden = [dock for dock in self.docks.values() if dock.isHidden()]
            # raised one after the other: of panels that stood side by side the first stays, analyses before them all
            keys = [*reversed(self.docks), *self.opened]
            front = [self._dock(key) for key in keys if self.is_visible(key)]
            self._place(narrow)
            for dock in front:
                dock.raise_()
            for dock in hidden:
                dock.hide()
        self._narrow = narrow
        self.follow_model()

    def _panel_areas(self) -> dict[str, tuple[object, set[str]]]:
        """Area of each panel that is docked and not closed, and the panels that share tabs with it."""
        shown = {key: dock for key, dock in self.docks.items() if not dock.isHidden()}
        return {
            key: (
                None if dock.isFloating() else self.window.dockWidgetArea(dock),
                {other.objectName() for other in self.window.tabifiedDockWidgets(dock)} & shown.keys(),
            )
            for key, dock in shown.items()
        }

    def _is_at_first(self) -> bool:
        """True if all panels that are not closed stand where they were put last."""
        now, first = self._panel_areas(), self._first
        return first is None or all(
            key in first and (area, tabs) == (first[key][0], first[key][1] & now.keys())
            for key, (area, tabs) in now.items()
        )

    def _share(self, narrow: bool) -> None:
        """Set dock sizes in proportion to the window, limited to useful sizes."""
        window, docks = self.window, self.docks
        wide, high = window.width(), window.height()
        across, upright = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._share_sides(narrow)
        if not narrow:
            window.resizeDocks(
                [docks["Plots"], docks["3-D View"]], [int(0.39 * wide), int(0.22 * wide)], across
            )
        below = max(LOWER, int(0.35 * high)) if narrow else BELOW
        window.resizeDocks([docks["Plots"]], [min(int(0.42 * high), below, BELOW)], upright)

    def _share_sides(self, narrow: bool) -> None:
        """Set the widths of the panels of the sides."""
        docks, wide = self.docks, self.window.width()
        if narrow:
            sides, widths = [docks["Palette"]], [min(max(int(0.24 * wide), ROWS), SIDES[1])]
        else:
            sides = [docks["Palette"], docks["Properties"]]
            widths = [min(int(0.165 * wide), SIDES[0]), min(int(0.225 * wide), SIDES[1])]
        self.window.resizeDocks(sides, widths, Qt.Orientation.Horizontal)

    def lend_height(self, lack: int) -> None:
        """Give height [px] of the panels below to the canvas, until `take_back_height`."""
        window = self.window
        below = [
            dock for key, dock in self.docks.items()
            if self.is_visible(key) and not dock.isFloating() and window.dockWidgetArea(dock) == BOTTOM
        ]  # fmt: skip
        if self._lent is None and self._large.panel is None and below and below[0].height() > LOW:
            before = below[0].height()
            self._lent = below[0], before, max(LOW, before - lack)
            self._set_height(below[0], self._lent[2])

    def _set_height(self, dock: QDockWidget, height: int) -> None:
        """Set the height [px] of a docked panel; what Qt counts includes its tabs."""
        bars = [bar for bar in self.window.findChildren(QTabBar) if bar.isVisible()]
        title = dock.windowTitle()
        tabs = next((b.height() for b in bars if title in map(b.tabText, range(b.count()))), 0)
        self.window.resizeDocks([dock], [height + tabs], Qt.Orientation.Vertical)

    def take_back_height(self) -> None:
        """Give the panels below their height back, unless the user has set another one meanwhile."""
        if self._lent is not None:
            (dock, before, lent), self._lent = self._lent, None
            if abs(dock.height() - lent) <= 2:
                self._set_height(dock, before)

    def keep(self) -> None:
        self._large.end()
        self.take_back_height()
        settings = QSettings()
        settings.setValue("panels", self.window.saveState(VERSION))
        settings.setValue("sides folded", self._strip.folded)
        settings.setValue("sides kept", self._strip.kept)
        settings.remove("folded")
        if self._is_at_first():
            settings.setValue("folded", self._narrow)

    def restore(self) -> None:
        """Restore the layout of the last closed window, in place of that of a first start."""
        settings = QSettings()
        state = settings.value("panels")
        if isinstance(state, QByteArray):
            with self._strip.by_program():
                if not self.window.restoreState(state, VERSION):
                    self.arrange()
            self._strip.folded, self._strip.kept = (
                settings.value(key) in (True, "true") for key in ("sides folded", "sides kept")
            )
            folded = settings.value("folded")
            self._narrow, self._first = folded in (True, "true"), None if folded is not None else {}
            self._noter.start()
            self.follow_model()
            self.follow_width()
        self._show_titles()

    def hand_over_layout(self) -> Arrangement:
        """Return the layout of a page that goes behind another; what floats and its dialogs go with it."""
        self._large.end()
        self.take_back_height()
        arranged = Arrangement(
            self.window.saveState(VERSION),
            self._narrow,
            self._first,
            folded=self._strip.folded,
            kept=self._strip.kept,
        )
        floating = [one for one in self.window.findChildren(QWidget) if one.isWindow() and one.isVisible()]
        self._aside = [one for one in floating if one.windowType() in ASIDE and not one.isModal()]
        for one in self._aside:
            one.hide()
        return arranged

    def adopt_layout(self, arranged: Arrangement) -> None:
        """Take the layout of another page, which was shown before; this page's own panels come back where they were."""
        self._narrow, self._first = arranged.narrow, arranged.first
        self._strip.folded, self._strip.kept = arranged.folded, arranged.kept
        self.window.setAnimated(False)  # a page comes as a whole
        for bar in self.window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.hide()  # Qt shows those that it uses, and leaves the others where they are
        with self._strip.by_program():
            self.window.restoreState(arranged.state, VERSION)
        self.window.setAnimated(True)
        self._aside = [one for one in self._aside if isinstance(one, QDialog) or one in self.opened.values()]
        self.bring_back()
        for dock in self.opened.values():
            if not dock.isFloating() and self.window.dockWidgetArea(dock) == NOWHERE:
                self._put_beside_plots(dock)
        self.follow_model()
        self._titler.start()

    def bring_back(self) -> None:
        """Show the windows of this page that were hidden behind another one; of dialogs those that have not ended."""
        for one in self._aside:
            if isValid(one):
                one.show()
        self._aside = []

    def reset(self) -> None:
        QSettings().remove("panels")
        self.window.window().showNormal()
        self._strip.kept = False
        self.arrange()
        self.window.window().move(_room(self.window).topLeft())


def _room(window: Shell) -> QRect:
    """Screen area available to the inside of a window."""
    screen = window.screen() or QGuiApplication.primaryScreen()
    area = screen.availableGeometry()
    return QRect(area.topLeft(), area.size() - FRAME)
