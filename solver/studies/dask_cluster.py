"""Studies on Dask distributed (the extra `cluster`): variants are tasks of a scheduler, on this machine or on many.

A task carries its flat netlist, so that workers need luff and no files. Where a worker sees the folder of the parts, it
writes there and says so, as it says how far it is; else the file comes back through the scheduler. Dask runs again what
a lost worker was at; what is lost more often than Dask allows, or with the scheduler, is handed in again from here.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict

from ...blocks.errors import LuffError
from ..flatten.flatten import flatten
from ..simulation.inputs_outputs import PickledSimulation
from ..simulation.simulation import Simulation
from . import variant_file
from .dask_connection import AGAIN, AHEAD, POLL, RETURN, Connection
from .lane_groups import LaneGrouping
from .study_worker import ORDERED, run
from .worker_messages import Answer, Lanes, Order

if TYPE_CHECKING:
    from distributed import Future

    from .study_file import Study
    from .variant_outcome import VariantOutcome

TOPIC = "luff-study"


class Event(TypedDict):
    """Message of a worker on a variant: its progress, or how it ended; empty where its file is to be fetched."""

    hash: str
    key: str
    share: NotRequired[float]
    answer: NotRequired[SentAnswer]


class SentOrder(Order):
    key: str
    token: str
    topic: str


class SentAnswer(Answer):
    content: NotRequired[bytes | None]  # of the file, where the folder is not shared


class Task(NamedTuple):
    """Variants that were handed in together."""

    key: str
    future: Future
    ordered: int


class Cluster:
    """Runner of variants on a Dask scheduler; `on` is its address, `local`, a client or a cluster of Dask."""

    def __init__(
        self,
        on: object,
        study: Study,
        folder: Path,
        waiting: list[VariantOutcome],
        jobs: int | None,
        limit: float | None,
        grouping: LaneGrouping,
    ):
        self.study, self.folder, self.waiting, self.limit = study, folder, waiting, limit
        self.grouping = grouping
        self.heard: queue.Queue[Event] = queue.Queue()
        self.under_way: dict[str, tuple[VariantOutcome, Task]] = {}  # by hash
        self.ended: list[VariantOutcome] = []  # not told yet
        self.silent: set[str] = set()  # hashes of what had ended without a word at the last look
        self.looked = 0.0  # when that was
        self.tries: dict[str, int] = {}
        self.topic = f"{TOPIC}-{uuid.uuid4().hex}"
        self.token = folder / f".{self.topic}"
        self.token.touch()
        self.diagram = study.diagram()
        self.line = Connection(on, jobs)
        self._listen()

    def _listen(self) -> None:
        heard = self.heard
        self.line.client.subscribe_topic(self.topic, lambda event: heard.put(event[1]))

    # --- what `run` asks of an engine ----------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.under_way or self.ended)

    def hire(self) -> None:
        """Submit as much as keeps all workers busy."""
        most = max(1, AHEAD * self.line.threads)
        while self.waiting and len({task.key for _, task in self.under_way.values()}) < most:
            self._hand_in(self.grouping.take(self.waiting, most))

    def listen(self) -> VariantOutcome | None:
        """Take in one message; returns the outcome that it ends, if it ends one."""
        if not self.line.open:
            self._resubmit()
        if self.ended:
            return self.ended.pop(0)
        try:
            event = self.heard.get(timeout=POLL)
        except queue.Empty:
            event = None
        self._look()
        if event is None:
            self.hire()
            return None
        known = self.under_way.get(event["hash"])
        if known is None or known[1].key != event["key"]:
            return None  # of a task that was handed in again
        outcome, task = known
        if "share" in event:
            outcome.share = event["share"]
            return None
        if "answer" in event:
            del self.under_way[outcome.hash]
            self.ended.append(self._answered(outcome, event["answer"], task.ordered))
        else:
            self._fetch(outcome)
        self.hire()
        return self.ended.pop(0) if self.ended else None

    def dismiss(self, at_once: bool) -> None:
        with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to cancel
            if at_once:
                self.line.client.cancel([task.future for _, task in self.under_way.values()], force=True)
        self.line.close()
        self.token.unlink(missing_ok=True)

    # --- tasks ---------------------------------------------------------------------------------------------------

    def _hand_in(self, group: Sequence[VariantOutcome]) -> None:
        left = self.grouping.left(group, self.waiting, max(1, self.line.threads))
        lanes: Lanes = {"wanted": self.grouping.wanted, "left": left}
        tries = 0
        for outcome in group:
            outcome.status, outcome.part = "running", self.folder / f"{outcome.hash}{variant_file.SUFFIX}"
            tries = self.tries[outcome.hash] = self.tries.get(outcome.hash, 0) + 1
        key = f"luff-{group[0].hash}-{self.topic[-8:]}-{tries}"
        sent, orders = [], []
        for outcome in group:
            changes = self.study.overrides(outcome.variant)
            try:
                sent.append(
                    pickle.dumps(
                        PickledSimulation(Simulation, self.diagram, changes, flatten(self.diagram, changes))
                    )
                )
            except LuffError as error:
                self.ended.append(self._answered(outcome, failed_answer(outcome.hash, str(error)), 1))
                continue
            orders.append(self._order(outcome, key))
        if orders:
            future = self.line.client.submit(run_task, sent, orders, lanes, key=key, pure=False)
            task = Task(key, future, len(orders))
            known = {outcome.hash: outcome for outcome in group}
            self.under_way |= {order["hash"]: (known[order["hash"]], task) for order in orders}

    def _order(self, outcome: VariantOutcome, key: str) -> SentOrder:
        return {
            "hash": outcome.hash,
            "key": key,
            "record": list(self.study.settings.record),
            "watched": self.study.watched,
            "replay": self.study.replay,
            "output": str(outcome.part),
            "token": str(self.token),
            "topic": self.topic,
            "limit": self.limit,
        }

    def _look(self) -> None:
        """Take in tasks that ended without a word: with their workers, mostly."""
        now = time.monotonic()
        if now - self.looked < POLL:
            return
        self.looked = now
        silent = {hash for hash, (_, task) in self.under_way.items() if task.future.done()}
        with self.heard.mutex:
            speak = {event["hash"] for event in self.heard.queue}
        # what they said may be on its way at the first look
        for hash in silent & self.silent - speak:
            if hash in self.under_way:
                self._fetch(self.under_way[hash][0])
        self.silent = silent

    def _fetch(self, outcome: VariantOutcome) -> None:
        """Fetch the results of a task, for all variants that were submitted with it."""
        _, task = self.under_way[outcome.hash]
        fetched = [one for one, own in self.under_way.values() if own is task]
        answers: dict[str, SentAnswer] = {}
        last = ""
        try:
            answers = {answer["hash"]: answer for answer in task.future.result(timeout=RETURN)}
        except Exception as error:
            # cancelled with its scheduler, or its workers have died: nothing says that the variants are to blame
            last = type(error).__name__
            if task.ordered > 1:
                self.grouping.lost(fetched)
        for one in fetched:
            del self.under_way[one.hash]
            if last and self.tries[one.hash] < AGAIN:
                one.status, one.share = "waiting", 0.0
                self.waiting.insert(0, one)
                continue
            answer = answers.get(one.hash) or failed_answer(
                one.hash, f"lost {AGAIN} times, the last with {last}"
            )
            self.ended.append(self._answered(one, answer, task.ordered))

    def _answered(self, outcome: VariantOutcome, answer: SentAnswer, ordered: int) -> VariantOutcome:
        content = answer.get("content")
        if content is not None and outcome.part is not None:
            partial = outcome.part.with_suffix(".tmp")
            partial.write_bytes(content)
            partial.replace(outcome.part)
        outcome.heard(answer)
        self.grouping.heard(outcome, answer, ordered)
        return outcome

    # --- the scheduler -------------------------------------------------------------------------------------------

    def _resubmit(self) -> None:
        """Reconnect after the scheduler was lost, and submit again what was under way."""
        self.line.reconnect()
        self._listen()
        for outcome, _ in self.under_way.values():
            outcome.status, outcome.share = "waiting", 0.0
            self.waiting.append(outcome)
        self.under_way.clear()
        self.hire()


def run_task(sent: Sequence[bytes], orders: Sequence[SentOrder], lanes: Lanes) -> list[SentAnswer]:
    """Run variants on a worker; answers carry the files where the folder is not shared."""
    from distributed import get_worker

    worker = get_worker()
    keys = {order["hash"]: order["key"] for order in orders}

    def say(hash: str, **words: object) -> None:
        worker.log_event(orders[0]["topic"], {"hash": hash, "key": keys[hash], **words})

    def answered(orders: Sequence[SentOrder], shared: bool) -> Iterator[SentAnswer]:
        models = [partial(pickle.loads, each) for each in sent]
        for answer in run(orders, models, lanes, lambda hash, share: say(hash, share=share)):
            if shared:
                say(answer["hash"], answer=answer)
            yield {**answer}

    try:
        if Path(orders[0]["token"]).exists():
            # another worker may run what this one is thought to have lost: parts are whole or not there
            return [*answered(orders, True)]
        with tempfile.TemporaryDirectory() as folder:
            files = {
                order["hash"]: Path(folder) / f"{order['hash']}{variant_file.SUFFIX}" for order in orders
            }
            own: list[SentOrder] = [{**order, "output": str(files[order["hash"]])} for order in orders]
            answers = [*answered(own, False)]
            for answer in answers:
                answer["content"] = files[answer["hash"]].read_bytes() if answer["saved"] else None
        for hash in keys:
            say(hash)
        return answers
    except Exception as error:
        # as words: of an exception that cannot be sent Dask's client says nothing, and the study would wait for ever
        return [failed_answer(hash, f"{type(error).__name__}: {error}") for hash in keys]


def failed_answer(hash: str, message: str) -> SentAnswer:
    return {
        "hash": hash, "status": "failed", "message": message, "seconds": None, "saved": False, "refuted": False,
        "alone": ORDERED, "stepping": None,
    }  # fmt: skip
