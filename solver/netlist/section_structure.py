"""Form of a netlist, checked before entries have a meaning: its sections and their shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from ...blocks.errors import Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.text.raw_types import Raw, RawMap
from .nested_entries import insert_at
from .syntax_nodes import Document, deep_copy
from .yaml_writer import SECTIONS

Kind = TypeVar("Kind", bound="dict[str, Raw] | list[Raw]")
VERSION = 1
FILES = "files"  # the entry of `blocks:` that lists Python files
WIRES = "wires"  # the entry of `layout:` that holds dragged wires
LABELS = "labels"  # what it says of a wire that is shown as two labels
NOTES = "notes"  # the entry of `layout:` that holds notes
# sections of a subsystem in place, a `type:` that is a mapping; the others are the outermost netlist's
SUBSYSTEM = (
    "doc", "icon", "parameters", "inputs", "blocks", "connect", "ports", "outputs", "assert", "layout",
)  # fmt: skip
RESERVED = {
    FILES: "it lists Python files",
    WIRES: "the layout keeps wires under it",
    NOTES: "the layout keeps notes under it",
}

_SHAPES: dict[str, tuple[type[dict] | type[list], str]] = {
    "parameters": (dict, "a mapping from names to numbers"),
    "inputs": (dict, "a mapping from names to {unit, default, ...}"),
    "blocks": (dict, "a mapping from names to {type: ..., ...}"),
    "connect": (list, "a list of connections like a.b -- c.d"),
    "ports": (dict, "a mapping from names to block.port"),
    "outputs": (dict, "a mapping from names to block.port"),
    "initial": (dict, "a mapping {solve, hold}"),
    "simulation": (dict, "a mapping {stop, step, method, ...}"),
    "assert": (list, "a list of conditions like block.port below 3 m"),
    "record": (list, "a list of signal names"),
    "plots": (list, "a list of {title, y}"),
    "dashboard": (list, "a list of {kind, of}"),
    "view": (dict, "a mapping {camera, of, from, to}"),
    "layout": (dict, "a mapping from blocks to [x, y]"),
}


def foreign_format(document: Document) -> Problem | None:
    """Problem of a file that is no netlist, or one of another version; its entries then mean nothing here."""
    data = document.root.raw if document.root else None
    if not isinstance(data, dict):
        return None
    version, model = data.get("luff"), data.get("model")
    path, fix = "luff", "install a newer luff"
    if isinstance(version, int) and version > VERSION:
        message = f"this netlist has the format version {version}, this version of luff reads up to {VERSION}"
    elif isinstance(model, str) and "blocks" not in data:
        what, verb = ("an assessment", "assess") if "cases" in data else ("a study", "study")
        message = f'this is {what} of the model "{model}", expected a netlist'
        path, fix = "model", f"run it with `luff {verb} {document.file}`"
    elif data and not set(data) & (set(SECTIONS) - {"name", "doc", "icon"}):
        names = ", ".join(map(str, list(data)[:3])) + (", ..." if len(data) > 3 else "")
        message = f"this is not a luff netlist: found {names}, expected sections like `luff: 1` and `blocks:`"
        path, fix = "", ""
    else:
        return None
    return Problem(message, path, fix, mark=document.mark(path, path == "model"))


def check_structure(document: Document) -> list[Problem]:
    """Find all mistakes of form; `document.problems` (syntax, doubled names) come first."""
    data = document.root.raw if document.root else None
    problems = list(document.problems)
    if document.root is not None:
        if not isinstance(data, dict):
            message = f"found {_kind(data)}, expected sections like `luff: 1` and `blocks:`"
            problems.append(Problem(message, mark=document.mark("")))
        else:
            # a name doubled or a tag refused has been told already
            problems += [problem.at(document.mark(problem.path, problem.key)) for problem in _problems(data)]
    return problems


def _problems(data: RawMap) -> Iterator[Problem]:
    yield from _version(data)
    for name in data:
        if name not in SECTIONS:
            yield Problem(f'there is no section "{name}"', name, did_you_mean(name, SECTIONS), key=True)
    yield from _contents(data)


def _contents(data: RawMap) -> Iterator[Problem]:
    """Mistakes of form in the sections of a netlist or of a subsystem in place."""
    for name in ("name", "doc", "icon"):
        if not isinstance(data.get(name, ""), str | None):
            yield Problem(f"found {_kind(data[name])}, expected text", name, "put it in quotes")
    for name, (kind, expected) in _SHAPES.items():
        value = data.get(name)
        if value is not None and not isinstance(value, kind):
            yield Problem(f"found {_kind(value)}, expected {expected}", name)
    for name, raw in section(data, "blocks", dict).items():
        yield from _block(name, raw)
        for problem in _subsystem(subsystem(raw)):
            within = f"blocks.{name}.type.{problem.path}" if problem.path else f"blocks.{name}.type"
            yield replace(problem, path=within)
    for k, wire in enumerate(section(data, "connect", list)):
        if not isinstance(wire, str):
            yield Problem(f"found {_kind(wire)}, expected a connection like a.b -- c.d", f"connect[{k}]")
    for k, text in enumerate(section(data, "assert", list)):
        if not isinstance(text, str):
            yield Problem(
                f"found {_kind(text)}, expected a condition like block.port below 3 m", f"assert[{k}]"
            )
    yield from _wire_layout_problems(section(section(data, "layout", dict), WIRES, dict))
    yield from _interface(data)


def _wire_layout_problems(wires: RawMap) -> Iterator[Problem]:
    """Yield problems of the layout of single wires."""
    for wire, way in wires.items():
        if way != LABELS and not _is_way(way):
            shown = f'"{way}"' if isinstance(way, str) else _kind(way)
            expected = f"{LABELS}, or the corners of the wire: [[x, y], ...]"
            fix = did_you_mean(way, [LABELS]) if isinstance(way, str) else ""
            yield Problem(f"found {shown} for {wire}, expected {expected}", f"layout.{WIRES}", fix)


def _is_way(raw: Raw) -> bool:
    return isinstance(raw, list) and all(
        isinstance(corner, list) and len(corner) == 2 and all(type(one) in (int, float) for one in corner)
        for corner in raw
    )


def _interface(data: RawMap) -> Iterator[Problem]:
    """Mistakes of form in `ports`, `inputs` and `outputs`."""
    if section(data, "inputs", dict) and INPUTS in section(data, "blocks", dict):
        message = 'no block can be named "inputs" beside the section `inputs:`, whose signals have that name'
        yield Problem(message, f"blocks.{INPUTS}", "choose another name", key=True)
    owner: dict[str, str] = {}
    for kind in ("ports", "inputs", "outputs"):
        for name in section(data, kind, dict):
            if name == "time" and kind != "ports":
                yield Problem(
                    '"time" is the name of the time', f"{kind}.{name}", "choose another name", key=True
                )
            if owner.setdefault(name, kind) != kind:
                message = f'"{name}" is listed in {owner[name]} already'
                yield Problem(message, f"{kind}.{name}", "choose another name", key=True)
    for kind in ("ports", "outputs"):
        for name, inner in section(data, kind, dict).items():
            if not isinstance(inner, str):
                yield Problem(f"found {_kind(inner)}, expected block.port", f"{kind}.{name}")


def _version(data: RawMap) -> Iterator[Problem]:
    version = data.get("luff")
    if "luff" not in data:
        yield Problem("the format version is missing", fix=f"start with `luff: {VERSION}`")
    elif isinstance(version, bool) or not isinstance(version, int) or version < 1:
        yield Problem(
            f"found the format version {version!r}, expected {VERSION}", "luff", f"write `luff: {VERSION}`"
        )


def _block(name: str, raw: Raw) -> Iterator[Problem]:
    path = f"blocks.{name}"
    if name == FILES and isinstance(raw, list):
        if not all(isinstance(item, str) for item in raw):
            yield Problem("found an entry that is not text, expected names of Python files", path)
    elif not isinstance(name, str) or not name.isidentifier():
        message = f'found the block name "{name}", expected letters, digits and underscores'
        yield Problem(message, path, key=True)
    elif name in RESERVED:
        message = f'no block can be named "{name}": {RESERVED[name]}'
        yield Problem(message, path, "choose another name", key=True)
    else:
        problem = entry_problem(name, raw)
        if problem is not None:
            yield problem


def entry_problem(name: str, raw: object) -> Problem | None:
    """Problem of a block's entry that is no mapping; None for a mapping, and for `world` without an entry."""
    if isinstance(raw, dict) or (raw is None and name == "world"):
        return None
    fix = f"write {name}: {{type: {raw}}}" if isinstance(raw, str) else ""
    return Problem(f"found {_kind(raw)}, expected {{type: ..., ...}}", f"blocks.{name}", fix)


