"""Two models side by side: added, removed, changed and moved parts are coloured and listed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ....blocks.errors import LuffError
from ....solver.diagram.edit_events import Event
from ....solver.diagram.netlist_diff import Comparison, Difference, compare_netlists, taken_back
from ....solver.flatten.diagram import Diagram
from ....solver.results.result_files import atomic_replace
from ...canvas.readonly_canvas import LinkedViews, ReadOnlyView
from ...document.document import Document
from ...document.undo_commands import Snapshot
from ...drawing.diff_drawing import page
from ...theme import active_theme as themes
from ...theme.active_theme import theme
from ...theme.small_widgets import ElidedLabel, laid, push_button, set_style_property
from ..confirmations import with_suffix
from ..proposed_file import proposed_file

ZOOM = 1.25
SUBJECT = Qt.ItemDataRole.UserRole
SIZE = QSize(1240, 680)


class SideBySide(QDialog):
    """Comparison window. Its canvases are read-only; what differs in an open diagram can be taken from the other."""

    def __init__(
        self,
        a: Diagram,
        b: Diagram,
        names: tuple[str, str],
        parent: QWidget | None = None,
        live: Document | None = None,
    ):
        """Comparison of a with b; b is followed if it is a copy of the `live` document's."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowFlags(Qt.WindowType.Window)
        self.setWindowTitle(f"{names[0]} and {names[1]}")
        self.resize(SIZE)
        self.diagrams, self.names, self.live = (a, b), names, live
        self.comparison: Comparison = compare_netlists(a, b)
        self.marks = self.comparison.marks()
        self.documents = [Document(diagram, checked=False) for diagram in (a, b)]
        self.views = [ReadOnlyView(document) for document in self.documents]
        for view, name in zip(self.views, names, strict=True):
            view.setAccessibleName(f"Canvas of {name}")
            view.pointed_out.connect(lambda subject, view=view: self._point_out(view, subject))
        same = {name: name for name in a.blocks if name in b.blocks}
        self.together = LinkedViews(self.views[0], self.views[1], same | self.comparison.renamed)
        self.key, self.said, self.list = QLabel(), QLabel(), QTreeWidget()
        self.lines: list[QTreeWidgetItem] = []  # list entries without headings
        self.differences: list[Difference] = []  # of each of them
        self.list.setHeaderHidden(True)
        self.list.setIndentation(12)
        self.list.setAccessibleName("Differences")
        self.list.currentItemChanged.connect(lambda item, _: self._go_to(item))
        self.list.itemClicked.connect(self._go_to)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.itemSelectionChanged.connect(self._show_takeable)
        self.take = push_button(
            "&Take from Left",
            "Put what the left diagram has in place of the selected differences, as one step of undo",
            lambda: self.take_left(),
        )
        self.take.setVisible(live is not None)
        self._follower = QTimer(self, singleShot=True, interval=0)
        self._follower.timeout.connect(self.follow)
        if live is not None:
            live.edited.connect(self._on_edit)
        self._fill()
        self._lay_out()
        themes.holder.changed.connect(self._restyle)
        self._restyle()

    # ------------------------------------------------------------------ its parts

    def _lay_out(self) -> None:
        canvases, whole = QSplitter(), QSplitter(Qt.Orientation.Vertical)
        for name, view in zip(self.names, self.views, strict=True):
            column, label = QWidget(), ElidedLabel(name)
            label.setProperty("role", "title")
            laid(QVBoxLayout(column), label, (view, 1), margins=(0, 0, 0, 0))
            canvases.addWidget(column)
        canvases.setChildrenCollapsible(False)
        whole.addWidget(canvases)
        whole.addWidget(self.list)
        whole.setStretchFactor(0, 1)
        whole.setSizes([SIZE.height(), 190])
        head = laid(QHBoxLayout(), self.key, None, self.take)
        self.take.setAutoDefault(False)
        view = self.views[0]
        for text, keys, tip, done in (
            ("-", "Ctrl+-", "Shrink both", lambda: view.zoom_by(1 / ZOOM)),
            ("+", "Ctrl++", "Enlarge both", lambda: view.zoom_by(ZOOM)),
            ("Fit", "", "Show all of both (Space)", self.together.fit),
            (
                "Save as Page...",
                "Ctrl+S",
                "Both diagrams and the list in one file for browsers",
                self.save_page,
            ),
        ):
            button = push_button(text, f"{tip} ({keys})" if keys else tip, lambda _=False, done=done: done())
            button.setShortcut(keys)
            button.setAccessibleName(tip)
            button.setAutoDefault(False)
            head.addWidget(button)
        laid(QVBoxLayout(self), head, (whole, 1), self.said)
        self.said.hide()
        self.list.setFocus()
        QTimer.singleShot(0, self, self.together.fit)

    def _fill(self) -> None:
        """Fill the list with the differences under the headings of their sections, and mark them on both canvases."""
        for view, fates in zip(self.views, self.marks, strict=True):
            view.canvas.show_fates(fates)
        headings: dict[str, QTreeWidgetItem] = {}
        for one in self.comparison.difference_lines():
            if one.heading not in headings:
                headings[one.heading] = QTreeWidgetItem(self.list, [one.heading])
                headings[one.heading].setFlags(Qt.ItemFlag.ItemIsEnabled)
            item = QTreeWidgetItem(headings[one.heading], [one.words])
            item.setToolTip(0, one.words)
            item.setData(0, SUBJECT, one.subject)
            self.lines.append(item)
            self.differences.append(one)
        if not headings:
            QTreeWidgetItem(self.list, ["Nothing differs"]).setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.list.expandAll()
        self._show_takeable()

    # ------------------------------------------------------------------ taking differences

    def _chosen(self) -> list[int]:
        return [k for k, item in enumerate(self.lines) if item.isSelected()]

    def _show_takeable(self) -> None:
        self.take.setEnabled(bool(self._chosen()))

    def take_left(self) -> None:
        """Take the selected differences from the left diagram into the open one."""
        chosen = self._chosen()
        if self.live is None or not chosen:
            return
        diagram, count = self.live.diagram, len(chosen)
        data = taken_back(diagram, [self.differences[k] for k in chosen])
        words = self.differences[chosen[0]].words if count == 1 else f"{count} differences"
        self.live.push(Snapshot(diagram, f"take back {words}", lambda diagram: diagram.restore(data)))
        self.follow()
        if self.lines:  # the next one
            self.list.setCurrentItem(self.lines[min(chosen[0], len(self.lines) - 1)])

    def _on_edit(self, _event: Event) -> None:
        self._follower.start()

    def follow(self) -> None:
        """Compare with the open diagram as it is now."""
        if self.live is None:
            return
        a, b = self.diagrams
        self._follower.stop()
        b.restore(self.live.diagram.snapshot())
        self.comparison = compare_netlists(a, b)
        self.marks = self.comparison.marks()
        self.lines, self.differences = [], []
        self.list.clear()
        for view in self.views:
            view.canvas.sync()
        self._fill()
        self._restyle()

    def _restyle(self) -> None:
        fates = theme().fates
        self.key.setText(
            "&nbsp;&nbsp; ".join(
                f'<span style="color:{c}">&#9632;</span> {fate}' for fate, c in fates.items()
            )
        )
        for item in self.lines:
            fate = self._change_kind(item.data(0, SUBJECT))
            item.setIcon(0, _square(theme().fate(fate)) if fate else QIcon())

    def _change_kind(self, subject: str) -> str:
        before, after = self.marks
        return after.get(subject) or before.get(self.comparison.before(subject), "")

    # ------------------------------------------------------------------ going to a difference

    def go_to(self, subject: str) -> None:
        """Select the first list entry of a block or wire, by its name in the second model."""
        for line in self.lines:
            if _subject(line) == subject:
                self.list.setCurrentItem(line)
                return

    def _go_to(self, item: QTreeWidgetItem | None) -> None:
        subject = item.data(0, SUBJECT) if item else None
        if subject:
            self.together.show(self.comparison.before(subject), subject)

    def _point_out(self, view: ReadOnlyView, subject: str) -> None:
        """Select what was clicked in one view in both views and in the list."""
        first = view is self.views[0]
        lines = {self.comparison.before(s) if first else s: s for s in map(_subject, self.lines)}
        after = lines.get(subject, self.comparison.renamed.get(subject, subject) if first else subject)
        self.list.blockSignals(True)
        self.list.clearSelection()
        if after:
            self.go_to(after)
        self.list.blockSignals(False)
        for one, name in zip(self.views, (self.comparison.before(after), after), strict=True):
            one.choose(name)

    # ------------------------------------------------------------------ as a page

    def save_page(self) -> None:
        start = proposed_file(self.documents[1], "_differences.html")
        name, _ = QFileDialog.getSaveFileName(self, "Save as Page", str(start), "Page (*.html)")
        path = with_suffix(self, Path(name), ".html") if name else None
        if path:
            self._show_message(*self._write(path))

    def _write(self, path: Path) -> tuple[str, str]:
        try:
            with atomic_replace(path, "the comparison") as part:
                part.write_text(page(*self.diagrams, self.comparison, self.names), encoding="utf-8")
        except (LuffError, OSError) as error:
            return str(error), "error"
        return f"Saved {path}", ""

    def _show_message(self, text: str, role: str) -> None:
        self.said.setText(text)
        set_style_property(self.said, "role", role)
        self.said.show()

    def done(self, result: int) -> None:
        themes.holder.changed.disconnect(self._restyle)
        if self.live is not None:
            self.live.edited.disconnect(self._on_edit)
            self.live = None
        for document in self.documents:
            document.close()
        super().done(result)


def _subject(item: QTreeWidgetItem) -> str:
    return str(item.data(0, SUBJECT))


def _square(colour: QColor) -> QIcon:
    picture = QPixmap(10, 10)
    picture.fill(colour)
    return QIcon(picture)
