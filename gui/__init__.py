"""Qt desktop: canvas, property panel, live plots, 3-D view. The only package that imports Qt."""
