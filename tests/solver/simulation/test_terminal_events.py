"""`stop_when` and `assert:`: when runs end before their time, and how."""

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import CompileError, LuffError, NetlistError, RunError
from luff.tests.process import call

# y = t, but for rounding
CLOCK = """luff: 1
name: clock
parameters: {level: 0.5005}
blocks:
  one: {type: constant, value: 1}
  it: {type: integrator}
  pair: {type: constant, value: [1, 2]}
  wide: {type: gain, k: 2}
connect: [one.y -> it.u, pair.y -> wide.u]
outputs: {clock: it.y}
record: [it.y]
"""
RUN = "simulation: {stop: 1 s, step: 1 ms, output_step: 10 ms%s}\n"


def clock(more: str = "", conditions: str = "", **changes: object) -> luff.Simulation:
    return luff.compile(luff.loads(CLOCK + RUN % more + conditions), **changes)


STOP = ", stop_when: it.y above =level"


@pytest.mark.parametrize("more", ["", ", events: locate", ", method: euler"])
def test_a_run_ends_at_the_first_step_at_which_the_condition_holds(more: str):
    result = clock(STOP + more).run()
    assert result.status == "finished"
    assert result.message == "ended at t = 0.501 s: it.y above =level"
    # rows at each 10 ms, and the last state
    assert result.time[-2:] == pytest.approx([0.5, 0.501], abs=1e-12)
    assert result["it.y"][-1] == pytest.approx(0.501, abs=1e-12)


def test_an_adaptive_method_ends_at_the_same_step():
    result = clock(STOP + ", method: dop853").run()
    assert (result.status, result.time[-1]) == ("finished", pytest.approx(0.501, abs=1e-12))


def test_a_condition_that_never_holds_changes_nothing():
    plain, watched = clock().run(), clock(", stop_when: it.y below -1", "assert: [clock below 2]\n").run()
    assert watched.message == ""
    assert watched.time[-1] == 1.0
    assert np.array_equal(plain.table, watched.table)


def test_a_signal_may_be_an_output_an_element_and_need_not_be_recorded():
    assert clock(", stop_when: clock above 0.25").run().time[-1] == pytest.approx(0.251, abs=2e-3)
    result = clock(", stop_when: 'wide.y[1] above 3.5'").run()
    assert (result.message, len(result.time)) == ("ended at t = 0 s: wide.y[1] above 3.5", 1)


def test_an_assertion_that_fails_names_its_line_and_keeps_the_rows(tmp_path: Path):
    file = tmp_path / "a.yaml"
    file.write_text(CLOCK + RUN % STOP + "assert:\n  - wide.y[0] above 1\n  - it.y below 0.3055\n")
    with pytest.raises(
        RunError, match=r'a.yaml:15:\d+: .*"it.y below 0.3055" does not hold at t = 0.306 s'
    ) as error:
        luff.compile(file).run()
    kept = error.value.result  # type: ignore[attr-defined]
    assert (kept.status, kept.time[-1]) == ("failed", pytest.approx(0.306, abs=1e-12))
    done = call("run", file, "-o", tmp_path / "a.csv", cwd=tmp_path, code=4)
    assert "does not hold at t = 0.306 s" in done.stderr
    assert (tmp_path / "a.csv").read_text().splitlines()[-1].startswith("0.306,")
    file.write_text(CLOCK + RUN % STOP)
    done = call("run", file, cwd=tmp_path)
    assert "ended at t = 0.501 s: it.y above =level" in done.stdout


def test_an_assertion_counts_before_a_condition_of_the_same_step():
    with pytest.raises(RunError, match=r"does not hold at t = 0\.501 s"):
        clock(STOP, "assert: [it.y below 0.5005]\n").run()


def test_sessions_end_step_by_step_and_go_back():
    session = clock(STOP).start()
    mark = session.snapshot()
    session.step(steps=400)
    assert session.status == "running"
    outputs = session.step(steps=400)
    assert (session.status, session.done) == ("finished", 501)
    assert outputs[0] == pytest.approx(0.501, abs=1e-12)
    with pytest.raises(RunError, match=r"ended at t = 0\.501 s"):
        session.step()
    session.restore(mark)
    session.step(steps=501)
    assert (session.status, session.done) == ("finished", 501)
    session.reset()
    assert (session.status, session.done) == ("running", 0)


