"""A process that finds capacities at some places of a chart: an order comes as a line of JSON, answers go as lines.

`codegen/python_subprocess.py` starts it, as it does the processes of studies.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from .load_chart import checks_from, solve_places
from .seeded_capacity import SeedSample


def main() -> None:
    # whatever a block prints must not come between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    order = json.loads(sys.stdin.readline())
    assessment = checks_from(
        Path(order["path"]), order["changes"], order["limits"], order["allow_code"], order["files"]
    )
    bounds = order["lower"], order["upper"]
    sample = SeedSample(order["seeds"], order["percentile"]) if order["seeds"] else None
    for one in solve_places(
        assessment, order["load"], order["names"], order["orders"], bounds, order["dynamic"], int, sample
    ):
        answers.write(json.dumps(one) + "\n")
