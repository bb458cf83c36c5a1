"""Welcome page on the empty canvas, with three ways to begin."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPixmap, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from ...solver.flatten.diagram import Diagram
from ..canvas.scene import CanvasScene
from ..document.document import Document
from ..document.starter_models import templates
from ..recovery.autosave import recent_files
from ..theme.active_theme import holder, theme
from ..theme.block_catalog import examples, top_scalar
from ..theme.small_widgets import laid, text_label

RECENT = 4  # files
THUMB, SHARP = QSize(120, 60), 2  # px of a picture, and points of it for each
# px of a picture, around the page, and between its columns: in a low window, and where panels cannot lend it height
LARGE, LOW, TIGHT = (THUMB, 20, 28), (QSize(84, 42), 20, 28), (QSize(68, 34), 12, 16)
FINE = 3  # times as large a diagram is drawn, so that it shows its symbols
STARTERS = ("crane_demo", "excavator", "crane_offshore", "tower_crane", "gripper")
PICTURES = Path(__file__).with_name("pictures")  # of mechanisms in 3-D, made by docs/thumbnails.py


def start_examples() -> list[Path]:
    """Library models that the page offers, in their order."""
    found = {path.stem: path for path in examples()}
    return [found[name] for name in STARTERS if name in found]


def title_of(path: Path) -> str:
    """Name that a model gives itself, up to a `with`, begun with a capital letter."""
    name = top_scalar(path.read_text(encoding="utf-8"), "name").partition(" with ")[0]
    title = name or path.stem.replace("_", " ")
    return title[0].upper() + title[1:]


def picture_3d(name: str) -> QPixmap:
    """Picture of a mechanism, an example's or `template_NAME`, in the colours of the theme; null if there is none."""
    shown = QPixmap(str(PICTURES / f"{name}_{theme().name}.png"))
    shown.setDevicePixelRatio(SHARP)
    return shown


@cache
def picture(text: str, look: str) -> QPixmap:
    """Picture of a template's diagram as the canvas paints it in a theme, the one of now; kept for all windows."""
    drawn = QPixmap(THUMB * SHARP * FINE)
    drawn.fill(theme().colour("canvas"))
    document = Document(Diagram.from_yaml(text))
    canvas = CanvasScene(document)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = canvas.content_rect()
    whole = QRectF(0, 0, 0, 0)
    whole.setSize(QSizeF(THUMB).scaled(area.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    whole.moveCenter(area.center())
    canvas.render(painter, QRectF(drawn.rect()).adjusted(20, 20, -20, -20), whole)
    painter.end()
    document.close()
    shown = drawn.scaled(
        THUMB * SHARP, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
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
    tour_wanted = Signal()
    height_wanted = Signal(int)  # px that are missing to show all of it

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self._home = self._below = parent  # a canvas may go before its window does
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._ways = QWidget()
        shown = start_examples()
        links: list[tuple[str, Callable[[], None]]] = [
            (title_of(path), lambda path=path: self.example_wanted.emit(path)) for path in shown
        ]
        ready = self._column("Open an example", "Complete models to run", links)
        self._examples = list(zip(self._links(ready), shown, strict=False))
        links = [
            (key.replace("_", " ").capitalize(), lambda key=key: self.template_wanted.emit(key))
            for key in templates()
        ]
        begun = self._column("Start from a template", "A few wired blocks to change", links)
        self._templates = list(zip(self._links(begun), templates().items(), strict=False))
        links = [
            ("Insert a block", self.insert_wanted.emit),
            ("Open a file...", self.open_wanted.emit),
            ("Take the tour", self.tour_wanted.emit),
        ]
        own = self._column("Build your own", "Type its name, press /, or drag from the palette", links)
        self._recent = QWidget()  # files that were open before, below
        laid(QVBoxLayout(self._recent), margins=(0, 14, 0, 0), spacing=4)
        own.insertWidget(own.count() - 1, self._recent)
        self._own = QWidget()
        own.setContentsMargins(0, 0, 0, 0)
        self._own.setLayout(own)
        self._grid = QGridLayout(self._ways)
        self._grid.addLayout(ready, 0, 0, 2, 1)
        self._grid.addLayout(begun, 0, 1)
        self._grid.setRowStretch(1, 1)
        self._place_own(False)
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
    ) -> QVBoxLayout:
        words = text_label(text, "muted", wraps=True)
        words.setFixedWidth(190)
        words.setMinimumHeight(2 * words.fontMetrics().lineSpacing())
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        box = laid(QVBoxLayout(), text_label(title, "title"), words, spacing=4)
        box.addSpacing(6)
        for label, action in links:
            box.addWidget(link(label, action), 0, Qt.AlignmentFlag.AlignLeft)
        box.addStretch(1)
        return box

    def _place_own(self, below: bool) -> None:
        """Place the column of one's own models below the templates, as in a narrow window, or beside them."""
        self._grid.removeWidget(self._own)
        if below:
            self._grid.addWidget(self._own, 1, 1)
        else:
            self._grid.addWidget(self._own, 0, 2, 2, 1)
        self._grid.activate()

    def _links(self, column: QVBoxLayout) -> list[QPushButton]:
        entries = (column.itemAt(k) for k in range(column.count()))
        parts = [entry.widget() for entry in entries if entry is not None]
        return [part for part in parts if isinstance(part, QPushButton)]

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
        pictures = [(button, picture_3d(path.stem)) for button, path in self._examples]
        for button, (key, text) in self._templates:
            mechanism = picture_3d(f"template_{key}")
            pictures.append((button, picture(text, t.name) if mechanism.isNull() else mechanism))
        for button, shown in pictures:
            button.setIcon(QIcon(shown))
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

    def _wanted(self, thumb: QSize, around: int, between: int) -> QSize:
        """Size with all that it shows, in the width that there is."""
        for button, _ in (*self._examples, *self._templates):
            button.setIconSize(thumb)
        self._grid.setContentsMargins(around, around, around, around)
        self._grid.setHorizontalSpacing(between)
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        self._place_own(False)
        self._place_own(self._ways.sizeHint().width() + 2 + bar > self._below.width())
        self._ways.adjustSize()
        return self._ways.sizeHint() + QSize(2, 2)  # and the outline

    def centre(self) -> None:
        """Set the size to the content, at most that of the canvas; the rest scrolls."""
        area = self._below.rect()
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        lack = 0
        for look in (LARGE, LOW, TIGHT):
            wanted = self._wanted(*look)
            over_high, over_wide = wanted.height() > area.height(), wanted.width() > area.width()
            if not over_high and not over_wide:
                break
            if look is LOW:
                lack = wanted.height() - area.height()
        # a bar beside takes room from what it does not scroll
        size = wanted + QSize(bar if over_high else 0, bar if over_wide else 0)
        size = size.boundedTo(area.size())
        self.resize(size)
        self._scroll.setGeometry(self.rect().adjusted(1, 1, -1, -1))
        self.move((area.width() - size.width()) // 2, (area.height() - size.height()) // 2)
        if lack > 0 and self.isVisible():
            self.height_wanted.emit(lack)
