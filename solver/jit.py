"""The one place that sets numba's flags, and the types that cross a function pointer.

Generated code calls kernels, and integrators call generated code, through first-class functions: each is compiled
once, cached on its own, and never inlined again into the next diagram. With `NUMBA_DISABLE_JIT=1` the same calls are
plain Python.

    jit       a helper of kernels            helper    a helper of one generated module
    compiled  a kernel, also for Python      entry     a generated function, called by kernels
    inlined   a helper that is no call
"""

from __future__ import annotations

import hashlib
import re
import shutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .cache_folder import cache_dir

GENERATIONS = 3  # versions of the kernels that stay in the cache folder


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


@cache
def _sources(file: Path) -> frozenset[Path]:
    """A module of the solver with all those that it takes functions from."""
    found, todo = {file}, [file]
    while todo:
        here = todo.pop()
        for dots, name in re.findall(
            r"^from (\.+)([\w.]*) import", here.read_text(encoding="utf-8"), re.MULTILINE
        ):
            there = here.parents[len(dots) - 1].joinpath(*name.split(".")).with_suffix(".py")
            if there.is_file() and SOLVER in there.parents and there not in found:
                found.add(there)
                todo.append(there)
    return frozenset(found)


def prune(folder: Path, current: str, keep: int = GENERATIONS) -> None:
    """Forget the compiled code of all but the newest versions of luff; `current` is the newest."""
    folders = [found for found in folder.glob("*") if re.fullmatch("[0-9a-f]{16}", found.name)]
    others = sorted((found for found in folders if found.name != current), key=_age)
    for old in others[keep - 1 :]:
        shutil.rmtree(old, ignore_errors=True)


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:  # another process was quicker
        return 0.0


CACHE_DIR = cache_dir()
SOLVER = Path(__file__).parent
# what every compiled function depends on: flags, arrays of the model, signatures
KERNEL_DIGEST = _digest(
    Path(__file__), SOLVER / "bundle.py", SOLVER / "layout.py", SOLVER / "kernels" / "table.py"
)
if not (CACHE_DIR / KERNEL_DIGEST).exists():
    prune(CACHE_DIR, KERNEL_DIGEST)

import numba  # noqa: E402
from numba import types  # noqa: E402
from numba.core import config, typeinfer  # noqa: E402
from numba.core.caching import FunctionCache  # noqa: E402
from numba.core.errors import NumbaExperimentalFeatureWarning  # noqa: E402
from numba.core.registry import CPUDispatcher  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402

_config: Any = config  # numba sets its entries when it is imported
_config.CACHE_DIR = str(CACHE_DIR / KERNEL_DIGEST)

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

ENABLED = not _config.DISABLE_JIT

# error_model="numpy": a division by zero gives inf, which the run loop reports; fastmath never: NaN must survive.
# _nrt=False: nothing may be allocated, and references to arrays, which the caller holds anyhow, are not counted (that
# took as long as the dynamics of ten rows)
FLAGS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,
}

_njit: Any = numba.njit  # its overloads do not know the flags
f1, f2, f3 = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]
i1, i2 = types.int64[::1], types.int64[:, ::1]

# generated code is compiled while someone waits: no wrapper that unpacks all arrays of a model from Python objects
BARE: dict[str, Any] = {**FLAGS, "cache": False, "no_cpython_wrapper": True}


class _Cache(FunctionCache):
    """numba's with two changes.

    Code is stale when its file, or a file that it takes functions from, has other contents (numba looks at the date of
    the function's own file alone). And nothing but the code itself is loaded (numba first loads the generators for all
    of numpy).
    """

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function)
        file = Path(function.__code__.co_filename)
        self._cache_file._source_stamp = _digest(*sorted(_sources(file))) if SOLVER in file.parents else ""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _Entry(CPUDispatcher):
    """A compiled function without a door for Python: calls from there go through a kernel that has one."""

    def __call__(self, *arguments: Any) -> Any:
        from .kernels.calls import caller

        return caller(self.nopython_signatures[0])(self, *arguments)


def jit(function: Callable[..., Any]) -> Any:
    """Compile a helper that other kernels call (inlined by LLVM where it pays)."""
    return _helper(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a helper that becomes part of all that call it, as the innermost parts of an evaluation do."""
    return _helper(function, forceinline=True)


def compiled(signature: Any, inline: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile an entry point for one signature, so that it can be passed as a function.

    With `inline` it becomes part of every kernel that calls it by name.
    """
    flags = {**FLAGS, "cache": False, "forceinline": inline}
    return lambda function: _compiled(_njit(**flags)(function), function, signature)


def helper(function: Callable[..., Any]) -> Any:
    """Compile a helper of generated code; the functions that use it are cached with it inside."""
    return _njit(**{**BARE, "no_cfunc_wrapper": True})(function)


def entry(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a generated function that kernels call through a pointer."""

    def decorate(function: Callable[..., Any]) -> Any:
        found = _compiled(_njit(**BARE)(function), function, signature)
        if ENABLED:
            found.__class__ = _Entry
        return found

    return decorate


def _helper(function: Callable[..., Any], **flags: Any) -> Any:
    found = _njit(**{**FLAGS, "cache": False, **flags})(function)
    if ENABLED:
        found._cache = _Cache(function)
    return found


def _compiled(found: Any, function: Callable[..., Any], signature: Any) -> Any:
    """Load from the cache, or compile and save."""
    if not ENABLED:
        return function
    found._cache = _Cache(function)
    with typeinfer.register_dispatcher(found):
        found.compile(signature)
    found.disable_compile()
    return found
