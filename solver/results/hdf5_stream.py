"""Results in HDF5, streamed: a run that is killed at any moment leaves a file that any HDF5 reader opens.

Layout, format 1, readable by every HDF5 since 1.8 and by h5py, MATLAB and HDFView as it stands:

    /data       float64 (N, 1 + columns), row by row; column 0 is time
    /columns    their names, "time" first        /units     their units, "" where dimensionless
    /status     "interrupted" until the run says otherwise; then finished, cancelled or failed
    /message    why the run ended                /quality   JSON
    /remarks    warnings of model and run, JSON
    attributes  luff_format, version, netlist (YAML text), parameters (JSON), plots (JSON)

HDF5 itself gives no such promise. Its library keeps the tables that say where things are in memory and writes
them back in any order, so a killed process may leave tables that contradict each other; its single-writer
mode orders them, but marks the file as open, and a killed run's file then refuses to open until a tool has
cleared the mark.

So the library only creates the file, and in memory: where a write fails below it (a full disk) it cannot close the
file, and takes the process with it. Every table is written before the run begins, under another name until it is
whole. `data` is contiguous and lies last in the file, so that rows need no further
tables. An append writes rows behind the end, where nothing refers to them yet. Then the four numbers that
describe the extent (end of file, address, size and row count) change together, by one write inside the first
4096 bytes: one memory page, which the kernel copies as a whole or not at all. `status`, `message` and
`quality` are texts of fixed size, overwritten in place. No HDF5 handle is open during a run, so other
processes may read along.
"""

from __future__ import annotations

import errno
import json
import os
import re
import struct
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError
from ...blocks.text.safe_read import regular_file, shown
from .hdf5_members import bounded_dataset, check_heaps, dataset, numbers_in
from .recorded_run import FORMAT, Floats, RecordedRun, Status, complete_units, readable

PAGE = 4096
_TEXT_SIZES = {"status": 16, "message": 4096, "quality": 1 << 16, "remarks": 1 << 15}
_EOF_FIELD = (
    40  # where superblock version 0 keeps the end-of-file address (HDF5 file format specification, II.A)
)
_UNALLOCATED = b"\xff" * 8
_MARK = 0x5EED_50F4_11  # a row count that nothing else in the header equals


class StreamWriter:
    """Writer that appends rows to an HDF5 result file; appended rows survive the death of the process."""

    def __init__(
        self,
        path: str | Path,
        columns: Sequence[str],
        units: Mapping[str, str],
        attributes: Mapping[str, object],
    ):
        """`attributes`: netlist, parameters, version, plots; text as it is, anything else as JSON."""
        self.path = Path(path)
        self.rows = 0
        self.last_time = float("nan")
        self._width = 1 + len(columns)
        part = self.path.with_name(self.path.name + ".part")
        try:
            image, self._texts = _created(columns, units, attributes)
            part.write_bytes(self._prepared(image))
            os.replace(part, self.path)  # closed: Windows renames no open file
            self._file = self.path.open("r+b", buffering=0)
        except OSError as error:
            raise RunError(
                Problem(f"cannot write results: {failure_reason(error)}", str(self.path))
            ) from error
        finally:
            part.unlink(missing_ok=True)

    def append(self, time_block: Floats, data_block: Floats) -> None:
        """Append rows: `time_block` (n,) and `data_block` (n, columns)."""
        # row by row, also where the columns come from a selection that lies column by column
        block = np.ascontiguousarray(np.column_stack((time_block, data_block)), "<f8")
        if block.shape[1] != self._width:
            raise ValueError(f"a block of {block.shape[1] - 1} columns for a file of {self._width - 1}")
        if not len(block):
            return
        try:
            self._write(self._start + 8 * self.rows * self._width, block.data.cast("B"))
            self._extend(self.rows + len(block))
            self._write(0, memoryview(self._head))  # visible by one write
        except OSError as error:
            kept = f"{self.rows} rows are kept"
            kept += f", up to t = {self.last_time:g} s" if self.rows else ""
            raise RunError(
                Problem(
                    f"cannot write results: {failure_reason(error)}",
                    str(self.path),
                    f"{kept}; make room and run again",
                )
            ) from error
        self.rows += len(block)
        self.last_time = float(block[-1, 0])

    @property
    def size(self) -> int:
        """Size on the disk [bytes]."""
        return self._start + 8 * self.rows * self._width

    def block(self, first: int, count: int) -> tuple[Floats, Floats]:
        """Times and data of rows that were written; read through the file, so that no memory is mapped to it."""
        rows = np.empty((max(0, min(count, self.rows - first)), self._width), "<f8")
        view = rows.data.cast("B") if rows.size else memoryview(b"")
        self._file.seek(self._start + 8 * first * self._width)
        while view:
            view = view[self._file.readinto(view) :]
        return rows[:, 0], rows[:, 1:]

    def close(
        self,
        status: Status,
        message: str = "",
        quality: Mapping[str, object] | None = None,
        remarks: Sequence[Problem] = (),
    ) -> None:
        """Say how the run ended. The file stays readable without it, as an interrupted run."""
        if self._file.closed:
            return
        try:
            self._set_text("quality", _fitting_json(quality or {}, _TEXT_SIZES["quality"]))
            told = {str(k): remark.record() for k, remark in enumerate(remarks)}
            self._set_text("remarks", _fitting_json(told, _TEXT_SIZES["remarks"]))
            self._set_text("message", message)
            self._set_text("status", status)
        except OSError as error:
            raise RunError(
                Problem(f"cannot finish the results: {failure_reason(error)}", str(self.path))
            ) from error
        finally:
            self._file.close()

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def _prepared(self, image: bytes) -> bytes:
        """Find the fields that describe the extent of `data`; give it an empty one at the end of the file."""
        head = image[:PAGE]
        marked = struct.pack("<Q", _MARK)
        layout = head.find(_UNALLOCATED + struct.pack("<Q", 8 * _MARK * self._width))
        self._counts = [place.start() for place in re.finditer(re.escape(marked), head)]
        self._layout = layout
        size = len(image)
        # the format is pinned in _created, so this fails only with a library that breaks it
        if layout < 0 or not self._counts or struct.unpack_from("<Q", head, _EOF_FIELD) != (size,):
            raise RunError(
                Problem("this HDF5 library lays files out in an unknown way", str(self.path), "update h5py")
            )
        self._head = bytearray(head)
        self._start = -(-size // PAGE) * PAGE
        self._extend(0)
        return bytes(self._head) + image[PAGE:].ljust(self._start - PAGE, b"\0")

    def _extend(self, rows: int) -> None:
        """Write the four numbers that say how far `data` goes."""
        size = 8 * rows * self._width
        struct.pack_into("<Q", self._head, _EOF_FIELD, self._start + size)
        address = struct.pack("<Q", self._start) if rows else _UNALLOCATED
        struct.pack_into("<8sQ", self._head, self._layout, address, size)
        for place in self._counts:
            struct.pack_into("<Q", self._head, place, rows)

    def _set_text(self, name: str, text: str) -> None:
        room = _TEXT_SIZES[name]
        # cut where a character ends
        encoded = text.encode()[:room].decode(errors="ignore").encode()
        self._write(self._texts[name], memoryview(encoded.ljust(room, b"\0")))

    def _write(self, offset: int, view: memoryview) -> None:
        self._file.seek(offset)
        while view:
            view = view[self._file.write(view) :]


@contextmanager
def reading_results(path: Path) -> Iterator[None]:
    """Context that turns any error of a reader into a RunError: no result, or not a whole one."""
    try:
        if regular_file(path, "a result") is None:
            raise RunError(Problem("cannot read results: there is no such file", shown(path)))
        yield
    except LuffError as error:
        raise RunError(error.problems) from error
    except OSError as error:
        raise RunError(Problem(f"cannot read results: {failure_reason(error)}", shown(path))) from error
    except MemoryError as error:
        raise RunError(
            Problem("cannot read results: they need more memory than there is", shown(path))
        ) from error
    except Exception as error:  # of json, zipfile, numpy, h5py over bytes that may be anything
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise RunError(Problem(f"not a result that luff wrote: {what}", shown(path))) from error


def read_hdf5(path: str | Path) -> RecordedRun:
    """The result in a file, finished or not. The table stays on disk and is read where it is looked at.

    A run may be writing it. The library reads the head piece by piece, and pieces from before and after a change do
    not fit together; the file then looks damaged, and is read again.
    """
    while True:
        head = _head(path)
        try:
            return _read_recorded(path)
        except (OSError, KeyError):
            if _head(path) == head:
                raise


def _head(path: str | Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(PAGE)


def _read_recorded(path: str | Path) -> RecordedRun:
    import h5py

    with h5py.File(path, "r") as file:
        if "luff_format" not in file.attrs:
            raise RunError(Problem("an HDF5 file, but not a result of luff", str(path)))
        number = file.attrs["luff_format"]
        if number != FORMAT:
            check_heaps(Path(path))  # texts are read
            readable(number, file.attrs.get("version", ""), path)
        data = numbers_in(file, "data")
        offset = data.id.get_offset()  # none where another tool repacked the file, or nothing was written
        if offset is None or not len(data):
            table: Floats = data[...]
        else:
            table: Floats = np.memmap(path, dtype=data.dtype, mode="r", offset=offset, shape=data.shape)
        check_heaps(Path(path), offset)  # rows lie last
        columns = list(bounded_dataset(dataset(file, "columns")).asstr()[:])
        units = dict(zip(columns, bounded_dataset(dataset(file, "units")).asstr()[:], strict=True))
        texts = {
            name: bounded_dataset(dataset(file, name))[()].decode() for name in _TEXT_SIZES if name in file
        }
        attributes = {key: str(value) for key, value in file.attrs.items()}
    return RecordedRun(
        time=table[:, 0],
        columns=columns[1:],
        table=table[:, 1:],
        units=units,
        quality=json.loads(texts["quality"] or "{}"),
        parameters=json.loads(attributes.get("parameters", "{}")),
        netlist=attributes.get("netlist", ""),
        version=attributes.get("version", ""),
        status=texts["status"],
        message=texts["message"],
        plots=json.loads(attributes.get("plots", "[]")),
        remarks=[*map(Problem.from_record, json.loads(texts.get("remarks") or "{}").values())],
    )


def to_json(value: object) -> str:
    """JSON of a tree that may hold numpy numbers and arrays."""

    def plain(item: object) -> object:
        return item.tolist() if isinstance(item, np.ndarray | np.generic) else str(item)

    return json.dumps(value, default=plain)


def _created(
    columns: Sequence[str], units: Mapping[str, str], attributes: Mapping[str, object]
) -> tuple[bytes, dict[str, int]]:
    """The file with every table but no rows, and where its fixed texts lie."""
    import h5py

    names, units = ["time", *columns], complete_units(columns, units)
    strings = h5py.string_dtype()
    # the oldest format: no checksums and no open-for-writing mark, so that fields can be set in place
    # HDF5 takes files in memory that have one name for one file: runs that begin at once must not meet there
    with h5py.File(
        uuid.uuid4().hex, "w", libver=("earliest", "v108"), driver="core", backing_store=False
    ) as file:
        # first, so that its header lies in the first page; without space, which is given to it at the end
        file.create_dataset("data", shape=(_MARK, len(names)), dtype="<f8")
        file.create_dataset("columns", data=names, dtype=strings)
        file.create_dataset("units", data=[units[name] for name in names], dtype=strings)
        file.attrs["luff_format"] = FORMAT
        for key, value in attributes.items():
            file.attrs[key] = value if isinstance(value, str) else to_json(value)
        texts = {}
        for name, room in _TEXT_SIZES.items():
            start = b"interrupted" if name == "status" else b""
            text = file.create_dataset(name, data=np.array(start, dtype=f"S{room}"))
            file.flush()
            texts[name] = text.id.get_offset()
        return file.id.get_file_image(), texts


def _fitting_json(entries: Mapping[str, object], room: int) -> str:
    """JSON of as many entries, in order, as there is room for."""
    kept = dict(entries)
    while len(text := to_json(kept)) > room:
        kept.popitem()
    return text


def failure_reason(error: OSError) -> str:
    """Reason of a failed read or write, in words."""
    words = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}
    return words.get(error.errno or 0, error.strerror or str(error))
