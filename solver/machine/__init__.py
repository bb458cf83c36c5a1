"""From Python functions to machine code that is kept, and to arrays that both sides see.

In: Python functions, arrays. Out: object code that is kept, bundles that both sides see, names of all columns.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""

from . import objects as objects
