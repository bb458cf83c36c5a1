"""Block symbols, one file per family."""
