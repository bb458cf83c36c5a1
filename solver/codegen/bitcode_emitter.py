"""A process of its own that makes objects of the bitcode on its standard input: for `cross_compile.py`."""

from __future__ import annotations

import pickle
import sys

from .cross_compile import emit


def main() -> None:
    codes, wanted, before = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(emit(codes, wanted, before)))
