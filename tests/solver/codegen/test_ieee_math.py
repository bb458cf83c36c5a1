"""Diagrams as plain Python: what is no number goes on as NaN or infinity, as in compiled code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import luff
blocks = ["  u: {type: constant, value: 0}"]
wires = []
for k, text in enumerate(("sqrt(u - 1)", "log(u)", "log(u - 1)", "asin(u + 2)", "exp(u + 1000)", "hypot(u, 3)")):
    blocks.append(f'  f{k}: {{type: expression, inputs: [u], expr: "{text}"}}')
    wires.append(f"u.y -> f{k}.u")
text = "luff: 1\\nblocks:\\n" + "\\n".join(blocks) + f"\\nconnect: [{', '.join(wires)}]\\n"
values = luff.compile(luff.loads(text)).evaluate()
print([values[f"f{k}.y"] for k in range(6)])
"""


@pytest.mark.parametrize("plain", ["0", "1"])
def test_functions_outside_their_domain_give_what_compiled_code_gives(plain: str) -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": plain}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[nan, -inf, nan, nan, inf, 3.0]"
