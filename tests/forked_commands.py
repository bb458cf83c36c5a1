"""luff's command line with all its modules, which forks a process for each command that it is told on stdin.

Most of a short command's time is the import of these modules, and most of a longer one's the start of processes that
compile: those of one command serve the next. tests/test_entry_points.py starts each command from nothing.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import threading

import h5py
import matplotlib.backends.backend_agg
import matplotlib.figure
import scipy.linalg
import typer.rich_utils
from llvmlite import binding

from luff import __main__ as program
from luff.blocks import registered
from luff.cli import app
from luff.solver.codegen import cache_folder, compile_pool, cross_compile
from luff.solver.codegen.jit import ENABLED
from luff.solver.codegen.target_cpu import processors
from luff.solver.flatten import diagram
from luff.solver.simulation import simulation

FOLDER = "LUFF_CACHE_DIR"
WAYS = compile_pool.HERE, cross_compile.WAY
KEPT = min(2, processors())  # of each way
IMPORTED = (app, diagram, simulation, h5py, matplotlib.figure, scipy.linalg, typer.rich_utils, binding)


def keep_makers() -> None:
    """Processes that compile; one that met a fault was ended with the command that had asked."""
    for maker in [maker for maker in compile_pool._all if maker.process.poll() is not None]:
        compile_pool._all.remove(maker)
        maker._target.workers.remove(maker)
    for way in WAYS:
        while ENABLED and len(way.workers) < KEPT:
            way.workers.append(compile_pool.WorkerProcess(way))
            compile_pool._all.append(way.workers[-1])


def take_makers(environment: dict[str, str]) -> None:
    """In the process of a command: they outlive it, and are for one folder."""
    kept = list(compile_pool._all)
    # the last that is registered is done first, and all other makers end with the command
    atexit.register(lambda: [compile_pool._all.remove(maker) for maker in kept if maker in compile_pool._all])
    if environment.get(FOLDER) != os.environ.get(FOLDER):
        cache_folder.cache_dir.cache_clear()
        for way in WAYS:
            way.workers.clear()


def serve() -> list[str] | None:
    """The arguments of a command, in the process that is to run it; None once there are no more."""
    for line in sys.stdin:
        words, folder, said, environment = json.loads(line)
        keep_makers()
        child = os.fork()
        if not child:
            take_makers(environment)
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


def run(words: list[str]) -> int:
    """The command, to its exit code, with all that an interpreter does at its end but for taking its modules apart,
    which here takes longer than most commands."""
    sys.argv[1:] = words
    code: object = 0
    try:
        program.main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    registered()
    gc.freeze()  # what all commands share is neither looked through nor copied in one of them
    asked = serve()
    if asked is not None:
        os._exit(run(asked))
