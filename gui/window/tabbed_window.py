"""Top-level window: open diagrams as tabs. Each tab has a page of its own, with its undo, run and panels."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenuBar,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from ..document.document import Document
from ..properties.parameter_editors import finish_typing
from ..recovery import open_files
from ..theme.small_widgets import laid, tool_button
from .open_level import OpenLevel
from .part_protocols import FilesPart, PanelsPart, RecordingPart


class Page(QMainWindow):
    """Page of an open diagram: its levels, and how it closes. The window holds its menu bar."""

    tabs: TabbedWindow
    menu_bar: QMenuBar
    levels: list[OpenLevel]
    panels: PanelsPart
    files: FilesPart
    recording: RecordingPart

    @property
    def top(self) -> Document:
        """Outermost document, which runs."""
        return self.levels[0].document

    def take_focus(self) -> None:
        self.levels[-1].view.setFocus(Qt.FocusReason.OtherFocusReason)

    def may_close(self) -> bool:
        """Ask about what closing would lose; False keeps the page."""
        if self.isActiveWindow():
            finish_typing()
        kept = all(self.files.may_close(level) for level in reversed(self.levels))
        return kept and self.recording.may_be_discarded()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        if len(self.tabs.pages) == 1:
            self.tabs.keep_layout()
        self.release()
        self.tabs.remove(self)
        event.accept()

    def release(self) -> None:
        """Close the documents, of which nothing is asked any more."""
        for level in self.levels:
            level.close()


class DocumentTabs(QTabBar):
    """Row of tabs, hidden while one diagram is open; a click with the middle button closes a tab."""

    middle_clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Open diagrams")
        self.setProperty("role", "documents")
        self.setDocumentMode(True)
        self.setExpanding(False)
        self.setMovable(True)
        self.setIconSize(QSize(14, 14))
        self.setAutoHide(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Ctrl+PgDown leads through them

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        at = self.tabAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton and at >= 0:
            self.middle_clicked.emit(at)


class TabbedWindow(QWidget):
    """Menu bar of the page that is shown, tabs, pages; panels stand alike on all pages."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.pages: list[Page] = []  # in the order of their tabs
        self.current: Page | None = None
        self._closing = False
        self.tabs = DocumentTabs()
        self.tabs.currentChanged.connect(self._show_chosen_page)
        self.tabs.middle_clicked.connect(lambda k: self.pages[k].close())
        self.tabs.tabMoved.connect(self._reorder)
        self._stack = QStackedWidget()
        self._bars = laid(QVBoxLayout(), margins=(0, 0, 0, 0), spacing=0)
        laid(QVBoxLayout(self), self._bars, self.tabs, (self._stack, 1), margins=(0, 0, 0, 0), spacing=0)

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Move the focus to the next place in sight: none of a panel that stands behind the tab of another."""
        met = [QApplication.focusWidget()]
        while super().focusNextPrevChild(forwards):
            now = QApplication.focusWidget()
            if now is None or now in met or not _is_behind(now):
                return True
            met.append(now)
        return False

    def restore_geometry(self) -> None:
        """Take the place and size that the last closed window had."""
        geometry = QSettings().value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)

    # ------------------------------------------------------------------ pages

    def add(self, page: Page) -> None:
        """Add a page behind the last tab and show it."""
        if not self.pages:
            self.resize(page.size())
        self.pages.append(page)
        self._bars.addWidget(page.menu_bar)
        self._stack.addWidget(page)
        k = self.tabs.addTab("")  # the first one is shown at once
        away = tool_button("close", "Close this diagram (Ctrl+W)", "Close this diagram")
        away.setIconSize(QSize(10, 10))
        away.setAutoRaise(True)
        away.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        away.clicked.connect(page.close)
        self.tabs.setTabButton(k, QTabBar.ButtonPosition.RightSide, away)
        self.show_titles()
        self.show_page(page)

    def show_page(self, page: Page) -> None:
        self.tabs.setCurrentIndex(self.pages.index(page))

    def bring_to_front(self, page: Page) -> None:
        """Show a page and bring this window to the front."""
        self.show_page(page)
        self.raise_()
        self.activateWindow()

    def show_neighbour(self, by: int) -> None:
        """Show the next page (1) or the one before (-1), in a circle."""
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % len(self.pages))

    def _show_chosen_page(self, k: int) -> None:
        page = self.pages[k] if 0 <= k < len(self.pages) else None
        before, self.current = self.current, page
        if page is None or page is before:
            return
        shown = self.updatesEnabled()
        self.setUpdatesEnabled(False)
        arranged = before.panels.hand_over_layout() if before is not None else None
        for other in self.pages:
            other.menu_bar.hide()
        page.menu_bar.show()  # after that of before, which would squeeze the page
        self._stack.setCurrentWidget(page)
        if arranged is not None:
            page.panels.adopt_layout(arranged)
        else:  # the first of this window
            page.panels.bring_back()
        self.setUpdatesEnabled(shown)
        page.take_focus()
        self._show_window_title()
        self._remember_session()

    def _reorder(self, start: int, end: int) -> None:
        self.pages.insert(end, self.pages.pop(start))
        self._remember_session()

    def remove(self, page: Page) -> None:
        """Take a page away, and show its neighbour; a window without pages closes."""
        if self._closing or page not in self.pages:
            return
        k = self.pages.index(page)
        self.tabs.blockSignals(True)
        self.pages.pop(k)
        self.tabs.removeTab(k)
        self.tabs.blockSignals(False)
        self._show_chosen_page(self.tabs.currentIndex())
        self._stack.removeWidget(page)
        page.menu_bar.hide()
        self._bars.removeWidget(page.menu_bar)
        page.menu_bar.setParent(page)  # with which it ends, or moves
        self.show_titles()
        self._remember_session(closed=True)
        if not self.pages:
            self.close()

    def take_out(self, page: Page) -> None:
        """Move a page to a window of its own."""
        if len(self.pages) == 1:
            return
        other = TabbedWindow()
        self.remove(page)
        page.tabs = other
        other.resize(self.size())
        other.add(page)
        other.show()
        other.move(self.pos() + self.tabs.rect().bottomLeft())

    # ------------------------------------------------------------------ titles

    def show_titles(self) -> None:
        """Write the name of each diagram on its tab: with its folder where two are alike, `*` if it is modified."""
        others = [window for window in tabbed_windows() if window is not self]
        _number_untitled([page.top for window in [self, *others] for page in window.pages])
        names = [page.top.title for page in self.pages]
        for k, page in enumerate(self.pages):
            path, name = page.top.path, names[k]
            if path is not None and names.count(name) > 1:
                name = f"{name} – {path.resolve().parent.name}"
            star = "*" if page.isWindowModified() else ""
            self.tabs.setTabText(k, f"{name}{star}".replace("&", "&&"))
            self.tabs.setTabToolTip(k, str(path or "This diagram has no file yet"))
        self._show_window_title()
        self._remember_session()

    def _show_window_title(self) -> None:
        if self.current is not None:
            self.setWindowTitle(self.current.windowTitle())
            self.setWindowModified(self.current.isWindowModified())

    def _remember_session(self, closed: bool = False) -> None:
        """Remember the files of all tabs of all windows, which the next start opens again; none only where one was
        closed, since a window begins empty."""
        others = [window for window in tabbed_windows() if window is not self]
        pages = [page for window in [self, *others] if not window._closing for page in window.pages]
        paths = [page.top.path for page in pages if page.top.path]
        if paths or (pages and closed):
            open_files.remember_open_files(paths, self.current.top.path if self.current is not None else None)

    # ------------------------------------------------------------------ closing

    def keep_layout(self) -> None:
        QSettings().setValue("geometry", self.saveGeometry())
        if self.current is not None:
            self.current.panels.keep()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close all pages, or none of them where one answer was to cancel."""
        if not self._closing and not all(page.may_close() for page in [*self.pages]):
            event.ignore()
            return
        if self.pages:
            self.keep_layout()
        self._closing = True
        for page in [*self.pages]:
            page.release()
        self._remember_session()
        event.accept()

    @staticmethod
    def close_all() -> bool:
        """Close all windows; False, and none is closed, where one answer was to cancel."""
        windows = tabbed_windows()
        if not all(page.may_close() for window in windows for page in [*window.pages]):
            return False
        for window in windows:
            window._closing = True  # agreed, and what is open now is the session
        for window in windows:
            window.close()
        return True


def _is_behind(widget: QWidget) -> bool:
    """True if a widget belongs to a panel behind the tab of another; one that still moves to the front is there."""
    dock: QWidget | None = widget
    while dock is not None and not isinstance(dock, QDockWidget):
        dock = dock.parentWidget()
    page = dock.parentWidget() if dock else None
    if dock is None or not isinstance(page, QMainWindow) or not page.tabifiedDockWidgets(dock):
        return False
    bars = page.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = [bar.tabText(bar.currentIndex()) for bar in bars if bar.isVisible()]
    return dock.windowTitle() not in shown


def _number_untitled(documents: list[Document]) -> None:
    """Tell open documents without a name apart; each keeps its number as long as it has none."""
    for document in documents:
        if document.path or document.diagram.name:
            document.number = 0
    for document in documents:
        if not (document.number or document.path or document.diagram.name):
            taken = {each.number for each in documents}
            document.number = next(k for k in range(1, len(documents) + 1) if k not in taken)
            document.titled.emit()


def tabbed_windows() -> list[TabbedWindow]:
    """Windows that are open."""
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, TabbedWindow) and one.pages]
