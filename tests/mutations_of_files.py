"""Single changes of what keeps files (saving, autosave, recordings, export), each with the tests that should notice it."""

# ruff: noqa: E501  lines of sources are quoted whole

from __future__ import annotations

from luff.tests.mutation import Mutation, several

STREAM = ("tests/solver/results/test_hdf5_stream.py -k not flat and not killed",)
RECORD = (
    "tests/gui/window/test_file_actions.py",
    "tests/gui/window/test_recording_limits.py -k thin or full or limit or killed",
)
KEEP = (
    "tests/gui/window/test_file_actions.py",
    "tests/gui/recovery/test_recovery.py",
    "tests/solver/diagram/test_saving.py",
)
HISTORY = ("tests/gui/run/test_run_history.py -k not half",)
EXPORT = ("tests/solver/results/test_result_files.py",)

FILES = [
    *several(
        "solver/results/hdf5_stream.py",
        STREAM,
        ("self._write(0, memoryview(self._head))", "pass"),
        ('struct.pack_into("<Q", self._head, _EOF_FIELD, self._start + size)', "pass"),
        ("self._extend(self.rows + len(block))", "self._extend(len(block))"),
        ("min(count, self.rows - first)", "min(count, self.rows)"),
        ('encoded = text.encode()[:room].decode(errors="ignore").encode()', "encoded = text.encode()[:room]"),
        ("while len(text := to_json(kept)) > room:", "while len(text := to_json(kept)) > 2 * room:"),
        ("part.unlink(missing_ok=True)", "pass"),
        ("if _head(path) == head:", "if True:"),
        ("view = view[self._file.readinto(view) :]", "self._file.readinto(view); break"),
        ('self._set_text("status", status)', "pass"),
    ),
    *several(
        "solver/realtime/bounded_result_file.py",
        RECORD,
        ("slice(-self.seen % self.every, None, self.every)", "slice(0, None, self.every)"),
        ("self.seen += len(times)", "self.seen += len(times[mine])"),
        ("int(BLOCK / self.width) // 2 * 2", "int(BLOCK / self.width)"),
        ("RESERVE + self._stream.size / 2", "RESERVE"),
        ("RESERVE + self._stream.size / 2", "self._stream.size / 2"),
        (
            "self._stream, self.every = thinned, 2 * self.every",
            "self._stream, self.every = thinned, self.every",
        ),
        ("self._drop(whole)", "pass"),
        ("self._drop(thinned)", "pass"),
        ("if self._stream.size + self.room > limit:", "if self._stream.size + self.room < limit:"),
    ),
    *several(
        "gui/run/run_files.py",
        KEEP,
        ('if alive.lives(place.name.rpartition("-")[0]):', "if False:"),
    ),
    *several(
        "gui/recovery/autosave.py",
        KEEP,
        ('if alive.lives(file.stem.rpartition("-")[0]):', "if False:"),
        ("if not self._timer.isActive():", "if True:"),
        ("document.titled.connect(self._tidy)", "pass"),
        ("alive.hold()\n            write_whole", "write_whole"),
        ("diagram.path = self.origin", "pass"),
        ("document.recovered = True", "pass"),
    ),
    *several(
        "gui/recovery/file_locks.py",
        KEEP,
        ("fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB"),
        ("        _lock(file)\n    return file", "        pass\n    return file"),
        ("if is_locked(path):", "if False:"),
    ),
    *several(
        "gui/document/document.py",
        KEEP,
        ("return (status.st_mtime_ns, status.st_size)", "return (0, status.st_size)"),
        ("return (status.st_mtime_ns, status.st_size)", "return (status.st_mtime_ns, 0)"),
        ("return now is not None and now != self._stamp", "return now is not None and now == self._stamp"),
        (
            "        self._stamp = self._on_disk()\n        self.undo.setClean()",
            "        self.undo.setClean()",
        ),
        ("self.undo.setClean()", "pass"),
        ("self.recovered = False\n        self._stamp", "self._stamp"),
    ),
    *several(
        "gui/window/file_actions.py",
        KEEP,
        ("if not name:\n                return False", "if not name:\n                name = str(start)"),
        (
            "if path == document.path and document.changed_on_disk and",
            "if document.changed_on_disk and False and",
        ),
        ("if ask or path is None:", "if path is None:"),
        ("return self.save(level) if answer", "return (self.save(level) or True) if answer"),
        ("left.discard()", "pass", 1),
    ),
    *several(
        "solver/diagram/netlist_document.py",
        KEEP[2:],
        ("os.fsync(file.fileno())", "pass"),
        ("target = path.resolve()", "target = path"),
        ("os.chmod(temporary, mode)", "pass"),
        ("os.unlink(temporary)", "pass"),
    ),
    *several(
        "gui/run/run_history.py",
        HISTORY,
        ("first = done + -self._count % self.skip", "first = done + -(self._count + 1) % self.skip"),
        ("self.skip *= 2", "self.skip += 2"),
        (
            "self.times, self.frames = self.times[::2], self.frames[::2]",
            "self.times, self.frames = self.times[::2], self.frames[1::2]",
        ),
        ('"right")) - 1', '"right"))'),
    ),
    *several(
        "solver/results/result_files.py",
        EXPORT,
        ("        os.replace(part, path)\n", "        pass\n"),
        ("part.unlink(missing_ok=True)", "pass"),
    ),
    Mutation(
        "solver/results/recorded_run.py",
        "slice(k, k + ROWS) for k in range(0, len(result), ROWS)",
        "slice(k, k + ROWS) for k in range(0, len(result) - ROWS, ROWS)",
        EXPORT,
    ),
    *several(
        "solver/results/csv_format.py",
        EXPORT,
        (
            "np.column_stack((result.time[rows], result.table[rows])).tolist()",
            "np.column_stack((result.time[rows], result.table[rows].astype('f4'))).tolist()",
        ),
        ('return f"{name} [{unit}]" if unit else name', "return name"),
        ('{head["name"]: head["unit"] or "" for head in heads if head}', "{}"),
        ('if not names or names[0] != "time":', "if not names:"),
    ),
    *several(
        "solver/results/mat_format.py",
        EXPORT,
        ('branch = tree[parent] = {"value": branch}', "branch = tree[parent] = {}"),
        ('        leaf += "_"', "        break"),
        ('f"x{name}"', "name"),
        ("values.reshape(len(time), -1).T", "values.reshape(-1, len(time))"),
    ),
    Mutation(
        "solver/results/npz_format.py",
        "array.reshape(len(time), -1).T",
        "array.reshape(-1, len(time))",
        EXPORT,
    ),
    Mutation(
        "solver/results/hdf5_format.py",
        "writer.close(result.status, result.message,",
        'writer.close("finished", result.message,',
        EXPORT,
    ),
]
