"""A run beside the window: a thread that compiles and advances, the orders to it, what is kept of its rows."""
