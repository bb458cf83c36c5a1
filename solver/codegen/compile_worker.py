"""A process that compiles what it is told, one entry point a line of JSON, until its input ends."""

from __future__ import annotations

import gc
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from . import object_store
from .jit import EntryPoint
from .source_functions import NAME, Function, defined
from .transforms.entry_point_variants import Variant, variant_class
from .transforms.ir_cache import keep_text

RUNTIME = "numba_"  # how names of its helpers begin


def entry_of(job: dict[str, Any]) -> EntryPoint:
    numbers = job.pop("numbers", "")
    if numbers:
        return variant_class(entry_of(job), numbers)
    if "source" in job:
        made = Function(job["source"], tuple(job["names"]), job["label"])
        made.function = defined(made.source, made.label, made.names)[NAME]
        return made
    return getattr(import_module(job["module"]), job["name"])


def main(portable: bool = False, where: Path | None = None) -> None:
    """Object code, or bitcode; it is kept in a folder, the user's own if none is named."""
    try:
        compile_job(portable, where)
    except BrokenPipeError:  # whoever asked is gone: what was made is kept, and nobody is left to tell
        os._exit(1)


def compiled(entry: EntryPoint, portable: bool) -> tuple[bytes, list[str], str]:
    """Code, what it needs, and what numba has made on the way; of a text that is kept without numba."""
    if portable or isinstance(entry, Variant):
        from .transforms import variant_compile

        rewritten = isinstance(entry, Variant)
        made = (
            variant_compile.compile_variant(entry, portable)
            if rewritten
            else variant_compile.compile_bitcode(entry)
        )
        return (*made, "")
    from . import numba_compile

    code, needed = numba_compile.compile_entry(entry)
    return code, needed, numba_compile.unoptimised_text()


def refuse_numba_runtime(needed: list[str]) -> None:
    """Code runs where numba is not loaded, so that nothing may call what numba brings for itself."""
    names = sorted(name.removeprefix(RUNTIME) for name in needed if name.startswith(RUNTIME))
    if names:
        raise LookupError(f"{', '.join(names)} cannot be called in compiled functions")


def compile_job(portable: bool, where: Path | None) -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    gc.disable()  # the compiler leaves little garbage and makes many objects: a sixth of its time is saved
    for line in sys.stdin:
        answer = answer_to(json.loads(line), portable, where)
        print(json.dumps(answer), file=answers, flush=True)


def answer_to(job: dict[str, Any], portable: bool, where: Path | None) -> dict[str, Any]:
    """What was made is kept; what it needs from elsewhere, or why there is none."""
    try:
        entry = entry_of(job)
        code, needed, text = compiled(entry, portable)
        refuse_numba_runtime(needed)
        try:
            object_store.write_object(entry, needed, code, where)
            if text and where is None:
                keep_text(entry, text)
        except OSError as error:  # a full disk, mostly
            return {"unkept": f"{where or object_store.folder()}: {error.strerror or error}"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"symbol": entry.symbol, "needed": needed}


if __name__ == "__main__":
    main()
