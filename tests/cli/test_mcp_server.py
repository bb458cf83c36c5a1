"""`luff mcp` as an agent uses it: the client of the protocol's own package, over stdio."""

from __future__ import annotations

import asyncio
import base64
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from luff.solver.netlist.library_paths import LIBRARY

PENDULUM = """\
luff: 1
name: pendulum
parameters: {length: 1 m}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 10 deg}}
  rod: {type: rigid_link, mass: 1, com: [0, 0, =-length]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 1 s, step: 1 ms}
"""
CODE = "luff: 1\nblocks: {c: {type: constant}}\n"


def asked(folder: Path, *calls: tuple[str, dict[str, Any]], limit: float = 120.0) -> list[Any]:
    """Content of the answers of some calls to one server."""

    async def talk() -> list[Any]:
        words = ["-P", "-m", "luff", "mcp", str(folder), "--limit", str(limit)]
        async with Client(
            StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        ) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"check", "run", "plot", "analyse", "blocks", "examples"}
            return [(await client.call_tool(name, given)).content for name, given in calls]

    return asyncio.run(talk())


def test_an_agent_checks_runs_and_plots_a_model(tmp_path: Path) -> None:
    wrong, run, modes, picture, block, listed, hoist = asked(
        tmp_path,
        ("check", {"netlist": PENDULUM.replace("axis: y", "axsi: y")}),
        ("run", {"netlist": PENDULUM, "signals": ["pin.position"], "points": 11, "set": {"length": "0.5 m"}}),
        ("analyse", {"netlist": PENDULUM, "what": "modes"}),
        ("plot", {"netlist": PENDULUM, "signals": ["pin.position"]}),
        ("blocks", {"name": "revolute"}),
        ("examples", {}),
        ("examples", {"name": "library/hoist.yaml"}),
    )
    problem = json.loads(wrong[0].text)["problems"][0]
    assert "axsi" in problem["message"]
    assert problem["line"] == 5
    made = json.loads(run[0].text)
    assert made["status"] == "finished"
    signal = made["results"]["signals"]["pin.position"]
    assert len(signal["values"]) == 11
    assert signal["values"][0] == pytest.approx(math.radians(10.0), rel=1e-8)  # nine digits are told
    # a small swing of 0.5 m after 1 s; the amplitude of 10 degrees makes it slower by 0.2 %
    assert signal["final"] == pytest.approx(math.radians(10.0) * math.cos(math.sqrt(9.81 / 0.5)), abs=3e-3)
    (mode,) = json.loads(modes[0].text)["modes"]
    assert mode["frequency"] == pytest.approx(math.sqrt(9.81), rel=1e-9)
    assert picture[0].text == "finished"
    assert base64.b64decode(picture[1].data).startswith(b"\x89PNG")
    assert json.loads(block[0].text)["type"] == "revolute"
    assert "library/hoist.yaml" in json.loads(listed[0].text)
    assert hoist[0].text == (LIBRARY / "hoist.yaml").read_text("utf-8")


def test_an_agent_reads_nothing_else_and_runs_no_code(tmp_path: Path) -> None:
    served = tmp_path / "served"
    served.mkdir()
    (tmp_path / "secret.yaml").write_text(CODE)
    (served / "mine.py").write_text("open('ran', 'w')\n")
    code = "luff: 1\nblocks: {files: [mine.py], c: {type: constant}}\nsimulation: {stop: 1 ms, step: 1 ms}\n"
    (served / "own.yaml").write_text(code)
    udp = "luff: 1\nblocks: {c: {type: udp_receive}}\nsimulation: {stop: 1 ms, step: 1 ms}\n"
    names = (
        "../secret.yaml",
        str(tmp_path / "secret.yaml"),
        "library/../pyproject.toml",
        "mine.py",
        "--help",
    )
    answers = asked(
        served,
        *(("check", {"netlist": name}) for name in names),
        *(("examples", {"name": name}) for name in names),
        ("blocks", {"name": "--help"}),
        ("run", {"netlist": code}),
        ("run", {"netlist": "own.yaml"}),
        ("run", {"netlist": udp}),
    )
    assert all("found no netlist" in one[0].text for one in answers[: 2 * len(names)])
    assert "expected the name of a block" in answers[-4][0].text
    for one in answers[-3:]:
        assert "permission" in one[0].text
    assert sorted(path.name for path in served.iterdir()) == ["mine.py", "own.yaml"]


def test_no_link_and_no_word_of_a_tool_leads_out_of_the_folder(tmp_path: Path) -> None:
    served, outside = tmp_path / "served", tmp_path / "outside"
    served.mkdir()
    outside.mkdir()
    (outside / "hidden.yaml").write_text(CODE.replace("blocks:", "name: hidden\nblocks:", 1))
    (outside / "rows.csv").write_text("time,secret\n0,1\n1,2\n")
    (served / "link.yaml").symlink_to(outside / "hidden.yaml")
    (served / "link.csv").symlink_to(outside / "rows.csv")
    (served / "there").symlink_to(outside)
    os.mkfifo(served / "pipe.yaml")
    files = ("link.csv", "there/rows.csv", "../outside/rows.csv", str(outside / "rows.csv"))
    types = ("./link.yaml", "./there/hidden.yaml", "../outside/hidden.yaml", str(outside / "hidden.yaml"))
    made = str(outside / "made.svg")
    words = (str(outside / "rows.csv"), f"--output={made}", "--help", "-o")
    listed, *answers = asked(
        served,
        ("examples", {}),
        *(("check", {"netlist": f"luff: 1\nblocks: {{t: {{type: table, file: {one}}}}}\n"}) for one in files),
        *(("check", {"netlist": f"luff: 1\nblocks: {{t: {{type: {one}}}}}\n"}) for one in types),
        *(("check", {"netlist": name}) for name in ("link.yaml", "there/hidden.yaml", "pipe.yaml")),
        *(("plot", {"netlist": PENDULUM, "signals": ["pin.position", word, made, "--"]}) for word in words),
        ("plot", {"netlist": PENDULUM, "signals": ["pin.position"], "x": f"--output={made}"}),
    )
    assert not {"link.yaml", "pipe.yaml"} & json.loads(listed[0].text).keys()
    for one in answers:
        assert json.loads(one[0].text)["status"] in ("error", "invalid")
        assert "secret" not in one[0].text
    for one in answers[: len(files) + len(types)]:
        assert "outside" in one[0].text or "absolute path" in one[0].text
    assert {path.name for path in outside.iterdir()} == {"hidden.yaml", "rows.csv"}


def test_a_run_that_does_not_end_is_killed(tmp_path: Path) -> None:
    long = PENDULUM.replace("stop: 1 s", "stop: 1e7 s")
    (answer,) = asked(tmp_path, ("run", {"netlist": long}), limit=3.0)
    assert "took longer than 3 s" in answer[0].text
