"""Run in the process that computes it: a single thread listens, takes the steps, and reports."""

from __future__ import annotations

import pickle
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem
from ..simulation.operator_log_file import OperatorLogFile
from ..simulation.run_state import poses
from .bounded_result_file import BoundedResultFile
from .messages import (
    FAILED,
    FINISHED,
    PAUSED,
    RUNNING,
    LiveRules,
    OperatorDone,
    RunNews,
    RunOrder,
    RunProgress,
    SetInput,
    SetParameter,
)
from .pickle_channel import PickleChannel
from .recorded_operator import RecordedOperator
from .rt_priority import NoGarbageCollection, lower_priority
from .wall_clock import RealTimePacer

if TYPE_CHECKING:
    from ..simulation.session import Session
    from ..simulation.simulation import Simulation

BY_HAND = "by_hand"  # of a run's folder: what an operator does
LOOK = 0.008  # s of wall time between news beside the clock
WAIT = 0.02  # s between looks where there is nothing to do
AHEAD = 3  # news on their way, at full speed
FILM_STEP = 0.02  # s of simulated time between frames of the 3-D view, as long as not too many were taken


class ServedRun:
    """Messages to and from one run."""

    def __init__(self, order: RunOrder, channel: PickleChannel):
        self.order, self.channel, self.rule = order, channel, order.rule
        self.goes, self.quits = order.going, False
        self.orders: deque[tuple[str, object]] = deque()  # that have to be done in their turn

    def listen(self, seconds: float = 0.0) -> None:
        """Take pending orders; the first may be waited for."""
        while (word := self.channel.next(seconds)) is not None:
            seconds = 0.0
            what = word[0]
            if what in ("go", "pause"):
                self.goes = what == "go"
            elif what == "quit":
                self.quits = True
            else:
                self.orders.append(word)

    def quit_requested(self) -> bool:
        self.listen()
        return self.quits

    def work(self) -> None:
        """Compute the whole run."""
        with ExitStack() as ends:
            try:
                sim: Simulation = pickle.loads(self.order.sim)
                session = sim.start()
                if not self.quit_requested():
                    going = ActiveRun(self, sim, session)
                    ends.callback(going.close)
                    going.advance_all()
            except LuffError as error:
                self.fail(error.problems)
            except Exception as error:  # a fault of the program must be told, not die with its thread
                fix = "this is a fault of luff: please report it"
                self.fail([Problem(f"{type(error).__name__}: {error}", fix=fix)])

    def fail(self, problems: list[Problem]) -> None:
        self.channel.say("state", FAILED)
        self.channel.say("failed", problems)


