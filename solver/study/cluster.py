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
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

from ...blocks.errors import LuffError
from ..flat.flatten import flatten
from ..flat.opening import Diagram
from ..run.interface import Sent
from ..run.simulation import Simulation
from . import parts
from .connection import AGAIN, AHEAD, POLL, RETURN, Connection
from .orders import Answer, Order
from .worker import run

if TYPE_CHECKING:
    from distributed import Future

    from .outcome import Outcome
    from .spec import Study

TOPIC = "luff-study"


class Event(TypedDict):
    """What a worker says of a variant: how far it is, or how it ended; nothing where its file is to be fetched."""

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


class Cluster:
    """Hands variants to a scheduler; `on` is its address, `local`, a client or a cluster of Dask."""

    def __init__(
        self,
        on: object,
        study: Study,
        folder: Path,
        waiting: list[Outcome],
        jobs: int | None,
        limit: float | None,
    ):
        self.study, self.folder, self.waiting, self.limit = study, folder, waiting, limit
        self.heard: queue.Queue[Event] = queue.Queue()
        self.under_way: dict[str, tuple[Outcome, Future]] = {}  # by hash
        self.ended: list[Outcome] = []  # not told yet
        self.silent: dict[str, Outcome] = {}  # by key: tasks that had ended without a word at the last look
        self.looked = 0.0  # when that was
        self.tries: dict[str, int] = {}
        self.topic = f"{TOPIC}-{uuid.uuid4().hex}"
        self.token = folder / f".{self.topic}"
        self.token.touch()
        self.diagram = Diagram.load(study.model, study.allow_code, study.files)
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
        """Hand in as much as keeps all workers at work."""
        while self.waiting and len(self.under_way) < max(1, AHEAD * self.line.threads):
            self._hand_in(self.waiting.pop(0))

    def listen(self) -> Outcome | None:
        """Take in one message; returns the outcome that it ends, if it ends one."""
        if not self.line.open:
            self._come_back()
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
        outcome = known[0]
        if "share" in event:
            outcome.share = event["share"]
            return None
        if "answer" in event:
            del self.under_way[outcome.hash]
            self.ended.append(self._answered(outcome, event["answer"]))
        else:
            self._fetch(outcome)
        self.hire()
        return self.ended.pop(0) if self.ended else None

    def dismiss(self, at_once: bool) -> None:
        with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to cancel
            if at_once:
                self.line.client.cancel([future for _, future in self.under_way.values()], force=True)
        self.line.close()
        self.token.unlink(missing_ok=True)

    # --- tasks ---------------------------------------------------------------------------------------------------

    def _hand_in(self, outcome: Outcome) -> None:
        outcome.status, outcome.part = "running", self.folder / f"{outcome.hash}{parts.SUFFIX}"
        tries = self.tries[outcome.hash] = self.tries.get(outcome.hash, 0) + 1
        key = f"luff-{outcome.hash}-{self.topic[-8:]}-{tries}"
        order: SentOrder = {
            "hash": outcome.hash,
            "key": key,
            "record": list(self.study.settings.record),
            "replay": self.study.replay,
            "output": str(outcome.part),
            "token": str(self.token),
            "topic": self.topic,
            "limit": self.limit,
        }
        changes = self.study.overrides(outcome.variant)
        try:
            sent = pickle.dumps(Sent(Simulation, self.diagram, changes, flatten(self.diagram, changes)))
        except LuffError as error:
            self.ended.append(self._answered(outcome, failed(str(error))))
            return
        future = self.line.client.submit(task, sent, order, key=key, pure=False)
        self.under_way[outcome.hash] = outcome, future

    def _look(self) -> None:
        """Take in tasks that ended without a word: with their workers, mostly."""
        now = time.monotonic()
        if now - self.looked < POLL:
            return
        self.looked = now
        silent = {str(future.key): outcome for outcome, future in self.under_way.values() if future.done()}
        with self.heard.mutex:
            speak = {event["key"] for event in self.heard.queue}
        # what they said may be on its way at the first look
        for key in silent.keys() & self.silent.keys() - speak:
            self._fetch(silent[key])
        self.silent = silent

    def _fetch(self, outcome: Outcome) -> None:
        _, future = self.under_way.pop(outcome.hash)
        try:
            answer: SentAnswer = future.result(timeout=RETURN)
        except Exception as error:
            # cancelled with its scheduler, or its workers have died: nothing says that the variant is to blame
            if self.tries[outcome.hash] < AGAIN:
                outcome.status, outcome.share = "waiting", 0.0
                self.waiting.insert(0, outcome)
                return
            answer = failed(f"lost {AGAIN} times, the last with {type(error).__name__}")
        self.ended.append(self._answered(outcome, answer))

    def _answered(self, outcome: Outcome, answer: SentAnswer) -> Outcome:
        outcome.status, outcome.message = answer["status"], answer["message"]
        outcome.refuted = answer["refuted"]
        outcome.seconds = answer["seconds"]
        content = answer.get("content")
        if content is not None and outcome.part is not None:
            partial = outcome.part.with_suffix(".tmp")
            partial.write_bytes(content)
            partial.replace(outcome.part)
        outcome.part = outcome.part if answer["saved"] else None
        outcome.share = 1.0
        return outcome

    # --- the scheduler -------------------------------------------------------------------------------------------

    def _come_back(self) -> None:
        """The scheduler was lost: wait for it, and hand in again what was under way."""
        self.line.come_back()
        self._listen()
        for outcome, _ in self.under_way.values():
            outcome.status, outcome.share = "waiting", 0.0
            self.waiting.append(outcome)
        self.under_way.clear()
        self.hire()


def task(sent: bytes, order: SentOrder) -> SentAnswer:
    """On a worker: run one variant, and give back how it ended, with its file where that is not shared."""
    from distributed import get_worker

    worker = get_worker()

    def say(**words: object) -> None:
        worker.log_event(order["topic"], {"hash": order["hash"], "key": order["key"], **words})

    def model() -> Simulation:
        return pickle.loads(sent)

    try:
        if Path(order["token"]).exists():
            # another worker may run what this one is thought to have lost: parts are whole or not there
            told: SentAnswer = {**run(order, model, lambda share: say(share=share))}
            say(answer=told)
            return told
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"variant{parts.SUFFIX}"
            own: SentOrder = {**order, "output": str(file)}
            answer = run(own, model, lambda share: say(share=share))
            content = file.read_bytes() if answer["saved"] else None
            say()
            return {**answer, "content": content}
    except Exception as error:
        # as words: of an exception that cannot be sent Dask's client says nothing, and the study would wait for ever
        return failed(f"{type(error).__name__}: {error}")


def failed(message: str) -> SentAnswer:
    return {"status": "failed", "message": message, "seconds": None, "saved": False, "refuted": False}
