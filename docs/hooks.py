"""What MkDocs does besides: pages of the block reference, of the Python API and of the source papers, models
that run where they are shown, sources beside pages, TeX to MathML, and the font of formulas.
"""

from __future__ import annotations

import html
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import luff
from luff.docs import api, course_notebooks, live, notebook_pages, papers
from luff.docs.blocks import pages, sources

# STIX Two Math, under the SIL Open Font License 1.1, out of the package ziamath
FONT = "STIXTwoMath-Regular.ttf"
SOURCES = Path(luff.__file__).parent


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
    changes = (SOURCES / "CHANGELOG.md").read_text("utf-8")
    written = {"api.md": api.page(), "papers.md": papers.page(), "changelog.md": changes}
    made = {**pages(), **written, **notebook_pages.files()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for path, text in course_notebooks.files().items():
        files.append(File.generated(config, path, content=text))
    files.append(File.generated(config, f"assets/{FONT}", abs_src_path=str(font())))
    own = [file.content_string for file in files.documentation_pages() if file.src_uri not in made]
    for path, page in live.pages([*made.values(), *own]):
        files.append(File.generated(config, path, content=page))
    for name in {*sources().values(), *(file.src_uri for file in files.documentation_pages())} - {*made}:
        path = Path(config.docs_dir, name) if name.endswith(".md") else SOURCES / name
        files.append(File.generated(config, f"sources/{name}.txt", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The text of each page, as it was written, is part of the site."""
    path = page.file.src_uri
    markdown = live.filled(markdown)
    if f"{path.removesuffix('.md')}.ipynb" in course_notebooks.files():
        markdown += f"\n\n[This sheet as a notebook]({Path(path).stem}.ipynb)\n"
    if page.file.generated_by is None:
        up = "../" * path.count("/")
        markdown += f"\n\n[Source of this page]({up}sources/{path}.txt){{ .source }}\n"
    return markdown


def font() -> Path:
    spec = find_spec("ziamath")  # which is not imported: only its file is wanted
    if spec is None or spec.origin is None:
        raise PluginError("the font of formulas is missing: pip install -e '.[docs]'")
    return Path(spec.origin).with_name("fonts") / FONT


def on_page_content(content: str, **_: Any) -> str:
    content = re.sub(
        r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', mathml, content, flags=re.DOTALL
    )
    # a picture that is no link already leads to itself, in full size
    return re.sub(r'(?<!">)(<img [^>]*?src="([^"]+)"[^>]*>)', r'<a class="picture" href="\2">\1</a>', content)


def mathml(match: re.Match[str]) -> str:
    display = "block" if match[1] == "div" else "inline"
    return convert(html.unescape(match[2]).strip(), display=display)
