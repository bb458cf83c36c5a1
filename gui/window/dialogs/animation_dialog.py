"""File > Export Animation: the last run as a film."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QProgressDialog

from ....blocks import LuffError
from ....solver.diagram.view_section import view_of
from ...view3d.film import KINDS, Film
from ...view3d.scene_model import Scene
from ..proposed_file import proposed_file
from ..shell import Shell

CALLED_OFF = "The film was cancelled"
FILTERS = ";;".join(f"{name} (*{ending})" for ending, name in KINDS.items())
PATIENCE = 500  # ms


class Exporting:
    def __init__(self, window: Shell):
        self.window = window

    def on_export_animation(self) -> None:
        film = self.film()
        if film is None:
            self.window.say("There is no finished run of a mechanism to film yet")
            return
        start = proposed_file(self.window.top, ".html")
        name, _ = QFileDialog.getSaveFileName(self.window, "Export Animation", str(start), FILTERS)
        path = self.window.files.with_suffix(Path(name), ".html") if name else None
        if path:
            told = self.export(film, path)
            self.window.say(told)
            if told not in (f"Saved {path}", CALLED_OFF):
                self._refuse(told)

    def _refuse(self, why: str) -> None:
        """Show the reason why the export failed in a message box."""
        box = QMessageBox(QMessageBox.Icon.Warning, "Export Animation", why, parent=self.window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def film(self) -> Film | None:
        """Film of what the 3-D view plays back; None if there is nothing to export."""
        view = self.window.view3d
        poses, scene = view.poses, view.canvas.scene
        if scene is None or scene.empty or self.window.runner.active or len(poses.frames) < 2:
            return None
        if len(poses.frames[0]) != len(scene.start):
            return None  # poses of another model
        if view.film is None:
            scene = self._as_kept(scene)
        count = min(len(poses.times), len(poses.frames))
        return Film(
            self.window.top.title, scene, np.array(poses.times[:count]), np.array(poses.frames[:count])
        )

    def _as_kept(self, scene: Scene) -> Scene:
        """Scene with the current `view:` section; an invalid section is left to the check."""
        diagram = self.window.top.diagram
        with suppress(LuffError):
            return replace(scene, view=view_of(diagram.view, diagram.scope(), "view"))
        return scene

    def export(self, film: Film, path: Path) -> str:
        """Write the film and return a status message."""
        try:
            if path.suffix.lower() == ".html":
                from ...view3d.html_replay import write_page

                write_page(film, path)
                return f"Saved {path}"
            return f"Saved {path}" if self._pictures(film, path) else CALLED_OFF
        except (LuffError, OSError) as error:
            return str(error)

    def _pictures(self, film: Film, path: Path) -> bool:
        from ...view3d.film_encoding import WRITERS, Shot

        if path.suffix.lower() not in WRITERS:
            raise LuffError(f'found "{path.suffix}", expected {", ".join(KINDS)}')
        dialog = QProgressDialog(f"Filming {path.name}", "Cancel", 0, 1, self.window)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.setMinimumDuration(PATIENCE)

        def told(done: int, whole: int) -> bool:
            dialog.setMaximum(whole)
            dialog.setValue(done)
            return not dialog.wasCanceled()

        part = path.with_name(f"{path.stem}.partial{path.suffix}")
        try:
            WRITERS[path.suffix.lower()](film, part, Shot(), told)
            if dialog.wasCanceled():
                return False
            part.replace(path)
            return True
        finally:
            part.unlink(missing_ok=True)
            dialog.close()
