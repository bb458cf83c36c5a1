"""Studies on Dask: the same bits, lost workers, an ended client, another engine, limits. Processes throughout."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.studies import read_study
from luff.tests.conftest import sized
from luff.tests.process import INTERRUPTIBLE, PATIENCE, call, luff_command
from luff.tests.shared.ports import free_port

pytest.importorskip("distributed")
ROOT = Path(luff.__file__).parent

STUDY = """\
luff: 1
name: lengths
model: ./pendulum.yaml
set: {simulation.stop: STOP, simulation.output_step: 1 s}
variants: {grid: {length: [0.5 m, 0.7 m, 1 m, 1.2 m, 1.5 m, 2 m]}}
record: [pin.position, energy.total]
"""


LONGER = 400  # s, in which something can be killed


class Site:
    """A scheduler and workers, as processes."""

    def __init__(self, folder: Path):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.port = str(free_port(socket.SOCK_STREAM))
        self.begin()

    def begin(self) -> None:
        """A scheduler, where there is none or no more."""
        self.file.unlink(missing_ok=True)
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", self.port)
        until = time.monotonic() + PATIENCE
        while not self._written():
            assert time.monotonic() < until
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]

    def _written(self) -> bool:
        try:
            return "address" in json.loads(self.file.read_text())
        except (OSError, ValueError):
            return False

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        more = ["--no-dashboard", "--scheduler-file", str(self.file)]
        log = (self.folder / f"{words[0]}.log").open("ab")
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words, *more], stdout=log, stderr=log, cwd=self.folder
            )

    def worker(self, first: str = "") -> subprocess.Popen[bytes]:
        """One more, that begins with this script."""
        more = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder)]
        if first:
            (self.folder / "first.py").write_text(first)
            more += ["--preload", str(self.folder / "first.py")]
        self.workers.append(self._start("worker", *more))
        return self.workers[-1]

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    made = Site(folder)
    yield made
    made.end()


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One with a worker, for tests in which neither it nor its scheduler dies."""
    made = Site(tmp_path_factory.mktemp("site"))
    made.worker()
    yield made
    made.end()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What this machine by itself makes of the long study."""
    folder = tmp_path_factory.mktemp("alone")
    written(folder, LONGER)
    call("study", "study.yaml", "-o", "here.h5", "--jobs", "1", "-q", cwd=folder)
    return folder / "here.h5"


def written(folder: Path, stop: int) -> None:
    text = (ROOT / "library" / "templates" / "pendulum.yaml").read_text()
    (folder / "pendulum.yaml").write_text(text)
    (folder / "study.yaml").write_text(STUDY.replace("STOP", f"{sized(stop, max(1, stop // 200))} s"))


def begun(site: Site, folder: Path) -> subprocess.Popen[str]:
    """A study on the cluster, of which the first variant is done."""
    running = subprocess.Popen(
        luff_command("study", "study.yaml", "--on", site.address),
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        **INTERRUPTIBLE,
    )
    assert running.stderr is not None
    told = running.stderr.readline()
    assert "1/6" in told, told
    return running


def same(one: Path, other: Path) -> None:
    a, b = read_study(one), read_study(other)
    assert a.statuses == b.statuses
    assert set(a.statuses.values()) == {"finished"}
    for name in a.statuses:
        np.testing.assert_array_equal(a[name].table, b[name].table)
        np.testing.assert_array_equal(a[name].time, b[name].time)
        assert a[name].quality == b[name].quality
        assert a[name].netlist == b[name].netlist


def test_a_scheduler_gives_the_bits_of_this_machine(standing: Site, tmp_path: Path) -> None:
    written(tmp_path, 20)
    call("study", "study.yaml", "-o", "here.h5", "--jobs", "1", "-q", cwd=tmp_path)
    done = call("study", "study.yaml", "-o", "there.h5", "--on", standing.address, cwd=tmp_path)
    assert "6 variants: 6 run" in done.stdout
    assert "6/6" in done.stderr
    same(tmp_path / "here.h5", tmp_path / "there.h5")
    # what one engine has done is done for the other
    again = call("study", "study.yaml", "-o", "there.h5", cwd=tmp_path)
    assert "0 run, 6 there before" in again.stdout


def test_workers_say_how_variants_ended_and_nobody_fetches_it(
    standing: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To fetch what a task returns takes several messages between three processes."""
    fetched: list[str] = []
    monkeypatch.setattr("distributed.Future.result", lambda self, timeout: fetched.append(self.key))
    written(tmp_path, 2)
    found = luff.study(tmp_path / "study.yaml", tmp_path / "there.h5", on=standing.address)
    assert set(found.statuses.values()) == {"finished"}
    assert fetched == []


