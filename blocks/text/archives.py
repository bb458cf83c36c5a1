"""Archives (ZIP: FMUs, SSPs, NPZ) whose files take no more room unpacked than a machine has to give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LuffError
from .safe_read import MB, shown

if TYPE_CHECKING:
    from zipfile import ZipFile

UNPACKED = 500 * MB  # of all files of an archive together
DENSEST = (
    4  # times its own size, of an archive that is larger than that: libraries and numbers pack no better
)
MOST = 50_000  # files


class ArchiveTooLarge(LuffError):
    """An archive that would unpack to more than it may."""


@contextmanager
def opened(path: Path) -> Iterator[ZipFile]:
    """An archive to read from. `zipfile` unpacks no more of a file than the directory says, so that this bounds all."""
    import zipfile  # few models hold an archive, and all of them load this module

    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        whole = sum(entry.file_size for entry in entries)
        most = max(UNPACKED, DENSEST * path.stat().st_size)
        if whole > most:
            mistake = f"it unpacks to {whole / MB:.0f} MB, more than the {most / MB:.0f} MB that it may"
            raise ArchiveTooLarge(f"cannot read {shown(path)}: {mistake}")
        if len(entries) > MOST:
            raise ArchiveTooLarge(
                f"cannot read {shown(path)}: it holds {len(entries)} files, more than {MOST}"
            )
        yield archive
