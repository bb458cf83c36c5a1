"""Mailbox between a real-time run and the thread of a door: the newest inputs and outputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol


@dataclass(frozen=True)
class Post:
    """Outputs of the run at a time [s], and the greatest and mean lateness of its steps so far [s]."""

    time: float
    outputs: Sequence[float]
    latest: float
    mean: float


@dataclass
class Mailbox:
    """Newest values between a run and the thread of a door."""

    inputs: Mapping[str, float]  # at the start, by name
    outputs: Sequence[str]
    units: Mapping[str, str]
    post: Post
    received: int = 0  # values of inputs
    refused: int = 0  # values that were no finite number
    sent: int = 0  # posts that went out
    lost: int = 0  # connections that broke
    ended: str = ""  # reason why the door ended before the run
    _pending: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def receive(self, name: str, value: object) -> None:
        """Take the value of an input from the network; what is no finite number is refused, and the last one holds."""
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        with self._lock:
            if name not in self.inputs or not math.isfinite(number):
                self.refused += 1
                return
            self.received += 1
            self._pending[name] = number

    def take(self) -> dict[str, float]:
        """Inputs that came since the last call."""
        with self._lock:
            pending, self._pending = self._pending, {}
        return pending


class Door(Protocol):
    """Connection to another program, with a thread of its own."""

    def open(self) -> None:
        """Connect; LuffError where that fails."""
        ...

    def close(self) -> None:
        """Disconnect and end the thread."""
        ...
