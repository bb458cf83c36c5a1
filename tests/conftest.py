"""Settings that every test shares. They come before luff, Qt and matplotlib are imported."""

import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# compiled kernels, shared by the workers and by later runs, and apart from the user's own
os.environ.setdefault("LUFF_CACHE_DIR", str(Path(__file__).resolve().parents[1] / "build" / "cache"))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# each window of the tests would compile everything beside them
os.environ.setdefault("LUFF_WARMUP", "0")
os.environ.setdefault("MPLBACKEND", "Agg")
# as the commands have it: threads of the linear algebra wait for each other in loops where others work beside them
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from luff.tests import long_runs

# each of some hundred processes would parse all of luff, where surroundings forbid to keep bytecode
if "PYTHONPYCACHEPREFIX" not in os.environ:
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).resolve().parents[1] / "build" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# a machine under load is slow, not wrong; and what is wrong is found by a search (`make search`), never by chance
settings.register_profile(
    "luff", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", settings.get_profile("luff"), derandomize=False)
settings.load_profile("luff")
# it also tries numbers and words of the modules that are loaded, which is another set in each process
with suppress(ImportError):
    from hypothesis.internal.conjecture import providers

    setattr(providers, "_get_local_constants", lambda: providers._local_constants)  # noqa: B010
SEED = "--hypothesis-seed"

# what takes longest comes first where workers share the tests, or one works at it when the others are done; the first
# of all compiles what runs call, once and for all, and what is made of it meanwhile would be compiled twice
LONGEST_FILES = (
    "cli/test_docs.py", "gui/document/test_room.py", "gui/window/test_opening.py", "test_site.py",
    "blocks/test_every_block.py", "library/test_library.py", "test_entry_points.py",
    "gui/html_page/test_page.py", "solver/fmi/test_fmu_runs.py", "solver/fmi/test_fmu_export.py",
    "solver/fmi/test_c_library.py", "solver/fmi/test_block.py",
    "test_notebooks.py", "test_examples.py", "cli/test_commands.py", "test_system_faults.py", "test_block_authors.py",
    "systems/test_papers.py", "systems/test_validation.py", "solver/studies/test_study_cluster.py",
    "gui/window/test_session.py", "gui/study/test_studies.py", "cli/test_animate.py", "solver/tuning/test_optimise.py",
    "solver/batch/test_simd_lanes.py", "solver/tuning/test_fit.py", "systems/test_buckling.py",
    "blocks/test_parameters.py",
)  # fmt: skip

# NUMBA_DISABLE_JIT=1 (`make test-plain`): everything runs as plain Python, a few hundred times slower
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
# whole runs against published or documented numbers, which nothing shorter would give
hours_as_plain_python = pytest.mark.skipif(PLAIN, reason="whole runs, which take hours as plain Python")
LONGEST = 30  # s of a test as plain Python
# the code that is compiled, the cache of it, its speed
about_compiling = pytest.mark.skipif(PLAIN, reason="nothing is compiled: NUMBA_DISABLE_JIT")


def sized(whole: float, plain: float) -> float:
    """How long or how many: the whole of it, or less where it would take hours as plain Python."""
    return plain if PLAIN else whole


@contextmanager
def limited() -> Iterator[None]:
    """As plain Python a test that takes too long is skipped where it is, and says so."""
    if not (PLAIN and hasattr(signal, "setitimer")):
        yield
        return

    def leave(*_: object) -> None:
        pytest.skip(f"takes over {LONGEST} s as plain Python")

    before = signal.signal(signal.SIGALRM, leave)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(SEED) is not None:
        settings.load_profile("search")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole files to workers: what a module's tests share is made once, and what they compile."""
    from xdist.scheduler import LoadFileScheduling

    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False  # files of few tests may be long
    return LoadFileScheduling(config, log)


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    names = [
        f"{Path(os.path.relpath(item.path, here)).as_posix()}::{item.nodeid.partition('::')[2]}"
        for item in items
    ]
    config.stash[long_runs.COLLECTED] = names
    long = {name for met in long_runs.matches(names).values() for name in met}
    for name, item in zip(names, items, strict=True):
        if name in long:
            item.add_marker("long")
        given = getattr(item, "callspec", None)
        if "seed" in getattr(item, "fixturenames", ()) and (given is None or "seed" not in given.params):
            item.add_marker("chance")
    if hasattr(config, "workerinput"):
        rank = {here / name: k for k, name in enumerate(LONGEST_FILES)}
        items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Of what a test draws by itself: always the same, unless a search asks for another; it marks the test `chance`."""
    number = int(request.config.getoption(SEED) or 1)
    print(f"seed {number}")
    return number


@pytest.fixture
def methods() -> Iterator[None]:
    """Methods of integration as they were, behind a test that adds some."""
    from luff.solver.integrators.method_table import METHODS

    known = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(known)


@pytest.fixture
def many(request: pytest.FixtureRequest) -> int:
    """Times as many examples as a test has by itself, where a search asks for others."""
    return 25 if request.config.getoption(SEED) is not None else 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    with limited():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    with limited():
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not PLAIN:
        reports = (report for reports in terminalreporter.stats.values() for report in reports)
        for line in long_runs.told_as_slow(r for r in reports if isinstance(r, pytest.TestReport)):
            terminalreporter.write_line(line)
