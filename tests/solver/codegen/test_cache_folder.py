"""Compiled code is run: it is never taken from a folder that somebody else could have put it into."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import luff
from luff.solver.codegen import object_store
from luff.solver.codegen.cache_folder import cache_dir
from luff.solver.codegen.jit import ENABLED
from luff.solver.integrators import runge_kutta

ROOT = Path(luff.__file__).resolve().parent
PENDULUM = ROOT / "library" / "templates" / "pendulum.yaml"
NOBODY = 65534

posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")
as_root = pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() != 0, reason="root alone gives files away")
pytestmark = posix


def chosen(tmp_path: Path, **environment: str) -> tuple[Path, str]:
    """The folder that a new process takes, and what it says."""
    (tmp_path / "tmp").mkdir(mode=0o700, exist_ok=True)
    code = "from luff.cli.app import _warning; import warnings; warnings.formatwarning = _warning\n"
    code += "from luff.solver.codegen.cache_folder import cache_dir; print(cache_dir())"
    base = {name: value for name, value in os.environ.items() if name != "LUFF_CACHE_DIR"}
    base |= {"TMPDIR": str(tmp_path / "tmp"), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "default", "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**base, **environment})
    return Path(done.stdout.strip()), done.stderr


def is_private(folder: Path, tmp_path: Path) -> bool:
    found = folder.stat()
    return (
        folder.parent == (tmp_path / "tmp").resolve()
        and found.st_uid == os.getuid()
        and not found.st_mode & 0o077
    )


def test_folder_of_the_user_alone_is_taken_without_a_word(tmp_path: Path) -> None:
    folder, said = chosen(tmp_path, LUFF_CACHE_DIR=str(tmp_path / "deep" / "cache"))
    assert (folder, said) == ((tmp_path / "deep" / "cache").resolve(), "")
    # what is made on the way is nobody else's either, whatever the umask
    assert [place.stat().st_mode & 0o777 for place in (folder, folder.parent)] == [0o700, 0o700]


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o707])
@pytest.mark.parametrize("variable", ["LUFF_CACHE_DIR", "XDG_CACHE_HOME"])
def test_folder_that_others_may_write_to_is_refused(tmp_path: Path, mode: int, variable: str) -> None:
    shared = tmp_path / "shared"
    taken = shared if variable == "LUFF_CACHE_DIR" else shared / "luff"
    taken.mkdir(parents=True)
    taken.chmod(mode)
    folder, said = chosen(tmp_path, **{variable: str(shared)})
    assert is_private(folder, tmp_path)
    assert said.count("luff: warning:") == 1
    assert f"other users may write to {taken}" in said


def test_folder_in_one_that_others_may_write_to_is_refused_unless_it_is_sticky(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "mine").mkdir(parents=True, mode=0o700)
    shared.chmod(0o777)
    folder, said = chosen(tmp_path, LUFF_CACHE_DIR=str(shared / "mine"))
    assert is_private(folder, tmp_path)
    assert f"other users may write to {shared}" in said
    shared.chmod(0o1777)
    folder, said = chosen(tmp_path, LUFF_CACHE_DIR=str(shared / "mine"))
    assert (folder, said) == (shared / "mine", "")


def test_link_counts_as_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "shared")
    folder, said = chosen(tmp_path, LUFF_CACHE_DIR=str(tmp_path / "link"))
    assert is_private(folder, tmp_path)
    assert "other users may write to" in said


@as_root
def test_root_takes_no_folder_of_another_user(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, NOBODY, NOBODY)
    folder, said = chosen(tmp_path, LUFF_CACHE_DIR=str(theirs))
    assert is_private(folder, tmp_path)
    assert f"{theirs} belongs to another user" in said


@pytest.mark.parametrize("how", ["mode", "link", "owner"])
def test_temporary_folder_that_somebody_else_made_is_left_alone(tmp_path: Path, how: str) -> None:
    if how == "owner" and os.getuid() != 0:
        pytest.skip("root alone gives files away")
    (tmp_path / "tmp").mkdir(mode=0o700)
    planted = tmp_path / "tmp" / f"luff-cache-{os.getuid()}"
    if how == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        planted.symlink_to(tmp_path / "elsewhere")
    else:
        planted.mkdir(mode=0o700)
        planted.chmod(0o777 if how == "mode" else 0o700)
        if how == "owner":
            os.chown(planted, NOBODY, NOBODY)
    (tmp_path / "file").touch()  # no folder can be made in a file
    folder, _ = chosen(tmp_path, LUFF_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert folder.name != planted.name
    assert not folder.exists()  # gone with its process


@pytest.mark.skipif(not ENABLED, reason="nothing is compiled")
def test_planted_code_is_not_run(tmp_path: Path) -> None:
    """Object code with another's instructions: what a run gives shows whose code it was."""
    for method in ("euler", "rk4"):
        luff.compile(PENDULUM).run(stop=0.01, method=method)
    shared = tmp_path / "shared"
    kept = object_store.folder().relative_to(cache_dir())
    shutil.copytree(object_store.folder(), shared / kept)
    # a folder may hold code of other versions too
    file, other = (object_store.path_of(unit, shared / kept) for unit in (runge_kutta.euler, runge_kutta.rk4))
    needed, code = object_store.unpacked(file.read_bytes(), file.name) or ([], b"")
    # Euler's step under the name of RK4's
    planted = code.replace(b"luff_integrators_runge_kutta_euler", b"luff_integrators_runge_kutta_rk4\0\0")
    other.write_bytes(object_store.packed(needed, planted, other.name))
    # kernels need not be compiled anew for this test: the temporary folder has them
    private = tmp_path / "tmp" / f"luff-cache-{os.getuid()}"
    private.parent.mkdir(mode=0o700)
    private.mkdir(mode=0o700)
    shutil.copytree(object_store.folder(), private / kept)
    environment = {**os.environ, "LUFF_CACHE_DIR": str(shared), "TMPDIR": str(tmp_path / "tmp")}

    def last(output: str) -> str:
        command = [sys.executable, "-m", "luff", "run", str(PENDULUM), "--stop", "0.5", "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)
        return (tmp_path / output).read_text().splitlines()[-1]

    said: list[str] = []
    shared.chmod(0o777)
    refused = last("refused.csv")
    assert "luff: warning: compiled code is not kept in" in said[0]
    # the plant is a real one: in a folder that is trusted it is run
    shared.chmod(0o700)
    assert last("trusted.csv") != refused
