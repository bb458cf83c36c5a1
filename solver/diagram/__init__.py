"""Document of a diagram: its entries checked one by one and edited with an exact inverse."""
