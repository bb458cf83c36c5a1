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
from .jit import Unit
from .numbers.units import InLanes


def unit_of(job: dict[str, Any]) -> Unit:
    if "lanes" in job:
        return InLanes(unit_of({key: value for key, value in job.items() if key != "lanes"}), job["lanes"])
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


def work(way: str, where: Path | None) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    from . import build
    from .numbers.making import compile_in_lanes

    gc.disable()  # the compiler leaves little garbage and makes many objects: a sixth of its time is saved
    for line in sys.stdin:
        job = json.loads(line)
        try:
            unit = unit_of(job)
            if isinstance(unit, InLanes):
                code, needed = compile_in_lanes(unit)
            else:
                code, needed = getattr(build, way)(unit)
            try:
                store.write(unit, needed, code, where)
                answer = {"symbol": unit.symbol, "needed": needed}
            except OSError as error:  # a full disk, mostly
                answer = {"unkept": f"{where or store.folder()}: {error.strerror or error}"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
