"""The version of luff, in the one place."""

__version__ = "0.1.0"
