"""Cross compilation: entry points as bitcode for any processor, turned into objects of a target by LLVM alone.

Numba's LLVM text names no processor before optimisation. Here it is optimised for a generic processor of the family,
so that nothing is assumed that a target may lack. A model that has run is exported without numba.
"""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import object_loader as here
from . import object_store, prebuilt_objects
from .cache_folder import cache_dir, trusted
from .compile_pool import BuildTarget, make
from .jit import EntryPoint, NoCode
from .python_subprocess import HOME as PACKAGE
from .python_subprocess import own_session_options, python_words
from .wasm32 import with_word_arguments

MAKERS = (Path(__file__).parent / "transforms" / "variant_compile.py", Path(__file__).with_name("wasm32.py"))


@dataclass(frozen=True)
class Machine:
    """LLVM target: triple, baseline processor and features."""

    triple: str
    processor: str
    features: str = ""
    narrow: bool = False  # addresses of 32 bits
    movable: bool = True  # position-independent code
    loaded: bool = False  # loaded by llvmlite into a process, not linked


MACHINES = {
    "linux64": Machine("x86_64-unknown-linux-gnu", "x86-64"),
    "win64": Machine("x86_64-w64-windows-gnu", "x86-64"),
    "linux-aarch64": Machine("aarch64-unknown-linux-gnu", "generic"),
    "linux-armv7": Machine("armv7-unknown-linux-gnueabihf", "generic", "+v7,+vfp3d16,-neon", narrow=True),
    "linux-riscv64": Machine("riscv64-unknown-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c"),
    "macos-arm64": Machine("arm64-apple-macos11", "apple-m1"),
    "macos-x86_64": Machine("x86_64-apple-macos11", "x86-64"),
    "cortex-m7": Machine(
        "thumbv7em-unknown-none-eabihf", "cortex-m7", "+fp-armv8d16", narrow=True, movable=False
    ),
    "wasm32": Machine(
        "wasm32-unknown-wasi", "generic", "+bulk-memory,+nontrapping-fptoint", narrow=True, movable=False
    ),
}


@cache
def folder() -> Path:
    """Bitcode folder of this compiler version and these build sources."""
    parts = [*prebuilt_objects.compiler(), *(file.read_text("utf-8") for file in MAKERS), sys.version]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    place = trusted(cache_dir() / "bitcode" / digest)
    object_store.drop_old_folders(place)
    return place


WAY = BuildTarget("cross_compile", folder)


def bitcode(entries: Iterable[EntryPoint], whole: bool = True) -> dict[str, tuple[list[str], bytes]]:
    """(needed symbols, bitcode) of entry points and all that they call, by symbol.

    Raises NoCode, with the reason, where a variant has no code; if not `whole`, the reason replaces the symbols, and
    the code is empty.
    """
    codes: dict[str, tuple[list[str], bytes]] = {}
    todo = {entry.symbol: entry for entry in entries}
    while todo:
        read = {
            symbol: object_store.read_object(entry, folder(), prebuilt_objects.bitcode())
            for symbol, entry in todo.items()
        }
        missing = [entry for entry in todo.values() if read[entry.symbol] is None]
        if missing:
            make(missing, here.listener, WAY)
            read |= {entry.symbol: object_store.read_object(entry, folder()) for entry in missing}
        for symbol, code in read.items():
            if code is None:
                raise OSError(f"compiled code cannot be read back from {folder()}")
            if whole and not code[1]:
                raise NoCode(*code[0])
            codes[symbol] = code
        called = [each for symbol, entry in todo.items() for each in entry.called(codes[symbol][0])]
        todo = {each.symbol: each for each in called if each.symbol not in codes}
    return codes


def objects(codes: dict[str, tuple[list[str], bytes]], name: str) -> dict[str, bytes]:
    """Object code of `bitcode`'s result for the target `name`, by symbol; cached beside the bitcode by its content."""
    known = {
        symbol: object_store.BitcodeObject(symbol, hashlib.sha256(code).hexdigest()[:16])
        for symbol, (_, code) in codes.items()
    }
    form = hashlib.sha256(repr(MACHINES[name]).encode()).hexdigest()[:8]
    kept = trusted(folder() / f"{name}-{form}")
    read = {symbol: object_store.read_object(known[symbol], kept) for symbol in codes}
    missing = {symbol: codes[symbol] for symbol, code in read.items() if code is None}
    made = native_objects(missing, MACHINES[name]) if missing else {}
    for symbol, code in made.items():
        object_store.write_object(known[symbol], codes[symbol][0], code, kept)
    return {symbol: made[symbol] if code is None else code[1] for symbol, code in read.items()}


def prefixed_symbols(codes: dict[str, tuple[list[str], bytes]], name: str, before: str) -> dict[str, bytes]:
    """Object code with the prefix `before` on each entry point's symbol, by the unprefixed symbol."""
    return native_objects(codes, MACHINES[name], before)


def native_objects(
    codes: dict[str, tuple[list[str], bytes]], wanted: Machine, before: str = ""
) -> dict[str, bytes]:
    """Object code of bitcode for a machine, by symbol with the prefix `before`; for WebAssembly in a subprocess."""
    if not wanted.triple.startswith("wasm"):
        return emit(codes, wanted, before)
    # a target machine for WebAssembly changes the code that LLVM emits later in the same process
    done = subprocess.run(
        python_words("luff.solver.codegen.bitcode_emitter", flags=("-W", "ignore")),
        input=pickle.dumps((codes, wanted, before)), stdout=subprocess.PIPE, check=True,
        cwd=PACKAGE.anchor, **own_session_options(),
    )  # fmt: skip
    return pickle.loads(done.stdout)


def emit(codes: dict[str, tuple[list[str], bytes]], wanted: Machine, before: str) -> dict[str, bytes]:
    """Objects of bitcode for the target `wanted`, symbols prefixed by `before`."""
    from llvmlite import binding

    from .code_model import object_of, target_machine

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    if wanted.loaded:
        machine = target_machine(wanted.triple, wanted.processor, wanted.features)
    else:
        machine = binding.Target.from_triple(wanted.triple).create_target_machine(
            cpu=wanted.processor,
            features=wanted.features,
            opt=3,
            reloc="pic" if wanted.movable else "static",
            codemodel="default",
        )
    made = {}
    for symbol, (_, code) in codes.items():
        module = binding.parse_bitcode(code)
        if wanted.narrow:
            module = binding.parse_assembly(with_word_arguments(str(module)))
        module.triple, module.data_layout = wanted.triple, str(machine.target_data)
        # numba's common symbols are unused, and not every object format has them
        for variable in module.global_variables:
            if variable.linkage == binding.Linkage.common:
                variable.linkage = binding.Linkage.internal
        for function in module.functions if before else ():
            # no exceptions: neither unwind tables nor a personality function
            function.add_function_attribute("nounwind")
            if function.name in codes:
                function.name = before + function.name
        made[symbol] = object_of(module, machine) if wanted.loaded else machine.emit_object(module)
    return made


def external_symbols(codes: dict[str, tuple[list[str], bytes]]) -> set[str]:
    """Symbols that the code needs beside entry points: functions of the C library."""
    return {name for names, _ in codes.values() for name in names} - set(codes)


def main() -> None:
    """Entry of the subprocess that compiles bitcode."""
    from .compile_worker import main

    main(portable=True, where=folder())