def test_files_come_back_where_nothing_is_shared(standing: Site, tmp_path: Path) -> None:
    from luff.solver.studies import dask_cluster

    written(tmp_path, 5)
    script = (
        "import luff, sys, pathlib\n"
        "from luff.solver.studies import dask_cluster as cluster\n"
        "touch = pathlib.Path.touch\n"
        "pathlib.Path.touch = lambda *a, **k: None\n"  # a folder that no worker sees has no token for it
        "found = luff.study('study.yaml', 'there.h5', on=sys.argv[1])\n"
        "assert set(found.statuses.values()) == {'finished'}, found.messages\n"
    )
    assert dask_cluster.TOPIC
    subprocess.run(
        [sys.executable, "-c", script, standing.address], cwd=tmp_path, check=True, timeout=PATIENCE
    )
    call("study", "study.yaml", "-o", "here.h5", "--jobs", "1", "-q", cwd=tmp_path)
    same(tmp_path / "here.h5", tmp_path / "there.h5")


def test_workers_that_die_lose_nothing(site: Site, tmp_path: Path, alone: Path) -> None:
    written(tmp_path, LONGER)
    draw = np.random.default_rng(5)
    for _ in range(2):
        site.worker()
    running = subprocess.Popen(luff_command("study", "study.yaml", "--on", site.address, "-q"), cwd=tmp_path)
    for _ in range(4):
        try:
            running.wait(draw.uniform(0.5, 2.0))
            break
        except subprocess.TimeoutExpired:
            site.worker()
            site.workers[-3].kill()
    assert running.wait(PATIENCE) == 0
    same(alone, tmp_path / "study.h5")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_client_that_is_killed_loses_nothing_that_was_done(site: Site, tmp_path: Path, alone: Path) -> None:
    written(tmp_path, LONGER)
    site.worker()
    running = begun(site, tmp_path)
    running.send_signal(signal.SIGKILL)
    running.wait()
    running.stderr.close()
    done = call("study", "study.yaml", "--jobs", "1", cwd=tmp_path)
    kept = int(done.stdout.split("run, ")[1].split()[0])
    assert kept >= 1
    same(alone, tmp_path / "study.h5")


def test_a_scheduler_that_is_started_again_goes_on(site: Site, tmp_path: Path, alone: Path) -> None:
    written(tmp_path, LONGER)
    site.worker()
    running = begun(site, tmp_path)
    site.scheduler.kill()
    site.scheduler.wait()
    site.workers[-1].kill()
    site.begin()
    site.worker()
    told = running.stderr.read()
    running.stderr.close()
    assert running.wait(PATIENCE) == 0, told
    same(alone, tmp_path / "study.h5")


@pytest.mark.parametrize("on", [[], ["--on", "local"]])
def test_a_variant_that_takes_too_long_is_stopped_alone(on: list[str], tmp_path: Path) -> None:
    written(tmp_path, 1)
    text = (tmp_path / "study.yaml").read_text()
    (tmp_path / "study.yaml").write_text(
        text.replace(
            "grid: {length: [0.5 m, 0.7 m, 1 m, 1.2 m, 1.5 m, 2 m]}",
            "list: {a: {}, b: {simulation.stop: 1e7}}",
        )
    )
    done = call("study", "study.yaml", "--jobs", "1", "--limit", "5", *on, cwd=tmp_path, code=3)
    assert "b failed: stopped at t = " in done.stderr
    assert "it took more than 5 s" in done.stderr
    assert "1 run" in done.stdout


def test_a_scheduler_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    written(tmp_path, 1)
    done = call("study", "study.yaml", "--on", "tcp://127.0.0.1:9", cwd=tmp_path, code=3)
    assert "cannot reach a scheduler at tcp://127.0.0.1:9" in done.stderr
    assert "dask scheduler" in done.stderr


