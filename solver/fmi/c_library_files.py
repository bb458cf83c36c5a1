"""Files of a library: their places, their targets, and which of them an earlier export has written.

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


# keywords of C (ISO 9899:2024, 6.4.2) and of C++ (ISO 14882:2023, 5.11, 5.5), names that the C library or compilers
# define, and those that the example calls its own
TAKEN = frozenset(
    re.findall(
        r"\w+",
        """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if import inline int long main module mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
    restrict return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
    virtual void volatile wchar_t while xor xor_eq size_t ptrdiff_t max_align_t offsetof NULL EOF FILE
    stdin stdout stderr printf fprintf linux unix i386 near far memory model inputs outputs status k abs
    acos asin atan atan2 calloc ceil clock cos cosh div div_t errno exit exp fabs floor fmod free frexp
    hypot labs log log10 log2 malloc memcpy memset modf pow qsort raise rand realloc remove rename round
    signal sin sinh sqrt srand strcpy strlen system tan tanh time time_t tm trunc y0 y1 yn j0 j1 jn
    gamma index read write open close select pipe
""",
    )
)
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


def is_single_file(path: Path) -> bool:
    """A library with its header beside, not a folder of them."""
    return path.suffix in (".a", ".lib")


def symbol_prefix(path: Path) -> str:
    """Prefix of all symbols that the library defines."""
    return _word(path.stem if is_single_file(path) else path.name)


def earlier_files(path: Path) -> set[Path]:
    """Files that earlier exports to this path have written; LuffError if something else would be lost."""
    if is_single_file(path):
        if path.is_dir():
            raise LuffError("found a folder, expected a file to write", path=str(path))
        return {path, *_luff_text(path.with_suffix(".h"))}
    if path.exists() and not path.is_dir():
        raise LuffError("found a file, expected a folder", path=str(path), fix="choose another name")
    if not path.is_dir() or not any(path.iterdir()):
        return set()
    headers = [one for one in sorted(path.glob("*.h")) if _marked(one)]
    if not headers:
        mistake = "found a folder with other files, expected none, an empty one or that of an earlier export"
        raise LuffError(mistake, path=str(path), fix="choose another name")
    texts = {one for name in (f"{symbol_prefix(path)}.h", *BESIDE) for one in _luff_text(path / name)}
    files = {path / key / one.file.format(header.stem) for header in headers for key, one in TARGETS.items()}
    return texts.union(headers, filter(Path.is_file, files))


def remove(stale: Iterable[Path]) -> None:
    """Remove files of targets that are no longer wanted; a folder goes with its last file."""
    for place in stale:
        place.unlink(missing_ok=True)
        with suppress(OSError):  # there are other files in it
            place.parent.rmdir()


def _luff_text(text: Path) -> list[Path]:
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
    """A name of C and of C++, which no keyword and no reserved name is."""
    word = re.sub(r"\W", "_", text, flags=re.ASCII) or "model"
    if word in TAKEN:
        return f"{word}_model"
    return word if not word[0].isdigit() else f"m{word}"
