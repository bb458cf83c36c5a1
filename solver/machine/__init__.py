"""From Python functions to machine code that is kept, and to arrays that both sides see.

In: functions of kernels and blocks. Out: addresses that are called with addresses. Imports nothing of luff.
"""

from . import objects as objects
