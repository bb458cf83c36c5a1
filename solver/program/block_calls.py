"""Calls of blocks' functions as operations: arguments from places of the work space, results to places.

A function in one shape (which arguments are scalars, tuples or arrays) is one entry point, whatever the diagram.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

from ...blocks.light_dataclass import record
from ..codegen.source_functions import NAME, Function, function
from .closure_capture import SourcePiece, captured_sources, function_source
from .work_space import Place


@record
class Shape:
    """Layout of an argument or result: `scalar`, `triple` (of a trajectory), `scalars` and `triples` as tuples, `array`
    (first place and length), `packed` (number, room, places), `index` (a number).
    """

    kind: str
    width: int = 1

    @property
    def entries(self) -> int:
        """Number of entries, where it is fixed."""
        return {"triple": 3, "scalars": self.width, "triples": 3 * self.width, "array": 2}.get(self.kind, 1)


@record
class Argument:
    """Shape of an argument and its entries."""

    shape: Shape
    entries: tuple[int | Place, ...]


def call_of(
    called: Callable[..., object], label: str, targets: tuple[Shape, ...], arguments: tuple[Shape, ...]
) -> Function:
    """Entry point `operation(w, a)` that calls a function a[0] times, each time with the next places of `a`."""
    return _call_of(called, captured_sources(called), label, targets, arguments)


@cache
def _call_of(
    called: Callable[..., object],
    around: tuple[SourcePiece, ...],
    label: str,
    targets: tuple[Shape, ...],
    arguments: tuple[Shape, ...],
) -> Function:
    """Entry point from the function and the sources it captures, cached."""
    taken = {piece.name for piece in around}
    name = label if label not in (*taken, NAME) else f"{label}_"
    pieces = (*around, function_source(called, name))
    at = 0
    left: list[str] = []
    for shape in targets:
        left.append(_group(shape, at, nested=len(targets) > 1))
        at += shape.entries
    right: list[str] = []
    packing: list[str] = []
    for number, shape in enumerate(arguments):
        if shape.kind == "packed":
            right.append(f"u{number}")
            packing += [
                "n = a[k]",
                f"u{number} = part(w, a[k + 1], n)",
                "for q in range(n):",
                f"    u{number}[q] = w[a[k + 2 + q]]",
                "k += 2 + n",
            ]
        else:
            right.append(_group(shape, at, nested=True))
            at += shape.entries
    result = f"{', '.join(left)} = " if left else ""
    lines = [*([f"k = j + {at}", *packing] if packing else []), f"{result}{name}({', '.join(right)})"]
    lines.append("j = k" if packing else f"j += {at}")
    body = textwrap.indent("\n".join(lines), " " * 8)
    texts = [
        *(piece.text for piece in pieces),
        f"def {NAME}(w, a):\n    j = 1\n    for _ in range(a[0]):\n{body}\n",
    ]
    source = "\n\n".join(text.rstrip() + "\n" for text in texts)
    _pieces[source] = pieces
    return function(source, tuple(piece.name for piece in pieces if piece.callable), label)


_pieces: dict[str, tuple[SourcePiece, ...]] = {}  # by the text of the entry point


def origin_of(source: str, number: int) -> tuple[Path, int] | None:
    """File and line number of a line of an entry point's text; None in the text that calls the function."""
    line = 1
    for piece in _pieces.get(source, ()):
        length = piece.text.rstrip().count("\n") + 1
        if piece.callable and line <= number < line + length:
            return Path(piece.file), piece.line + number - line
        line += length + 2
    return None


def reads_argument(source: str, words: Collection[str]) -> bool:
    """False if the function that an entry point calls declares arguments of these names and reads none of them."""
    pieces = _pieces.get(source)
    if not pieces:
        return True
    called = ast.parse(pieces[-1].text).body[0]
    assert isinstance(called, ast.FunctionDef)
    declared = {one.arg for one in called.args.args} & {*words}
    read = {node.id for part in called.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    return not declared or bool(declared & read)


def _group(shape: Shape, at: int, nested: bool) -> str:
    """Expression of an argument or result; results of one group without brackets."""
    if shape.kind == "index":
        return f"a[j + {at}]"
    if shape.kind == "array":
        return f"part(w, a[j + {at}], a[j + {at + 1}])"
    cells = [f"w[a[j + {at + k}]]" for k in range(shape.entries)]
    if shape.kind == "triples":
        cells = [f"({', '.join(cells[k : k + 3])})" for k in range(0, len(cells), 3)]
    if shape.kind == "scalar":
        return cells[0]
    text = ", ".join(cells)
    return f"({text},)" if nested else f"{text}{',' if len(cells) == 1 else ''}"
