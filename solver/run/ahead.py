"""Compile for wheels: `python -m luff.solver.run.ahead FOLDER [NETLISTS] [--wheel NAME ...]`, for `make wheels`.

NETLISTS is a folder of further models, the examples of every block. `--tag NAME` prints the platform of a wheel.

FOLDER/NAME is what the package carries as solver/machine/compiled in the wheel of that name: code for the least
processor of a family, and the bitcode of which FMUs, pages and libraries are made. Code for this machine is numba's
own; for others LLVM makes it of that bitcode. FOLDER/cache is kept: a second time compiles only what has changed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..machine import portable, shipped, store
from ..machine.jit import ENTRY_POINTS, EntryPoint
from ..machine.portable import Machine

Code = dict[str, tuple[list[str], bytes]]  # by symbol: names that it needs, and what it is


@dataclass(frozen=True)
class Wheel:
    """What `sys.platform` and `platform.machine()` are there, the wheel's platform, and LLVM's triple."""

    system: str
    machine: str
    tag: str
    triple: str

    @property
    def target(self) -> Machine:
        return Machine(self.triple, shipped.baseline(self.machine).processor, loaded=True)

    @property
    def is_this_machine(self) -> bool:
        return (self.system, self.machine) == (sys.platform, platform.machine())


# on Linux the code calls the oldest functions of libm alone, so that any that numba runs on has them; on Windows LLVM's
# loader takes ELF alone (llvmlite's `create_target_machine`), and what luff compiles there is that too
WHEELS = {
    "linux-x86_64": Wheel("linux", "x86_64", "manylinux_2_17_x86_64", "x86_64-unknown-linux-gnu"),
    "linux-aarch64": Wheel("linux", "aarch64", "manylinux_2_17_aarch64", "aarch64-unknown-linux-gnu"),
    "windows-x86_64": Wheel("win32", "AMD64", "win_amd64", "x86_64-pc-windows-msvc-elf"),
    "macos-arm64": Wheel("darwin", "arm64", "macosx_11_0_arm64", "arm64-apple-macosx11.0.0"),
    "macos-x86_64": Wheel("darwin", "x86_64", "macosx_11_0_x86_64", "x86_64-apple-macosx11.0.0"),
}


def this_wheel() -> str:
    return next((name for name, wheel in WHEELS.items() if wheel.is_this_machine), "")


def prepare(cache: Path) -> None:
    """From here on this process, and those that it starts, compile for the least processor, and keep that here."""
    os.environ["LUFF_CACHE_DIR"] = str(cache)
    os.environ["NUMBA_CPU_NAME"] = shipped.baseline().processor
    os.environ["NUMBA_CPU_FEATURES"] = ""


def compiled(entries: Iterable[EntryPoint]) -> Code:
    """What was compiled of these for this machine."""
    made = {entry.symbol: store.read_object(entry) or ([], b"") for entry in entries}
    missing = [symbol for symbol, (_, code) in made.items() if not code]
    if missing:
        raise OSError(f"{missing[0]} was not compiled")
    return made


def gather(made: Code, entries: Iterable[EntryPoint], target: Path) -> int:
    """Write code to where the package will look for it; returns how many bytes."""
    known = {entry.symbol: entry for entry in (*ENTRY_POINTS, *entries)}
    target.mkdir(parents=True)
    for symbol, (needed, code) in sorted(made.items()):
        store.write_object(known[symbol], needed, code, target)
    return sum(len(code) for _, code in made.values())


def fill(folder: Path, name: str, entries: list[EntryPoint], bitcode: Code) -> int:
    """All that a wheel carries."""
    from .warmup import mark_warm

    wheel = WHEELS[name]
    shutil.rmtree(folder / name, ignore_errors=True)
    own = folder / name / shipped.key(wheel.system, wheel.machine)
    made = compiled(entries) if wheel.is_this_machine else _translated(bitcode, wheel.target)
    size = gather(made, entries, own)
    mark_warm(own)
    return size + gather(bitcode, entries, folder / name / shipped.bitcode_key())


def _translated(bitcode: Mapping[str, tuple[list[str], bytes]], target: Machine) -> Code:
    objects = portable.loadable(dict(bitcode), target)
    return {symbol: (bitcode[symbol][0], code) for symbol, code in objects.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("netlists", type=Path, nargs="*")
    parser.add_argument("--wheel", action="append", choices=WHEELS, help="this machine's, if left out")
    parser.add_argument("--tag", choices=[*WHEELS, "here"])
    parser.add_argument("--name", action="store_true", help="of the wheel, instead of its platform")
    asked = parser.parse_args()
    if asked.tag:
        name = this_wheel() if asked.tag == "here" else asked.tag
        print(name if asked.name else WHEELS[name].tag)
        return
    from .warmup import compiled_ahead

    prepare(asked.folder / "cache")
    models = [path for folder in asked.netlists for path in sorted(folder.glob("*.yaml"))]
    entries = compiled_ahead(models=models)
    bitcode = portable.bitcode(entries)
    for name in asked.wheel or [this_wheel()]:
        size = fill(asked.folder, name, entries, bitcode)
        print(f"{len(bitcode)} functions for {name}, {size / 1e6:.1f} MB, in {asked.folder / name}")


if __name__ == "__main__":
    main()
