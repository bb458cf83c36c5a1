"""Mutation testing by chance: change an operator or a number of a module, run the tests that should notice it.

    python -m luff.tests.run_mutations [--count N] [--seed S] [WORD...]      only modules with such a word in their path

Modules and tests are those of `mutated.toml`. Each change is made in a copy of the sources, as plain Python: nothing
is compiled. What survives is to be looked at: a test is missing, or the change says the same as what it replaces. It
needs processes with limits, and so Linux or macOS.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 60  # s of processor time, after which a mutation that hangs counts as killed
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "sin": "cos", "cos": "sin", "any": "all", "all": "any"}


class Mutation(NamedTuple):
    """A piece of a file by its bytes, and what stands there instead."""

    file: str
    begin: int
    end: int
    new: str

    def apply(self, text: bytes) -> bytes:
        return text[: self.begin] + self.new.encode() + text[self.end :]


def changed(node: ast.AST) -> ast.AST | None:
    """The node with one operator or number replaced; None where there is nothing to replace."""
    match node:
        case ast.BinOp(op=op) if type(op) in SWAPS:
            return ast.BinOp(node.left, SWAPS[type(op)](), node.right)  # type: ignore[arg-type]
        case ast.BoolOp(op=op):
            return ast.BoolOp(SWAPS[type(op)](), node.values)  # type: ignore[arg-type]
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            return ast.Compare(node.left, [SWAPS[type(op)]()], node.comparators)  # type: ignore[list-item]
        case ast.AugAssign(op=op) if type(op) in SWAPS:
            return ast.AugAssign(node.target, SWAPS[type(op)](), node.value)  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            return node.operand
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            return ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            return ast.Call(ast.Name(CALLS[name]), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr=name)) if name in CALLS:
            return ast.Call(ast.Attribute(node.func.value, CALLS[name]), node.args, node.keywords)
    return None


def code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but annotations, and parts of formatted strings, which only say something."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns") and not isinstance(node, ast.JoinedStr):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from code(child)


def mutations(file: str) -> list[Mutation]:
    """All that can be made inside the functions of a file."""
    text = (ROOT / file).read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    functions = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
    found = {}
    for node in (node for function in functions for one in function.body for node in code(one)):
        new = changed(node)
        if new is not None:
            begin, end = (starts[line - 1] + column for line, column in (
                (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)))  # fmt: skip
            said = ast.unparse(ast.fix_missing_locations(new))
            found[begin, end] = Mutation(
                file, begin, end, said if isinstance(node, ast.AugAssign) else f"({said})"
            )
    return list(found.values())


def failed(package: Path, tests: list[str]) -> str:
    """The test that fails first, or nothing."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "QT_QPA_PLATFORM": "offscreen", "MPLBACKEND": "Agg"}
    environment |= {
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPYCACHEPREFIX": "none",
    }
    for each in tests:
        file, _, words = each.partition(" -k ")
        command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "--tb=no", file]
        done = subprocess.run(
            command + (["-k", words] if words else []), cwd=package, env=environment, capture_output=True, check=False,
            start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)),
        )  # fmt: skip
        if done.returncode:
            return each
    return ""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args(arguments)
    tests = tomllib.loads((ROOT / "tests" / "mutated.toml").read_text("utf-8"))
    files = [file for file in tests if not options.words or any(word in file for word in options.words)]
    pick = random.Random(options.seed)
    survived = 0
    with tempfile.TemporaryDirectory(prefix="luff-mutate-") as folder:
        package = Path(folder) / "luff"
        shutil.copytree(
            ROOT, package, ignore=shutil.ignore_patterns(".venv", ".editable", "build", ".git", "__pycache__")
        )
        for _ in range(options.count):
            mutation = pick.choice(mutations(pick.choice(files)))
            original = (ROOT / mutation.file).read_bytes()
            (package / mutation.file).write_bytes(mutation.apply(original))
            by = failed(package, tests[mutation.file])
            (package / mutation.file).write_bytes(original)
            sound = not by or not failed(package, [by])
            word = "SURVIVED" if not by else "killed" if sound else "UNSOUND"
            survived += word != "killed"
            line, old = (
                original[: mutation.begin].count(b"\n") + 1,
                original[mutation.begin : mutation.end].decode(),
            )
            print(f"{word:9} {mutation.file}:{line}: {old!r} -> {mutation.new!r}  {by}", flush=True)
    print(f"seed {options.seed}: {options.count - survived} of {options.count} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
