"""The documentation builds without a warning, asks nothing of the network, and its reference has every block."""

import re
from pathlib import Path

import pytest

import luff
from luff.blocks.registry import registered

ROOT = Path(luff.__file__).resolve().parent
LOADS = (
    r'<(?:script|img|iframe|source)[^>]+src="([^"]+)"'
    r'|<link[^>]+rel="(?:stylesheet|preconnect|icon)"[^>]+href="([^"]+)"'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = pytest.importorskip("mkdocs.commands.build")
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        build.build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text()
        loaded = [a or b for a, b in re.findall(LOADS, text)]
        assert len(loaded) >= 2  # its style and its script
        for target in loaded:
            assert not re.match(r"(https?:)?//", target), f"{page.name}: {target}"
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(https?:)?//", style.read_text()), style.name


def test_formulas_are_mathml(site: Path) -> None:
    text = (site / "theory.html").read_text()
    assert text.count("<math") > 30
    assert "arithmatex" not in text


def test_reference_has_every_block_with_its_parameters(site: Path) -> None:
    for name, cls in registered().items():
        if not cls.__module__.startswith("luff."):
            continue  # of another test
        text = (site / "blocks" / f"{cls.family}.html").read_text()
        own = text[text.index(f'<h2 id="{name}"') :]
        own = own[: own.find("<h2 ", 4)]
        for shown in (*cls.class_ports, *cls.params):
            assert f"<code>{shown}</code>" in own, f"{name}: {shown}"