def test_a_session_that_meets_a_false_assertion_raises_and_fails():
    session = clock("", "assert: [it.y below 0.3]\n").start()
    with pytest.raises(RunError, match=r"it\.y below 0\.3"):
        session.step(steps=700)
    assert session.status == "failed"


def test_runs_of_a_batch_end_apart():
    table = luff.batch(clock(STOP), {"one.value": [0.1, 1.0, 2.0]}, outputs=["it.y"])
    assert table.status == ["finished"] * 3
    assert table.messages[0] == ""
    assert table.messages[2].startswith("ended at t = 0.251 s")
    ended = np.isfinite(table["it.y"]).sum(axis=1)
    assert ended.tolist() == [101, 51, 26]


def test_a_level_that_is_set_meets_the_next_run():
    sim = clock(STOP)
    sim.set("level", 0.1005)
    assert sim.run().time[-1] == pytest.approx(0.101, abs=1e-12)
    sim.set("simulation.stop_when", "it.y above 0.7005")
    assert sim.run().time[-1] == pytest.approx(0.701, abs=1e-12)


def test_a_netlist_inside_brings_its_assertions_not_its_end(tmp_path: Path):
    inner = CLOCK + RUN % STOP + "assert: [it.y below 0.3]\n"
    (tmp_path / "inner.yaml").write_text(inner)
    (tmp_path / "outer.yaml").write_text(
        "luff: 1\nblocks: {part: {type: ./inner.yaml}}\nsimulation: {stop: 1 s, step: 1 ms}\n"
    )
    with pytest.raises(RunError, match=r"it\.y below 0\.3") as error:
        luff.compile(tmp_path / "outer.yaml").run()
    assert "part.assert[0]" in str(error.value)


def test_a_renamed_block_keeps_its_conditions():
    diagram = luff.loads(CLOCK + RUN % STOP + "assert: [it.y below 0.9]\n")
    diagram.rename_block("it", "watch")
    assert diagram.simulation["stop_when"] == "watch.y above =level"
    assert luff.compile(diagram).run().time[-1] == pytest.approx(0.501, abs=1e-12)
    assert "watch.y below 0.9" in diagram.to_yaml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("it.y over 3", 'found "it.y over 3", expected a condition.*write block.port above 3 m'),
        ("it.z above 3", 'it.z: .*has no port "z"'),
        ("wide.y above 3", r"found wide.y, a vector, expected one number.*write wide.y\[0\]"),
        ("wide.y[2] above 3", r"found wide.y\[2\], expected an element from 0 to 1"),
        ("it.u above 3", "found it.u, which is not an output"),
        ("it.y above 3 pieces", "pieces"),
        ("where.position[0] above 3 kg", r'found "3 kg" \(kg\), expected a level in m for where'),
    ],
)
def test_mistakes_are_told_before_a_run(text: str, message: str):
    netlist = CLOCK.replace("  pair:", "  where: {type: frame_sensor}\n  pair:")
    netlist = netlist.replace("[one.y", "[world.frame -- where.frame_b, one.y")
    diagram = luff.loads(netlist + RUN % "" + f"assert: ['{text}']\n")
    with pytest.raises(NetlistError, match=message):
        luff.compile(diagram)


def test_what_is_no_text_is_refused():
    with pytest.raises(LuffError, match=r"assert\[0\]: found 3, expected a condition"):
        luff.compile(luff.loads(CLOCK + "assert: [3]\n"))


def test_an_fmu_of_it_is_refused(tmp_path: Path):
    diagram = luff.loads(CLOCK + RUN % STOP)
    with pytest.raises(CompileError, match="ends its runs by itself: it cannot be exported"):
        luff.export_fmu(diagram, tmp_path / "a.fmu")


def test_variants_of_a_study_end_as_runs_do(tmp_path: Path):
    (tmp_path / "clock.yaml").write_text(CLOCK + RUN % STOP + "assert: [one.y below 3]\n")
    (tmp_path / "study.yaml").write_text(
        "luff: 1\nmodel: ./clock.yaml\n"
        "variants: {list: {slow: {one.value: 0.1}, quick: {one.value: 2}, wild: {one.value: 4}}}\n"
    )
    results = luff.study(tmp_path / "study.yaml", tmp_path / "out.h5", jobs=1)
    assert results.statuses == {"slow": "finished", "quick": "finished", "wild": "failed"}
    assert results.messages["quick"] == "ended at t = 0.251 s: it.y above =level"
    assert "one.y below 3" in results.messages["wild"]
