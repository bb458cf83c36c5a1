"""Server process that computes runs for a window, one after the other, until its input ends.

Orders come by its standard input and answers go by its standard output. What blocks print goes to the standard error.
"""

from __future__ import annotations

import os
import sys
import threading

from ..codegen import object_loader
from .messages import RunOrder
from .pickle_channel import PickleChannel
from .served_run import ServedRun


def main() -> None:
    says = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    channel = PickleChannel(sys.stdin.fileno(), says)
    object_loader.listener = lambda *told: channel.say("compiling", told)
    import_run_modules()
    while True:
        word = channel.next(None)
        if word is not None and isinstance(word[1], RunOrder):
            # of its own for each run: what a thread is given of processors it keeps
            steps = threading.Thread(target=ServedRun(word[1], channel).work, name="luff engine")
            steps.start()
            steps.join()
            channel.say("over")


def import_run_modules() -> None:
    """Import the modules that a run needs, before there is one."""
    from ..simulation import session, simulation  # noqa: F401


if __name__ == "__main__":
    main()
