"""Settings that every test shares. They come before luff, Qt and matplotlib are imported."""

import os
from pathlib import Path

# compiled kernels, shared by the workers and by later runs, and apart from the user's own
os.environ.setdefault("LUFF_CACHE_DIR", str(Path(__file__).resolve().parents[1] / "build" / "cache"))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("MPLBACKEND", "Agg")

from hypothesis import HealthCheck, settings

# a machine under load is slow, not wrong
settings.register_profile(
    "luff", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("luff-ci", settings.get_profile("luff"), derandomize=True)
settings.load_profile("luff-ci" if os.environ.get("CI") else "luff")
