"""Parameters that are searched for: from measured signals (`fit`), or for the least of a number (`optimise`)."""

from .fit import Fit, fit
from .optimise import optimise as optimise
from .optimum import Optimum as Optimum

__all__ = ["Fit", "Optimum", "fit", "optimise"]
