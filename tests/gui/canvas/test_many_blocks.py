"""Work that grows with the number of blocks, and not with its square."""

from __future__ import annotations

from typing import Any

import pytest

from luff.bench.gui_canvas import grid
from luff.solver.diagram.netlist_sections import Sections


@pytest.mark.parametrize("act", ["open", "drag"])
def test_showing_blocks_lists_all_of_them_a_fixed_number_of_times(
    act: str, make_canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`blocks` makes a mapping of all of them: with that for each block, the time to open grows with the square."""
    whole = Sections.blocks.fget
    assert whole is not None
    asked: list[int] = []

    def counted(netlist: Sections) -> dict[str, Any]:
        asked.append(1)
        return whole(netlist)

    monkeypatch.setattr(Sections, "blocks", property(counted))
    counts = []
    for count in (20, 60):
        asked.clear()
        canvas = make_canvas(grid(count))
        if act == "drag":
            asked.clear()
            canvas.document.move({"b3": (0.0, 30.0)})
            canvas.scene.sync()
        counts.append(len(asked))
    assert counts[0] == counts[1]
