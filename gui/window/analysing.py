"""Analyse, and searches of Study: what the commands tell, in dialogs beside the window."""

from __future__ import annotations

from .asking import Dialogs, WorkDialog
from .assessing import AssessDialog
from .buckling import BucklingDialog
from .linear_dialogs import LinearDialog, LocusDialog, MarginsDialog, ResponseDialog
from .load_chart import LoadChartDialog
from .modes import ModesDialog
from .resting import StaticDialog
from .searching import FitDialog, OptimiseDialog
from .sensitivities import SensitivityDialog

DIALOGS: dict[str, type[WorkDialog]] = {
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


class Analysing:
    def __init__(self, dialogs: Dialogs):
        self.dialogs = dialogs

    def _open(self, key: str) -> None:
        self.dialogs.open(DIALOGS[key])

    def on_static(self) -> None:
        self._open("static")

    def on_modes(self) -> None:
        self._open("modes")

    def on_linearise(self) -> None:
        self._open("linearise")

    def on_response(self) -> None:
        self._open("response")

    def on_margins(self) -> None:
        self._open("margins")

    def on_locus(self) -> None:
        self._open("locus")

    def on_sensitivity(self) -> None:
        self._open("sensitivity")

    def on_buckling(self) -> None:
        self._open("buckling")

    def on_assess(self) -> None:
        self._open("assess")

    def on_load_chart(self) -> None:
        self._open("load_chart")

    def on_fit_parameters(self) -> None:
        self._open("fit_parameters")

    def on_optimise(self) -> None:
        self._open("optimise")
