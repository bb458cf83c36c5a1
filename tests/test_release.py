"""What a release is made of: a wheel and an archive of the sources, as `pip` builds them from a clone."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

import pytest
import yaml

import luff
from luff.solver.simulation.ahead_of_time import WHEELS
from luff.tests.test_entry_points import COMMANDS

ROOT = Path(luff.__file__).resolve().parent
PARTS = ("blocks", "cli", "gui", "library", "solver")  # of the root, that belong to the package whole
EPOCH = 1_700_000_000  # s since 1970: any
BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"


def tracked() -> list[str]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("a release is made from a clone")
    done = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def built(what: str, sources: Path, target: Path) -> Path:
    target.mkdir(exist_ok=True)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    environment.pop("LUFF_COMPILED", None)
    words = [sys.executable, "-W", "ignore", "-c", BUILD, what, str(target)]
    done = subprocess.run(words, cwd=sources, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return target / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this clone, with what has changed; its commit written down as in an archive."""
    folder = tmp_path_factory.mktemp("sources")
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "commit.txt").write_text("1a2b3c4d5e\n")
    return folder


@pytest.fixture(scope="module")
def wheel(sources: Path) -> Path:
    return built("build_wheel", sources, sources.parent / "one")


@pytest.fixture(scope="module")
def archive(sources: Path) -> Path:
    return built("build_sdist", sources, sources.parent / "archive")


def test_wheel_has_every_file_of_the_package_and_no_other(sources: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        names = {name for name in content.namelist() if not name.endswith("/")}
    own = {name for name in tracked() if name.partition("/")[0] in PARTS}
    own |= {"__init__.py", "__main__.py", "gym.py", "py.typed", "version.py", "commit.txt"}
    info = f"luff-{luff.__version__}.dist-info"
    about = {name for name in names if name.startswith(f"{info}/")}
    assert names - about == {f"luff/{name}" for name in own}
    assert {name.removeprefix(f"{info}/") for name in about} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt",
    }  # fmt: skip


def test_wheel_names_its_version_licence_and_commands(wheel: Path) -> None:
    info = f"luff-{luff.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as content:
        about = content.read(f"{info}/METADATA").decode()
        assert content.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        assert "luff = luff.__main__:main" in content.read(f"{info}/entry_points.txt").decode()
    assert f"\nVersion: {luff.__version__}\n" in about
    assert "\nLicense-Expression: BSD-3-Clause\n" in about


def test_wheel_runs_and_tells_its_commit(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        content.extractall(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-m", "luff", "--version"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"luff {luff.__version__} (1a2b3c4d5e)\n"


def test_type_checkers_follow_an_editable_install(sources: Path, tmp_path: Path) -> None:
    """In an empty folder, with an interpreter that has nothing but the editable wheel."""
    clone = tmp_path / "clone"
    shutil.copytree(sources, clone, copy_function=shutil.copyfile)
    wheel = built("build_editable", clone, tmp_path / "editable")
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    site = subprocess.check_output([python, "-c", "import site; print(site.getsitepackages()[0])"], text=True)
    with zipfile.ZipFile(wheel) as content:
        content.extractall(site.strip())
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "use.py").write_text("import luff\nsim: int = luff.compile('crane.yaml')\n")
    words = [sys.executable, "-m", "pyright", "--pythonpath", str(python), "use.py"]
    done = subprocess.run(words, cwd=empty, capture_output=True, text=True, check=False)
    assert 'Type "Simulation" is not assignable to declared type "int"' in done.stdout, (
        done.stdout + done.stderr
    )
    assert done.stdout.count("error:") == 1  # luff itself was found


def test_equal_sources_make_equal_wheels(sources: Path, wheel: Path, tmp_path: Path) -> None:
    """Elsewhere, copied at another time, and after a wheel was made there already."""
    again = tmp_path / "again"
    shutil.copytree(sources, again, copy_function=shutil.copyfile)
    assert built("build_wheel", again, tmp_path / "two").read_bytes() == wheel.read_bytes()


def test_archive_of_the_sources_builds_the_wheel_and_ships_no_tests(
    archive: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(archive) as content:
        names = [
            PurePosixPath(name).relative_to(archive.name.removesuffix(".tar.gz"))
            for name in content.getnames()
        ]
        content.extractall(tmp_path, filter="data")
    parts = {name.parts[0] for name in names if name.parts}
    assert not parts & {"tests", "docs", "bench", "build"}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "setup.py"} <= parts
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    other = built("build_wheel", folder, tmp_path / "made")
    with zipfile.ZipFile(other) as one, zipfile.ZipFile(wheel) as two:
        assert {name: one.getinfo(name).CRC for name in one.namelist()} == {
            name: two.getinfo(name).CRC for name in two.namelist()
        }


def test_version_stands_in_one_place() -> None:
    """Elsewhere it is read, or compared by a test."""
    assert 'version = { attr = "luff.version.__version__" }' in (ROOT / "pyproject.toml").read_text()
    number = re.compile(rf"""["']{re.escape(luff.__version__)}["']""")
    kinds = (".py", ".toml", ".js", ".c", ".h", ".cfg")
    own = [
        name for name in tracked() if name.endswith(kinds) and not name.startswith(("tests/", "docs/models/"))
    ]
    written = [name for name in own if number.search((ROOT / name).read_text("utf-8"))]
    assert written == ["cli/block_scaffold.py", "version.py"]  # the first: of a project of the user's own


def test_workflow_calls_what_is_there() -> None:
    """Its commands are targets of the Makefile and commands of luff, and it tries a wheel of each system."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for name in re.findall(r"\bmake (\w+)", "\n".join(commands)):
        assert name in targets
    for name in re.findall(r"^\s*luff (\w+)", "\n".join(commands), re.MULTILINE):
        assert name in COMMANDS
    systems = {"linux": "ubuntu", "win32": "windows", "darwin": "macos"}
    tried = jobs["try"]["strategy"]["matrix"]["system"]
    assert {systems[wheel.system] for wheel in WHEELS.values()} == {name.partition("-")[0] for name in tried}
    assert not re.search(r"secrets\.|password", text.partition("jobs:")[2])


@pytest.mark.skipif(sys.platform != "linux", reason="each system has starters of its own")
def test_a_bundle_that_is_moved_starts_with_its_own_interpreter(tmp_path: Path) -> None:
    """With a luff that tells where it is, in the place of the wheel: the window without words, else the command."""
    told = runpy.run_path(str(ROOT / ".ci" / "bundle.py"))
    package = told["copy_interpreter"](tmp_path / "made" / "python") / "luff"
    package.mkdir(parents=True)
    (package / "__main__.py").write_text("import sys, json\nprint(sys.prefix, sys.argv[1:], json.__file__)\n")
    told["starters"](tmp_path / "made")
    (tmp_path / "made").rename(tmp_path / "else where")
    start = tmp_path / "else where" / "luff"
    for words, seen in (((), "['gui']"), (("run", "a.yaml"), "['run', 'a.yaml']")):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [start, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        assert seen in done.stdout
        assert done.stdout.count(f"{tmp_path}/else where/python") == 2, done.stdout
