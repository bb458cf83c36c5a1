"""3-D pictures of the examples on the first page, light and dark: `python -m luff.docs.thumbnails`."""

from __future__ import annotations

import luff
from luff.docs.screenshots import squeeze
from luff.gui.app import application
from luff.gui.theme import active_theme
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.view3d.film import scene_shown
from luff.gui.window.welcome import PICTURES, SHARP, THUMB, start_examples


def main() -> None:
    application()
    PICTURES.mkdir(exist_ok=True)
    for path in start_examples():
        scene = scene_shown(luff.compile(luff.load(path)))
        for look in ("light", "dark"):
            active_theme.holder.use(look)
            canvas = Canvas3D()
            canvas.look.corner = False
            canvas.setMinimumSize(0, 0)
            canvas.resize(THUMB * SHARP)
            canvas.show_scene(scene)
            file = PICTURES / f"{path.stem}_{look}.png"
            canvas.grab().save(str(file))
            squeeze(file)
            print(file.name, file.stat().st_size)


if __name__ == "__main__":
    main()
