"""The property panel: editors generated from the declarations of a block's parameters."""
