"""The package as users get it: importable from anywhere, complete, light."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from setuptools import find_packages

import luff
from luff.bench import house
from luff.tests import long_runs
from luff.tests.conftest import LONGEST_FILES

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


def test_first_step_loads_no_heavy_package_and_no_other_block(tmp_path: Path) -> None:
    """Of a model whose machine code is kept; what has to be compiled is compiled in processes beside."""
    heavy = ["matplotlib", "h5py", "scipy", "sympy", "pint", "numba", "PySide6", "typer", "rich", "pandas"]
    rooms = [
        "gui",
        "cli",
        "solver.analysis",
        "solver.studies",
        "solver.fmi",
        "blocks.foreign",
        "blocks.planning",
    ]
    late = [
        *rooms,
        "blocks.environment",
        "blocks.signals",
        "solver.netlist.text_patch",
        "solver.simulation.jacobian",
    ]
    model = ROOT / "library" / "templates" / "pendulum.yaml"
    code = f"""import luff, sys
luff.compile(luff.load({str(model)!r})).start().advance(steps=1)
assert "luff.solver.integrators.run_loop" in sys.modules
print([name for name in {[*heavy, *(f"luff.{room}" for room in late)]} if name in sys.modules])"""
    assert run(code, tmp_path) == "[]"


def test_loading_searches_no_garbage_and_leaves_the_search_as_it_was(tmp_path: Path) -> None:
    code = """import gc, luff
searches = []
gc.callbacks.append(lambda phase, about: searches.append(about))
luff.compile
print(searches, gc.isenabled(), gc.get_freeze_count())
gc.disable()
luff.study
print(gc.isenabled())"""
    assert run(code, tmp_path).splitlines() == ["[] True 0", "False"]


def test_setup_ships_code_and_neither_tests_nor_builds() -> None:
    script = ast.parse((ROOT / "setup.py").read_text())
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in script.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    tops = {name.split(".")[0] for name in find_packages(str(ROOT), exclude=constants["NOT_SHIPPED"])}
    assert {"blocks", "solver"} <= tops <= {"blocks", "solver", "gui", "cli"}


def test_package_says_its_licence_and_that_it_is_typed() -> None:
    """As an SPDX expression, which setuptools takes over into the wheel; the marker of PEP 561 is shipped."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert about["project"]["license"] == "BSD-3-Clause"
    assert [(ROOT / name).is_file() for name in about["project"]["license-files"]] == [True]
    assert not [one for one in about["project"]["classifiers"] if one.startswith("License")]
    assert "py.typed" in about["tool"]["setuptools"]["package-data"]["luff"]


@cache
def trees() -> dict[Path, ast.Module]:
    """The product's files, parsed."""
    files = (path for top in ("blocks", "solver", "gui", "cli") for path in (ROOT / top).rglob("*.py"))
    return {path: ast.parse(path.read_text("utf-8")) for path in files}


def imports_by_module() -> dict[str, set[str]]:
    """Which modules of the package each one imports: at its top, for types alone, or inside of functions."""
    files = {}
    for path in trees():
        parts = path.relative_to(ROOT).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node in ast.walk(trees()[path]):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package[: len(package) - node.level + 1]
                whole = ".".join([*base, *(node.module or "").split(".")]).strip(".")
                for alias in node.names:
                    inner = f"{whole}.{alias.name}"
                    found[name] |= {inner if inner in files else whole} & set(files) - {name}
    return found


def test_no_circle_of_files() -> None:
    """Modules that import nothing that is left are taken away until none is left."""
    left = imports_by_module()
    assert len(left) > 300
    while True:
        free = {name for name, needs in left.items() if not needs & left.keys()}
        if not free:
            break
        left = {name: needs for name, needs in left.items() if name not in free}
    assert {name: sorted(needs & left.keys()) for name, needs in left.items()} == {}


def test_columns_of_model_and_data_have_names_of_their_own() -> None:
    """Kernels read both by `model_data`: a column of the one would hide a column of the other."""
    names = [
        {
            target.id
            for node in trees()[ROOT / "solver" / "kernels" / f"{name}_columns.py"].body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for name in ("model", "data")
    ]
    assert len(names[0]) > 100
    assert names[0] & names[1] == {"column"}


def test_functions_that_the_map_names_stand_in_their_files() -> None:
    """`kernels/passive_forces.py: passive_forces` of ARCHITECTURE.md: a file of a room, and a name that it defines."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(r"`([\w/]+\.py): ([\w.]+)`", text)
    assert len(named) > 12
    wrong = []
    for file, name in named:
        places = [ROOT / top / file for top in ("", "solver", "solver/integrators")]
        source = next((place.read_text("utf-8") for place in places if place.is_file()), "")
        if not all(
            re.search(rf"\b(def|class) {word}\b|^{word}\b", source, re.MULTILINE) for word in name.split(".")
        ):
            wrong.append(f"{file}: {name}")
    assert wrong == []


def test_files_that_the_map_and_the_rooms_name_are_there() -> None:
    """`kernels/passive_forces.py` counts from the repository or from a part of it; `gui/drawing/wire_layout.py` in a
    room's own words is its."""
    rooms = [path for path in trees() if path.name == "__init__.py"]
    named, wrong = 0, []
    for place in (ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / path for path in rooms)):
        text = place.read_text("utf-8")
        text = text if place.suffix == ".md" else text.split('"""')[1]
        for word in re.findall(r"`([\w/]+/\w+\.(?:py|c|h|js|html|css|md|yaml))`", text):
            named += 1
            tops = (ROOT, *(ROOT / top for top in ("solver", "gui", "blocks", "solver/codegen")))
            found = "TYPE" in word or any((top / word).is_file() for top in tops)
            wrong += [] if found else [f"{place.name}: {word}"]
    assert wrong == []
    assert named > 200


