"""Input signals of `luff run`: an operator's devices in real time, or a recorded log."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ..solver.realtime.operator_stand import OperatorStand
from ..solver.realtime.rt_priority import NoGarbageCollection
from ..solver.realtime.wall_clock import RealTimePacer
from ..solver.simulation.operator_log import OperatorLog, OperatorRecorder, OperatorReplay
from ..solver.simulation.operator_log_file import OperatorLogFile
from .console import UsageError, print_line
from .run_outputs import check_result
from .shared_options import device_files

if TYPE_CHECKING:
    from ..solver.realtime.doors import Doors
    from ..solver.simulation.session import Session
    from ..solver.simulation.simulation import Simulation
    from .model_options import InputOptions


class DrivenSession:
    """Session driven by the options' inputs; on exit it writes the operator log."""

    def __init__(self, sim: Simulation, session: Session, options: InputOptions):
        realtime, devices, keep, replay = options.realtime, options.joystick, options.keep, options.replay
        self.session, self.keep, self.quiet = session, keep, options.silent
        if keep is not None:
            check_result(keep)
        if devices and not realtime:
            raise UsageError("found --joystick without --realtime", path="luff run", fix="add --realtime")
        if devices and replay:
            raise UsageError("found --joystick and --replay, which drive the same inputs", path="luff run")
        self.stand = OperatorStand(session, device_files(devices)) if realtime and replay is None else None
        self.record = OperatorRecorder(session) if keep is not None else None
        self.replay = (
            OperatorReplay(session, OperatorLog.read(replay), self._set) if replay is not None else None
        )
        self.file = OperatorLogFile(keep.parent, keep.stem, self.record) if keep and self.record else None
        self._sim = sim
        self.pace = RealTimePacer(session, self._set_inputs) if realtime else None
        if self.pace is not None and self.replay is not None:
            self.pace.steps = 1  # so that each line holds from its own step on
        self._stack = ExitStack()
        self.doors = self._open_doors(options.door or ())

    def _open_doors(self, addresses: Sequence[str]) -> Doors | None:
        """Doors of the options, which need real time."""
        if not addresses:
            return None
        if self.pace is None:
            raise UsageError("found --door without --realtime", path="luff run", fix="add --realtime")
        if self.replay is not None:
            raise UsageError("found --door and --replay, which drive the same inputs", path="luff run")
        from ..solver.realtime.doors import Doors

        report = self.pace.report

        def lateness() -> tuple[float, float]:
            told = report()
            return told["latest"], told["mean"]

        return Doors(self.session, addresses, lateness)

    @property
    def files(self) -> list[Path]:
        """Files written on exit."""
        return [self.keep] if self.keep is not None else []

    def _print_missing(self) -> None:
        """Print the joysticks without a device."""
        if self.stand is not None:
            self.stand.give()
            for line in () if self.quiet else self.stand.lost():
                print_line(f"luff: {line}")

    def report(self) -> dict[str, object]:
        """Timing report as JSON data; empty without real time."""
        if self.pace is None:
            return {}
        doors = {"doors": self.doors.report()} if self.doors is not None else {}
        return {"realtime": self.pace.report(), "priority": self.pace.priority, **doors}

    def lines(self) -> list[str]:
        """Timing report as text lines."""
        doors = self.doors.lines() if self.doors is not None else []
        return [str(self.pace), *doors] if self.pace is not None else []

    def advance(self, seconds: float) -> str:
        """Advance by about `seconds` of wall time; return the status."""
        status = self._advance_slice(seconds)
        if self.file is not None:
            self.file.write()
        return status

    def _advance_slice(self, seconds: float) -> str:
        if self.pace is not None:
            return self.pace.advance(seconds)
        if self.replay is None:
            if self.record is not None:
                self.record.note()
            return self.session.advance(seconds)
        return self.replay.advance(seconds, self.record.note if self.record else None)

    def _set(self, path: str, value: float) -> None:
        if self.record is not None:
            self.record.note_set(path, value)
        self._sim.set(path, value)

    def _set_inputs(self) -> None:
        if self.stand is not None:
            self.stand.give()
        if self.doors is not None:
            self.doors.give()
        if self.replay is not None:
            self.replay.give()
        if self.record is not None:
            self.record.note()

    def __enter__(self) -> DrivenSession:
        self._print_missing()
        if self.pace is not None:
            self._stack.enter_context(NoGarbageCollection())
            self._stack.enter_context(self.pace)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if self.doors is not None:
            self.doors.close()
        if self.stand is not None:
            self.stand.close()
        if self.record is not None and self.keep is not None:
            self.record.drive().save(self.keep)
        if self.file is not None:
            self.file.remove()
