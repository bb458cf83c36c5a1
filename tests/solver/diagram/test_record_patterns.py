"""Record patterns under renaming: what was recorded of a block stays recorded, under its new name."""

from __future__ import annotations

import itertools

import pytest

import luff
from luff.solver.diagram.record_patterns import remainders
from luff.solver.diagram.subsystem_ungrouping import ungroup_block
from luff.solver.results.recorded_run import matching

BLOCKS = "blocks: {upper: {type: sine, unit: rad}, lower: {type: sine, unit: rad}, gain: {type: gain}}"


@pytest.mark.parametrize(
    ("record", "after"),
    [
        (["upper.y"], ["arm.y"]),
        (["upper.*"], ["arm.*"]),
        (["up*.y"], ["arm.y"]),  # it covered this block alone
        (["?pper.*"], ["arm.*"]),
        (["*er.y"], ["*er.y", "arm.y"]),  # and the other one goes on
        (["*r*y"], ["*r*y"]),  # which covers arm.y too
        (["*p*"], ["*p*", "arm.*"]),  # a port may have the letter too
        (["*"], ["*"]),
        (["*.y", "gain.y"], ["*.y", "gain.y"]),
        (["up*.y", "arm*.y", "gain.y"], ["arm.y", "arm*.y", "gain.y"]),
        (["low*.y"], ["low*.y"]),
        (["*er.y", "up*.y"], ["*er.y", "arm.y"]),
    ],
)
def test_patterns_follow_a_new_name(record: list[str], after: list[str]) -> None:
    diagram = luff.loads(f"luff: 1\nrecord: {record}\n{BLOCKS}\n")
    before = diagram.to_yaml()
    signals = {"upper": ["upper.y"], "lower": ["lower.y"], "gain": ["gain.y"]}
    names = [name for own in signals.values() for name in own]
    was = {name for glob in record for name in matching(glob, names)}
    kept = diagram.rename_block("upper", "arm")
    assert diagram.record == after
    names = ["arm.y" if name == "upper.y" else name for name in names]
    now = {name for glob in after for name in matching(glob, names)}
    assert now >= {"arm.y" if name == "upper.y" else name for name in was}
    diagram.rename_back("upper", "arm", kept)
    assert diagram.to_yaml() == before


NESTED = """\
luff: 1
record: [ar*.ro*.y, '*.gain.y', a*]
blocks:
  arm:
    type:
      blocks: {rod: {type: sine, unit: rad}, gain: {type: gain}}
      connect: [rod.y -> gain.u]
"""


def test_patterns_follow_a_block_in_a_subsystem() -> None:
    diagram = luff.loads(NESTED)
    diagram.at_level(("arm",)).rename_block("rod", "bar")
    assert diagram.record == ["arm.bar.y", "*.gain.y", "a*"]
    diagram.rename_block("arm", "boom")
    assert diagram.record == ["boom.bar.y", "*.gain.y", "boom.*"]
    assert not [one for one in diagram.check() if "no signal" in str(one)]


def test_remainders_cover_what_the_pattern_covers_behind_a_text() -> None:
    globs = ["".join(letters) for k in (1, 2, 3, 4) for letters in itertools.product("ab*?", repeat=k)]
    ends = ["".join(letters) for k in (0, 1, 2, 3) for letters in itertools.product("ab", repeat=k)]
    for glob in globs:
        for text in ("a", "ab"):
            rest = remainders(glob, text)
            whole = {end for end in ends if matching(glob, [text + end])}  # by Python's own fnmatch
            assert {end for end in ends if any(matching(one, [end]) for one in rest)} == whole, (glob, text)


@pytest.mark.parametrize(
    ("patterns", "after"),
    [
        (["arm.*"], ["arm_gain.*", "rod.*"]),
        (["arm.*.y"], ["arm_gain.y", "rod.y"]),
        (["arm.r*", "gain.y"], ["rod.*", "gain.y"]),
        (["a*"], ["a*", "rod.*"]),  # which covers arm_gain too
        (["*"], ["*"]),
    ],
)
@pytest.mark.parametrize("level", [(), ("crane",)])
def test_patterns_follow_blocks_out_of_a_subsystem(
    patterns: list[str], after: list[str], level: tuple[str, ...]
) -> None:
    """Records and plots of the level itself, or of the one around it."""
    arm = "arm: {type: {blocks: {rod: {type: sine, unit: rad}, gain: {type: gain}}, connect: [rod.y -> gain.u]}}"
    blocks = f"{{{arm}, gain: {{type: gain, enabled: false}}}}"
    blocks = f"{{crane: {{type: {{blocks: {blocks}}}}}}}" if level else blocks
    prefix = "".join(f"{name}." for name in level)
    told = [one if one == "*" else prefix + one for one in patterns]
    diagram = luff.loads(f"luff: 1\nrecord: {told}\nplots: [{{y: {told}}}]\nblocks: {blocks}\n")
    before = diagram.to_yaml()
    kept = ungroup_block(diagram.at_level(level), "arm")
    expected = [one if one == "*" else prefix + one for one in after]
    assert (diagram.record, diagram.plots) == (expected, [{"y": expected}])
    diagram.restore(kept)
    assert diagram.to_yaml() == before