def test_files_that_the_map_sends_changes_to_are_there() -> None:
    """`mechanism/model_packing.py` after `solver/mechanism/spanning_tree.py` is beside it; a name of code stands in the
    file before it."""
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Where usual changes go")[2]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) > 30
    wrong, named = [], 0
    for cell in (cell for row in rows for cell in row.split(" | ")):
        place = ROOT
        for word in re.findall(r"`([^` ]+)`", cell):
            if re.fullmatch(r"[\w/.]+(\.(py|md|toml)|/)", word) and "TYPE" not in word:
                folder = place if place.is_dir() else place.parent
                place = ROOT / word if "/" in word else folder / word
                named += 1
                wrong += [] if place.exists() else [word]
            elif (
                re.fullmatch(r"[A-Z]\w+|[a-z]+_\w+", word)
                and place.is_file()
                and "KEY" not in word
                and word[-2:] != "_X"
            ):
                wrong += (
                    [] if re.search(rf"\b{word}\b", place.read_text("utf-8")) else [f"{place.name}: {word}"]
                )
    assert wrong == []
    assert named > 90


def test_files_and_functions_stay_small() -> None:
    """Lines of the product without docstrings; the aim is 400. Only the loop of a run exceeds 60 (`bench/house.py`)."""
    described = (ast.Module, ast.ClassDef, ast.FunctionDef)
    lines = {
        path: path.read_text("utf-8").count("\n")
        - sum(house.docstring_lines(node) for node in ast.walk(tree) if isinstance(node, described))
        for path, tree in trees().items()
    }
    assert [str(path) for path, count in lines.items() if count > 450] == []
    assert [
        where
        for size, where in house.functions({str(p): tree for p, tree in trees().items()})
        if size > (80 if where.endswith("loop.py: advance") else 60)
    ] == []


def test_windows_are_waited_for_as_long_as_it_takes() -> None:
    """pytest-qt gives up after five seconds, for which a busy machine may well stand still."""
    short = []
    for path in sorted((ROOT / "tests" / "gui").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "qtbot.wait" in text else ():
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr.startswith("wait") and ast.unparse(node.func.value).endswith("qtbot"):
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                if given.get("timeout") != "LONG":
                    short.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert short == []


def test_files_of_tests_that_come_first_are_there() -> None:
    missing = [name for name in LONGEST_FILES if not (ROOT / "tests" / name).is_file()]
    assert missing == []


def test_every_long_run_of_the_list_is_a_test(request: pytest.FixtureRequest) -> None:
    """Its function in any run; its parameters too where its file was collected, as in a run of all."""
    collected = (
        [] if any("::" in word for word in request.config.args) else request.config.stash[long_runs.COLLECTED]
    )
    files = {name.partition("::")[0] for name in collected}
    for entry, met in long_runs.matches(collected).items():
        file, _, name = re.split(r"[\[\s]", entry)[0].partition("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text("utf-8"), entry
        assert met or file not in files, entry


def test_every_file_keeps_a_test_that_is_short(request: pytest.FixtureRequest) -> None:
    """But the one whose tests all need the site, which takes long to build."""
    collected = request.config.stash[long_runs.COLLECTED]
    long = {name for met in long_runs.matches(collected).values() for name in met}
    short = {name.partition("::")[0] for name in collected if name not in long}
    wholly_long = {name.partition("::")[0] for name in long} - short
    assert wholly_long <= {"test_site.py"} or any("::" in word for word in request.config.args)


def test_entries_of_the_long_runs_meet_what_they_say() -> None:
    names = ["a.py::test[x]", "a.py::test[x-1]", "a.py::test[y y]", "a.py::test_other", "a.py::test"]
    text = "# why\na.py::test\n    only x |\n        gone\n\n# why\na.py::test\n    all but x | y y\na.py::test_other"
    assert list(long_runs.matches(names, text).items()) == [
        ("a.py::test[x]", ["a.py::test[x]"]),
        ("a.py::test[gone]", []),
        ("a.py::test\n    all but x | y y", ["a.py::test[x-1]"]),
        ("a.py::test_other", ["a.py::test_other"]),
    ]


def test_a_test_that_grew_is_told_unless_it_is_long() -> None:
    def report(name: str, seconds: float, *marks: str) -> pytest.TestReport:
        keywords = dict.fromkeys(marks, 1)
        return pytest.TestReport(name, ("", None, ""), keywords, "passed", None, "call", duration=seconds)

    half = long_runs.SLOW / 2
    reports = [report("quick", half), report("grew", half), report("grew", half + 1)]
    assert [line.split()[:3] for line in long_runs.told_as_slow([*reports, report("whole", 99, "long")])] == [
        ["grew", "took", "21"]
    ]


def test_each_text_names_the_commands_that_run_all_tests() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipes = dict(re.findall(r"^(test[\w-]*): .*\n\t(.*)", makefile, re.MULTILINE))
    marks = {name: re.findall(r' -m ("[^"]+"|long)', recipes[name]) for name in ("test", "test-long")}
    assert marks == {"test": ['"not long"'], "test-long": ["long"]}
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs/contributing.md", ".ci/run"):
        text = (ROOT / name).read_text("utf-8")
        named = set(re.findall(r"(?:^|`)make ([\w-]+)", text, re.MULTILINE))
        assert {"test", "test-long"} <= named <= targets, name


def test_citation_and_changelog_speak_of_this_version() -> None:
    version = luff.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == version
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert newest[1] == version
