"""Block palette: every block by family with its symbol; search field, drag to the canvas, double-click."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QDrag, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ...canvas.canvas_protocol import BLOCK_MIME
from ...document.document import Document
from ...theme.active_theme import holder, theme
from ...theme.block_catalog import FAMILIES, Entry, builtin, composites, search
from ...theme.icons import symbol_icon
from ...theme.small_widgets import laid

TYPE = Qt.ItemDataRole.UserRole
NAME = TYPE + 1  # name in a netlist, below the one in words


class Palette(QWidget):
    chosen = Signal(str)  # insert this type

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(170)  # names stay legible, however small a window was when it was closed
        self.document: Document | None = None
        self.field = QLineEdit(placeholderText="Search blocks")
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName("Search blocks")
        self.tree = _Tree()
        self.tree.setAccessibleName("Blocks")
        self.tree.setItemDelegate(NamedRows(self.tree))
        self.tree.itemActivated.connect(self._activate)
        self.field.textChanged.connect(self.fill)
        self.field.returnPressed.connect(self._insert_first)
        laid(QVBoxLayout(self), self.field, self.tree, margins=(6, 6, 6, 0), spacing=6)
        self._entries: list[Entry] = []
        holder.changed.connect(self.fill)

    def show_document(self, document: Document) -> None:
        self.document = document
        self.refresh()

    def refresh(self) -> None:
        """List the built-in blocks and the composites beside the document anew."""
        folder = self.document.diagram.base if self.document else None
        own = self.document.path if self.document else None
        self._entries = [*builtin(), *composites(folder, own)]
        self.fill()

    def fill(self) -> None:
        words = self.field.text()
        heads = [self.tree.topLevelItem(k) for k in range(self.tree.topLevelItemCount())]
        folded = {head.text(0) for head in heads if head and not head.isExpanded()}
        self.tree.clear()
        hits = search(self._entries, words)
        order = [*FAMILIES, *sorted({e.family for e in hits} - set(FAMILIES))]
        if words:  # the best one stands first, with its family
            order = [*dict.fromkeys(entry.family for entry in hits)]
        for family in order:
            members = [entry for entry in hits if entry.family == family]
            if not members:
                continue
            head = QTreeWidgetItem([family.capitalize()])
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            font = head.font(0)
            font.setBold(True)
            head.setFont(0, font)
            self.tree.addTopLevelItem(head)
            for entry in members:
                item = QTreeWidgetItem([entry.words])
                item.setData(0, NAME, entry.type_name)
                item.setIcon(0, symbol_icon(entry.type_name, entry.family))
                item.setData(0, TYPE, entry.type_name)
                item.setToolTip(0, entry.doc)
                head.addChild(item)
            head.setExpanded(bool(words) or head.text(0) not in folded)
        if not hits:
            none = QTreeWidgetItem([f'No block matches "{words}"'])
            none.setFlags(Qt.ItemFlag.NoItemFlags)
            self.tree.addTopLevelItem(none)

    def _insert_first(self) -> None:
        hits = search(self._entries, self.field.text())
        if hits and self.field.text():
            self.chosen.emit(hits[0].type_name)

    def _activate(self, item: QTreeWidgetItem) -> None:
        type_name = item.data(0, TYPE)
        if type_name:
            self.chosen.emit(type_name)


class NamedRows(QStyledItemDelegate):
    """Item delegate that writes a block's name in a netlist below its name in words."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        if index.data(NAME) is None:
            return hint
        return QSize(hint.width(), 2 * option.fontMetrics.height() + 6)  # type: ignore[attr-defined]

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if index.data(NAME) is not None:
            option.displayAlignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop  # type: ignore[attr-defined]

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        name = index.data(NAME)
        if name is None:
            return
        view: QTreeWidget = option.widget  # type: ignore[attr-defined]
        rect: QRect = option.rect.adjusted(view.iconSize().width() + 11, 0, -4, -3)  # type: ignore[attr-defined]
        font = QFont(option.font)  # type: ignore[attr-defined]
        font.setPointSizeF(font.pointSizeF() * 0.85) if font.pointSizeF() > 0 else font.setPixelSize(11)
        painter.save()
        painter.setFont(font)
        chosen = option.state & QStyle.StateFlag.State_Selected  # type: ignore[attr-defined]
        painter.setPen(theme().colour("accent_text" if chosen else "muted"))
        elided = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, elided)
        painter.restore()


class _Tree(QTreeWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setIconSize(QSize(33, 22))
        self.setIndentation(8)
        self.setUniformRowHeights(False)
        self.setExpandsOnDoubleClick(False)
        self._pressed: QPoint | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        item = self.itemAt(self._pressed)
        if item and item.childCount() and event.button() == Qt.MouseButton.LeftButton:
            item.setExpanded(not item.isExpanded())
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(self._pressed) if self._pressed else None
        far = self._pressed and (event.position().toPoint() - self._pressed).manhattanLength()
        if item and item.data(0, TYPE) and far and far >= QApplication.startDragDistance():
            self._drag(item)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        super().mouseReleaseEvent(event)

    def _drag(self, item: QTreeWidgetItem) -> None:
        drag = QDrag(self)
        data = QMimeData()
        data.setData(BLOCK_MIME, str(item.data(0, TYPE)).encode())
        drag.setMimeData(data)
        size = QSize(72, 48)
        pixmap = QPixmap(size * self.devicePixelRatio())
        pixmap.setDevicePixelRatio(self.devicePixelRatio())
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        item.icon(0).paint(painter, 0, 0, size.width(), size.height())
        painter.end()
        drag.setPixmap(pixmap)
        drag.setHotSpot(QPoint(36, 24))
        self._pressed = None
        drag.exec(Qt.DropAction.CopyAction)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item:
            self.itemActivated.emit(item, 0)
            return
        super().keyPressEvent(event)
