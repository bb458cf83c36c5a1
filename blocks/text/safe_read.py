"""Reading what a user names: only what is a file, under a name that can be one, and of a size that memory holds.

A pipe would wait for somebody to write into it, a device may never end; both are found before anything is opened.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from ..errors import LuffError
from ..light_dataclass import record

MB = 1_000_000
T = TypeVar("T")
ONCE = 64  # files, read and understood, that stay in memory
LARGEST = 256 * MB  # of a text that is read whole

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_REASONS = {
    errno.ELOOP: "its symbolic links form a circle",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is not a folder",
}


def shown(path: object) -> str:
    """A path for a message: on one line, and of a length that can be read."""
    text = str(path)
    text = text if text.isprintable() else repr(text)[1:-1]
    return text if len(text) <= 300 else f"{text[:140]}...{text[-140:]}"


def whole_path(folder: Path, name: str | Path) -> Path:
    """The path of a file that is named from a folder, links followed; LuffError where a name cannot be one."""
    try:
        return (folder / name).resolve()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # before Python 3.13 links in a circle are a RuntimeError
        raise LuffError(f"cannot find {shown(name)}: {_failure_reason(error)}") from None


def regular_file(path: Path, expected: str) -> os.stat_result | None:
    """Status of a file; None if there is none, LuffError if it is anything but a regular file."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LuffError(f"cannot read {shown(path)}: {_failure_reason(error)}") from None
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
        raise LuffError(f"{shown(path)} is {kind}, expected {expected}")
    return status


def file_content(path: Path, expected: str) -> bytes | None:
    """The bytes of a file; None if there is none, LuffError if it cannot be read."""
    status = regular_file(path, expected)
    if status is None:
        return None
    if status.st_size > LARGEST:
        size = f"{status.st_size / MB:.0f} MB, more than the {LARGEST // MB} MB"
        raise LuffError(f"cannot read {shown(path)}: it has {size} that {expected} may have")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LuffError(f"cannot read {shown(path)}: {_failure_reason(error)}") from None
    noted = _noted.get()
    if noted is not None:
        noted.add({path: FileRecord(status.st_mtime_ns, status.st_size, hashlib.sha256(data).hexdigest())})
    return data


class FileRecord(NamedTuple):
    """A file as it was read: when it was written, how long it is, and a digest of what it held."""

    written: int
    size: int
    digest: str


class ReadFiles(dict[Path, FileRecord]):
    """Files that were read, and whether one held something else when it was read again."""

    changed = False

    def add(self, files: Mapping[Path, FileRecord]) -> None:
        self.changed |= any(path in self and self[path].digest != seen.digest for path, seen in files.items())
        self.update(files)


_noted: ContextVar[ReadFiles | None] = ContextVar("noted", default=None)


@contextmanager
def recording_reads() -> Iterator[ReadFiles]:
    """The files that are read within, by `file_content`, `digest_of` or `read_once`."""
    outer, inner = _noted.get(), ReadFiles()
    token = _noted.set(inner)
    try:
        yield inner
    finally:
        _noted.reset(token)
        _note(inner, outer)


def _note(files: Mapping[Path, FileRecord], noted: ReadFiles | None) -> None:
    if noted is not None:
        noted.add(files)


def digest_of(path: Path) -> str:
    """SHA-256 of a file of any size; the file is noted as read."""
    try:
        status = os.stat(path)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise LuffError(f"cannot read {shown(path)}: {_failure_reason(error)}") from None
    _note({path: FileRecord(status.st_mtime_ns, status.st_size, digest)}, _noted.get())
    return digest


@record
class CachedReading(Generic[T]):
    """Value made of a file and of those that it names; valid while they stay unchanged."""

    value: T
    files: dict[Path, FileRecord]

    def is_current(self) -> bool:
        return all(_file_stamp(path) == seen[:2] for path, seen in self.files.items())

    @property
    def digests(self) -> list[str]:
        return sorted(seen.digest for seen in self.files.values())


def _file_stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


_once: dict[tuple[object, ...], CachedReading[Any]] = {}


def read_once(read: Callable[..., T], path: Path, *words: object) -> CachedReading[T]:
    """`read(path, *words)`, or what it returned the last time while its files are as they were."""
    key = (read, path, *words)
    known = _once.pop(key, None)
    if known is None or not known.is_current():
        with recording_reads() as files:
            value = read(path, *words)
        known = CachedReading(value, files)
    _once[key] = known
    while len(_once) > ONCE:
        _once.pop(next(iter(_once)), None)
    _note(known.files, _noted.get())
    return known


def _failure_reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0) or error.strerror or str(error)
    if isinstance(error, RuntimeError):
        return _REASONS[errno.ELOOP]
    return "the name holds a character that no file name can hold"
