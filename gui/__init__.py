"""The desktop: canvas, property panel, live plots, 3-D view. The only place that imports Qt."""
