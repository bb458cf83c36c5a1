"""File > Export: the diagram for other programs or as a browser page, made in the background; files are complete."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit

from ....blocks.errors import LuffError, ModelWarning
from ....solver.flatten.diagram import Diagram
from ....solver.fmi.c_library_files import TARGETS, earlier_files, remove
from ....solver.fmi.toolchain import PLATFORMS, this_machine
from ....solver.netlist import read_value
from ...properties.value_text import to_text
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...study.typed_values import parted
from ..model_names import ModelNames
from ..proposed_file import proposed_file
from ..work_form import names_line, words_of
from .work_dialog import WorkDialog

CHANGES = "Parameters that differ from the diagram's: NAME=VALUE, with commas between them"
OPEN_INPUTS = "Inputs of blocks that no wire reaches, and that the other program may set"
Write = Callable[[Path], Iterable[Path]]


class ExportDialog(WorkDialog):
    """Export dialog: asks for the file, then writes it."""

    verb = "Save..."
    kinds = ""  # file dialog filter
    suffix = ""
    path = Path()

    def start(self) -> None:
        name = self.ask_name(str(proposed_file(self.window_.top, self.suffix)))
        path = self.window_.files.with_suffix(Path(name), self.suffix) if name else None
        if path:
            self.write(path)

    def ask_name(self, offered: str) -> str:
        return QFileDialog.getSaveFileName(self, self.title, offered, self.kinds)[0]

    def write(self, path: Path) -> None:
        self.path = path
        super().start()

    def beginning(self) -> str:
        return f"Making {self.path.name}: compiling"

    # ------------------------------------------------------------------ lines of several kinds

    def changes_line(self) -> None:
        names, diagram = ModelNames(self.window_), self.window_.top.diagram
        written = (
            (name, to_text(diagram.parameters.get(name, diagram.value(name)))) for name in names.parameters()
        )
        example = next((f"{name}={value}" for name, value in written if value), "NAME=VALUE")
        self.changes = names_line(names.parameters, example)
        self.line("Changes", self.changes, CHANGES)

    def inputs_line(self) -> None:
        self.inputs = open_inputs_field(ModelNames(self.window_))
        self.line("Open inputs", self.inputs, OPEN_INPUTS)

    def parameters_line(self) -> None:
        self.parameters = names_line(ModelNames(self.window_).parameters, "")
        self.parameters.setPlaceholderText("all")
        self.line(
            "Parameters", self.parameters, "What the other program may change: names or globs; all by default"
        )

    def written(self, write: Write, earlier: Collection[Path] = ()) -> Work:
        """Work that writes into a temporary folder and moves the complete file to its place, replacing `earlier`; a
        cancelled export leaves no file. Parts of the model that could not be exported are reported."""
        path = self.path

        def work(tell: Callable[[object], None]) -> str:
            began = time.monotonic()
            with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.stem}-") as folder:
                with warnings.catch_warnings(record=True, action="always", category=ModelWarning) as told:
                    made = [*write(Path(folder) / path.name)]
                tell(f"Writing {path.name}")
                size = sum(one.stat().st_size for one in made)
                targets = {path.parent / one.relative_to(folder): one for one in made}
                for target, one in targets.items():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    one.replace(target)
                remove(set(earlier) - targets.keys())
            some = f"{len(made)} files, " if len(made) > 1 else ""
            saved = f"Saved {path}: {some}{size / 1000:.0f} kB, in {time.monotonic() - began:.0f} s"
            words = [str(one.message) for one in told]
            return ". ".join([saved, *(one[0].upper() + one[1:] for one in words)])

        return work


class NetlistDialog(ExportDialog):
    title = "Export Netlist"
    purpose = "A copy of the netlist with other values, its comments kept; the diagram in the window stays as it is."
    cancelled = "The netlist was cancelled"
    kinds = "luff netlist (*.yaml *.yml)"
    suffix = ".yaml"

    def build(self) -> None:
        self.changes_line()

    def work(self, snapshot: DiagramSnapshot) -> Work:
        from ....solver.diagram.baked_overrides import with_changes

        changes, own = changes_of(self.changes.text()), self.window_.top.path
        if own is not None and own.resolve() == self.path.resolve():
            raise LuffError("found the file of this diagram, expected another name", path=str(own))

        def write(path: Path) -> list[Path]:
            diagram = snapshot.diagram()
            text = with_changes(diagram, changes)
            there = Diagram.from_yaml(text, path.stem, self.path.parent, diagram.allow_code, diagram.files)
            wrong = [one for one in there.check() if one.severity == "error" and not one.incomplete]
            if wrong:
                raise LuffError(wrong)
            path.write_text(text, encoding="utf-8")
            return [path]

        return self.written(write)


class FmuDialog(ExportDialog):
    title = "Export FMU"
    purpose = "One file that other simulators run without Python: for co-simulation, and for model exchange."
    cancelled = "The FMU was cancelled"
    kinds = "FMU (*.fmu)"
    suffix = ".fmu"

    def build(self) -> None:
        self.version = QComboBox()
        self.version.addItems(["FMI 2", "FMI 3"])
        self.line("Standard", self.version, "The version of the Functional Mock-up Interface")
        self.platforms = names_line(lambda: PLATFORMS, this_machine())
        self.line(
            "Platforms", self.platforms, "Systems that it shall run on; this machine's alone if left empty"
        )
        self.inputs_line()
        self.parameters_line()
        self.changes_line()

    def work(self, snapshot: DiagramSnapshot) -> Work:
        from ....solver.fmi import export_fmu

        fmi, platforms = int(self.version.currentText()[-1]), words_of(self.platforms.text())
        inputs, parameters = words_of(self.inputs.text()), words_of(self.parameters.text()) or ["*"]
        changes = changes_of(self.changes.text())
        return self.written(
            lambda path: [
                export_fmu(snapshot.diagram(), path, fmi, platforms, inputs, parameters, False, set=changes)
            ]
        )


class SspDialog(ExportDialog):
    title = "Export SSP"
    purpose = "A diagram of FMUs as a system that other programs run: FMUs, what connects them, first values."
    cancelled = "The SSP was cancelled"
    kinds = "System of FMUs (*.ssp)"
    suffix = ".ssp"

    def build(self) -> None:
        self.changes_line()

    def work(self, snapshot: DiagramSnapshot) -> Work:
        from ....solver.exchange import export_ssp

        changes = changes_of(self.changes.text())
        return self.written(lambda path: [export_ssp(snapshot.diagram(), path, set=changes)])


class LibraryDialog(ExportDialog):
    title = "Export Library"
    purpose = (
        "A folder with a header, an example in C and a static library for each target, for controllers and programs "
        "in C."
    )
    cancelled = "The library was cancelled"

    def build(self) -> None:
        self.targets = names_line(lambda: TARGETS, "all")
        self.line("Targets", self.targets, "Systems that it shall be linked on; all if left empty")
        self.inputs_line()
        self.parameters_line()
        self.changes_line()
        self.opener = self.button("Open Folder")
        self.opener.setEnabled(False)
        self.opener.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.path))))

    def ask_name(self, offered: str) -> str:
        return QFileDialog.getSaveFileName(self, "Export Library: name a folder", f"{offered}_library", "")[0]

    def clear(self) -> None:
        self.opener.setEnabled(False)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        from ....solver.fmi import export_library

        targets, inputs = words_of(self.targets.text()), words_of(self.inputs.text())
        parameters, changes = words_of(self.parameters.text()) or ["*"], changes_of(self.changes.text())
        return self.written(
            lambda path: export_library(snapshot.diagram(), path, targets, inputs, parameters, set=changes),
            earlier_files(self.path),
        )

    def show_answer(self, answer: object, current: bool) -> str:
        self.opener.setEnabled(True)
        return str(answer)


def open_inputs_field(names: ModelNames) -> QLineEdit:
    """Field for open inputs, with one of the model as its example."""
    first = next(iter(names.open_inputs()), "")
    field = names_line(names.open_inputs, first)
    if not first:
        field.setPlaceholderText("none is open")
    return field


def changes_of(text: str) -> dict[str, object]:
    """Parameter changes by path, from `king.mass=9 t, boom.com=[1, 0, 0]`"""
    changes: dict[str, object] = {}
    for part in parted(text):
        path, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not path or not value:
            raise LuffError(f'found "{part}", expected NAME=VALUE such as king.mass=9 t')
        changes[path] = read_value(value)
    return changes


class PageDialog(ExportDialog):
    """Page export dialog, non-modal since the export may take long."""

    title = "Export Page"
    purpose = (
        "One file that runs the model in a browser, with a slider for each of its parameters and inputs. "
        "Its reader installs nothing."
    )
    cancelled = "The page was cancelled"
    kinds = "Page for browsers (*.html *.htm)"
    suffix = ".html"

    def build(self) -> None:
        self.sliders = QLineEdit(placeholderText="king.mass, boom=20 m..40 m")
        tip = "Other numbers of blocks, and ranges of sliders: NAME or NAME=LOW..HIGH"
        self.line("More sliders", self.sliders, tip)
        self.inputs = open_inputs_field(ModelNames(self.window_))
        self.line(
            "Open inputs", self.inputs, "Inputs of blocks that no wire reaches, and that the reader may move"
        )
        self.opener = self.button("Open Page")
        self.opener.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.path))))
        self.opener.setEnabled(False)

    def beginning(self) -> str:
        return f"Making {self.path.name}: compiling, and computing starts for the sliders"

    def clear(self) -> None:
        self.opener.setEnabled(False)

    def work(self, snapshot: DiagramSnapshot) -> Work:
        from ...html_page import export_page

        sliders, inputs = words_of(self.sliders.text()), words_of(self.inputs.text())
        return self.written(lambda path: [export_page(snapshot.diagram(), path, sliders, inputs)])

    def show_answer(self, answer: object, current: bool) -> str:
        self.opener.setEnabled(True)
        return str(answer)
