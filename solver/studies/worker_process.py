"""Worker process of a study, seen from the study: it takes orders and reports ends."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from typing import TypedDict

from ..codegen.python_subprocess import own_session_options, python_words, single_threaded_environment
from .variant_outcome import VariantOutcome
from .worker_messages import Answer, Orders

PATIENCE = 5.0  # seconds for a process to end by itself


class WorkerReady(TypedDict):
    ready: bool


class VariantProgress(TypedDict):
    hash: str
    share: float


Said = WorkerReady | VariantProgress | Answer


class StudyWorker:
    """Worker process, its variants, and a thread that passes on its messages."""

    def __init__(self, heard: queue.Queue[tuple[StudyWorker, Said | None]]):
        self.under_way: dict[str, VariantOutcome] = {}  # by hash
        self.ordered = 0  # how many these were
        self.ready = False
        self.until: float | None = None  # when its variant has to be over
        self.late = False
        self.process = subprocess.Popen(
            python_words("luff.solver.studies.study_worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=single_threaded_environment(),
            encoding="utf-8",
            **own_session_options(),
        )
        self._listener = threading.Thread(target=self._listen, args=(heard,), daemon=True)
        self._listener.start()

    def _listen(self, heard: queue.Queue[tuple[StudyWorker, Said | None]]) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as answers:
            for line in answers:
                # the last one may be cut off by the end of the process
                if line.endswith("\n"):
                    heard.put((self, json.loads(line)))
        heard.put((self, None))

    def run(self, group: Sequence[VariantOutcome], orders: Orders) -> None:
        assert self.process.stdin is not None
        self.under_way, self.ordered = {outcome.hash: outcome for outcome in group}, len(group)
        for outcome in group:
            outcome.status = "running"
        # a process that died meanwhile is heard of through the other pipe
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(orders) + "\n")
            self.process.stdin.flush()

    def end(self, at_once: bool) -> None:
        assert self.process.stdin is not None
        if at_once:
            self.process.kill()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join()
