"""Studies that came from elsewhere: they read nothing that they may not, and their names are names."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.solver.studies import load, report
from luff.solver.studies.markdown_escape import escape_line
from luff.tests.process import call
from luff.tests.shared.netlists import OSCILLATOR

SECRET = "password: 1234\n\tsecret"


@pytest.mark.parametrize(
    "name", ["../secret.yaml", "{folder}/secret.yaml", "./link.yaml", "./../study/../secret.yaml"]
)
@pytest.mark.parametrize("command", ["study", "fit"])
def test_model_stays_in_the_folder_of_the_study(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(SECRET)
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    section = (
        "variants: {list: {a: {}}}"
        if command == "study"
        else "fit: {parameters: {a.b: {lower: 0, upper: 1}}, data: [{file: a.csv, signals: {a: a}}]}"
    )
    text = f"luff: 1\nmodel: {name.format(folder=tmp_path)}\n{section}\n"
    (tmp_path / "study" / "s.yaml").write_text(text)
    done = call(command, "s.yaml", cwd=tmp_path / "study", code=1)
    assert "s.yaml:2:8: model: " in done.stderr
    assert "lies outside of the study's folder (run with --allow-files DIR" in done.stderr
    assert "1234" not in done.stdout + done.stderr


def test_model_elsewhere_is_read_where_the_user_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    (tmp_path / "study").mkdir()
    path = tmp_path / "study" / "s.yaml"
    path.write_text("luff: 1\nmodel: ../model.yaml\n")
    assert load(path, files=[tmp_path]).model == tmp_path / "model.yaml"


HOSTILE = "<script>alert(1)</script> [x](javascript:alert) ![y](http://z) `a` *b* _c_ | d \\\n# e"


def test_names_in_a_report_are_names(tmp_path: Path) -> None:
    markdown = pytest.importorskip("markdown")
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    quoted = "'" + HOSTILE.replace("\n", " ") + "'"
    path = tmp_path / "study.yaml"
    path.write_text(
        f"luff: 1\nname: {quoted}\nmodel: ./model.yaml\ndoc: '<img src=http://z> text'\n"
        f"variants: {{list: {{{quoted}: {{}}}}}}\n"
        f"tables: [{{title: {quoted}, columns: [{{metric: final, of: slide.position, title: {quoted}}}]}}]\n"
    )
    results = luff.study(path, tmp_path / "s.h5", jobs=1)
    page = report(load(path), results, tmp_path / "report")[0].read_text("utf-8")
    html = markdown.markdown(page, extensions=["tables"])
    for tag in ("<script", "<a ", "<img", "<em>", "<code>", "<strong>"):
        assert tag not in html, html
    assert html.count("&lt;script&gt;") == 4  # name, title, column, variant
    assert html.count("<td") == 2


@pytest.mark.parametrize("text", ["pin.position[0]", "load_mass = 3", "a.b_c"])
def test_usual_names_stay_readable(text: str) -> None:
    assert escape_line(text).replace("\\", "") == text
    assert "_" not in escape_line(text).replace("load_mass", "").replace("b_c", "")


@pytest.mark.parametrize("limit", ["nan", "inf", "-inf"])
def test_limit_is_a_number_of_seconds(limit: str, tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    (tmp_path / "s.yaml").write_text("luff: 1\nmodel: ./model.yaml\n")
    done = call("study", "s.yaml", "--limit", limit, cwd=tmp_path, code=2)
    assert "--limit" in done.stderr
    with pytest.raises(luff.LuffError, match="expected a number above zero"):
        luff.study(tmp_path / "s.yaml", tmp_path / "s.h5", limit=float(limit))
