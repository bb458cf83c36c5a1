"""A study in lanes beside the same study without: `python -m luff.bench.study_lanes` writes results/study_lanes.md.

Variants differ in a mass and run in one process. Processor time of all that a study does counts: what it reads, starts
and writes too. The ratio is that of two studies made one after the other, once what they call is compiled.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

import luff
from luff.bench.report import keep

from .systems import chain, netlist
from .timing import machine_words

COUNT = 64
SETTINGS = "simulation.stop: 20.0, simulation.output_step: 0.02"
ROOT = Path(luff.__file__).parent


def spent() -> float:
    """Processor time of this process and of all that it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def models() -> dict[str, tuple[str, str]]:
    """By name: a netlist, and what is drawn."""
    crane = (ROOT / "library" / "crane_knuckle_boom.yaml").read_text(encoding="utf-8")
    return {
        "crane_knuckle_boom": (crane, "outer.mass: {uniform: [9 t, 11 t]}"),
        "chain of 18": (netlist(chain(18)).to_yaml(), "l17.mass: {uniform: [0.3, 0.4]}"),
    }


def contest(folder: Path, model: str, draw: str, count: int) -> list[str]:
    """Seconds without lanes and with them, their ratio, and how many variants were in lanes to their end."""
    folder.mkdir()
    (folder / "model.yaml").write_text(model, encoding="utf-8")
    study = folder / "study.yaml"

    def write(count: int) -> None:
        study.write_text(
            f"luff: 1\nmodel: ./model.yaml\nset: {{{SETTINGS}}}\n"
            f"variants: {{random: {{count: {count}, draw: {{{draw}}}}}}}\n",
            encoding="utf-8",
        )

    write(8)
    luff.study(study, folder / "compiled.h5", jobs=1, lanes=True)
    write(count)
    seconds, together = [], 0
    for lanes in (False, True):
        began = spent()
        results = luff.study(study, folder / f"{lanes}.h5", jobs=1, lanes=lanes)
        seconds.append(spent() - began)
        if failed := [message for message in results.messages.values() if message]:
            raise RuntimeError(failed[0])
        together = [*results.alone.values()].count("")
    alone, beside = seconds
    return [f"{alone:.1f} s", f"{beside:.1f} s", f"{beside / alone:.2f}", str(together)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=COUNT)
    count = parser.parse_args().variants
    lines = ["# Studies in lanes", ""]
    lines += ["`python -m luff.bench.study_lanes` on " + machine_words()]
    table = [f"| {count} variants of 20 s | without lanes | in lanes | ratio | variants in lanes |"]
    table += ["|---|--:|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as name:
        for k, (title, (model, draw)) in enumerate(models().items()):
            table.append(f"| {title} | {' | '.join(contest(Path(name) / str(k), model, draw, count))} |")
    keep("study_lanes.md", [*lines, "", *table])


if __name__ == "__main__":
    main()
