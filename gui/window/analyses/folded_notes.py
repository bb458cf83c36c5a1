"""Notes of an answer: the first ones as sentences, the others behind a line that says how many there are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from ....solver.analysis.linearise import KINK
from ...theme.small_widgets import laid, push_button, text_label
from ...theme.window_words import in_window

SHOWN = 1  # sentences that always show
EQUILIBRIUM, PLACE = "the equilibrium at ", "Operating point"
CLOSED, OPEN = "▸", "▾"


def folded(notes: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """Sentences that show, the line for the others, and the others: kinks, and what has no room."""
    kinks = [note for note in notes if note.endswith(KINK)]
    plain = [note for note in notes if note not in kinks]
    if len(kinks) == 1 and not plain:
        return list(notes), "", []
    more = plain[SHOWN:]
    words = [_count(len(kinks), "kink"), _count(len(more), "more note")]
    return plain[:SHOWN], ", ".join(filter(None, words)), [*kinks, *more]


def split_place(equilibrium: str) -> tuple[list[str], str]:
    """Verdict of an equilibrium and its position, of the sentence that tells both; nothing of none."""
    if not equilibrium.startswith(EQUILIBRIUM):
        return ([equilibrium] if equilibrium else []), ""
    where, _, verdict = equilibrium.removeprefix(EQUILIBRIUM).partition(" is ")
    return [f"The equilibrium is {verdict}"], where


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""


class FoldedNotes(QWidget):
    """Notes below an answer; a click on the number of the others unfolds them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.rest = _label(), _label()
        self.more: QPushButton = push_button("", "Show or hide these notes", self._unfold)
        self.more.setProperty("link", True)
        self._words = ""
        laid(QVBoxLayout(self), self.first, self.more, self.rest, margins=(0, 0, 0, 0), spacing=4)
        self.show_notes([])

    def show_notes(self, notes: Sequence[str], where: str = "") -> None:
        """Show other notes, folded; the position `where` always is."""
        shown, words, rest = folded([in_window(note) for note in notes])
        self._words = ", ".join(filter(None, [PLACE if where else "", words]))
        rest = [*filter(None, [where]), *rest]
        self.first.setText("\n".join(shown))
        self.rest.setText("\n".join(rest))
        self.first.setVisible(bool(shown))
        self.more.setVisible(bool(rest))
        self.setVisible(bool(notes or where))
        self._fold(True)

    def text(self) -> str:
        """All notes, folded ones too."""
        return "\n".join(filter(None, [self.first.text(), self.rest.text()]))

    def _unfold(self) -> None:
        self._fold(self.rest.isVisibleTo(self))

    def _fold(self, on: bool) -> None:
        self.rest.setVisible(not on and bool(self.rest.text()))
        self.more.setText(f"{CLOSED if on else OPEN} {self._words}")


def _label() -> QLabel:
    label = text_label("", "muted", wraps=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
