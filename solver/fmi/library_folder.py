"""Where the files of a library lie, for which targets, and which of them an earlier export has written.

Only those are replaced: each text says in its first line whose it is, and the header's name is that of the libraries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...blocks.errors import LuffError

MARK = "a model made by luff, as a library"
BESIDE = ("example.c", "CMakeLists.txt")


@dataclass(frozen=True)
class Target:
    """Name of `portable.MACHINES`, zig's target with its flags, what the file is called."""

    machine: str
    zig: str
    flags: tuple[str, ...] = ("-fPIC",)
    file: str = "lib{}.a"


TARGETS = {
    "linux-x86_64": Target("linux64", "x86_64-linux-gnu"),
    "linux-aarch64": Target("linux-aarch64", "aarch64-linux-gnu"),
    "linux-armv7": Target("linux-armv7", "arm-linux-gnueabihf", ("-fPIC", "-mcpu=generic+v7a+vfp3d16-neon")),
    "linux-riscv64": Target("linux-riscv64", "riscv64-linux-gnu"),
    "macos-arm64": Target("macos-arm64", "aarch64-macos"),
    "macos-x86_64": Target("macos-x86_64", "x86_64-macos"),
    "windows-x86_64": Target("win64", "x86_64-windows-gnu", (), "{}.lib"),
    "cortex-m7": Target("cortex-m7", "thumb-freestanding-eabihf", ("-mcpu=cortex_m7+fp_armv8d16",)),
}


def is_one_file(path: Path) -> bool:
    """A library with its header beside, not a folder of them."""
    return path.suffix in (".a", ".lib")


def name_of(path: Path) -> str:
    """What is in front of all that the library defines."""
    return _word(path.stem if is_one_file(path) else path.name)


def earlier_files(path: Path) -> set[Path]:
    """What earlier exports to this path have written; an error where something else would be lost."""
    if is_one_file(path):
        if path.is_dir():
            raise LuffError("found a folder, expected a file to write", path=str(path))
        return {path, *_ours(path.with_suffix(".h"))}
    if path.exists() and not path.is_dir():
        raise LuffError("found a file, expected a folder", path=str(path), fix="choose another name")
    if not path.is_dir() or not any(path.iterdir()):
        return set()
    headers = [one for one in sorted(path.glob("*.h")) if _marked(one)]
    if not headers:
        mistake = "found a folder with other files, expected none, an empty one or that of an earlier export"
        raise LuffError(mistake, path=str(path), fix="choose another name")
    texts = {one for name in (f"{name_of(path)}.h", *BESIDE) for one in _ours(path / name)}
    files = {path / key / one.file.format(header.stem) for header in headers for key, one in TARGETS.items()}
    return texts.union(headers, filter(Path.is_file, files))


def remove(stale: Iterable[Path]) -> None:
    """Of targets that are no longer asked for; a folder goes with its last file."""
    for place in stale:
        place.unlink(missing_ok=True)
        with suppress(OSError):  # there are other files in it
            place.parent.rmdir()


def _ours(text: Path) -> list[Path]:
    """The text, if there is one."""
    if not text.exists():
        return []
    if not _marked(text):
        fix = "move it away, or choose another name"
        raise LuffError("found a file that luff has not written", path=str(text), fix=fix)
    return [text]


def _marked(text: Path) -> bool:
    if not text.is_file():
        return False
    head, _, rest = text.read_text("utf-8", "replace").partition("\n")
    return MARK in head and (text.suffix != ".h" or f"#ifndef {_word(text.stem).upper()}_H\n" in rest)


def _word(text: str) -> str:
    """A name of C."""
    word = re.sub(r"\W", "_", text, flags=re.ASCII) or "model"
    return word if not word[0].isdigit() else f"m{word}"
