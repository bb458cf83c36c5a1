"""Luff's own blocks are found by a list of names, so that one is loaded without the others."""

import pkgutil
import subprocess
import sys
from importlib import import_module

from luff import blocks
from luff.blocks import registry


def test_list_names_every_block_with_its_module() -> None:
    there = {}
    for module in pkgutil.walk_packages(blocks.__path__, "luff.blocks."):
        for cls in vars(import_module(module.name)).values():
            is_block = (
                isinstance(cls, type) and issubclass(cls, blocks.Block) and cls.__module__ == module.name
            )
            if is_block and not cls.abstract and module.name.count(".") > 2:
                there[cls.type_name] = module.name.removeprefix("luff.blocks.")
    assert there == registry.HOMES


def test_a_small_model_loads_no_blocks_of_others() -> None:
    program = (
        "import sys, luff\n"
        "from luff.solver.flat.flatten import flatten\n"
        "flatten(luff.load('library/templates/pendulum.yaml'))\n"
        "print(*(name for name in sys.modules if name.startswith('luff.blocks.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "luff.blocks.mechanics.joints" in loaded
    others = ("luff.blocks.foreign.", "luff.blocks.environment.", "luff.blocks.planning.")
    assert [name for name in loaded if name.startswith(others)] == []
