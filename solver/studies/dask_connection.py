"""A client of Dask, which may lose its scheduler and find it again."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...blocks.errors import RunError

if TYPE_CHECKING:
    from distributed import Client, LocalCluster, Security

POLL = 0.1  # seconds between looks at whoever may want to stop
AHEAD = 2  # tasks handed in for each thread of the workers: none waits for this process
AGAIN = 20  # times that a task is handed in before its workers' deaths are its own fault
RETURN = 60.0  # seconds for a scheduler to come back
ANSWER = 10.0  # seconds for a scheduler to be found
OLD = 0.5  # seconds for which a count of workers is good: it costs a question to the scheduler
# of workers that only this study has: nobody looks at what Dask would measure of them, many times a second
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.monitor-interval": "1s",
    # no pages: every user of this machine could read them
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.nanny.http.routes": [],
}
SAFE = "PYTHONSAFEPATH"  # of an interpreter that shall import nothing from the current folder
# what workers meet is told by this process; they themselves complain where they are stopped while they talk
SILENT = "DASK_LOGGING__DISTRIBUTED"


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Set Python's safe path for the processes that Dask starts now; restarted ones have it from its settings."""
    before = os.environ.get(SAFE)
    os.environ[SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE]


def _own_certificate() -> Security:
    """A key that only the processes of one study have. A scheduler runs whatever is sent to it, and its port is open to
    all users of this machine: without that key nobody is listened to."""
    from distributed import Security

    try:
        return Security.temporary()
    except ImportError:
        raise RunError(
            "workers of this machine need the package cryptography",
            path="--on",
            fix='pip install "luff[cluster]"',
        ) from None


class Connection:
    """`on` is the address of a scheduler, `local`, or a client or a cluster of Dask; `jobs` are workers of `local`."""

    def __init__(self, on: object, jobs: int | None = None):
        self.on = on
        self._owned: list[Client | LocalCluster] = []
        self._threads, self._asked = 0, -math.inf
        self.client = self._connected(on, jobs)

    def _connected(self, on: object, jobs: int | None) -> Client:
        try:
            import dask.config
            import distributed
        except ImportError:
            raise RunError("runs on a cluster need Dask", fix='pip install "luff[cluster]"') from None
        if isinstance(on, distributed.Client):
            return on
        if on == "local":
            from ..codegen.cache_folder import cache_dir
            from ..codegen.target_cpu import processors

            environ = {
                f"distributed.nanny.pre-spawn-environ.{name}": value
                for name, value in ((SAFE, "1"), (SILENT, "critical"))
            }
            with dask.config.set(QUIET | environ), _safe_path():
                on = distributed.LocalCluster(
                    n_workers=jobs or processors(),
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    local_directory=str(cache_dir() / "dask"),  # workers import from there
                    scheduler_kwargs={"dashboard": False},
                    protocol="tls://",
                    security=_own_certificate(),
                )
            self._owned.append(on)
        until = time.monotonic() + RETURN
        while True:
            try:
                made = distributed.Client(on, timeout=ANSWER, set_as_default=False)
            except (OSError, ValueError) as error:
                # one that is there and silent may be busy, or stand still for a while
                if isinstance(error, TimeoutError) and time.monotonic() < until:
                    continue
                mistake = f"cannot reach a scheduler at {on}: {error}".splitlines()[0]
                raise RunError(mistake, path="--on", fix="start one with: dask scheduler") from None
            self._owned.append(made)
            return made

    @property
    def open(self) -> bool:
        return self.client.status == "running"

    @property
    def threads(self) -> int:
        """Number of threads of all workers, at most a moment old."""
        now = time.monotonic()
        if now - self._asked > OLD:
            counts = self.client.nthreads() if self.open else {}
            self._threads, self._asked = sum(counts.values()) if isinstance(counts, dict) else 0, now
        return self._threads

    def come_back(self) -> None:
        """Wait for a scheduler at the same address; tasks have to be submitted again."""
        if not isinstance(self.on, str) or self.on == "local":
            raise RunError("the scheduler no longer answers; finished runs are kept")
        until = time.monotonic() + RETURN
        with contextlib.suppress(Exception):
            self._owned.pop().close()
        while True:
            try:
                self.client = self._connected(self.on, None)
                self._asked = -math.inf
                return
            except RunError:
                if time.monotonic() > until:
                    raise

    def close(self) -> None:
        for each in reversed(self._owned):
            with contextlib.suppress(Exception):
                each.close()
