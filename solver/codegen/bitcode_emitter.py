"""Subprocess of `cross_compile.py`: bitcode on standard input to objects on standard output."""

from __future__ import annotations

import pickle
import sys

from .cross_compile import emit


def main() -> None:
    """Read pickled arguments of `emit`, write its pickled result."""
    codes, wanted, before = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(emit(codes, wanted, before)))
