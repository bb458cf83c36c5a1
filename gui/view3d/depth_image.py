"""Picture of faces, lines and water with hidden ones hidden sample by sample, smooth at its edges.

The kernels of `solver/kernels/depth_buffer.py` paint into a buffer of several samples a pixel; colours are tables of
`SHADES` steps from the shade to the light.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from ...solver.codegen import object_loader
from ...solver.codegen.jit import ENABLED, EntryPoint
from ...solver.kernels import depth_buffer
from .camera import NEAR, Camera

SAMPLES, MOST = 3, 8_000_000  # a pixel along each axis at most, and in all
AT_ONCE = 0.1  # s for kernels that are compiled already
KERNELS: tuple[EntryPoint, ...] = (
    depth_buffer.clear,
    depth_buffer.paint_faces,
    depth_buffer.paint_lines,
    depth_buffer.paint_veils,
    depth_buffer.resolve,
)


def get_ready() -> None:
    """Load the kernels, compiling them where they never were; their calls wait for nobody then."""
    if ENABLED:
        object_loader.load(KERNELS)
        for kernel in KERNELS:
            object_loader.address_of(kernel)


def prepared() -> bool:
    """True if a picture can be painted without a wait. Else a thread loads the kernels, as others that compile may
    hold the loader for minutes."""
    return not ENABLED or not _load_beside().is_alive()


@cache
def _load_beside() -> threading.Thread:
    thread = threading.Thread(target=get_ready, name="luff view", daemon=True)
    thread.start()
    thread.join(AT_ONCE)
    return thread


class Buffer:
    """Samples of pictures of one size, used again from picture to picture."""

    def __init__(self, width: int, height: int, samples: int):
        self.samples = samples
        self.words = np.zeros((height * samples, 2 * -(-width // 2) * samples), np.int64)
        self.touched = np.zeros((height * samples, 2), np.int64)
        self.touched[:] = 0, self.words.shape[1] - 1
        self.pixels = np.zeros((height, -(-width // 2)), np.int64)
        self.clip, self.flat, self.side = np.zeros((1, 3)), np.zeros((8, 8)), np.zeros(4, np.int64)
        self.table = np.zeros((1, 1), np.int64)  # of no colour


@lru_cache(3)
def _buffer(width: int, height: int, samples: int) -> Buffer:
    return Buffer(width, height, samples)


def samples_of(pixels: int) -> int:
    """Samples of a pixel along each axis: fewer in large pictures, one where nothing is compiled."""
    if not ENABLED:
        return 1
    return next((n for n in range(SAMPLES, 1, -1) if n * n * pixels <= MOST), 1)


class DepthImage:
    """Empty picture of a size in points, at `ratio` pixels a point, as a camera sees it."""

    def __init__(self, camera: Camera, width: int, height: int, ratio: float, samples: int = 0):
        self.camera, self.width, self.height = camera, width, height
        size = max(1, round(width * ratio)), max(1, round(height * ratio))
        self._buffer = _buffer(*size, samples or samples_of(size[0] * size[1]))
        self.scale = ratio * self._buffer.samples  # samples a point
        focal = self.scale * camera.pixels_per_metre(height)
        middle = 0.5 * self.scale * width, 0.5 * self.scale * height
        if not camera.parallel:
            focal *= camera.distance
        near, far = NEAR * camera.distance, 2.0 * camera.reach
        self.lens = np.array([focal, *middle, near, far, float(camera.parallel)])
        depth_buffer.clear(self._buffer.words, self._buffer.touched)

    def faces(self, corners: np.ndarray, shades: np.ndarray, looks: np.ndarray, tables: np.ndarray) -> None:
        """Paint quads: corners in the world (4 n, 3) [m], their shades (4 n), rows of the tables (n)."""
        seen, light = _known(corners, 4), np.asarray(shades, float)[:, None]
        if not seen.all():
            corners, light, looks = corners[np.repeat(seen, 4)], light[np.repeat(seen, 4)], looks[seen]
        b, local = self._buffer, self.camera.local(corners)
        depth_buffer.paint_faces(
            b.words, b.touched, self.lens, local, np.ascontiguousarray(light),
            np.ascontiguousarray(looks, np.int64), tables, b.clip, b.flat, b.side,
        )  # fmt: skip

    def lines(
        self, ends: np.ndarray, argb: np.ndarray, width: np.ndarray | float, ahead: float = 0.0
    ) -> None:
        """Paint lines: ends in the world (2 n, 3) [m], colours (n), widths in points; `ahead` of what is at the same
        place, in units of the target's distance."""
        camera, b = self.camera, self._buffer
        pens = np.empty((len(argb), 2))
        pens[:, 0] = 0.5 * self.scale * np.asarray(width)
        pens[:, 1] = 1.0 + ahead * (camera.distance / camera.reach if camera.parallel else 1.0)
        words, seen = np.ascontiguousarray(argb, np.int64), _known(ends, 2)
        if not seen.all():
            ends, pens, words = ends[np.repeat(seen, 2)], pens[seen], words[seen]
        local = camera.local(ends)
        depth_buffer.paint_lines(b.words, b.touched, self.lens, local, pens, words, b.clip, b.flat)

    def veils(self, corners: np.ndarray, colours: np.ndarray) -> None:
        """Paint quads that let through what is beyond them, the furthest first: corners (4 n, 3), colours (4 n, 4)."""
        b, local = self._buffer, self.camera.local(corners)
        depth_buffer.paint_veils(
            b.words,
            b.touched,
            self.lens,
            local,
            np.ascontiguousarray(colours),
            b.table,
            b.clip,
            b.flat,
            b.side,
        )

    def paint(self, painter: QPainter) -> None:
        b = self._buffer
        depth_buffer.resolve(b.words, b.touched, b.samples, b.pixels)
        height, width = len(b.pixels), 2 * b.pixels.shape[1]
        form = QImage.Format.Format_ARGB32_Premultiplied
        image = QImage(b.pixels.data.cast("B"), width, height, 4 * width, form)
        ratio = self.scale / b.samples
        painter.drawImage(QRectF(0, 0, width / ratio, height / ratio), image)


def _known(points: np.ndarray, each: int) -> np.ndarray:
    """Mask of the pieces of so many points each that are all finite."""
    return np.logical_and.reduce(np.isfinite(points).reshape(-1, 3 * each), axis=1)


def word_of(colour: QColor, opacity: float = 1.0) -> int:
    """Word of a colour with an opacity, as lines and tables take it."""
    return (round(255 * opacity) << 24) | (colour.rgb() & 0xFFFFFF)
