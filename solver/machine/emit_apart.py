"""A process of its own that makes objects of the bitcode on its standard input: for `portable.py`."""

from __future__ import annotations

import pickle
import sys

from .portable import emit


def main() -> None:
    codes, wanted, before = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(emit(codes, wanted, before)))
