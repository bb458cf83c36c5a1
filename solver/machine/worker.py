"""A process that compiles what it is told, one entry point a line of JSON, until its input ends."""

from __future__ import annotations

import gc
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from . import store
from .functions import NAME, Function, defined
from .jit import EntryPoint
from .numbers.forms import Dual, InLanes, Rewritten

RUNTIME = "numba_"  # how names of its helpers begin


def entry_of(job: dict[str, Any]) -> EntryPoint:
    numbers = job.pop("numbers", "")
    if numbers:
        return Dual(entry_of(job)) if numbers == "dual" else InLanes(entry_of(job), int(numbers))
    if "source" in job:
        made = Function(job["source"], tuple(job["names"]), job["label"])
        made.function = defined(made.source, made.label, made.names)[NAME]
        return made
    return getattr(import_module(job["module"]), job["name"])


def main(way: str = "compile_entry", where: Path | None = None) -> None:
    """By a function of build.py; what it makes is kept in a folder, the user's own if none is named."""
    try:
        work(way, where)
    except BrokenPipeError:  # whoever asked is gone: what was made is kept, and nobody is left to tell
        os._exit(1)


def refuse_runtime(needed: list[str]) -> None:
    """Code runs where numba is not loaded, so that nothing may call what numba brings for itself."""
    names = sorted(name.removeprefix(RUNTIME) for name in needed if name.startswith(RUNTIME))
    if names:
        raise LookupError(f"{', '.join(names)} cannot be called in compiled functions")


def work(way: str, where: Path | None) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    from . import build
    from .numbers.making import compile_rewritten

    gc.disable()  # the compiler leaves little garbage and makes many objects: a sixth of its time is saved
    for line in sys.stdin:
        job = json.loads(line)
        try:
            entry = entry_of(job)
            if isinstance(entry, Rewritten):
                code, needed = compile_rewritten(entry)
            else:
                code, needed = getattr(build, way)(entry)
            refuse_runtime(needed)
            try:
                store.write_object(entry, needed, code, where)
                answer = {"symbol": entry.symbol, "needed": needed}
            except OSError as error:  # a full disk, mostly
                answer = {"unkept": f"{where or store.folder()}: {error.strerror or error}"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