class ActiveRun:
    """Run under way."""

    def __init__(self, run: ServedRun, sim: Simulation, session: Session):
        self.run, self.sim, self.session, self.say = run, sim, session, run.channel.say
        order = run.order
        self.operator = RecordedOperator(session, order.devices, order.by_screen, self._send_device_words)
        self.file = BoundedResultFile(order.folder, sim, session, run.rule.room)
        self.by_hand = OperatorLogFile(order.folder, BY_HAND, self.operator.record)
        self.pace = RealTimePacer(session, self.operator.give)
        self._urgent = ExitStack()  # while it has to keep to the clock
        self._count = 32  # steps of a chunk at full speed
        self._speed = -1.0  # at which it has gone on last; none
        self._began, self._began_at = 0.0, 0.0
        self._spent = 0.0
        self._told = 0  # notes of the session that were heard
        self._course = RunProgress(
            session.columns,
            session.step_size,
            session.every,
            session.stop,
            session.steps,
            self.operator.drives,
        )

    def close(self) -> None:
        """Close the run, however it has ended."""
        self._urgent.close()
        self.operator.close()
        self.file.release()
        self.by_hand.release()

    def _send_device_words(self, words: str) -> None:
        self.say("operated", words)

    # --- steps ---------------------------------------------------------------------------------------------------

    def advance_all(self) -> None:
        run, session = self.run, self.session
        if not self.operator.drives:
            lower_priority()
        session.film = max(1, round(FILM_STEP / (session.step_size * session.every)))
        self.say("begun", self._course)
        self._send_news(wait=True)
        self.say("state", RUNNING if run.goes else PAUSED)
        while session.status == "running":
            run.listen(0.0 if run.goes else WAIT)
            while run.orders:
                self._handle_order(*run.orders.popleft())
            if run.quits:
                break
            if self._recording_has_room():
                self._advance_chunk()
            else:
                self._pause_run()
            if len(session.notes) != self._told:
                self._send_remarks()
        if session.status == "running":
            session.cancel()
        self._urgent.close()
        self._send_news(wait=True)
        self.file.close()
        if session.status == "failed":
            run.fail([session.problem])
        else:
            self.say("state", FINISHED)
        self._send_remarks()
        self.say("done", OperatorDone(self.operator.record.drive(), frozenset(self.operator.unkept)))
        self.say("finished", session.status)

    def _advance_chunk(self) -> None:
        """Advance for a short time."""
        speed = self.run.rule.speed
        if speed != self._speed:
            self._restart(speed)
        mark = time.thread_time()
        if speed > 0.0:
            self.pace.advance(LOOK)
        else:
            self._chunk()
        self._spent += time.thread_time() - mark
        self._send_news(wait=speed == 0.0)

    def _chunk(self) -> None:
        """Long enough to cost nothing, short enough for the eye and for the stop button."""
        session, before, mark = self.session, self.session.done, time.perf_counter()
        self.operator.give()
        session.advance(steps=self._count)
        spent = max(time.perf_counter() - mark, 1e-6)
        taken = max(1, session.done - before)
        room = self.file.rows_in_room * session.every
        self._count = int(max(1, min(self.run.rule.chunk * taken / spent, room)))

    def _restart(self, speed: float) -> None:
        """Restart the clock at the present time; an operator-driven real-time run raises its priority."""
        self._urgent.close()
        if self.operator.drives and speed == 1.0:
            self._urgent.enter_context(NoGarbageCollection())
            self._urgent.enter_context(self.pace)
        if speed > 0.0:
            self.pace.restart(speed)
        self._speed, self._began, self._began_at = speed, time.perf_counter(), self.session.time

    def _pause_run(self) -> None:
        """Pause, with all news sent."""
        if self._speed >= 0.0:
            self._urgent.close()
            self._speed = -1.0
            self._send_news(wait=True)

    # --- orders --------------------------------------------------------------------------------------------------

    def _handle_order(self, what: str, detail: object) -> None:
        if isinstance(detail, LiveRules):
            self.run.rule = detail
        elif isinstance(detail, SetParameter):
            self._set(detail.path, detail.raw)
        elif isinstance(detail, SetInput):
            self.operator.take(detail.name, detail.value)
        elif what == "step":
            self.operator.give()
            self.session.advance(steps=self.session.every)
            self._send_news(wait=True)

    def _set(self, path: str, raw: object) -> None:
        self.operator.note_set(path, raw)
        try:
            self.sim.set({path: raw})  # pyright: ignore[reportArgumentType] -- refused where it is no value
        except LuffError as error:
            self.say("failed", error.problems)

    def _recording_has_room(self) -> bool:
        """True while the recording has room; a full one is thinned, or holds the run until the user decides."""
        run, rule = self.run, self.run.rule
        full = self.file.full(rule.limit) if run.goes else ""
        if full and rule.thins:
            self.say("busy", "Thinning the recording")
            self.file.thin(run.quit_requested)
            self.say("busy", "")
            full = self.file.full(rule.limit)
        if full and not run.quits:
            run.goes = False
            self._send_news(wait=True)
            self.say("state", PAUSED)
            self.say("full", full)
        return run.goes and not run.quits

    # --- news ----------------------------------------------------------------------------------------------------

    def _send_remarks(self) -> None:
        """Send the remarks of the run so far; at its end also on its step error."""
        self._told = len(self.session.notes)
        # energies of a run that diverged may be anything: the remarks say so
        with np.errstate(all="ignore"):
            self.say("remarked", self.session.remarks)

    def _send_news(self, wait: bool) -> None:
        """Send news; in real time without waiting for the client: the next message has what this one could not send."""
        run = self.run
        if run.channel.unheard and not wait:
            return
        while run.channel.unheard > AHEAD and not run.quits:
            run.listen(WAIT)
        session, elapsed = self.session, time.perf_counter() - self._began
        times, rows = session.take()
        if len(times):
            self.file.write(times, rows)
        self.by_hand.write()
        film_times, frames = session.take_film()
        self._course = replace(
            self._course,
            done=session.done,
            status=session.status,
            rate=(session.time - self._began_at) / elapsed if self._speed >= 0.0 and elapsed > 0.0 else 0.0,
            spent=self._spent,
            lateness=self.pace.report(),
            priority=self.pace.priority,
        )
        now = (session.time, poses(session.instance.data.row)) if len(session.instance.model.topo) else None
        self.say("news", RunNews(self._course, self.file.extent, times, rows, film_times, frames, now))
