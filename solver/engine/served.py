"""The process that computes runs for a window, one after the other, until its input ends.

Orders come by its standard input and answers go by its standard output. What blocks print goes to the standard error.
"""

from __future__ import annotations

import os
import sys
import threading

from ..machine import objects
from .channel import Channel
from .live import LiveRun
from .words import Order


def main() -> None:
    says = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    channel = Channel(sys.stdin.fileno(), says)
    objects.listener = lambda *told: channel.say("compiling", told)
    warm()
    while True:
        word = channel.next(None)
        if word is not None and isinstance(word[1], Order):
            # of its own for each run: what a thread is given of processors it keeps
            steps = threading.Thread(target=LiveRun(word[1], channel).work, name="luff engine")
            steps.start()
            steps.join()
            channel.say("over")


def warm() -> None:
    """What a run imports, before there is one."""
    from ..run import session, simulation  # noqa: F401


if __name__ == "__main__":
    main()
