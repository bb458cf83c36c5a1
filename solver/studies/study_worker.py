"""A process that runs variants, alone or some side by side: orders come as lines of JSON, and so do answers.

It is a new interpreter (`codegen/python_subprocess.py`), rather than forked from whoever asks for a study: a script
needs no `if __name__ == "__main__":`, and a death of the process takes one variant with it.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

from ...blocks.errors import LuffError, RunError
from ...blocks.text.safe_read import recording_reads
from ..batch.simd_group import LaneDecision
from ..batch.study_lanes import run_in_lanes
from ..flatten.diagram import Diagram
from ..results.recorded_run import DESCRIPTION
from ..results.result import Result
from ..simulation.operator_log import OperatorLog, OperatorReplay
from ..simulation.parameters import started_by_form
from ..simulation.session import Session
from ..simulation.simulation import Simulation
from . import variant_file
from .variant_fingerprint import content_when_first_asked, fingerprint, kept_digest
from .worker_messages import Answer, Lanes, ModelOrder, Order, Orders

EVERY = 0.2  # seconds between two words on progress
ORDERED = "it was ordered by itself"

Tell = Callable[[str, float], None]  # of a variant, by its hash: the share that is done


def main() -> None:
    # whatever a block prints must not come between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(**words: object) -> None:
        answers.write(json.dumps(words) + "\n")

    try:
        say(ready=True)
        for line in sys.stdin:
            given: Orders = json.loads(line)
            models = [partial(variant_model, order) for order in given["orders"]]
            for answer in run(
                given["orders"], models, given["lanes"], lambda hash, share: say(hash=hash, share=share)
            ):
                say(**answer)
    except BrokenPipeError:  # whoever gave the orders is gone, and so is the wish for results
        os._exit(1)


def run(
    orders: Sequence[Order], models: Sequence[Callable[[], Simulation]], lanes: Lanes, tell: Tell
) -> Iterator[Answer]:
    """Run variants, each into a file of its own, side by side where they go so; says how each ended."""
    begun = [StartedVariant(order, model, tell) for order, model in zip(orders, models, strict=True)]
    if len(begun) > 1:
        advance_together([each for each in begun if each.session is not None], lanes)
    for each in begun:
        yield each.answer()


class StartedVariant:
    """A variant that stands at its start, or was refused there."""

    def __init__(self, order: Order, model: Callable[[], Simulation], tell: Tell):
        self.order, self._tell, self._told = order, tell, time.perf_counter()
        self.alone, self.spent = ORDERED, 0.0  # seconds that its steps have taken
        self._status, self._message = "finished", ""
        self.session: Session | None = None
        self._result: Result | None = None
        self._seconds, self._until = 0.0, math.inf
        with self._timed():
            self._sim = unchanged_model(model, order)
            self.session = self._sim.start(watched=order["watched"])

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Context that measures the time and turns an error into the variant's end."""
        began = time.perf_counter()
        try:
            yield
        except LuffError as error:
            # mistakes in what the study changed have a place in the model's file that would mislead
            self._status, self._message = "failed", "; ".join(str(problem.at()) for problem in error.problems)
            self._result = getattr(error, "result", None)
        except Exception as error:  # of a block's own code: one variant's mishap is not the study's
            self._status, self._message = "failed", f"{type(error).__name__}: {error}"
        self._seconds += time.perf_counter() - began

    def report_share(self, session: Session) -> None:
        """Report progress now and then."""
        if time.perf_counter() - self._told > EVERY:
            self._told = time.perf_counter()
            self._tell(self.order["hash"], session.progress)

    def _within_time_limit(self, session: Session) -> bool:
        """Report progress; False once its time limit has passed."""
        self.report_share(session)
        now = time.perf_counter()
        limit = self.order["limit"]
        # from its first steps on: a model that this machine has not seen yet is compiled before them
        if limit is not None:
            self._until = min(self._until, now + limit - self.spent)
        return now < self._until

    def answer(self) -> Answer:
        """Run it to its end, write its file, and say how it ended."""
        stepping, saved = None, False
        if self.session is not None:
            began = time.perf_counter()
            with self._timed():
                self._result = self._recorded(self.session)
            stepping = time.perf_counter() - began if self.alone else None
        if self._result is not None:
            with self._timed():
                variant_file.write_variant(
                    selected_columns(self._result, self.order["record"]), Path(self.order["output"])
                )
                saved = True
        return {
            "hash": self.order["hash"],
            "status": self._status,
            "message": self._message,
            "seconds": self._seconds + self.spent,
            "saved": saved,
            "refuted": self.session is not None and self.session.refuted,
            "alone": self.alone,
            "stepping": stepping,
        }

    def _recorded(self, session: Session) -> Result:
        sim, kept_file = self._sim, self.order["replay"]
        replay = OperatorReplay(session, OperatorLog.read(kept_file), sim.set) if kept_file else None
        result = sim.record(session, progress=self._within_time_limit, go=replay.advance if replay else None)
        self._message = result.message
        if result.status == "cancelled":
            limit = self.order["limit"]
            self._status = "failed"
            self._message = f"stopped at t = {result.time[-1]:g} s: it took more than {limit:g} s"
        return result


