"""Syntax tree of a netlist with the place of every entry: made by the reader, compared by the patcher."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from ...blocks.errors import Mark, Problem
from ...blocks.light_dataclass import mutable
from ...blocks.text.raw_types import Raw, RawMap

DEEPEST = 60  # levels of nesting of a netlist that is read
LONGEST_COMMENT = 10  # lines of a comment behind an entry
_COMMENT = re.compile(r"\s*(#.*)")
SCALAR, MAPPING, SEQUENCE, ALIAS = "scalar", "mapping", "sequence", "alias"


@dataclass(slots=True)
class Node:
    """Entry of the text; `start` and `end` are offsets into the text, `raw` is its value as plain data."""

    kind: str
    start: int
    end: int
    line: int
    column: int
    raw: Raw = None
    flow: bool = False  # a collection in brackets
    style: str = ""  # of a scalar: the quote or block sign, empty when plain
    anchored: bool = False
    keys: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    places: dict[object, int] = field(default_factory=dict)  # of a mapping's keys; made when first asked for
    target: Node | None = None  # of an alias
    size: int = 1  # nodes below, aliases followed
    height: int = 1

    def entry(self, key: object) -> tuple[Node | None, Node] | None:
        """Key node and value node of a mapping's entry; (None, item) in a sequence."""
        if self.kind == ALIAS:
            return self.target.entry(key) if self.target else None
        if self.kind == SEQUENCE:
            return (None, self.items[key]) if isinstance(key, int) and key < len(self.items) else None
        if len(self.places) != len(self.keys):
            self.places = {name.raw: k for k, name in enumerate(self.keys)}
        k = self.places.get(key)
        return None if k is None else (self.keys[k], self.items[k])


_STEP = re.compile(r"\[(\d{1,15})\]|([^.\[\]]+)")  # a list has no more items than that


def path_steps(path: str) -> list[str | int]:
    """`king.frames.pin.at[1]` as a list of keys and indices."""
    return [int(index) if index else name for index, name in _STEP.findall(path)]


@mutable
class Document:
    """A text as read: its root node (None for an empty text) and everything wrong with it."""

    text: str
    file: str
    root: Node | None
    problems: list[Problem]
    _marked: list[tuple[str, Mark]] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def data(self) -> Raw:
        return deep_copy(self.root.raw) if self.root else None

    def says(self, data: Raw) -> bool:
        """True if the text has exactly these data."""
        return self.root is not None and same_data(self.root.raw, data)

    def at(self, node: Node, offset: int = 0) -> Mark:
        return Mark(self.file, node.line, node.column + offset)

    def nodes(self, path: str | Sequence[str | int]) -> Iterator[tuple[Node | None, Node]]:
        """The entries on the way to a path, as far as it exists; as a list of steps a name may hold dots."""
        node = self.root
        for step in path_steps(path) if isinstance(path, str) else path:
            inner = node.entry(step) if node else None
            if inner is None:
                return
            yield inner
            node = inner[1]

    def part(self, steps: Sequence[str | int]) -> Document | None:
        """The document of an entry, whose paths count from there; None where there is no such entry."""
        nodes = list(self.nodes(steps))
        if len(nodes) != len(steps):
            return None
        node = nodes[-1][1] if nodes else self.root
        root = node.target if node is not None and node.kind == ALIAS else node
        return self if root is self.root else Document(self.text, self.file, root, [])

    def mark(self, path: str | Sequence[str | int], key: bool = False) -> Mark | None:
        """Place of an entry, or else of what encloses it; `key=True` for its name, not its value."""
        node = list(self.nodes(path))
        if not node:
            return self.at(self.root) if self.root else None
        return self._place(*node[-1], key)

    def comment(self, path: str | Sequence[str | int]) -> str:
        """Comment behind an entry, with the lines of comment alone that go on in the same column; else empty."""
        steps = path_steps(path) if isinstance(path, str) else path
        nodes = list(self.nodes(steps))
        if len(nodes) != len(steps) or not nodes:
            return ""
        first, *below = self.text[nodes[-1][1].end :].split("\n", LONGEST_COMMENT)
        begun = _COMMENT.fullmatch(first)
        if begun is None:
            return ""
        column = nodes[-1][1].end + begun.start(1) - (self.text.rfind("\n", 0, nodes[-1][1].end) + 1)
        words = [begun[1]]
        for text in below:
            more = _COMMENT.fullmatch(text)
            if more is None or more.start(1) != column:
                break
            words.append(more[1])
        return " ".join(word.lstrip("#").strip() for word in words)

    def marks(self) -> list[tuple[str, Mark]]:
        """The place of every named entry, and of the items of every section that is a list."""
        if self._marked is None:
            self._marked = [*self._marks(self.root, "")] if self.root else []
        return self._marked

    def _marks(self, node: Node, path: str) -> Iterator[tuple[str, Mark]]:
        for key, value in zip(node.keys, node.items, strict=False):
            below = f"{path}.{key.raw}" if path else str(key.raw)
            yield below, self._place(key, value)
            yield from self._marks(value, below)
        if node.kind == SEQUENCE and "." not in path:
            for k, value in enumerate(node.items):
                yield f"{path}[{k}]", self.at(value)
                yield from self._marks(value, f"{path}[{k}]")

    def _place(self, name: Node | None, value: Node, key: bool = False) -> Mark:
        inline = value.kind in (SCALAR, ALIAS) or value.flow
        below = not inline or value.start == value.end or (name is not None and value.line != name.line)
        return self.at(name if name is not None and (key or below) else value)

    def scalar_mark(self, path: str, offset: int) -> Mark | None:
        """A place inside a text entry."""
        nodes = list(self.nodes(path))
        if len(nodes) != len(path_steps(path)):
            return None
        node = nodes[-1][1]
        one_line = node.kind == SCALAR and "\n" not in self.text[node.start : node.end] and not node.anchored
        return self.at(node, offset + bool(node.style) if one_line else 0)


def same_data(a: object, b: object) -> bool:
    """Equality of raw data that also sees order, and the difference between 1, 1.0 and true."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(
            j == k and same_data(x, y) for (j, x), (k, y) in zip(a.items(), b.items(), strict=True)
        )
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_data, a, b))
    if isinstance(a, float):
        return repr(a) == repr(b)  # tells 0.0 from -0.0, and knows that nan is nan
    return a == b


def height(raw: object) -> int:
    """Levels of nesting of raw data, 1 for a scalar."""
    below = raw.values() if isinstance(raw, dict) else raw if isinstance(raw, list) else ()
    return 1 + max(map(height, below), default=0)


@overload
def deep_copy(raw: RawMap) -> RawMap: ...
@overload
def deep_copy(raw: Raw) -> Raw: ...
def deep_copy(raw: Raw) -> Raw:
    """A copy that shares nothing that can change."""
    if isinstance(raw, dict):
        return {key: deep_copy(value) for key, value in raw.items()}
    if isinstance(raw, list):
        return [deep_copy(value) for value in raw]
    return raw
