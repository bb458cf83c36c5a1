"""A window opens an imported robot, which has no layout of its own, and lays it out."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import luff
from luff.tests.shared.netlists import URDF_ARM


def test_window_lays_out_an_imported_robot(make_window, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF_ARM)
    text = luff.import_model(tmp_path / "arm.urdf").to_yaml()
    window = make_window(text, tmp_path / "arm.yaml")
    items = window.view.canvas.blocks
    assert set(items) == {"world", *luff.loads(text).blocks}
    areas = {name: item.sceneBoundingRect() for name, item in items.items()}
    for one, other in combinations(areas, 2):
        assert not areas[one].adjusted(8, 8, -8, -8).intersects(areas[other].adjusted(8, 8, -8, -8)), (
            one,
            other,
        )
    # along the chain each block stands further from the world
    chain = ["world", "base", "shoulder", "upper_arm", "slide_joint", "slide"]
    assert all(areas[a].center().x() < areas[b].center().x() for a, b in pairwise(chain))
    assert not window.document.diagram.modified
