"""Import of models from other programs, and export to them."""

from __future__ import annotations

from .asking import Dialogs
from .exports import FmuDialog, LibraryDialog, NetlistDialog, SspDialog
from .importing import ImportDialog
from .live_page import PageDialog


class Models:
    def __init__(self, dialogs: Dialogs):
        self.dialogs = dialogs

    def on_import(self) -> None:
        self.dialogs.open(ImportDialog)

    def on_export_netlist(self) -> None:
        self.dialogs.open(NetlistDialog)

    def on_export_fmu(self) -> None:
        self.dialogs.open(FmuDialog)

    def on_export_ssp(self) -> None:
        self.dialogs.open(SspDialog)

    def on_export_library(self) -> None:
        self.dialogs.open(LibraryDialog)

    def on_export_page(self) -> None:
        self.dialogs.open(PageDialog)
