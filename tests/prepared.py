"""luff's command line with all its modules, which forks a process for each command that it is told on stdin.

Most of a short command's time is the import of these modules. tests/test_doors.py starts each command from nothing.
"""

from __future__ import annotations

import json
import os
import sys

import h5py
import matplotlib.backends.backend_agg
import matplotlib.figure
import scipy.linalg

from luff import __main__ as program
from luff.cli import app
from luff.solver.flat import opening
from luff.solver.run import simulation

IMPORTED = (app, opening, simulation, h5py, matplotlib.figure, scipy.linalg)


def serve() -> list[str] | None:
    """The arguments of a command, in the process that is to run it; None once there are no more."""
    for line in sys.stdin:
        words, folder, said, environment = json.loads(line)
        child = os.fork()
        if not child:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            for number, path in enumerate((os.devnull, *said)):
                kind = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
                opened = os.open(path, kind, 0o600)
                os.dup2(opened, number)
                os.close(opened)
            return words
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


if __name__ == "__main__":
    asked = serve()
    if asked is not None:
        sys.argv[1:] = asked
        program.main()
