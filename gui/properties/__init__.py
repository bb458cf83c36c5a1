"""Property panel with editors generated from parameter declarations."""
