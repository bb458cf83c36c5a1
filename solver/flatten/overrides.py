"""Overrides from outside of a netlist, by `--set` or `luff.compile`: raw values by path, each taken once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import cast

from ...blocks.text.raw_types import Raw
from ..diagram.run_settings import SECTIONS
from ..netlist import path_steps

Steps = tuple[str | int, ...]


class Overrides:
    """Overrides by path; `king.mass` and `blocks.king.mass` are the same."""

    def __init__(self, given: Mapping[Steps, Raw] | None = None):
        self._left = dict(given or {})

    @classmethod
    def parsed(cls, given: Mapping[str, object] | None) -> Overrides:
        # what is no raw value is refused where its parameter converts it
        return cls({tuple(path_steps(path)): cast("Raw", raw) for path, raw in (given or {}).items()})

    @property
    def left(self) -> list[Steps]:
        """Paths that nothing took: there is no such thing to set."""
        return [*self._left]

    def of_sections(self, blocks: Collection[str]) -> dict[Steps, Raw]:
        """Settings of the netlist, where no block has the section's name."""
        return self._taken(lambda path: path[0] in SECTIONS and path[0] not in blocks and len(path) > 1)

    def of_parameter(self, name: str) -> list[Raw]:
        """A parameter of the netlist itself."""
        return [*self._taken(lambda path: path in ((name,), ("parameters", name))).values()]

    def of_entry(self, block: str, key: str) -> list[Raw]:
        """Take the overrides of an entry of a block."""
        return [*self._taken(lambda path: path in ((block, key), ("blocks", block, key))).values()]

    def of_block(self, block: str) -> dict[Steps, Raw]:
        """Take the overrides of a block, by paths within it."""
        short = self._taken(lambda path: path[0] == block and len(path) > 1)
        whole = self._taken(lambda path: path[:2] == ("blocks", block))
        return {path[1:]: raw for path, raw in short.items()} | {path[2:]: raw for path, raw in whole.items()}

    def _taken(self, wanted: Callable[[Steps], bool]) -> dict[Steps, Raw]:
        return {path: self._left.pop(path) for path in [*self._left] if wanted(path)}