def test_a_scheduler_that_is_there_and_silent_is_asked_again(
    standing: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    from luff.solver.studies.dask_connection import Connection

    tries: list[object] = []

    class Client(distributed.Client):
        def __init__(self, *given: Any, **more: Any) -> None:
            tries.append(given)
            if len(tries) < 3:
                raise TimeoutError
            super().__init__(*given, **more)

    monkeypatch.setattr(distributed, "Client", Client)
    line = Connection(standing.address)
    assert (line.open, len(tries)) == (True, 3)
    line.close()


def test_whatever_goes_wrong_on_a_worker_comes_back_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Dask's client is silent about an exception that cannot be sent: its future would never end."""
    from luff.solver.studies import dask_cluster

    def broken(orders: object, models: object, lanes: object, tell: object) -> None:
        raise RecursionError("no room")

    monkeypatch.setattr(dask_cluster, "run", broken)
    monkeypatch.setattr("distributed.get_worker", lambda: None)
    order: Any = {"token": str(tmp_path / "token"), "topic": "", "hash": "", "key": ""}
    (answer,) = dask_cluster.run_task([b""], [order], {"wanted": None, "left": 0.0})
    assert answer["status"] == "failed"
    assert answer["message"] == "RecursionError: no room"
    assert not answer["saved"]


MORTAL = """
import os
from luff.solver.tuning import run_backends as engines
living, done = engines.derived_share, []

def derived_share(*order):
    done.append(order)
    if len(done) > 3:
        os._exit(9)
    return living(*order)

engines.derived_share = derived_share
"""


def test_a_search_finds_the_same_bits_on_a_worker_that_dies(site: Site, tmp_path: Path) -> None:
    from luff.tests.solver.tuning.cases import TASK, write

    path = write(tmp_path, seed=11, task=TASK + "  starts: 2\n")
    mortal = site.worker(MORTAL)
    command = luff_command("fit", "task.yaml", "-o", "there.json", "--on", site.address, "-q")
    running = subprocess.Popen(command, cwd=tmp_path)
    assert mortal.wait(PATIENCE) == 9
    assert running.poll() is None
    site.worker()
    assert running.wait(PATIENCE) == 0
    assert json.loads((tmp_path / "there.json").read_text()) == luff.fit(path).as_dict()


def test_an_optimum_is_the_same_on_a_cluster(standing: Site, tmp_path: Path) -> None:
    from luff.tests.solver.tuning.test_optimise import HUNG, LIMIT, written

    task = LIMIT.replace("METHOD", "global").replace("population: 8", "population: 8\n  generations: 4")
    path = written(tmp_path, task, HUNG, "hung")
    seen: list[int] = []
    there = luff.optimise(path, on=standing.address, progress=lambda runs, _: seen.append(runs))
    assert there.as_dict() == luff.optimise(path).as_dict()
    assert seen[-1] >= 32


def test_what_goes_wrong_on_a_worker_of_a_search_is_told() -> None:
    from luff.solver.tuning import run_backends

    answer = run_backends.run_share(b"no simulation", {}, [], None)
    assert isinstance(answer, list)
    assert "UnpicklingError" in answer[0].message


def test_a_search_on_a_cluster_is_ended_and_goes_on_here(standing: Site, tmp_path: Path) -> None:
    from luff.tests.solver.tuning.cases import TASK, write

    path = write(tmp_path, seed=9, task=TASK + "  starts: 4\n")
    cut = tmp_path / "cut.json"
    ended = luff.fit(path, cut, on=standing.address, progress=lambda runs, _: runs < 30)
    assert ended.status == "interrupted"
    rest, whole = luff.fit(path, cut), luff.fit(path)
    assert rest.runs < whole.runs
    for name, value in whole.values.items():
        assert rest.values[name] == pytest.approx(value, rel=1e-5)


def answers(address: str, security: Any, ran: Path) -> bool:
    """Whether a client of Dask is heard there: then its function has run."""
    import dask.config
    import distributed

    with dask.config.set({"distributed.comm.retry.count": 0, "distributed.comm.timeouts.connect": "3s"}):
        try:
            with distributed.Client(address, timeout=3, security=security, set_as_default=False) as client:
                client.submit(ran.touch, pure=False).result(timeout=3)
        except (OSError, TypeError, ValueError, distributed.TimeoutError):
            pass
    return ran.exists()


def test_nobody_else_is_heard_by_workers_of_this_machine(tmp_path: Path) -> None:
    """Another user of the machine reaches the ports; what he sends, pickles that run when they are read, is refused:
    without a certificate, and with one of his own. Every port that the processes of a study listen at is tried."""
    import distributed
    import psutil

    from luff.solver.studies.dask_connection import Connection

    here = psutil.Process()
    others = (here, *here.children(recursive=True))  # schedulers of other tests
    before = {
        one.laddr for each in others for one in each.net_connections() if one.status == psutil.CONN_LISTEN
    }
    line = Connection("local", 1)
    try:
        assert line.client.submit(abs, -3).result() == 3
        workers = line.client.scheduler_info()["workers"]
        told = [line.client.scheduler.address, *workers, *(each["nanny"] for each in workers.values())]
        assert len(told) == 3, "scheduler, worker and nanny"
        for k, address in enumerate(told):
            assert address.startswith("tls://")
            plain = address.replace("tls://", "tcp://")
            assert not answers(plain, None, tmp_path / f"plain{k}")
            assert not answers(address, distributed.Security.temporary(), tmp_path / f"other{k}")
        ends = [one for each in (here, *here.children(recursive=True)) for one in each.net_connections()]
        for port in {
            one.laddr.port for one in ends if one.status == psutil.CONN_LISTEN and one.laddr not in before
        }:
            for page in PAGES:
                assert not shows(port, page), "no page for other users"
    finally:
        line.close()


PAGES = ("/", "/status", "/info/main/workers.html", "/json/counts.json", "/metrics", "/health")


def shows(port: int, page: str) -> bool:
    """Whether a web server gives this page."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:  # who waits for more gives no page
        line.sendall(f"GET {page} HTTP/1.0\r\n\r\n".encode())
        try:
            return re.match(rb"HTTP/1.\d [23]", line.recv(12)) is not None
        except OSError:
            return False
