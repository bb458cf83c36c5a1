"""Processors that do not sleep while a run keeps to the clock: one that sleeps may take milliseconds to wake."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

from ..codegen.python_subprocess import plain_python_words

DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")  # of Linux: what puts processors to sleep
LATENCY = Path(
    "/dev/cpu_dma_latency"
)  # holds them from it while it is open, and says by how many microseconds
MOST = 2  # processors that are kept busy
# for a processor that nothing else wants, until its parent ends
SPIN = """\
import os, sys
parent, processor = map(int, sys.argv[1:])
os.sched_setaffinity(0, {processor})
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while os.getppid() == parent:
    for _ in range(1000000):
        pass
"""


class NoCpuSleep:
    """Context that keeps processors awake.

    On Linux the kernel is asked for a latency of zero. In a virtual machine the host puts idle processors to sleep:
    there the entering thread stays on few, and a process keeps each of them busy at a scheduling class below all
    others.
    """

    def __enter__(self) -> NoCpuSleep:
        self._held = contextlib.ExitStack()
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                if DRIVER.read_text().strip() != "none":
                    self._held.enter_context(LATENCY.open("r+b", buffering=0)).write(bytes(4))
                else:
                    self._stay(threading.get_native_id())
        return self

    def _stay(self, thread: int) -> None:
        usual = os.sched_getaffinity(thread)
        kept = sorted(usual)[:MOST]
        for processor in kept:
            self._held.callback(stop_busy, keep_busy(processor))
        self._held.callback(os.sched_setaffinity, thread, usual)
        os.sched_setaffinity(thread, kept)

    def __exit__(self, *_: object) -> None:
        self._held.close()


def keep_busy(processor: int) -> subprocess.Popen[bytes]:
    words = plain_python_words(SPIN, str(os.getpid()), str(processor))
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)  # not for Ctrl-C


def stop_busy(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
