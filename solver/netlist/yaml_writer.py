"""Writer of YAML for data without a text: a new document, a new entry."""

from __future__ import annotations

from collections.abc import Mapping

from .yaml_scalars import scalar_text

WIDTH = 100  # columns that a collection in brackets may reach

# sections with one line an entry, however few there are
ONE_A_LINE = ("parameters", "inputs", "blocks", "connect", "ports", "outputs", "layout")
SECTIONS = (
    "luff",
    "name",
    "doc",
    "icon",
    "parameters",
    "inputs",
    "blocks",
    "connect",
    "ports",
    "outputs",
    "initial",
    "simulation",
    "assert",
    "record",
    "plots",
    "dashboard",
    "view",
    "layout",
)


def document(data: Mapping[str, object]) -> str:
    """A whole netlist, sections in the order that the format lists them."""
    order = {name: k for k, name in enumerate(SECTIONS)}
    names = sorted(data, key=lambda name: order.get(name, len(order) - 1.5))  # the layout stays last
    return "".join(line + "\n" for name in names for line in entry(name, data[name], 0, name in ONE_A_LINE))


def flow(raw: object, prefer: str = "") -> str:
    """Text of data on one line, in brackets."""
    if isinstance(raw, dict):
        return "{" + ", ".join(f"{scalar_text(key, True)}: {flow(value)}" for key, value in raw.items()) + "}"
    if isinstance(raw, list):
        return "[" + ", ".join(map(flow, raw)) + "]"
    return scalar_text(raw, True, prefer)


def inline(raw: object, prefer: str = "") -> str:
    """Text of data on one line that no bracket encloses."""
    return flow(raw) if isinstance(raw, dict | list) else scalar_text(raw, False, prefer)


def entry(key: str, raw: object, indent: int, expand: bool = False) -> list[str]:
    """The lines of `key: value`: one if it fits, else a block."""
    return headed(" " * indent + scalar_text(key) + ":", raw, indent, expand)


def item(raw: object, indent: int, prefer: str = "") -> list[str]:
    """Lines of a list item, `- value`."""
    head = " " * indent + "-"
    if not isinstance(raw, dict | list) or not raw or len(f"{head} {inline(raw)}") <= WIDTH:
        return headed(head, raw, indent, False, prefer)
    first, *rest = block(raw, indent + 2)
    return [head + " " + first.lstrip(" "), *rest]


def block(raw: dict[str, object] | list[object], indent: int) -> list[str]:
    """The lines of a non-empty collection without brackets; sections of a subsystem as those of a document."""
    if isinstance(raw, dict):
        listed = ONE_A_LINE if isinstance(raw.get("blocks"), dict) else ()
        return [line for key, value in raw.items() for line in entry(key, value, indent, key in listed)]
    if not any(isinstance(value, dict | list | str) for value in raw):
        return _wrapped(raw, indent)
    return [line for value in raw for line in item(value, indent)]


def headed(head: str, raw: object, indent: int, expand: bool, prefer: str = "") -> list[str]:
    """The lines of a value behind `key:` or `-`; `expand` wants a collection on lines of its own."""
    if isinstance(raw, str) and is_literal(raw):
        sign = "|" if raw.endswith("\n") else "|-"
        body = raw.removesuffix("\n").split("\n")
        return [f"{head} {sign}", *(" " * (indent + 2) + line if line else "" for line in body)]
    line = f"{head} {inline(raw, prefer)}"
    expand = expand or (isinstance(raw, dict) and isinstance(raw.get("type"), dict))
    expand = expand or (isinstance(raw, dict) and isinstance(raw.get("blocks"), dict))
    if not isinstance(raw, dict | list) or not raw or (len(line) <= WIDTH and not expand):
        return [line]
    return [head, *block(raw, indent + 2)]


def _wrapped(numbers: list[object], indent: int) -> list[str]:
    """A long list of numbers, in brackets over several lines."""
    lines, line = [], " " * indent + "["
    for k, value in enumerate(numbers):
        piece = scalar_text(value) + ("]" if k == len(numbers) - 1 else ",")
        if len(line) + len(piece) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = " " * (indent + 1)
        line += piece + " "
    return [*lines, line.rstrip()]


def is_literal(raw: str) -> bool:
    """True if a text of several lines can be written as it is under a `|`."""
    body = raw.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or not lines[-1] or lines[0][:1] in ("", " "):
        return False
    return all(line.isprintable() and "\ufeff" not in line for line in lines)