def subsystem(raw: Raw) -> RawMap | None:
    """Sections of a block that is a subsystem in place: its `type:` is a mapping; None for other blocks."""
    inner = raw.get("type") if isinstance(raw, dict) else None
    return inner if isinstance(inner, dict) else None


def _subsystem(data: RawMap | None) -> Iterator[Problem]:
    """Mistakes of form in a subsystem in place, by paths within it; none where there is no subsystem."""
    for name in data or ():
        if name in SUBSYSTEM:
            continue
        fix = "write it in the outermost netlist" if name in SECTIONS else did_you_mean(name, SUBSYSTEM)
        yield Problem(f'a subsystem has no section "{name}"', name, fix, key=True)
    if isinstance(section(data, "blocks", dict).get(FILES), list):
        fix = "list them in the outermost `blocks:`"
        yield Problem("a subsystem lists no Python files", f"blocks.{FILES}", fix)
    yield from _contents(data or {})


def _kind(raw: object) -> str:
    if raw is None:
        return "nothing"
    if isinstance(raw, dict | list):
        return "a mapping" if isinstance(raw, dict) else "a list"
    text = repr(raw) if isinstance(raw, str) else str(raw).lower() if isinstance(raw, bool) else str(raw)
    return text if len(text) <= 60 else text[:57] + "..."


