"""A run at full speed with live plots: longest stall of the event loop, slow-down of the solver, growth of memory.

    python -m luff.bench.gui_live [MODEL] [--duration 600] [--signals 20] [--json] [--write]

The solver's pace beside the window is compared with its pace alone, in the same process and minute; both stream their
rows to a file. A stall is the time by which a 5 ms timer of the window comes late.

Where other work shares the machine these two say little. The kernel's own account of the threads does: steps a second
of the solver's processor time, how long its thread was held back by the window, that is neither ran nor waited for a
processor, the longest stall less the time for which the window itself waited for a processor, and the most processor
time that the window took between two ticks, which is all that it could do about its own stalls.

The recording is thinned when it is full, as for one who leaves a run alone; its copying counts as slow-down.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, QTimer

from luff.bench.gui_results import run
from luff.blocks.text.raw import Raw
from luff.gui.app import application
from luff.gui.document.document import Document
from luff.gui.run.orders import Snapshot
from luff.gui.window.window import Window
from luff.solver.flat.opening import Diagram
from luff.solver.run.recorder import Recorder
from luff.solver.run.simulation import compile as compile_diagram

MODEL = Path(__file__).resolve().parents[1] / "library" / "crane_demo.yaml"
NEVER = 1e7  # s


def resident() -> float:
    """MB now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def account(thread: int) -> tuple[float, float]:
    """Seconds that a thread has run, and has waited for a processor."""
    ran, waited, _ = Path(f"/proc/self/task/{thread}/schedstat").read_text().split()
    return int(ran) / 1e9, int(waited) / 1e9


def busiest(process: int) -> tuple[float, float]:
    """The same of the thread of a process that has run most: the one that takes steps."""
    files = Path(f"/proc/{process}/task").glob("*/schedstat")
    ran, waited, _ = max((file.read_text().split() for file in files), key=lambda words: int(words[0]))
    return int(ran) / 1e9, int(waited) / 1e9


def alone(diagram: Diagram, seconds: float, folder: str) -> tuple[float, float]:
    """Steps a second without a window, and steps a second of processor time."""
    sim = compile_diagram(Snapshot.of(diagram).diagram())
    session = sim.start(stop=NEVER)
    session.advance(0.2)
    with Recorder(sim, session, Path(folder) / "alone.h5") as recorder:
        began, done, ran = time.perf_counter(), session.done, time.thread_time()
        while time.perf_counter() - began < seconds:
            session.advance(0.1)
            recorder.write(*session.take())
        steps = session.done - done
        return steps / (time.perf_counter() - began), steps / (time.thread_time() - ran)


class Watch:
    """Notes how late a timer of the event loop comes, and how much of that the thread waited for a processor."""

    def __init__(self, period: int = 5):
        self.period = period
        self.late: list[float] = []
        self.own: list[float] = []
        self.work: list[float] = []  # ms of processor time
        self.timer = QTimer(interval=period)
        self.timer.timeout.connect(self._tick)
        self.thread = threading.get_native_id()
        self.last, self.waited, self.ran = time.perf_counter(), account(self.thread)[1], time.thread_time()
        self.timer.start()

    def _tick(self) -> None:
        now, waited, ran = time.perf_counter(), account(self.thread)[1], time.thread_time()
        late = 1000 * (now - self.last) - self.period
        self.late.append(late)
        self.own.append(late - 1000 * (waited - self.waited))
        self.work.append(1000 * (ran - self.ran))
        self.last, self.waited, self.ran = now, waited, ran


def pass_time(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


def measure(model: Path, duration: float, count: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)
        app = application()
        diagram = Diagram.load(model)
        diagram.set_section("simulation", {**diagram.simulation, "stop": NEVER})
        sim = compile_diagram(Snapshot.of(diagram).diagram())
        names = sim.signal_names[:count]
        quarter = -(-len(names) // 4)
        plots: list[Raw] = [
            {"title": f"Plot {k + 1}", "y": [*names[k * quarter : (k + 1) * quarter]]} for k in range(4)
        ]
        diagram.set_section("plots", plots)
        before, before_cpu = alone(diagram, min(10.0, duration), folder)
        window = Window(Document(diagram))
        window.resize(1440, 900)
        window.show()
        app.processEvents()
        window.runner.rule.thins = True  # as one who leaves the run alone
        window.running.on_run()
        while window.runner.state != "running":
            pass_time(0.05)
        pass_time(2.0)
        under_way = window.runner.run
        assert under_way is not None
        assert under_way.course is not None
        assert under_way.engine is not None
        watch, done, began, memory = Watch(), under_way.course.done, time.perf_counter(), []
        worker = under_way.engine.pid
        ran, waited = busiest(worker)
        for _ in range(10):
            pass_time(duration / 10)
            memory.append(resident())
        steps, passed = under_way.course.done - done, time.perf_counter() - began
        ran, waited = (now - then for now, then in zip(busiest(worker), (ran, waited), strict=True))
        beside = steps / passed
        watch.timer.stop()
        history = window.runner.history
        rows = history.rows if history else 0
        recorded = window.runner.result_path.stat().st_size if window.runner.result_path else 0
        window.runner.forget()
        after, after_cpu = alone(diagram, min(10.0, duration), folder)
        window.document.undo.setClean()
        window.close()
    late = sorted(watch.late)
    quiet = (before + after) / 2
    return {
        "signals": len(names),
        "seconds": round(duration, 1),
        "longest_stall_ms": round(late[-1], 1),
        "longest_stall_less_waiting_ms": round(max(watch.own), 1),
        "longest_work_between_ticks_ms": round(max(watch.work), 1),
        "stalls_over_50_ms": sum(value > 50 for value in late),
        "stall_99_percent_ms": round(late[int(0.99 * len(late))], 1),
        "steps_per_second_alone": round(quiet),
        "steps_per_second_beside_window": round(beside),
        "slow_down_percent": round(100 * (1 - beside / quiet), 1),
        "slow_down_percent_by_processor_time": round(
            100 * (1 - 2 * steps / ran / (before_cpu + after_cpu)), 1
        ),
        "held_back_percent": round(100 * (1 - (ran + waited) / passed), 1),
        "rows": rows,
        "recording_MB": round(recorded / 1e6),
        "memory_growth_MB": round(memory[-1] - memory[1], 1),
        "memory_MB": [round(value) for value in memory],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, default=MODEL)
    parser.add_argument("--duration", type=float, default=30.0)
    parser.add_argument("--signals", type=int, default=20)
    run(
        parser,
        "A live run beside the window",
        "python -m luff.bench.gui_live --duration N",
        lambda options: measure(options.model, options.duration, options.signals),
    )


if __name__ == "__main__":
    main()
