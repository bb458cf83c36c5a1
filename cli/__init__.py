"""The command line: `luff ...` and `python -m luff ...`."""

from .app import app as app
from .app import main as main
