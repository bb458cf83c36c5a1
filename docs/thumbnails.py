"""3-D pictures of examples and templates on the first page, light and dark: `python -m luff.docs.thumbnails`."""

from __future__ import annotations

import luff
from luff.docs.screenshots import squeeze
from luff.gui.app import application
from luff.gui.document.starter_models import templates
from luff.gui.theme import active_theme
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.view3d.scene_model import scene_of
from luff.gui.window.welcome import PICTURES, SHARP, THUMB, start_examples
from luff.solver.flatten.diagram import Diagram


def main() -> None:
    application()
    PICTURES.mkdir(exist_ok=True)
    models = {path.stem: luff.load(path) for path in start_examples()}
    models |= {f"template_{key}": Diagram.from_yaml(text) for key, text in templates().items()}
    for name, diagram in models.items():
        scene = scene_of(luff.compile(diagram))
        if scene.empty:
            continue  # its blocks are shown
        for look in ("light", "dark"):
            active_theme.holder.use(look)
            canvas = Canvas3D()
            canvas.look.corner = False
            canvas.setMinimumSize(0, 0)
            canvas.resize(THUMB * SHARP)
            canvas.show_scene(scene)
            file = PICTURES / f"{name}_{look}.png"
            canvas.grab().save(str(file))
            squeeze(file)
            print(file.name, file.stat().st_size)


if __name__ == "__main__":
    main()
