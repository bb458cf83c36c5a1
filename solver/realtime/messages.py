"""Messages between a client of a run and the process that computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..results.recorded_run import Status
from ..simulation.operator_log import OperatorLog
from .jitter import JitterStatistics, LatencyStatistics
from .rt_priority import USUAL

RUNNING, PAUSED, FINISHED, FAILED = "running", "paused", "finished", "failed"
UNLIMITED = 0.0  # speed: as fast as possible
ROOM = 8e6  # bytes that may be recorded before the next look
CHUNK = 0.03  # s of wall time at full speed: how long an order may wait


@dataclass
class LiveRules:
    """Rules that may change during a run: speed, limits."""

    speed: float = UNLIMITED
    limit: float = 2e9  # bytes of the recording
    thins: bool = False  # a full recording is thinned unasked
    room: float = ROOM
    chunk: float = CHUNK


@dataclass(frozen=True)
class RunOrder:
    """Order of a run."""

    sim: bytes  # a simulation, as it is sent
    folder: Path  # of its result
    rule: LiveRules
    going: bool  # or paused at its start
    by_screen: frozenset[str] = frozenset()  # inputs that a screen moves
    devices: Mapping[str, str] = field(default_factory=dict)  # files of joysticks, by block


@dataclass(frozen=True)
class SetParameter:
    """A new value of a parameter."""

    path: str
    raw: object


@dataclass(frozen=True)
class SetInput:
    """Order to set an input."""

    name: str
    value: float


@dataclass(frozen=True)
class RecordingExtent:
    """Place and growth of the recording."""

    path: Path
    width: int  # bytes of a row
    every: int = 1  # rows of the run for one here

    def rows_within(self, limit: float, room: float = ROOM) -> int:
        """Number of rows of the run that fit a limit [bytes], as it is recorded now."""
        return int((limit - room) / self.width) * self.every


@dataclass(frozen=True)
class RunProgress:
    """Progress of a run."""

    columns: list[str]
    step_size: float
    every: int  # steps of a row
    stop: float
    steps: int
    drives: bool = False  # an operator does
    done: int = 0
    status: Status = "running"
    rate: float = 0.0  # simulated over wall time
    spent: float = 0.0  # s of computing
    lateness: LatencyStatistics = field(default_factory=JitterStatistics().report)
    priority: str = USUAL

    @property
    def time(self) -> float:
        return self.done * self.step_size

    @property
    def progress(self) -> float:
        return self.done / self.steps


@dataclass(frozen=True)
class OperatorDone:
    """Actions of an operator."""

    drive: OperatorLog
    unkept: frozenset[str]  # parameters whose changes are not in it


@dataclass(frozen=True)
class RunNews:
    """Progress since the last message."""

    course: RunProgress
    extent: RecordingExtent
    times: np.ndarray
    rows: np.ndarray
    film_times: np.ndarray
    frames: np.ndarray  # (frames, bodies, 12)
    now: tuple[float, np.ndarray] | None = None  # the present pose
