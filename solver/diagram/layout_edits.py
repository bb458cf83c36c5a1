"""Edits of the layout: places of blocks, corners of wires."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...blocks.text.raw_types import Raw
from ..netlist import deep_copy
from ..netlist.nested_entries import Path
from ..netlist.section_structure import WIRES
from .netlist_levels import Levels

Taken = list[tuple[Path, Raw]]  # entries of the layout that went with a block or a wire


class LayoutEdits(Levels):
    """Edits of the section `layout:`."""

    def place(self, name: str, x: float, y: float, rotation: float = 0) -> None:
        """Place a block on the canvas.

        Parameters
        ----------
        name : str
            The block.
        x, y : float
            Its place [px].
        rotation : float, optional
            Its rotation [deg].
        """
        place: list[Raw] = [_short(x), _short(y), *([_short(rotation)] if rotation else [])]
        self._tree.set(("layout", name), place)
        self._emit("moved", name)

    def put_back(self, name: str, entry: Raw) -> None:
        """Restore the layout entry of a block.

        Parameters
        ----------
        name : str
            The block.
        entry : object
            The entry that it had; None removes it.
        """
        if entry is None:
            self._tree.unset(("layout", name))
        else:
            self._tree.set(("layout", name), deep_copy(entry))
        self._emit("moved", name)

    def set_route(self, connection_text: str, points: Sequence[Sequence[float]] | None) -> None:
        """Fix the corners of a wire.

        Parameters
        ----------
        connection_text : str
            The connection.
        points : sequence of (float, float) or None
            Corners [px]; none of them leaves the wire to the router.
        """
        if points:
            self._tree.set(("layout", WIRES, connection_text), [[_short(x), _short(y)] for x, y in points])
        else:
            self._tree.unset(("layout", WIRES, connection_text))
        self._emit("routed", connection_text)

    def put_route_back(self, connection_text: str, entry: Raw) -> None:
        """Restore the layout entry of a wire.

        Parameters
        ----------
        connection_text : str
            The connection.
        entry : object
            The entry that it had; None removes it.
        """
        if entry is None:
            self._tree.unset(("layout", WIRES, connection_text))
        else:
            self._tree.set(("layout", WIRES, connection_text), deep_copy(entry))
        self._emit("routed", connection_text)

    def _routes_of(self, wanted: Callable[[str], bool]) -> list[Path]:
        """Paths of the layout entries that hold corners of certain wires."""
        routes = self._tree.get(("layout", WIRES))
        return (
            [("layout", WIRES, text) for text in routes if wanted(text)] if isinstance(routes, dict) else []
        )

    def _take_entries(self, paths: Iterable[Path]) -> Taken:
        """Forget entries of the layout, and the one that held corners where none are left."""
        taken = [(path, self._tree.get(path)) for path in paths]
        for path, _ in taken:
            self._tree.unset(path, keep=2)
        return taken

    def _give(self, taken: Taken) -> None:
        for path, raw in reversed(taken):
            self._tree.set(path, deep_copy(raw))


def _short(x: float) -> float:
    """Whole pixels are written without a point."""
    return int(x) if x == int(x) else float(x)
