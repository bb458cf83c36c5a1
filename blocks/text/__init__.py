"""What stands in a netlist as text, and what it means: quantities, expressions, files."""
