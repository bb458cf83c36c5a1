"""Compilation progress on the command line: a bar on a terminal, else one line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .console import in_bar, own_console, print_line

if TYPE_CHECKING:
    from rich.progress import Progress


class CompileBar:
    """Listener for compiled functions: number done, total, last name."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._told = False

    def __call__(self, done: int, total: int, what: str) -> None:
        if sys.stderr.isatty():
            self._show(done, total, what)
        elif not self._told:
            self._told = True
            from ..solver.codegen.cache_folder import cache_dir

            print_line(f"luff: compiling functions, once for this version and machine; kept in {cache_dir()}")

    def _show(self, done: int, total: int, what: str) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        if self._progress is None:
            columns = (
                TextColumn("compiling {task.fields[what]}"),
                BarColumn(),
                TextColumn("{task.completed:.0f} of {task.total:.0f}, once for this version"),
            )
            self._progress = Progress(*columns, console=own_console(), transient=True)
            self._progress.add_task("", total=total, what=in_bar(what))
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], completed=done, total=total, what=in_bar(what))
        if done >= total:
            self._progress.stop()
            self._progress = None


def show_compiling(quiet: bool = False) -> None:
    """Show compilation progress from now on in this process."""
    from ..solver.codegen import object_loader

    object_loader.listener = None if quiet else CompileBar()
