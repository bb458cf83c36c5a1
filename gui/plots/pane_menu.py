"""Context menu of a plot: title, axes and signals, each an edit of the netlist's `plots:`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from ..properties.value_text import choices
from ..run.run_history import History
from ..theme.number_format import unit_words
from .plot_pane import PlotPane
from .plot_spec import PlotSpec
from .run_curves import columns_of


class Deck(Protocol):
    """Interface of the plot stack for the menu of one plot."""

    @property
    def panes(self) -> Sequence[PlotPane]: ...
    @property
    def shared(self) -> Sequence[QAction]: ...
    @property
    def history(self) -> History | None: ...
    def say(self, text: str) -> None: ...
    def specs(self) -> list[PlotSpec]: ...
    def signal_names(self) -> list[str]: ...
    def add_signals(self, names: list[str], pane: int | None = None) -> None: ...
    def write(self, specs: list[PlotSpec]) -> None: ...
    def remove_pane(self, index: int) -> None: ...
    def toggle_logarithmic(self, pane: PlotPane) -> None: ...
    def show_spectrum(self, pane: PlotPane) -> None: ...
    def export(self) -> None: ...
    def fit(self) -> None: ...
    def ask_large(self) -> None: ...


class PaneMenu(QMenu):
    def __init__(self, deck: Deck, parent: QWidget, index: int):
        super().__init__(parent)
        self.deck, self.index, self.pane = deck, index, deck.panes[index]
        spec = self.pane.spec
        self.addAction("Title...", self.ask_title)
        over = self.addMenu("Horizontal Axis")
        for name in ["time", *spec.y]:
            over.addAction(name, lambda name=name: self.set_x(name)).setEnabled(name != spec.x)
        self.more = self.addMenu("Add Signal")
        self.more.aboutToShow.connect(self._list_signals)  # there may be thousands
        take = self.addMenu("Remove Signal")
        take.setEnabled(bool(spec.y))
        for name in spec.y:
            take.addAction(name, lambda name=name: self.remove_signal(name))
        self._axis_menu()
        self.addSeparator()
        powers = self.addAction("Logarithmic Axis", lambda: deck.toggle_logarithmic(self.pane))
        powers.setCheckable(True)
        powers.setChecked(self.pane.logarithmic)
        self.addAction("Spectrum...", lambda: deck.show_spectrum(self.pane))
        self.addAction("Export...", deck.export)
        self.addAction("Fit", deck.fit)
        self.addAction("Large View\tF11", deck.ask_large)
        self.addAction("Remove Plot", lambda: deck.remove_pane(index))
        self.addSeparator()
        self.addActions(deck.shared)

    def _list_signals(self) -> None:
        """Fill the submenu of signals that are not in the plot, those of a block in one of its own."""
        self.more.clear()
        blocks: dict[str, QMenu] = {}
        for name in self.deck.signal_names():
            block, _, signal = name.rpartition(".")
            if name not in self.pane.spec.y:
                menu = blocks.get(block) or blocks.setdefault(block, self.more.addMenu(block or "model"))
                menu.addAction(signal, lambda name=name: self.deck.add_signals([name], self.index))

    def _axis_menu(self) -> None:
        """Submenu for unit and range of the vertical axis."""
        spec, history = self.pane.spec, self.deck.history
        columns = [c for name in spec.y for c in columns_of(name, history)] if history else []
        own = [history.units.get(column, "") for column in columns] if history else []
        units = self.addMenu("Unit")
        units.setEnabled(any(own))
        groups: dict[tuple[str, ...], str] = {}  # units of an axis, and that of its first curve
        for unit in filter(None, own):
            groups.setdefault(tuple(choices(unit)), unit)
        for names, first in groups.items():
            units.addSeparator()
            shown = spec.unit if spec.unit in names else first
            for name in names:
                wanted = "" if name == first else name
                if wanted == "" and spec.unit not in names:
                    wanted = spec.unit  # it is shown already, and the other axis keeps its own
                action = units.addAction(
                    unit_words(name),
                    lambda wanted=wanted: self.set_axis(replace(spec, unit=wanted, range=None)),
                )
                action.setCheckable(True)
                action.setChecked(name == shown)
        self.addAction("Range...", self.ask_range)

    def set_axis(self, spec: PlotSpec) -> None:
        self.pane.fixed_y = False
        self._write(spec)

    def ask_range(self) -> None:
        ends = self.pane.spec.range
        text, ok = QInputDialog.getText(
            self.parentWidget(),
            "Range of the Vertical Axis",
            "Lowest and highest, such as -10, 20; nothing for as the signals need:",
            text=f"{ends[0]:g}, {ends[1]:g}" if ends else "",
        )
        if not ok:
            return
        try:
            limits = tuple(float(word) for word in text.split(",")) if text.strip() else None
        except ValueError:
            limits = ()
        if limits is not None and not (len(limits) == 2 and limits[0] < limits[1]):
            self.deck.say(f"Found {text}, expected two numbers, the lower one first")
            return
        self.set_axis(replace(self.pane.spec, range=limits))

    def ask_title(self) -> None:
        own = self.pane.spec.title
        title, ok = QInputDialog.getText(self.parentWidget(), "Plot Title", "Title:", text=own)
        if ok:
            self._write(replace(self.pane.spec, title=title.strip()))

    def set_x(self, name: str) -> None:
        spec = self.pane.spec
        names = [*([spec.x] if spec.x != "time" else []), *spec.y]
        self._write(replace(spec, x=name, y=[other for other in names if other != name]))

    def remove_signal(self, name: str) -> None:
        self._write(replace(self.pane.spec, y=[other for other in self.pane.spec.y if other != name]))

    def _write(self, spec: PlotSpec) -> None:
        specs = self.deck.specs()
        specs[self.index] = spec
        self.deck.write(specs)