def advance_together(begun: Sequence[StartedVariant], lanes: Lanes) -> None:
    """Take the steps of these together, as far as they go; each has its share of the time."""
    sessions = [each.session for each in begun if each.session is not None]
    if not sessions or any(each.order["replay"] for each in begun):
        return
    limit = begun[0].order["limit"]  # all have the same

    def ended() -> bool:
        for each, session in zip(begun, sessions, strict=True):
            each.report_share(session)
        return limit is not None and time.perf_counter() - began > limit * len(sessions)

    choice = LaneDecision(sessions[0].method, lanes["wanted"])
    choice.decide_at_once(sessions[0].instance)
    if choice.ready is None:
        choice.decide(sessions[0].instance, lanes["left"])
    began = time.perf_counter()  # what has to be compiled is no variant's
    alone = run_in_lanes(sessions, choice, ended)
    share = (time.perf_counter() - began) / len(sessions)
    for each, why in zip(begun, alone, strict=True):
        each.alone, each.spent = why, share


def unchanged_model(model: Callable[[], Simulation], order: Order) -> Simulation:
    """The model of a variant, if it and all that it reads are what they were when the study began."""
    with recording_reads() as files:
        sim = model()
        now = fingerprint(
            sim.program.flat,
            [*order["record"], *kept_digest(order["watched"], order["replay"])],
            content_when_first_asked,
        )
    if now != order["hash"] or files.changed:
        raise RunError(
            "the model, a file that it reads, or luff itself has changed since the study began",
            fix="run the study again",
        )
    return sim


def variant_model(order: ModelOrder) -> Simulation:
    """The model of a variant."""
    path = Path(order["model"])
    stamp = path.stat() if path.is_file() else None
    seen = (stamp.st_mtime_ns, stamp.st_size) if stamp else None
    diagram = _read_diagram(path, order["allow_code"], tuple(order["files"]), seen)
    return Simulation(diagram, order["changes"], started_by_form)


@lru_cache(1)
def _read_diagram(path: Path, allow_code: bool, files: tuple[str, ...], seen: object) -> Diagram:
    """The netlist that all variants share, for as long as its file stays as it is."""
    return Diagram.load(path, allow_code, files)


def selected_columns(result: Result, patterns: list[str]) -> Result:
    """The result with the columns that are asked for; signals that a variant does not have are passed over."""
    if patterns == ["*"]:
        return result
    wanted = []
    for pattern in patterns:
        try:
            wanted += result.match(pattern)
        except LuffError:
            continue
    columns = [column for column in result.columns if column in set(wanted)]
    picked = [result.columns.index(column) for column in columns]
    about = {name: getattr(result, name) for name in DESCRIPTION}
    units = {column: result.units[column] for column in columns}
    return Result(result.time, columns, result.table[:, picked], units, traces=result.traces, **about)


if __name__ == "__main__":
    main()
