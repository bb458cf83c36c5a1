"""Names the packages: the root is `luff`, and every folder of it with an `__init__.py` is a subpackage.

LUFF_COMPILED names a folder of compiled code that the package shall carry: see `make wheel`.
"""

import os
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

NOT_SHIPPED = ["tests*", "bench*", "docs*", "build*"]


class BuildPackage(build_py):
    """This file lies in the package's root and is none of its modules; compiled code comes from elsewhere."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [(owner, module, path) for owner, module, path in found if module != "setup"]

    def run(self) -> None:
        super().run()
        compiled = os.environ.get("LUFF_COMPILED")
        if compiled:
            target = Path(self.build_lib, "luff", "solver", "machine", "compiled")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(compiled, target)


setup(
    packages=["luff", *(f"luff.{name}" for name in find_packages(exclude=NOT_SHIPPED))],
    cmdclass={"build_py": BuildPackage},
)
