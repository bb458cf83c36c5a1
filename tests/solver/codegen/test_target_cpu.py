"""Code is compiled for this machine, or for what numba is told to take in its place."""

import pytest
from llvmlite import binding

from luff.solver.codegen.target_cpu import compiled_for, lanes

HERE = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ({}, HERE),
        ({"NAME": "x86-64-v3"}, ("x86-64-v3", HERE[1])),
        ({"NAME": "x86-64-v3", "FEATURES": ""}, ("x86-64-v3", "")),
        ({"NAME": "generic"}, ("generic", "")),
        ({"FEATURES": "+avx"}, (HERE[0], "+avx")),
    ],
)
def test_numba_takes_the_same_processor(
    said: dict[str, str], taken: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba.core import config
    from numba.core.registry import cpu_target

    for word in ("NAME", "FEATURES"):
        monkeypatch.delenv(f"NUMBA_CPU_{word}", raising=False)
    for word, value in said.items():
        monkeypatch.setenv(f"NUMBA_CPU_{word}", value)
    assert compiled_for() == taken
    try:
        config.reload_config()
        codegen = cpu_target.target_context.codegen()
        assert (codegen._get_host_cpu_name(), codegen._get_host_cpu_features()) == taken
    finally:
        monkeypatch.undo()
        config.reload_config()


@pytest.mark.parametrize(("features", "count"), [("", 4), ("+avx2,-avx512f", 4), ("+avx2,+avx512f,+sse", 8)])
def test_eight_lanes_where_registers_hold_eight_doubles(
    features: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CPU_FEATURES", features)
    assert lanes() == count
