"""Functions of mathematics that compiled code calls by their names in `math`, in place of the C library's.

So runs, lanes, FMUs, libraries and pages have the same bits on every processor: sums, products, quotients and square
roots are the same everywhere, and nothing else is used. Errors are below one unit in the last place. Beside them are
left to the C library the error and gamma functions.
"""

from . import exponential as exponential
from . import inverse_trigonometric as inverse_trigonometric
from . import trigonometric as trigonometric
