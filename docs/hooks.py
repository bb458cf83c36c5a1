"""What MkDocs does besides: pages of the block reference and of the Python API from the code itself, TeX to MathML, and
the font of formulas.
"""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

import luff
from luff.docs import api
from luff.docs.blocks import pages
from luff.solver.diagram.composites import LIBRARY

# STIX Two Math, under the SIL Open Font License 1.1, out of the package ziamath
FONT = "STIXTwoMath-Regular.ttf"
# models that run where they are shown, with the sliders that they have besides
LIVE = {
    "crane_by_hand": ("slewing=-0.4..0.4", "luffing=-0.1..0.1", "reaching=-0.6..0.6"),
    "crane_knuckle_boom": (),
    "crane_vessel": (),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """One entry a family below `Blocks`; pages that mkdocs.yml does not place are how-tos."""
    placed = set(re.findall(r"[\w/]+\.md", str(config.nav)))
    others = [path.name for path in sorted(Path(config.docs_dir).glob("*.md")) if path.name not in placed]
    for entry in config.nav or []:
        if "Blocks" in entry:
            entry["Blocks"] += [path for path in pages() if path not in placed]
        if "How to" in entry:
            entry["How to"] += others
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, text in {**pages(), "api.md": api.page()}.items():
        files.append(File.generated(config, path, content=text))
    files.append(File.generated(config, f"assets/{FONT}", abs_src_path=str(font())))
    for name, sliders in LIVE.items():
        files.append(File.generated(config, f"live/{name}.html", content=live(name, sliders)))
    return files


def live(name: str, sliders: Sequence[str]) -> bytes:
    """A model that runs in the page that shows it: of docs/models, or of the library."""
    own = Path(__file__).parent / "models" / f"{name}.yaml"
    with tempfile.TemporaryDirectory() as folder:
        path = luff.export_page(
            own if own.is_file() else LIBRARY / own.name, Path(folder) / "page.html", sliders
        )
        return path.read_bytes()


def font() -> Path:
    found = find_spec("ziamath")  # which is not imported: only its file is wanted
    if found is None or found.origin is None:
        raise PluginError("the font of formulas is missing: pip install -e '.[docs]'")
    return Path(found.origin).with_name("fonts") / FONT


def on_page_content(content: str, **_: Any) -> str:
    content = re.sub(
        r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', mathml, content, flags=re.DOTALL
    )
    # a picture that is no link already leads to itself, in full size
    return re.sub(r'(?<!">)(<img [^>]*?src="([^"]+)"[^>]*>)', r'<a class="picture" href="\2">\1</a>', content)


def mathml(found: re.Match[str]) -> str:
    display = "block" if found[1] == "div" else "inline"
    return convert(html.unescape(found[2]).strip(), display=display)
