"""Patch of a text for changed data: what has not changed keeps its characters.

`patched_text` compares the tree of the original text with the data wanted now, and replaces, removes and inserts only
where they differ. It depends on nothing else, so that data changed back gives back the identical text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...blocks.light_dataclass import record
from ...blocks.text.raw_types import Raw, RawMap
from . import yaml_writer
from .entry_alignment import Pairs, align_items, align_keys
from .syntax_nodes import ALIAS, MAPPING, SEQUENCE, Document, Node, same_data
from .yaml_reader import read_netlist
from .yaml_scalars import scalar_text


class _Rewrite(Exception):
    """A collection cannot be patched entry by entry: its whole value is written anew."""


def patched_text(document: Document, data: RawMap) -> str:
    """The text of `data`, as near to the document's own text as can be."""
    if document.root is None:
        return yaml_writer.document(data)
    if document.says(data):
        return document.text
    # entry by entry; with every alias written out, where its anchor has changed; or section by section
    for deepest, expand in ((99, False), (99, True), (1, True)):
        text = _Patch(document, deepest, expand).apply(data)
        if text is not None and _reads_as(text, data):
            return text
    return yaml_writer.document(data).replace("\n", line_end(document.text))


def _reads_as(text: str, data: RawMap) -> bool:
    value = read_netlist(text)
    return not value.problems and value.root is not None and same_data(value.root.raw, data)


def line_end(text: str) -> str:
    """The line end that a text uses."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


@record
class _Head:
    """Text before a value outside brackets: `key:` or `-`, ending at `end`, indented by `indent`."""

    end: int
    indent: int
    dash: bool
    one_a_line: bool = False

    def lines(self, raw: object, prefer: str) -> list[str]:
        """A value's text: first what stands behind the head, then further lines."""
        if self.dash:
            first, *rest = yaml_writer.item(raw, self.indent, prefer)
            return [first[self.indent + 1 :], *rest]
        first, *rest = yaml_writer.headed("", raw, self.indent, self.one_a_line, prefer)
        return [first, *rest]