def section(data: object, name: str, kind: type[Kind]) -> Kind:
    """A section of the data, empty if it is missing or malformed."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, kind) else kind()


def put_section(data: RawMap, name: str, raw: Raw, place: int | None = None) -> None:
    """Set a section; a new one goes to a place among the others, by default to that of the format's order."""
    if name in data:
        data[name] = raw
        return
    if place is None:
        order = {other: k for k, other in enumerate(SECTIONS)}
        rank = order.get(name, len(order))
        earlier = [k for k, other in enumerate(data) if order.get(other, 0) <= rank]
        place = earlier[-1] + 1 if earlier else 0
    insert_at(data, place, name, raw)


def well_formed_part(raw: Raw) -> RawMap:
    """Netlist without its malformed entries: enough to look for further mistakes."""
    data = deep_copy(raw) if isinstance(raw, dict) else {}
    _keep_well_formed(data)
    return data


def _keep_well_formed(data: RawMap) -> None:
    for name, (kind, _) in _SHAPES.items():
        if name in data:
            data[name] = section(data, name, kind)
    for kind in {"ports", "outputs"} & data.keys():
        ports = section(data, kind, dict)
        data[kind] = {name: inner for name, inner in ports.items() if isinstance(inner, str)}
    blocks = section(data, "blocks", dict)
    for raw in blocks.values():
        inner = subsystem(raw)
        if inner is not None:
            _keep_well_formed(inner)
    data["blocks"] = {name: raw for name, raw in blocks.items() if not any(True for _ in _block(name, raw))}


def malformed_blocks(raw: Raw, kept: RawMap, level: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of blocks that `well_formed_part` has left out, through the subsystems that they are in."""
    known = section(kept, "blocks", dict)
    for name, entry in section(raw, "blocks", dict).items():
        if name not in known:
            yield (*level, name)
            continue
        inner, below = subsystem(entry), subsystem(known[name])
        if inner is not None and below is not None:
            yield from malformed_blocks(inner, below, (*level, name))
