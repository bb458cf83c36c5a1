"""Dialog table: the dialog class of each import and export by the key of its menu entry; all are non-modal."""

from __future__ import annotations

from .export_dialogs import FmuDialog, LibraryDialog, NetlistDialog, PageDialog, SspDialog
from .import_dialog import ImportDialog
from .work_dialog import WorkDialog

DIALOGS: dict[str, type[WorkDialog]] = {
    "import": ImportDialog,
    "export_netlist": NetlistDialog,
    "export_page": PageDialog,
    "export_fmu": FmuDialog,
    "export_ssp": SspDialog,
    "export_library": LibraryDialog,
}
