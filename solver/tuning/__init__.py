"""Parameters that are searched for: from measured signals (`fit`), or for the least of a number (`optimise`).

In: a file with `fit:` or `optimise:`. Out: the best parameters, their errors, a report.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""

from .fit import Fit, fit
from .optimise import optimise as optimise
from .optimum import Optimum as Optimum

__all__ = ["Fit", "Optimum", "fit", "optimise"]
