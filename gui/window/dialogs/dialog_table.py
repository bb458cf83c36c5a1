"""Dialog table: the dialog class of each menu action by its key; all are non-modal."""

from __future__ import annotations

from .assess_dialog import AssessDialog
from .buckling_dialog import BucklingDialog
from .export_dialogs import FmuDialog, LibraryDialog, NetlistDialog, PageDialog, SspDialog
from .import_dialog import ImportDialog
from .linear_dialogs import LinearDialog, LocusDialog, MarginsDialog, ResponseDialog
from .load_chart_dialog import LoadChartDialog
from .modes_dialog import ModesDialog
from .sensitivity_dialog import SensitivityDialog
from .static_dialog import StaticDialog
from .tuning_dialogs import FitDialog, OptimiseDialog
from .work_dialog import WorkDialog

DIALOGS: dict[str, type[WorkDialog]] = {
    "import": ImportDialog,
    "export_netlist": NetlistDialog,
    "export_page": PageDialog,
    "export_fmu": FmuDialog,
    "export_ssp": SspDialog,
    "export_library": LibraryDialog,
    "static": StaticDialog,
    "modes": ModesDialog,
    "linearise": LinearDialog,
    "response": ResponseDialog,
    "margins": MarginsDialog,
    "locus": LocusDialog,
    "sensitivity": SensitivityDialog,
    "buckling": BucklingDialog,
    "assess": AssessDialog,
    "load_chart": LoadChartDialog,
    "fit_parameters": FitDialog,
    "optimise": OptimiseDialog,
}
