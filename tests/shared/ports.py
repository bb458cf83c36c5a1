"""Ports for processes that must be told theirs."""

from __future__ import annotations

import os
import socket
from itertools import count

FIRST, RANGE = (
    10_000,
    20_000,
)  # below those that systems give out by themselves: nobody gets one of these by chance


def free_port(kind: socket.SocketKind) -> int:
    """One that no other process has, nor a test beside this one asks for: each begins at the number of its process."""
    for k in count(37 * os.getpid()):
        port = FIRST + k % RANGE
        with socket.socket(socket.AF_INET, kind) as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError
