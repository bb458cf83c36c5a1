"""Results in HDF5: any reader opens what a run left, however it ended."""

import errno
import io
import json
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import luff.solver.results.hdf5_stream as stream
from luff.blocks.errors import RunError
from luff.solver.results.hdf5_stream import StreamWriter
from luff.solver.results.result import Result, read_result

ABOUT = {
    "netlist": "luff: 1\nname: Kran für Öl\n" * 5000,
    "parameters": {"king.mass": np.float64(9e3)},
    "version": "1",
}


def hdf5(path: str | Path, mode: Any = "r") -> Any:
    """The file as any HDF5 reader sees it; untyped, since names in it may stand for anything."""
    return h5py.File(path, mode)


def block(first: int, rows: int, width: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows that say which they are."""
    count = np.arange(first, first + rows, dtype=float)
    return 1e-3 * count, count[:, None] + np.arange(width) / 8


def test_stream_reads_back_what_was_appended(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(
        path, ["a", "v[0]", "v[1]"], {"a": "m", "v": "N"}, ABOUT | {"plots": [{"y": ["a"]}]}
    ) as writer:
        for first, rows in [(0, 1), (1, 0), (1, 999), (1000, 4000)]:
            writer.append(*block(first, rows))
        writer.close(
            "cancelled",
            "at t = 5 s: Abbruch durch Größe",
            {"energy": np.float64(1e-9), "constraint_violation": float("nan")},
        )
    result = read_result(path)
    time, table = block(0, 5000)
    np.testing.assert_array_equal(result.time, time)
    np.testing.assert_array_equal(result.table, table)
    assert result.names == ["a", "v"]
    assert result.units == {"time": "s", "a": "m", "v": "N", "v[0]": "N", "v[1]": "N"}
    assert (result.status, result.message) == ("cancelled", "at t = 5 s: Abbruch durch Größe")
    assert result.quality["energy"] == 1e-9
    assert np.isnan(result.quality["constraint_violation"])
    assert result.netlist == ABOUT["netlist"]
    assert result.parameters == {"king.mass": 9e3}
    assert (result.version, result.plots) == ("1", [{"y": ["a"]}])
    assert not list(tmp_path.glob("*.part"))


def test_selected_columns_are_saved(tmp_path: Path) -> None:
    """A selection of columns lies column by column in memory."""
    time, table = block(0, 50)
    result = Result(time, ["b", "c"], table[:, [1, 2]])
    result.save(tmp_path / "part.h5")
    np.testing.assert_array_equal(read_result(tmp_path / "part.h5").table, table[:, 1:3])


def test_stream_is_plain_hdf5_that_others_may_extend(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(path, ["a", "b", "c"], {}, ABOUT) as writer:
        writer.append(*block(0, 100))
        writer.close("finished")
    with hdf5(path, "r+") as file:
        file["mine"] = np.ones(100_000)
        file["data"].attrs["seen"] = 1
    with hdf5(path) as file:
        assert list(file["columns"].asstr()) == ["time", "a", "b", "c"]
        np.testing.assert_array_equal(file["data"][:, 1:], block(0, 100)[1])
        np.testing.assert_array_equal(file["mine"][:], np.ones(100_000))
        with hdf5(tmp_path / "repacked.h5", "w") as copy:
            for name in file:
                if name == "data":
                    copy.create_dataset(name, data=file[name][:], chunks=True, compression="gzip")
                else:
                    file.copy(name, copy)
            copy.attrs.update(file.attrs)
    np.testing.assert_array_equal(read_result(tmp_path / "repacked.h5").table, read_result(path).table)


def test_stream_may_be_read_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(path, ["a", "b", "c"], {}, {}) as writer:
        assert read_result(path).table.shape == (0, 3)
        for first in range(0, 50, 10):
            writer.append(*block(first, 10))
            live = read_result(path)
            assert live.status == "interrupted"
            np.testing.assert_array_equal(live.table, block(0, first + 10)[1])


def test_writer_reads_any_block_back_between_appends(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(path, ["a", "b", "c"], {}, {}) as writer:
        for first in (0, 70):
            writer.append(*block(first, 70))
            for start, count in ((0, 5), (first + 60, 10), (first + 60, 99), (first + 70, 3), (3, 0)):
                rows = max(0, min(count, writer.rows - start))
                for found, expected in zip(writer.block(start, count), block(start, rows), strict=True):
                    np.testing.assert_array_equal(found, expected)
        assert writer.size == path.stat().st_size
    assert len(read_result(path).time) == 140


class InPieces(io.FileIO):
    """A file that gives a hundred bytes at a time; a system's own limit is two gigabytes."""

    def readinto(self, buffer: Any) -> int:
        return super().readinto(memoryview(buffer)[:100]) or 0


def test_writer_reads_blocks_back_that_come_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(path, ["a", "b", "c"], {}, {}) as writer:
        writer.append(*block(0, 70))
        with InPieces(path) as pieces:
            writer._file, own = pieces, writer._file
            found = writer.block(10, 50)
        writer._file = own
    np.testing.assert_array_equal(found[1], block(10, 50)[1])


@pytest.mark.parametrize("width", [0, 1, 5000])
def test_stream_takes_any_number_of_columns(tmp_path: Path, width: int) -> None:
    path = tmp_path / "run.h5"
    names = [f"block_with_a_long_name.signal_{k}" for k in range(width)]
    with StreamWriter(path, names, dict.fromkeys(names, "kg*m^2"), {}) as writer:
        writer.append(*block(0, 7, width))
    result = read_result(path)
    assert result.columns == names
    np.testing.assert_array_equal(result.table, block(0, 7, width)[1])


def test_stream_keeps_memory_flat(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    time, table = block(0, 10_000, 5)
    with StreamWriter(path, list("abcde"), {}, {}) as writer:
        writer.append(time, table)
        tracemalloc.start()
        for _ in range(50):
            writer.append(time, table)
        held, peak = tracemalloc.get_traced_memory()
        mean = read_result(path)["a"].mean()
        read_peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    one = time.nbytes + table.nbytes
    assert path.stat().st_size > 50 * one
    assert held < one / 10
    assert peak < 3 * one
    assert read_peak < 3 * one  # the table is mapped, not loaded
    assert mean == pytest.approx(table[:, 0].mean())


def test_stream_replaces_an_earlier_file_and_spares_its_readers(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    for first in (0, 100):
        earlier = read_result(path) if first else None
        with StreamWriter(path, ["a", "b", "c"], {}, {}) as writer:
            writer.append(*block(first, 10))
        if earlier is not None:
            np.testing.assert_array_equal(earlier.table, block(0, 10)[1])
    np.testing.assert_array_equal(read_result(path).table, block(100, 10)[1])


def test_stream_cuts_texts_that_are_too_long(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(path, ["a"], {}, {}) as writer:
        # 4096 bytes end in the middle of a letter of two
        writer.close("failed", "a" + "ö" * 5000, {"small": 1, "large": "x" * 100_000})
    result = read_result(path)
    assert result.message == "a" + "ö" * 2047
    assert result.quality == {"small": 1}


def test_stream_refuses_a_block_of_the_wrong_width(tmp_path: Path) -> None:
    with (
        StreamWriter(tmp_path / "run.h5", ["a", "b"], {}, {}) as writer,
        pytest.raises(ValueError, match="3 columns for a file of 2"),
    ):
        writer.append(*block(0, 1))


def test_stream_says_where_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"nowhere/run\.h5: cannot write results"):
        StreamWriter(tmp_path / "nowhere" / "run.h5", ["a"], {}, {})


def test_stream_that_cannot_take_its_name_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "run.h5").mkdir()
    with pytest.raises(RunError, match=r"run\.h5: cannot write results"):
        StreamWriter(tmp_path / "run.h5", ["a"], {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_stream_is_closed_when_it_takes_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows renames no open file; where there is no /proc, the system itself would refuse."""
    opened: list[list[str]] = []

    def replace(part: Path, path: Path) -> None:
        opened.append([os.readlink(one) for one in Path("/proc/self/fd").glob("*") if one.exists()])
        part.rename(path)

    monkeypatch.setattr(stream.os, "replace", replace)
    StreamWriter(tmp_path / "run.h5", ["a"], {}, {}).close("finished")
    (names,) = opened
    assert not [name for name in names if "run.h5" in name]


def test_read_says_what_is_no_result(tmp_path: Path) -> None:
    with hdf5(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    (tmp_path / "text.h5").write_text("time")
    for name, words in [
        ("other", "not a result of luff"),
        ("text", "cannot read"),
        ("absent", "cannot read"),
    ]:
        with pytest.raises(RunError, match=rf"{name}\.h5: .*{words}"):
            read_result(tmp_path / f"{name}.h5")


def test_full_disk_is_named_in_words() -> None:
    assert stream.failure_reason(OSError(errno.ENOSPC, "No space left on device")) == "the disk is full"


# The limit on a file's size stands in for a full disk: the same call fails, part of a block written.
FULL_DISK = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from test_hdf5_stream import StreamWriter, RunError, block
writer = StreamWriter(sys.argv[1], ["a", "b", "c"], {}, {})
writer.append(*block(0, 1000))
kept = writer._start + 32 * 1000
resource.setrlimit(resource.RLIMIT_FSIZE, (kept + 10_001, kept + 10_001))
try:
    writer.append(*block(1000, 1000))
except RunError as error:
    print(error)
    writer.close("failed", str(error))
"""


def test_full_disk_keeps_the_rows_so_far(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    said = run_script(FULL_DISK, path)
    assert "1000 rows are kept, up to t = 0.999 s" in said
    result = read_result(path)
    np.testing.assert_array_equal(result.table, block(0, 1000)[1])
    assert result.status == "failed"
    assert result.message == said.strip()


# Each run is a fork that creates, appends to and closes files over and over until it is killed. After each
# append it says how many rows must now be there, in memory that it shares with its parent.
KILLS = """
import json, mmap, os, random, signal, sys, time
sys.path.insert(0, sys.argv[2])
import h5py
from test_hdf5_stream import ABOUT, StreamWriter, block
folder, chance = sys.argv[1], random.Random(int(sys.argv[3]))
promised = mmap.mmap(-1, 16)

def run(path, seed):
    chance = random.Random(seed)
    while True:
        with StreamWriter(path, ["a", "b", "c"], {"a": "m"}, ABOUT) as writer:
            promised[:16] = (1).to_bytes(8, "little") + bytes(8)
            for _ in range(chance.randrange(1, 300)):
                writer.append(*block(writer.rows, chance.choice([1, 7, 300, 5000])))
                promised[8:16] = writer.rows.to_bytes(8, "little")
            # a new file takes the place of this one: nothing is promised until it is there
            writer.close("finished", "to the end", {"rows": writer.rows})
            promised[8:16] = bytes(8)

for kill in range(int(sys.argv[4])):
    promised[:16] = bytes(16)
    path = os.path.join(folder, f"{kill}.h5")
    seed, later, rows = chance.random(), chance.random(), chance.randrange(1, 20_000)
    if not (child := os.fork()):
        run(path, seed)
    if kill % 2:  # after so many rows, however slow the machine
        while int.from_bytes(promised[8:16], "little") < rows:
            pass
    end = time.perf_counter() + (0.001 if kill % 2 else 0.06) * later
    while time.perf_counter() < end:
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    started, rows = promised[0], int.from_bytes(promised[8:16], "little")
    print(json.dumps([path, bool(started), rows]))
"""


def test_killed_run_leaves_a_readable_file(tmp_path: Path, seed: int) -> None:
    endings = {"interrupted": 0, "finished": 0}
    kills = [json.loads(line) for line in run_script(KILLS, tmp_path, seed, 60).splitlines()]
    for path, started, promised in kills:
        if not started and not Path(path).exists():
            continue  # killed before the file was there
        with hdf5(path) as file:
            data = file["data"][:]
            assert list(file["units"].asstr()) == ["s", "m", "", ""]
        result = read_result(path)
        assert promised <= len(result.time)
        np.testing.assert_array_equal(data[:, 1:], block(0, len(data))[1])
        np.testing.assert_array_equal(data[:, 0], result.time)
        assert result.netlist == ABOUT["netlist"]
        if result.status == "finished":
            assert result.quality == {"rows": len(result.time)}
        endings[result.status] += 1
    # the moments were late enough to matter
    assert endings["interrupted"] > 10
    assert max(promised for _, _, promised in kills) > 1000


def run_script(code: str, *arguments: object) -> str:
    """Run in a process of its own, which finds this file's helpers through its second argument."""
    first, *rest = map(str, arguments)
    command = [sys.executable, "-W", "ignore", "-c", code, first, str(Path(__file__).parent), *rest]
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def test_file_that_grows_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.h5"
    opened = h5py.File
    tries = []

    def grows(*arguments: Any, **options: Any) -> Any:
        tries.append(arguments)
        if len(tries) < 3:
            writer.append(*block(10 * len(tries), 10))
            raise OSError("truncated file")
        return opened(*arguments, **options)

    with StreamWriter(path, ["a", "b", "c"], {}, {}) as writer:
        writer.append(*block(0, 10))
        monkeypatch.setattr(h5py, "File", grows)
        assert len(read_result(path).time) == 30
    assert len(tries) == 3


def test_file_cut_short_is_an_error_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with StreamWriter(path, ["a", "b", "c"], {}, {}) as writer:
        writer.append(*block(0, 1000))
        writer.close("finished", "", {})
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 8)
    with pytest.raises(RunError, match=r"cannot read results: .*truncated"):
        read_result(path)


def test_files_are_begun_side_by_side(tmp_path: Path) -> None:
    """Two windows, or two threads, may start a run at the same moment."""
    together, faults = threading.Barrier(8), []

    def begin(k: int) -> None:
        try:
            for n in range(12):
                together.wait()
                StreamWriter(tmp_path / f"{k}-{n}.h5", ["a"], {"a": "m"}, {}).close("finished", "", {})
        except Exception as error:
            faults.append(error)
            together.abort()

    threads = [threading.Thread(target=begin, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [error for error in faults if not isinstance(error, threading.BrokenBarrierError)] == []
