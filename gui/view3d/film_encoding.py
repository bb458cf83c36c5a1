"""Film as frames painted without a window: MP4 by imageio-ffmpeg, GIF by Pillow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from ...blocks.errors import LuffError
from ...solver.diagram.view_section import View
from ..theme import active_theme as themes
from .axes_gizmo import AXES
from .camera import Camera
from .film import Film
from .mounted_camera import apply_view, requested_view
from .painter import Look, Painting
from .scene_model import Scene

Told = Callable[[int, int], bool]  # (done, total) -> continue
MOST_FRAMES = 100_000


@dataclass(frozen=True)
class Shot:
    """Settings of a film: picture size, frame rate, speed and camera."""

    width: int = 1280
    height: int = 720
    fps: float = 30.0
    speed: float = 1.0
    view: str = ""  # the telling side where it is none of `VIEWS`
    follow: str = ""  # a frame, `block.port` or the block alone, that stays in the middle
    inside: str = ""  # a frame out of which the camera looks, along its x axis

    def begins(self, scene: Scene) -> View | None:
        return requested_view(scene, self.view, self.follow, self.inside)

    def moments(self, film: Film) -> np.ndarray:
        """Simulated time of each frame [s]; the last frame is at the film's end."""
        step = self.speed / self.fps
        count = int(np.floor((film.times[-1] - film.times[0]) / step + 1e-9)) + 1
        if count > MOST_FRAMES:
            message = f"found {count} pictures, expected at most {MOST_FRAMES}"
            raise LuffError(message, fix="a higher speed, or fewer pictures a second")
        return film.times[0] + step * np.arange(count)


class Pictures:
    """Off-screen renderer of a scene: RGB arrays (height, width, 3). `points` set the fitted region."""

    def __init__(self, scene: Scene, shot: Shot, points: np.ndarray):
        if QApplication.instance() is None:
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
            _kept.append(QApplication([]))
        self.look, self._scene, self._shot, self._camera = Look(), scene, shot, Camera(up=scene.up)
        if shot.view:
            self._camera.look_from(shot.view)
        else:
            self._camera.show_most(points)
        self.fit(points)
        self.view = shot.begins(scene)
        self._mount = apply_view(self._camera, self.view, scene) if self.view is not None else None
        self._painting = Painting(scene, self._camera, self.look, shot.width, shot.height)
        self._image = QImage(shot.width, shot.height, QImage.Format.Format_RGB32)

    def fit(self, points: np.ndarray) -> None:
        self._camera.fit(points, self._shot.width, self._shot.height)

    def at(self, pose: np.ndarray, moment: float) -> np.ndarray:
        shot, image = self._shot, self._image
        if self._mount is not None:
            self._mount.carry(self._camera, self._scene, pose)
        painter = QPainter(image)
        self._painting.paint(painter, pose)
        painter.setPen(themes.theme().colour("muted"))
        painter.drawText(
            image.rect().adjusted(14, 10, -14, -10), int(Qt.AlignmentFlag.AlignRight), f"t = {moment:.2f} s"
        )
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(shot.height, image.bytesPerLine() // 4, 4)
        return np.ascontiguousarray(pixels[:, : shot.width, 2::-1])


def pictures(film: Film, shot: Shot, told: Told) -> Iterator[np.ndarray]:
    """Frames of a film; `told(k, count)` reports progress and returns False to stop."""
    made, ways, other = Pictures(film.scene, shot, film.points()), film.trail_paths(), film.ghost
    look, moments = made.look, shot.moments(film)
    for k, moment in enumerate(moments):
        if not told(k, len(moments)):
            return
        look.time = float(moment)
        look.trails = [way[: np.searchsorted(film.times, moment, "right")] for way in ways]
        if film.stresses is not None:
            look.colour(film.stresses, float(moment))
        if other is not None:
            look.ghost = other.scene.mesh.vertices(other.at(moments[k : k + 1])[0])
        yield made.at(film.at(moments[k : k + 1])[0], float(moment))


_kept: list[QApplication] = []  # a process has one, which also carries windows, as long as it lives


def write_gif(film: Film, path: Path, shot: Shot, told: Told) -> None:
    """Write an animated GIF; the first frame's palette serves all frames, so that colours do not flicker."""
    from PIL import Image

    images: list[Image.Image] = []
    colours = Image.new("P", (1, 1))
    for pixels in pictures(film, shot, told):
        whole = Image.fromarray(pixels)
        if not images:
            # the few pixels of an axis weigh too little to be given a colour
            own = [part for name in AXES for part in bytes.fromhex(name[1:])]
            known = whole.quantize(256 - len(AXES), kmeans=1).getpalette() or []
            colours.putpalette([*known, *own])
        images.append(whole.quantize(palette=colours, dither=Image.Dither.NONE))
    if not images:
        return  # called off
    # a viewer counts in hundredths of a second
    images[0].save(
        path, "GIF", save_all=True, append_images=images[1:], duration=round(100 / shot.fps) * 10, loop=0
    )


def write_mp4(film: Film, path: Path, shot: Shot, told: Told) -> None:
    try:
        from imageio_ffmpeg import write_frames
    except ImportError:
        raise LuffError(
            "MP4 needs imageio-ffmpeg", fix="pip install 'luff[film]', or write .html or .gif"
        ) from None
    size, fps = (shot.width, shot.height), cast(int, shot.fps)  # it takes fractions too
    writer = write_frames(str(path), size, fps=fps, quality=8, macro_block_size=2, ffmpeg_log_level="error")
    writer.send(None)
    try:
        for pixels in pictures(film, shot, told):
            writer.send(pixels)
    finally:
        writer.close()


WRITERS = {".mp4": write_mp4, ".gif": write_gif}
