"""The dialogs that actions of the menus open, by the key of the action: each works beside the window."""

from __future__ import annotations

from .asking import WorkDialog
from .assessing import AssessDialog
from .buckling import BucklingDialog
from .exports import FmuDialog, LibraryDialog, NetlistDialog, SspDialog
from .importing import ImportDialog
from .linear_dialogs import LinearDialog, LocusDialog, MarginsDialog, ResponseDialog
from .live_page import PageDialog
from .load_chart import LoadChartDialog
from .modes import ModesDialog
from .resting import StaticDialog
from .searching import FitDialog, OptimiseDialog
from .sensitivities import SensitivityDialog

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
