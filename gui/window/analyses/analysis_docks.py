"""Docks of analyses: one of each kind, made when it is first opened; they follow the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from ...properties.value_text import to_text
from ...run.background_job import BackgroundJob
from ...view3d.scene_model import Scene
from ..study_actions import value_of
from .analysis_panel import AnalysisPanel
from .panel_table import PANELS
from .search_panels import SearchPanel

if TYPE_CHECKING:
    from ..shell import Shell


class AnalysisDocks:
    """Analyses of a window by their kind; the 3-D view shows the poses of one of them."""

    def __init__(self, window: Shell):
        self.window = window
        self.panels: dict[type[AnalysisPanel], AnalysisPanel] = {}
        self._swinging: AnalysisPanel | None = None

    def open(self, kind: type[AnalysisPanel]) -> AnalysisPanel:
        """Show the panel of a kind, in front, with the focus in its first field."""
        panel, docks = self.panels.get(kind), self.window.panels
        if panel is None:
            panel = self.panels[kind] = kind(self.window, BackgroundJob(self.window))
            dock = docks.add_beside_plots(kind.title, panel)
            dock.closed.connect(panel.forget)
            panel.closing.connect(dock.close)
            dock.visibilityChanged.connect(lambda on, panel=panel: self._come_to_front(panel) if on else None)
        panel.offer()
        docks.go_to(kind.title)
        first = next((one for one in panel.fields.values() if one.isVisible() and one.isEnabled()), None)
        if first is not None:  # and not a picture of the answer
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return panel

    def search(self, key: str, path: str) -> None:
        """Open a search with a parameter of the diagram in it, from the parameter's menu."""
        window = self.window
        if window.document is not window.top:
            window.say("Searches vary the outermost diagram")
            return
        panel = self.open(PANELS[key])
        assert isinstance(panel, SearchPanel)
        panel.take_in(path, to_text(value_of(window.top, path)[0]))

    def edited(self) -> None:
        """Compare the answers with the model after an edit."""
        for panel in self.panels.values():
            if not self.window.in_top:
                panel.edit_inside()
            panel.check_age()

    def model_compiled(self) -> None:
        """Compute again what follows the model, which compiles as it is now."""
        for panel in self.panels.values():
            panel.model_compiled()

    def show_document(self) -> None:
        """Remove the answers about the model before."""
        for panel in self.panels.values():
            panel.forget()

    def swing(self, panel: AnalysisPanel, scene: Scene, frames: np.ndarray, words: str) -> None:
        """Show poses of a panel in the 3-D view, and the view where it does not hide the panel, else in the panel."""
        self._swinging = panel
        self.window.panels.show_beside("3-D View", panel.title)
        self.window.view3d.show_swing(scene, frames, words)
        self._show_both(panel)

    def _show_both(self, panel: AnalysisPanel) -> None:
        """Have poses in the panel too where the 3-D view is one of its tabs."""
        docks = self.window.panels
        tabs = self.window.tabifiedDockWidgets(docks.opened[panel.title])
        panel.swing_beside(docks.docks["3-D View"] in tabs)

    def _come_to_front(self, panel: AnalysisPanel) -> None:
        """Let the panel in front have the 3-D view: poses of another one end, its own come back."""
        if self._swinging is panel:
            self._show_both(panel)
            return
        if self._swinging is not None:
            self.end_swing(self._swinging)
        if panel.posed is not None and panel.is_current() and not self.window.runner.active:
            self.swing(panel, *panel.posed)

    def end_swing(self, panel: AnalysisPanel) -> None:
        """End the poses of a panel; those of another one stay."""
        if self._swinging is panel:
            self._swinging = None
            self.window.view3d.swing.end()
            panel.swing_beside(False)

    def close(self) -> None:
        for panel in self.panels.values():
            panel.job.close()
