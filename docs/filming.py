"""Films of a window, for pages: small pictures while something happens in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PIL import Image


class Filming:
    """Pictures of a window, each shown for `period` milliseconds."""

    def __init__(self, window: QWidget, width: int = 860, period: int = 250):
        self.pictures: list[Image.Image] = []
        self._window, self._width, self._period = window, width, period

    def take(self) -> None:
        from PIL import Image

        image = (
            self._window.grab()
            .toImage()
            .scaledToWidth(self._width, Qt.TransformationMode.SmoothTransformation)
        )
        image = image.convertToFormat(image.Format.Format_RGB888)
        size = image.width(), image.height()
        self.pictures.append(
            Image.frombytes("RGB", size, bytes(image.constBits()), "raw", "RGB", image.bytesPerLine())
        )

    def save(self, path: Path) -> None:
        """The colours of a picture in the middle are those of all, so that nothing flickers."""
        from PIL import Image

        colours = self.pictures[len(self.pictures) // 2].quantize(200)
        first, *others = (one.quantize(palette=colours, dither=Image.Dither.NONE) for one in self.pictures)
        first.save(path, "GIF", save_all=True, append_images=others, duration=self._period, loop=0)
