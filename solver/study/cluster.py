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
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...blocks.errors import LuffError, RunError
from ..flat.opening import Diagram
from ..run.simulation import Simulation
from .worker import run

if TYPE_CHECKING:
    from .outcome import Outcome
    from .spec import Study

POLL = 0.1  # seconds between looks at whoever may want to stop
AHEAD = 2  # tasks handed in for each thread of the workers: none waits for this process
AGAIN = 20  # times that a variant is handed in before its workers' deaths are its own fault
RETURN = 60.0  # seconds for a scheduler to come back
TOPIC = "luff-study"


class Cluster:
    """Hands variants to a scheduler; `on` is its address, `local`, a client or a cluster of Dask."""

    def __init__(
        self,
        on: Any,
        study: Study,
        folder: Path,
        waiting: list[Outcome],
        jobs: int | None,
        limit: float | None,
    ):
        self.study, self.folder, self.waiting, self.limit = study, folder, waiting, limit
        self.heard: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.under_way: dict[str, tuple[Outcome, Any]] = {}  # by hash: outcome, future
        self.tries: dict[str, int] = {}
        self.topic = f"{TOPIC}-{uuid.uuid4().hex}"
        self.token = folder / f".{self.topic}"
        self.token.touch()
        self.diagram = Diagram.load(study.model, study.allow_code, study.files)
        self.on, self._owned = on, []
        self.client = self._connected(on, jobs)
        self._listen()

    def _connected(self, on: Any, jobs: int | None) -> Any:
        try:
            import distributed
        except ImportError:
            raise RunError("studies on a cluster need Dask", fix='pip install "luff[cluster]"') from None
        if isinstance(on, distributed.Client):
            return on
        if on == "local":
            from ..machine.processors import processors

            on = distributed.LocalCluster(
                n_workers=jobs or processors(), threads_per_worker=1, dashboard_address=":0"
            )
            self._owned.append(on)
        try:
            made = distributed.Client(on, timeout=10.0, set_as_default=False)
        except (OSError, ValueError) as error:
            found = f"cannot reach a scheduler at {on}: {error}".splitlines()[0]
            raise RunError(found, path="--on", fix="start one with: dask scheduler") from None
        self._owned.append(made)
        return made

    def _listen(self) -> None:
        heard = self.heard
        self.client.subscribe_topic(self.topic, lambda event: heard.put(("share", event[1])))

    # --- what `run` asks of an engine ----------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return bool(self.waiting or self.under_way)

    def hire(self) -> None:
        """Hand in as much as keeps all workers at work."""
        threads = sum(self.client.nthreads().values()) if self._reachable() else 0
        while self.waiting and len(self.under_way) < max(1, AHEAD * threads):
            self._hand_in(self.waiting.pop(0))

    def listen(self) -> Outcome | None:
        """Take in one message; returns the outcome that it ends, if it ends one."""
        if not self._reachable():
            self._come_back()
        try:
            kind, words = self.heard.get(timeout=POLL)
        except queue.Empty:
            self.hire()
            return None
        if kind == "share":
            known = self.under_way.get(words["hash"])
            if known is not None:
                known[0].share = words["share"]
            return None
        ended = self._ended(words)
        self.hire()
        return ended

    def dismiss(self, at_once: bool) -> None:
        with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to cancel
            if at_once:
                self.client.cancel([future for _, future in self.under_way.values()], force=True)
        for each in reversed(self._owned):
            with contextlib.suppress(Exception):
                each.close()
        self.token.unlink(missing_ok=True)

    # --- tasks ---------------------------------------------------------------------------------------------------

    def _hand_in(self, outcome: Outcome) -> None:
        outcome.status, outcome.part = "running", self.folder / f"{outcome.hash}.h5"
        tries = self.tries[outcome.hash] = self.tries.get(outcome.hash, 0) + 1
        order = {
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
        future = self.client.submit(task, pickle.dumps(sim), order, key=key, pure=False)
        self.under_way[outcome.hash] = (outcome, future)
        future.add_done_callback(lambda done, name=outcome.hash: self.heard.put(("end", (name, done, ""))))

    def _ended(self, words: tuple[str, Any, str]) -> Outcome | None:
        name, future, message = words
        known = self.under_way.get(name)
        if known is None or known[1] is not future:
            return None  # of a task that was handed in again
        outcome = known[0]
        del self.under_way[name]
        answer: Mapping[str, Any] = {"status": "failed", "message": message, "seconds": None, "saved": False}
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

    def _reachable(self) -> bool:
        return self.client.status == "running"

    def _come_back(self) -> None:
        """The scheduler was lost: wait for it, and hand in again what was under way."""
        if not isinstance(self.on, str) or self.on == "local":
            raise RunError("the scheduler of the study is gone; what is done is kept")
        until = time.monotonic() + RETURN
        with contextlib.suppress(Exception):
            self._owned.pop().close()
        while True:
            try:
                self.client = self._connected(self.on, None)
                break
            except RunError:
                if time.monotonic() > until:
                    raise
        self._listen()
        for outcome, _ in self.under_way.values():
            outcome.status, outcome.share = "waiting", 0.0
            self.waiting.append(outcome)
        self.under_way.clear()
        self.hire()


def task(sent: bytes, order: dict[str, Any]) -> dict[str, Any]:
    """On a worker: run one variant, and give back how it ended, with its file where that is not shared."""
    from distributed import get_worker

    worker = get_worker()

    def tell(share: float) -> None:
        worker.log_event(order["topic"], {"hash": order["hash"], "share": share})

    made = {**order, "make": lambda: pickle.loads(sent)}
    if Path(order["token"]).exists():
        # whole or not at all: another worker may run what this one is thought to have lost
        part = Path(order["output"])
        own = part.with_name(f"{part.stem}.{uuid.uuid4().hex}.h5")
        answer = run({**made, "output": str(own)}, tell)
        if answer["saved"]:
            own.replace(part)
        return answer
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "part.h5"
        answer = run({**made, "output": str(file)}, tell)
        return {**answer, "content": file.read_bytes() if answer["saved"] else None}
