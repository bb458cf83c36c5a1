"""The diagram as a document: what a netlist says, checked piece by piece and edited with an exact inverse."""
