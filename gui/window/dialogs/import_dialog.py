"""File > Import: models of other programs as diagrams; what was not imported stands in the log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ....blocks.errors import LuffError
from ....solver.exchange import Imported, read_model
from ....solver.flatten.diagram import Diagram
from ...document.document import Document
from ...run.background_job import Work
from ...run.run_control import DiagramSnapshot
from ...theme.small_widgets import CheckBox
from ..work_form import missing
from .work_dialog import WorkDialog

KINDS = "Models (*.urdf *.xml *.mjcf *.ssp);;All files (*)"
SHOWN = 12  # names in a line of the report


class ImportDialog(WorkDialog):
    """Import dialog: the diagram opens in a window, whose log lists what was not taken over."""

    title = "Import"
    purpose = "Make a diagram of a robot in URDF or MJCF, or of a system of FMUs (SSP)."
    verb = "Import"
    cancelled = "The import was cancelled"
    of_model = False

    def build(self) -> None:
        self.file = self.file_line("robot.urdf", "A file of URDF, MJCF or SSP", KINDS)
        self.floating = CheckBox()
        self.line("Root moves freely", self.floating, "Of a URDF; an MJCF file has its own floating bodies")

    def work(self, snapshot: DiagramSnapshot) -> Work:
        text, floating = self.file.text().strip(), self.floating.isChecked()
        if not text:
            raise missing(self.file, "found no file, expected one of URDF, MJCF or SSP")
        path = Path(text).expanduser().absolute()
        if not path.is_file():
            raise LuffError("there is no such file", path=str(path))

        def work(tell: Callable[[object], None]) -> tuple[Path, Imported, Diagram]:
            tell(f"Reading {path.name}")
            made = read_model(path, floating)
            diagram = Diagram.from_yaml(made.text, path.stem, path.parent)
            tell(f"Writing what {path.name} brings with it")
            made.write_files(path.parent)
            return path, made, diagram

        return work

    def beginning(self) -> str:
        return "Reading"

    def show_answer(self, answer: object, current: bool) -> str:
        assert isinstance(answer, tuple)
        path, made, diagram = answer
        document = Document(diagram)
        document.undo.resetClean()  # it is in no file yet: closing asks
        shown = self.window_.files.show(document)
        lines = made.summarised_notes(SHOWN)
        remarks = f"{len(lines)} remark{'' if len(lines) == 1 else 's'}"
        rest = f"The log has {remarks} on what was not taken over." if lines else "All of it was taken over."
        said = f"{path.name} is a diagram of {len(diagram.blocks)} blocks, which is not saved yet. {rest}"
        shown.say(said)
        for line in lines:
            shown.log.appendPlainText(f"{path.name}, not taken over: {line}")
        if lines:
            shown.panels.show("Log")
        self.close()
        return said
