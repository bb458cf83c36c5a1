"""File menu: open, save, recovery of unsaved work."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...blocks.text.safe_read import whole_path
from ...solver.flatten.diagram import Diagram
from ...solver.results import file_formats
from ..document.document import Document
from ..document.starter_models import templates
from ..recovery import autosave as session
from ..recovery import open_files
from ..theme.block_catalog import examples
from .confirmations import Answer, may_replace, save_discard_cancel, with_suffix
from .dialogs.open_failed_dialog import OpenFailed
from .open_level import OpenLevel
from .proposed_file import proposed_file
from .shell import Shell

FILTER = "luff netlist (*.yaml *.yml);;All files (*)"


class Files:
    def __init__(self, window: Shell):
        self.window = window

    def build(self) -> None:
        menus = self.window.actions_.menus
        menus["recent"].aboutToShow.connect(self._fill_recent)
        menus["examples"].aboutToShow.connect(self._fill_examples)
        welcome = self.window.welcome
        welcome.example_wanted.connect(self.open_example)
        welcome.template_wanted.connect(self.open_template)
        welcome.insert_wanted.connect(
            lambda: self.window.view.quick_insert.open(self.window.view.paste_target())
        )
        welcome.open_wanted.connect(self.on_open)
        welcome.recent_wanted.connect(self.open_path)
        welcome.tour_wanted.connect(self.window.views.on_tour)
        welcome.height_wanted.connect(self.window.panels.lend_height)
        self.window.palette_.chosen.connect(self.window.editing.insert_in_middle)

    def _fill_recent(self) -> None:
        menu = self.window.actions_.menus["recent"]
        menu.clear()
        for path in session.recent_files():
            menu.addAction(str(path), lambda path=path: self.open_path(path))
        if menu.isEmpty():
            menu.addAction("No recent files").setEnabled(False)
        else:
            menu.addSeparator()
            menu.addAction("Forget These", session.forget_recent)

    def _fill_examples(self) -> None:
        menu = self.window.actions_.menus["examples"]
        menu.clear()
        for path in examples():
            menu.addAction(path.stem.replace("_", " "), lambda path=path: self.open_example(path))
        if menu.isEmpty():
            menu.addAction("No examples installed").setEnabled(False)

    # ------------------------------------------------------------------ opening

    def _is_empty(self) -> bool:
        window = self.window
        top = window.top
        return len(window.levels) == 1 and top.path is None and not top.modified and not top.diagram.blocks

    def show(self, document: Document) -> Shell:
        """Show a document in this tab if it is empty, else in a new one."""
        if self._is_empty():
            self.window.replace(document)
            return self.window
        return type(self.window)(document, self.window.tabs)

    def on_new(self) -> None:
        type(self.window)(tabs=self.window.tabs)

    def on_open(self) -> None:
        start = str(self.window.top.diagram.base or "")
        names, _ = QFileDialog.getOpenFileNames(self.window, "Open", start, FILTER)
        for name in names:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> bool:
        """Open a file. An unreadable file is explained and the window keeps its document."""
        try:
            path = whole_path(Path(), path)
        except LuffError as error:
            self._show_problems(path, error.problems)
            return False
        for window in Shell.open_windows:
            if window.top.path and window.top.path.resolve() == path:
                window.tabs.bring_to_front(window)
                return True
        document = self.read_document(path)
        if document is None:
            return False
        session.remember(path)
        self.show(document)
        return True

    def restore_session(self) -> bool:
        """Open the files of the last session; True if there are any. What cannot be read is skipped and told."""
        paths, shown = open_files.last_session()
        documents: list[tuple[Path, Document]] = []
        failed: list[str] = []
        for path in paths:
            if any(window.top.path and window.top.path.resolve() == path for window in Shell.open_windows):
                continue  # recovered after a crash
            try:
                documents.append((path, Document(Diagram.load(path))))
            except LuffError as error:
                failed.append(f"{path}: {error.problems[0]}")
        opened = [(path, self.show(document)) for path, document in documents]
        for path, window in opened:
            if path == shown:
                window.tabs.show_page(window)
        for trouble in failed:
            self.window.say(f"Not opened again: {trouble}")
        return bool(opened)

    def read_document(self, path: Path) -> Document | None:
        try:
            return Document(Diagram.load(path))
        except LuffError as error:
            self._show_problems(path, error.problems)
            return None

    def _show_problems(self, path: Path, problems: list[Problem]) -> None:
        dialog = OpenFailed(self.window, path, problems)
        dialog.retry.connect(lambda: self.open_path(path))
        dialog.choose.connect(self.on_open)
        dialog.open()

    def open_example(self, path: Path) -> None:
        """Open an example as an unnamed copy, so that the library file is never overwritten."""
        try:
            diagram = Diagram.load(path)
        except LuffError as error:
            OpenFailed(self.window, path, error.problems).open()
            return
        diagram.path = None
        self.show(Document(diagram))

    def open_template(self, key: str) -> None:
        self.show(Document(Diagram.from_yaml(templates()[key], key)))

    def offer_recovery(self) -> None:
        """Offer documents that a crashed session left unsaved."""
        for left in session.orphaned_autosaves():
            box = QMessageBox(
                QMessageBox.Icon.Question,
                "Recover",
                f"luff ended without saving {left.label}.",
                parent=self.window,
            )
            box.setInformativeText(f"Open the copy that was kept at {left.kept}?")
            recover = box.addButton("Recover", QMessageBox.ButtonRole.AcceptRole)
            discard = box.addButton("Discard", QMessageBox.ButtonRole.DestructiveRole)
            box.addButton("Ask Again Later", QMessageBox.ButtonRole.RejectRole)
            box.exec()
            if box.clickedButton() is recover:
                self.recover(left)
            elif box.clickedButton() is discard:
                left.discard()
        self.window.recording.offer_recovery()

    def recover(self, left: session.Recovered) -> None:
        try:
            document = left.open()
        except (LuffError, OSError, ValueError) as error:
            problems = error.problems if isinstance(error, LuffError) else [Problem(str(error))]
            OpenFailed(self.window, left.file, problems).open()
            return
        window = self.show(document)
        kept = window.levels[0].autosave
        if kept is not None and kept.write():  # until then there is no other copy
            left.discard()

    # ------------------------------------------------------------------ saving

    def on_save(self) -> None:
        self.save(self.window.level)

    def on_save_as(self) -> None:
        self.save(self.window.level, ask=True)

    def save(self, level: OpenLevel, ask: bool = False) -> bool:
        document = level.document.root
        path = document.path
        if ask or path is None:
            start = path or proposed_file(document, ".yaml")
            name, _ = QFileDialog.getSaveFileName(self.window, "Save As", str(start), FILTER)
            if not name:
                return False
            path = self.with_suffix(Path(name), ".yaml")
            if path is None:
                return False
        if path == document.path and document.changed_on_disk and not self._overwrite(path):
            return False
        try:
            document.save(path)
        except LuffError as error:
            box = QMessageBox(QMessageBox.Icon.Critical, "Save", str(error), parent=self.window)
            box.setInformativeText("Nothing was written. The diagram is still open and unsaved.")
            box.open()
            return False
        session.remember(path)
        self.window.palette_.refresh()
        self.window.say(f"Saved {path}")
        return True

    def with_suffix(self, path: Path, suffix: str) -> Path | None:
        return with_suffix(self.window, path, suffix)

    def _overwrite(self, path: Path) -> bool:
        return may_replace(
            self.window,
            f"Another program has changed {path.name}.",
            "Saving replaces those changes with what this window shows.",
        )

    def may_close(self, level: OpenLevel) -> bool:
        """Ask about unsaved changes; False cancels closing."""
        document = level.document
        if not document.is_root or not document.modified:
            return True
        self.window.tabs.show_page(self.window)
        what = f"Save the changes to {document.title}?"
        answer = save_discard_cancel(self.window, "Unsaved Changes", what, "They are lost otherwise.")
        return self.save(level) if answer == Answer.Save else answer == Answer.Discard

    def on_close(self) -> None:
        self.window.close()

    def on_quit(self) -> None:
        if self.window.tabs.close_all():
            QApplication.quit()

    def on_next_tab(self) -> None:
        self.window.tabs.show_neighbour(1)

    def on_previous_tab(self) -> None:
        self.window.tabs.show_neighbour(-1)

    def on_to_window(self) -> None:
        self.window.tabs.take_out(self.window)

    # ------------------------------------------------------------------ results

    def on_save_result(self) -> None:
        source = self.window.runner.result_path
        if source is None or not source.is_file() or self.window.runner.active:
            self.window.say("There is no finished run to save yet")
            return
        name, _ = QFileDialog.getSaveFileName(
            self.window,
            "Save Result",
            str(proposed_file(self.window.top, file_formats.STREAMED.suffix)),
            file_formats.save_filters(),
        )
        target = self.with_suffix(Path(name), file_formats.STREAMED.suffix) if name else None
        if target:
            self.window.say(self.save_result(source, target))

    def save_result(self, source: Path, target: Path) -> str:
        from ...solver.results.result import read_result

        try:
            if file_formats.known_format(source) is file_formats.known_format(target):
                shutil.copyfile(source, target)
            else:
                read_result(source).save(target)
        except (LuffError, OSError) as error:
            return str(error)
        self.window.runner.note_saved(source)
        return f"Saved {target}"

    def on_open_result(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.window, "Open Result", "", file_formats.open_filter())
        if name:
            self.window.results.show(Path(name))
