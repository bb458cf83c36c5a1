"""Python subprocesses with the import path of this process, and nothing of the current folder.

With `-c` or `-m` Python puts the current folder first; a file `json.py` there would run. Here it gets `-P`, the path of
this process, and the place of this luff.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from .cache_folder import cache_dir

NEW_PROCESS_GROUP = 0x200  # subprocess.CREATE_NEW_PROCESS_GROUP, which exists on Windows only
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
    """Command line that calls `main` of a module of luff in a new interpreter; `words` end its sys.argv."""
    # an empty entry is the current folder, in an interpreter started without a script
    path = [os.path.abspath(folder) for folder in sys.path if folder]
    text = START.format(path=path, init=str(HOME / "__init__.py"), home=str(HOME))
    return _words(*flags, "-c", text, module, *words)


def script_words(script: str, *words: str) -> list[str]:
    """Command line that runs a script that imports nothing of luff."""
    return _words(script, *words)


def _words(*words: str) -> list[str]:
    """Command line of this interpreter with `-P`."""
    return [sys.executable, "-P", *words]


def single_threaded_environment() -> dict[str, str]:
    """Environment of one of several computing subprocesses: linear algebra on one thread, and the cache folder that
    this process has checked.
    """
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "LUFF_CACHE_DIR": str(cache_dir())}


def own_session_options() -> dict[str, Any]:
    """Options of `subprocess.Popen` by which Ctrl-C in the terminal reaches only the parent, which knows what to
    save.
    """
    if sys.platform == "win32":
        return {"creationflags": NEW_PROCESS_GROUP}
    return {"start_new_session": True}
