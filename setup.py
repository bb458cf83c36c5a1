"""Names the packages: the root is `luff`, and every folder of it with an `__init__.py` is a subpackage."""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

NOT_SHIPPED = ["tests*", "bench*", "docs*", "build*"]


class BuildWithoutThisFile(build_py):
    """This file lies in the package's root and is none of its modules."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [(owner, module, path) for owner, module, path in found if module != "setup"]


setup(
    packages=["luff", *(f"luff.{name}" for name in find_packages(exclude=NOT_SHIPPED))],
    cmdclass={"build_py": BuildWithoutThisFile},
)
