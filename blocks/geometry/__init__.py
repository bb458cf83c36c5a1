"""Places, turns, shapes and sections, and the masses that follow from them."""
