"""`python -m luff`, and the command `luff`: what the process must settle before anything else is imported."""

import io
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # `python -m` puts the current folder first, and a file signal.py there would run
import signal


class _Lasting(io.FileIO):
    """A standard stream whose reader may leave (`luff blocks | head -1`): the rest is dropped, the command goes on."""

    def write(self, data, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            # a full disk behind stdout is told on stderr; nobody is left to tell of one behind stderr
            if self.fileno() != 2 and not isinstance(error, BrokenPipeError):
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return memoryview(data).nbytes


def settle_path() -> None:
    """Interpreters that libraries start, as Dask does, import nothing from the current folder."""
    os.environ["PYTHONSAFEPATH"] = "1"


def settle_signals() -> None:
    """Ctrl-C ends the process at any moment, with no traceback; whoever has something to keep handles it then.

    What the parent chose to ignore (nohup, a background job) stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def settle_streams() -> None:
    """Closed streams (`luff run crane.yaml >&-`) become the null device: a result file must not get their number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name, number in (("stdout", 1), ("stderr", 2)):
        old = getattr(sys, name)
        binary = io.BufferedWriter(_Lasting(number, "w", closefd=False))
        new = io.TextIOWrapper(
            binary,
            encoding=getattr(old, "encoding", "utf-8"),
            errors="backslashreplace",  # names of files may hold bytes that are no text
            line_buffering=getattr(old, "line_buffering", name == "stderr"),
        )
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def settle_threads() -> None:
    """Matrices here are small: threads of the linear algebra would only cost their start."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def main() -> None:
    settle_path()
    settle_signals()
    settle_threads()
    settle_streams()
    from .cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
