"""The ports of a block while some of its parameters are wrong: those that the sound ones declare.

A canvas draws a block while its user types. A number half written must not take the frames, and with them the wires,
off a link, nor give a joint the ports of options that it does not have.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...blocks.block import Block
from ...blocks.errors import LuffError
from ...blocks.params import Scope, convert_all
from ...blocks.ports import Port
from ..netlist import copied, steps

ROUNDS = 50  # of taking out what is wrong; each finds every mistake of one depth
MISSING = object()


def declared_ports(
    cls: type[Block], name: str, raw: dict[str, Any], scope: Scope, folder: Path, files: tuple[Path, ...] = ()
) -> dict[str, Port]:
    """The ports of a block of this class with these raw values, as far as they can be understood."""
    raw = copied(raw)
    for _ in range(ROUNDS):
        needed = {key for key, param in cls.params.items() if param.required and key not in raw}
        raw |= {key: copied(cls.example[key]) for key in needed & cls.example.keys()}
        try:
            values = convert_all(cls.params, raw, scope, "", cls.type_name)
            block = cls(name, values, frozenset(raw))
            block.folder, block.files = folder, files
            return {key: port.named(key) for key, port in block.ports().items()}
        except LuffError as error:
            mended = [_mend(raw, steps(problem.path)) for problem in error.problems]
            if not any(mended):
                break
    return {key: port.named(key) for key, port in cls.class_ports.items()}


def _mend(raw: Any, path: list[str | int]) -> bool:
    """Leave the entry that a problem is about to its default; in a list, whose length means something, make it 1."""
    holder: Any = None
    key: Any = None
    for step in path:
        below = _entry(raw, step)
        if below is MISSING:
            break
        if not (isinstance(raw, list) and below == 1):  # made so before, in vain
            holder, key = raw, step
        raw = below
    if isinstance(holder, list):
        holder[key] = 1
    elif holder is not None:
        del holder[key]
    return holder is not None


def _entry(raw: Any, step: str | int) -> Any:
    if isinstance(raw, dict):
        return raw.get(step, MISSING)
    return raw[step] if isinstance(raw, list) and isinstance(step, int) and step < len(raw) else MISSING
