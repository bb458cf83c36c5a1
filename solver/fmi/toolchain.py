"""A shared library for each platform from C and object code, linked by zig (which brings a C library for all of them)
or, for this machine alone, by its own compiler."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...blocks.errors import LuffError, RunError
from ..codegen.cache_folder import cache_dir


@dataclass(frozen=True)
class Platform:
    """A name of `portable.MACHINES`: zig's target, suffix of a library, folders of an FMU by FMI version."""

    target: str
    suffix: str
    folder: dict[int, str]


PLATFORMS = {
    "linux64": Platform("x86_64-linux-gnu.2.17", ".so", {2: "linux64", 3: "x86_64-linux"}),
    "win64": Platform("x86_64-windows-gnu", ".dll", {2: "win64", 3: "x86_64-windows"}),
    "linux-aarch64": Platform("aarch64-linux-gnu.2.17", ".so", {2: "aarch64-linux", 3: "aarch64-linux"}),
    "macos-arm64": Platform("aarch64-macos.11.0", ".dylib", {2: "aarch64-darwin", 3: "aarch64-darwin"}),
    "macos-x86_64": Platform("x86_64-macos.11.0", ".dylib", {2: "darwin64", 3: "x86_64-darwin"}),
}
HERE = {
    ("Linux", "x86_64"): "linux64",
    ("Linux", "aarch64"): "linux-aarch64",
    ("Windows", "AMD64"): "win64",
    ("Darwin", "arm64"): "macos-arm64",
    ("Darwin", "x86_64"): "macos-x86_64",
}
# no contraction: sums and products are rounded as in luff's own runs
FLAGS = ["-O2", "-ffp-contract=off", "-fvisibility=hidden", "-s"]
WASM_FLAGS = ["-O2", "-ffp-contract=off"]
WASM_STACK = 1 << 18
_NO_TABLES = ("-fno-unwind-tables", "-fno-asynchronous-unwind-tables")
LIBRARY_FLAGS = ["-O2", "-ffp-contract=off", "-fno-stack-protector", "-ffreestanding", *_NO_TABLES]
EXPORTS = "{ global: fmi2*; fmi3*; local: *; };\n"  # two models in one process share nothing
UCRT = ("heap", "math", "private", "stdio", "string")  # parts of the C library of Windows
INSTALL = "pip install 'luff[fmi]'"


def this_machine() -> str:
    """The platform of this machine, or the first one."""
    return HERE.get((platform.system(), platform.machine()), "linux64")


def compiler(name: str) -> list[str]:
    """The command that compiles and links for a platform."""
    if importlib.util.find_spec("ziglang") is not None:
        return zig_cc(PLATFORMS[name].target)
    own = shutil.which("cc") or shutil.which("gcc")
    if own is None or name != this_machine() or name == "win64":
        mistake = "no C compiler was found" if own is None else f"{own} builds for this machine alone"
        raise LuffError(f"{mistake}, and {name} is asked for", path="export", fix=INSTALL)
    return [own, "-fPIC"]


def zig(*words: str) -> list[str]:
    """A command of the compiler for all targets."""
    if importlib.util.find_spec("ziglang") is None:
        mistake = "no compiler for other processors than this machine's was found"
        raise LuffError(mistake, path="export", fix=INSTALL)
    return [sys.executable, "-P", "-m", "ziglang", *words]


def zig_cc(target: str) -> list[str]:
    return zig("cc", "-target", target, "-fno-sanitize=all")


def link_module(folder: Path, source: Path, objects: list[Path], features: Sequence[str]) -> bytes:
    """A module of WebAssembly; what it has not is imported: to build a C library would take minutes."""
    made, result = folder / f"{source.stem}.o", folder / "model.wasm"
    words = [*zig_cc("wasm32-wasi"), *WASM_FLAGS, *(f"-m{feature}" for feature in features)]
    _call([*words, "-c", "-o", str(made), str(source)], folder, "wasm32", made)
    # a call that is not like what it calls would be a trap in the browser
    words = zig(
        "wasm-ld", "--no-entry", "--gc-sections", "--strip-all", "--fatal-warnings", "--import-undefined"
    )
    words += ["-z", f"stack-size={WASM_STACK}", "-o", str(result), str(made), *map(str, objects)]
    _call(words, folder, "wasm32", result)
    return result.read_bytes()


def compile_c(folder: Path, source: Path, target: str, flags: Sequence[str], name: str) -> Path:
    """An object of C that includes nothing but what the compiler itself brings."""
    made = folder / f"{source.stem}.o"
    words = [*zig_cc(target), *LIBRARY_FLAGS, *flags, "-c", "-o", str(made), str(source)]
    _call(words, folder, name, made)
    return made


def archive(folder: Path, objects: Sequence[Path], file: str, form: str) -> bytes:
    """A static library, alike for alike objects."""
    made = folder / file
    words = [*zig("ar"), f"--format={form}", "rcsD", str(made), *map(str, objects)]
    _call(words, folder, file, made)
    return made.read_bytes()


def link(folder: Path, source: Path, objects: list[Path], name: str, identifier: str) -> Path:
    """The library of a platform, in `folder`."""
    result = folder / f"{identifier}{PLATFORMS[name].suffix}"
    words = [*compiler(name), *FLAGS]
    if name == "win64":
        # compiled apart, so that zig builds nothing of MinGW: runtime.c has the little that is needed of it
        made = folder / f"{source.stem}.o"
        _call([*words, "-c", "-o", str(made), str(source)], folder, name, made)
        source = made
        libraries = ["-nostdlib", *(f"-lapi-ms-win-crt-{part}-l1-1-0" for part in UCRT)]
    elif name.startswith("macos"):
        # a name is looked up in the library that it was linked to, so that two models share nothing
        libraries = [f"-Wl,-install_name,@rpath/{result.name}"]
    else:
        exports = folder / "exports.map"
        exports.write_text(EXPORTS)
        libraries = [f"-Wl,--version-script={exports}", "-Wl,-z,defs", "-lm"]
    words += ["-shared", "-o", str(result), str(source), *map(str, objects), *libraries]
    _call(words, folder, name, result)
    return result


def _call(words: list[str], folder: Path, name: str, wanted: Path) -> None:
    environment = {
        **os.environ,
        "ZIG_GLOBAL_CACHE_DIR": str(cache_dir() / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(folder / "zig"),
    }
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0 or not wanted.is_file():
        raise RunError(f"the C compiler failed for {name}: {_last(done.stderr)}", path="export")


def _last(text: str) -> str:
    """The first error of a compiler's output, or its end."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[-1] if lines else "it said nothing")
