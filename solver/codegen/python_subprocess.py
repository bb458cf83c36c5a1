"""Python processes beside this one: they import what this one imports, and nothing else of the current folder.

Python puts the current folder first where it is told `-c` or `-m`; a file `json.py` there would run. Here it gets `-P`,
the path of this process, and the place of this luff.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from .cache_folder import cache_dir

NEW_PROCESS_GROUP = 0x200  # of Windows: subprocess.CREATE_NEW_PROCESS_GROUP, which only is there
HOME = Path(__file__).resolve().parents[2]
START = """\
import sys
sys.path[:] = {path!r}
from importlib import import_module, util
spec = util.spec_from_file_location("luff", {init!r}, submodule_search_locations=[{home!r}])
luff = sys.modules["luff"] = util.module_from_spec(spec)
spec.loader.exec_module(luff)
import_module(sys.argv.pop(1)).main()
"""


def python_words(module: str, *words: str, flags: tuple[str, ...] = ()) -> list[str]:
    """The command that calls `main` of a module of luff in a new interpreter; `words` are what sys.argv ends with."""
    # an empty entry is the current folder: of an interpreter that was started without a script
    path = [os.path.abspath(folder) for folder in sys.path if folder]
    text = START.format(path=path, init=str(HOME / "__init__.py"), home=str(HOME))
    return _words(*flags, "-c", text, module, *words)


def plain_python_words(text: str, *words: str) -> list[str]:
    """The command that runs a text which needs only what Python has built in."""
    return _words("-I", "-S", "-c", text, *words)


def _words(*words: str) -> list[str]:
    return [sys.executable, "-P", *words]


def single_threaded_environment() -> dict[str, str]:
    """The surroundings of one of several processes that compute side by side: threads of the linear algebra would only
    be in each other's way, and the cache is the one that this process has checked already, with its warning."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "LUFF_CACHE_DIR": str(cache_dir())}


def own_session_options() -> dict[str, Any]:
    """For `subprocess.Popen`: Ctrl-C in the terminal is for the one process that knows what to keep."""
    if sys.platform == "win32":
        return {"creationflags": NEW_PROCESS_GROUP}
    return {"start_new_session": True}