class _Patch:
    def __init__(self, document: Document, deepest: int, expand: bool):
        assert document.root is not None
        self.text, self.root = document.text, document.root
        self.deepest, self.expand = deepest, expand
        self.newline = line_end(document.text)
        self.splices: list[tuple[int, int, str]] = []

    def apply(self, data: RawMap) -> str | None:
        """The patched text; None if the changes are too entangled for splicing."""
        try:
            self._collection(self.root, data, 0, None)
        except _Rewrite:
            return None
        out, at = [], 0
        for start, end, new in sorted(self.splices, key=lambda splice: splice[:2]):
            if start < at:
                return None
            out += [self.text[at:start], new]
            at = end
        return "".join([*out, self.text[at:]])

    def _splice(self, start: int, end: int, new: str) -> None:
        self.splices.append((start, end, new))

    # one value

    def _node(self, node: Node, wanted: Raw, depth: int, head: _Head | None) -> None:
        """Make a node say what is wanted; `head` is None inside brackets."""
        if same_data(node.raw, wanted) and not (self.expand and _has_alias(node)):
            return
        done = len(self.splices)
        try:
            if depth >= self.deepest:
                raise _Rewrite
            self._collection(node, wanted, depth, head)
        except _Rewrite:
            del self.splices[done:]
            self._replace(node, wanted, head)

    def _collection(self, node: Node, wanted: Raw, depth: int, head: _Head | None) -> None:
        if node.kind == MAPPING and isinstance(wanted, dict) and isinstance(node.raw, dict):
            pairs = align_keys(node.raw, wanted)
            items: _Wanted = list(wanted.items())
            entries = [_Entry(*pair) for pair in zip(node.keys, node.items, strict=True)]
        elif node.kind == SEQUENCE and isinstance(wanted, list) and isinstance(node.raw, list):
            pairs = align_items(node.raw, wanted)
            items = [(None, item) for item in wanted]
            entries = [_Entry(None, item) for item in node.items]
        else:
            raise _Rewrite
        if not any(old is not None for old, _ in pairs) or not node.items or not wanted:
            raise _Rewrite
        kept = {old: new for old, new in pairs if old is not None and new is not None}
        if not kept:
            raise _Rewrite
        self._locate(node, entries)
        # what is put behind the last entry within an entry stands before what is put behind that one
        for old, new in kept.items():
            self._entry(node, entries[old], *items[new], depth)
        edit = self._in_brackets if node.flow else self._in_lines
        edit(entries, pairs, items, node, head)

    def _entry(self, node: Node, entry: _Entry, name: str | None, value: Raw, depth: int) -> None:
        if entry.key is not None and entry.key.raw != name:
            self._splice(entry.key.start, entry.key.end, scalar_text(name, node.flow, _quote(entry.key)))
        if node.flow:
            self._node(entry.value, value, depth + 1, None)
            return
        one_a_line = self._has_sections(node) and name in yaml_writer.ONE_A_LINE
        head = _Head(entry.head, entry.indent, entry.key is None, one_a_line)
        self._node(entry.value, value, depth + 1, head)

    def _replace(self, node: Node, wanted: Raw, head: _Head | None) -> None:
        prefer = _quote(node) if isinstance(wanted, str) else ""
        if head is None:
            gap = (
                " " if node.start == node.end and self.text[node.start - 1 : node.start] in (":", ",") else ""
            )
            self._splice(node.start, node.end, gap + yaml_writer.flow(wanted, prefer))
            return
        first, *rest = head.lines(wanted, prefer)
        more = "".join(self.newline + line for line in rest)
        if node.start == node.end:
            self._splice(head.end, head.end, first)
            self._splice_if(self._line_end(head.end), more)
        elif self._line_start(node.start) <= head.end:
            gap = self.text[head.end : node.start] if first else ""  # keep the spaces before a value
            self._splice(head.end, node.end, (gap or first[:1]) + first[1:])
            self._splice_if(self._line_end(node.end), more)
        else:  # a block on the lines below
            self._splice_if(head.end, first)
            if self.text[self._line_start(node.start) : node.start].strip():
                raise _Rewrite
            self._splice(*self._rows(node.start, node.end), more)

    def _splice_if(self, at: int, new: str) -> None:
        if new:
            self._splice(at, at, new)

    # the entries of a collection

    def _locate(self, node: Node, entries: list[_Entry]) -> None:
        """Find where each entry begins, where its head ends, and how far it is indented."""
        at = node.start
        for entry in entries:
            if entry.key is not None:
                colon = _COLON.match(self.text, entry.key.end)
                if colon is None:
                    raise _Rewrite  # an explicit key (`? key`), or one without a value
                entry.start, entry.head = entry.key.start, colon.end()
            elif node.flow:
                entry.start = entry.head = entry.value.start
            else:
                dash = _DASH.match(self.text, at)
                if dash is None:
                    raise _Rewrite
                entry.start, entry.head = dash.end() - 1, dash.end()
            entry.end = max(entry.value.end, entry.head)
            at = entry.end
            row = self._line_start(entry.start)
            entry.indent = entry.start - row
            entry.inline = bool(self.text[row : entry.start].strip())

    def _in_lines(
        self, entries: list[_Entry], pairs: Pairs, wanted: _Wanted, node: Node, head: _Head | None
    ) -> None:
        """Remove and insert entries that stand on lines of their own."""
        after: _Entry | None = None
        for old, new in pairs:
            if old is None:
                assert new is not None
                lines = self._lines(*wanted[new], entries[-1].indent, node)
                if after is not None:
                    self._splice_if(self._line_end(after.end), "".join(self.newline + line for line in lines))
                elif entries[0].inline:
                    raise _Rewrite  # `- a: 1`: no line to put one before it
                else:
                    at, _ = self._rows(entries[0].start, entries[0].start)
                    ends = ("", self.newline) if at == 0 else (self.newline, "")
                    self._splice_if(at, "".join(line.join(ends) for line in lines))
            elif new is None:
                entry = entries[old]
                if entry.inline:
                    raise _Rewrite
                self._splice(*self._rows(entry.start, entry.end), "")
            else:
                after = entries[old]

    def _lines(self, name: str | None, value: Raw, indent: int, node: Node) -> list[str]:
        if name is None:
            return yaml_writer.item(value, indent)
        listed = self._has_sections(node) and name in yaml_writer.ONE_A_LINE
        return yaml_writer.entry(name, value, indent, listed)

    def _has_sections(self, node: Node) -> bool:
        """True for the whole document, and for a subsystem in it."""
        return node is self.root or (isinstance(node.raw, dict) and isinstance(node.raw.get("blocks"), dict))

    def _in_brackets(
        self, entries: list[_Entry], pairs: Pairs, wanted: _Wanted, node: Node, head: _Head | None
    ) -> None:
        """Remove and insert entries between commas."""
        first_kept = next(old for old, new in pairs if old is not None and new is not None)
        after: _Entry | None = None
        added = 0
        for old, new in pairs:
            if old is None:
                assert new is not None
                name, value = wanted[new]
                text = yaml_writer.flow([value] if name is None else {name: value})[1:-1]
                added += len(text) + 2
                if after is not None:
                    self._splice(after.end, after.end, f", {text}")
                else:
                    self._splice(entries[first_kept].start, entries[first_kept].start, f"{text}, ")
            elif new is not None:
                after = entries[old]
            elif old < first_kept:
                self._splice(entries[old].start, entries[old + 1].start, "")
            else:
                self._splice(entries[old - 1].end, entries[old].end, "")
        if head is not None and added:
            row = self._line_end(entries[-1].end) - self._line_start(entries[0].start)
            if row + added > yaml_writer.WIDTH and self._line_start(entries[0].start) <= head.end:
                raise _Rewrite  # too long for one line: a block reads better

    # lines

    def _rows(self, first: int, last: int) -> tuple[int, int]:
        """Whole lines, with the line end before them: what is put behind them begins at their end."""
        start, end = self._line_start(first), self._line_end(last)
        return (self._line_end(start - 1), end) if start else (0, self._next_line(end))

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        """The end of the line, before its line end."""
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        return end - 1 if end > at and self.text[end - 1] == "\r" else end

    def _next_line(self, end: int) -> int:
        return min(len(self.text), end + (2 if self.text[end : end + 2] == "\r\n" else 1))


_COLON = re.compile(r"[ \t]*:(?=[\s\[{\"',}\]&*!|>]|$)")
_DASH = re.compile(r"(?:[&!]\S+|[ \t\r\n]|(?:(?<=\s)|^)#[^\n]*)*-(?=\s|$)")
_Wanted = list[tuple[str | None, Raw]]  # the entries of a collection: names (None in a list) and values


@dataclass(slots=True)
class _Entry:
    key: Node | None
    value: Node
    start: int = 0
    head: int = 0
    end: int = 0
    indent: int = 0
    inline: bool = False  # something else stands before it on its line


def _quote(node: Node) -> str:
    return node.style if node.style in ("'", '"') else ""


def _has_alias(node: Node) -> bool:
    return node.kind == ALIAS or any(map(_has_alias, node.items))
