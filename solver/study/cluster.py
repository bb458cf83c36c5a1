"""Studies on Dask distributed (the extra `cluster`): variants are tasks of a scheduler, on this machine or on many.

A task carries its flat netlist, so that workers need luff and no files. Where a worker sees the folder of the parts, it
writes there; else the file comes back through the scheduler. Dask runs again what a lost worker was at; what is lost
more often than Dask allows, or with the scheduler, is handed in again from here.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

from ...blocks.errors import LuffError
from ..flat.opening import Diagram
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


class Share(TypedDict):
    hash: str
    share: float


class SentOrder(Order):
    hash: str
    token: str
    topic: str


class SentAnswer(Answer):
    content: NotRequired[bytes | None]  # of the file, where the folder is not shared


End = tuple[str, "Future | None", str]  # hash, what was handed in, what was said


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
        self.heard: queue.Queue[tuple[Literal["share"], Share] | tuple[Literal["end"], End]] = queue.Queue()
        self.under_way: dict[str, tuple[Outcome, Future | None]] = {}  # by hash: outcome, future
        self.tries: dict[str, int] = {}
        self.topic = f"{TOPIC}-{uuid.uuid4().hex}"
        self.token = folder / f".{self.topic}"
        self.token.touch()
        self.diagram = Diagram.load(study.model, study.allow_code, study.files)
        self.line = Connection(on, jobs)
        self._listen()

    def _listen(self) -> None:
        heard = self.heard
        self.line.client.subscribe_topic(self.topic, lambda event: heard.put(("share", event[1])))

    # --- what `run` asks of an engine ----------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.under_way)

    def hire(self) -> None:
        """Hand in as much as keeps all workers at work."""
        threads = self.line.threads
        while self.waiting and len(self.under_way) < max(1, AHEAD * threads):
            self._hand_in(self.waiting.pop(0))

    def listen(self) -> Outcome | None:
        """Take in one message; returns the outcome that it ends, if it ends one."""
        if not self.line.open:
            self._come_back()
        try:
            message = self.heard.get(timeout=POLL)
        except queue.Empty:
            self.hire()
            return None
        if message[0] == "share":
            known = self.under_way.get(message[1]["hash"])
            if known is not None:
                known[0].share = message[1]["share"]
            return None
        ended = self._ended(message[1])
        self.hire()
        return ended

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
        order: SentOrder = {
            "hash": outcome.hash,
            "record": list(self.study.settings.record),
            "output": str(outcome.part),
            "token": str(self.token),
            "topic": self.topic,
            "limit": self.limit,
        }
        try:
            sim = Simulation(self.diagram, self.study.overrides(outcome.variant))
        except LuffError as error:
            self.heard.put(("end", (outcome.hash, None, str(error))))
            self.under_way[outcome.hash] = (outcome, None)
            return
        key = f"luff-{outcome.hash}-{self.topic[-8:]}-{tries}"
        future = self.line.client.submit(task, pickle.dumps(sim), order, key=key, pure=False)
        self.under_way[outcome.hash] = (outcome, future)
        future.add_done_callback(lambda done, name=outcome.hash: self.heard.put(("end", (name, done, ""))))

    def _ended(self, words: End) -> Outcome | None:
        name, future, message = words
        known = self.under_way.get(name)
        if known is None or known[1] is not future:
            return None  # of a task that was handed in again
        outcome = known[0]
        del self.under_way[name]
        answer = failed(message)
        if future is not None:
            try:
                answer = future.result(timeout=RETURN)
            except Exception as error:
                # cancelled with its scheduler, or its workers have died: nothing says that the variant is to blame
                if self.tries[name] < AGAIN:
                    outcome.status, outcome.share = "waiting", 0.0
                    self.waiting.insert(0, outcome)
                    return None
                answer = {**answer, "message": f"lost {AGAIN} times, the last with {type(error).__name__}"}
        outcome.status, outcome.message = answer["status"], answer["message"]
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

    def tell(share: float) -> None:
        worker.log_event(order["topic"], {"hash": order["hash"], "share": share})

    def model() -> Simulation:
        return pickle.loads(sent)

    try:
        if Path(order["token"]).exists():
            # another worker may run what this one is thought to have lost: parts are whole or not there
            return {**run(order, model, tell)}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"variant{parts.SUFFIX}"
            own: SentOrder = {**order, "output": str(file)}
            answer = run(own, model, tell)
            return {**answer, "content": file.read_bytes() if answer["saved"] else None}
    except Exception as error:
        # as words: of an exception that cannot be sent Dask's client says nothing, and the study would wait for ever
        return failed(f"{type(error).__name__}: {error}")


def failed(message: str) -> SentAnswer:
    return {"status": "failed", "message": message, "seconds": None, "saved": False}
