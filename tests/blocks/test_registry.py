"""Luff's own blocks are found by a list of names, so that one is loaded without the others."""

import pkgutil
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
