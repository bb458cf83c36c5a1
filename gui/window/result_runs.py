"""Results from files, shown as the window's own runs: in plots, signals and the 3-D view."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ...blocks import LuffError
from ...solver.diagram.composite_types import type_in_words
from ...solver.flatten.diagram import Diagram
from ..document.document import Document
from ..run.run_history import History
from ..view3d.film import Film, film_of_result

if TYPE_CHECKING:
    from ...solver.results.result import Result
    from .shell import Shell


class Results:
    def __init__(self, window: Shell):
        self.window = window
        self.name = ""  # name of the result shown
        self._filmer = RecordedPoses(window)
        self._filmer.done.connect(self._poses_ready)

    @property
    def history(self) -> History | None:
        """Result shown in place of a run; None if there is none."""
        return self.window.deck.loaded

    def show(self, path: Path) -> None:
        """Open a saved result; one of another model opens a tab of its own."""
        from ...solver.results.result import read_result

        try:
            result = read_result(path)
        except (LuffError, OSError) as error:
            self.window.say(str(error))
            return
        self.show_result(result, path.name, path.parent)

    def show_result(self, result: Result, name: str, base: Path) -> None:
        """Show a result that was read; one of another model opens a tab of its own."""
        if self._is_of_this_model(result):
            self.show_run_of(result, name)
            return
        try:
            document = Document(Diagram.from_yaml(result.netlist, Path(name).stem, base))
        except LuffError as error:
            self.window.say(f"{name} is of another model, which cannot be shown: {error}")
            return
        self.window.files.show(document).results.show_run_of(result, name)

    def _is_of_this_model(self, result: Result) -> bool:
        """True if names and types of the result's blocks equal the model's; a file without netlist counts as this
        model's."""
        blocks = self.window.top.diagram.blocks
        if not result.netlist:
            return True
        try:
            theirs = Diagram.from_yaml(result.netlist, "result").blocks
        except LuffError:
            return False
        return _types(theirs) == _types(blocks)

    def show_run_of(self, result: Result, name: str) -> None:
        """Show the rows of a result that this window did not compute."""
        history = History.of(result, self.window.signal_tree.units)
        window = self.window
        self.name = name
        window.deck.loaded = history
        window.deck.tick(force=True)
        window.view3d.rest()
        window.signal_tree.follow(history, False)
        window.running.show_moment(None)
        window.running.show_age()
        window.say(f"{name}: {history.rows} samples, {len(history.columns)} signals")
        if not window.runner.active and history.rows and result.netlist:
            self._filmer.ask(result, window.top.diagram)

    def _poses_ready(self, result: Result, film: Film | str) -> None:
        window = self.window
        if result is not self._filmer.asked or self.history is None or window.runner.active:
            return  # another one is shown by now
        if isinstance(film, Film):
            window.view3d.show_film(film, self.history)
        else:
            window.log.appendPlainText(f"{self.name} has no film: {film}")

    def close(self) -> None:
        self._filmer.close()


class RecordedPoses(QObject):
    """Worker thread that compiles a result's model and computes its recorded poses."""

    done = Signal(object, object)  # the result; its Film, or in words why it has none

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.asked: Result | None = None
        self._threads: list[threading.Thread] = []

    def ask(self, result: Result, diagram: Diagram) -> None:
        """Start on a result; `diagram` supplies the folders and permissions of this window's model."""
        self.asked = result
        base = diagram.base or Path.cwd()
        work = threading.Thread(
            target=self._compute_poses,
            args=(result, base, diagram.allow_code, diagram.files),
            name="luff film",
            daemon=True,
        )
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), work]
        work.start()

    def _compute_poses(self, result: Result, base: Path, allow_code: bool, files: tuple[Path, ...]) -> None:
        try:
            film: Film | str = film_of_result(result, base, allow_code, files)
        except LuffError as error:
            film = str(error)
        except Exception as error:  # a film must not take the window down
            film = f"{type(error).__name__}: {error} (this is a fault of luff: please report it)"
        with contextlib.suppress(RuntimeError):  # the window is gone
            self.done.emit(result, film)

    def close(self) -> None:
        self.asked = None
        for thread in self._threads:
            thread.join()


def _types(blocks: Mapping[str, object]) -> dict[str, str]:
    return {name: Path(type_in_words(raw)).stem for name, raw in blocks.items() if isinstance(raw, dict)}
