"""What MkDocs does besides: pages of the block reference from the blocks themselves, and TeX to MathML."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from luff.docs.blocks import pages


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
    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_content(content: str, **_: Any) -> str:
    content = re.sub(
        r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', mathml, content, flags=re.DOTALL
    )
    # a picture that is no link already leads to itself, in full size
    return re.sub(r'(?<!">)(<img [^>]*?src="([^"]+)"[^>]*>)', r'<a class="picture" href="\2">\1</a>', content)


def mathml(found: re.Match[str]) -> str:
    display = "block" if found[1] == "div" else "inline"
    return convert(html.unescape(found[2]).strip(), display=display)
