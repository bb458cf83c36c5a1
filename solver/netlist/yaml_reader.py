"""Text -> nodes, through the events of PyYAML's safe loader.

The tree is built from events rather than by the loader, because every entry keeps its line and column, scalars
follow YAML 1.2, and depth and size are bounded before anything is built.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

import yaml

from ...blocks.errors import LuffError, Mark, MissingFileError, NetlistError, Problem, did_you_mean, in_order
from ...blocks.text import safe_read
from ...blocks.text.raw_types import Raw
from .library_paths import LIBRARY, library_path
from .syntax_nodes import ALIAS, DEEPEST, MAPPING, SCALAR, SEQUENCE, Document, Node, deep_copy
from .yaml_scalars import resolve

LARGEST = 1_000_000  # entries, each alias counted with all it stands for
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"


class _CannotContinue(Exception):
    """Reading cannot go on after this problem."""


def read_netlist(text: str, file: str = "<text>") -> Document:
    """Parse a netlist; mistakes are listed in `problems`, and `root` holds what could be read."""
    return _Reader(text, file).document()


def read_whole(path: Path) -> Document:
    """A file that is well formed; every mistake of form is told otherwise."""
    document = read_netlist(read_text(path), str(path))
    if document.problems:
        raise NetlistError(in_order(document.problems))
    return document


def read_value(text: str) -> Raw:
    """Parse a piece of YAML from a command line; text that is no YAML stays text."""
    document = read_netlist(text)
    return text if document.problems or document.root is None else document.data


def read_text(path: Path) -> str:
    """Text of a netlist file with its line ends."""
    try:
        content = safe_read.file_content(path, "a netlist")
    except LuffError as error:
        raise NetlistError(error.problems) from None
    if content is None:
        raise MissingFileError(f"there is no file {safe_read.shown(path)}", fix=_instead(path))
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problem = Problem(
            "found UTF-16 text, expected UTF-8", mark=Mark(str(path), 1, 1), fix="save the file as UTF-8"
        )
        raise NetlistError(problem)
    if content.startswith(b"\x89HDF"):
        raise NetlistError(
            f"{path} is an HDF5 file, expected a netlist",
            fix="a result opens with File, Open Result; or `luff plot`",
        )
    if b"\0" in content[:8192]:
        raise NetlistError(f"{path} is not a text file, expected a netlist", fix="a netlist is YAML text")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8").replace("\r\n", "\n")
        mark = Mark(str(path), before.count("\n") + 1, len(before) - before.rfind("\n"))
        mistake = f"found the byte 0x{content[error.start]:02x}, which is not UTF-8 text"
        raise NetlistError(Problem(mistake, mark=mark, fix="save the file as UTF-8")) from None


def _instead(path: Path) -> str:
    """Suggestion for the name of a file that is not there."""
    if (LIBRARY / f"{path.stem}.yaml").is_file() and path.parent == Path():
        return f"{LIBRARY.name}/{path.stem}.yaml comes with luff"
    folder = library_path(path.parent)
    beside = folder.glob("*.y*ml") if folder.is_dir() else []
    # a link that leads nowhere has this name
    return did_you_mean(path.name, [p.name for p in beside if p.name != path.name])


class _Reader:
    def __init__(self, text: str, file: str):
        self.text, self.file = text.removeprefix("\ufeff"), file
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node] = {}
        self.open_anchors: set[str] = set()

    def document(self) -> Document:
        root = None
        try:
            root = self._document(yaml.parse(self.text, Loader=_LOADER))
        except _CannotContinue:
            pass
        except yaml.reader.ReaderError as error:
            self.problems.append(self._unreadable(error))
        except yaml.MarkedYAMLError as error:
            self.problems.append(self._syntax(error))
        return Document(self.text, self.file, root, self.problems)

    def _document(self, events: Iterator[yaml.Event]) -> Node | None:
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._problem("a second document starts here, expected one", event, "remove the line ---")
                    raise _CannotContinue
                root = self._node(next(events), events, 1)
        empty = root is None or (root.start == root.end and root.raw is None)
        if empty and not self.problems:
            self.problems.append(
                Problem("the netlist is empty", mark=Mark(self.file, 1, 1), fix="start with `luff: 1`")
            )
        return None if empty else root

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        if depth > DEEPEST:
            self._problem(f"more than {DEEPEST} levels of nesting", event)
            raise _CannotContinue
        start, end = event.start_mark, event.end_mark
        last = end.index
        if getattr(event, "style", None) in ("|", ">"):  # the blank lines behind belong to no one
            last = start.index + len(self.text[start.index : last].rstrip())
        place = (start.index, last, start.line + 1, start.column + 1)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, place)
        anchor = event.anchor if isinstance(event, yaml.NodeEvent) else None
        if anchor:
            self.open_anchors.add(anchor)
        if isinstance(event, yaml.ScalarEvent):
            node = Node(SCALAR, *place, raw=self._scalar(event), style=event.style or "")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._tag(event, "seq")
            node = self._sequence(Node(SEQUENCE, *place, flow=bool(event.flow_style)), events, depth)
        else:
            assert isinstance(event, yaml.MappingStartEvent)  # nothing else begins a value
            self._tag(event, "map")
            node = self._mapping(Node(MAPPING, *place, flow=bool(event.flow_style)), events, depth)
        if anchor:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = node
            node.anchored = True
        self._bound(node, event)
        return node

    def _bound(self, node: Node, event: yaml.Event) -> None:
        if node.height > DEEPEST or node.size > LARGEST:
            limit = f"{DEEPEST} levels of nesting" if node.height > DEEPEST else f"{LARGEST} entries"
            self._problem(f"more than {limit}, counting what aliases stand for", event)
            raise _CannotContinue

    def _alias(self, event: yaml.AliasEvent, place: tuple[int, int, int, int]) -> Node:
        target = self.anchors.get(event.anchor)
        if event.anchor in self.open_anchors or target is None:
            inside = event.anchor in self.open_anchors
            self._problem(
                f"the alias *{event.anchor} " + ("contains itself" if inside else "has no anchor"), event
            )
            raise _CannotContinue
        return Node(
            ALIAS, *place, raw=deep_copy(target.raw), target=target, size=target.size, height=target.height
        )

    def _sequence(self, node: Node, events: Iterator[yaml.Event], depth: int) -> Node:
        node.raw = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            item = self._node(event, events, depth + 1)
            node.raw.append(item.raw)
            self._add(node, item, event)
        self._close(node, event)
        return node

    def _mapping(self, node: Node, events: Iterator[yaml.Event], depth: int) -> Node:
        node.raw, lines = {}, {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self._node(event, events, depth + 1)
            key_event = event
            value = self._node(event := next(events), events, depth + 1)
            name = self._key(key, key_event)
            if name is None:
                continue
            if name in lines:
                self._problem(
                    f'"{name}" is here twice, the first time in line {lines[name]}', key_event, "remove one"
                )
                continue
            lines[name] = key.line
            node.raw[name] = value.raw
            node.keys.append(key)
            self._add(node, value, event)
        self._close(node, event)
        return node

    def _add(self, node: Node, item: Node, event: yaml.Event) -> None:
        node.items.append(item)
        node.size += item.size
        node.height = max(node.height, item.height + 1)
        self._bound(node, event)

    def _close(self, node: Node, event: yaml.Event) -> None:
        # a block collection ends with its last entry; the parser only notices at the next token
        last = node.items[-1].end if node.items else node.start
        node.end = event.end_mark.index if node.flow else max(last, node.keys[-1].end if node.keys else 0)

    def _key(self, key: Node, event: yaml.Event) -> str | None:
        """The name of an entry; None if it is none."""
        if key.raw == "<<" and not key.style:
            self._problem("merge keys (<<) are not part of the format", event, "write the entries out")
        elif not isinstance(key.raw, str):
            shown = self.text[key.start : key.end][:40] or "nothing"
            self._problem(
                f"found {shown} as a name, expected text", event, "names start with a letter; or quote it"
            )
        else:
            return key.raw
        return None

    def _scalar(self, event: yaml.ScalarEvent) -> Raw:
        tag = (event.tag or "").removeprefix(_CORE)
        plain = event.implicit[0] and not event.style
        try:
            value = resolve(event.value) if plain or tag not in ("", "!", "str") else event.value
        except ValueError as error:
            self._problem(f"found {error}, expected a number that a float can hold", event)
            return None
        if tag in ("", "!", "str"):
            return value
        kinds = {"int": int, "float": float, "bool": bool, "null": type(None)}
        if tag == "float" and type(value) is int:
            return float(value)
        if type(value) is not kinds.get(tag):
            self._tag(event, "")
        return value

    def _tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, expected: str) -> None:
        tag = event.tag or ""
        if tag and tag not in ("!", _CORE + expected):
            shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
            self._problem(f"the tag {shown} is not part of the format", event, "remove it")

    def _problem(self, message: str, event: yaml.Event, fix: str = "") -> None:
        mark = Mark(self.file, event.start_mark.line + 1, event.start_mark.column + 1)
        self.problems.append(Problem(message, mark=mark, fix=fix))

    def _syntax(self, error: yaml.MarkedYAMLError) -> Problem:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = f"not YAML: {error.problem or error.context or 'cannot be read'}"
        if "nesting depth" in message:  # libyaml's own limit, which its look ahead meets before ours
            message = f"more than {DEEPEST} levels of nesting"
        rows = self.text.splitlines()
        row = rows[line - 1] if line <= len(rows) else ""
        fix = ""
        if "\t" in row[: column + 1]:
            fix = "a tab stands here: indent with spaces"
        elif error.context:
            opened = error.context_mark
            fix = error.context + (f" that starts in line {opened.line + 1}" if opened else "")
        return Problem(message, mark=Mark(self.file, line, column), fix=fix)

    def _unreadable(self, error: yaml.reader.ReaderError) -> Problem:
        # the two implementations count the position in characters or in bytes: look for the sign itself
        code = error.character if isinstance(error.character, int) else ord(error.character[:1] or "\0")
        sign = chr(code)
        at = max(self.text.find(sign), 0)
        before = self.text[:at]
        mark = Mark(self.file, before.count("\n") + 1, at - before.rfind("\n"))
        return Problem(f"the sign U+{code:04X} may not stand in a YAML file", mark=mark, fix="remove it")
