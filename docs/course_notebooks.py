"""A notebook of each sheet of the course, made from the sheet: its model, its mistakes, and the script of its answers.

`python -m luff.docs.course_notebooks FOLDER` writes them; the site has each beside its sheet.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "course"
TELL = '''def tell(right, wrong):
    """What luff says of the model with this change."""
    try:
        luff.compile(luff.loads(model.replace(right, wrong)))
    except luff.LuffError as error:
        print(error)
'''


def sheets() -> list[Path]:
    return sorted(FOLDER.glob("[0-9]*.md"))


def parts_of(text: str) -> tuple[str, str]:
    """Name and text of its netlist."""
    ((name, netlist),) = re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```', text, re.DOTALL | re.MULTILINE)
    return name, netlist


def mistakes_of(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^- `(.*)` becomes `(.*)`$", text, re.MULTILINE)


def notebook(sheet: Path) -> str:
    text = sheet.read_text("utf-8")
    name, netlist = parts_of(text)
    above, rest = text.split("```yaml", 1)
    rest = rest.split("```\n", 1)[1]
    questions, rest = rest.split("## Three mistakes\n", 1)
    answers = rest[rest.index("## Answers") :]
    answers, rest = answers.split("```python\n", 1)
    script, after = rest.split("```", 1)
    begin = 'from pathlib import Path\n\nimport luff\n\nmodel = """\\\n'
    model = f'{begin}{netlist}"""\nPath("{name}").write_text(model)\n'
    changes = "\n".join(f"tell({right!r}, {wrong!r})" for right, wrong in mistakes_of(text))
    told = "## Three mistakes\n\nSay of what is printed what is wrong in the model, and how to mend it."
    cells = [
        ("markdown", above),
        ("code", f'{model}result = luff.compile("{name}").run()\nresult'),
        ("markdown", questions),
        ("markdown", told),
        ("code", f"{TELL}\n\n{changes}"),
        ("markdown", answers),
        ("code", script),
        *([("markdown", after)] if after.strip() else []),
    ]
    return json.dumps(
        {
            "cells": [cell(f"{sheet.stem}-{k}", kind, source) for k, (kind, source) in enumerate(cells)],
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
        ensure_ascii=False,
    )


def cell(name: str, kind: str, source: str) -> dict[str, object]:
    made = {"cell_type": kind, "id": name, "metadata": {}, "source": source.strip().splitlines(keepends=True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def files() -> dict[str, str]:
    """By path in the site."""
    return {f"course/{sheet.stem}.ipynb": notebook(sheet) for sheet in sheets()}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for path, made in files().items():
        (folder / Path(path).name).write_text(made, encoding="utf-8")
