"""Names the packages: the root is `luff`, and every folder of it with an `__init__.py` is a subpackage.

LUFF_COMPILED names a folder of compiled code that the package shall carry: see `make wheel`.
"""

import os
import runpy
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command import editable_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

NOT_SHIPPED = ["tests*", "bench*", "docs*", "build*"]


def write_commit(folder: Path) -> None:
    """Write the commit that `luff --version` shows where there is no git clone."""
    version = runpy.run_path("version.py")
    made_of = version["commit"](Path.cwd())
    if made_of:
        (folder / version["WRITTEN"]).write_text(f"{made_of}\n")


class BuildPackage(build_py):
    """This file lies in the package's root and is none of its modules; compiled code comes from elsewhere."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        modules = super().find_package_modules(package, package_dir)
        return [(owner, module, path) for owner, module, path in modules if module != "setup"]

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write_commit(Path(self.build_lib, "luff"))
        compiled = os.environ.get("LUFF_COMPILED")
        if compiled:
            target = Path(self.build_lib, "luff", "solver", "codegen", "compiled")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(compiled, target)


class EditableWheel(editable_wheel.editable_wheel):
    """An editable install that type checkers and editors follow.

    The package's root is the repository's, so that no folder on the path has a folder `luff`: setuptools would
    answer with an import hook, which nothing follows that only reads. A `.pth` file can name a folder with a link.
    """

    def _select_strategy(self, name: str, tag: str, build_lib: object) -> object:
        static_path = getattr(editable_wheel, "_StaticPth", None)
        if static_path is None or os.name == "nt":  # links need rights there
            return super()._select_strategy(name, tag, build_lib)  # pyright: ignore[reportAttributeAccessIssue]
        folder = Path.cwd() / ".editable"
        folder.mkdir(exist_ok=True)
        link = folder / "luff"
        if not link.is_symlink():
            link.symlink_to("..", target_is_directory=True)
        return static_path(self.distribution, name, [folder])


class Sources(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_commit(Path(base_dir))


setup(
    packages=["luff", *(f"luff.{name}" for name in find_packages(exclude=NOT_SHIPPED))],
    cmdclass={"build_py": BuildPackage, "editable_wheel": EditableWheel, "sdist": Sources},
)
