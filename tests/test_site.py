"""The documentation builds without a warning, asks nothing of the network, and its reference has every block."""

import html
import re
from collections.abc import Callable, Iterable
from importlib.util import find_spec
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
    if find_spec("ziamath") is None:
        pytest.skip("the extra docs is not installed whole")
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    # of the live pages one of a model and one of a block are made; `make docs` makes the others, in minutes
    from luff.docs import live

    made: dict[str, bytes] = {}

    def page(path: Path, sliders: Iterable[str], make: Callable[..., bytes] = live.page) -> bytes:
        kind = path.parent.name
        if kind not in made:
            made[kind] = make(path, sliders)
        return made[kind]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        patch.setattr(live, "page", page)
        build.build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text()
        loaded = [a or b for a, b in re.findall(LOADS, text)]
        if "live" in page.relative_to(site).parts:
            assert not loaded  # all that it needs is in it
        else:
            assert len(loaded) >= 2  # its style and its script
        for target in loaded:
            assert not re.match(r"(https?:)?//", target), f"{page.name}: {target}"
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(https?:)?//", style.read_text()), style.name


def test_notebooks_are_pages_with_what_their_cells_show(site: Path) -> None:
    page = (site / "notebooks" / "crane.html").read_text()
    pictures = re.findall(r'<img [^>]*src="(crane-\d+\.svg)"', page)
    assert pictures
    assert all((site / "notebooks" / name).read_text().lstrip().startswith("<") for name in pictures)
    assert (site / "notebooks" / "crane.ipynb").is_file()


def test_pages_hold_what_they_include(site: Path) -> None:
    """A formatter of code may take the mark for an expression, which nobody then replaces."""
    for page in site.rglob("*.html"):
        assert not re.search(r"--8\s*&lt;", re.sub(r"</?span[^>]*>", "", page.read_text())), page.name
    assert "exu.SystemContainer()" in re.sub(r"</?span[^>]*>", "", (site / "from_exudyn.html").read_text())


def test_formulas_are_mathml(site: Path) -> None:
    text = (site / "theory.html").read_text()
    assert text.count("<math") > 30
    assert "arithmatex" not in text
    style = (site / "assets/luff.css").read_text()
    (font,) = re.findall(r'font-family: "STIX Two Math";\s*src: url\("([^"]+)"\)', style)
    code = (site / "assets" / font).read_bytes()
    assert code[:4] == b"\0\1\0\0"  # TrueType
    assert b"MATH" in code[:400]  # the table that formulas are set by


def test_python_api_has_every_public_name_with_what_it_takes(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "api.html").read_text())
    for name in luff.__all__:
        assert f"luff.{name}" in text, name
    for words in ("stop: float | None = None", "derivative(t, x)", "State derivative dx/dt = f(t, x)."):
        assert words in html.unescape(text)


def test_reference_has_every_block_with_its_parameters(site: Path) -> None:
    for name, cls in registered().items():
        if not cls.__module__.startswith("luff."):
            continue  # of another test
        text = (site / "blocks" / f"{cls.family}.html").read_text()
        own = text[text.index(f'<h2 id="{name}"') :]
        own = own[: own.find("<h2 ", 4)]
        for shown in (*cls.class_ports, *cls.params):
            assert f"<code>{shown}</code>" in own, f"{name}: {shown}"


def test_pages_hold_models_that_run(site: Path) -> None:
    """Each frame leads to a page that is there and small, and loads only when it is unfolded."""
    frames = {
        (page.parent / source).resolve(): page
        for page in site.rglob("*.html")
        if page.parent.name != "live"
        for source in re.findall(r'<iframe class="live"[^>]* src="([^"#]+)', page.read_text())
    }
    made = {path.resolve() for path in (site / "live").rglob("*.html")}
    assert set(frames) == made
    assert len(made) > 20
    assert max(path.stat().st_size for path in made) < 400_000
    for page in ("gallery", "hoist", "blocks/joints"):
        for source in re.findall(r'<iframe class="live"[^>]*>', (site / f"{page}.html").read_text()):
            assert 'loading="lazy"' in source
            assert "play" not in source


def test_pages_lead_to_their_sources_and_to_the_changes(site: Path) -> None:
    for page, name in (("hoist", "hoist.md"), ("blocks/joints", "blocks/mechanics/joints.py")):
        text = (site / f"{page}.html").read_text()
        (link,) = {*re.findall(rf'href="([^"]*sources/{re.escape(name)}\.txt)"', text)}
        source = ((site / page).parent / link).read_text()
        assert source == (ROOT / ("docs" if name.endswith(".md") else ".") / name).read_text()
    assert f"{luff.__version__} (" in (site / "changelog.html").read_text()
