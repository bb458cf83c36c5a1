"""Text of a netlist: quantities, expressions, files."""
