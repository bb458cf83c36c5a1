"""The package as users get it: importable from anywhere, complete, light."""

import ast
import subprocess
import sys
from pathlib import Path

from setuptools import find_packages

import luff

ROOT = Path(luff.__file__).resolve().parent


def run(code: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, check=True, text=True, capture_output=True)
    return done.stdout.strip()


def test_import_works_from_another_directory(tmp_path: Path) -> None:
    assert run("import luff, luff.blocks, luff.solver; print(luff.__file__)", tmp_path) == str(
        ROOT / "__init__.py"
    )


def test_import_loads_no_heavy_package(tmp_path: Path) -> None:
    heavy = ["matplotlib", "h5py", "scipy", "sympy", "pint", "numba", "PySide6"]
    code = f"import luff, sys; print([name for name in {heavy} if name in sys.modules])"
    assert run(code, tmp_path) == "[]"


def test_setup_ships_code_and_neither_tests_nor_builds() -> None:
    script = ast.parse((ROOT / "setup.py").read_text())
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in script.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    tops = {name.split(".")[0] for name in find_packages(str(ROOT), exclude=constants["NOT_SHIPPED"])}
    assert {"blocks", "solver"} <= tops <= {"blocks", "solver", "gui", "cli"}
