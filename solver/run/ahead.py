"""Compile for a wheel: `python -m luff.solver.run.ahead FOLDER [NETLISTS]`, which `make wheel` calls.

NETLISTS is a folder of further models, the examples of every block. Without a folder it prints the wheel's platform.

The code is for the least processor of this machine's family. FOLDER/code is what the package carries as
solver/machine/compiled; FOLDER/cache is kept, so that a second time compiles only what has changed.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from ..machine import shipped, store
from ..machine.jit import Unit


def prepare(cache: Path) -> None:
    """From here on this process, and those that it starts, compile for the least processor, and keep that here."""
    os.environ["LUFF_CACHE_DIR"] = str(cache)
    os.environ["NUMBA_CPU_NAME"] = shipped.baseline().processor
    os.environ["NUMBA_CPU_FEATURES"] = ""


def gather(units: Iterable[Unit], target: Path) -> int:
    """Copy what was compiled of these to where the package will look for it; returns how many bytes of code."""
    shutil.rmtree(target, ignore_errors=True)
    target = target / shipped.key()
    target.mkdir(parents=True)
    size = 0
    for unit in {unit.symbol: unit for unit in units}.values():
        needed, code = store.read(unit) or ([], b"")
        if not code:
            raise OSError(f"{unit.symbol} was not compiled")
        store.write(unit, needed, code, target)
        size += len(code)
    return size


def main(folder: Path, models: Iterable[Path] = ()) -> None:
    from .warmup import compiled_ahead, mark_warm

    prepare(folder / "cache")
    units = compiled_ahead(models=models)
    size = gather(units, folder / "code")
    mark_warm(folder / "code" / shipped.key())
    print(
        f"{len(units)} functions for {shipped.baseline().processor}, {size / 1e6:.1f} MB, in {folder / 'code'}"
    )


def platform_tag() -> str:
    """The code calls the oldest functions of libm alone, so that any Linux that numba runs on has them."""
    if sys.platform == "linux":
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]), [path for name in sys.argv[2:] for path in sorted(Path(name).glob("*.yaml"))])
    else:
        print(platform_tag())
