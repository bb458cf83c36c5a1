"""Generate the Python source of one diagram: `rhs`, `outputs` and `update`, and load it through the cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .columns import assignments
from .jit import CACHE_DIR, KERNEL_DIGEST
from .kernels.table import SIGNATURES
from .schedule import Statement, schedule
from .signals import LAYOUT, Emitter

PREAMBLE = '''"""Right-hand side of "{name}", generated; edits are lost.

Time t, states x, parameters p, memories mem, model m, data d, kernels k. Numbers in brackets count from 0; their
names stand in the tables below.
{tables}
"""

import math

from luff.solver.jit import entry, helper
from luff.solver.kernels.calls import idle
from luff.solver.kernels.table import EVALUATE, UPDATE
from luff.solver.layout import {layout}

'''
MODULES_KEPT = 400  # generated modules in the cache folder; the oldest go first


@dataclass(frozen=True)
class Goals:
    """What each generated function has to compute."""

    rhs: Sequence[Any]
    outputs: Sequence[Any]
    update: Sequence[Any]


def table(title: str, names: Iterable[str]) -> str:
    lines = [f"  {title}[{k}] {name}" for k, name in enumerate(names)]
    return "\n".join(lines)


def generate(
    name: str,
    emitter: Emitter,
    statements: list[Statement],
    goals: Goals,
    record: Sequence[str],
    states: Sequence[str],
    energy: Sequence[str],
) -> str:
    """The whole module as text; `record` are the expressions of the output columns."""
    tables = "\n".join(
        block
        for block in (
            table("x", states),
            table("p", emitter.params.names),
            table("mem", emitter.memory.names),
        )
        if block
    )
    title = "".join(ch if ch.isprintable() and ch not in '"\\' else " " for ch in name)
    text = PREAMBLE.format(
        name=title, layout=", ".join(sorted(LAYOUT)), tables=tables.replace("\\", " ").replace('"""', " ")
    )
    for source in emitter.functions.values():
        text += f"\n@helper\n{source.rstrip()}\n\n"
    arguments = "p, mem, m, d, k"
    rows = assignments(record)
    text += "\n@entry(EVALUATE)\n"
    text += function_text("rhs", f"t, x, dx, {arguments}", schedule(statements, goals.rhs), energy)
    text += "\n\n@entry(EVALUATE)\n"
    text += function_text("outputs", f"t, x, y, {arguments}", schedule(statements, goals.outputs), rows)
    ordered = schedule([*statements, *emitter.updates], goals.update)
    if not ordered:
        return text + "\n\nupdate = idle  # no block is sampled\n"
    return text + "\n\n@entry(UPDATE)\n" + function_text("update", f"step, t, x, {arguments}", ordered)


def function_text(name: str, arguments: str, statements: list[Statement], more: Sequence[str] = ()) -> str:
    """One function; the kernels that it calls are taken out of their tuple first."""
    lines = [line for statement in statements for line in statement.lines] + list(more)
    if " dx," not in arguments and any("(dx," in line for line in lines):
        lines.insert(0, "dx = x[:0]  # accelerations are wanted, the rates of the states are not")
    called = [kernel for kernel in SIGNATURES if any(f"{kernel}(" in line for line in lines)]
    if called:
        places = ", ".join(f"k[{list(SIGNATURES).index(kernel)}]" for kernel in called)
        lines.insert(0, f"{', '.join(called)} = {places}")
    return f"def {name}({arguments}):\n" + "".join(f"    {line}\n" for line in lines or ["pass"])


def module_path(source: str) -> Path:
    digest = hashlib.sha256((source + KERNEL_DIGEST).encode()).hexdigest()[:24]
    return CACHE_DIR / "models" / f"luff_{digest}.py"


def load(source: str) -> Any:
    """Import generated source; the same text is the same file, so numba's cache serves the second time."""
    path = module_path(source)
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    if not path.exists() or path.read_text(encoding="utf-8") != source:
        path.parent.mkdir(parents=True, exist_ok=True)
        _forget_oldest(path.parent)
        # written aside and renamed: another process may be reading the same file
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        # numba's cache goes by the time stamp: equal text must have an equal one on every write
        os.utime(temporary, (1, 1))
        os.replace(temporary, path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("luff_*.py"), key=lambda file: file.stat().st_atime)
    for file in files[: max(0, len(files) - MODULES_KEPT)]:
        for compiled in CACHE_DIR.glob(f"*/*/{file.stem}.*"):
            compiled.unlink(missing_ok=True)
        file.unlink(missing_ok=True)
