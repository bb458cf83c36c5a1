"""Welcome page on the empty canvas, with three ways to begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPixmap, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from ...solver.flatten.diagram import Diagram
from ..document.starter_models import templates
from ..drawing.diagram_svg import draw
from ..recovery.autosave import recent_files
from ..theme.active_theme import holder, theme
from ..theme.block_catalog import examples
from ..theme.small_widgets import laid, text_label

RECENT = 4  # files
THUMB, SHARP = QSize(96, 48), 2  # px of a template's picture, and points of it for each


@cache
def svg_of(text: str) -> bytes:
    """SVG of a template diagram, cached for all windows."""
    return draw(Diagram.from_yaml(text)).svg.encode()


def picture(text: str) -> QPixmap:
    """Thumbnail of a diagram."""
    drawn = QSvgRenderer(svg_of(text))
    shown = QPixmap(THUMB * SHARP)
    shown.fill(Qt.GlobalColor.white)
    size = QSizeF(drawn.defaultSize()).scaled(QSizeF(shown.size()), Qt.AspectRatioMode.KeepAspectRatio)
    place = QRectF(QPointF(), size)
    place.moveCenter(QRectF(shown.rect()).center())
    painter = QPainter(shown)
    drawn.render(painter, place)
    painter.end()
    shown.setDevicePixelRatio(SHARP)
    return shown


def link(text: str, action: Callable[[], None]) -> QPushButton:
    """Button that looks like a link."""
    button = QPushButton(text)
    button.setProperty("link", True)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.clicked.connect(lambda _=False: action())
    return button


class Welcome(QFrame):
    """Welcome page over the empty canvas; clicks, wheel and drops beside its buttons reach the canvas."""

    example_wanted = Signal(object)  # Path
    template_wanted = Signal(str)
    insert_wanted = Signal()
    open_wanted = Signal()
    recent_wanted = Signal(object)  # Path

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self._home = self._below = parent  # a canvas may go before its window does
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._ways = QWidget()
        shown = examples()[:5]
        links: list[tuple[str, Callable[[], None]]] = [
            (path.stem.replace("_", " "), lambda path=path: self.example_wanted.emit(path)) for path in shown
        ]
        links = links or [("Open a file", self.open_wanted.emit)]
        ready = self._column("Open an example", "Complete models from the library", links)
        links = [
            (key.replace("_", " "), lambda key=key: self.template_wanted.emit(key)) for key in templates()
        ]
        pictures = [picture(text) for text in templates().values()]
        begun = self._column("Start from a template", "A few wired blocks to change", links, pictures)
        links = [("Insert a block", self.insert_wanted.emit)]
        own = self._column("Build your own", "Type its name, press /, or drag from the palette", links)
        self._recent = QWidget()  # files that were open before, below
        laid(QVBoxLayout(self._recent), margins=(0, 14, 0, 0), spacing=4)
        own.insertWidget(own.count() - 1, self._recent)
        laid(QHBoxLayout(self._ways), ready, begun, own, margins=(28, 24, 28, 24), spacing=36)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setAccessibleName("Ways to begin")
        self._scroll.setWidget(self._ways)
        holder.changed.connect(self._restyle)
        self._restyle()

    def _column(
        self,
        title: str,
        text: str,
        links: list[tuple[str, Callable[[], None]]],
        pictures: Sequence[QPixmap] = (),
    ) -> QVBoxLayout:
        words = text_label(text, "muted", wraps=True)
        words.setFixedWidth(190)
        words.setMinimumHeight(2 * words.fontMetrics().lineSpacing())
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        box = laid(QVBoxLayout(), text_label(title, "title"), words, spacing=4)
        box.addSpacing(6)
        for k, (label, action) in enumerate(links):
            button = link(label, action)
            if pictures:
                button.setIcon(QIcon(pictures[k]))
                button.setIconSize(THUMB)
            box.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        box.addStretch(1)
        return box

    def _show_recent(self) -> None:
        """List the files that were open last, newest first."""
        box = self._recent.layout()
        assert isinstance(box, QVBoxLayout)
        while (entry := box.takeAt(0)) is not None:
            old = entry.widget()
            if old is not None:
                old.setParent(None)
                old.deleteLater()
        files = recent_files()[:RECENT]
        self._recent.setVisible(bool(files))
        if files:
            box.addWidget(text_label("Recent files", "title"))
        for path in files:
            button = link(path.name, lambda path=path: self.recent_wanted.emit(path))
            button.setToolTip(str(path))
            box.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses the link that has the focus."""
        focus = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focus, QPushButton):
            focus.click()
        else:
            super().keyPressEvent(event)

    def _restyle(self) -> None:
        t = theme()
        self.setStyleSheet(
            f"Welcome {{ background: {t.panel}; border: 1px solid {t.border}; border-radius: 8px; }}"
        )
        for part in (self._scroll, self._scroll.viewport(), self._ways):
            part.setStyleSheet(".QScrollArea, .QWidget { background: transparent; }")

    def show_on(self, canvas: QWidget | None) -> None:
        """Show the page in the centre of a canvas, as its child; with None, hide it."""
        if canvas is None:
            self.hide()
            self._follow(self._home)
        elif self._below is not canvas:
            self._follow(canvas)
            self._show_recent()
            before = canvas.parentWidget() or canvas
            for link in self._ways.findChildren(QPushButton):  # Tab leads from the canvas into them
                self.setTabOrder(before, link)
                before = link
            self.show()
            self.centre()

    def _follow(self, parent: QWidget) -> None:
        if self._below is not parent:
            self._below.removeEventFilter(self)
            self._below = parent
            self.setParent(parent)
            parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._below and event.type() == QEvent.Type.Resize:
            self.centre()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self.centre)

    def centre(self) -> None:
        """Set the size to the content, at most that of the canvas; the rest scrolls."""
        area = self._below.rect()
        self._ways.adjustSize()
        wanted = self._ways.sizeHint() + QSize(2, 2)  # and the outline
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        over_high, over_wide = wanted.height() > area.height(), wanted.width() > area.width()
        # a bar beside takes room from what it does not scroll
        size = wanted + QSize(bar if over_high else 0, bar if over_wide else 0)
        size = size.boundedTo(area.size())
        self.resize(size)
        self._scroll.setGeometry(self.rect().adjusted(1, 1, -1, -1))
        self.move((area.width() - size.width()) // 2, (area.height() - size.height()) // 2)
