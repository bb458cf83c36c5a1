"""Elementary functions that compiled code calls by their names in `math`, in place of the C library's.

Runs, SIMD lanes, FMUs, libraries and pages thus have the same bits on every processor: only sums, products, quotients
and square roots are used, which IEEE 754 fixes. Errors are below one unit in the last place. The error and gamma
functions are left to the C library.
"""

from . import exponential as exponential
from . import inverse_trigonometric as inverse_trigonometric
from . import trigonometric as trigonometric
