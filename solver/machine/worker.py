"""A process that compiles what it is told, one entry point a line of JSON, until its input ends."""

from __future__ import annotations

import gc
import json
import sys
from importlib import import_module
from typing import Any

from . import store
from .functions import NAME, Function, defined
from .jit import Unit


def unit_of(job: dict[str, Any]) -> Unit:
    if "source" in job:
        made = Function(job["source"], tuple(job["names"]), job["label"])
        made.function = defined(made.source, made.label, made.names)[NAME]
        return made
    return getattr(import_module(job["module"]), job["name"])


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    from .build import compile_entry

    gc.disable()  # the compiler leaves little garbage and makes many objects: a sixth of its time is saved
    for line in sys.stdin:
        job = json.loads(line)
        try:
            unit = unit_of(job)
            code, needed = compile_entry(unit)
            store.write(unit, needed, code)
            answer = {"symbol": unit.symbol, "needed": needed}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
