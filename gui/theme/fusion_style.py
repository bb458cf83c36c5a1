"""Fusion with icons of the theme where its own are black."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QWidget

from .icons import icon


class FusionStyle(QProxyStyle):
    """Fusion with the arrows of file dialogs in the text colour: its own are black."""

    PLACES: ClassVar[dict[QStyle.StandardPixmap, str]] = {
        QStyle.StandardPixmap.SP_ArrowBack: "back",
        QStyle.StandardPixmap.SP_ArrowForward: "forward",
        QStyle.StandardPixmap.SP_FileDialogToParent: "up",
    }

    def __init__(self) -> None:
        super().__init__("Fusion")

    def standardIcon(
        self,
        standardIcon: QStyle.StandardPixmap,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> QIcon:
        name = self.PLACES.get(standardIcon)
        return icon(name) if name else super().standardIcon(standardIcon, option, widget)
