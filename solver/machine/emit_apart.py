"""Object code of WebAssembly, made in a process of its own: once LLVM has made a target machine for it, all else that
the same process emits, for any target, is different code."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

from .aside import HOME as PACKAGE
from .aside import apart, python_words
from .portable import Machine, emit

Codes = dict[str, tuple[list[str], bytes]]


def emit_apart(codes: Codes, wanted: Machine, before: str) -> dict[str, bytes]:
    done = subprocess.run(
        python_words("luff.solver.machine.emit_apart", flags=("-W", "ignore")),
        input=pickle.dumps((codes, wanted, before)), stdout=subprocess.PIPE, check=True,
        cwd=PACKAGE.anchor, env=dict(os.environ), **apart(),
    )  # fmt: skip
    return pickle.loads(done.stdout)


def main() -> None:
    codes, wanted, before = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(emit(codes, wanted, before)))
