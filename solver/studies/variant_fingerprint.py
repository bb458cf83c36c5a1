"""Fingerprint of a variant: equal hashes mean equal results, whatever comments and layouts say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ...blocks.params import Struct
from ...blocks.text.safe_read import regular_file, shown
from ..flatten.flatten import Flat
from ..simulation.turning_points import Watched
from .python_sources import PACKAGE, sources

# of the solver, what no result depends on
APART = ("studies", "tuning", "fmi")
NAMES_APART = (
    "batch.py",
    "matplotlib_plots.py",
    "result_files.py",
    "model_report.py",
    "assessment_report.py",
    "json_schema.py",
)


def fingerprint(flat: Flat, record: Sequence[str], digest: Callable[[Path], str] | None = None) -> str:
    """Hash of a flat netlist, the files that its blocks read, the kept signals, and the code that runs it.

    `digest` is that of a file of code; a process that has run the code may remember it.
    """
    code_files = sources({type(block) for block in flat.blocks.values()})
    blocks = {name: [*about, flat.blocks[name].values] for name, about in _blocks(flat)}
    return _digest(
        {
            "blocks": blocks,
            **_between(flat),
            "record": [flat.record, list(record)],
            "code": code_fingerprint(),
            "block files": [(digest or _content)(file) for file in code_files],
        }
    )


def structure_fingerprint(flat: Flat) -> str:
    """Equal for flattened netlists that differ in numbers of their blocks alone."""
    blocks = {
        name: [*about, _plain(flat.blocks[name].values, lambda number: "float")]
        for name, about in _blocks(flat)
    }
    return _digest({"blocks": blocks, **_between(flat), "record": flat.record})


def _blocks(flat: Flat) -> list[tuple[str, list[object]]]:
    return [
        (name, [block.type_name, sorted(block.given), [*block.reads()]])
        for name, block in flat.blocks.items()
    ]


def _between(flat: Flat) -> dict[str, object]:
    """Data of the flat netlist beside its blocks."""
    return {
        "bonds": [[str(bond.a), str(bond.b)] for bond in flat.bonds],
        "wires": [[str(w.source), w.source_elements, str(w.target), w.target_elements] for w in flat.wires],
        "initial": {"solve": flat.initial.solve, "hold": flat.initial.hold},
        "simulation": flat.simulation,
    }


def _digest(content: object) -> str:
    text = json.dumps(_plain(content), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def kept_digest(watched: Sequence[Watched], replay: str) -> list[str]:
    """Digests of the watched signals and of an operator's recording."""
    return [*(f"watched {json.dumps(one, sort_keys=True)}" for one in watched), *drive_digest(replay)]


def drive_digest(path: str) -> list[str]:
    """Digest of an operator's recording; none without one."""
    if not path:
        return []
    if regular_file(Path(path), "what an operator did") is None:
        raise LuffError(Problem(f"there is no file {shown(path)}", "replay"))
    return [f"replay {_content(Path(path))}"]


def _content(file: Path) -> str:
    # where it lies does not matter, and neither does the day it was written
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _plain(value: object, of_number: Callable[[float], object] = float) -> object:
    """JSON that is the same for equal values; numbers with a point keep every bit, or become what is said of them."""
    if isinstance(value, Struct):
        inner = {name: _plain(item, of_number) for name, item in vars(value).items() if name != "given"}
        return {"given": sorted(value.given), **inner}
    if isinstance(value, Mapping):
        return {str(key): _plain(item, of_number) for key, item in value.items()}
    if isinstance(value, float):
        return of_number(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Iterable):
        return [_plain(item, of_number) for item in value]
    return repr(value)


content_when_first_asked = cache(_content)


@cache
def code_fingerprint() -> str:
    """Hash of the sources of blocks and solver."""
    digest = hashlib.sha256()
    for folder in ("blocks", "solver"):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            parts = file.relative_to(PACKAGE / folder).parts
            if parts[0] not in APART and parts[-1] not in NAMES_APART:
                digest.update("/".join(parts).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
