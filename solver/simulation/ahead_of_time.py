"""Ahead-of-time compilation for wheels: `python -m luff.solver.simulation.ahead_of_time FOLDER [NETLISTS] [--wheel NAME
...]`, for `make wheels`.

NETLISTS is a folder of further models, the examples of every block. `--tag NAME` prints the platform of a wheel.
FOLDER/NAME is what the package carries as solver/codegen/compiled in the wheel of that name: code for the baseline
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

from ..codegen import cross_compile, object_archive, object_loader, object_store, prebuilt_objects
from ..codegen.compile_pool import make
from ..codegen.cross_compile import Machine
from ..codegen.jit import Elementary, EntryPoint
from ..codegen.target_cpu import lanes
from ..codegen.transforms.entry_point_variants import InLanes, dual, in_lanes

Code = dict[str, tuple[list[str], bytes]]  # by symbol: needed symbols and code


@dataclass(frozen=True)
class Wheel:
    """Target of a wheel: `sys.platform`, `platform.machine()`, platform tag, LLVM triple."""

    system: str
    machine: str
    tag: str
    triple: str

    @property
    def target(self) -> Machine:
        """Cross-compilation target of the wheel."""
        return Machine(self.triple, prebuilt_objects.baseline(self.machine).processor, loaded=True)

    @property
    def is_this_machine(self) -> bool:
        """True if the wheel is for this machine."""
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
    """Name of this machine's wheel, or empty."""
    return next((name for name, wheel in WHEELS.items() if wheel.is_this_machine), "")


def target_baseline(cache: Path) -> None:
    """Make this process and its children compile for the baseline processor, with `cache` as cache folder."""
    os.environ["LUFF_CACHE_DIR"] = str(cache)
    os.environ["NUMBA_CPU_NAME"] = prebuilt_objects.baseline().processor
    os.environ["NUMBA_CPU_FEATURES"] = ""


def lane_and_dual_variants(entries: Iterable[EntryPoint]) -> list[EntryPoint]:
    """SIMD and dual variants of entry points."""
    plain = [entry for entry in entries if not isinstance(entry, Elementary)]
    width = lanes()  # of the target processor
    return [*(in_lanes(entry, width) for entry in plain), *map(dual, plain)]


def with_callees(entries: Iterable[EntryPoint]) -> list[EntryPoint]:
    """Entry points with all that they call at any depth; missing code is compiled."""
    found: dict[str, EntryPoint] = {}
    todo = {entry.symbol: entry for entry in entries}
    while todo:
        missing = [entry for entry in todo.values() if object_store.read_object(entry) is None]
        if missing:
            make(missing, object_loader.listener)
        found |= todo
        codes = compiled(todo.values())
        called = [each for symbol, entry in todo.items() for each in entry.called(codes[symbol][0])]
        todo = {each.symbol: each for each in called if each.symbol not in found}
    return list(found.values())


def compiled(entries: Iterable[EntryPoint]) -> Code:
    """Stored code of entry points for this machine."""
    made = {entry.symbol: object_store.read_object(entry) for entry in entries}
    there = {symbol: code for symbol, code in made.items() if code is not None}
    for symbol in made.keys() - there.keys():
        raise OSError(f"{symbol} was not compiled")
    return there


def write_archives(made: Code, entries: Iterable[EntryPoint], target: Path, apart: bool = True) -> None:
    """Write code as the package stores it: what a first run needs in files (`apart`), the rest in archives."""
    target.mkdir(parents=True)
    packed: dict[str, dict[str, bytes]] = {}
    for entry in entries:
        if apart and entry.pack == EntryPoint.pack:
            object_store.write_object(entry, *made[entry.symbol], target)
        else:
            packed.setdefault(entry.pack, {})[object_store.name_of(entry)] = object_store.packed(
                *made[entry.symbol], object_store.name_of(entry)
            )
    for pack, pieces in packed.items():
        object_archive.write_archive(target / pack, pieces)


def fill_wheel(folder: Path, name: str, entries: list[EntryPoint], bitcode: Code) -> int:
    """Write all code of a wheel; returns its size in bytes."""
    from .warmup import mark_warm

    wheel = WHEELS[name]
    shutil.rmtree(folder / name, ignore_errors=True)
    own = folder / name / prebuilt_objects.key(wheel.system, wheel.machine)
    made = compiled(entries) if wheel.is_this_machine else _translated(bitcode, wheel.target)
    write_archives(made, entries, own)
    mark_warm(own)
    write_archives(bitcode, _exported(entries), folder / name / prebuilt_objects.bitcode_key(), apart=False)
    return sum(path.stat().st_size for path in (folder / name).glob("*/*"))


def _exported(entries: Iterable[EntryPoint]) -> list[EntryPoint]:
    """Entry points of which FMUs, pages and libraries are made."""
    return [entry for entry in entries if not isinstance(entry, InLanes)]


def _translated(bitcode: Mapping[str, tuple[list[str], bytes]], target: Machine) -> Code:
    """Object code of bitcode for a target."""
    made = cross_compile.native_objects({symbol: each for symbol, each in bitcode.items() if each[1]}, target)
    return {symbol: (needed, made.get(symbol, b"")) for symbol, (needed, _) in bitcode.items()}


def main() -> None:
    """Command line of the module."""
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

    target_baseline(asked.folder / "cache")
    models = [path for folder in asked.netlists for path in sorted(folder.glob("*.yaml"))]
    plain = compiled_ahead(models=models)
    entries = with_callees([*plain, *lane_and_dual_variants(plain)])
    names = asked.wheel or [this_wheel()]
    translated = any(not WHEELS[name].is_this_machine for name in names)
    bitcode = cross_compile.bitcode(entries if translated else _exported(entries), whole=False)
    for name in names:
        size = fill_wheel(asked.folder, name, entries, bitcode)
        print(f"{len(entries)} functions for {name}, {size / 1e6:.1f} MB, in {asked.folder / name}")


if __name__ == "__main__":
    main()
