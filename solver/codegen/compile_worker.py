"""Subprocess that compiles entry points, one JSON job a line, until its input ends."""

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

RUNTIME = "numba_"  # prefix of numba's runtime helpers


def job_entry_point(job: dict[str, Any]) -> EntryPoint:
    """Entry point of a JSON job."""
    numbers = job.pop("numbers", "")
    if numbers:
        return variant_class(job_entry_point(job), numbers)
    if "source" in job:
        made = Function(job["source"], tuple(job["names"]), job["label"])
        made.function = defined(made.source, made.label, made.names)[NAME]
        return made
    return getattr(import_module(job["module"]), job["name"])


def main(portable: bool = False, where: Path | None = None) -> None:
    """Make object code, or bitcode if `portable`, of the jobs on standard input; keep it in `where`, else the user's
    folder.
    """
    try:
        compile_job(portable, where)
    except BrokenPipeError:  # the parent has ended: what was compiled is stored already
        os._exit(1)


def compiled(entry: EntryPoint, portable: bool) -> tuple[bytes, list[str], str]:
    """Code of an entry point, the symbols it needs, and numba's LLVM text (empty for variants and bitcode)."""
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
    """Raise LookupError if code calls numba's runtime: it runs where numba is not loaded."""
    names = sorted(name.removeprefix(RUNTIME) for name in needed if name.startswith(RUNTIME))
    if names:
        raise LookupError(f"{', '.join(names)} cannot be called in compiled functions")


def compile_job(portable: bool, where: Path | None) -> None:
    """Answer the jobs on standard input, one a line."""
    answers, sys.stdout = sys.stdout, sys.stderr
    gc.disable()  # the compiler leaves little garbage and makes many objects: a sixth of its time is saved
    for line in sys.stdin:
        answer = compile_answer(json.loads(line), portable, where)
        print(json.dumps(answer), file=answers, flush=True)


def compile_answer(job: dict[str, Any], portable: bool, where: Path | None) -> dict[str, Any]:
    """Compile and store one job; the needed symbols, or the error, as the answer."""
    try:
        entry = job_entry_point(job)
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
